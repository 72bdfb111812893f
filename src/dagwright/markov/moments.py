"""The moments of data: means of features by counting, and where they make parameters infinite."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dagwright.markov.factors import Scope
from dagwright.markov.features import Features
from dagwright.scorer import Scorer
from dagwright.table import Table

__all__ = ["empty_cells", "feature_covariance", "moments", "scope_shares"]

_ROUNDING = 1e-9
_BLOCK = 1 << 12
_MOST_PRODUCTS = 1e10


def scope_shares(table: Table, scopes: Sequence[Scope]) -> list[NDArray[np.float64]]:
    """Return the share of the rows, by weight, in each cell of each scope."""
    scorer = Scorer(table)
    shares = []
    for scope in scopes:
        child, *parents = (table.names[v] for v in scope)
        counts = scorer.counts(child, parents)
        order = [*counts.parents, child]
        values = counts.table().transpose([order.index(table.names[v]) for v in scope])
        shares.append(values / counts.total)
    return shares


def moments(features: Features, table: Table) -> NDArray[np.float64]:
    """Return the mean of each feature over the rows, by weight."""
    return features.means(scope_shares(table, features.factor_scopes))


def feature_covariance(features: Features, table: Table) -> NDArray[np.float64] | None:
    """Return the covariances of features in the rows; None where that is too much work."""
    k = len(features)
    if len(table) * k**2 > _MOST_PRODUCTS:
        return None
    weights = np.ones(len(table)) if table.weights is None else table.weights.astype(np.float64)
    weights /= weights.sum()
    first, second = np.zeros(k), np.zeros((k, k))
    for begin in range(0, len(table), _BLOCK):
        block = slice(begin, begin + _BLOCK)
        rows = np.column_stack(
            [
                values[tuple(table.codes[v][block] for v in scope)]
                for scope, values in zip(features.scopes, features.values, strict=True)
            ]
        )
        first += weights[block] @ rows
        second += rows.T @ (weights[block, None] * rows)
    return second - np.outer(first, first)


def empty_cells(
    features: Features, scopes: Sequence[Scope], shares: Sequence[NDArray[np.float64]]
) -> list[tuple[Scope, tuple[int, ...]]]:
    """Return cells that no row has and that a parameter would have to make impossible.

    Each is (scope, states). The features of a scope, and of sets within it, may add up to a
    function that is zero where there are rows and below zero in some of the cells without: then
    more of it always raises the likelihood, and the parameters go to infinity.
    """
    found = []
    for scope, share in zip(scopes, shares, strict=True):
        empty = share == 0
        if not empty.any():
            continue
        cell = _pushed_away(_within(features, scope), empty.ravel())
        if cell is not None:
            states = tuple(int(code) for code in np.unravel_index(cell, share.shape))
            found.append((scope, states))
    return found


def _within(features: Features, scope: Scope) -> NDArray[np.float64]:
    """Return the features of sets of variables within a scope by the cells of its table."""
    shape = [features.arities[v] for v in scope]
    rows = [np.ones(shape)]
    for own, values in zip(features.scopes, features.values, strict=True):
        if set(own) <= set(scope):
            wide = [features.arities[v] if v in own else 1 for v in scope]
            rows.append(np.broadcast_to(values.reshape(wide), shape))
    return np.array([row.ravel() for row in rows])


def _pushed_away(design: NDArray[np.float64], empty: NDArray[np.bool_]) -> int | None:
    """Return an empty cell that some direction of the parameters makes ever less probable."""
    rank = np.linalg.matrix_rank(design)
    if rank == design.shape[1]:  # every function of the cells
        return int(empty.argmax())
    if np.linalg.matrix_rank(design[:, ~empty]) == rank:  # zero where there are rows is zero
        return None
    from scipy.optimize import linprog

    found = linprog(
        design[:, empty].sum(axis=1),
        A_ub=np.vstack([design[:, empty].T, -design[:, empty].T]),
        b_ub=np.repeat([0.0, 1.0], int(empty.sum())),
        A_eq=design[:, ~empty].T,
        b_eq=np.zeros(int((~empty).sum())),
        bounds=(None, None),
    )
    if found.status != 0 or found.fun > -_ROUNDING:
        return None
    return int(np.flatnonzero(empty)[(found.x @ design[:, empty]).argmin()])
