"""How cost grows with rows, variables, states and parents; and one against all beside a bare loop.

Times are the least of some turns, one thread, data in memory. The exponent is that of the last two
sizes: what doubling the size does to the time there. Run with `make bench`.
"""

import math
import time

import numpy as np
from side_by_side import machine, versions, wait_for_quiet, write

import dagwright as dw
from dagwright import _core


def network_rows(n_rows, n_variables, n_states=2, seed=0):
    """Rows of a random network in which each variable depends on up to two before it."""
    rng = np.random.default_rng(seed)
    codes = []
    for i in range(n_variables):
        code = rng.integers(n_states, size=n_rows, dtype=np.uint8)
        for j in rng.choice(i, size=min(i, 2), replace=False):
            take = rng.random(n_rows, dtype=np.float32) < 0.35
            code[take] = codes[j][take]
        codes.append(code)
    return dw.Table.from_codes(codes, states=[range(n_states)] * n_variables)


def least(work, turns=3):
    times = []
    for _ in range(turns):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
        if sum(times) > 20:
            break
    return min(times)


def climb(table):
    return least(lambda: dw.learn(table, search=dw.HillClimb(), threads=1))


def families(table, n_parents, count=200):
    rng = np.random.default_rng(1)
    asked = []
    for _ in range(count):
        child, *parents = rng.choice(len(table.names), 1 + n_parents, replace=False)
        asked.append((table.names[child], tuple(table.names[p] for p in parents)))
    distinct = list(dict.fromkeys(asked))
    return least(lambda: dw.Scorer(table).batch(distinct)) / len(distinct)


def lines_of(title, sizes, seconds):
    rows = [f"\n## {title}\n", "| size | seconds | exponent |", "|---|---|---|"]
    for i, (size, time_) in enumerate(zip(sizes, seconds, strict=True)):
        exponent = ""
        if i > 0 and min(size, sizes[i - 1]) > 0:
            grown = math.log(time_ / seconds[i - 1]) / math.log(size / sizes[i - 1])
            exponent = f"{grown:.2f}"
        rows.append(f"| {size:,} | {time_:.3g} | {exponent} |")
    return rows


def one_against_all():
    rng = np.random.default_rng(0)
    rows = ["\n## One family of 16 cells, one against all, beside a bare AND and popcount loop\n"]
    rows += ["| rows | candidates | microseconds | bare loop | ratio |", "|---|---|---|---|---|"]
    for n_rows in (10_000, 100_000, 1_000_000):
        codes = [rng.integers(2, size=n_rows, dtype=np.uint8) for _ in range(103)]
        table = _core.Table(codes, [2] * 103, n_rows, np.empty(0))
        counted, bare = _core.seconds_one_against_all(table, 0, [1, 2], list(range(3, 103)))
        ours, theirs = 1e6 * counted, 1e6 * bare
        rows.append(f"| {n_rows:,} | 100 | {ours:,.0f} | {theirs:,.0f} | {ours / theirs:.2f} |")
    return rows


def main() -> None:
    quiet = wait_for_quiet()
    lines = [f"{machine()}; {versions('dagwright', 'numpy')}."]
    if not quiet:
        lines.append("The machine was doing other work too: the times are no good.")
    lines += one_against_all()
    sizes = [1_000, 10_000, 100_000, 1_000_000, 10_000_000]
    table = network_rows(sizes[-1], 20)
    lines += lines_of(
        "Hill climbing, 20 binary variables: rows",
        sizes,
        [climb(table.take(np.arange(size))) for size in sizes],
    )
    sizes = [10, 30, 100, 300, 1000]
    table = network_rows(5_000, sizes[-1])
    lines += lines_of(
        "Hill climbing, 5,000 rows, binary: variables",
        sizes,
        [climb(table.select(table.names[:size])) for size in sizes],
    )
    sizes = [2, 5, 10, 20, 50]
    lines += lines_of(
        "One family of 2 parents, 10,000 rows: states of each variable",
        sizes,
        [families(network_rows(10_000, 30, size), 2) for size in sizes],
    )
    sizes = list(range(9))
    table = network_rows(10_000, 30, 3)
    lines += lines_of(
        "One family, 10,000 rows, 3 states each: parents",
        sizes,
        [families(table, size) for size in sizes],
    )
    write("growth.md", "How cost grows", lines)


if __name__ == "__main__":
    main()
