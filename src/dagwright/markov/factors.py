"""Factors: what all inference in undirected models works on. Numbers only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagwright.errors import DataError

__all__ = ["Factors", "ImpossibleFactors", "Scope", "multiplied"]

Scope = tuple[int, ...]


class ImpossibleFactors(DataError):
    """No joint state is possible."""

    def __init__(
        self, message: str = "the factors make every joint state impossible: correct their zeros"
    ) -> None:
        super().__init__(message)


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

    def given(self, states: Mapping[int, int]) -> Factors:
        """Return the factors where some states are known: such variables have one state left."""
        if not states:
            return self
        arities = tuple(1 if v in states else r for v, r in enumerate(self.arities))
        tables = tuple(
            values[tuple(_kept(states.get(v)) for v in scope)]
            for scope, values in zip(self.scopes, self.log_values, strict=True)
        )
        return Factors(arities, self.scopes, tables)

    def log_value(self, codes: Sequence[NDArray[Any]]) -> NDArray[np.float64]:
        """Return the sum of all factors for each row, log p but for log Z."""
        total = np.zeros(len(codes[0]))
        for scope, values in zip(self.scopes, self.log_values, strict=True):
            total += values[tuple(codes[v] for v in scope)]
        return total

    def mean_log_value(self, tables: Sequence[NDArray[np.float64]]) -> float:
        """Return the mean of all factors under the distributions of their scopes."""
        total = 0.0
        for values, table in zip(self.log_values, tables, strict=True):
            possible = table > 0
            total += float(table[possible] @ values[possible])
        return total


def _kept(state: int | None) -> slice:
    return slice(None) if state is None else slice(state, state + 1)


def multiplied(
    arities: Sequence[int], scopes: Sequence[Sequence[int]], values: Sequence[NDArray[np.float64]]
) -> Factors:
    """Return the factors of tables over variables in any order; those of one scope become one."""
    tables: dict[Scope, NDArray[np.float64]] = {}
    for scope, table in zip(scopes, values, strict=True):
        axes = sorted(range(len(scope)), key=lambda axis: scope[axis])
        own = tuple(scope[axis] for axis in axes)
        with np.errstate(divide="ignore"):
            logs = np.log(table).transpose(axes)
        tables[own] = tables[own] + logs if own in tables else logs
    return Factors(tuple(arities), tuple(tables), tuple(tables.values()))
