"""Hill climbing with BIC: dagwright, PyBNesian and pyAgrum on the same rows.

Run with `make bench`; `python benchmarks/hill_climb.py --all` adds the link network, on which the
peers take minutes. Times are of the learning call alone, data in memory, the best of as many calls
as fit in two seconds (at least one). All graphs are scored by dagwright.
"""

import json
import sys
import time
from pathlib import Path

from side_by_side import data_files, in_own_process, machine, read_categories, versions, write

import dagwright as dw

DATA = ["alarm_10000", "alarm_100000", "hepar2_10000", "andes_10000"]


def timed(learn):
    times = []
    while sum(times) < 2:
        start = time.perf_counter()
        edges = learn()
        times.append(time.perf_counter() - start)
    return {"seconds": min(times), "edges": edges}


def run_dagwright(path: Path, threads: int):
    table = dw.read(path)
    climb = dw.HillClimb()
    return timed(lambda: dw.learn(table, search=climb, threads=threads).dag.edges)


def run_pybnesian(path: Path):
    import pybnesian as pbn

    frame = read_categories(path)
    kind = pbn.DiscreteBNType()
    return timed(lambda: pbn.hc(frame, bn_type=kind, score="bic", operators=["arcs"]).arcs())


def run_pyagrum(path: Path):
    import pyagrum as gum

    learner = gum.BNLearner(read_categories(path))
    learner.useScoreBIC()
    learner.useGreedyHillClimbing()
    names = [learner.nameFromId(i) for i in range(len(learner.names()))]
    return timed(lambda: [(names[a], names[b]) for a, b in learner.learnDAG().arcs()])


TOOLS = {
    "dagwright, 1 thread": lambda path: run_dagwright(path, 1),
    "dagwright, 2 threads": lambda path: run_dagwright(path, 2),
    "PyBNesian": run_pybnesian,
    "pyAgrum": run_pyagrum,
}


def main(names: list[str]) -> None:
    lines = [
        f"{machine()}; {versions('dagwright', 'pybnesian', 'pyagrum')}.",
        "",
        "| data | tool | seconds | times dagwright | BIC | edges |",
        "|---|---|---|---|---|---|",
    ]
    for path in data_files(*names):
        table = dw.read(path)
        results = {tool: in_own_process(__file__, tool, path) for tool in TOOLS}
        ours = results["dagwright, 1 thread"]["seconds"]
        for tool, result in results.items():
            if "failed" in result:
                lines.append(f"| {path.stem} | {tool} | failed: {result['failed']} | | | |")
                continue
            dag = dw.Dag(result["edges"], nodes=table.names)
            seconds, bic = result["seconds"], dw.score(dag, table)
            lines.append(
                f"| {path.stem} | {tool} | {seconds:.4f} | {seconds / ours:.1f} "
                f"| {bic:.1f} | {len(dag.edges)} |"
            )
    write("hill_climb.md", "Hill climbing, BIC, default settings", lines)


if __name__ == "__main__":
    if len(sys.argv) == 3:
        print(json.dumps(TOOLS[sys.argv[1]](Path(sys.argv[2]))))
    else:
        main([*DATA, "link_10000"] if "--all" in sys.argv else DATA)
