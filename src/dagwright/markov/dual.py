"""The dual of maximum entropy, g(theta) = log Z(theta) - theta . mu, and how it is minimised."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dagwright.markov.enumeration import Enumeration, covariance, joint_distribution
from dagwright.markov.expectations import Expectation
from dagwright.markov.features import Features
from dagwright.markov.method import MomentStep
from dagwright.markov.optimisers import Point, gradient_descent, lbfgs, newton, with_l1
from dagwright.run import Run

__all__ = ["Dual", "Minimum", "Penalty", "minimise"]

Array = NDArray[np.float64]

_SURE = 2.0  # standard errors
_MOST_NEWTON = 1e8  # products for one Hessian


@dataclass(frozen=True, eq=False)
class Penalty:
    """What is added to g: l2 / 2 times the sum of squares, and l1 times the absolute values.

    Both are a row, as g is; each has one number a feature.
    """

    l1: Array
    l2: Array


class Stopped(Exception):
    """The run is over."""


@dataclass(frozen=True, eq=False)
class Dual:
    """g and its gradient E[f] - mu, by one way to compute expectations."""

    features: Features
    mu: Array
    expectation: Expectation
    penalty: Penalty
    run: Run
    curvature: Array | None = None
    """A guess at the second derivatives of g: the covariances of the features in the data."""

    def __call__(self, theta: Array) -> Point:
        """Evaluate g at parameters."""
        if self.run.stopping():
            raise Stopped
        try:
            found = self.expectation.expect(self.features, theta, self.run)
        except (TimeoutError, KeyboardInterrupt):
            if not self.run.stopping():
                raise
            raise Stopped from None
        gap = found.means - self.mu
        return Point(
            theta,
            found.log_z - float(theta @ self.mu),
            gap,
            gap + self.penalty.l2 * theta,
            found.errors,
            found.approximation,
            float(self.penalty.l2 @ theta**2) / 2,
        )

    def hessian(self, point: Point) -> Array:
        """Return the covariances of the features, and the L2 penalty's part."""
        _, p = joint_distribution(self.features.factors(point.theta))
        return covariance(self.features, p) + np.diag(self.penalty.l2)

    def not_flat(self, point: Point) -> float:
        """Return how far the point is from the minimum: the largest slope that is sure."""
        return self._largest(point.gradient, point)

    def _largest(self, gradient: Array, point: Point) -> float:
        l1 = self.penalty.l1
        slopes = np.where(
            point.theta != 0,
            np.abs(gradient + l1 * np.sign(point.theta)),
            np.maximum(np.abs(gradient) - l1, 0.0),
        )
        if point.errors is not None:
            slopes = np.maximum(slopes - _SURE * point.errors, 0.0)
        return float(slopes.max(initial=0.0))


@dataclass(frozen=True, eq=False)
class Minimum:
    """Where the minimisation ended."""

    point: Point
    reason: str
    trace: tuple[MomentStep, ...]
    optimiser: str


def minimise(
    dual: Dual,
    start: Array,
    total_weight: float,
    *,
    optimiser: str = "auto",
    step: float | None = None,
    tolerance: float = 1e-9,
    max_steps: int = 10_000,
) -> Minimum:
    """Minimise the dual until no slope is larger than the tolerance.

    ``optimiser="auto"`` is Newton's method where all joint states are gone through and the
    covariances are cheap, plain gradient descent where the moments are sampled, else L-BFGS.
    """
    run = dual.run
    trace: list[MomentStep] = []

    def note(point: Point) -> None:
        gap = float(np.abs(point.gap).max(initial=0.0))
        trace.append(MomentStep(len(trace), point.g, gap, -total_weight * point.g))
        run.progress.step = len(trace) - 1
        run.progress.score = -total_weight * point.g

    try:
        point = dual(start)
    except Stopped:
        gap = np.full(len(start), np.nan)
        return Minimum(Point(start, np.nan, gap, gap), "stopped", (), optimiser)
    note(point)
    if optimiser == "auto":
        optimiser = _chosen(dual, point)
    steps = _steps(dual, point, optimiser, step, tolerance)
    reason = "moments match"
    try:
        while dual.not_flat(point) > tolerance:
            if len(trace) > max_steps:
                reason = "max steps"
                break
            following = next(steps, None)
            if following is None:
                reason = "rounding"
                break
            point = following
            note(point)
    except Stopped:
        reason = "stopped"
    penalised = dual.penalty.l1.any() or dual.penalty.l2.any()
    if reason == "moments match" and penalised:
        reason = "penalised optimum"
    elif reason == "moments match" and point.errors is not None:
        reason = "moments match within their errors"
    return Minimum(point, reason, tuple(trace), optimiser)


def _chosen(dual: Dual, point: Point) -> str:
    if point.errors is not None:
        return "gradient"
    n = dual.features.factors(point.theta).n_joint_states
    cheap = isinstance(dual.expectation, Enumeration) and n * len(dual.features) ** 2 < _MOST_NEWTON
    return "newton" if cheap and not dual.penalty.l1.any() else "lbfgs"


def _steps(
    dual: Dual, point: Point, optimiser: str, step: float | None, tolerance: float
) -> Iterator[Point]:
    if dual.penalty.l1.any():
        return with_l1(dual, point, dual.penalty.l1, tolerance / 2)
    if optimiser == "gradient":
        return gradient_descent(dual, point, step)
    if optimiser == "newton":
        return newton(dual, point, dual.hessian)
    curvature = dual.curvature
    return lbfgs(dual, point, None if curvature is None else curvature + np.diag(dual.penalty.l2))
