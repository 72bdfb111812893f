"""A network of full tables: what inference works on. Names and states outside, numbers inside."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagwright import _core
from dagwright._names import listed
from dagwright.errors import DataError, GraphError, did_you_mean
from dagwright.io.json import state_from_json, state_to_json

__all__ = ["Evidence", "Given", "TableNetwork", "is_soft"]

State = Any
Given = Mapping[str, Any]


@dataclass(frozen=True)
class Evidence:
    """What is known, in numbers: states, likelihoods of states, and variables that were set."""

    states: tuple[tuple[int, int], ...] = ()
    likelihoods: tuple[tuple[int, NDArray[np.float64]], ...] = ()
    intervened: tuple[int, ...] = ()

    @cached_property
    def observed(self) -> frozenset[int]:
        """The variables whose state is known, those that were set too."""
        return frozenset(variable for variable, _ in self.states)

    @cached_property
    def seen(self) -> list[int]:
        """Those that were not set."""
        return sorted(self.observed - set(self.intervened))

    @cached_property
    def soft(self) -> list[int]:
        """The variables with likelihoods whose state is not known."""
        return sorted({variable for variable, _ in self.likelihoods} - self.observed)


@dataclass(frozen=True, eq=False)
class TableNetwork:
    """Variables with their states, and for each a full table given its parents.

    Attributes
    ----------
    states : mapping of str to tuple
        The states of each variable; its order is the order of the variables.
    parents : mapping of str to tuple of str
    tables : mapping of str to array
        One axis a parent, in that order, and the last for the variable's own states. A row of NaN
        is undefined.
    """

    states: Mapping[str, tuple[State, ...]]
    parents: Mapping[str, tuple[str, ...]]
    tables: Mapping[str, NDArray[np.float64]]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The variables in order."""
        return tuple(self.states)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.states)}

    @cached_property
    def _codes(self) -> dict[str, dict[tuple[type, State], int]]:
        return {
            name: {(type(state), state): code for code, state in enumerate(states)}
            for name, states in self.states.items()
        }

    @cached_property
    def undefined(self) -> tuple[int, ...]:
        """The variables with a row that is not known."""
        return tuple(
            number for number, name in enumerate(self.names) if np.isnan(self.tables[name].sum())
        )

    @cached_property
    def with_zeros(self) -> frozenset[int]:
        """The variables whose table says that something cannot be."""
        return frozenset(
            number for number, name in enumerate(self.names) if not self.tables[name].all()
        )

    @cached_property
    def native(self) -> _core.Network:
        """The core's network; undefined rows are uniform in it."""
        return self._native(fill=None)

    @cached_property
    def native_without_undefined(self) -> _core.Network:
        """The same, where what is undefined has probability zero."""
        return self._native(fill=0.0)

    def _native(self, fill: float | None) -> _core.Network:
        scopes, values = [], []
        for name in self.names:
            table = self.tables[name]
            if np.isnan(table.sum()):
                table = np.where(
                    np.isnan(table), 1 / table.shape[-1] if fill is None else fill, table
                )
            scopes.append([self._numbers[parent] for parent in (*self.parents[name], name)])
            values.append(np.ascontiguousarray(table, dtype=np.float64).ravel())
        return _core.Network([len(states) for states in self.states.values()], scopes, values)

    def reordered(self, names: Sequence[str]) -> TableNetwork:
        """Return the network with its variables in another order."""
        return TableNetwork({name: self.states[name] for name in names}, self.parents, self.tables)

    def to_dict(self) -> dict[str, Any]:
        """Return the network as plain JSON values."""
        return {
            "variables": [
                {"name": name, "states": [state_to_json(state) for state in states]}
                for name, states in self.states.items()
            ],
            "tables": [
                {
                    "child": name,
                    "parents": list(self.parents[name]),
                    "probabilities": self.tables[name].tolist(),
                }
                for name in self.names
            ],
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> TableNetwork:
        """Make the network that ``to_dict`` wrote."""
        try:
            states = {
                variable["name"]: tuple(map(state_from_json, variable["states"]))
                for variable in values["variables"]
            }
            parents = {entry["child"]: tuple(entry["parents"]) for entry in values["tables"]}
            tables = {
                entry["child"]: np.asarray(entry["probabilities"], dtype=np.float64)
                for entry in values["tables"]
            }
            for name in states:
                shape = tuple(len(states[own]) for own in (*parents[name], name))
                if tables[name].shape != shape:
                    raise DataError(f"the table of {name!r} has the shape {tables[name].shape}")
        except (KeyError, TypeError, ValueError) as error:
            raise DataError(f"not a network: {error!r}") from error
        return cls(states, parents, tables)

    def __getstate__(self) -> dict[str, Any]:
        """Keep what was given, not what was made of it: the core's network cannot be pickled."""
        return {
            "states": dict(self.states),
            "parents": dict(self.parents),
            "tables": dict(self.tables),
        }

    def number(self, name: object) -> int:
        """Return a variable's number; refuse a name that is not known."""
        if isinstance(name, str) and name in self._numbers:
            return self._numbers[name]
        raise GraphError(
            f"the network has no variable {name!r}"
            + (did_you_mean(name, self.names) if isinstance(name, str) else "")
        )

    def numbers(self, names: Iterable[str] | str, setting: str = "targets") -> list[int]:
        """Return the numbers of one or more variables, each given once."""
        if not isinstance(names, Iterable):
            raise GraphError(f"{setting} must be a name or a list of names, not {names!r}")
        names = [names] if isinstance(names, str) else list(names)
        numbers = [self.number(name) for name in names]
        if len(set(numbers)) != len(numbers):
            raise GraphError(f"{setting}: a variable is given twice in [{listed(names)}]")
        return numbers

    def code(self, name: str, state: object) -> int:
        """Return a state's number; refuse a state that the variable does not have."""
        plain = state.item() if isinstance(state, np.generic) else state
        try:
            code = self._codes[name].get((type(plain), plain))
        except TypeError:  # not hashable
            code = None
        if code is None:
            known = self.states[name]
            hint = did_you_mean(str(state), [str(own) for own in known])
            raise DataError(
                f"{name!r} has no state {state!r}: its states are [{listed(map(str, known))}]{hint}"
            )
        return code

    def evidence(self, given: Given | None, do: Given | None = None) -> Evidence:
        """Translate what is given: states, or for soft evidence likelihoods by state."""
        states: dict[int, int] = {}
        likelihoods = []
        for name, value in _mapping("given", given).items():
            number = self.number(name)
            if is_soft(value):
                likelihoods.append((number, self._likelihood(name, value)))
            else:
                states[number] = self.code(name, value)
        intervened = []
        for name, value in _mapping("do", do).items():
            number = self.number(name)
            if number in states or number in {own for own, _ in likelihoods}:
                raise DataError(f"{name!r} is in given and in do: it is either seen or set")
            states[number] = self.code(name, value)
            intervened.append(number)
        return Evidence(tuple(states.items()), tuple(likelihoods), tuple(intervened))

    def _likelihood(self, name: str, value: Any) -> NDArray[np.float64]:
        known = self.states[name]
        if isinstance(value, Mapping):
            by_code = {self.code(name, state): own for state, own in value.items()}
            value = [by_code.get(code, 0.0) for code in range(len(known))]
        try:
            array = np.asarray(value, dtype=np.float64)
        except (TypeError, ValueError):
            array = np.empty(0)
        if array.shape != (len(known),):
            raise DataError(
                f"soft evidence on {name!r} needs one likelihood for each of its {len(known)} "
                f"states [{listed(map(str, known))}], not {value!r}"
            )
        if not (np.isfinite(array) & (array >= 0)).all() or not array.any():
            raise DataError(
                f"soft evidence on {name!r} must be finite numbers, 0 or more and not all 0, "
                f"not {array.tolist()}"
            )
        return array

    def n_states(self, numbers: Sequence[int]) -> list[int]:
        """Return how many states these variables have."""
        return [len(self.states[self.names[number]]) for number in numbers]


def is_soft(value: object) -> bool:
    """Say whether evidence is a likelihood for each state, not a state."""
    return isinstance(value, Mapping | list | tuple | np.ndarray)


def _mapping(setting: str, given: object) -> Given:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise DataError(f"{setting} must be a mapping like {{'smoke': 'yes'}}, not {given!r}")
    return given
