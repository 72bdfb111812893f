"""How far apart two graphs are."""

from __future__ import annotations

from collections.abc import Collection, Set
from dataclasses import dataclass

from dagwright._names import Edge, listed
from dagwright.cpdag import Cpdag
from dagwright.errors import GraphError
from dagwright.graph import Dag, check_dag

__all__ = ["Comparison", "compare", "shd"]


@dataclass(frozen=True)
class Comparison:
    """How a learned graph differs from the true one; made by `compare`.

    Precision is the share of the learned edges that are true, recall the share of the true edges
    that were learned, f1 their harmonic mean. A share of nothing is 1: a graph that claims nothing
    claims nothing wrong.

    Attributes
    ----------
    shd : int
        Structural Hamming distance between the equivalence classes, see `shd`.
    edge_precision, edge_recall, edge_f1 : float
        With directions: a reversed edge is wrong.
    skeleton_precision, skeleton_recall, skeleton_f1 : float
        Without directions.
    missing, extra, reversed : tuple of (str, str)
        True edges between nodes that the learned graph does not join, learned edges between nodes
        that the true graph does not join, and true edges that were learned the other way.

    Examples
    --------
    >>> import dagwright as dw
    >>> dw.compare(dw.Dag([("a", "b")]), dw.Dag([("b", "a")])).reversed
    (('a', 'b'),)
    """

    shd: int
    edge_precision: float
    edge_recall: float
    edge_f1: float
    skeleton_precision: float
    skeleton_recall: float
    skeleton_f1: float
    missing: tuple[Edge, ...]
    extra: tuple[Edge, ...]
    reversed: tuple[Edge, ...]


def compare(truth: Dag, learned: Dag) -> Comparison:
    """Compare a learned graph with the true one, edge by edge.

    Parameters
    ----------
    truth, learned : Dag
        Two graphs over the same nodes.

    Returns
    -------
    Comparison
        Distances, shares and the edges themselves, in the order of the nodes of `truth` for
        missing and reversed edges, of `learned` for extra ones.

    Examples
    --------
    >>> import dagwright as dw
    >>> truth = dw.Dag([("a", "c"), ("b", "c"), ("c", "d")])
    >>> report = dw.compare(truth, truth.remove("c", "d").reverse("b", "c"))
    >>> report.shd, report.missing, report.reversed
    (3, (('c', 'd'),), (('b', 'c'),))
    >>> report.edge_precision, report.skeleton_precision
    (0.5, 1.0)
    """
    check_dag(truth, "truth")
    check_dag(learned, "learned")
    _check_same_nodes(truth, learned)
    true_edges, learned_edges = set(truth.edges), set(learned.edges)
    true_pairs, learned_pairs = _pairs(true_edges), _pairs(learned_edges)
    edge_shares = _shares(true_edges, learned_edges)
    skeleton_shares = _shares(true_pairs, learned_pairs)
    return Comparison(
        shd(truth, learned),
        *edge_shares,
        *skeleton_shares,
        missing=tuple(edge for edge in truth.edges if frozenset(edge) not in learned_pairs),
        extra=tuple(edge for edge in learned.edges if frozenset(edge) not in true_pairs),
        reversed=tuple(edge for edge in truth.edges if edge[::-1] in learned_edges),
    )


def shd(a: Dag | Cpdag, b: Dag | Cpdag) -> int:
    """Return the structural Hamming distance between the equivalence classes of two graphs.

    It is the number of pairs of nodes that the two CPDAGs join differently: not at all, without a
    direction, or one way or the other. So a reversed edge counts 1, and graphs that no data can
    tell apart have the distance 0.

    Parameters
    ----------
    a, b : Dag or Cpdag
        Two graphs over the same nodes.

    Returns
    -------
    int
        The distance.

    Examples
    --------
    >>> import dagwright as dw
    >>> dw.shd(dw.Dag([("a", "b")]), dw.Dag([("b", "a")]))
    0
    >>> dw.shd(dw.Dag([("a", "c"), ("b", "c")]), dw.Dag([("a", "c")], nodes="a b c".split()))
    2
    """
    _check_same_nodes(a, b)
    joins_a, joins_b = _joins(a), _joins(b)
    pairs = joins_a.keys() | joins_b.keys()
    return sum(joins_a.get(pair) != joins_b.get(pair) for pair in pairs)


def _joins(graph: Dag | Cpdag) -> dict[frozenset[str], frozenset[Edge]]:
    """By joined pair, the edges it can have: one when compelled, two when reversible."""
    cpdag = graph.cpdag() if isinstance(graph, Dag) else graph
    joins = {frozenset(edge): frozenset({edge}) for edge in cpdag.compelled}
    joins.update((frozenset(pair), frozenset({pair, pair[::-1]})) for pair in cpdag.reversible)
    return joins


def _pairs(edges: Collection[Edge]) -> set[frozenset[str]]:
    return {frozenset(edge) for edge in edges}


def _shares(truth: Set[object], learned: Set[object]) -> tuple[float, float, float]:
    """Precision, recall, f1."""
    both = len(truth & learned)
    total = len(truth) + len(learned)
    return (
        both / len(learned) if learned else 1.0,
        both / len(truth) if truth else 1.0,
        2 * both / total if total else 1.0,
    )


def _check_same_nodes(a: Dag | Cpdag, b: Dag | Cpdag) -> None:
    for graph, which in ((a, "the first graph"), (b, "the second graph")):
        if not isinstance(graph, Cpdag):
            check_dag(graph, which)
    only_a, only_b = set(a.nodes) - set(b.nodes), set(b.nodes) - set(a.nodes)
    if only_a or only_b:
        sides = [
            f"only the {which} graph has {listed(sorted(names))}"
            for which, names in (("first", only_a), ("second", only_b))
            if names
        ]
        raise GraphError(
            f"the graphs must have the same nodes, but {' and '.join(sides)}; "
            "give both graphs all nodes with nodes=..."
        )
