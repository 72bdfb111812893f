"""Features: functions of a few variables whose means a model matches. Numbers only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from math import prod

import numpy as np
from numpy.typing import NDArray

from dagwright._names import listed
from dagwright.errors import DataError
from dagwright.markov.factors import Factors, Scope

__all__ = ["CODINGS", "Features", "clique_features", "is_ising", "ising_features", "spin_values"]

CODINGS = ("-1/+1", "0/1")
"""How the two states of a spin are written as numbers, the first state first."""

_MOST_CELLS = 1 << 12  # each is a feature with a table of as many


@dataclass(frozen=True, eq=False)
class Features:
    """Functions of joint states, each a table over a few variables.

    Feature k of a row is ``values[k][x[scopes[k]]]``.

    Attributes
    ----------
    arities : tuple of int
    scopes : tuple of tuple of int
        The variables of each feature, in rising order.
    values : tuple of arrays
        Each of the shape of its scope; -inf where a factor that was given is zero.
    names : tuple of str
        For people; empty, or one a feature.
    """

    arities: tuple[int, ...]
    scopes: tuple[Scope, ...]
    values: tuple[NDArray[np.float64], ...]
    names: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.scopes)

    @cached_property
    def factor_scopes(self) -> tuple[Scope, ...]:
        """The different scopes, in the order in which they appear."""
        return tuple(self._by_scope)

    @cached_property
    def _by_scope(self) -> dict[Scope, list[int]]:
        features: dict[Scope, list[int]] = {}
        for k, scope in enumerate(self.scopes):
            features.setdefault(scope, []).append(k)
        return features

    @cached_property
    def _designs(self) -> tuple[NDArray[np.float64], ...]:
        """For each scope a matrix, its features by the cells of its table."""
        return tuple(
            np.array([self.values[k].ravel() for k in features])
            for features in self._by_scope.values()
        )

    def factors(self, theta: NDArray[np.float64]) -> Factors:
        """Return the factors of exp(theta . f): features of one scope make one factor."""
        tables = [
            (theta[features] @ design).reshape([self.arities[v] for v in scope])
            for (scope, features), design in zip(self._by_scope.items(), self._designs, strict=True)
        ]
        return Factors(self.arities, self.factor_scopes, tuple(tables))

    def means(self, tables: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
        """Return the mean of each feature from the distributions of `factor_scopes`."""
        means = np.empty(len(self))
        for features, design, table in zip(
            self._by_scope.values(), self._designs, tables, strict=True
        ):
            flat = table.ravel()
            means[features] = design[:, flat > 0] @ flat[flat > 0]
        return means

    def select(self, chosen: Iterable[int]) -> Features:
        """Return some of the features."""
        kept = list(chosen)
        return Features(
            self.arities,
            tuple(self.scopes[k] for k in kept),
            tuple(self.values[k] for k in kept),
            tuple(self.names[k] for k in kept) if self.names else (),
        )

    def pairs(self, theta: NDArray[np.float64] | None = None) -> list[tuple[int, int]]:
        """Return the pairs of variables that share a feature, with theta one of not zero."""
        scopes = (
            self.scopes
            if theta is None
            else (scope for scope, own in zip(self.scopes, theta, strict=True) if own != 0)
        )
        return sorted({pair for scope in set(scopes) for pair in combinations(scope, 2)})


def is_ising(features: Features, coding: str) -> bool:
    """Say whether these are features of an Ising model: spins and products of two."""
    spin = spin_values(coding)
    shapes = {1: spin, 2: np.outer(spin, spin)}
    return len(set(features.scopes)) == len(features) and all(
        len(scope) in shapes and np.array_equal(values, shapes[len(scope)])
        for scope, values in zip(features.scopes, features.values, strict=True)
    )


def spin_values(coding: str) -> NDArray[np.float64]:
    """Return the numbers of the two states."""
    return np.array([-1.0, 1.0] if coding == "-1/+1" else [0.0, 1.0])


def ising_features(
    n: int, pairs: Iterable[tuple[int, int]], coding: str, names: Sequence[str] | None = None
) -> Features:
    """Return the features of an Ising model: each spin, then the product of each of the pairs."""
    spin = spin_values(coding)
    product_of_two = np.outer(spin, spin)  # one array for all pairs
    joined = [(min(pair), max(pair)) for pair in pairs]
    named = [f"x{v + 1}" for v in range(n)] if names is None else names
    return Features(
        (2,) * n,
        (*((v,) for v in range(n)), *joined),
        (spin,) * n + (product_of_two,) * len(joined),
        (*named, *(f"{named[a]} * {named[b]}" for a, b in joined)),
    )


def clique_features(
    arities: Sequence[int],
    cliques: Iterable[Iterable[int]],
    names: Sequence[str] | None = None,
    states: Mapping[str, Sequence[object]] | None = None,
    *,
    singles: bool = True,
) -> Features:
    """Return minimal features that make every table over each clique.

    For each set of variables within a clique, and all of their states but the first, the feature
    is whether they have these states. With `singles`, every variable has its own features, in a
    clique or not.
    """
    scopes: dict[Scope, None] = {(v,): None for v in range(len(arities))} if singles else {}
    for clique in cliques:
        members = sorted(set(clique))
        cells = prod(arities[v] for v in members)
        if cells > _MOST_CELLS:
            shown = listed(names[v] if names else f"x{v + 1}" for v in members)
            raise DataError(
                f"the clique [{shown}] has {cells:.3g} joint states, more than {_MOST_CELLS:,}: "
                "take a sparser graph, or pairs"
            )
        for size in range(1, len(members) + 1):
            scopes.update(dict.fromkeys(combinations(members, size)))
    ordered = sorted(scopes, key=lambda scope: (len(scope), scope))
    all_scopes, values, texts = [], [], []
    for scope in ordered:
        for codes in product(*(range(1, arities[v]) for v in scope)):
            table = np.zeros([arities[v] for v in scope])
            table[codes] = 1.0
            all_scopes.append(scope)
            values.append(table)
            texts.append(
                ", ".join(
                    f"{names[v] if names else f'x{v + 1}'} = "
                    f"{states[names[v]][code] if names and states else code}"
                    for v, code in zip(scope, codes, strict=True)
                )
            )
    return Features(tuple(arities), tuple(all_scopes), tuple(values), tuple(texts))
