"""Exact expectations by going through all joint states."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod

import numpy as np
from numpy.typing import NDArray

from dagwright.markov.expectations import Expectation, Marginals, expectation_kinds
from dagwright.markov.factors import Factors, ImpossibleFactors, Scope
from dagwright.markov.features import Features
from dagwright.run import Run

__all__ = ["MOST_JOINT_STATES", "Enumeration", "covariance", "joint_distribution"]

MOST_JOINT_STATES = 1 << 20
_IMPOSSIBLE = -1e300  # -inf times zero is not a number
_BLOCK = 1 << 12


@expectation_kinds.add
@dataclass(frozen=True)
class Enumeration(Expectation):
    """Go through all joint states, up to 2^20 of them: 20 variables of two states.

    The variables are cut into two halves, so that log p of all joint states is one product of
    matrices, and so are the distributions of all scopes.
    """

    name = "enumeration"
    exact = True

    def refusal(self, factors: Factors) -> str | None:
        """Refuse too many joint states."""
        if factors.n_joint_states <= MOST_JOINT_STATES:
            return None
        return (
            f"{len(factors.arities)} variables have {factors.n_joint_states:.3g} joint states, "
            f"more than the {MOST_JOINT_STATES:,} that enumeration goes through"
        )

    def marginals(self, factors: Factors, scopes: Sequence[Scope], run: Run) -> Marginals:
        """Return the distributions of scopes, of any at all."""
        self.check(factors)
        plan = _plan(factors.arities, (*factors.scopes, *scopes))
        log_z, p = plan.probabilities(factors)
        return Marginals(log_z, plan.tables(p, scopes))


def joint_distribution(factors: Factors) -> tuple[float, NDArray[np.float64]]:
    """Return log Z and the probabilities of all joint states, one axis a variable."""
    Enumeration().check(factors)
    log_z, p = _plan(factors.arities, factors.scopes).probabilities(factors)
    return log_z, p.reshape(factors.arities)


def covariance(features: Features, p: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the covariances of features under the probabilities of all joint states."""
    flat = p.ravel()
    first = np.zeros(len(features))
    second = np.zeros((len(features), len(features)))
    for begin in range(0, flat.size, _BLOCK):
        own = flat[begin : begin + _BLOCK]
        codes = np.unravel_index(np.arange(begin, begin + own.size), p.shape)
        rows = np.column_stack(
            [
                values[tuple(codes[v] for v in scope)]
                for scope, values in zip(features.scopes, features.values, strict=True)
            ]
        )
        first += own @ rows
        second += rows.T @ (own[:, None] * rows)
    return second - np.outer(first, first)


class _Half:
    """The joint states of half of the variables, and which of them are where in their parts."""

    def __init__(self, variables: range, arities: Sequence[int], parts: Sequence[Scope]) -> None:
        shape = [arities[v] for v in variables]
        size = prod(shape)
        codes = np.unravel_index(np.arange(size), shape) if shape else ()
        self.begin: dict[Scope, int] = {}
        width = 0
        for part in parts:
            self.begin[part] = width
            width += prod(arities[v] for v in part)
        self.marks = np.zeros((size, width))
        for part, begin in self.begin.items():
            own = [arities[v] for v in part]
            at = np.ravel_multi_index([codes[v - variables.start] for v in part], own) if own else 0
            self.marks[np.arange(size), begin + at] = 1.0

    def place(self, part: Scope, arities: Sequence[int]) -> slice:
        begin = self.begin[part]
        return slice(begin, begin + prod(arities[v] for v in part))


class _Plan:
    def __init__(self, arities: tuple[int, ...], scopes: Sequence[Scope]) -> None:
        n = len(arities)
        sizes = np.cumprod((1.0, *arities))
        self.cut = int(np.abs(np.log(sizes) - np.log(sizes[-1]) / 2).argmin())
        self.arities = arities
        parts = [self._parts(scope) for scope in scopes]
        firsts = dict.fromkeys([(), *(first for first, _ in parts)])
        seconds = dict.fromkeys([(), *(second for _, second in parts)])
        self.first = _Half(range(self.cut), arities, list(firsts))
        self.second = _Half(range(self.cut, n), arities, list(seconds))

    def _parts(self, scope: Scope) -> tuple[Scope, Scope]:
        return tuple(v for v in scope if v < self.cut), tuple(v for v in scope if v >= self.cut)

    def _block(self, scope: Scope) -> tuple[slice, slice]:
        first, second = self._parts(scope)
        return self.first.place(first, self.arities), self.second.place(second, self.arities)

    def probabilities(self, factors: Factors) -> tuple[float, NDArray[np.float64]]:
        weights = np.zeros((self.first.marks.shape[1], self.second.marks.shape[1]))
        for scope, values in zip(factors.scopes, factors.log_values, strict=True):
            block = self._block(scope)
            own = np.maximum(values, _IMPOSSIBLE)
            weights[block] += own.reshape(weights[block].shape)
        log_p = (self.first.marks @ weights) @ self.second.marks.T
        best = float(log_p.max())
        if best <= _IMPOSSIBLE / 2:
            raise ImpossibleFactors
        p = np.exp(log_p - best)
        total = float(p.sum())
        return best + float(np.log(total)), p / total

    def tables(
        self, p: NDArray[np.float64], scopes: Sequence[Scope]
    ) -> tuple[NDArray[np.float64], ...]:
        sums = self.first.marks.T @ (p @ self.second.marks)
        return tuple(
            sums[self._block(scope)].reshape([self.arities[v] for v in scope]) for scope in scopes
        )


@lru_cache(maxsize=4)
def _plan(arities: tuple[int, ...], scopes: tuple[Scope, ...]) -> _Plan:
    return _Plan(arities, scopes)
