"""Undirected graphs over named nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dagwright._names import Edge, checked_edges, checked_name, checked_nodes, unknown_node
from dagwright.draw.drawn import Drawn
from dagwright.errors import DagwrightError, DataError, GraphError
from dagwright.graph import graph_repr
from dagwright.io.json import FORMAT, VERSION, check_header, read_json, write_json

__all__ = ["KIND", "UndirectedGraph"]

KIND = "undirected-graph"


class UndirectedGraph(Drawn):
    """An undirected graph over named nodes: which variables depend on each other directly.

    A graph never changes. Two are equal when they have the same nodes and edges, in whatever order
    they were given.

    Parameters
    ----------
    edges : iterable of (str, str)
        The edges, the two nodes of each in any order.
    nodes : iterable of str, optional
        All nodes, isolated ones too, in the order to keep. Without it, those of the edges.

    Examples
    --------
    >>> import dagwright as dw
    >>> graph = dw.UndirectedGraph([("b", "a"), ("b", "c")], nodes=["a", "b", "c", "d"])
    >>> graph
    <UndirectedGraph: 4 nodes, 2 edges: a -- b, b -- c>
    >>> graph.neighbours("b"), graph.has_edge("c", "b")
    (('a', 'c'), True)
    >>> graph.separated("a", "c", given=["b"])
    True
    """

    __slots__ = ("_neighbours", "_nodes", "_numbers")

    _nodes: tuple[str, ...]
    _numbers: dict[str, int]
    _neighbours: tuple[tuple[int, ...], ...]

    def __init__(
        self, edges: Iterable[Sequence[str]] = (), nodes: Iterable[str] | None = None
    ) -> None:
        named = checked_edges(edges)
        if nodes is None:
            names = tuple(dict.fromkeys(name for edge in named for name in edge))
        else:
            names = checked_nodes(nodes)
        numbers = {name: number for number, name in enumerate(names)}
        neighbours: list[set[int]] = [set() for _ in names]
        for edge in named:
            for name in edge:
                if name not in numbers:
                    raise unknown_node(name, names)
            first, second = (numbers[name] for name in edge)
            if second in neighbours[first]:
                raise GraphError(f"{edge[0]!r} and {edge[1]!r} are joined twice; join them once")
            neighbours[first].add(second)
            neighbours[second].add(first)
        self._nodes = names
        self._numbers = numbers
        self._neighbours = tuple(tuple(sorted(group)) for group in neighbours)

    @classmethod
    def _from_numbers(cls, nodes: tuple[str, ...], pairs: Iterable[Sequence[int]]) -> Self:
        """Make a graph from pairs of numbers of nodes, each pair once."""
        return cls(((nodes[first], nodes[second]) for first, second in pairs), nodes=nodes)

    @classmethod
    def complete(cls, nodes: Iterable[str]) -> Self:
        """Return the graph that joins all pairs of nodes.

        Examples
        --------
        >>> import dagwright as dw
        >>> dw.UndirectedGraph.complete(["a", "b", "c"])
        <UndirectedGraph: 3 nodes, 3 edges: a -- b, a -- c, b -- c>
        """
        names = checked_nodes(nodes)
        return cls(
            ((names[i], names[j]) for i in range(len(names)) for j in range(i + 1, len(names))),
            nodes=names,
        )

    @classmethod
    def from_adjacency(cls, adjacency: ArrayLike, nodes: Iterable[str]) -> Self:
        """Make a graph from a symmetric matrix of zeros and ones.

        Examples
        --------
        >>> import dagwright as dw
        >>> dw.UndirectedGraph.from_adjacency([[0, 1], [1, 0]], nodes=["a", "b"])
        <UndirectedGraph: 2 nodes, 1 edge: a -- b>
        """
        names = checked_nodes(nodes)
        matrix = np.asarray(adjacency)
        if matrix.shape != (len(names), len(names)):
            raise GraphError(
                f"the adjacency matrix of {len(names)} nodes must be {len(names)} by {len(names)}, "
                f"not of shape {matrix.shape}"
            )
        if not np.isin(matrix, (0, 1)).all():
            raise GraphError(
                "an adjacency matrix holds 0 and 1 only; make it one with (matrix != 0)"
            )
        if (matrix != matrix.T).any() or matrix.diagonal().any():
            raise GraphError(
                "the adjacency matrix of an undirected graph is symmetric, with zeros on the "
                "diagonal; make it so with (matrix | matrix.T)"
            )
        return cls._from_numbers(names, zip(*np.triu(matrix).nonzero(), strict=True))

    @classmethod
    def from_networkx(cls, graph: Any) -> Self:
        """Make a graph from an undirected networkx graph whose nodes are strings.

        Examples
        --------
        >>> import dagwright as dw
        >>> import networkx as nx
        >>> dw.UndirectedGraph.from_networkx(nx.Graph([("a", "b")]))
        <UndirectedGraph: 2 nodes, 1 edge: a -- b>
        """
        if not callable(getattr(graph, "is_directed", None)):
            raise GraphError(f"a {type(graph).__name__} is no networkx graph; give a Graph")
        if graph.is_directed():
            raise GraphError("the networkx graph is directed; give a networkx.Graph")
        return cls(graph.edges(), nodes=graph.nodes())

    @property
    def nodes(self) -> tuple[str, ...]:
        """The nodes in the order in which they were given."""
        return self._nodes

    @property
    def edges(self) -> tuple[Edge, ...]:
        """The edges, each in the order of the nodes, and so the edges."""
        return tuple((self._nodes[a], self._nodes[b]) for a, b in self._pairs)

    @property
    def _pairs(self) -> tuple[tuple[int, int], ...]:
        return tuple((a, b) for a, group in enumerate(self._neighbours) for b in group if a < b)

    def has_edge(self, first: str, second: str) -> bool:
        """Say whether two nodes are joined.

        Examples
        --------
        >>> import dagwright as dw
        >>> dw.UndirectedGraph([("a", "b")]).has_edge("b", "a")
        True
        """
        return self._number(second) in self._neighbours[self._number(first)]

    def neighbours(self, node: str) -> tuple[str, ...]:
        """Return the nodes that are joined to a node: its Markov blanket.

        Examples
        --------
        >>> import dagwright as dw
        >>> dw.UndirectedGraph([("a", "b"), ("b", "c")]).neighbours("b")
        ('a', 'c')
        """
        return tuple(self._nodes[other] for other in self._neighbours[self._number(node)])

    def separated(
        self, first: str | Iterable[str], second: str | Iterable[str], given: Iterable[str] = ()
    ) -> bool:
        """Say whether every path between two sets of nodes goes through a third.

        Then every positive distribution that the graph describes makes them independent given
        the third.

        Examples
        --------
        >>> import dagwright as dw
        >>> ring = dw.UndirectedGraph([("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")])
        >>> ring.separated("a", "c", given=["b"]), ring.separated("a", "c", given=["b", "d"])
        (False, True)
        """
        groups = [
            {self._number(node) for node in ([nodes] if isinstance(nodes, str) else nodes)}
            for nodes in (first, second, given)
        ]
        for at, group in enumerate(groups):
            for other in groups[at + 1 :]:
                if group & other:
                    both = self._nodes[min(group & other)]
                    raise GraphError(f"separated: {both!r} is in two of the sets; the sets differ")
        ends, goals, known = groups
        return not self._reached(ends, known) & goals

    def components(self) -> tuple[tuple[str, ...], ...]:
        """Return the connected parts, each in the order of the nodes.

        Examples
        --------
        >>> import dagwright as dw
        >>> dw.UndirectedGraph([("a", "c")], nodes=["a", "b", "c"]).components()
        (('a', 'c'), ('b',))
        """
        parts, seen = [], set[int]()
        for node in range(len(self._nodes)):
            if node not in seen:
                part = self._reached({node}, set())
                seen |= part
                parts.append(tuple(self._nodes[own] for own in sorted(part)))
        return tuple(parts)

    def _reached(self, ends: set[int], without: set[int]) -> set[int]:
        reached = set(ends)
        waiting = list(ends)
        while waiting:
            for other in self._neighbours[waiting.pop()]:
                if other not in reached and other not in without:
                    reached.add(other)
                    waiting.append(other)
        return reached

    def is_forest(self) -> bool:
        """Say whether the graph has no ring.

        Examples
        --------
        >>> import dagwright as dw
        >>> dw.UndirectedGraph([("a", "b"), ("b", "c")]).is_forest()
        True
        """
        return len(self._pairs) == len(self._nodes) - len(self.components())

    def is_decomposable(self) -> bool:
        """Say whether every ring of four or more has a chord (the graph is chordal).

        Then the maximum of the likelihood has a closed form, by the marginals of the cliques.

        Examples
        --------
        >>> import dagwright as dw
        >>> ring = dw.UndirectedGraph([("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")])
        >>> ring.is_decomposable()
        False
        """
        return self._perfect_order() is not None

    def cliques(self) -> tuple[tuple[str, ...], ...]:
        """Return the largest sets of nodes that are all joined, which no other one contains.

        Examples
        --------
        >>> import dagwright as dw
        >>> dw.UndirectedGraph([("a", "b"), ("b", "c"), ("a", "c"), ("c", "d")]).cliques()
        (('a', 'b', 'c'), ('c', 'd'))
        """
        return tuple(tuple(self._nodes[own] for own in clique) for clique in self._cliques())

    def _cliques(self) -> list[tuple[int, ...]]:
        """By Bron and Kerbosch's algorithm with a pivot (Tomita et al. 2006)."""
        joined = [set(group) for group in self._neighbours]
        found: list[tuple[int, ...]] = []
        waiting = [(set[int](), set(range(len(self._nodes))), set[int]())]
        while waiting:
            clique, left, done = waiting.pop()
            if not left and not done:
                if clique:
                    found.append(tuple(sorted(clique)))
                continue
            pivot = max(left | done, key=lambda own: (len(joined[own] & left), -own))
            for node in sorted(left - joined[pivot]):
                waiting.append((clique | {node}, left & joined[node], done & joined[node]))
                left = left - {node}
                done = done | {node}
        return sorted(found)

    def _perfect_order(self) -> list[tuple[int, tuple[int, ...]]] | None:
        """Return the nodes, each with its neighbours among those before it, all of them joined.

        By maximum cardinality search (Tarjan and Yannakakis 1984); None if there is no such order.
        """
        numbered: dict[int, int] = {}
        weight = [0] * len(self._nodes)
        left = set(range(len(self._nodes)))
        order = []
        while left:
            node = max(left, key=lambda own: (weight[own], -own))
            left.remove(node)
            before = tuple(own for own in self._neighbours[node] if own in numbered)
            if before:
                last = max(before, key=numbered.__getitem__)
                if not set(before) - {last} <= set(self._neighbours[last]):
                    return None
            numbered[node] = len(numbered)
            order.append((node, before))
            for other in self._neighbours[node]:
                weight[other] += 1
        return order

    def to_adjacency(self) -> NDArray[np.bool_]:
        """Return the edges as a symmetric matrix.

        Examples
        --------
        >>> import dagwright as dw
        >>> dw.UndirectedGraph([("a", "b")]).to_adjacency().astype(int).tolist()
        [[0, 1], [1, 0]]
        """
        matrix = np.zeros((len(self._nodes),) * 2, dtype=np.bool_)
        for node, group in enumerate(self._neighbours):
            matrix[node, list(group)] = True
        return matrix

    def to_networkx(self) -> Any:
        """Return the graph as a `networkx.Graph`.

        Needs ``pip install 'dagwright[networkx]'``.

        Examples
        --------
        >>> import dagwright as dw
        >>> list(dw.UndirectedGraph([("a", "b")], nodes=["a", "b", "c"]).to_networkx().nodes)
        ['a', 'b', 'c']
        """
        try:
            import networkx as nx
        except ImportError as error:
            raise ImportError(
                "to_networkx needs networkx; install it with: pip install 'dagwright[networkx]'"
            ) from error
        graph = nx.Graph()
        graph.add_nodes_from(self._nodes)
        graph.add_edges_from(self.edges)
        return graph

    def to_dot(self) -> str:
        """Return the graph as text for Graphviz.

        Examples
        --------
        >>> import dagwright as dw
        >>> print(dw.UndirectedGraph([("a", "b")]).to_dot())
        digraph {
          "a";
          "b";
          "a" -> "b" [dir=none];
        }
        """
        from dagwright.io.dot import dot_text

        return dot_text(self._nodes, undirected=self.edges)

    def to_dict(self) -> dict[str, Any]:
        """Return the graph as plain JSON values.

        Examples
        --------
        >>> import dagwright as dw
        >>> graph = dw.UndirectedGraph([("a", "b")])
        >>> dw.UndirectedGraph.from_dict(graph.to_dict()) == graph
        True
        """
        return {
            "format": FORMAT,
            "version": VERSION,
            "kind": KIND,
            "nodes": list(self._nodes),
            "edges": [list(edge) for edge in self.edges],
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Make the graph that `to_dict` wrote."""
        check_header(values, KIND)
        if not {"nodes", "edges"} <= values.keys():
            raise DataError("a graph needs the keys 'nodes' and 'edges'")
        return cls(values["edges"], nodes=values["nodes"])

    def save(self, path: str | PathLike[str]) -> None:
        """Write the graph to a file of JSON."""
        write_json(self.to_dict(), path)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a graph from a file of JSON."""
        try:
            return cls.from_dict(read_json(path))
        except DagwrightError as error:
            raise DataError(f"{path}: {error}") from error

    def _to_draw(self) -> tuple[tuple[str, ...], list[Edge], list[Edge]]:
        return self._nodes, [], sorted((min(edge), max(edge)) for edge in self.edges)

    def _number(self, node: str) -> int:
        try:
            return self._numbers[checked_name(node)]
        except KeyError:
            raise unknown_node(node, self._nodes) from None

    def _by_name(self) -> tuple[frozenset[str], frozenset[frozenset[str]]]:
        return frozenset(self._nodes), frozenset(frozenset(edge) for edge in self.edges)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, UndirectedGraph):
            return NotImplemented
        return self._by_name() == other._by_name()

    def __hash__(self) -> int:
        return hash(self._by_name())

    def __reduce__(self) -> tuple[Callable[..., UndirectedGraph], tuple[Any, ...]]:
        return type(self), (self.edges, self._nodes)

    def __repr__(self) -> str:
        edges = [f"{first} -- {second}" for first, second in self.edges]
        return graph_repr("UndirectedGraph", self._nodes, edges)
