"""200 replicates of the bootstrap on alarm: one of them against one ``learn`` of that search."""

import json
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from side_by_side import SHARED, busy_share, drawn_alarm, in_own_process, machine, versions, write

import dagwright as dw

REPLICATES = 200
SEARCHES = {"hill-climb": dw.HillClimb(), "ges": dw.GES()}
# Search, kind, threads; "exact" are Bayesian weights that are not rounded, ten replicates of them.
TOOLS = [
    f"{search}:{kind}:{threads}"
    for search in SEARCHES
    for kind in ("rows", "bayesian")
    for threads in (1, 2)
] + ["hill-climb:exact:1", "pyagrum:rows:2"]


def run(tool: str, path: Path):
    search, kind, threads = tool.split(":")
    if search == "pyagrum":
        return run_pyagrum(path)
    table = dw.read(path)
    climb = SEARCHES[search]

    def learned() -> float:
        results = (dw.learn(dw.Scorer(table), search=climb, threads=1) for _ in range(50))
        return min(result.info.seconds for result in results)

    before = learned()
    replicates = REPLICATES
    if kind == "exact":
        from dagwright.posterior import resample

        resample.rounded = lambda weights, total: weights
        kind, replicates = "bayesian", 10
    boot = dw.bootstrap(table, search=climb, kind=kind, replicates=replicates, threads=int(threads))
    return {
        "learn": min(before, learned()),
        "seconds": boot.info.seconds,
        "replicates": replicates,
        "threshold": boot.threshold,
        "edges": len(boot.averaged_graph().dag.edges),
    }


def run_pyagrum(path: Path):
    """Rows drawn again and learned from, a few times: pyAgrum has no bootstrap of graphs."""
    import pandas as pd
    import pyagrum as gum

    frame = pd.read_parquet(path).astype(str)
    rng = np.random.default_rng(0)

    def learn(rows):
        learner = gum.BNLearner(rows)
        learner.useScoreBIC()
        learner.useGreedyHillClimbing()
        return learner.learnDAG()

    begun = time.perf_counter()
    learn(frame)
    learned = time.perf_counter() - begun
    replicates = 5
    begun = time.perf_counter()
    for _ in range(replicates):
        learn(frame.iloc[rng.integers(len(frame), size=len(frame))])
    return {"learn": learned, "seconds": time.perf_counter() - begun, "replicates": replicates}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = SHARED / "alarm_10000.parquet"
        source = "the shared rows of alarm"
        if not path.exists():
            path, source = drawn_alarm(10_000, Path(folder)), "rows drawn from alarm"
        lines = [
            f"{machine()}; {versions('dagwright', 'pyagrum', 'numpy')}; BIC, {source}, 37 "
            "variables, 10,000 rows. Times are of a replicate: the whole run divided by their "
            "number. learn is one call on the table as it is, on one thread, the best of 100 "
            "(pyAgrum: on both cores, once).",
            f"{100 * busy_share(2):.0f} % of the machine were busy with other work at the start.",
            "",
            "| search | weights | threads | replicates | ms a replicate | ms to learn | ratio "
            "| threshold | edges |",
            "|---|---|---|---|---|---|---|---|---|",
        ]
        for tool in TOOLS:
            search, kind, threads = tool.split(":")
            kind = {"exact": "bayesian, not rounded"}.get(kind, kind)
            found = in_own_process(__file__, tool, path)
            if "failed" in found:
                lines.append(f"| {search} | {kind} | {threads} | {found['failed']} |")
                continue
            each = 1000 * found["seconds"] / found["replicates"]
            learned = 1000 * found["learn"]
            threshold = f"{found['threshold']:.3f}" if "threshold" in found else ""
            lines.append(
                f"| {search} | {kind} | {threads} | {found['replicates']} | {each:.1f} "
                f"| {learned:.1f} | {each / learned:.1f} | {threshold} | {found.get('edges', '')} |"
            )
        write("bootstrap.md", "Bootstrap", lines)


if __name__ == "__main__":
    if len(sys.argv) == 3:
        print(json.dumps(run(sys.argv[1], Path(sys.argv[2]))))
    else:
        main()
