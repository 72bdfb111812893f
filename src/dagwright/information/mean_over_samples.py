"""Means over all samples of N rows, exactly: of sums of a function of each cell's count.

The count of a cell is binomial, and a mean of a sum is the sum of means: so the mean of a
log-likelihood or of a log marginal likelihood needs no simulation, however many cells there are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["SumTerm", "entropy_term", "gamma_term", "mean_of"]

Floats = npt.NDArray[np.float64]

_MANY = 60.0  # from this expected count on four derivatives are enough: the error is below 1e-6


@dataclass(frozen=True)
class SumTerm:
    """A function of one count, and its second, third and fourth derivatives."""

    value: Callable[[Floats], Floats]
    derivatives: Callable[[Floats], tuple[Floats, Floats, Floats]]

    def at(self, counts: npt.NDArray[Any]) -> Floats:
        """Return the term of each count; whole counts that repeat are looked up."""
        if counts.dtype.kind == "i" and counts.max() < counts.size:
            own: Floats = self.value(np.arange(counts.max() + 1, dtype=np.float64))[counts]
            return own
        return self.value(counts)


def _n_log_n(count: Floats) -> Floats:
    from scipy.special import xlogy

    return np.asarray(xlogy(count, count))


entropy_term = SumTerm(_n_log_n, lambda n: (1 / n, -1 / n**2, 2 / n**3))
"""n ln n: log-likelihoods are signed sums of these."""


def gamma_term(alpha: float) -> SumTerm:
    """Return ln Gamma(n + alpha) - ln Gamma(alpha), of which marginal likelihoods are made."""

    def value(count: Floats) -> Floats:
        from scipy.special import gammaln

        return np.asarray(gammaln(count + alpha) - gammaln(alpha))

    def derivatives(count: Floats) -> tuple[Floats, Floats, Floats]:
        from scipy.special import polygamma

        return tuple(np.asarray(polygamma(order, count + alpha)) for order in (1, 2, 3))  # type: ignore[return-value]

    return SumTerm(value, derivatives)


def mean_of(term: SumTerm, shares: Floats, rows: float) -> float:
    """Return the mean of the sum of a term over cells with these shares, in samples of N rows."""
    distinct, times = np.unique(shares[shares > 0], return_counts=True)
    distinct = np.minimum(distinct, 1.0)  # a sum of shares may be a little more
    many = distinct * rows > _MANY
    total = float((times[many] * _by_derivatives(term, distinct[many], rows)).sum())
    if not many.all():
        total += float((times[~many] * _by_counts(term, distinct[~many], rows)).sum())
    return total


def _by_derivatives(term: SumTerm, shares: Floats, rows: float) -> Floats:
    """Expand the term at the expected count, with the central moments of a binomial count."""
    mean, rest = rows * shares, 1 - shares
    variance = mean * rest
    third = variance * (1 - 2 * shares)
    fourth = 3 * variance**2 + variance * (1 - 6 * shares * rest)
    second_derivative, third_derivative, fourth_derivative = term.derivatives(mean)
    return np.asarray(
        term.value(mean)
        + second_derivative * variance / 2
        + third_derivative * third / 6
        + fourth_derivative * fourth / 24
    )


def _by_counts(term: SumTerm, shares: Floats, rows: float) -> Floats:
    """Add up over the counts that may occur."""
    from scipy.special import xlog1py

    most = int(min(rows, _MANY + 12 * _MANY**0.5))
    count = np.arange(most + 1, dtype=np.float64)
    steps = np.log((rows - count[:-1]) / count[1:])
    ways = np.concatenate([[0.0], steps.cumsum()])  # ln of the binomial coefficients
    own = shares[:, None]
    log_probability = ways + count * np.log(own) + xlog1py(rows - count, -own)
    return np.asarray((np.exp(log_probability) * term.value(count)).sum(axis=1))
