"""Hill climbing with BIC: dagwright, PyBNesian and pyAgrum on the same rows.

Run with `make bench`; `python benchmarks/hill_climb.py --all` adds the link network, on which the
peers take minutes. Times are of the learning call alone, data in memory, the best of as many calls
as fit in two seconds (at least one). All graphs are scored by dagwright. "Straight" is
HillClimb(sideways=False), which takes moves of the graph at hand alone, as the peers do.
threads.py looks closer at what a second thread gives.
"""

import json
import sys
import tempfile
import time
from pathlib import Path

from side_by_side import (
    data_files,
    drawn_alarm,
    in_own_process,
    machine,
    read_categories,
    versions,
    write,
)

import dagwright as dw

STRAIGHT = dw.HillClimb(sideways=False)
DATA = ["alarm_10000", "alarm_100000", "hepar2_10000", "andes_10000"]


def timed(learn):
    times = []
    while sum(times) < 2:
        start = time.perf_counter()
        edges = learn()
        times.append(time.perf_counter() - start)
    return {"seconds": min(times), "edges": edges}


def run_dagwright(path: Path, search, threads: int):
    table = dw.read(path)
    before = peak_memory(forget=True)
    result = timed(lambda: dw.learn(table, search=search, threads=threads).dag.edges)
    coded = len(table) * len(table.names)  # a byte each
    return {**result, "growth": (peak_memory() - before) / coded}


def peak_memory(forget: bool = False) -> int:
    """The most bytes that this process has held, or, having forgotten that, those it holds now."""
    if forget:
        Path("/proc/self/clear_refs").write_text("5")
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))


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
    "dagwright, 1 thread": lambda path: run_dagwright(path, dw.HillClimb(), 1),
    "dagwright, 2 threads": lambda path: run_dagwright(path, dw.HillClimb(), 2),
    "dagwright, straight, 1 thread": lambda path: run_dagwright(path, STRAIGHT, 1),
    "dagwright, straight, 2 threads": lambda path: run_dagwright(path, STRAIGHT, 2),
    "dagwright, GES, 1 thread": lambda path: run_dagwright(path, dw.GES(), 1),
    "PyBNesian": run_pybnesian,
    "pyAgrum": run_pyagrum,
}


def main(names: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        paths = data_files(*names)
        paths.insert(2, drawn_alarm(1_000_000, Path(folder)))
        write_table(paths)


def write_table(paths: list[Path]) -> None:
    lines = [
        f"{machine()}; {versions('dagwright', 'pybnesian', 'pyagrum')}.",
        "",
        "Memory: what learning took beyond the table, as a multiple of the table's codes.",
        "",
        "| data | tool | seconds | times dagwright | BIC | edges | memory |",
        "|---|---|---|---|---|---|---|",
    ]
    for path in paths:
        table = dw.read(path)
        results = {tool: in_own_process(__file__, tool, path, most_seconds=400) for tool in TOOLS}
        ours = results["dagwright, 1 thread"]["seconds"]
        for tool, result in results.items():
            if "failed" in result:
                lines.append(f"| {path.stem} | {tool} | failed: {result['failed']} | | | | |")
                continue
            dag = dw.Dag(result["edges"], nodes=table.names)
            seconds, bic = result["seconds"], dw.score(dag, table)
            memory = f"{result['growth']:.1f}" if "growth" in result else ""
            lines.append(
                f"| {path.stem} | {tool} | {seconds:.4f} | {seconds / ours:.1f} "
                f"| {bic:.1f} | {len(dag.edges)} | {memory} |"
            )
    write("hill_climb.md", "Hill climbing, BIC, default settings", lines)


if __name__ == "__main__":
    if len(sys.argv) == 3:
        print(json.dumps(TOOLS[sys.argv[1]](Path(sys.argv[2]))))
    else:
        main([*DATA, "link_10000"] if "--all" in sys.argv else DATA)
