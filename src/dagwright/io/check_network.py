"""The checks of a network, whatever the format: readers tell a draft what the file says."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from math import prod

import numpy as np
from numpy.typing import NDArray

from dagwright.errors import DataError, did_you_mean
from dagwright.io.file_network import FileNetwork
from dagwright.io.safe_names import decoded
from dagwright.io.scanner import shown

__all__ = ["Draft", "Table", "check_complete"]

MAX_CELLS = 100_000_000
MAX_PARENTS = 31  # an array has at most 32 axes
TOLERANCE = 1e-3
EXACT = 1e-12


@dataclass
class Table:
    """The table of a variable as the file has it: all its numbers, or a row a configuration."""

    child: str
    parents: Sequence[str]
    at: int
    numbers: list[float] | None = None
    child_first: bool = False  # the numbers begin with all for the child's first state
    rows: list[tuple[Sequence[str], list[float], int]] = field(default_factory=list)
    default: list[float] | None = None
    results: list[str] | None = None  # for each configuration the state that is certain


@dataclass
class _Variable:
    name: str
    states: tuple[str, ...]
    index_of: dict[str, int]


class Draft:
    """A network that is being read; offsets say where in the file.

    Parameters
    ----------
    fault : function
        Makes the error of an offset and a message.
    by_number : bool
        Whether rows may say a state by its number, from 0.

    Examples
    --------
    >>> draft = Draft(lambda at, message: DataError(f"at {at}: {message}"))
    >>> draft.add_variable("a", ["no", "yes"], 0)
    >>> draft.add_table(Table("a", [], 7, numbers=[0.25, 0.75]))
    >>> draft.network().probabilities["a"]
    array([0.25, 0.75])
    """

    def __init__(self, fault: Callable[[int, str], DataError], *, by_number: bool = False) -> None:
        self.fault = fault
        self._by_number = by_number
        self._variables: dict[str, _Variable] = {}
        self._names: set[str] = set()
        self._tables: dict[str, Table] = {}
        self._n_cells = 0

    def add_variable(
        self,
        name: str,
        states: Sequence[str],
        at: int,
        *,
        n_states: str | None = None,
        true_name: str | None = None,
        true_states: str | None = None,
    ) -> None:
        """Add a variable.

        Parameters
        ----------
        name : str
            The name by which tables call it.
        states : sequence of str
            Its states by the names by which rows call them.
        at : int
            The offset.
        n_states : str, optional
            The number of states that the file declares.
        true_name, true_states : str, optional
            What the file keeps of names that the format cannot write, encoded.
        """
        if name in self._variables:
            raise self.fault(at, f"the variable {shown(name)} is defined twice")
        if not states:
            raise self.fault(at, f"the variable {shown(name)} has no states")
        # The text of the number is compared: it may have more digits than Python makes a number of.
        if n_states is not None and n_states.lstrip("0") != str(len(states)):
            raise self.fault(
                at,
                f"the variable {shown(name)} declares {n_states[:20]} states, but lists "
                f"{len(states)}",
            )
        index_of = {state: index for index, state in enumerate(states)}
        if len(index_of) != len(states):
            twice = next(state for index, state in enumerate(states) if index_of[state] != index)
            raise self.fault(at, f"the variable {shown(name)} has the state {shown(twice)} twice")
        if self._by_number:
            index_of |= {str(index): index for index in range(len(states))}
        real_name = name if true_name is None else self._decoded(true_name, at)
        real_states = tuple(states)
        if true_states is not None:
            real_states = tuple(self._decoded(state, at) for state in true_states.split())
            if len(set(real_states)) != len(states):
                raise self.fault(
                    at,
                    f"dagwright_states of the variable {shown(name)} must have {len(states)} "
                    f"different states, not {shown(true_states)}: correct or remove it",
                )
        if real_name in self._names:
            raise self.fault(at, f"two variables have the dagwright_name {shown(real_name)}")
        self._names.add(real_name)
        self._variables[name] = _Variable(real_name, real_states, index_of)

    def _decoded(self, text: str, at: int) -> str:
        try:
            return decoded(text)
        except DataError as error:
            raise self.fault(at, str(error)) from None

    def add_table(self, table: Table) -> None:
        """Add a table; its variables may come later."""
        if table.child in self._tables:
            raise self.fault(table.at, f"the table of {shown(table.child)} is defined twice")
        if len(table.parents) > MAX_PARENTS:
            raise self.fault(
                table.at,
                f"{shown(table.child)} has {len(table.parents)} parents, but at most "
                f"{MAX_PARENTS} can be read",
            )
        family: set[str] = set()
        for name in (table.child, *table.parents):
            if name in family:
                raise self.fault(
                    table.at, f"the table of {shown(table.child)} has {shown(name)} twice"
                )
            family.add(name)
        self._tables[table.child] = table

    def network(self) -> FileNetwork:
        """Return the network once everything was added."""
        if not self._variables:
            raise DataError("the file has no variables")
        for table in self._tables.values():
            for name in (table.child, *table.parents):
                if name not in self._variables:
                    raise self.fault(
                        table.at,
                        f"unknown variable {shown(name)} in the table of {shown(table.child)}"
                        f"{_hint(name, self._variables)}",
                    )
        without = [name for name in self._variables if name not in self._tables]
        if without:
            raise DataError(f"the variable {shown(without[0])} has no table of probabilities")
        return FileNetwork(
            {variable.name: variable.states for variable in self._variables.values()},
            {
                variable.name: tuple(
                    self._variables[parent].name for parent in self._tables[name].parents
                )
                for name, variable in self._variables.items()
            },
            {
                variable.name: self._probabilities(self._tables[name])
                for name, variable in self._variables.items()
            },
        )

    def _probabilities(self, table: Table) -> NDArray[np.float64]:
        shape = [len(self._variables[parent].states) for parent in table.parents]
        n_configurations = prod(shape)
        n_states = len(self._variables[table.child].states)
        n_cells = n_configurations * n_states
        self._n_cells += n_cells
        if self._n_cells > MAX_CELLS:
            raise self.fault(
                table.at,
                f"the table of {shown(table.child)} makes {self._n_cells:,} cells in all, but at "
                f"most {MAX_CELLS:,} can be read",
            )
        places: dict[int, int] = {}
        if table.numbers is not None:
            if len(table.numbers) != n_cells:
                needed = f"{n_cells} are needed ({n_configurations} configurations of the parents "
                needed += f"x {n_states} states)"
                raise self.fault(
                    table.at,
                    f"the table of {shown(table.child)} has {len(table.numbers)} numbers, but "
                    + (needed if table.parents else f"{n_cells} are needed, one a state"),
                )
            cells = np.array(table.numbers, dtype=np.float64)
            if table.child_first:
                cells = cells.reshape(n_states, n_configurations).T
            cells = np.ascontiguousarray(cells.reshape(n_configurations, n_states))
        elif table.results is not None:
            if len(table.results) != n_configurations:
                raise self.fault(
                    table.at,
                    f"{shown(table.child)} has {len(table.results)} resulting states, but "
                    f"{n_configurations} are needed, one a configuration of the parents",
                )
            cells = np.zeros((n_configurations, n_states))
            states = [self._state(table, table.child, label, table.at) for label in table.results]
            cells[np.arange(n_configurations), states] = 1
        else:
            cells = np.full((n_configurations, n_states), np.nan)
            if table.default is not None:
                self._check_length(table, table.default, table.at)
                cells[:] = table.default
            for labels, numbers, at in table.rows:
                self._check_length(table, numbers, at)
                index = self._configuration(table, labels, at)
                if index in places:
                    raise self.fault(
                        at, f"the row {_row(labels)} of {shown(table.child)} is given twice"
                    )
                places[index] = at
            if places:
                cells[list(places)] = [numbers for _, numbers, _ in table.rows]
            elif table.default is None:
                raise self.fault(table.at, f"the table of {shown(table.child)} has no numbers")
        self._check_rows(table, cells, places)
        return cells.reshape(*shape, n_states)

    def _check_length(self, table: Table, numbers: list[float], at: int) -> None:
        n_states = len(self._variables[table.child].states)
        if len(numbers) != n_states:
            raise self.fault(
                at,
                f"a row of {shown(table.child)} has {len(numbers)} numbers, but {n_states} are "
                "needed, one a state",
            )

    def _configuration(self, table: Table, labels: Sequence[str], at: int) -> int:
        if len(labels) != len(table.parents):
            raise self.fault(
                at,
                f"the row {_row(labels)} of {shown(table.child)} must have a state for each of "
                f"{len(table.parents)} parents",
            )
        index = 0
        for parent, label in zip(table.parents, labels, strict=True):
            state = self._state(table, parent, label, at)
            index = index * len(self._variables[parent].states) + state
        return index

    def _state(self, table: Table, name: str, label: str, at: int) -> int:
        index_of = self._variables[name].index_of
        if label not in index_of:
            raise self.fault(
                at,
                f"unknown state {shown(label)} of {shown(name)} in the table of "
                f"{shown(table.child)}{_hint(label, index_of)}",
            )
        return index_of[label]

    def _check_rows(self, table: Table, cells: NDArray[np.float64], places: dict[int, int]) -> None:
        """Refuse rows that are no distributions, and divide those that are rounded by their sum."""
        with np.errstate(over="ignore", invalid="ignore"):
            sums = cells.sum(axis=1)
            good = (cells >= 0) & (cells <= 1 + TOLERANCE)  # which NaN and infinity are not
            undefined = np.isnan(cells[:, 0])  # no reader makes NaN of a text
            bad = np.flatnonzero(~(good.all(axis=1) & (np.abs(sums - 1) <= TOLERANCE) | undefined))
        if len(bad):
            index = int(bad[0])
            if good[index].all():
                what = f"has probabilities that sum to {float(sums[index])}, not to 1"
            else:
                worst = float(cells[index][~good[index]][0])
                what = f"has the probability {worst}, which is not between 0 and 1"
            raise self.fault(
                places.get(index, table.at),
                f"{shown(table.child)}{self._given(table, index)} {what}",
            )
        rounded = np.abs(sums - 1) > EXACT
        cells[rounded] /= sums[rounded, np.newaxis]

    def _given(self, table: Table, index: int) -> str:
        shape = [len(self._variables[parent].states) for parent in table.parents]
        states = np.unravel_index(index, shape) if shape else ()
        return _given(
            [
                (self._variables[parent].name, self._variables[parent].states[state])
                for parent, state in zip(table.parents, states, strict=True)
            ]
        )


def check_complete(network: FileNetwork) -> None:
    """Refuse to write a network with undefined rows, which no other program can read."""
    if not network.states:
        raise DataError("the network has no variables: there is nothing to write")
    for name, probabilities in network.probabilities.items():
        undefined = np.argwhere(np.isnan(probabilities))
        if len(undefined):
            parents = network.parents[name]
            where = _given(
                [
                    (parent, network.states[parent][state])
                    for parent, state in zip(parents, undefined[0], strict=False)
                ]
            )
            raise DataError(
                f"the probabilities of {name!r}{where} are undefined, which the format cannot "
                "write: fit with a prior, e.g. parameters=BDeu(1)"
            )


def _given(configuration: Sequence[tuple[str, str]]) -> str:
    if not configuration:
        return ""
    return " given " + ", ".join(f"{shown(name)}={shown(state)}" for name, state in configuration)


def _hint(name: str, known: Iterable[str]) -> str:
    """Return the hint at a like name; long names and many are left out, for it takes its time."""
    if len(name) > 60:
        return ""
    return did_you_mean(name, [other for other in islice(known, 1000) if len(other) <= 60])


def _row(labels: Sequence[str]) -> str:
    return shown("(" + ", ".join(labels) + ")")
