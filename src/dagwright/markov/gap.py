"""The moment gap of sampled means, and how far chance may have moved it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["sampled_gap", "standard_errors"]

_REPEATS = 200
_CHUNK = 1 << 14


def standard_errors(chain_means: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the standard error of the mean over chains (rows), which are independent.

    However slowly a chain moves: its rows depend on each other, its mean not on other chains.
    """
    errors: NDArray[np.float64] = chain_means.std(axis=0, ddof=1) / np.sqrt(len(chain_means))
    return errors


def sampled_gap(
    chain_means: NDArray[np.float64], wanted: NDArray[np.float64]
) -> tuple[float, float]:
    """Return how far any mean is at most from what is wanted, and its Monte-Carlo error.

    The largest of many deviations is made larger by chance: the error is therefore not that of the
    one feature, but the root mean square of the largest error of any feature. It bounds how far
    the gap is from the one without chance, since no maximum differs by more than the largest of
    the differences; for one feature it is the standard error. Errors that are as correlated as
    those of the chains are made by giving each chain a random sign and size.
    """
    n, k = chain_means.shape
    if k == 0:
        return 0.0, 0.0
    means = chain_means.mean(axis=0)
    factors = np.random.default_rng(0).standard_normal((_REPEATS, n)) / np.sqrt(n * (n - 1))
    largest = np.zeros(_REPEATS)
    for begin in range(0, k, _CHUNK):
        part = slice(begin, begin + _CHUNK)
        errors = factors @ (chain_means[:, part] - means[part])
        largest = np.maximum(largest, np.abs(errors).max(axis=1))
    return float(np.abs(means - wanted).max()), float(np.sqrt((largest**2).mean()))
