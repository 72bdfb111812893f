import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagwright as dw
from dagwright.errors import GraphError
from oracle import graphs as oracle
from strategies import dags

NAMES = list("abcde")


def named(edges):
    return dw.Dag([(NAMES[a], NAMES[b]) for a, b in edges], nodes=NAMES)


graphs = dags(5, 5, max_edges=7).map(lambda graph: graph[1])


@settings(deadline=None)
@given(graphs, graphs)
def test_shd_is_the_number_of_pairs_joined_differently(first, second):
    a, b = named(first), named(second)
    assert dw.shd(a, b) == oracle.shd(5, first, second)
    assert dw.shd(a, b) == dw.shd(b, a) == dw.shd(a.cpdag(), b)
    assert (dw.shd(a, b) == 0) == oracle.equivalent(first, second)


@settings(deadline=None)
@given(graphs, graphs, graphs)
def test_shd_obeys_the_triangle_inequality(first, second, third):
    a, b, c = named(first), named(second), named(third)
    assert dw.shd(a, c) <= dw.shd(a, b) + dw.shd(b, c)


def test_a_compelled_reversal_counts_one():
    # Both ends of x -> y have two parents of their own, so every edge is compelled either way.
    colliders = [("a", "x"), ("b", "x"), ("c", "y"), ("d", "y")]
    first, second = dw.Dag([*colliders, ("x", "y")]), dw.Dag([*colliders, ("y", "x")])
    assert first.cpdag().reversible == second.cpdag().reversible == ()
    assert dw.shd(first, second) == 1


@given(graphs, graphs)
def test_report_matches_sets_of_edges(first, second):
    report = dw.compare(named(first), named(second))
    truth, learned = set(named(first).edges), set(named(second).edges)
    right = truth & learned
    turned = {edge[::-1] for edge in truth} & learned
    assert set(report.reversed) == {edge[::-1] for edge in turned}
    assert set(report.missing) == truth - learned - set(report.reversed)
    assert set(report.extra) == learned - truth - turned
    n_joined = len(right) + len(turned)
    for hits, precision, recall, f1 in (
        (len(right), report.edge_precision, report.edge_recall, report.edge_f1),
        (n_joined, report.skeleton_precision, report.skeleton_recall, report.skeleton_f1),
    ):
        assert precision == (hits / len(learned) if learned else 1.0)
        assert recall == (hits / len(truth) if truth else 1.0)
        if precision + recall > 0 and truth and learned:
            assert f1 == pytest.approx(2 * precision * recall / (precision + recall))
        else:
            assert f1 == (1.0 if not truth and not learned else 0.0)


@given(graphs, st.permutations(NAMES))
def test_the_order_of_nodes_does_not_matter(edges, order):
    dag = named(edges)
    assert dw.compare(dag, dw.Dag(dag.edges, nodes=order)).edge_f1 == 1.0
    assert dw.shd(dag, dw.Dag(dag.edges, nodes=order)) == 0


@pytest.mark.parametrize("function", [dw.shd, dw.compare])
def test_different_nodes_are_named(function):
    with pytest.raises(GraphError, match=r"only the first graph has 'a' and only the .* 'c'"):
        function(dw.Dag(nodes=["a", "b"]), dw.Dag(nodes=["b", "c"]))
    with pytest.raises(GraphError, match="but only the second graph has 'c'; give both"):
        function(dw.Dag(nodes=["b"]), dw.Dag(nodes=["b", "c"]))
