"""Chow-Liu trees: dagwright, and numpy with one matrix product of one-hot columns.

Run with `make bench`; `python benchmarks/trees.py --all` adds 10,000 variables, for which numpy
takes minutes and gigabytes. Times are of the call alone, data in memory, the best of as many calls
as fit in two seconds (at least one). The information of each tree, in nats a row, is summed by
dagwright.
"""

import json
import sys
import time
from pathlib import Path

import numpy as np
from side_by_side import data_files, in_own_process, machine, versions, write

import dagwright as dw

DATA = ["alarm_10000", "alarm_100000", "andes_10000", "link_10000"]
DRAWN = ["binary_1000_100000"]
LARGE = ["binary_10000_10000"]


def read(path: Path) -> dw.Table:
    if path.exists():
        return dw.read(path)
    _, n, n_rows = path.stem.split("_")
    return drawn(int(n), int(n_rows))


def drawn(n: int, n_rows: int) -> dw.Table:
    """Rows of a random tree of binary variables, each a copy of its parent but for noise."""
    rng = np.random.default_rng(0)
    codes = [rng.integers(2, size=n_rows, dtype=np.uint8)]
    for i in range(1, n):
        flipped = rng.random(n_rows, dtype=np.float32) < rng.uniform(0.05, 0.45)
        codes.append(codes[rng.integers(max(0, i - 50), i)] ^ flipped)
    return dw.Table.from_codes(codes, states=[(0, 1)] * n)


def timed(learn):
    times = []
    while sum(times) < 2:
        start = time.perf_counter()
        edges = learn()
        times.append(time.perf_counter() - start)
    return {"seconds": min(times), "edges": edges}


def run_dagwright(path: Path, threads: int):
    table = read(path)
    return timed(lambda: dw.learn(table, search=dw.ChowLiu(), threads=threads).dag.edges)


def run_numpy(path: Path):
    table = read(path)
    edges = timed(lambda: numpy_tree(table.codes, list(table.n_states.values())))
    names = table.names
    return edges | {"edges": [(names[a], names[b]) for a, b in edges["edges"]]}


def numpy_tree(codes, n_states):
    """All pair counts as one product of 0/1 columns, in blocks; then Prim's algorithm."""
    n, n_rows = len(codes), len(codes[0])
    begins = np.concatenate([[0], np.cumsum(n_states)])
    one_hot = np.zeros((n_rows, begins[-1]), dtype=np.float32)
    for v, column in enumerate(codes):
        one_hot[np.arange(n_rows), begins[v] + column] = 1

    def x_log_x(counts):
        return counts * np.log(np.maximum(counts, 1, dtype=np.float32), dtype=np.float64)

    totals = one_hot.sum(axis=0, dtype=np.float64)
    single = np.add.reduceat(x_log_x(totals), begins[:-1])
    information = np.empty((n, n))
    for begin in range(0, n, 250):
        end = min(n, begin + 250)
        counts = one_hot[:, begins[begin] : begins[end]].T @ one_hot
        by_column = np.add.reduceat(x_log_x(counts), begins[:-1], axis=1)
        joint = np.add.reduceat(by_column, begins[begin:end] - begins[begin], axis=0)
        information[begin:end] = joint - single[begin:end, None] - single + n_rows * np.log(n_rows)
    best, nearest = information[0].copy(), np.zeros(n, dtype=int)
    best[0] = -np.inf
    edges = []
    for _ in range(n - 1):
        v = int(best.argmax())
        edges.append((int(nearest[v]), v))
        better = information[v] > best
        better &= best > -np.inf
        best[better], nearest[better] = information[v][better], v
        best[v] = -np.inf
    return edges


TOOLS = {
    "dagwright, 1 thread": lambda path: run_dagwright(path, 1),
    "dagwright, 2 threads": lambda path: run_dagwright(path, 2),
    "numpy, one-hot product": run_numpy,
}


def main(paths: list[Path]) -> None:
    lines = [
        f"{machine()}; {versions('dagwright', 'numpy')}.",
        "",
        "| data | tool | seconds | times dagwright | information of the tree |",
        "|---|---|---|---|---|",
    ]
    for path in paths:
        table = read(path)
        results = {tool: in_own_process(__file__, tool, path) for tool in TOOLS}
        ours = results["dagwright, 1 thread"].get("seconds", np.nan)
        for tool, result in results.items():
            if "failed" in result:
                lines.append(f"| {path.stem} | {tool} | failed: {result['failed']} | | |")
                continue
            tree = dw.Dag(result["edges"], nodes=table.names)
            information = dw.Scorer(table, dw.LogLikelihood()).decompose(tree).total("fit")
            seconds = result["seconds"]
            lines.append(
                f"| {path.stem} | {tool} | {seconds:.4f} | {seconds / ours:.1f} "
                f"| {information / len(table):.6f} |"
            )
    write("trees.md", "Chow-Liu trees", lines)


if __name__ == "__main__":
    if len(sys.argv) == 3:
        print(json.dumps(TOOLS[sys.argv[1]](Path(sys.argv[2]))))
    else:
        drawn_names = DRAWN + (LARGE if "--all" in sys.argv else [])
        main([*data_files(*DATA), *map(Path, drawn_names)])
