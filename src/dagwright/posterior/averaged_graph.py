"""One graph made of the edges that most graphs of a sample have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dagwright._contradictions import Rules
from dagwright._names import Edge
from dagwright.constraints import Constraints
from dagwright.errors import GraphError
from dagwright.graph import Dag

__all__ = ["AveragedGraph", "EdgeConfidence", "SkippedEdge", "average", "edges_by_confidence"]


@dataclass(frozen=True)
class EdgeConfidence:
    """How sure an edge is, in the more frequent of its two directions.

    Attributes
    ----------
    start, end : str
        The edge start -> end.
    strength : float
        The share of the graphs that have it in either direction.
    direction : float
        Of these, the share that have it in this one.
    compelled : float
        The share of all graphs where it has this direction in every graph of the same class. No
        data tell the others from it: there the direction is the search's choice.
    """

    start: str
    end: str
    strength: float
    direction: float
    compelled: float


@dataclass(frozen=True)
class SkippedEdge:
    """An edge above the threshold that is not in the averaged graph, and why."""

    start: str
    end: str
    strength: float
    reason: str


@dataclass(frozen=True)
class AveragedGraph:
    """What :meth:`Bootstrap.averaged_graph` returns.

    Attributes
    ----------
    dag : Dag
    threshold : float
        The edges of greater strength were looked at, and those of strength 1.
    skipped : tuple of SkippedEdge
        Those that would have closed a cycle or broken a constraint.
    """

    dag: Dag
    threshold: float
    skipped: tuple[SkippedEdge, ...]


def edges_by_confidence(
    names: tuple[str, ...],
    directed: npt.NDArray[np.int64],
    compelled: npt.NDArray[np.int64],
    n_graphs: int,
) -> tuple[EdgeConfidence, ...]:
    """Return the edges that some graph has, the strongest first, from how many graphs have each.

    Ties go to the surer direction, then by name, so that the order of the variables is no matter.
    """
    by_name = sorted(range(len(names)), key=names.__getitem__)
    rank = np.argsort(by_name)
    firsts, seconds = np.nonzero((directed + directed.T > 0) & (rank[:, None] < rank))
    found = []
    for first, second in sorted(
        zip(firsts.tolist(), seconds.tolist(), strict=True),
        key=lambda pair: rank[list(pair)].tolist(),
    ):
        start, end = first, second
        if directed[second, first] > directed[first, second]:
            start, end = second, first
        either = int(directed[start, end] + directed[end, start])
        found.append(
            EdgeConfidence(
                start=names[start],
                end=names[end],
                strength=either / n_graphs,
                direction=int(directed[start, end]) / either,
                compelled=int(compelled[start, end]) / n_graphs,
            )
        )
    return tuple(sorted(found, key=lambda edge: (-edge.strength, -edge.direction)))


def average(
    edges: Iterable[EdgeConfidence],
    threshold: float,
    constraints: Constraints,
    n_states: Mapping[str, int],
) -> AveragedGraph:
    """Add the edges one by one as far as there is no cycle and no constraint is broken.

    What is in all graphs in one direction comes first, and breaks nothing, because it is all in
    one of them: so the required edges are there. A pair that must be adjacent is, if need be, in
    the other direction.
    """
    growing = _Growing(constraints, n_states)
    skipped = []
    adjacent = {frozenset(pair) for pair in constraints.adjacent}
    for edge in edges:
        if edge.strength <= threshold and edge.strength < 1:
            continue
        reason = growing.add((edge.start, edge.end))
        if reason is not None:
            if {edge.start, edge.end} in adjacent and growing.add((edge.end, edge.start)) is None:
                reason += "; the other direction is taken"
            skipped.append(SkippedEdge(edge.start, edge.end, edge.strength, reason))
    return AveragedGraph(growing.dag(), threshold, tuple(skipped))


class _Growing:
    """A graph that grows by edges that are legal."""

    def __init__(self, constraints: Constraints, n_states: Mapping[str, int]) -> None:
        self._constraints = constraints
        self._rules = Rules(constraints)
        self._n_states = n_states
        self._parents: dict[str, list[str]] = {name: [] for name in n_states}

    def dag(self) -> Dag:
        return Dag.from_parents(self._parents, nodes=self._parents)

    def add(self, edge: Edge) -> str | None:
        """Add an edge, or say why not."""
        reason = self._refusal(edge)
        if reason is None:
            self._parents[edge[1]].append(edge[0])
        return reason

    def _refusal(self, edge: Edge) -> str | None:
        start, end = edge
        if self._leads(end, start):
            return "it closes a cycle with stronger edges"
        if (reason := self._rules.ruled_out(edge)) is not None:
            return reason
        parents = [*self._parents[end], start]
        too_large = self._constraints._too_large(end, parents, self._n_states)
        if too_large:
            return f"with it {too_large[0]}"
        return self._stuck(edge) if self._constraints.adjacent else None

    def _leads(self, start: str, end: str) -> bool:
        """Whether there is a path: looked for backwards, by parents."""
        seen, left = {end}, [end]
        while left:
            node = left.pop()
            if node == start:
                return True
            new = [parent for parent in self._parents[node] if parent not in seen]
            seen.update(new)
            left += new
        return False

    def _stuck(self, edge: Edge) -> str | None:
        """Say why the pairs that must be adjacent could not all be joined beside these edges."""
        own = [(parent, child) for child, group in self._parents.items() for parent in group]
        values = self._constraints.to_dict() | {"required": [*own, edge]}
        try:
            Constraints.from_dict(values).resolve(
                list(self._n_states), list(self._n_states.values())
            )
        except GraphError as error:
            return str(error)
        return None
