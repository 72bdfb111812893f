import builtins
import pickle
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dagwright as dw
from dagwright import _core
from dagwright.errors import DagwrightError, GraphError
from oracle import graphs as oracle
from strategies import dags

NAMES = "abcdefgh"
MOVES = ["add", "remove", "reverse"]


def named(n, edges):
    return dw.Dag([(NAMES[a], NAMES[b]) for a, b in sorted(edges)], nodes=list(NAMES[:n]))


def parent_lists(n, edges):
    return [sorted(oracle.parents(edges, v)) for v in range(n)]


# The native graph that searches change edge by edge.


def check_native(native, n, edges):
    assert native.n_edges == len(edges)
    assert native.edges == sorted(edges)
    for v in range(n):
        assert native.parents(v) == sorted(oracle.parents(edges, v))
        assert native.parent_set(v) == native.parents(v)
        assert set(native.ancestors(v)) == oracle.ancestors(n, edges, v)


@given(
    st.integers(2, 7),
    st.lists(
        st.tuples(st.sampled_from(["add", "remove", "reverse"]), st.integers(), st.integers())
    ),
)
def test_walk_of_moves_keeps_ancestors_and_refuses_cycles(n, moves):
    native, edges = _core.Dag(n), frozenset()
    for kind, a, b in moves:
        edge = (a % n, b % n)
        without = edges - {edge}
        there = edge in edges
        after, can = {
            "add": (edges | {edge}, not there and edge[0] != edge[1]),
            "remove": (without, there),
            "reverse": (without | {edge[::-1]}, there),
        }[kind]
        can = can and oracle.is_acyclic(n, after)
        if kind != "remove":
            assert getattr(native, f"can_{kind}")(*edge) == can
        if can:
            getattr(native, kind)(*edge)
            edges = after
        else:
            with pytest.raises(ValueError, match=r"edge"):
                getattr(native, kind)(*edge)
        check_native(native, n, edges)


@given(dags(2, 7), st.integers(0, 6), st.sets(st.integers(0, 6)))
def test_set_parents_replaces_them_or_refuses_a_cycle(graph, v, group):
    n, edges = graph
    v, group = v % n, {u % n for u in group}
    native = _core.Dag(parent_lists(n, edges))
    after = frozenset(edge for edge in edges if edge[1] != v) | {(u, v) for u in group}
    can = v not in group and oracle.is_acyclic(n, after)
    assert native.can_set_parents(v, sorted(group)) == can
    if can:
        native.set_parents(v, sorted(group, reverse=True))
        edges = after
    else:
        with pytest.raises(ValueError, match="cycle"):
            native.set_parents(v, sorted(group))
    check_native(native, n, edges)


def test_ancestors_are_right_beyond_one_machine_word():
    n = 150
    rng = np.random.default_rng(1)
    native, edges = _core.Dag(n), set()
    for _ in range(1500):
        a, b = (int(v) for v in rng.integers(n, size=2))
        if native.can_add(a, b):
            native.add(a, b)
            edges.add((a, b))
        elif native.can_reverse(a, b):
            native.reverse(a, b)
            edges = edges - {(a, b)} | {(b, a)}
    for a, b in sorted(edges)[::3]:
        native.remove(a, b)
        edges.remove((a, b))
    graph = nx.DiGraph(sorted(edges))
    graph.add_nodes_from(range(n))
    assert len(edges) > 200
    for v in range(n):
        assert native.ancestors(v) == sorted(nx.ancestors(graph, v))


@given(dags(1, 7))
def test_native_graph_from_parents_equals_the_one_built_by_moves(graph):
    n, edges = graph
    native = _core.Dag(n)
    for edge in sorted(edges):
        native.add(*edge)
    assert native == _core.Dag(parent_lists(n, edges))
    check_native(_core.Dag(parent_lists(n, edges)), n, edges)
    if edges:
        assert native != _core.Dag(n)


def test_native_graph_refuses_bad_parents():
    for bad in ([[1], [0]], [[0]], [[7]], [[], [0, 0]]):
        with pytest.raises(ValueError, match=r"cycle|range|twice"):
            _core.Dag(bad)


@given(st.integers(1, 6), st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5))))
def test_find_cycle_finds_one_exactly_when_there_is_one(n, edges):
    edges = {(a % n, b % n) for a, b in edges}
    cycle = _core.find_cycle(n, sorted(edges))
    assert cycle == _core.find_cycle(n, sorted(edges, reverse=True))
    assert (cycle is None) == oracle.is_acyclic(n, edges)
    if cycle is not None:
        assert len(set(cycle)) == len(cycle)
        assert set(zip(cycle, cycle[1:] + cycle[:1], strict=True)) <= edges


# The immutable graph of users.


@given(dags(1, 7))
def test_relations_match_their_definitions(graph):
    n, edges = graph
    dag = named(n, edges)
    assert set(dag.edges) == {(NAMES[a], NAMES[b]) for a, b in edges}
    assert list(dag.edges) == sorted(dag.edges)
    for v in range(n):
        node = NAMES[v]
        assert dag.parents(node) == tuple(NAMES[u] for u in sorted(oracle.parents(edges, v)))
        assert set(dag.children(node)) == {u for u in NAMES[:n] if node in dag.parents(u)}
        assert dag.ancestors(node) == tuple(NAMES[u] for u in sorted(oracle.ancestors(n, edges, v)))
        assert dag.descendants(node) == tuple(
            NAMES[u] for u in sorted(oracle.descendants(n, edges, v))
        )
        for u in range(n):
            assert dag.has_edge(node, NAMES[u]) == ((v, u) in edges)
    assert {frozenset(pair) for pair in dag.skeleton()} == {
        frozenset(NAMES[v] for v in pair) for pair in oracle.skeleton(edges)
    }
    assert {(frozenset((a, b)), c) for a, c, b in dag.v_structures()} == {
        (frozenset(NAMES[v] for v in pair), NAMES[c]) for pair, c in oracle.v_structures(edges)
    }
    assert len(dag.v_structures()) == len(oracle.v_structures(edges))


@given(dags(1, 7))
def test_topological_order_takes_the_earliest_node_that_can_come(graph):
    n, edges = graph
    done = []
    while len(done) < n:
        done.append(
            min(v for v in range(n) if v not in done and oracle.parents(edges, v) <= set(done))
        )
    assert named(n, edges).topological_order() == tuple(NAMES[v] for v in done)


@given(dags(1, 6))
def test_round_trips(graph):
    dag = named(*graph)
    for copy in (
        pickle.loads(pickle.dumps(dag)),
        dw.Dag.from_parents({node: dag.parents(node) for node in dag.nodes}),
        dw.Dag.from_adjacency(dag.to_adjacency(), dag.nodes),
        dw.Dag.from_networkx(dag.to_networkx()),
        dw.Dag(reversed(dag.edges), nodes=dag.nodes),
    ):
        assert copy == dag
        assert copy.nodes == dag.nodes
        assert copy.edges == dag.edges
        assert hash(copy) == hash(dag)


def test_equality_is_about_nodes_and_edges_not_their_order():
    dag = dw.Dag([("a", "b")], nodes=["a", "b", "c"])
    same = dw.Dag([("a", "b")], nodes=["c", "b", "a"])
    assert dag == same
    assert hash(dag) == hash(same)
    assert dag != dw.Dag([("a", "b")])
    assert dag != dw.Dag([("b", "a")], nodes=["a", "b", "c"])
    assert dag != "dag"


def test_moves_return_new_graphs_and_keep_isolated_nodes():
    dag = dw.Dag([("a", "b")], nodes=["a", "b", "c"])
    assert dag.add("b", "c").edges == (("a", "b"), ("b", "c"))
    assert dag.remove("a", "b").nodes == ("a", "b", "c")
    assert dag.reverse("a", "b").edges == (("b", "a"),)
    assert dag.edges == (("a", "b"),)
    with pytest.raises(AttributeError):
        dag.nodes = ()
    with pytest.raises(AttributeError):
        dag.colour = "red"


def test_a_cycle_is_printed():
    with pytest.raises(GraphError, match="a -> b -> c -> a"):
        dw.Dag([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")])
    with pytest.raises(GraphError, match="a -> b -> c -> a"):
        dw.Dag([("a", "b"), ("b", "c")]).add("c", "a")
    with pytest.raises(GraphError, match="a -> b -> c -> a"):
        dw.Dag([("a", "b"), ("b", "c"), ("a", "c")]).reverse("a", "c")


@pytest.mark.parametrize(
    ("edges", "nodes", "message"),
    [
        ([("a", "a")], None, "self loop"),
        ([("a", "b"), ("a", "b")], None, "'a' -> 'b' is given twice"),
        ([("smoke", "b")], ["smok", "b"], "did you mean 'smok'"),
        ([("a", "b")], ["x", "y"], "the nodes are 'x', 'y'"),
        ([("a", "b")], ["a", "a", "b"], "'a' is given twice"),
        ([("a", "b", "c")], None, "pair of names"),
        (["ab"], None, "pair of names"),
        ([{"a", "b"}], None, "pair of names"),
        ([1], None, "pair of names"),
        ([(1, "b")], None, "must be a string"),
        ([], "abc", "not the string 'abc'"),
        ([], [1], "must be a string"),
    ],
)
def test_bad_graphs_are_refused_with_the_reason(edges, nodes, message):
    with pytest.raises(GraphError, match=message):
        dw.Dag(edges, nodes=nodes)


@pytest.mark.parametrize("method", ["parents", "children", "ancestors", "descendants"])
def test_unknown_nodes_are_named_with_a_suggestion(method):
    with pytest.raises(GraphError, match="unknown node 'cancr'; did you mean 'cancer'"):
        getattr(dw.Dag([("smoke", "cancer")]), method)("cancr")


def test_moves_on_what_is_not_there():
    dag = dw.Dag([("a", "b")], nodes=["a", "b", "c"])
    with pytest.raises(GraphError, match="no edge 'b' -> 'a'; there is one the other way"):
        dag.remove("b", "a")
    with pytest.raises(GraphError, match="no edge 'a' -> 'c'"):
        dag.reverse("a", "c")
    with pytest.raises(GraphError, match="given twice"):
        dag.add("a", "b")
    with pytest.raises(GraphError, match="unknown node 'z'"):
        dag.add("a", "z")


def test_bad_sources():
    with pytest.raises(GraphError, match="undirected"):
        dw.Dag.from_networkx(nx.Graph([("a", "b")]))
    with pytest.raises(GraphError, match="must be a string"):
        dw.Dag.from_networkx(nx.DiGraph([(1, 2)]))
    with pytest.raises(GraphError, match="given twice"):
        dw.Dag.from_networkx(nx.MultiDiGraph([("a", "b"), ("a", "b")]))
    with pytest.raises(GraphError, match=r"2 by 2, not of shape \(1, 2\)"):
        dw.Dag.from_adjacency([[0, 1]], nodes=["a", "b"])
    with pytest.raises(GraphError, match="0 and 1 only"):
        dw.Dag.from_adjacency([[0, 0.5], [0, 0]], nodes=["a", "b"])
    with pytest.raises(GraphError, match="a -> b -> a"):
        dw.Dag.from_adjacency([[0, 1], [1, 0]], nodes=["a", "b"])
    with pytest.raises(GraphError, match=r"use \['ab'\]"):
        dw.Dag.from_parents({"c": "ab"})


def test_networkx_absent_says_what_to_install(monkeypatch):
    real_import = builtins.__import__

    def no_networkx(name, *args, **kwargs):
        if name == "networkx":
            raise ImportError(name)
        return real_import(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", no_networkx)
    with pytest.raises(ImportError, match=r"pip install 'dagwright\[networkx\]'"):
        dw.Dag().to_networkx()


def test_repr_stays_short():
    assert repr(dw.Dag()) == "<Dag: 0 nodes, 0 edges>"
    many = dw.Dag([("root", f"leaf{i}") for i in range(1000)])
    assert len(repr(many)) < 200
    assert "1001 nodes, 1000 edges" in repr(many)


def test_a_long_chain_does_not_overflow_the_stack():
    names = [f"v{i}" for i in range(100_000)]
    chain = dw.Dag(pairwise(names))
    assert chain.topological_order() == tuple(names)
    assert len(chain.ancestors(names[-1])) == len(names) - 1
    with pytest.raises(GraphError, match="a cycle"):
        chain.add(names[-1], names[0])


def test_graph_errors_are_value_errors_of_ours():
    assert issubclass(GraphError, DagwrightError)
    assert issubclass(GraphError, ValueError)
