"""The cost model picks a counter that is nearly as fast as the fastest."""

import numpy as np
import pytest

from dagwright import _core

GRID = [
    (n_rows, arity, n_parents)
    for n_rows in (300, 3_000, 30_000, 300_000)
    for arity in (2, 3, 5, 12, 50)
    for n_parents in range(7)
    if arity ** (n_parents + 1) <= 1e7
]
COUNTERS = [_core.Counter.bitmap, _core.Counter.dense, _core.Counter.sparse]


def drawn(n_rows, arity):
    """Each variable depends on the one before, as in real data: not all cells are filled alike."""
    rng = np.random.default_rng(n_rows + arity)
    codes = [rng.integers(arity, size=n_rows)]
    for _ in range(6):
        other = np.minimum(rng.geometric(0.5, n_rows) - 1, arity - 1)
        codes.append(np.where(rng.random(n_rows) < 0.6, codes[-1], other))
    return _core.Table(
        [np.ascontiguousarray(c, dtype=np.uint8) for c in codes], [arity] * 7, n_rows, np.empty(0)
    )


def times_the_fastest(table, n_parents):
    family = (0, list(range(1, 1 + n_parents)))
    seconds = {counter: _core.seconds_to_count(table, *family, counter) for counter in COUNTERS}
    return seconds[_core.cheapest_counter(table, *family)] / min(seconds.values()), seconds


@pytest.mark.slow
def test_the_chosen_counter_is_within_one_and_a_half_of_the_fastest():
    tables = {}
    slow = {}
    for n_rows, arity, n_parents in GRID:
        table = tables.setdefault((n_rows, arity), drawn(n_rows, arity))
        # A machine that does other work too disturbs single times: only what is slow again counts.
        tries = [times_the_fastest(table, n_parents)]
        while tries[-1][0] > 1.5 and len(tries) < 4:
            tries.append(times_the_fastest(table, n_parents))
        ratio, seconds = min(tries, key=lambda one: one[0])
        if ratio > 1.5:
            slow[n_rows, arity, n_parents] = (
                round(ratio, 2),
                {counter.name: f"{1e6 * time:.1f}" for counter, time in seconds.items()},
            )
    assert not slow
