"""What other edges between two nodes would change: the score, a cycle, a constraint."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from dagwright._contradictions import Rules
from dagwright._names import arrow
from dagwright.constraints import Constraints
from dagwright.graph import Dag
from dagwright.scorer import Scorer

__all__ = ["Change", "Split", "changes_between", "fixed_by", "split_gain"]


@dataclass(frozen=True)
class Split:
    """What a parent gains, in nats: the sum of its parts.

    ``fit`` is N times the information about the child given its other parents, ``price`` what the
    score takes for the parameters, ``prior`` what the structure prior says.
    """

    gain: float
    fit: float
    price: float
    prior: float


@dataclass(frozen=True)
class Change:
    """One change of the graph between two nodes.

    Attributes
    ----------
    kind : {"remove", "reverse", "add"}
    parent, child : str
        The edge that would be removed, reversed or added.
    gain : float
        What the score would gain, in nats; negative if it would fall.
    refused : str
        Why there is no such graph: a cycle or a constraint; empty if there is.
    """

    kind: Literal["remove", "reverse", "add"]
    parent: str
    child: str
    gain: float
    refused: str


def split_gain(scorer: Scorer, parent: str, child: str, given: Sequence[str]) -> Split:
    """Return what one more parent of a child gains beside others, taken apart."""
    with_it, without = (scorer.decompose_family(child, own) for own in ((parent, *given), given))
    return Split(
        gain=with_it.score - without.score,
        fit=with_it.fit - without.fit,
        price=with_it.complexity - without.complexity,
        prior=with_it.prior - without.prior,
    )


def changes_between(
    scorer: Scorer, dag: Dag, constraints: Constraints, a: str, b: str
) -> tuple[Change, ...]:
    """Return what may be done between two nodes: remove and reverse an edge, or add one."""
    if not (dag.has_edge(a, b) or dag.has_edge(b, a)):
        return (_added(scorer, dag, constraints, a, b), _added(scorer, dag, constraints, b, a))
    parent, child = (a, b) if dag.has_edge(a, b) else (b, a)
    rest = dag.remove(parent, child)
    removed = -split_gain(scorer, parent, child, rest.parents(child)).gain
    other = _added(scorer, rest, constraints, child, parent)
    refused = "; ".join(_broken(constraints, scorer, dag, rest))
    return (
        Change("remove", parent, child, removed, refused),
        Change("reverse", parent, child, removed + other.gain, other.refused),
    )


def fixed_by(constraints: Constraints, dag: Dag, a: str, b: str) -> tuple[str, ...]:
    """Return the constraints about these two nodes that decided on the edge or its direction."""
    rules = Rules(constraints)
    found = [
        f"{arrow(edge)} is required" for edge in ((a, b), (b, a)) if edge in constraints.required
    ]
    if (a, b) in constraints.adjacent or (b, a) in constraints.adjacent:
        found.append(f"{a!r} and {b!r} must be adjacent")
    found += [
        f"no {arrow(edge)}: {reason}"
        for edge in ((a, b), (b, a))
        if not dag.has_edge(*edge) and (reason := rules.ruled_out(edge)) is not None
    ]
    return tuple(found)


def _added(scorer: Scorer, dag: Dag, constraints: Constraints, parent: str, child: str) -> Change:
    gain = split_gain(scorer, parent, child, dag.parents(child)).gain
    path = _path(dag, child, parent)
    if path:
        refused = "it would close the cycle " + " -> ".join([*path, child])
    else:
        refused = "; ".join(_broken(constraints, scorer, dag, dag.add(parent, child)))
    return Change("add", parent, child, gain, refused)


def _broken(constraints: Constraints, scorer: Scorer, old: Dag, new: Dag) -> list[str]:
    """Return which constraints a graph breaks that another did not."""
    if constraints == Constraints():
        return []
    n_states = [scorer.data.n_states[node] for node in new.nodes]
    before = set(constraints.violations(old, n_states))
    return [broken for broken in constraints.violations(new, n_states) if broken not in before]


def _path(dag: Dag, start: str, end: str) -> list[str]:
    """Return the nodes of a shortest directed path; empty if there is none."""
    came_from = {start: ""}
    reached = [start]
    for node in reached:
        if node == end:
            path = [node]
            while path[-1] != start:
                path.append(came_from[path[-1]])
            return path[::-1]
        for child in dag.children(node):
            if child not in came_from:
                came_from[child] = node
                reached.append(child)
    return []
