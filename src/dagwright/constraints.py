"""What a learned graph must, may and may not contain."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from math import prod
from os import PathLike
from typing import Any, Self

from dagwright import _contradictions, _core
from dagwright._names import (
    Edge,
    arrow,
    checked_edges,
    checked_name,
    checked_nodes,
    listed,
    unknown_node,
)
from dagwright.errors import DagwrightError, GraphError, SpecError
from dagwright.graph import Dag, check_dag
from dagwright.io.files import read_text
from dagwright.specs import check_whole

__all__ = ["Constraints"]

_NO_TIER = -1
_MAX_EXACT = 1 << 1000  # a bound on parameters beyond this bounds nothing, and is still a double


@dataclass(frozen=True, init=False)
class Constraints:
    """What a learned graph must, may and may not contain.

    Every search honours all of them. Contradictions are found here, not in the search, and are
    explained with the names. Two constraints are equal when they say the same, in whatever order.

    Parameters
    ----------
    required : iterable of (str, str)
        Edges (parent, child) that every graph has.
    forbidden : iterable of (str, str)
        Edges (parent, child) that no graph has. The other direction stays allowed.
    adjacent : iterable of (str, str)
        Pairs that are joined by an edge, in either direction.
    tiers : iterable of iterable of str
        Groups in their order in time: no edge leads from a later group to an earlier one. Edges
        within a group are allowed; variables in no group are free.
    max_parents : int, optional
        No node has more parents.
    max_parameters : int, optional
        No node's table has more free parameters: q * (r - 1) for q configurations of the parents
        and r states of the node.

    Raises
    ------
    GraphError
        If no graph can satisfy all of them; the message says why.
    SpecError
        If a bound is negative or not a whole number.

    Examples
    --------
    >>> import dagwright as dw
    >>> dw.Constraints(required=[("sex", "smoke")], forbidden=[("age", "sex")], max_parents=4)
    Constraints(required=(('sex', 'smoke'),), forbidden=(('age', 'sex'),), max_parents=4)
    >>> dw.Constraints(tiers=[["a"], ["b"]], required=[("b", "a")])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    dagwright.errors.GraphError: 'a' comes before 'b' by tiers, but 'b' -> 'a' is required; drop...
    """

    required: tuple[Edge, ...]
    forbidden: tuple[Edge, ...]
    adjacent: tuple[Edge, ...]
    tiers: tuple[tuple[str, ...], ...]
    max_parents: int | None
    max_parameters: int | None

    def __init__(
        self,
        required: Iterable[Sequence[str]] = (),
        forbidden: Iterable[Sequence[str]] = (),
        adjacent: Iterable[Sequence[str]] = (),
        tiers: Iterable[Iterable[str]] = (),
        max_parents: int | None = None,
        max_parameters: int | None = None,
    ) -> None:
        pairs = (sorted(pair) for pair in checked_edges(adjacent, "an adjacent pair"))
        values = {
            "required": tuple(sorted(set(checked_edges(required, "a required edge")))),
            "forbidden": tuple(sorted(set(checked_edges(forbidden, "a forbidden edge")))),
            "adjacent": tuple(sorted({(first, second) for first, second in pairs})),
            "tiers": _checked_tiers(tiers),
            "max_parents": _checked_bound("max_parents", max_parents),
            "max_parameters": _checked_bound("max_parameters", max_parameters),
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)
        _contradictions.check(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Make constraints from a mapping with the names of the parameters as keys.

        Parameters
        ----------
        values : mapping
            Any of ``required``, ``forbidden``, ``adjacent``, ``tiers``, ``max_parents``,
            ``max_parameters``.

        Returns
        -------
        Constraints
            The constraints.

        Examples
        --------
        >>> import dagwright as dw
        >>> dw.Constraints.from_dict({"forbidden": [["a", "b"]], "max_parents": 3})
        Constraints(forbidden=(('a', 'b'),), max_parents=3)
        """
        if not isinstance(values, Mapping):
            raise SpecError(f"constraints must be a mapping of settings, not {values!r}")
        known = list(cls.__dataclass_fields__)
        for key, value in values.items():
            if key not in known:
                close = get_close_matches(str(key), known, n=1)
                hint = f"did you mean {close[0]!r}?" if close else f"there are {listed(known)}"
                raise SpecError(f"unknown constraint {key!r}; {hint}")
            if not key.startswith("max_") and not isinstance(value, list | tuple):
                raise SpecError(f"{key} must be a list, not {value!r}")
        return cls(**values)

    @classmethod
    def from_toml(cls, path: str | PathLike[str]) -> Self:
        """Read constraints from a TOML file.

        Parameters
        ----------
        path : path
            A file with the keys of `from_dict`, for example
            ``forbidden = [["age", "sex"]]`` and ``max_parents = 4``.

        Returns
        -------
        Constraints
            The constraints.

        Examples
        --------
        >>> import dagwright as dw, pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "constraints.toml"
        >>> _ = path.write_text('tiers = [["age", "sex"], ["smoke"]]')
        >>> dw.Constraints.from_toml(path)
        Constraints(tiers=(('age', 'sex'), ('smoke',)))
        """
        try:
            values = tomllib.loads(read_text(path))
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            raise SpecError(f"{path} is not TOML: {error}") from error
        try:
            return cls.from_dict(values)
        except DagwrightError as error:
            raise type(error)(f"{path}: {error}") from error

    def to_dict(self) -> dict[str, Any]:
        """Return what is constrained, ready for JSON; `from_dict` reads it back.

        Returns
        -------
        dict
            Lists of names and numbers.

        Examples
        --------
        >>> import dagwright as dw
        >>> dw.Constraints(required=[("a", "b")], max_parents=3).to_dict()
        {'required': [['a', 'b']], 'max_parents': 3}
        """
        return {
            name: [list(group) for group in value] if isinstance(value, tuple) else value
            for name, value in self._given().items()
        }

    @property
    def names(self) -> tuple[str, ...]:
        """All names that are mentioned, sorted."""
        groups = (*self.required, *self.forbidden, *self.adjacent, *self.tiers)
        return tuple(sorted({name for group in groups for name in group}))

    def violations(self, dag: Dag, n_states: Sequence[int] | None = None) -> tuple[str, ...]:
        """Say in which ways a graph breaks these constraints.

        Parameters
        ----------
        dag : Dag
            A graph with all the names that are mentioned.
        n_states : sequence of int, optional
            The number of states of each node in the order of ``dag.nodes``; needed for
            `max_parameters`.

        Returns
        -------
        tuple of str
            One sentence for each broken constraint; empty when the graph satisfies all.

        Examples
        --------
        >>> import dagwright as dw
        >>> dw.Constraints(required=[("a", "b")]).violations(dw.Dag([("b", "a")]))
        ("the required edge 'a' -> 'b' is missing",)
        """
        check_dag(dag)
        if self.max_parameters is not None and n_states is None:
            raise SpecError("max_parameters needs the number of states; give n_states=...")
        known = set(dag.nodes)
        for name in self.names:
            if name not in known:
                raise unknown_node(name, dag.nodes)
        found = [
            f"the required edge {arrow(edge)} is missing"
            for edge in self.required
            if not dag.has_edge(*edge)
        ]
        found += [
            f"the adjacent pair {first!r} and {second!r} is not joined"
            for first, second in self.adjacent
            if not (dag.has_edge(first, second) or dag.has_edge(second, first))
        ]
        if self.forbidden or self.tiers:
            rules = _contradictions.Rules(self)
            found += [
                f"the edge {arrow(edge)} is there, but {reason}"
                for edge in dag.edges
                if (reason := rules.ruled_out(edge)) is not None
            ]
        if self.max_parents is not None or self.max_parameters is not None:
            states = {} if n_states is None else dict(zip(dag.nodes, n_states, strict=True))
            for node in dag.nodes:
                found += self._too_large(node, dag.parents(node), states)
        return tuple(found)

    def _too_large(
        self, node: str, parents: Sequence[str], n_states: Mapping[str, int]
    ) -> list[str]:
        found = []
        if self.max_parents is not None and len(parents) > self.max_parents:
            found.append(
                f"{node!r} has {len(parents)} parents, more than max_parents={self.max_parents}"
            )
        if self.max_parameters is not None:
            n_parameters = (n_states[node] - 1) * prod(n_states[parent] for parent in parents)
            if n_parameters > self.max_parameters:
                found.append(
                    f"{node!r} has {n_parameters} parameters, "
                    f"more than max_parameters={self.max_parameters}"
                )
        return found

    def resolve(self, names: Sequence[str], n_states: Sequence[int]) -> _core.Constraints:
        """Return the constraints for the core, with numbers instead of names.

        Parameters
        ----------
        names : sequence of str
            The variables in the order of their numbers.
        n_states : sequence of int
            The number of states of each.

        Returns
        -------
        _core.Constraints
            Constraints that at least one graph satisfies.

        Examples
        --------
        >>> import dagwright as dw
        >>> dw.Constraints(forbidden=[("a", "b")]).resolve(["b", "a"], [2, 2]).allowed(1, 0)
        False
        """
        known = checked_nodes(names)
        if len(n_states) != len(known):
            raise SpecError(f"{len(known)} names need as many n_states, not {len(n_states)}")
        return _resolved(self, known, tuple(n_states))

    def _numbered(
        self, names: Sequence[str], n_states: Sequence[int] | None = None
    ) -> _core.Constraints:
        """Make the core's constraints; without `n_states` the parameters are not bounded."""
        numbers = dict(zip(names, range(len(names)), strict=True))
        for name in self.names:
            if name not in numbers:
                raise unknown_node(name, names)
        tiers = [_NO_TIER] * len(names) if self.tiers else []
        for tier, group in enumerate(self.tiers):
            for name in group:
                tiers[numbers[name]] = tier
        max_parameters = None
        if self.max_parameters is not None and n_states is not None:
            max_parameters = float(min(self.max_parameters, _MAX_EXACT))
        return _core.Constraints(
            len(names),
            required=_by_number(self.required, numbers),
            forbidden=_by_number(self.forbidden, numbers),
            adjacent=_by_number(self.adjacent, numbers),
            tiers=tiers,
            max_parents=None if self.max_parents is None else min(self.max_parents, len(names)),
            max_parameters=max_parameters,
            arities=[] if n_states is None else list(n_states),
        )

    def _given(self) -> dict[str, Any]:
        values = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return {name: value for name, value in values.items() if value not in ((), None)}

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self._given().items())
        return f"Constraints({given})"


@lru_cache(maxsize=1)  # a run asks for the same more than once
def _resolved(
    constraints: Constraints, names: tuple[str, ...], n_states: tuple[int, ...]
) -> _core.Constraints:
    resolved = constraints._numbered(names, n_states)
    dag, stuck = resolved.feasible_dag()
    if dag is None:
        states = dict(zip(names, n_states, strict=True))
        _contradictions.explain_stuck(constraints, [names[number] for number in stuck], states)
    return resolved


def _by_number(edges: Iterable[Edge], numbers: Mapping[str, int]) -> list[tuple[int, int]]:
    return [(numbers[start], numbers[end]) for start, end in edges]


def _checked_bound(name: str, value: object) -> int | None:
    return None if value is None else check_whole(name, value, 0)


def _checked_tiers(tiers: Iterable[Iterable[str]]) -> tuple[tuple[str, ...], ...]:
    if isinstance(tiers, str | Mapping) or not isinstance(tiers, Iterable):
        raise GraphError(f"tiers must be a list of lists of names, not {tiers!r}")
    groups = []
    seen: set[str] = set()
    for group in tiers:
        if isinstance(group, str) or not isinstance(group, Iterable):
            raise GraphError(f"each tier must be a list of names, not {group!r}; use [{group!r}]")
        names = [checked_name(name) for name in group]
        for name in names:
            if name in seen:
                raise GraphError(f"{name!r} is in the tiers twice; put it into one tier only")
            seen.add(name)
        groups.append(tuple(sorted(names)))
    return tuple(groups)
