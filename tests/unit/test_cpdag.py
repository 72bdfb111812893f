import pickle
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagwright as dw
from dagwright import _core
from dagwright.errors import GraphError
from oracle import graphs as oracle
from strategies import dags


def parent_lists(n, edges):
    return [sorted(oracle.parents(edges, v)) for v in range(n)]


def edges_of(parents):
    return frozenset((u, v) for v, group in enumerate(parents) for u in group)


def check_cpdag(n, edges):
    directed, undirected = _core.cpdag(parent_lists(n, edges))
    compelled, reversible = oracle.cpdag(n, edges)
    assert set(directed) == compelled
    assert {frozenset(pair) for pair in undirected} == reversible
    assert len(directed) + len(undirected) == len(edges)
    extension = edges_of(_core.consistent_extension(n, directed, undirected))
    assert oracle.is_acyclic(n, extension)
    assert oracle.equivalent(extension, edges)
    assert compelled <= extension


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_every_small_graph_matches_its_enumerated_class(n):
    for edges in oracle.all_dags(n):
        check_cpdag(n, edges)


@settings(deadline=None)
@given(dags(5, 8, max_edges=10))
def test_larger_graphs_match_their_enumerated_class(graph):
    check_cpdag(*graph)


def test_same_cpdag_exactly_when_equivalent():
    names = ["a", "b", "c", "d"]
    by_cpdag, by_definition = {}, {}
    for edges in oracle.all_dags(4):
        dag = dw.Dag([(names[a], names[b]) for a, b in edges], nodes=names)
        by_cpdag.setdefault(dag.cpdag(), set()).add(edges)
        key = frozenset(oracle.skeleton(edges)), frozenset(oracle.v_structures(edges))
        by_definition.setdefault(key, set()).add(edges)
    assert len(by_definition) == 185  # the number of classes over 4 nodes, from the literature
    assert sorted(map(sorted, by_cpdag.values())) == sorted(map(sorted, by_definition.values()))


@settings(deadline=None)
@given(
    st.integers(2, 6),
    st.dictionaries(st.tuples(st.integers(0, 5), st.integers(0, 5)), st.booleans(), max_size=9),
)
def test_extension_exists_exactly_when_brute_force_finds_one(n, marks):
    joins = {}
    for (a, b), is_directed in marks.items():
        if a % n != b % n:
            joins[frozenset((a % n, b % n))] = ((a % n, b % n), is_directed)
    directed = [edge for edge, is_directed in joins.values() if is_directed]
    undirected = [edge for edge, is_directed in joins.values() if not is_directed]
    found = _core.consistent_extension(n, directed, undirected)
    possible = set(oracle.consistent_extensions(n, directed, undirected))
    if found is None:
        assert not possible
    else:
        assert edges_of(found) in possible


def test_a_thousand_nodes_take_milliseconds():
    dag = dw.random_dag([f"v{i}" for i in range(1000)], mean_parents=2, seed=3)
    parents = dag._parents
    start = time.perf_counter()
    directed, undirected = _core.cpdag(parents)
    assert time.perf_counter() - start < 0.1
    assert len(directed) + len(undirected) == len(dag.edges)
    assert dag.cpdag().to_dag().cpdag() == dag.cpdag()
    assert dag.cpdag().to_dag().v_structures() == dag.v_structures()


@given(dags(1, 6))
def test_python_class_round_trips(graph):
    n, edges = graph
    names = list("fedcba")[:n]
    dag = dw.Dag([(names[a], names[b]) for a, b in edges], nodes=names)
    cpdag = dag.cpdag()
    assert cpdag.nodes == dag.nodes
    assert set(cpdag.skeleton()) == set(dag.skeleton())
    for copy in (
        pickle.loads(pickle.dumps(cpdag)),
        cpdag.to_dag().cpdag(),
        dw.Cpdag(cpdag.compelled, [pair[::-1] for pair in cpdag.reversible], sorted(names)),
    ):
        assert copy == cpdag
        assert hash(copy) == hash(cpdag)


def test_different_classes_differ():
    chain, collider = dw.Dag([("a", "b"), ("b", "c")]), dw.Dag([("a", "b"), ("c", "b")])
    assert chain.cpdag() != collider.cpdag()
    assert chain.cpdag() != dw.Dag([("a", "b")], nodes=["a", "b", "c"]).cpdag()
    assert dw.Dag(nodes=["a"]).cpdag() != dw.Dag(nodes=["b"]).cpdag()
    assert chain.cpdag() != "cpdag"
    with pytest.raises(AttributeError):
        chain.cpdag().compelled = ()


@pytest.mark.parametrize(
    ("compelled", "reversible", "message"),
    [
        ([("a", "b")], [], "'a' -> 'b' could have either direction"),
        (
            [("a", "b"), ("c", "b")],
            [("b", "d")],
            "'b' -> 'd' has only this direction",
        ),
        ([], [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")], "no directed acyclic graph"),
        ([("a", "b"), ("b", "c"), ("c", "a")], [], "no directed acyclic graph"),
        ([("a", "b")], [("b", "a")], "joined twice"),
        ([], [("a", "b"), ("b", "a")], "joined twice"),
        ([], [("a", "a")], "self loop"),
    ],
)
def test_what_is_no_class_is_refused(compelled, reversible, message):
    with pytest.raises(GraphError, match=message):
        dw.Cpdag(compelled, reversible)


def test_unknown_nodes_are_refused():
    with pytest.raises(GraphError, match="did you mean 'abc'"):
        dw.Cpdag([], [("abd", "x")], nodes=["abc", "x"])
