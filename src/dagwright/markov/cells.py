"""The cells of all factors in one flat array, as the core has them, and features as a matrix."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import prod
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dagwright import _core
from dagwright.markov.factors import Factors, Scope
from dagwright.markov.features import Features

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["cell_matrix", "core_scopes", "first_cells", "flat_values"]


@lru_cache(maxsize=8)
def core_scopes(arities: tuple[int, ...], scopes: tuple[Scope, ...]) -> _core.FactorScopes:
    """Return the scopes as the core has them: without variables of one state, which say nothing.

    So what is known cuts loops, and the order of the cells stays the same.
    """
    free = [[v for v in scope if arities[v] > 1] for scope in scopes]
    return _core.FactorScopes(arities, free)


def first_cells(arities: Sequence[int], scopes: Sequence[Scope]) -> NDArray[np.int64]:
    """Return where the cells of each scope begin, and at the end how many cells there are."""
    sizes = [prod(arities[v] for v in scope) for scope in scopes]
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])


def flat_values(factors: Factors) -> NDArray[np.float64]:
    """Return the numbers of all factors, cell by cell."""
    if not factors.scopes:
        return np.empty(0)
    return np.concatenate([values.ravel() for values in factors.log_values])


def cell_matrix(features: Features) -> csr_array:
    """Return the value of every feature (rows) in every cell of `features.factor_scopes` (columns).

    Times counts of cells, it gives sums of features; its transpose times theta, the numbers of
    the factors.
    """
    from scipy.sparse import csr_array

    scopes = features.factor_scopes
    begin = dict(zip(scopes, first_cells(features.arities, scopes), strict=False))
    sizes = [values.size for values in features.values]
    columns = [
        np.arange(begin[scope], begin[scope] + size)
        for scope, size in zip(features.scopes, sizes, strict=True)
    ]
    data = [values.ravel() for values in features.values]
    shape = (len(features), int(first_cells(features.arities, scopes)[-1]))
    if not data:
        return csr_array(shape)
    pointers = np.concatenate([[0], np.cumsum(sizes)])
    return csr_array((np.concatenate(data), np.concatenate(columns), pointers), shape=shape)
