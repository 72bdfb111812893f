"""Finding out that no graph can satisfy some constraints, and saying why in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import prod
from typing import TYPE_CHECKING, NoReturn

from dagwright import _core
from dagwright._names import Edge, arrow, cycle_text, listed
from dagwright.errors import GraphError

if TYPE_CHECKING:
    from dagwright.constraints import Constraints


class Rules:
    """Which edges are ruled out, and by what."""

    def __init__(self, constraints: Constraints) -> None:
        self._forbidden = set(constraints.forbidden)
        self._tiers = {
            name: number for number, group in enumerate(constraints.tiers) for name in group
        }

    def ruled_out(self, edge: Edge) -> str | None:
        """Say why there can be no such edge, or None when it is allowed."""
        parent, child = edge
        if edge in self._forbidden:
            return f"{arrow(edge)} is forbidden"
        ranked = parent in self._tiers and child in self._tiers
        if ranked and self._tiers[parent] > self._tiers[child]:
            return f"{child!r} comes before {parent!r} by tiers"
        return None


def check(constraints: Constraints) -> None:
    """Raise GraphError unless some graph satisfies the constraints.

    The number of states is not known yet, so the bound on parameters is left to `explain_stuck`.
    """
    rules = Rules(constraints)
    for edge in constraints.required:
        reason = rules.ruled_out(edge)
        if reason is not None:
            raise GraphError(f"{reason}, but {arrow(edge)} is required; drop one of the two")
    for first, second in constraints.adjacent:
        reasons = rules.ruled_out((first, second)), rules.ruled_out((second, first))
        if None not in reasons:
            raise GraphError(
                f"{first!r} and {second!r} must be adjacent, but {reasons[0]} and {reasons[1]}; "
                "allow one of the two directions"
            )
    _check_cycles(constraints.required, "the required edges make a cycle")
    _check_cycles(
        [*constraints.required, *_only_directions(constraints, rules)],
        "the required edges and the only directions left to adjacent pairs make a cycle",
    )
    _check_max_parents(constraints)


def explain_stuck(
    constraints: Constraints, stuck: Sequence[str], n_states: Mapping[str, int]
) -> NoReturn:
    """Raise GraphError for nodes of which none can be a sink, once the states are known."""
    bound = constraints.max_parameters
    assert bound is not None, "without it, the constraints were found feasible when made"
    for node in stuck:
        parents = [parent for parent, child in constraints.required if child == node]
        n_parameters = (n_states[node] - 1) * prod(n_states[parent] for parent in parents)
        if n_parameters > bound:
            having = f"with its required parents {listed(parents)}" if parents else "with no parent"
            raise GraphError(
                f"{node!r} has {n_parameters} parameters {having}, more than "
                f"max_parameters={bound}; raise max_parameters or merge states"
            )
    raise GraphError(
        f"the required edges and adjacent pairs among {listed(stuck)} cannot all be there with "
        f"max_parameters={bound}{_and_max_parents(constraints)}; raise the bound or drop some"
    )


def _and_max_parents(constraints: Constraints) -> str:
    bound = constraints.max_parents
    return "" if bound is None else f" and max_parents={bound}"


def _only_directions(constraints: Constraints, rules: Rules) -> list[Edge]:
    """Return the edges of adjacent pairs of which one direction is ruled out."""
    return [
        edge
        for first, second in constraints.adjacent
        for edge in ((first, second), (second, first))
        if rules.ruled_out(edge[::-1]) is not None
    ]


def _check_cycles(edges: Iterable[Edge], what: str) -> None:
    edges = set(edges)
    names = sorted({name for edge in edges for name in edge})
    numbers = {name: number for number, name in enumerate(names)}
    cycle = _core.find_cycle(
        len(names), [(numbers[start], numbers[end]) for start, end in sorted(edges)]
    )
    if cycle is not None:
        walk = cycle_text(names[number] for number in cycle)
        raise GraphError(f"{what}: {walk}; drop one of them")


def _check_max_parents(constraints: Constraints) -> None:
    """Without this bound, a graph without forced cycles is always possible."""
    bound = constraints.max_parents
    if bound is None:
        return
    for node in sorted({child for _, child in constraints.required}):
        parents = [parent for parent, child in constraints.required if child == node]
        if len(parents) > bound:
            raise GraphError(
                f"{node!r} has {len(parents)} required parents ({listed(parents)}), more than "
                f"max_parents={bound}; raise max_parents or drop some"
            )
    names = constraints.names
    dag, stuck = constraints._numbered(names).feasible_dag()
    if dag is None:
        raise GraphError(
            f"the required edges and adjacent pairs among {listed(names[v] for v in stuck)} cannot "
            f"all be there with max_parents={bound}; raise max_parents or drop some"
        )
