"""Rows of binary variables as spins: equal rows are one row, eight rows are one byte."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dagwright import _core
from dagwright._names import listed
from dagwright.encode import Codes
from dagwright.errors import DataError
from dagwright.markov.method import UndirectedData
from dagwright.table import Table

__all__ = ["SpinRows", "check_spins"]

_BLOCK = 8192  # rows that are turned into bits at once


@dataclass(frozen=True, eq=False)
class SpinRows:
    """The different rows of a table, sorted, so that no order of the rows matters.

    Attributes
    ----------
    bits : array of uint8, variables x bytes
        Bit k % 8 of byte k // 8 is row k: 1 for the second state, spin +1. Whole words of 64 rows.
    weights : array
        What each of the different rows weighs.
    row : array
        Which of the different rows each row of the table is.
    """

    bits: NDArray[np.uint8]
    weights: NDArray[np.float64]
    row: NDArray[np.intp]

    @classmethod
    def of(cls, table: Table) -> SpinRows:
        """Return the rows of a table of binary variables."""
        packed = _packed_rows(table.codes, len(table))
        whole = packed.view(np.dtype((np.void, packed.shape[1]))).ravel()
        _, first, row = np.unique(whole, return_index=True, return_inverse=True)
        weights = None if table.weights is None else table.weights.astype(np.float64)
        counts = np.bincount(row, weights=weights, minlength=len(first)).astype(np.float64)
        return cls(_by_variable(packed, first, len(table.names)), counts, row)

    @property
    def n_variables(self) -> int:
        """How many variables there are."""
        return len(self.bits)

    @cached_property
    def total_weight(self) -> float:
        """The sum of the weights."""
        return float(self.weights.sum())

    @cached_property
    def native(self) -> _core.Spins:
        """The rows as the core knows them."""
        return _core.Spins(self.bits, self.weights)

    def reweighted(self, weights: NDArray[np.float64]) -> SpinRows:
        """Return the rows with other weights, one for each row of the table."""
        counts = np.bincount(self.row, weights=weights, minlength=len(self.weights))
        return SpinRows(self.bits, counts.astype(np.float64), self.row)


def check_spins(data: UndirectedData) -> None:
    """Refuse variables that are no spins, or that no couplings can be learned for."""
    table = data.table
    if data.features is not None:
        raise DataError(
            "features were given, but this method is for the fields and couplings of an Ising "
            "model: leave them out, or take MomentMatching"
        )
    for name, states in table.states.items():
        if len(states) != 2:
            raise DataError(
                f"variable {name!r} has {len(states)} states, but an Ising model needs two: "
                "take a LogLinear model, or discretize it"
            )
    weights = table.weights
    constant = []
    for name, codes in zip(table.names, table.codes, strict=True):
        seen = codes if weights is None else codes[weights > 0]
        if not len(seen) or seen.min() == seen.max():
            constant.append(name)
    if constant:
        raise DataError(
            f"{listed(constant)} {'is' if len(constant) == 1 else 'are'} constant: the field of a "
            "variable that never changes is infinite; select the other variables"
        )


def _packed_rows(codes: Sequence[Codes], n_rows: int) -> NDArray[np.uint8]:
    """Return the bits of each row side by side, in whole bytes."""
    packed = np.empty((n_rows, -(-len(codes) // 8)), dtype=np.uint8)
    for begin in range(0, n_rows, _BLOCK):
        end = min(n_rows, begin + _BLOCK)
        block = np.stack([own[begin:end] for own in codes])
        packed[begin:end] = np.packbits(block, axis=0).T
    return packed


def _by_variable(
    packed: NDArray[np.uint8], rows: NDArray[np.intp], n_variables: int
) -> NDArray[np.uint8]:
    """Return the bits of some rows variable by variable, with zeros up to whole words."""
    bits = np.zeros((n_variables, 8 * -(-len(rows) // 64)), dtype=np.uint8)
    for begin in range(0, len(rows), _BLOCK):
        own = np.unpackbits(packed[rows[begin : begin + _BLOCK]], axis=1, count=n_variables)
        block = np.packbits(own.T, axis=1, bitorder="little")
        bits[:, begin // 8 : begin // 8 + block.shape[1]] = block
    return bits
