"""Undirected graphs: what they know, against networkx and slow twins."""

import pickle

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dagwright as dw
from oracle import undirected as oracle
from strategies import dags


@st.composite
def graphs(draw, max_nodes=7):
    n = draw(st.integers(1, max_nodes))
    pairs = [(f"n{a}", f"n{b}") for a in range(n) for b in range(a)]
    edges = draw(st.sets(st.sampled_from(pairs))) if pairs else set()
    return dw.UndirectedGraph(edges, nodes=[f"n{v}" for v in range(n)])


@given(graphs())
def test_cliques_rings_and_parts_are_those_of_networkx(graph):
    theirs = graph.to_networkx()
    assert {frozenset(own) for own in graph.cliques()} == set(
        map(frozenset, nx.find_cliques(theirs))
    )
    assert len(graph.cliques()) == len(set(graph.cliques()))
    assert graph.is_decomposable() == nx.is_chordal(theirs)
    assert graph.is_forest() == nx.is_forest(theirs)
    assert {frozenset(own) for own in graph.components()} == set(
        map(frozenset, nx.connected_components(theirs))
    )
    assert dw.UndirectedGraph.from_networkx(theirs) == graph


@given(graphs(), st.data())
def test_separation(graph, data):
    if len(graph.nodes) < 2:
        return
    a, b, *rest = data.draw(st.permutations(graph.nodes))
    known = data.draw(st.lists(st.sampled_from(rest), unique=True)) if rest else []
    assert graph.separated(a, b, known) == oracle.separated(graph.nodes, graph.edges, a, b, known)


@given(graphs())
def test_round_trips(graph):
    assert dw.UndirectedGraph.from_dict(graph.to_dict()) == graph
    assert dw.UndirectedGraph.from_adjacency(graph.to_adjacency(), graph.nodes) == graph
    assert pickle.loads(pickle.dumps(graph)) == graph
    assert hash(dw.UndirectedGraph(graph.edges[::-1], nodes=graph.nodes[::-1])) == hash(graph)


@given(dags(max_nodes=6))
def test_a_moral_graph_joins_parents(drawn):
    n, edges = drawn
    names = [f"n{v}" for v in range(n)]
    dag = dw.Dag([(names[a], names[b]) for a, b in edges], nodes=names)
    moral = nx.moral_graph(dag.to_networkx())
    assert dag.moral_graph() == dw.UndirectedGraph(moral.edges, nodes=names)


def test_what_a_moral_graph_separates_is_d_separated():
    dag = dw.networks.load("asia").dag
    moral = dag.moral_graph()
    for a in dag.nodes:
        for b in dag.nodes:
            others = [node for node in dag.nodes if node not in (a, b)]
            if a != b and moral.separated(a, b, others[:4]):
                assert dag.d_separated(a, b, others[:4])


def test_file_and_picture(tmp_path):
    graph = dw.UndirectedGraph([("b", "a"), ("b", "c")], nodes=["c", "b", "a", "d"])
    graph.save(tmp_path / "graph.json")
    assert (
        dw.load(tmp_path / "graph.json")
        == graph
        == dw.UndirectedGraph.load(tmp_path / "graph.json")
    )
    assert "Graph: 4 nodes, 2 edges" in graph.to_svg()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: dw.UndirectedGraph([("a", "b"), ("b", "a")]), "'b' and 'a' are joined twice"),
        (lambda: dw.UndirectedGraph([("a", "a")]), "self loop"),
        (lambda: dw.UndirectedGraph([("a", "b")], nodes=["a"]), "unknown node 'b'"),
        (lambda: dw.UndirectedGraph([("a", "b")]).neighbours("c"), "unknown node 'c'"),
        (lambda: dw.UndirectedGraph([("a", "b")]).separated("a", "a"), "in two of the sets"),
        (lambda: dw.UndirectedGraph.from_adjacency([[0, 1], [0, 0]], "ab"), "list of names"),
        (lambda: dw.UndirectedGraph.from_adjacency([[0, 1], [0, 0]], ["a", "b"]), "symmetric"),
        (lambda: dw.UndirectedGraph.from_adjacency([[0, 2], [2, 0]], ["a", "b"]), "0 and 1 only"),
        (lambda: dw.UndirectedGraph.from_adjacency(np.zeros((2, 3)), ["a", "b"]), "2 by 2"),
        (lambda: dw.UndirectedGraph.from_networkx(nx.DiGraph()), "is directed"),
        (lambda: dw.UndirectedGraph.from_networkx(3), "no networkx graph"),
        (lambda: dw.UndirectedGraph.from_dict({"kind": "graph"}), "not a dagwright file"),
    ],
)
def test_bad_input(make, message):
    with pytest.raises(dw.DagwrightError, match=message):
        make()
