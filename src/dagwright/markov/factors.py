"""Factors: what all inference in undirected models works on. Numbers only."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

__all__ = ["Factors", "Scope"]

Scope = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Factors:
    """Tables whose sum is the log of the probability, but for a constant.

    ``p(x)`` is proportional to ``exp(sum of log_values[f][x[scopes[f]]])``. A value of -inf makes
    what it stands for impossible.

    Attributes
    ----------
    arities : tuple of int
        How many states each variable has.
    scopes : tuple of tuple of int
        The variables of each factor, in rising order; no two factors have the same.
    log_values : tuple of arrays
        Each of the shape of its scope.
    """

    arities: tuple[int, ...]
    scopes: tuple[Scope, ...]
    log_values: tuple[NDArray[np.float64], ...]

    def shape(self, scope: Scope) -> tuple[int, ...]:
        """Return how many states the variables of a scope have."""
        return tuple(self.arities[v] for v in scope)

    @cached_property
    def n_joint_states(self) -> float:
        """How many joint states all variables have; inf if that is too large for a number."""
        try:
            return float(prod(self.arities))
        except OverflowError:
            return float("inf")
