"""How the dual is minimised: gradient descent, L-BFGS, Newton; and with an L1 penalty.

Each is a generator of points, one a step; who asks for them decides when it is enough. None
compares values of g, whose differences drown in rounding long before the moments match to 1e-8
(and which some approximations do not know): on a line, a convex function is as low as its slope is
close to zero.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

__all__ = ["OPTIMISERS", "Point", "gradient_descent", "lbfgs", "newton", "with_l1"]

Array = NDArray[np.float64]

OPTIMISERS = ("auto", "gradient", "lbfgs", "newton")

_MEMORY = 20
_ENOUGH = 0.5  # of the slope that may be left on a line
_LINE_STEPS = 50
_SAME_SIGNS = 3
_RIDGE = 1e-3
_NEWTON_RIDGE = 0.1


@dataclass(frozen=True, eq=False)
class Point:
    """Parameters, and what the dual is there.

    Attributes
    ----------
    theta : array
    g : float
        log Z - theta . mu, NaN where log Z is not known.
    gap : array
        E[f] - mu, the gradient of g.
    gradient : array
        Of g and the L2 penalty.
    errors : array or None
        Of the means, where they are sampled.
    approximation : str
    price : float
        The L2 penalty, and in `with_l1` that of parameters whose signs are held.
    """

    theta: Array
    g: float
    gap: Array
    gradient: Array
    errors: Array | None = None
    approximation: str = ""
    price: float = 0.0


Evaluate = Callable[[Array], Point]
Steps = Iterator[Point]


def gradient_descent(evaluate: Evaluate, start: Point, step: float | None) -> Steps:
    """Go against the gradient: by a fixed step, or by one that is halved or doubled as it fits."""
    point, rate = start, 1.0 if step is None else step
    while True:
        slope = float(point.gradient @ point.gradient)
        while True:
            new = evaluate(point.theta - rate * point.gradient)
            beyond = -float(new.gradient @ point.gradient) > _ENOUGH * slope
            if step is not None or not (beyond or _higher(new, point)):
                break
            rate /= 2
        if step is None and float(new.gradient @ point.gradient) > _ENOUGH * slope:
            rate *= 2
        point = new
        yield point


def lbfgs(evaluate: Evaluate, start: Point, curvature: Array | None = None) -> Steps:
    """Limited-memory BFGS (Nocedal 1980); `curvature` is a guess at the second derivatives."""
    point = start
    solve = _solver(curvature)
    memory: deque[tuple[Array, Array, float]] = deque(maxlen=_MEMORY)
    while True:
        direction = -_two_loops(point.gradient, memory, solve)
        if float(direction @ point.gradient) >= 0:
            memory.clear()
            direction = -point.gradient
        first = 1.0 if memory else min(1.0, 1.0 / (np.abs(direction).max() or 1.0))
        new = _along(evaluate, point, direction, first)
        if new is None:
            if not memory:
                return
            memory.clear()
            continue
        moved, turned = new.theta - point.theta, new.gradient - point.gradient
        bend = float(moved @ turned)
        if bend > 0:
            memory.append((moved, turned, bend))
        point = new
        yield point


def _solver(curvature: Array | None) -> Callable[[Array], Array]:
    if curvature is None:
        return lambda gradient: gradient
    from scipy.linalg import cho_factor, cho_solve

    ridge = _RIDGE * float(np.trace(curvature)) / len(curvature)
    factor = cho_factor(curvature + ridge * np.eye(len(curvature)))
    return lambda gradient: np.asarray(cho_solve(factor, gradient))


def _two_loops(
    gradient: Array,
    memory: deque[tuple[Array, Array, float]],
    solve: Callable[[Array], Array],
) -> Array:
    q = gradient.copy()
    shares = []
    for moved, turned, curvature in reversed(memory):
        share = float(moved @ q) / curvature
        q -= share * turned
        shares.append(share)
    q = solve(q)
    if memory:
        _, turned, curvature = memory[-1]
        q = q * (curvature / float(turned @ solve(turned)))
    for (moved, turned, curvature), share in zip(memory, reversed(shares), strict=True):
        q += (share - float(turned @ q) / curvature) * moved
    return q


def newton(evaluate: Evaluate, start: Point, hessian: Callable[[Point], Array]) -> Steps:
    """Newton's method, with a ridge in proportion to the gradient.

    The ridge keeps steps short where g is all but flat, far from the minimum or along features that
    are not minimal, and vanishes with the gradient, so that convergence stays quadratic (Li,
    Fukushima, Qi and Yamashita 2004).
    """
    point = start
    while True:
        ridge = _NEWTON_RIDGE * float(np.abs(point.gradient).max(initial=0.0))
        matrix = hessian(point) + ridge * np.eye(len(point.theta))
        new = _along(evaluate, point, -np.linalg.solve(matrix, point.gradient), 1.0)
        if new is None:
            return
        point = new
        yield point


def _along(evaluate: Evaluate, point: Point, direction: Array, first: float) -> Point | None:
    """Return a point on a line where the slope is half of what it was, or less; None if none is."""
    slope = float(direction @ point.gradient)
    if not slope < 0:
        return None
    low, high = 0.0, np.inf
    low_slope, high_slope = slope, np.inf
    rate = first
    for _ in range(_LINE_STEPS):
        new = evaluate(point.theta + rate * direction)
        own = float(direction @ new.gradient)
        higher = _higher(new, point)
        if abs(own) <= _ENOUGH * -slope and not higher:
            return new
        if own < 0 and not higher:
            low, low_slope = rate, own
        else:  # also where it is no number
            high, high_slope = rate, own
        if not np.isfinite(high):
            rate *= 4
        elif np.isfinite(high_slope):
            cut = low - low_slope * (high - low) / (high_slope - low_slope)
            rate = min(max(cut, low + 0.1 * (high - low)), high - 0.1 * (high - low))
        else:
            rate = (low + high) / 2
        if rate * np.abs(direction).max() <= 1e-16 * (1 + np.abs(point.theta).max()):
            return None
    return None


def _higher(new: Point, old: Point) -> bool:
    """Say whether g rose for sure; False where it is not known."""
    return new.g + new.price > old.g + old.price + 1e-12 * (1 + abs(old.g))


def with_l1(evaluate: Evaluate, start: Point, l1: Array, tolerance: float) -> Steps:
    """Minimise the dual and an L1 penalty.

    Steps of the accelerated proximal gradient (Beck and Teboulle 2009, restarted as by O'Donoghue
    and Candes 2015) find which parameters are not zero; given these and their signs the problem is
    smooth, and L-BFGS goes to its minimum, unless a sign changes on the way. `tolerance` says
    how small its slopes must be.
    """
    point = y = start
    speed, rate = 1.0, 1.0
    signs, same = np.sign(start.theta), 0
    while True:
        while True:
            new = evaluate(_shrunk(y.theta - rate * y.gradient, rate * l1))
            moved = new.theta - y.theta
            if float((new.gradient - y.gradient) @ moved) <= float(moved @ moved) / rate:
                break
            rate /= 2
        yield new
        if float((y.theta - new.theta) @ (new.theta - point.theta)) > 0:
            speed = 1.0
        faster = (1 + np.sqrt(1 + 4 * speed**2)) / 2
        ahead = new.theta + (speed - 1) / faster * (new.theta - point.theta)
        point, speed = new, faster
        same = same + 1 if (np.sign(new.theta) == signs).all() else 0
        signs = np.sign(new.theta)
        if same >= _SAME_SIGNS:
            same = 0
            best = _with_signs(evaluate, point, l1, signs, tolerance)
            if best is not None:
                point, speed, ahead = best, 1.0, best.theta
                yield best
        y = point if np.array_equal(ahead, point.theta) else evaluate(ahead)
        rate *= 1.2


def _shrunk(theta: Array, by: Array) -> Array:
    return np.asarray(np.sign(theta) * np.maximum(np.abs(theta) - by, 0.0))


def _with_signs(
    evaluate: Evaluate,
    point: Point,
    l1: Array,
    signs: Array,
    tolerance: float,
) -> Point | None:
    """Return the minimum over parameters with these signs; None where one of them changes."""
    free = (signs != 0) | (l1 == 0)

    def smooth(own: Point) -> Point:
        gradient = np.where(free, own.gradient + l1 * signs, 0.0)
        return replace(own, gradient=gradient, price=own.price + float(l1 * signs @ own.theta))

    best = smooth(point)
    if np.abs(best.gradient).max() <= tolerance:
        return None
    for new in lbfgs(lambda theta: smooth(evaluate(theta)), best):
        if (np.sign(new.theta) != signs)[l1 > 0].any():
            return None
        best = new
        if np.abs(best.gradient).max() <= tolerance:
            break
    return evaluate(best.theta)
