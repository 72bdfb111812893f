"""The neighbours of all spins at one penalty, beside L1 logistic regression of scikit-learn.

Run with `make bench`. Rows are drawn exactly from grids four spins high with couplings of 0.4, half
of which repel. Times are of the call alone, the rows in memory; memory is the most that the process
had beyond what it had before the call. scikit-learn, on one thread, fits the first four spins, and
its time is that times the number of spins over four. Of 1,000 spins learn_undirected has 64
candidates each.
"""

import json
import resource
import sys
import threading
import time
from pathlib import Path

import numpy as np
from side_by_side import in_own_process, machine, versions, write
from spin_models import grid, model_of

import dagwright as dw
from dagwright.markov.method import UndirectedData
from dagwright.markov.neighbourhood_fits import fit_along
from dagwright.markov.neighbourhoods import scaled_penalty
from dagwright.markov.screening import all_candidates
from dagwright.markov.spins import SpinRows
from dagwright.run import start_run

SHAPES = [(200, 100_000), (1000, 100_000)]
PEER_TARGETS = 4
MANY = 500  # spins, from which on some tools are left out: minutes


def rows_of(n: int, n_rows: int) -> dw.Table:
    return model_of(grid(4, n // 4), size=0.4, mixed=True).sample(n_rows, seed=1)


def resident() -> float:
    """MB that the process has now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


def measured(work):
    """Seconds, and the most memory beyond what there was."""
    before, most, done = resident(), [0.0], threading.Event()

    def watch():
        while not done.wait(0.01):
            most[0] = max(most[0], resident())

    watcher = threading.Thread(target=watch)
    watcher.start()
    start = time.perf_counter()
    found = work()
    seconds = time.perf_counter() - start
    done.set()
    watcher.join()
    return {"seconds": seconds, "megabytes": max(0.0, most[0] - before)}, found


def one_penalty(table, loss, threads):
    """All neighbourhoods at one penalty, from codes to couplings."""

    def work():
        rows = SpinRows.of(table)
        penalty = scaled_penalty(loss, rows.n_variables, rows.total_weight)
        with start_run(0, threads, None, False, None) as run:
            candidates = all_candidates(UndirectedData(table))
            return fit_along(rows, candidates, loss, [penalty], run)[0]

    cost, fits = measured(work)
    return cost | {
        "neighbours": float((fits.couplings != 0).sum(axis=1).mean()),
        "first": fits.couplings[:PEER_TARGETS].ravel().tolist(),
        "note": f"slope left {fits.residual:.0e}",
    }


def whole(table, **settings):
    """The method as people call it: screening, penalty, graph, couplings."""
    method = dw.NeighbourhoodSelection(**settings)
    cost, result = measured(lambda: dw.learn_undirected(table, method=method, threads=2))
    n = len(table.names)
    true = model_of(grid(4, n // 4), size=0.4, mixed=True).graph
    wrong = len(set(true.edges) ^ set(result.graph.edges))
    screened = " ".join(own for own in result.left_out if "screened" in own)
    note = f"{wrong} edges wrong of {len(true.edges)}. {screened}"
    return cost | {"neighbours": 2 * len(result.graph.edges) / n, "note": note}


def peer(table):
    from sklearn.linear_model import LogisticRegression

    spins = 2.0 * np.column_stack(table.codes) - 1
    n_rows, n = spins.shape
    penalty = scaled_penalty("logistic", n, n_rows)

    def work():
        first = np.zeros((PEER_TARGETS, n))
        for target in range(PEER_TARGETS):
            model = LogisticRegression(
                C=2 / (penalty * n_rows), l1_ratio=1.0, solver="liblinear", tol=1e-4
            )
            model.fit(np.delete(spins, target, axis=1), spins[:, target])
            first[target, np.arange(n) != target] = model.coef_[0] / 2
        return first

    cost, first = measured(work)
    cost["seconds"] *= n / PEER_TARGETS
    neighbours = float((first != 0).sum(axis=1).mean())
    return cost | {"neighbours": neighbours, "first": first.ravel().tolist(), "note": ""}


TOOLS = {
    "dagwright logistic, 1 thread": lambda table: one_penalty(table, "logistic", 1),
    "dagwright logistic, 2 threads": lambda table: one_penalty(table, "logistic", 2),
    "dagwright rise, 2 threads": lambda table: one_penalty(table, "rise", 2),
    "dagwright log-rise, 2 threads": lambda table: one_penalty(table, "log-rise", 2),
    "learn_undirected, penalty by extended BIC": lambda table: whole(table),
    "learn_undirected, rise, scaled, threshold 0.2": lambda table: whole(
        table, loss="rise", penalty="scaled", threshold=0.2, symmetrisation="mean"
    ),
    "scikit-learn liblinear, 4 spins scaled up": peer,
}


OF_MANY = [tool for tool in TOOLS if tool.startswith(("dagwright log-rise", "learn_undirected"))]


def main() -> None:
    lines = [
        f"{machine()}; {versions('dagwright', 'numpy', 'scikit-learn')}.",
        "",
        "| spins x rows | what | seconds | times the first | MB beside the table | neighbours "
        "| largest difference of couplings | |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for n, n_rows in SHAPES:
        results = {
            tool: in_own_process(__file__, tool, Path(f"{n}_{n_rows}"), needs_quiet=False)
            for tool in TOOLS
            if n <= MANY or tool in OF_MANY
        }
        base = next(iter(results.values()))
        for tool, result in results.items():
            if "failed" in result:
                lines.append(f"| {n} x {n_rows:,} | {tool} | failed: {result['failed']} |||||")
                continue
            ratio = result["seconds"] / base["seconds"]
            differ = ""
            if tool.startswith("scikit"):
                gap = np.abs(np.array(result["first"]) - np.array(base["first"])).max()
                differ = f"{gap:.1e}"
            lines.append(
                f"| {n} x {n_rows:,} ({n * n_rows / 1e6:.0f} MB) | {tool} "
                f"| {result['seconds']:.2f} | {ratio:.1f} | {result['megabytes']:.0f} "
                f"| {result['neighbours']:.1f} | {differ} | {result['note']} |"
            )
    write("neighbourhoods.md", "Neighbours of all spins", lines)


if __name__ == "__main__":
    if len(sys.argv) == 3:
        shape = map(int, sys.argv[2].split("_"))
        print(json.dumps(TOOLS[sys.argv[1]](rows_of(*shape))))
    else:
        main()
