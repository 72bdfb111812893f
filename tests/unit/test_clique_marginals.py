"""Closed forms of trees and decomposable graphs, and iterative proportional fitting."""

import itertools
import time

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dagwright as dw
from dagwright.markov.moments import moments, scope_shares
from oracle import undirected as oracle


@st.composite
def positive_tables(draw, max_variables=4, max_states=3):
    """Rows in which every joint state occurs, with weights."""
    n = draw(st.integers(2, max_variables))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    arities = [int(r) for r in rng.integers(2, max_states + 1, n)]
    codes = np.array(list(itertools.product(*(range(r) for r in arities))))
    weights = rng.integers(1, 9, len(codes))
    names = [f"v{v}" for v in range(n)]
    return dw.Table.from_codes(codes, names=names, weights=weights)


@st.composite
def graphs_of(draw, names):
    pairs = list(itertools.combinations(names, 2))
    return dw.UndirectedGraph(draw(st.sets(st.sampled_from(pairs))), nodes=names)


def shares_of(table, scope):
    """By hand: the weight of the rows in each cell."""
    found = {}
    weights = table.weights if table.weights is not None else np.ones(len(table))
    for row, weight in zip(zip(*table.codes, strict=True), weights, strict=True):
        key = tuple(int(row[v]) for v in scope)
        found[key] = found.get(key, 0.0) + float(weight) / float(table.total_weight)
    return found


@given(positive_tables(), st.data())
def test_moments_by_counting(table, data):
    n = len(table.names)
    scopes = data.draw(
        st.lists(st.sets(st.integers(0, n - 1), min_size=1).map(lambda s: tuple(sorted(s))))
    )
    for scope, found in zip(scopes, scope_shares(table, scopes), strict=True):
        for state, share in shares_of(table, scope).items():
            assert found[state] == pytest.approx(share, rel=1e-12)
    features = dw.LogLinear(table.states, [[table.names[0], table.names[1]]]).features
    for k, mean in enumerate(moments(features, table)):
        scope, values = features.scopes[k], features.values[k]
        by_hand = sum(p * values[state] for state, p in shares_of(table, scope).items())
        assert mean == pytest.approx(by_hand, rel=1e-12)


@given(positive_tables(), st.data())
def test_clique_marginals_are_the_product_over_a_decomposable_graph(table, data):
    graph = data.draw(graphs_of(table.names))
    if not graph.is_decomposable():
        with pytest.raises(dw.DataError, match="not decomposable: it has a ring"):
            dw.learn_undirected(table, graph=graph, method=dw.CliqueMarginals())
        return
    found = dw.learn_undirected(table, graph=graph, method=dw.CliqueMarginals())
    assert found.reason == "closed form"
    assert found.graph == graph
    assert found.moment_gap < 1e-12
    # By hand: shares of cliques over shares of what neighbours in a tree of cliques have in common.
    number = {name: v for v, name in enumerate(table.names)}
    p = found.model.probabilities()
    tree = nx.junction_tree(graph.to_networkx())
    for state in np.ndindex(p.shape):
        value = 1.0
        for node, kind in tree.nodes(data="type"):
            scope = sorted(number[name] for name in node)
            share = shares_of(table, scope)[tuple(state[v] for v in scope)] if scope else 1.0
            value *= share if kind == "clique" else share ** (1 - tree.degree(node))
        assert p[state] == pytest.approx(value, rel=1e-9)


@given(positive_tables(), st.data())
def test_every_way_to_the_same_model(table, data):
    """Moment matching, proportional fitting and, where there is one, the closed form."""
    graph = data.draw(graphs_of(table.names))
    binary = set(table.n_states.values()) == {2}
    matched = dw.learn_undirected(table, graph=graph, method=dw.MomentMatching())
    fitted = dw.learn_undirected(table, graph=graph, method=dw.IterativeProportionalFitting())
    assert matched.moment_gap < 1e-8
    assert fitted.moment_gap < 1e-8
    assert np.allclose(matched.model.theta, fitted.model.theta, atol=1e-6)
    assert type(matched.model) is type(fitted.model) is (dw.Ising if binary else dw.LogLinear)
    auto = dw.learn_undirected(table, graph=graph)
    assert np.allclose(auto.model.probabilities(), matched.model.probabilities(), atol=1e-8)
    if graph.is_forest() or (graph.is_decomposable() and not binary):
        assert auto.reason == "closed form"
        assert np.allclose(auto.model.theta, matched.model.theta, atol=1e-6)


@given(positive_tables(), st.data())
def test_proportional_fitting_by_hand(table, data):
    graph = data.draw(graphs_of(table.names))
    cliques = [list(own) for own in graph.cliques()]
    found = dw.learn_undirected(
        table, features=cliques, method=dw.IterativeProportionalFitting(tolerance=1e-12)
    )
    number = {name: v for v, name in enumerate(table.names)}
    scopes = [sorted(number[name] for name in own) for own in cliques]
    shares = [shares_of(table, scope) for scope in scopes]
    arities = list(table.n_states.values())
    start = {s: 1 / np.prod(arities) for s in itertools.product(*(range(r) for r in arities))}
    p = oracle.proportional_fitting(start, scopes, shares, rounds=200)
    assert np.allclose(found.model.probabilities().ravel(), list(p.values()), atol=1e-9)
    steps = [own.g for own in found.trace]
    assert all(b <= a + 1e-12 for a, b in itertools.pairwise(steps))
    assert found.trace[-1].log_likelihood == pytest.approx(found.model.log_likelihood(table))


def test_moment_matching_on_a_tree_is_chow_and_liu():
    rows = (
        dw.networks.load("asia")
        .sample(20_000, seed=2)
        .select(["smoke", "lung", "bronc", "dysp", "xray"])
    )
    learned = dw.learn(rows, search=dw.ChowLiu())
    tree = learned.dag.moral_graph()
    assert tree == dw.UndirectedGraph(learned.dag.skeleton(), nodes=rows.names)
    by_tree = learned.fit(parameters="ml").query(list(rows.names)).probabilities
    matched = dw.learn_undirected(rows, graph=tree, method=dw.MomentMatching())
    closed = dw.learn_undirected(rows, graph=tree)
    assert closed.reason == "closed form"
    assert isinstance(closed.model, dw.Ising)
    assert np.allclose(matched.model.probabilities(), by_tree, atol=1e-9)
    assert np.allclose(closed.model.probabilities(), by_tree, atol=1e-12)
    assert np.allclose(closed.model.couplings, matched.model.couplings, atol=1e-5)
    assert closed.model.log_likelihood(rows) == pytest.approx(
        dw.score(learned.dag, rows, score=dw.LogLikelihood())
    )
    assert np.allclose(
        dw.learn_undirected(rows, graph=tree, coding="0/1").model.probabilities(), by_tree
    )


def test_a_long_tree_of_many_states():
    rng = np.random.default_rng(4)
    codes = [rng.integers(0, 3, 5000)]
    for _ in range(59):
        codes.append(np.where(rng.random(5000) < 0.5, codes[-1], rng.integers(0, 3, 5000)))
    rows = dw.Table.from_codes(codes)
    tree = dw.learn(rows, search=dw.ChowLiu()).dag.moral_graph()
    closed = dw.learn_undirected(rows, graph=tree)
    assert closed.moment_gap < 1e-10
    assert closed.model.log_likelihood(rows) == pytest.approx(
        dw.learn(rows, search=dw.ChowLiu(), score=dw.LogLikelihood()).score, rel=1e-10
    )


@pytest.mark.parametrize("method", [dw.CliqueMarginals(), dw.IterativeProportionalFitting()])
def test_empty_cells_are_refused(method):
    rows = dw.Table({"a": [0, 0, 1, 1, 0], "b": [0, 1, 1, 1, 0]})
    with pytest.raises(dw.DataError, match="no row has 'a' = 1, 'b' = 0"):
        dw.learn_undirected(rows, graph=dw.UndirectedGraph([("a", "b")]), method=method)


def test_what_closed_forms_and_fitting_cannot_take():
    rows = dw.Table({"a": [0, 0, 1, 1], "b": [0, 1, 0, 1]})
    with pytest.raises(dw.DataError, match="clique-marginals needs graph="):
        dw.learn_undirected(rows, method=dw.CliqueMarginals())
    with pytest.raises(dw.DataError, match="matches whole tables: give cliques"):
        dw.learn_undirected(
            rows,
            features=[dw.Feature(["a", "b"], lambda a, b: a == b)],
            method=dw.IterativeProportionalFitting(),
        )
    with pytest.raises(dw.SpecError, match="max_rounds must be"):
        dw.IterativeProportionalFitting(max_rounds=0)


def test_many_variables_are_refused_soon():
    rng = np.random.default_rng(0)
    rows = {f"v{k}": rng.integers(0, 2, size=500).tolist() for k in range(120)}
    began = time.perf_counter()
    with pytest.raises(dw.DataError, match="exact inference is too large"):
        dw.learn_undirected(rows, method="iterative-proportional-fitting")
    assert time.perf_counter() - began < 5
