"""Equivalence classes of directed acyclic graphs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Self

from dagwright import _core
from dagwright._names import Edge, arrow, checked_edges, checked_nodes, unknown_node
from dagwright.draw.drawn import Drawn
from dagwright.errors import GraphError
from dagwright.graph import Dag, graph_repr

__all__ = ["Cpdag"]

NumberEdge = tuple[int, int]


class Cpdag(Drawn):
    """A class of graphs that no data can tell apart: same skeleton, same v-structures.

    Compelled edges have the same direction in every graph of the class; reversible edges do not.
    `Dag.cpdag` makes one from a graph. It never changes, and two are equal when they stand for the
    same class.

    Parameters
    ----------
    compelled : iterable of (str, str)
        Directed edges, each from parent to child.
    reversible : iterable of (str, str)
        Undirected edges, the two nodes in any order.
    nodes : iterable of str, optional
        All nodes in the order to keep. Without it, those of the edges as they appear.

    Raises
    ------
    GraphError
        If this is not the class of any graph: no graph has these edges, or one of the undirected
        edges has only one possible direction, or a directed one has two.

    Examples
    --------
    >>> import dagwright as dw
    >>> cpdag = dw.Dag([("a", "c"), ("b", "c"), ("c", "d"), ("e", "f")]).cpdag()
    >>> cpdag.compelled
    (('a', 'c'), ('c', 'd'), ('b', 'c'))
    >>> cpdag.reversible
    (('e', 'f'),)
    >>> cpdag == dw.Dag([("a", "c"), ("b", "c"), ("c", "d"), ("f", "e")]).cpdag()
    True
    """

    __slots__ = ("_compelled", "_nodes", "_reversible")

    _nodes: tuple[str, ...]
    _compelled: tuple[NumberEdge, ...]
    _reversible: tuple[NumberEdge, ...]

    def __init__(
        self,
        compelled: Iterable[Sequence[str]] = (),
        reversible: Iterable[Sequence[str]] = (),
        nodes: Iterable[str] | None = None,
    ) -> None:
        directed = checked_edges(compelled)
        undirected = checked_edges(reversible)
        if nodes is None:
            names = tuple(dict.fromkeys(name for edge in directed + undirected for name in edge))
        else:
            names = checked_nodes(nodes)
        numbers = {name: number for number, name in enumerate(names)}
        joined: set[frozenset[str]] = set()
        for edge in directed + undirected:
            for name in edge:
                if name not in numbers:
                    raise unknown_node(name, names)
            if frozenset(edge) in joined:
                raise GraphError(f"{edge[0]!r} and {edge[1]!r} are joined twice; join them once")
            joined.add(frozenset(edge))
        self._fill(
            names,
            [(numbers[start], numbers[end]) for start, end in directed],
            [(numbers[first], numbers[second]) for first, second in undirected],
        )
        self._check_complete()

    def _fill(
        self,
        nodes: tuple[str, ...],
        compelled: Iterable[NumberEdge],
        reversible: Iterable[NumberEdge],
    ) -> None:
        self._nodes = nodes
        self._compelled = tuple(sorted(compelled))
        self._reversible = tuple(sorted((min(pair), max(pair)) for pair in reversible))

    @classmethod
    def _from_numbers(
        cls,
        nodes: tuple[str, ...],
        compelled: Iterable[NumberEdge],
        reversible: Iterable[NumberEdge],
    ) -> Self:
        """Make a class from the core's edges by number, which are known to be right."""
        cpdag = cls.__new__(cls)
        cpdag._fill(nodes, compelled, reversible)
        return cpdag

    def _check_complete(self) -> None:
        completed = self.to_dag().cpdag()
        if completed == self:
            return
        for edge in completed.compelled:
            if edge not in self.compelled:
                raise GraphError(
                    f"the edge {arrow(edge)} has only this direction given the other edges; "
                    "give it as compelled"
                )
        edge = next(edge for edge in self.compelled if edge not in completed.compelled)
        raise GraphError(
            f"the edge {arrow(edge)} could have either direction; give it as reversible"
        )

    @property
    def nodes(self) -> tuple[str, ...]:
        """The nodes in the order in which they were given."""
        return self._nodes

    @property
    def compelled(self) -> tuple[Edge, ...]:
        """The edges (parent, child) that every graph of the class has."""
        return self._named(self._compelled)

    @property
    def reversible(self) -> tuple[Edge, ...]:
        """The pairs of nodes joined in either direction, each in the order of the nodes."""
        return self._named(self._reversible)

    def skeleton(self) -> tuple[Edge, ...]:
        """Return the pairs of nodes that are joined, without directions.

        Returns
        -------
        tuple of (str, str)
            Each pair in the order of the nodes, and so the pairs.

        Examples
        --------
        >>> import dagwright as dw
        >>> dw.Dag([("a", "c"), ("b", "c")]).cpdag().skeleton()
        (('a', 'c'), ('c', 'b'))
        """
        return self._named(
            sorted((min(pair), max(pair)) for pair in self._compelled + self._reversible)
        )

    def to_dag(self) -> Dag:
        """Return one graph of the class (a consistent extension).

        Returns
        -------
        Dag
            A graph with the same skeleton and v-structures; always the same one for the same
            order of nodes.

        Examples
        --------
        >>> import dagwright as dw
        >>> dag = dw.Dag([("a", "b"), ("b", "c")])
        >>> dag.cpdag().to_dag().cpdag() == dag.cpdag()
        True
        """
        parents = _core.consistent_extension(len(self._nodes), self._compelled, self._reversible)
        if parents is None:
            raise GraphError(
                "no directed acyclic graph has these edges: every way to direct the reversible "
                "ones makes a cycle or a new v-structure"
            )
        return Dag._from_numbers(self._nodes, parents)

    def to_dot(self) -> str:
        """Return the class as text for Graphviz; reversible edges have no arrowhead.

        Returns
        -------
        str
            DOT, with the names quoted.

        Examples
        --------
        >>> import dagwright as dw
        >>> print(dw.Dag([("a", "b")]).cpdag().to_dot())
        digraph {
          "a";
          "b";
          "a" -> "b" [dir=none];
        }
        """
        from dagwright.io.dot import dot_text

        return dot_text(self._nodes, directed=self.compelled, undirected=self.reversible)

    def _to_draw(self) -> tuple[tuple[str, ...], list[Edge], list[Edge]]:
        # Equal classes get the same member to put in layers, whatever the order of their nodes.
        ordered = type(self)(self.compelled, self.reversible, sorted(self._nodes))
        compelled = set(self.compelled)
        undirected = [edge for edge in ordered.to_dag().edges if edge not in compelled]
        return self._nodes, list(compelled), undirected

    def _named(self, pairs: Iterable[NumberEdge]) -> tuple[Edge, ...]:
        return tuple((self._nodes[first], self._nodes[second]) for first, second in pairs)

    def _by_name(self) -> tuple[frozenset[str], frozenset[Edge], frozenset[frozenset[str]]]:
        pairs = frozenset(frozenset(pair) for pair in self.reversible)
        return frozenset(self._nodes), frozenset(self.compelled), pairs

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Cpdag):
            return NotImplemented
        return self._by_name() == other._by_name()

    def __hash__(self) -> int:
        return hash(self._by_name())

    def __reduce__(self) -> tuple[Callable[..., Cpdag], tuple[Any, ...]]:
        return type(self), (self.compelled, self.reversible, self._nodes)

    def __repr__(self) -> str:
        directed = [f"{start} -> {end}" for start, end in self.compelled]
        undirected = [f"{first} -- {second}" for first, second in self.reversible]
        return graph_repr("Cpdag", self._nodes, directed + undirected)
