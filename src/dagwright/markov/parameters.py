"""From factors back to parameters: the ones that minimal features need."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dagwright.errors import SpecError
from dagwright.markov.factors import Factors, Scope
from dagwright.markov.features import Features, is_ising

__all__ = ["theta_of"]

Cell = tuple[Scope, tuple[int, ...]]


def theta_of(features: Features, factors: Factors, coding: str | None) -> NDArray[np.float64]:
    """Return the parameters with which features of cliques, or of spins, make the same model."""
    corner = _corner(factors)
    if coding is None or not is_ising(features, coding):
        cells = [
            (scope, tuple(int(c) for c in np.argwhere(values)[0]))
            for scope, values in zip(features.scopes, features.values, strict=True)
        ]
        return np.array([corner.get(cell, 0.0) for cell in cells])
    of = {scope: corner.get((scope, (1,) * len(scope)), 0.0) for scope in features.scopes}
    if coding == "0/1":
        return np.array([of[scope] for scope in features.scopes])
    spin = {scope: value / 2 ** len(scope) for scope, value in of.items()}
    for scope, value in of.items():
        if len(scope) == 2:
            for v in scope:
                spin[v,] += value / 4
    return np.array([spin[scope] for scope in features.scopes])


def _corner(factors: Factors) -> dict[Cell, float]:
    """Return what is left of each table over each set when the first states count as nothing.

    By differences from the first state along each axis, which is Moebius inversion.
    """
    found: dict[Cell, float] = {}
    for scope, table in zip(factors.scopes, factors.log_values, strict=True):
        if not np.isfinite(table).all():
            raise SpecError("factors with zeros have no finite parameters")
        differences = table.copy()
        for axis in range(table.ndim):
            own = np.moveaxis(differences, axis, 0)
            own[1:] -= own[:1]
        for codes in np.ndindex(table.shape):
            kept = [(v, code) for v, code in zip(scope, codes, strict=True) if code]
            cell = tuple(v for v, _ in kept), tuple(code for _, code in kept)
            found[cell] = found.get(cell, 0.0) + float(differences[codes])
    return found
