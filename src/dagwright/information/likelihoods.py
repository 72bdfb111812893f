"""The likelihoods that Beta and Dirichlet distributions are conjugate to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dagwright.errors import SpecError
from dagwright.information.state_counts import check_count, counts_of_states

__all__ = ["bernoulli_log_likelihood", "binomial_log_likelihood", "categorical_log_likelihood"]


def bernoulli_log_likelihood(probability: ArrayLike, successes: float, failures: float) -> Any:
    """Return the log probability of rows in their order: s ln(p) + f ln(1 - p), 0 ln 0 being 0.

    Parameters
    ----------
    probability : float or array
        Of a success. An array gives an array: the likelihood as a function.
    successes, failures : float
        How many rows are which.

    Examples
    --------
    >>> import dagwright as dw
    >>> round(dw.bernoulli_log_likelihood(0.5, 3, 2), 4)
    -3.4657
    >>> dw.bernoulli_log_likelihood(0.0, 3, 2)
    -inf
    """
    from scipy.special import xlog1py, xlogy

    try:
        p = np.asarray(probability, dtype=np.float64)
    except (TypeError, ValueError):
        p = np.asarray(np.nan)
    if not ((p >= 0) & (p <= 1)).all():
        raise SpecError(f"probability must be from 0 to 1, not {probability!r}")
    s, f = check_count("successes", successes), check_count("failures", failures)
    value = xlogy(s, p) + xlog1py(f, -p)
    return value if p.ndim else float(value)


def binomial_log_likelihood(probability: ArrayLike, successes: float, failures: float) -> Any:
    """Return the log probability of so many successes, whatever the order of the rows.

    It is that of :func:`bernoulli_log_likelihood` plus the log of the number of orders, which does
    not depend on the probability: the same posterior follows from both.

    Examples
    --------
    >>> import dagwright as dw
    >>> round(dw.binomial_log_likelihood(0.5, 3, 2), 4)
    -1.1632
    """
    from scipy.special import gammaln

    in_order = bernoulli_log_likelihood(probability, successes, failures)
    orders = gammaln(successes + failures + 1) - gammaln(successes + 1) - gammaln(failures + 1)
    return in_order + float(orders)


def categorical_log_likelihood(probabilities: Any, counts: Any) -> float:
    """Return the log probability of rows in their order: the sum of n ln(p), 0 ln 0 being 0.

    Parameters
    ----------
    probabilities : sequence, or mapping by state
        One a state; they sum to 1.
    counts : sequence in the same order, or mapping by state

    Examples
    --------
    >>> import dagwright as dw
    >>> round(dw.categorical_log_likelihood({"a": 0.5, "b": 0.3, "c": 0.2}, {"a": 2, "c": 1}), 4)
    -2.9957
    """
    from scipy.special import xlogy

    by_state = isinstance(probabilities, Mapping)
    states = tuple(probabilities) if by_state else tuple(range(np.size(probabilities)))
    p = counts_of_states(probabilities, states, "probabilities")
    if abs(p.sum() - 1) > 1e-6:
        raise SpecError(f"probabilities must be 0 or more and sum to 1, not {probabilities!r}")
    return float(xlogy(counts_of_states(counts, states), p).sum())
