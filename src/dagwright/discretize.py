"""How a numeric variable is cut into states: always on request, never silently.

Intervals are open on the left and closed on the right; the first and the last have no outer end,
so that later rows always find a state. Cuts at 3.5 and 7 give the states "(-inf, 3.5]", "(3.5, 7]"
and "(7, inf)".
"""

import itertools
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dagwright.errors import SpecError
from dagwright.specs import Registry, Spec, check_whole

__all__ = ["Cuts", "Discretizer", "EqualWidth", "Quantiles", "discretizers", "interval_names"]


class Discretizer(Spec, ABC):
    """Base of the ways to cut a numeric variable."""

    @abstractmethod
    def cuts(self, numbers: NDArray[np.float64]) -> tuple[float, ...]:
        """Return the inner cuts for these numbers."""


discretizers: Registry[Discretizer] = Registry("discretizer")


@discretizers.add
@dataclass(frozen=True)
class Quantiles(Discretizer):
    """Cut at quantiles, so that the states hold about equally many rows.

    Equal cuts collapse, and a cut at the largest number is left out: where many rows share a
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
    name = "quantiles"

    def __post_init__(self) -> None:
        self._keep(n=check_whole("Quantiles: n", self.n, 2, 65536))

    def cuts(self, numbers: NDArray[np.float64]) -> tuple[float, ...]:
        """Return the inner quantiles of these numbers."""
        inner = np.quantile(numbers, np.arange(1, self.n) / self.n)
        return _distinct(inner, numbers)


@discretizers.add
@dataclass(frozen=True)
class EqualWidth(Discretizer):
    """Cut the range from the smallest to the largest number into intervals of equal width.

    Parameters
    ----------
    n : int
        The number of states, at least 2. A constant variable has one state.

    Examples
    --------
    >>> import dagwright as dw
    >>> table = dw.Table({"age": [20, 21, 22, 60]}, discretize={"age": dw.EqualWidth(2)})
    >>> table.states["age"]
    ('(-inf, 40]', '(40, inf)')
    """

    n: int
    name = "equal-width"

    def __post_init__(self) -> None:
        self._keep(n=check_whole("EqualWidth: n", self.n, 2, 65536))

    def cuts(self, numbers: NDArray[np.float64]) -> tuple[float, ...]:
        """Return the inner cuts for these numbers."""
        low, high = float(numbers.min()), float(numbers.max())
        width = high / self.n - low / self.n  # high - low may overflow
        return _distinct(low + width * np.arange(1, self.n), numbers)


@discretizers.add
@dataclass(frozen=True, init=False)
class Cuts(Discretizer):
    """Cut at the given inner cuts; states without rows stay.

    Parameters
    ----------
    inner : sequence of float
        Finite and increasing; without any there is one state.

    Examples
    --------
    >>> import dagwright as dw
    >>> table = dw.Table({"age": [12, 40]}, discretize={"age": dw.Cuts([17, 64])})
    >>> table.states["age"]
    ('(-inf, 17]', '(17, 64]', '(64, inf)')
    >>> table.cuts["age"]
    (17.0, 64.0)
    """

    inner: tuple[float, ...]
    name = "cuts"

    def __init__(self, inner: Sequence[float]) -> None:
        try:
            cuts = tuple(float(cut) for cut in inner)
        except (TypeError, ValueError) as error:
            raise SpecError(f"Cuts needs a sequence of numbers, not {inner!r}") from error
        if not np.isfinite(cuts).all() or (np.diff(cuts) <= 0).any():
            raise SpecError(f"Cuts needs finite, increasing cuts, not {inner!r}")
        object.__setattr__(self, "inner", cuts)

    def cuts(self, numbers: NDArray[np.float64]) -> tuple[float, ...]:
        """Return the inner cuts, whatever the numbers."""
        return self.inner


def interval_names(cuts: Sequence[float]) -> tuple[str, ...]:
    """Return the states that these inner cuts make."""
    ends = ["-inf", *(_shortest(cut) for cut in cuts), "inf"]
    pairs = itertools.pairwise(ends)
    return tuple(f"({low}, {high}{']' if high != 'inf' else ')'}" for low, high in pairs)


def _shortest(cut: float) -> str:
    return repr(cut).removesuffix(".0")


def _distinct(cuts: NDArray[np.floating], numbers: NDArray[np.float64]) -> tuple[float, ...]:
    inner = np.unique(cuts + 0.0)  # no -0.0
    return tuple(inner[inner < numbers.max()].tolist())
