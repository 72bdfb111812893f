"""Hill climbing on rows drawn anew from alarm: how good, beside peers, and how cost grows.

One data set says little about a greedy search: on another the same tool may end a percent higher or
lower. So there are forty draws of 10,000 rows, all graphs scored by dagwright with BIC; and six of
100,000 and of 1,000,000 rows, for the time of one against the other on one thread.
"""

import json
import sys
import time
from pathlib import Path

import numpy as np
from side_by_side import in_own_process, machine, versions, write

import dagwright as dw

SEEDS = range(1000, 1040)
N_ROWS = 10_000
SEARCHES = {
    "HillClimb()": dw.HillClimb(),
    "HillClimb(sideways=False)": dw.HillClimb(sideways=False),
    "GES()": dw.GES(),
}


def drawn(seed: int, n_rows: int = N_ROWS) -> dw.Table:
    return dw.networks.load("alarm").sample(n_rows, seed=seed)


def scores(learn) -> dict[str, float]:
    """The score of what a function of a table of text learns from each draw."""
    found = {}
    for seed in SEEDS:
        table = drawn(seed)
        dag = dw.Dag(learn(table), nodes=table.names)
        found[str(seed)] = dw.score(dag, table)
    return found


def run_dagwright(search):
    return scores(lambda table: dw.learn(table, search=search).dag.edges)


def categories(table: dw.Table):
    return table.to_frame().astype(str).astype("category")


def run_pybnesian():
    import pybnesian as pbn

    def learn(table):
        kind = pbn.DiscreteBNType()
        frame = categories(table)
        return pbn.hc(frame, bn_type=kind, score="bic", operators=["arcs"]).arcs()

    return scores(learn)


def run_pyagrum():
    import pyagrum as gum

    def learn(table):
        learner = gum.BNLearner(categories(table))
        learner.useScoreBIC()
        learner.useGreedyHillClimbing()
        names = [learner.nameFromId(i) for i in range(len(learner.names()))]
        return [(names[a], names[b]) for a, b in learner.learnDAG().arcs()]

    return scores(learn)


def seconds(table: dw.Table, search) -> float:
    times = []
    while sum(times) < 0.5 or len(times) < 3:
        start = time.perf_counter()
        dw.learn(table, search=search, threads=1)
        times.append(time.perf_counter() - start)
    return min(times)


def run_growth():
    """For each search, the times with a million rows over those with 100,000."""
    ratios: dict[str, list[float]] = {name: [] for name in SEARCHES}
    for seed in range(6):
        few, many = drawn(seed, 100_000), drawn(seed, 1_000_000)
        for name, search in SEARCHES.items():
            ratios[name].append(seconds(many, search) / seconds(few, search))
    return ratios


PEERS = {"PyBNesian": run_pybnesian, "pyAgrum": run_pyagrum}
TOOLS = {
    **{name: lambda search=search: run_dagwright(search) for name, search in SEARCHES.items()},
    **PEERS,
    "growth": run_growth,
}


def main() -> None:
    results = {tool: in_own_process(__file__, tool, Path("alarm")) for tool in TOOLS}
    growth = results.pop("growth")
    failed = [f"{tool}: {found['failed']}" for tool, found in results.items() if "failed" in found]
    if failed or "failed" in growth:
        raise SystemExit(f"failed: {failed} {growth.get('failed', '')}")
    of = {tool: np.array([found[str(seed)] for seed in SEEDS]) for tool, found in results.items()}
    best_peer = np.maximum(*(of[peer] for peer in PEERS))
    lines = [
        f"{machine()}; {versions('dagwright', 'pybnesian', 'pyagrum')}.",
        "",
        f"{len(SEEDS)} draws of {N_ROWS:,} rows: BIC against the better of PyBNesian and pyAgrum",
        "on the same rows, in percent of it; higher is better.",
        "",
        "| search | mean | lowest | draws more than 0.3 % below |",
        "|---|---|---|---|",
    ]
    for tool, found in of.items():
        percent = 100 * (found - best_peer) / np.abs(best_peer)
        below = int((percent < -0.3).sum())
        lines.append(f"| {tool} | {percent.mean():+.2f} | {percent.min():+.2f} | {below} |")
    lines += [
        "",
        "Six draws of 1,000,000 rows against 100,000, one thread: times as long.",
        "",
        "| search | mean | longest |",
        "|---|---|---|",
    ]
    for tool, ratios in growth.items():
        lines.append(f"| {tool} | {np.mean(ratios):.1f} | {max(ratios):.1f} |")
    write("draws.md", "Hill climbing on rows drawn anew", lines)


if __name__ == "__main__":
    if len(sys.argv) == 3:
        print(json.dumps(TOOLS[sys.argv[1]]()))
    else:
        main()
