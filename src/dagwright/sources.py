"""Where counts come from: a table in memory, or chunks of rows."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log
from typing import Any

import numpy as np
import numpy.typing as npt

from dagwright import _core
from dagwright.errors import DataError
from dagwright.table import Table
from dagwright.weights import check_weights

__all__ = ["Chunks", "Source", "open_source"]


class Chunks:
    """Rows that come in chunks, for data that do not fit in memory at once.

    Counts add up over chunks, so every score, search and sampler works on them. Each pass reads all
    chunks again: keep them where they are cheap to read.

    Parameters
    ----------
    tables : sequence of Table, or function that returns an iterable of Table
        A function is called once a pass and must give the same chunks every time. All chunks have
        the same variables with the same declared states (``Table(..., states=...)``).

    Examples
    --------
    >>> import dagwright as dw
    >>> rows = {"a": ["n", "y", "y"], "b": ["n", "y", "n"]}
    >>> chunks = dw.Chunks([dw.Table(rows), dw.Table(rows)])
    >>> len(chunks), chunks.names
    (6, ('a', 'b'))
    """

    def __init__(self, tables: Sequence[Table] | Callable[[], Iterable[Table]]) -> None:
        if isinstance(tables, Iterator) or not (callable(tables) or isinstance(tables, Iterable)):
            raise DataError(
                f"Chunks: a {type(tables).__name__} cannot be read again and again: give a list "
                "of Tables, or a function that returns an iterable of them"
            )
        self._tables = tables
        self._n_rows: int | None = None  # of a whole pass
        first = next(self._read(), None)
        if first is None:
            raise DataError("Chunks: there is no chunk; give at least one Table")
        self.names = first.names
        self.states = first.states

    def _read(self) -> Iterator[Table]:
        chunks = self._tables() if callable(self._tables) else self._tables
        if not isinstance(chunks, Iterable):
            raise DataError(f"Chunks: the function returned {chunks!r}, but it must give Tables")
        for number, chunk in enumerate(chunks):
            if not isinstance(chunk, Table):
                raise DataError(
                    f"Chunks: chunk {number} is a {type(chunk).__name__}: make it a Table(...)"
                )
            yield chunk

    def __iter__(self) -> Iterator[Table]:
        n_rows = 0
        for number, chunk in enumerate(self._read()):
            if chunk.names != self.names:
                raise DataError(
                    f"chunk {number} has the variables {chunk.names}, the first chunk "
                    f"{self.names}: select the same variables in the same order"
                )
            for name in self.names:
                if chunk.states[name] != self.states[name]:
                    raise DataError(
                        f"chunk {number}: variable {name!r} has the states {chunk.states[name]}, "
                        f"in the first chunk {self.states[name]}: declare them with states="
                    )
            n_rows += len(chunk)
            yield chunk
        if n_rows == 0 or n_rows != (self._n_rows or n_rows):
            raise DataError(
                f"Chunks: a pass gave {n_rows} rows, an earlier one {self._n_rows or 'some'}: the "
                "function must give the same chunks every time it is called"
            )
        self._n_rows = n_rows

    @property
    def n_states(self) -> dict[str, int]:
        """Number of declared states by variable."""
        return {name: len(states) for name, states in self.states.items()}

    @cached_property
    def _sizes(self) -> tuple[int, float]:
        rows, weight = 0, 0.0
        for chunk in self:
            rows += len(chunk)
            weight += chunk.total_weight
        return rows, weight

    def __len__(self) -> int:
        return self._sizes[0]

    @property
    def total_weight(self) -> float:
        """Sum of the row weights (N)."""
        return self._sizes[1]

    def with_weights(self, weights: npt.ArrayLike) -> Chunks:
        """Return the same rows with other weights, one for each row of all chunks."""
        checked = check_weights(weights, len(self))

        def reweighted() -> Iterator[Table]:
            begin = 0
            for chunk in self:
                end = begin + len(chunk)
                yield chunk._with_checked_weights(checked[begin:end])
                begin = end

        return Chunks(reweighted)

    @cached_property
    def digest(self) -> str:
        """Digest of the content, chunk by chunk."""
        return hashlib.sha256("".join(chunk.digest for chunk in self).encode()).hexdigest()

    def __repr__(self) -> str:
        return f"Chunks({len(self.names)} variables)"


@dataclass(frozen=True)
class Source:
    """A native count source whose variables are in canonical order, with their names.

    The core works in an order that does not depend on the order of the data: by entropy, the
    highest first, then by number of states, then by name (law 8). Numbers of variables in the core
    are places in ``names``.
    """

    names: tuple[str, ...]
    n_states: tuple[int, ...]
    states: dict[str, tuple[Any, ...]]
    native: _core.CountSource

    def number(self) -> dict[str, int]:
        """Return each variable's number in the core."""
        return {name: i for i, name in enumerate(self.names)}

    def reweighted(self, weights: npt.NDArray[np.float64]) -> Source:
        """Return the same rows with other weights, which are known to be valid."""
        native = self.native.reweighted(weights)
        return Source(self.names, self.n_states, self.states, native)


def open_source(data: Table | Chunks) -> Source:
    """Return the count source of a table or of chunks, its variables in canonical order.

    A table keeps its source: it never changes, and counting its states and making its bitmaps
    takes about as long as a few steps of a search.
    """
    if isinstance(data, Chunks):
        return _open(data)
    if data._source is None:
        object.__setattr__(data, "_source", _open(data))
    source: Source = data._source
    return source


def _open(data: Table | Chunks) -> Source:
    n_states = list(data.n_states.values())
    given_names = data.names
    if isinstance(data, Chunks):
        unit, totals = _survey(data, n_states)
        order = _canonical_order(given_names, n_states, totals)
        native: _core.CountSource = _core.ChunkedSource(
            [n_states[v] for v in order],
            lambda: (_native(chunk, n_states, unit).reordered(order) for chunk in data),
        )
    else:
        table = _native(data, n_states)
        order = _canonical_order(given_names, n_states, table.state_totals())
        native = _core.TableSource(table.reordered(order))
    names = tuple(given_names[v] for v in order)
    states = data.states
    return Source(
        names=names,
        n_states=tuple(n_states[v] for v in order),
        states={name: states[name] for name in names},
        native=native,
    )


def _survey(
    chunks: Chunks, n_states: Sequence[int]
) -> tuple[_core.WeightUnit, list[npt.NDArray[np.float64]]]:
    """Return the unit of all row weights, and the weight of each state of each variable."""
    unit = _core.WeightUnit()
    totals = [np.zeros(n) for n in n_states]
    for chunk in chunks:
        if chunk.weights is None:
            unit.add_rows(len(chunk))
        else:
            unit.add(chunk.weights.astype(np.float64, copy=False))
        _add_totals(totals, _native(chunk, n_states))
    if unit.value:  # the weights of each chunk were rounded to a unit of its own
        totals = [np.zeros(n) for n in n_states]
        for chunk in chunks:
            _add_totals(totals, _native(chunk, n_states, unit))
    return unit, totals


def _add_totals(totals: Sequence[npt.NDArray[np.float64]], native: _core.Table) -> None:
    for total, more in zip(totals, native.state_totals(), strict=True):
        total += more


def _native(
    table: Table, n_states: Sequence[int], unit: _core.WeightUnit | None = None
) -> _core.Table:
    weights = np.empty(0)  # every row counts once
    if table.weights is not None:
        weights = table.weights.astype(np.float64, copy=False)
    elif unit is not None and unit.value > 1:  # other chunks weigh so much that 1 is too fine
        weights = np.ones(len(table))
    if unit is not None and len(weights):
        weights = unit.round(weights)
    return _core.Table(list(table.codes), n_states, len(table), weights)


def _canonical_order(
    names: Sequence[str], n_states: Sequence[int], totals: Sequence[Iterable[float]]
) -> list[int]:
    entropy = [round(_entropy(counts), 9) for counts in totals]
    return sorted(range(len(names)), key=lambda v: (-entropy[v], n_states[v], names[v]))


def _entropy(counts: Iterable[float]) -> float:
    positive = sorted(count for count in counts if count > 0)
    total = sum(positive)
    return -sum(count / total * log(count / total) for count in positive)
