"""How steep the dual is: what a step of stochastic gradient descent is scaled by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dagwright.markov.cells import first_cells
from dagwright.markov.features import Features

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["steepest", "variances"]

Array = NDArray[np.float64]

_MOST_NUMBERS = 5_000_000
_MOST_ROWS = 1000


def variances(features: Features, shares: list[Array]) -> Array:
    """Return the variance of each feature over the rows of the data."""
    squares = Features(features.arities, features.scopes, tuple(v**2 for v in features.values))
    means = features.means(shares)
    return np.asarray(np.maximum(squares.means(shares) - means**2, 0.0))


def steepest(
    features: Features,
    matrix: csr_array,
    codes: Sequence[NDArray[Any]],
    weights: Array,
    scales: Array,
) -> float:
    """Return the largest eigenvalue of the covariances of features divided by scales.

    At the parameters that match the moments, the second derivatives of the dual are the covariances
    under the model, which are those of the data but for chance. Some rows are enough; what as many
    rows of independent features would show is taken off. At least 1.
    """
    n = int(np.clip(_MOST_NUMBERS // max(1, len(features)), 50, _MOST_ROWS))
    ends = np.cumsum(weights)
    rows = np.searchsorted(ends, (np.arange(n) + 0.5) / n * ends[-1])
    values = _values(features, matrix, [own[rows] for own in codes]) / scales
    values -= values.mean(axis=0)
    # The smaller of the two products: both have the same eigenvalues above zero.
    products = values.T @ values if values.shape[1] < n else values @ values.T
    roots = np.linalg.eigvalsh(products / n)
    return max(1.0, float(roots[-1] - roots[:-1].sum() / (n - 2)))


def _values(features: Features, matrix: csr_array, codes: Sequence[NDArray[Any]]) -> Array:
    """Return the features of rows, a column each."""
    from scipy.sparse import csr_array

    scopes, n = features.factor_scopes, len(codes[0])
    begin = first_cells(features.arities, scopes)
    cells = np.empty((n, len(scopes)), np.int64)
    for k, scope in enumerate(scopes):
        own = np.zeros(n, np.int64)
        for v in scope:
            own = own * features.arities[v] + codes[v]
        cells[:, k] = begin[k] + own
    pointers = np.arange(n + 1) * len(scopes)
    marks = csr_array((np.ones(cells.size), cells.ravel(), pointers), shape=(n, matrix.shape[1]))
    return np.asarray((marks @ matrix.T).toarray())
