"""How much information rows without dependence show by chance."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["information_by_chance"]

Floats = npt.NDArray[np.float64]

_MANY = 60.0  # from this expected count on moments are enough: the error is below 1e-3 of a cell's
_MOST_NUMBERS = 4_000_000  # at once


def information_by_chance(counts: Floats) -> float:
    """Return the mean of I(x; y | stratum), in nats a row, over rows permuted within strata.

    `counts` are of (stratum, x, y). With the margins of a stratum's table fixed each count is
    hypergeometric, and N I is the sum over cells of n ln n - e ln e, where e is expected. Margins
    that are no whole numbers are rounded.
    """
    of_x, of_y = counts.sum(2, keepdims=True), counts.sum(1, keepdims=True)
    of_both = np.broadcast_arrays(of_x, of_y, counts.sum((1, 2), keepdims=True))
    margins = np.rint(np.stack([own.ravel() for own in of_both], axis=1))
    margins = margins[(margins > 0).all(axis=1) & (margins[:, :2] < margins[:, 2:]).all(axis=1)]
    distinct, times = np.unique(margins, axis=0, return_counts=True)
    row, column, total = distinct.T
    many = row * column > _MANY * total
    mean = times[many] @ _by_moments(row[many], column[many], total[many])
    few, times = distinct[~many], times[~many]
    if len(few):
        longest = int(min(few[:, :2].min(axis=1).max(), _MANY + 12 * _MANY**0.5)) + 1
        step = max(1, _MOST_NUMBERS // longest)
        for begin in range(0, len(few), step):
            part = slice(begin, begin + step)
            mean += times[part] @ _by_counts(few[part], np.arange(longest, dtype=np.float64))
    return float(mean) / float(counts.sum())


def _by_moments(row: Floats, column: Floats, total: Floats) -> Floats:
    """Expand n ln n at the expected count, with the central moments of the count."""
    expected = row * column / total
    variance = expected * (total - row) * (total - column) / (total * (total - 1))
    third = variance * (total - 2 * row) * (total - 2 * column) / (total * np.maximum(total - 2, 1))
    return np.asarray(
        variance / (2 * expected) - third / (6 * expected**2) + variance**2 / (4 * expected**3)
    )


def _by_counts(margins: Floats, count: Floats) -> Floats:
    """Add up over the counts that may occur."""
    from scipy.special import gammaln, xlogy

    def ways(n: Floats, k: Floats) -> Floats:
        possible = (k >= 0) & (k <= n)
        own = np.where(possible, k, 0)
        logs = gammaln(n + 1) - gammaln(own + 1) - gammaln(n - own + 1)
        return np.where(possible, logs, -np.inf)

    row, column, total = (own[:, None] for own in margins.T)
    logs = ways(column, count) + ways(total - column, row - count) - ways(total, row)
    expected = (row * column / total)[:, 0]
    return np.asarray((np.exp(logs) * xlogy(count, count)).sum(axis=1) - xlogy(expected, expected))
