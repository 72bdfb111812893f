"""How a numeric variable is cut into states: always on request, never silently.

Intervals are open on the left and closed on the right; the first and the last have no outer end,
so that later rows always find a state. Edges 3.5 and 7 give the states "(-inf, 3.5]", "(3.5, 7]"
and "(7, inf)".
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dagwright.errors import SpecError

__all__ = ["Discretize", "Edges", "Quantiles", "Uniform", "interval_names"]


@dataclass(frozen=True)
class Quantiles:
    """Cut at quantiles, so that the states hold about equally many rows.

    Equal edges collapse, and an edge at the largest number is left out: where many rows share a
    number there are fewer than `n` states.

    Parameters
    ----------
    n : int
        The number of states, at least 2.

    Examples
    --------
    >>> import dagwright as dw
    >>> table = dw.Table({"age": [20, 30, 40, 50]}, discretize={"age": dw.Quantiles(2)})
    >>> table.states["age"]
    ('(-inf, 35]', '(35, inf)')
    """

    n: int

    def __post_init__(self) -> None:
        _check_n("Quantiles", self.n)

    def edges(self, numbers: NDArray[np.float64]) -> tuple[float, ...]:
        """Return the inner edges for these numbers."""
        inner = np.quantile(numbers, np.arange(1, self.n) / self.n)
        return _distinct(inner, numbers)


@dataclass(frozen=True)
class Uniform:
    """Cut the range from the smallest to the largest number into intervals of equal width.

    Parameters
    ----------
    n : int
        The number of states, at least 2. A constant variable has one state.

    Examples
    --------
    >>> import dagwright as dw
    >>> table = dw.Table({"age": [20, 21, 22, 60]}, discretize={"age": dw.Uniform(2)})
    >>> table.states["age"]
    ('(-inf, 40]', '(40, inf)')
    """

    n: int

    def __post_init__(self) -> None:
        _check_n("Uniform", self.n)

    def edges(self, numbers: NDArray[np.float64]) -> tuple[float, ...]:
        """Return the inner edges for these numbers."""
        low, high = float(numbers.min()), float(numbers.max())
        width = high / self.n - low / self.n  # high - low may overflow
        return _distinct(low + width * np.arange(1, self.n), numbers)


@dataclass(frozen=True, init=False)
class Edges:
    """Cut at the given inner edges; states without rows stay.

    Parameters
    ----------
    inner : sequence of float
        Finite and increasing.

    Examples
    --------
    >>> import dagwright as dw
    >>> table = dw.Table({"age": [12, 40]}, discretize={"age": dw.Edges([17, 64])})
    >>> table.states["age"]
    ('(-inf, 17]', '(17, 64]', '(64, inf)')
    >>> table.edges["age"]
    (17.0, 64.0)
    """

    inner: tuple[float, ...]

    def __init__(self, inner: Sequence[float]) -> None:
        try:
            edges = tuple(float(edge) for edge in inner)
        except (TypeError, ValueError) as error:
            raise SpecError(f"Edges needs a sequence of numbers, not {inner!r}") from error
        if not edges or not np.isfinite(edges).all() or (np.diff(edges) <= 0).any():
            raise SpecError(f"Edges needs one or more finite, increasing edges, not {inner!r}")
        object.__setattr__(self, "inner", edges)

    def edges(self, numbers: NDArray[np.float64]) -> tuple[float, ...]:
        """Return the inner edges, whatever the numbers."""
        return self.inner


Discretize = Quantiles | Uniform | Edges


def interval_names(edges: Sequence[float]) -> tuple[str, ...]:
    """Return the states that these inner edges make."""
    ends = ["-inf", *(_shortest(edge) for edge in edges), "inf"]
    pairs = itertools.pairwise(ends)
    return tuple(f"({low}, {high}{']' if high != 'inf' else ')'}" for low, high in pairs)


def _shortest(edge: float) -> str:
    return repr(edge).removesuffix(".0")


def _distinct(edges: NDArray[np.floating], numbers: NDArray[np.float64]) -> tuple[float, ...]:
    inner = np.unique(edges + 0.0)  # no -0.0
    return tuple(inner[inner < numbers.max()].tolist())


def _check_n(spec: str, n: object) -> None:
    if not isinstance(n, int) or isinstance(n, bool) or not 2 <= n <= 65536:
        raise SpecError(f"{spec}(n) needs an integer n from 2 to 65536, not {n!r}")
