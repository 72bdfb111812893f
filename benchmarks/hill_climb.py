"""Hill climbing with BIC: dagwright and pyAgrum on the same rows, each in a process of its own.

Run with `make bench`. Times are of the learning call alone, the best of three, data in memory. Both
graphs are scored by dagwright. What counts is the ratio within one run.
"""

import json
import subprocess
import sys
import time
from pathlib import Path

import dagwright as dw

ROOT = Path(__file__).parents[1]
SHARED = ROOT.parent / "shared" / "data"
REPEATS = 3


def data_files() -> list[Path]:
    names = ("alarm_10000", "hepar2_10000", "alarm_100000")
    found = [path for name in names if (path := SHARED / f"{name}.parquet").exists()]
    return found or [ROOT / "src/dagwright/examples/asia.csv"]


def best_time(learn):
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        edges = learn()
        times.append(time.perf_counter() - start)
    return {"seconds": min(times), "edges": edges}


def run_dagwright(path: Path):
    table = dw.read(path)
    return best_time(lambda: dw.learn(table, threads=1).dag.edges)


def run_pyagrum(path: Path):
    import pandas as pd
    import pyagrum as gum

    frame = pd.read_parquet(path) if path.suffix == ".parquet" else pd.read_csv(path)

    def learn():
        learner = gum.BNLearner(frame.astype(str))
        learner.useScoreBIC()
        learner.useGreedyHillClimbing()
        start = time.perf_counter()
        dag = learner.learnDAG()
        seconds = time.perf_counter() - start
        names = {i: learner.nameFromId(i) for i in dag.nodes()}
        return seconds, [(names[a], names[b]) for a, b in dag.arcs()]

    runs = [learn() for _ in range(REPEATS)]
    return {"seconds": min(seconds for seconds, _ in runs), "edges": runs[0][1]}


TOOLS = {"dagwright": run_dagwright, "pyAgrum": run_pyagrum}


def in_own_process(tool: str, path: Path):
    command = [sys.executable, __file__, tool, str(path)]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(run.stdout.splitlines()[-1])


def main() -> None:
    print("| data | tool | seconds | BIC | edges | times dagwright |")
    print("|---|---|---|---|---|---|")
    for path in data_files():
        table = dw.read(path)
        results = {tool: in_own_process(tool, path) for tool in TOOLS}
        for tool, result in results.items():
            dag = dw.Dag(result["edges"], nodes=table.names)
            ratio = result["seconds"] / results["dagwright"]["seconds"]
            print(
                f"| {path.stem} | {tool} | {result['seconds']:.4f} "
                f"| {dw.score(dag, table):.1f} | {len(dag.edges)} | {ratio:.1f} |"
            )


if __name__ == "__main__":
    if len(sys.argv) == 3:
        print(json.dumps(TOOLS[sys.argv[1]](Path(sys.argv[2]))))
    else:
        main()
