"""Samples of graphs: their features against a loop over the graphs."""

import time
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dagwright as dw
from dagwright.posterior.graph_sample import GraphSample
from oracle.graph_sample import Weighted
from strategies import dags_of

NAMES = ("c", "a", "d", "b")


@st.composite
def samples(draw, names=NAMES, max_graphs=8):
    """Graphs, some of them more than once, with weights, some of them 0."""
    graphs = draw(st.lists(dags_of(list(names)), min_size=1, max_size=max_graphs))
    picked = draw(st.lists(st.sampled_from(graphs), min_size=1, max_size=2 * max_graphs))
    weights = draw(
        st.one_of(
            st.none(),
            st.lists(st.integers(0, 5), min_size=len(picked), max_size=len(picked)).filter(any),
        )
    )
    return picked, weights


def close(value):
    return pytest.approx(value, rel=1e-12, abs=1e-12)


@given(samples())
def test_features_are_those_of_a_loop_over_the_graphs(drawn):
    dags, weights = drawn
    sample = GraphSample.from_dags(dags, weights)
    shares = np.ones(len(dags)) if weights is None else np.array(weights)
    wanted = Weighted(NAMES, [dag.edges for dag in dags], (shares / shares.sum()).tolist())
    for a, first in enumerate(NAMES):
        for b, second in enumerate(NAMES):
            pair = first, second
            assert sample.edge_probabilities()[pair] == close(wanted.edge(a, b))
            assert sample.edge_probabilities("undirected")[pair] == close(wanted.joined(a, b))
            assert sample.edge_probabilities("compelled")[pair] == close(wanted.compelled(a, b))
            assert sample.path_probabilities()[pair] == close(wanted.path(a, b))
        for found, own in (
            (sample.parent_set_probabilities(first), wanted.parents(a)),
            (sample.markov_blanket_probabilities(first), wanted.blanket(a)),
        ):
            assert found == close(own)
            assert list(found.values()) == sorted(found.values(), reverse=True)


@given(samples())
def test_the_different_graphs_and_their_weights(drawn):
    dags, weights = drawn
    sample = GraphSample.from_dags(dags, weights)
    first, weight = sample.distinct
    assert [sample.dag(i) for i in range(len(sample))] == dags
    assert {sample.dag(i) for i in first} == set(dags)
    assert len(first) == len(set(dags))
    assert weight.sum() == close(1)
    assert list(weight) == sorted(weight, reverse=True)
    assert [sample.dag(first[k]) for k in sample.which] == dags


@given(samples())
def test_the_median_graph_has_the_likely_edges(drawn):
    sample = GraphSample.from_dags(*drawn)
    edges = sample.edge_probabilities()
    likely = {(a, b) for a in NAMES for b in NAMES if edges[a, b] > 0.5 + 1e-9}
    median = sample.median_graph
    assert set(median.edges) <= likely
    dw.Dag(median.edges, nodes=NAMES)  # no cycle
    for edge in likely - set(median.edges):
        with pytest.raises(dw.GraphError, match="a cycle"):
            median.add(*edge)


def test_likely_edges_that_close_a_cycle_are_left_out():
    around = [("a", "b"), ("b", "c"), ("c", "a")]
    dags = [
        dw.Dag([edge for edge in around if edge != left_out], nodes=["a", "b", "c"])
        for left_out in [*around, ("c", "a")]
    ]
    sample = GraphSample.from_dags(dags)
    assert sample.edge_probabilities()["c", "a"] == 0.5
    sample = GraphSample.from_dags(dags, [3, 3, 2, 1])
    # 6/9, 6/9 and 6/9: the first two by place stay.
    assert sample.edge_probabilities()["c", "a"] == close(6 / 9)
    assert sample.median_graph.edges == (("a", "b"), ("b", "c"))
    sample = GraphSample.from_dags(dags[:3], [4, 3, 3])
    assert sample.median_graph.edges == (("b", "c"), ("c", "a"))


def test_more_nodes_than_bits_in_a_word():
    names = [f"v{i}" for i in range(130)]
    line = dw.Dag(list(pairwise(names)), nodes=names)
    sample = GraphSample.from_dags([line, dw.Dag(nodes=names)], [3, 1])
    paths = sample.path_probabilities().values
    assert (paths == np.triu(np.full((130, 130), 0.75), 1)).all()
    assert sample.markov_blanket_probabilities("v64") == {("v63", "v65"): 0.75, (): 0.25}
    assert sample.markov_blanket_probabilities("v129") == {("v128",): 0.75, (): 0.25}


def test_paths_of_many_graphs_are_fast():
    names = tuple(f"v{i}" for i in range(37))
    rng = np.random.default_rng(1)
    sets = tuple(
        tuple(tuple(sorted(rng.choice(v, min(v, 3), replace=False).tolist())) for _ in range(9))
        for v in range(37)
    )
    draws = rng.integers(0, 9, (10_000, 37)).astype(np.int32)
    sample = GraphSample(names, sets, draws, np.full(10_000, 1e-4))
    assert len(sample.distinct[0]) == 10_000
    start = time.perf_counter()
    paths = sample.path_probabilities()
    assert time.perf_counter() - start < 5
    dag = [sample.dag(i) for i in range(300)]
    part = GraphSample(names, sets, draws[:300], np.full(300, 1 / 300))
    above = sum("v0" in own.ancestors("v36") for own in dag) / 300
    assert part.path_probabilities()["v0", "v36"] == close(above)
    assert abs(paths["v0", "v36"] - above) < 0.2
    assert paths["v36", "v0"] == 0


def test_what_is_no_sample_is_refused():
    dag = dw.Dag([("a", "b")])
    with pytest.raises(dw.GraphError, match="at least one graph"):
        GraphSample.from_dags([])
    with pytest.raises(dw.GraphError, match="the same nodes"):
        GraphSample.from_dags([dag, dw.Dag([("a", "c")])])
    with pytest.raises(dw.GraphError, match="must be a Dag"):
        GraphSample.from_dags([dag, [("a", "b")]])
    with pytest.raises(dw.GraphError, match="one weight for each of its 2 graphs, not 1"):
        GraphSample.from_dags([dag, dag], [1])
    with pytest.raises(dw.GraphError, match="not all 0"):
        GraphSample.from_dags([dag, dag], [0, 0])
    sample = GraphSample.from_dags([dag])
    with pytest.raises(dw.SpecError, match='kind must be "directed", "undirected" or "compelled"'):
        sample.edge_probabilities("both")
    with pytest.raises(dw.GraphError, match="unknown node 'c'"):
        sample.markov_blanket_probabilities("c")
