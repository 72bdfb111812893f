"""The p-value by permuting one variable within strata, which holds for any number of rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dagwright.errors import DataError
from dagwright.information.strata import Floats, Numbers, Strata

__all__ = ["permutation_p_value"]

_MOST_NUMBERS = 2_000_000  # that are drawn at once
_MOST_ROWS = 10**9  # of numpy's hypergeometric distribution


def permutation_p_value(strata: Strata, permutations: int, seed: int) -> float:
    """Return (1 + permutations with at least this G2) / (1 + permutations).

    Permuted rows keep the margins of each stratum's table, so tables are drawn instead of rows:
    cell by cell from the hypergeometric distribution, all strata and permutations at once. What
    varies in G2 is the sum of n ln n. A stratum with one state of x or of y cannot vary.
    """
    from scipy.special import xlogy

    _check(strata)
    varies = (strata.n_rows > 1) & (strata.n_columns > 1)
    if not varies.any():
        return 1.0
    in_those = varies[strata.row_strata[strata.row_of]]
    observed = float(xlogy(strata.counts, strata.counts)[in_those].sum())
    rows = _side_by_side(strata.rows, strata.row_strata, varies)
    columns = _side_by_side(strata.columns, strata.column_strata, varies)
    rng = np.random.default_rng(seed)
    tolerance = 1e-9 * max(1.0, abs(observed))  # sums in another order are the same number
    as_large, left = 0, permutations
    while left:
        n = min(left, max(1, _MOST_NUMBERS // columns.size))
        sums = _sums_of_random_tables(rows, columns, n, rng)
        as_large += int((sums >= observed - tolerance).sum())
        left -= n
    return (1 + as_large) / (1 + permutations)


def _check(strata: Strata) -> None:
    if (strata.counts != np.rint(strata.counts)).any():
        raise DataError(
            "permutations are of whole rows, but the row weights add up to fractions: set "
            "permutations=0, or round the weights, as in table.with_weights(np.rint(table.weights))"
        )
    if strata.totals.max() >= _MOST_ROWS:
        raise DataError(
            f"permutations: a stratum has {strata.totals.max():,.0f} rows, the most is "
            f"{_MOST_ROWS:,}: set permutations=0, the p-value is as good with so many rows"
        )


def _side_by_side(margins: Floats, strata: Numbers, chosen: NDArray[np.bool_]) -> Numbers:
    """Return the margins of the chosen strata, one line each, filled up with 0."""
    kept = chosen[strata]
    line = (np.cumsum(chosen) - 1)[strata[kept]]
    order = np.argsort(line, kind="stable")
    lengths = np.bincount(line)
    place = np.arange(len(line)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    out = np.zeros((len(lengths), lengths.max()), dtype=np.int64)
    out[line[order], place] = np.rint(margins[kept][order]).astype(np.int64)
    return out


def _sums_of_random_tables(
    rows: Numbers, columns: Numbers, n: int, rng: np.random.Generator
) -> Floats:
    """Draw `n` tables with these margins for each stratum; return the sums of n ln n of each."""
    from scipy.special import xlogy

    left = np.broadcast_to(columns, (n, *columns.shape)).copy()  # of each column, for later rows
    sums = np.zeros(n)
    for i in range(rows.shape[1] - 1):
        active = np.flatnonzero(rows[:, i + 1])  # the last row takes what is left
        needed = np.broadcast_to(rows[active, i], (n, len(active))).copy()
        later = left[:, active].sum(axis=2)
        for j in range(columns.shape[1] - 1):
            column = left[:, active, j]
            later -= column
            drawn = rng.hypergeometric(column, later, needed)
            needed -= drawn
            left[:, active, j] = column - drawn
            sums += xlogy(drawn, drawn).sum(axis=1)
        left[:, active, -1] -= needed
        sums += xlogy(needed, needed).sum(axis=1)
    return np.asarray(sums + xlogy(left, left).sum(axis=(1, 2)))
