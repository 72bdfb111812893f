"""Directed acyclic graphs over named nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from os import PathLike
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dagwright import _core
from dagwright._names import (
    Edge,
    arrow,
    checked_edges,
    checked_name,
    checked_nodes,
    cycle_text,
    unknown_node,
)
from dagwright.draw.drawn import Drawn
from dagwright.errors import GraphError

if TYPE_CHECKING:
    from dagwright.cpdag import Cpdag
    from dagwright.undirected_graph import UndirectedGraph

__all__ = ["Dag"]

_MAX_EDGES_SHOWN = 8
_MAX_MATRIX_BYTES = 4 << 30

_Lists = tuple[tuple[int, ...], ...]
"""The parents, or the children, of each node by number, sorted."""


class Dag(Drawn):
    """A directed acyclic graph over named nodes.

    A graph never changes: `add`, `remove` and `reverse` return new ones. Two graphs are equal when
    they have the same nodes and the same edges, in whatever order they were given.

    Parameters
    ----------
    edges : iterable of (str, str)
        The edges, each from parent to child.
    nodes : iterable of str, optional
        All nodes, isolated ones too, in the order to keep. Without it, the nodes are those of the
        edges in the order in which they appear.

    Raises
    ------
    GraphError
        If there is a cycle (the message prints it), a self loop, an edge given twice, or an edge
        to a node that is not in `nodes`.

    Examples
    --------
    >>> import dagwright as dw
    >>> dag = dw.Dag([("smoke", "cancer"), ("cancer", "xray")], nodes=["smoke", "cancer", "xray"])
    >>> dag.parents("xray")
    ('cancer',)
    >>> dag.add("xray", "smoke")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    dagwright.errors.GraphError: a cycle: smoke -> cancer -> xray -> smoke; remove or...
    """

    __slots__ = ("_children", "_nodes", "_numbers", "_parents")

    _nodes: tuple[str, ...]
    _numbers: dict[str, int]
    _parents: _Lists
    _children: _Lists

    def __init__(
        self, edges: Iterable[Sequence[str]] = (), nodes: Iterable[str] | None = None
    ) -> None:
        named = checked_edges(edges)
        if nodes is None:
            names = tuple(dict.fromkeys(name for edge in named for name in edge))
        else:
            names = checked_nodes(nodes)
        numbers = {name: number for number, name in enumerate(names)}
        parents: list[set[int]] = [set() for _ in names]
        for edge in named:
            start, end = (_number(name, numbers) for name in edge)
            if start in parents[end]:
                raise GraphError(f"the edge {arrow(edge)} is given twice; give it once")
            parents[end].add(start)
        cycle = _core.find_cycle(
            len(names), [(start, end) for end, group in enumerate(parents) for start in group]
        )
        if cycle is not None:
            walk = cycle_text(names[number] for number in cycle)
            raise GraphError(f"a cycle: {walk}; remove or reverse one of these edges")
        self._fill(names, *_sorted_lists(parents))

    def _fill(self, nodes: tuple[str, ...], parents: _Lists, children: _Lists) -> None:
        self._nodes = nodes
        self._numbers = dict(zip(nodes, range(len(nodes)), strict=True))
        self._parents = parents
        self._children = children

    @classmethod
    def _from_numbers(cls, nodes: tuple[str, ...], parents: Sequence[Iterable[int]]) -> Self:
        """Make a graph from parents by number, which are known to have no cycle."""
        return cls._from_lists(nodes, *_sorted_lists(parents))

    @classmethod
    def _from_lists(cls, nodes: tuple[str, ...], parents: _Lists, children: _Lists) -> Self:
        """Make a graph that is known to have no cycle from lists that are sorted."""
        dag = cls.__new__(cls)
        dag._fill(nodes, parents, children)
        return dag

    @classmethod
    def from_parents(
        cls, parents: Mapping[str, Iterable[str]], nodes: Iterable[str] | None = None
    ) -> Self:
        """Make a graph from the parents of each node.

        Parameters
        ----------
        parents : mapping of str to iterable of str
            The parents of each child.
        nodes : iterable of str, optional
            All nodes in the order to keep. Without it: the keys, then the parents that are no keys.

        Returns
        -------
        Dag
            The graph.

        Examples
        --------
        >>> import dagwright as dw
        >>> dw.Dag.from_parents({"a": [], "c": ["a", "b"]})
        <Dag: 3 nodes, 2 edges: a -> c, b -> c>
        """
        if not isinstance(parents, Mapping):
            raise GraphError(f"the parents must be a mapping from children, not {parents!r}")
        edges: list[Edge] = []
        for child, group in parents.items():
            if isinstance(group, str) or not isinstance(group, Iterable):
                raise GraphError(
                    f"the parents of {child!r} must be a list of names, not {group!r}; "
                    f"use [{group!r}]"
                )
            edges.extend((parent, child) for parent in group)
        if nodes is None:
            nodes = dict.fromkeys([*parents, *(parent for parent, _ in edges)])
        return cls(edges, nodes=nodes)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Make the graph that `to_dict` wrote.

        Examples
        --------
        >>> import dagwright as dw
        >>> dw.Dag.from_dict({"nodes": ["a", "b"], "edges": [["a", "b"]]})
        <Dag: 2 nodes, 1 edge: a -> b>
        """
        if not isinstance(values, Mapping) or not {"nodes", "edges"} <= values.keys():
            raise GraphError(f"a graph needs the keys 'nodes' and 'edges', not {values!r}")
        return cls(values["edges"], nodes=values["nodes"])

    def to_dict(self) -> dict[str, Any]:
        """Return the nodes and the edges as plain lists.

        Examples
        --------
        >>> import dagwright as dw
        >>> dw.Dag([("a", "b")]).to_dict()
        {'nodes': ['a', 'b'], 'edges': [['a', 'b']]}
        """
        return {"nodes": list(self.nodes), "edges": [list(edge) for edge in self.edges]}

    @classmethod
    def from_adjacency(cls, adjacency: ArrayLike, nodes: Iterable[str]) -> Self:
        """Make a graph from a matrix of zeros and ones.

        Parameters
        ----------
        adjacency : array_like of bool, n by n
            Entry ``[i, j]`` is true when there is an edge from ``nodes[i]`` to ``nodes[j]``.
        nodes : iterable of str
            The names of the nodes in the order of the matrix.

        Returns
        -------
        Dag
            The graph.

        Examples
        --------
        >>> import dagwright as dw
        >>> dw.Dag.from_adjacency([[0, 1], [0, 0]], nodes=["a", "b"])
        <Dag: 2 nodes, 1 edge: a -> b>
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
        edges = ((names[start], names[end]) for start, end in zip(*matrix.nonzero(), strict=True))
        return cls(edges, nodes=names)

    @classmethod
    def from_networkx(cls, graph: Any) -> Self:
        """Make a graph from a directed networkx graph whose nodes are strings.

        Parameters
        ----------
        graph : networkx.DiGraph
            The graph; attributes are left out.

        Returns
        -------
        Dag
            The graph with the nodes in the order of `graph`.

        Examples
        --------
        >>> import dagwright as dw
        >>> import networkx as nx
        >>> dw.Dag.from_networkx(nx.DiGraph([("a", "b")]))
        <Dag: 2 nodes, 1 edge: a -> b>
        """
        if not callable(getattr(graph, "is_directed", None)):
            raise GraphError(f"a {type(graph).__name__} is no networkx graph; give a DiGraph")
        if not graph.is_directed():
            raise GraphError("the networkx graph is undirected; give a networkx.DiGraph")
        return cls(graph.edges(), nodes=graph.nodes())

    @classmethod
    def from_graphml(cls, path: str | PathLike[str]) -> Self:
        """Read a graph from a GraphML file.

        Parameters
        ----------
        path : path
            The file. The ids of its nodes become the names; attributes are left out.

        Returns
        -------
        Dag
            The graph.

        Examples
        --------
        >>> import dagwright as dw, tempfile, os
        >>> path = os.path.join(tempfile.mkdtemp(), "graph.graphml")
        >>> dw.Dag([("a", "b")]).to_graphml(path)
        >>> dw.Dag.from_graphml(path)
        <Dag: 2 nodes, 1 edge: a -> b>
        """
        from dagwright.io.graphml import read_graphml

        nodes, edges = read_graphml(path)
        return cls(edges, nodes=nodes)

    @property
    def nodes(self) -> tuple[str, ...]:
        """The nodes in the order in which they were given."""
        return self._nodes

    @property
    def edges(self) -> tuple[Edge, ...]:
        """The edges (parent, child), sorted by the order of the nodes."""
        return tuple(
            (start, self._nodes[end])
            for start, children in zip(self._nodes, self._children, strict=True)
            for end in children
        )

    def has_edge(self, parent: str, child: str) -> bool:
        """Say whether there is an edge from `parent` to `child`.

        Parameters
        ----------
        parent, child : str
            Two nodes.

        Returns
        -------
        bool
            Whether the edge is there.

        Examples
        --------
        >>> import dagwright as dw
        >>> dw.Dag([("a", "b")]).has_edge("b", "a")
        False
        """
        return self._number(parent) in self._parents[self._number(child)]

    def parents(self, node: str) -> tuple[str, ...]:
        """Return the parents of a node.

        Parameters
        ----------
        node : str
            A node.

        Returns
        -------
        tuple of str
            Its parents in the order of the nodes.

        Examples
        --------
        >>> import dagwright as dw
        >>> dw.Dag([("a", "c"), ("b", "c")]).parents("c")
        ('a', 'b')
        """
        return self._named(self._parents[self._number(node)])

    def children(self, node: str) -> tuple[str, ...]:
        """Return the children of a node.

        Parameters
        ----------
        node : str
            A node.

        Returns
        -------
        tuple of str
            Its children in the order of the nodes.

        Examples
        --------
        >>> import dagwright as dw
        >>> dw.Dag([("a", "b"), ("a", "c")]).children("a")
        ('b', 'c')
        """
        return self._named(self._children[self._number(node)])

    def ancestors(self, node: str) -> tuple[str, ...]:
        """Return the nodes from which a path leads to a node.

        Parameters
        ----------
        node : str
            A node.

        Returns
        -------
        tuple of str
            Its ancestors, without itself, in the order of the nodes.

        Examples
        --------
        >>> import dagwright as dw
        >>> dw.Dag([("a", "b"), ("b", "c")]).ancestors("c")
        ('a', 'b')
        """
        return self._reached(node, self._parents)

    def descendants(self, node: str) -> tuple[str, ...]:
        """Return the nodes to which a path leads from a node.

        Parameters
        ----------
        node : str
            A node.

        Returns
        -------
        tuple of str
            Its descendants, without itself, in the order of the nodes.

        Examples
        --------
        >>> import dagwright as dw
        >>> dw.Dag([("a", "b"), ("b", "c")]).descendants("a")
        ('b', 'c')
        """
        return self._reached(node, self._children)

    def d_separated(
        self, first: str | Iterable[str], second: str | Iterable[str], given: Iterable[str] = ()
    ) -> bool:
        """Say whether two sets of nodes are d-separated given a third.

        Then every distribution that the graph describes makes them independent given the third.

        Parameters
        ----------
        first, second : str or iterable of str
            Nodes; the sets must not overlap.
        given : iterable of str
            Nodes whose states are known.

        Returns
        -------
        bool
            Whether no path is open between them.

        Examples
        --------
        >>> import dagwright as dw
        >>> dag = dw.Dag([("a", "c"), ("b", "c"), ("c", "d")])
        >>> dag.d_separated("a", "b"), dag.d_separated("a", "b", given=["d"])
        (True, False)
        """
        groups = [
            {self._number(node) for node in ([nodes] if isinstance(nodes, str) else nodes)}
            for nodes in (first, second, given)
        ]
        for a, b in combinations(groups, 2):
            if a & b:
                both = self._nodes[min(a & b)]
                raise GraphError(f"d_separated: {both!r} is in two of the sets; the sets differ")
        ends, goals, known = groups
        above = set(known)  # the known nodes and their ancestors: there colliders are open
        waiting = list(known)
        while waiting:
            for parent in self._parents[waiting.pop()]:
                if parent not in above:
                    above.add(parent)
                    waiting.append(parent)
        # A path comes to a node from a child ("up") or from a parent ("down").
        seen: set[tuple[int, bool]] = set()
        steps = [(node, True) for node in ends]
        while steps:
            node, up = step = steps.pop()
            if step in seen:
                continue
            seen.add(step)
            if node in goals:
                return False
            if node not in known:
                steps.extend((child, False) for child in self._children[node])
                if up:
                    steps.extend((parent, True) for parent in self._parents[node])
            if not up and node in above:
                steps.extend((parent, True) for parent in self._parents[node])
        return True

    def topological_order(self) -> tuple[str, ...]:
        """Return the nodes with parents before children.

        Returns
        -------
        tuple of str
            The one order that always takes the earliest node of `nodes` that can come next.

        Examples
        --------
        >>> import dagwright as dw
        >>> dw.Dag([("c", "a")], nodes=["a", "b", "c"]).topological_order()
        ('b', 'c', 'a')
        """
        return self._named(_core.topological_order(self._parents))

    def add(self, parent: str, child: str) -> Self:
        """Return this graph with one more edge.

        Parameters
        ----------
        parent, child : str
            Two nodes of this graph.

        Returns
        -------
        Dag
            A new graph.

        Examples
        --------
        >>> import dagwright as dw
        >>> dw.Dag(nodes=["a", "b"]).add("a", "b")
        <Dag: 2 nodes, 1 edge: a -> b>
        """
        return type(self)([*self.edges, (parent, child)], nodes=self._nodes)

    def remove(self, parent: str, child: str) -> Self:
        """Return this graph without one edge; the nodes stay.

        Parameters
        ----------
        parent, child : str
            An edge of this graph.

        Returns
        -------
        Dag
            A new graph.

        Examples
        --------
        >>> import dagwright as dw
        >>> dw.Dag([("a", "b")]).remove("a", "b")
        <Dag: 2 nodes, 0 edges>
        """
        if not self.has_edge(parent, child):
            hint = "; there is one the other way" if self.has_edge(child, parent) else ""
            raise GraphError(f"there is no edge {arrow((parent, child))}{hint}")
        return type(self)(
            [edge for edge in self.edges if edge != (parent, child)], nodes=self._nodes
        )

    def reverse(self, parent: str, child: str) -> Self:
        """Return this graph with one edge turned round.

        Parameters
        ----------
        parent, child : str
            An edge of this graph; it becomes ``child -> parent``.

        Returns
        -------
        Dag
            A new graph.

        Examples
        --------
        >>> import dagwright as dw
        >>> dw.Dag([("a", "b")]).reverse("a", "b")
        <Dag: 2 nodes, 1 edge: b -> a>
        """
        return self.remove(parent, child).add(child, parent)

    def skeleton(self) -> tuple[Edge, ...]:
        """Return the pairs of nodes that are joined, without directions.

        Returns
        -------
        tuple of (str, str)
            Each pair in the order of the nodes, and so the pairs.

        Examples
        --------
        >>> import dagwright as dw
        >>> dw.Dag([("b", "a")], nodes=["a", "b"]).skeleton()
        (('a', 'b'),)
        """
        pairs = sorted(
            (min(parent, child), max(parent, child))
            for child, group in enumerate(self._parents)
            for parent in group
        )
        return tuple((self._nodes[first], self._nodes[second]) for first, second in pairs)

    def v_structures(self) -> tuple[tuple[str, str, str], ...]:
        """Return the colliders whose two parents are not joined: ``a -> child <- b``.

        Returns
        -------
        tuple of (str, str, str)
            As (a, child, b), with a before b in the order of the nodes; sorted by child.

        Examples
        --------
        >>> import dagwright as dw
        >>> dw.Dag([("a", "c"), ("b", "c")]).v_structures()
        (('a', 'c', 'b'),)
        """
        return tuple(
            (self._nodes[first], self._nodes[child], self._nodes[second])
            for child, group in enumerate(self._parents)
            for first, second in combinations(group, 2)
            if first not in self._parents[second] and second not in self._parents[first]
        )

    def cpdag(self) -> Cpdag:
        """Return the equivalence class: which directions the data could tell at all.

        Returns
        -------
        Cpdag
            The compelled and the reversible edges.

        Examples
        --------
        >>> import dagwright as dw
        >>> dw.Dag([("a", "c"), ("b", "c"), ("d", "e")]).cpdag()
        <Cpdag: 5 nodes, 3 edges: a -> c, b -> c, d -- e>
        """
        from dagwright.cpdag import Cpdag

        return Cpdag._from_numbers(self._nodes, *_core.cpdag(self._parents))

    def moral_graph(self) -> UndirectedGraph:
        """Return the undirected graph that joins each node to its parents, and parents of one node.

        Whatever it separates is d-separated here: it is the graph of the factors of a Bayesian
        network, one a family.

        Returns
        -------
        UndirectedGraph
            The same nodes, in the same order.

        Examples
        --------
        >>> import dagwright as dw
        >>> dw.Dag([("a", "c"), ("b", "c")]).moral_graph()
        <UndirectedGraph: 3 nodes, 3 edges: a -- c, a -- b, c -- b>
        """
        from dagwright.undirected_graph import UndirectedGraph

        pairs = {
            (min(pair), max(pair))
            for child, group in enumerate(self._parents)
            for pair in combinations((*group, child), 2)
        }
        return UndirectedGraph._from_numbers(self._nodes, sorted(pairs))

    def to_adjacency(self) -> NDArray[np.bool_]:
        """Return the edges as a matrix.

        Returns
        -------
        numpy.ndarray of bool, n by n
            Entry ``[i, j]`` is true when there is an edge from ``nodes[i]`` to ``nodes[j]``.

        Examples
        --------
        >>> import dagwright as dw
        >>> dw.Dag([("a", "b")]).to_adjacency().astype(int).tolist()
        [[0, 1], [0, 0]]
        """
        n = len(self._nodes)
        if n**2 > _MAX_MATRIX_BYTES:
            raise GraphError(
                f"the matrix of {n:,} nodes would take {n**2 / 2**30:.1f} GiB, more than "
                f"{_MAX_MATRIX_BYTES >> 30}: use edges, parents or to_networkx"
            )
        matrix = np.zeros((n, n), dtype=np.bool_)
        for child, group in enumerate(self._parents):
            matrix[list(group), child] = True
        return matrix

    def to_networkx(self) -> Any:
        """Return the graph as a `networkx.DiGraph`.

        Needs ``pip install 'dagwright[networkx]'``.

        Returns
        -------
        networkx.DiGraph
            The same nodes, in the same order, and edges.

        Examples
        --------
        >>> import dagwright as dw
        >>> list(dw.Dag([("a", "b")], nodes=["a", "b", "c"]).to_networkx().nodes)
        ['a', 'b', 'c']
        """
        try:
            import networkx as nx
        except ImportError as error:
            raise ImportError(
                "to_networkx needs networkx; install it with: pip install 'dagwright[networkx]'"
            ) from error
        graph = nx.DiGraph()
        graph.add_nodes_from(self._nodes)
        graph.add_edges_from(self.edges)
        return graph

    def to_dot(self) -> str:
        """Return the graph as text for Graphviz.

        Returns
        -------
        str
            DOT, with the names quoted.

        Examples
        --------
        >>> import dagwright as dw
        >>> print(dw.Dag([("a", "b")]).to_dot())
        digraph {
          "a";
          "b";
          "a" -> "b";
        }
        """
        from dagwright.io.dot import dot_text

        return dot_text(self._nodes, directed=self.edges)

    def _to_draw(self) -> tuple[tuple[str, ...], list[Edge], list[Edge]]:
        return self._nodes, list(self.edges), []

    def to_graphml(self, path: str | PathLike[str]) -> None:
        """Write the graph to a GraphML file.

        Parameters
        ----------
        path : path
            The file to write.

        Examples
        --------
        >>> import dagwright as dw, tempfile, os
        >>> path = os.path.join(tempfile.mkdtemp(), "graph.graphml")
        >>> dw.Dag([("a", "b")]).to_graphml(path)
        """
        from dagwright.io.graphml import write_graphml

        write_graphml(path, self._nodes, self.edges)

    def _number(self, node: str) -> int:
        return _number(checked_name(node), self._numbers)

    def _named(self, numbers: Iterable[int]) -> tuple[str, ...]:
        return tuple(self._nodes[number] for number in numbers)

    def _reached(self, node: str, steps: Sequence[Sequence[int]]) -> tuple[str, ...]:
        reached: set[int] = set()
        waiting = [self._number(node)]
        while waiting:
            for number in steps[waiting.pop()]:
                if number not in reached:
                    reached.add(number)
                    waiting.append(number)
        return self._named(sorted(reached))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Dag):
            return NotImplemented
        if self._nodes == other._nodes:
            return self._parents == other._parents
        return set(self._nodes) == set(other._nodes) and set(self.edges) == set(other.edges)

    def __hash__(self) -> int:
        return hash((frozenset(self._nodes), frozenset(self.edges)))

    def __reduce__(self) -> tuple[Callable[..., Dag], tuple[Any, ...]]:
        return type(self), (self.edges, self._nodes)

    def __repr__(self) -> str:
        return graph_repr("Dag", self._nodes, [f"{start} -> {end}" for start, end in self.edges])


def check_dag(dag: object, subject: str = "dag") -> None:
    """Refuse what is not a Dag."""
    if not isinstance(dag, Dag):
        fix = "give its attribute dag" if isinstance(getattr(dag, "dag", None), Dag) else "give one"
        raise GraphError(f"{subject} must be a Dag, not a {type(dag).__name__}: {fix}")


def graph_repr(kind: str, nodes: Sequence[str], edges: Sequence[str]) -> str:
    """Write a graph in one line that stays short however large the graph is."""
    shown = ", ".join(edges[:_MAX_EDGES_SHOWN]) + (", ..." if len(edges) > _MAX_EDGES_SHOWN else "")
    counts = f"{_counted(len(nodes), 'node')}, {_counted(len(edges), 'edge')}"
    return f"<{kind}: {counts}: {shown}>" if shown else f"<{kind}: {counts}>"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _sorted_lists(parents: Sequence[Iterable[int]]) -> tuple[_Lists, _Lists]:
    """Return the parents and the children of each node, given the parents in any order."""
    children: list[list[int]] = [[] for _ in parents]
    for child, group in enumerate(parents):
        for parent in group:
            children[parent].append(child)
    return tuple([tuple(sorted(group)) for group in parents]), tuple(map(tuple, children))


def _number(name: str, numbers: Mapping[str, int]) -> int:
    try:
        return numbers[name]
    except KeyError:
        raise unknown_node(name, list(numbers)) from None
