"""Moment matching: the parameters under which features have the means that the data have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from dagwright._names import listed
from dagwright.errors import DataError, SpecError
from dagwright.markov.dual import Dual, Penalty, minimise
from dagwright.markov.enumeration import Enumeration
from dagwright.markov.exact import expectation_of
from dagwright.markov.expectations import Expectation, expectation_kinds
from dagwright.markov.factors import Scope
from dagwright.markov.features import Features
from dagwright.markov.method import (
    UndirectedData,
    UndirectedFound,
    UndirectedMethod,
    undirected_methods,
)
from dagwright.markov.moments import empty_cells, feature_covariance, scope_shares
from dagwright.markov.optimisers import OPTIMISERS, Point
from dagwright.run import Run
from dagwright.specs import check_number, check_positive, check_whole
from dagwright.undirected_graph import UndirectedGraph

__all__ = ["MomentMatching", "check_finite", "infinite_cells"]

_SHOWN = 3
_MOST_JOINT_STATES = 1 << 12
"""Up to so many, all of them are asked whether parameters go to infinity; else each scope alone."""


@undirected_methods.add
@dataclass(frozen=True)
class MomentMatching(UndirectedMethod):
    """Find the parameters under which every feature has the mean that it has in the data.

    Among all distributions with these means it is the one of greatest entropy, and among the
    models of the family the one of greatest likelihood: both are the minimum of the convex
    function g(theta) = log Z(theta) - theta . mu, whose gradient is E[f] - mu. Each step is one
    problem of inference.

    Parameters
    ----------
    optimiser : {"auto", "gradient", "lbfgs", "newton"}
        "gradient" is plain gradient descent from theta = 0; "newton" needs all joint states gone
        through. "auto" takes Newton's method where that is cheap, else L-BFGS, and gradient
        descent where the moments are sampled.
    step : float, optional
        Of gradient descent; by default it is halved and doubled as it fits.
    l1 : float
        Adds l1 times the absolute values of the parameters of two or more variables to g, which
        makes many of them zero.
    l2 : float
        Adds l2 / 2 times the squares of all parameters to g.
    expectation : str or Expectation
        How E[f] is computed: "auto" (exact), "enumeration", "junction-tree", or an approximation
        such as "gibbs".
    tolerance : float
        Ends when no slope of what is minimised, without penalties the moment gap, is larger.
    max_steps : int

    Examples
    --------
    >>> import dagwright as dw
    >>> rows = dw.Ising([0.2, 0], [[0, 0.7], [0.7, 0]], names=["a", "b"]).sample(10_000, seed=1)
    >>> result = dw.learn_undirected(rows, method=dw.MomentMatching())
    >>> round(result.model.coupling("a", "b"), 2), result.moment_gap < 1e-8
    (0.72, True)
    """

    optimiser: str = "auto"
    step: float | None = None
    l1: float = 0.0
    l2: float = 0.0
    expectation: str | Expectation = "auto"
    tolerance: float = 1e-9
    max_steps: int = 10_000
    name = "moment-matching"

    def __post_init__(self) -> None:
        if self.optimiser not in OPTIMISERS:
            raise SpecError(
                f"optimiser must be one of {', '.join(OPTIMISERS)}, not {self.optimiser!r}"
            )
        if self.step is not None:
            check_positive("step", self.step)
            if self.optimiser != "gradient":
                raise SpecError('step is for optimiser="gradient": leave it out')
        for setting in ("l1", "l2"):
            value = getattr(self, setting)
            check_number(setting, value, "a finite number, 0 or more", lambda x: 0 <= x < np.inf)
        if self.l1 and self.optimiser != "auto":
            raise SpecError('l1 has an optimiser of its own: leave out optimiser, or write "auto"')
        check_positive("tolerance", self.tolerance)
        self._keep(max_steps=check_whole("max_steps", self.max_steps, 1))
        if isinstance(self.expectation, Mapping):
            self._keep(expectation=expectation_kinds.from_dict(self.expectation))
        elif isinstance(self.expectation, str) and self.expectation != "auto":
            self._keep(expectation=expectation_kinds.parse(self.expectation))
        elif not isinstance(self.expectation, str | Expectation):
            raise SpecError(
                f"expectation must be a name or a spec such as Enumeration(), not "
                f"{self.expectation!r}"
            )
        if self.optimiser == "newton" and self.expectation not in ("auto", Enumeration()):
            raise SpecError(
                'optimiser="newton" goes through all joint states: leave out expectation'
            )

    def learn(self, data: UndirectedData, run: Run) -> UndirectedFound:
        """Learn a model."""
        features = data.all_features()
        shares = scope_shares(data.table, features.factor_scopes)
        notes = check_finite(features, shares, data, l1=self.l1, l2=self.l2)
        factors = features.factors(np.zeros(len(features)))
        newton = self.optimiser == "newton"
        expectation = Enumeration() if newton else expectation_of(self.expectation, factors)
        expectation.check(factors)
        of_several = np.array([len(scope) > 1 for scope in features.scopes])
        penalty = Penalty(self.l1 * of_several, np.full(len(features), self.l2))
        wanted = self.optimiser in ("auto", "lbfgs") and expectation.exact and not self.l1
        curvature = feature_covariance(features, data.table) if wanted else None
        dual = Dual(features, features.means(shares), expectation, penalty, run, curvature)
        found = minimise(
            dual,
            np.zeros(len(features)),
            float(data.table.total_weight),
            optimiser=self.optimiser,
            step=self.step,
            tolerance=self.tolerance,
            max_steps=self.max_steps,
        )
        point = found.point
        gap, error = float(np.abs(point.gap).max(initial=0.0)), 0.0
        if point.errors is not None:
            gap, error = _sampled_gap(dual, point, run)
        return UndirectedFound(
            features,
            point.theta,
            _graph(data, features, point.theta if self.l1 else None),
            found.reason,
            gap,
            error,
            (*notes, *([point.approximation] if point.approximation else [])),
            (),
            found.trace,
        )


def _sampled_gap(dual: Dual, point: Point, run: Run) -> tuple[float, float]:
    """Look at the moments again: parameters fit what chance did in the chains they come from."""
    try:
        return dual.expectation.gap(dual.features, point.theta, dual.mu, run)
    except (TimeoutError, KeyboardInterrupt):
        if not run.stopping():
            raise
        return float("nan"), 0.0


def _graph(
    data: UndirectedData, features: Features, theta: NDArray[np.float64] | None
) -> UndirectedGraph:
    return UndirectedGraph._from_numbers(data.table.names, features.pairs(theta))


def infinite_cells(
    features: Features, shares: list[NDArray[np.float64]], data: UndirectedData
) -> list[tuple[Scope, tuple[int, ...]]]:
    """Return cells without rows that make parameters infinite, of scopes or of all variables."""
    empty = empty_cells(features, features.factor_scopes, shares)
    if not empty and prod(map(float, data.arities)) <= _MOST_JOINT_STATES:
        every = tuple(range(len(data.arities)))
        empty = empty_cells(features, [every], scope_shares(data.table, [every]))
    return empty


def check_finite(
    features: Features,
    shares: list[NDArray[np.float64]],
    data: UndirectedData,
    *,
    l1: float = 0.0,
    l2: float = 0.0,
) -> tuple[str, ...]:
    """Refuse data that make parameters infinite; with a penalty, say that it keeps them finite."""
    empty = infinite_cells(features, shares, data)
    if not empty:
        return ()
    names, states = data.table.names, data.table.states
    texts = []
    for scope, codes in empty:
        cell = ", ".join(
            f"{names[v]!r} = {states[names[v]][c]!r}" for v, c in zip(scope, codes, strict=True)
        )
        texts.append(cell)
    shown = "; ".join(texts[:_SHOWN])
    if len(texts) > _SHOWN:
        shown += f"; and {len(texts) - _SHOWN} more"
    constant = [names[scope[0]] for scope, _ in empty if len(scope) == 1]
    if l2 > 0 or (l1 > 0 and not constant):
        return (
            f"No row has {shown}: without the penalty the parameters there would be infinite, and "
            "how large they are is the penalty's doing.",
        )
    if constant:
        raise DataError(
            f"[{listed(constant)}] never have one of their states, so that their parameters are "
            f"infinite: no row has {shown}. Leave these variables out, or give a penalty, l2=0.01"
        )
    raise DataError(
        f"no row has {shown}, so that the parameters of these variables are infinite: give a "
        "penalty, l2=0.01, merge states, or leave out one of two variables that always agree"
    )
