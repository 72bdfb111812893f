"""The couplings of given edges by the pseudo-likelihood of all variables at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dagwright import _core
from dagwright.markov.spins import SpinRows
from dagwright.run import Run

__all__ = ["ENOUGH", "PseudoLikelihoodFit", "fit_pseudo_likelihood", "pseudo_likelihood"]

ENOUGH = 1e-6
"""A residual below this counts as a minimum."""

_TOLERANCE = 1e-8
_MAX_STEPS = 2000

Pair = tuple[int, int]


@dataclass(frozen=True, eq=False)
class PseudoLikelihoodFit:
    """Fields and couplings, one coupling an edge; inside, spins are -1 and +1.

    Attributes
    ----------
    fields, couplings : arrays
    value : float
        The sum over variables of the mean of -log p(variable | all others), without penalties.
    residual : float
        The largest violation of the conditions of the minimum; NaN where the run was stopped.
    steps : int
        Those that were made; without any, fields and couplings are where it began.
    """

    fields: NDArray[np.float64]
    couplings: NDArray[np.float64]
    value: float
    residual: float
    steps: int

    def shortcoming(self) -> tuple[str, ...]:
        """Say what is wanting at the minimum."""
        if np.isnan(self.residual):
            return ("The run was stopped on the way to the greatest pseudo-likelihood.",)
        if self.residual <= ENOUGH:
            return ()
        return (f"The minimum was not reached: a slope of {self.residual:.2g} is left.",)


class _StoppedEarly(Exception):
    """The run was stopped while the gradient was computed."""


class _Objective:
    """The negative log-pseudo-likelihood a row and its gradient: the fields, then the edges."""

    def __init__(self, rows: SpinRows, edges: Sequence[Pair], run: Run) -> None:
        self.rows, self.run = rows, run
        self.n, self.n_edges = rows.n_variables, len(edges)
        pairs = np.array(edges, dtype=np.int64).reshape(-1, 2)
        ends = np.concatenate([pairs, pairs[:, ::-1]])
        order = np.lexsort((ends[:, 1], ends[:, 0]))
        self.edge = np.tile(np.arange(self.n_edges), 2)[order]  # of each end, variable by variable
        self.cuts = np.searchsorted(ends[order, 0], np.arange(1, self.n))
        self.lists = [own.tolist() for own in np.split(ends[order, 1], self.cuts)]

    def __call__(self, point: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        couplings = np.split(point[self.n :][self.edge], self.cuts)
        losses, by_field, by_end = _core.neighbourhood_gradients(
            self.rows.native,
            point[: self.n].tolist(),
            self.lists,
            [own.tolist() for own in couplings],
            _core.NeighbourhoodLoss.logistic,
            self.run.native,
        )
        if not len(losses):
            raise _StoppedEarly
        by_edge = np.bincount(self.edge, weights=by_end, minlength=self.n_edges)
        return float(losses.sum()), np.concatenate([by_field, by_edge])


def pseudo_likelihood(
    rows: SpinRows,
    edges: Sequence[Pair],
    fields: NDArray[np.float64],
    couplings: NDArray[np.float64],
    run: Run,
) -> tuple[float, NDArray[np.float64]]:
    """Return the negative log-pseudo-likelihood a row and its gradient, fields first."""
    return _Objective(rows, edges, run)(np.concatenate([fields, couplings]))


def fit_pseudo_likelihood(
    rows: SpinRows,
    edges: Sequence[Pair],
    run: Run,
    *,
    l1: float = 0.0,
    l2: float = 0.0,
    start: NDArray[np.float64] | None = None,
) -> PseudoLikelihoodFit:
    """Minimise the negative log-pseudo-likelihood a row, with penalties on the couplings.

    With an L1 penalty each coupling is the difference of two numbers that are not negative, and
    L-BFGS with bounds finds both. When the run is stopped the last step counts.
    """
    from scipy.optimize import minimize

    value_of = _Objective(rows, edges, run)
    n, m = value_of.n, value_of.n_edges
    first = np.zeros(n + m) if start is None else start

    def penalised(point: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        fields, plus = point[:n], point[n : n + m]
        couplings = plus - point[n + m :] if l1 else plus
        value, gradient = value_of(np.concatenate([fields, couplings]))
        by_edge = gradient[n:] + l2 * couplings
        value += l2 / 2 * float(couplings @ couplings)
        if not l1:
            return value, np.concatenate([gradient[:n], by_edge])
        value += l1 * float(point[n:].sum())
        return value, np.concatenate([gradient[:n], by_edge + l1, l1 - by_edge])

    if l1:
        first = np.concatenate([first[:n], np.maximum(first[n:], 0), np.maximum(-first[n:], 0)])
    best, steps = first, 0

    def remember(point: NDArray[np.float64]) -> None:
        nonlocal best, steps
        best, steps = point.copy(), steps + 1
        if run.stopping():
            raise StopIteration

    options = {
        "ftol": 0.0,
        "gtol": _TOLERANCE,
        "maxiter": _MAX_STEPS,
        "maxfun": 2 * _MAX_STEPS,
        "maxcor": 20,
    }
    bounds = [(None, None)] * n + [(0.0, None)] * (2 * m) if l1 else None
    try:
        best = minimize(
            penalised,
            first,
            jac=True,
            method="L-BFGS-B",
            bounds=bounds,
            callback=remember,
            options=options,
        ).x
        value, gradient = value_of(_joined(best, n, m))
    except _StoppedEarly:
        value, gradient = np.nan, np.full(n + m, np.nan)
    point = _joined(best, n, m)
    couplings = point[n:]
    by_edge = gradient[n:] + l2 * couplings
    violations = np.where(
        couplings == 0, np.abs(by_edge) - l1, np.abs(by_edge + l1 * np.sign(couplings))
    )
    residual = max(np.abs(gradient[:n]).max(), violations.max(initial=0.0))
    return PseudoLikelihoodFit(point[:n], couplings, value, float(residual), steps)


def _joined(point: NDArray[np.float64], n: int, m: int) -> NDArray[np.float64]:
    """Return fields and couplings where these are differences of two numbers each."""
    if len(point) == n + m:
        return point
    return np.concatenate([point[:n], point[n : n + m] - point[n + m :]])
