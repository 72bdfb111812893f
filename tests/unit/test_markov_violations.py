"""The likelihood along a topological order: joint entropy and Markov violations."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dagwright as dw
from oracle import marginal_likelihood as oracle
from oracle import scores as score_oracle
from oracle.counts import rows_of
from strategies import dags_of, tables


def an_order(draw, dag):
    """Any order with parents first."""
    left, order = list(dag.nodes), []
    while left:
        free = [node for node in left if not set(dag.parents(node)) & set(left)]
        order.append(draw(st.sampled_from(free)))
        left.remove(order[-1])
    return order


@given(st.data())
def test_both_decompositions_of_the_likelihood(data):
    """LL = N sum I(X; Pa) - N sum H(X) = -N H(all) - N sum I(X; others before | Pa)."""
    table = data.draw(tables(max_variables=5))
    dag = data.draw(dags_of(table.names))
    order = an_order(data.draw, dag)
    plain = rows_of(table)
    wanted = score_oracle.score(score_oracle.log_likelihood, plain, dag)
    scale = 1e-10 * max(1.0, abs(wanted))
    found = dw.markov_violations(dag, table, order=order)
    assert found.order == tuple(order)
    assert found.log_likelihood == pytest.approx(wanted, abs=scale)
    assert found.joint_entropy == pytest.approx(score_oracle.entropy(plain, order), abs=1e-10)
    n = plain.total
    by_families = n * sum(
        score_oracle.mutual_information(plain, [node], dag.parents(node))
        - score_oracle.entropy(plain, [node])
        for node in dag.nodes
    )
    assert by_families == pytest.approx(wanted, abs=scale)
    parts = dw.Scorer(table, dw.LogLikelihood()).decompose(dag)
    assert parts.total("fit") - parts.total("entropy") == pytest.approx(wanted, abs=scale)
    for place, own in enumerate(found.nodes):
        assert own.parents == dag.parents(own.node)
        assert set(own.others) == set(order[:place]) - set(own.parents)
        information = oracle.conditional_information(plain, [own.node], own.others, own.parents)
        assert own.information == pytest.approx(information, abs=1e-10)
        assert own.information >= 0


@given(st.data())
def test_the_complete_graph_violates_nothing_and_orders_have_one_sum(data):
    table = data.draw(tables(max_variables=4))
    order = data.draw(st.permutations(table.names))
    edges = [(a, b) for i, a in enumerate(order) for b in order[i + 1 :]]
    assert dw.markov_violations(dw.Dag(edges, nodes=table.names), table).total == 0
    dag = data.draw(dags_of(table.names))
    sums = [
        dw.markov_violations(dag, table, order=an_order(data.draw, dag)).total for _ in range(2)
    ]
    assert sums[0] == pytest.approx(sums[1], abs=1e-10)


def test_rows_of_the_graph_have_small_violations_and_all_sources_agree():
    asia = dw.networks.load("asia")
    table = asia.sample(20_000, seed=1)
    found = dw.markov_violations(asia.dag, table)
    assert max(own.information for own in found.nodes) < 0.01
    wrong = dw.markov_violations(asia.dag.remove("either", "xray"), table)
    worst = max(wrong.nodes, key=lambda own: own.information)
    assert worst.node == "xray"
    assert worst.information > 0.1
    halves = dw.Chunks([table.take(range(9000)), table.take(range(9000, 20_000))])
    for other in (dw.Scorer(table, dw.K2(), structure_prior=dw.EdgePenalty(0.5)), halves):
        assert dw.markov_violations(asia.dag, other) == found


def test_words_and_values():
    table = dw.Table({"a": [0, 0, 1, 1], "b": [0, 0, 1, 1]}, weights=[1, 1, 2, 2])
    found = dw.markov_violations(dw.Dag(nodes=["a", "b"]), table)
    h = -(np.log(1 / 3) / 3 + np.log(2 / 3) * 2 / 3)
    assert found.n_rows == 6
    assert [own.information for own in found.nodes] == pytest.approx([0, h])
    assert str(found).splitlines() == [
        "log-likelihood -7.638 = -6 rows (joint entropy 0.637 + violations 0.637)",
        "violation  node  independent of  given",
        "    0.637  b     a",
        "    0.000  a",
    ]
    values = json.loads(json.dumps(found.to_dict()))
    assert values["log_likelihood"] == pytest.approx(found.log_likelihood)
    assert values["violations"][1]["others"] == ["a"]


@pytest.mark.parametrize(
    ("order", "words"),
    [
        (["a", "b"], "each node once.*'c'"),
        (["b", "a", "c"], "'b' before its parent 'a'"),
        (["a", "a", "b"], "'a' is given twice"),
        ("abc", "list of names"),
    ],
)
def test_a_bad_order_is_explained(order, words):
    table = dw.Table({"a": [0, 1], "b": [0, 1], "c": [0, 1]})
    with pytest.raises(dw.GraphError, match=words):
        dw.markov_violations(dw.Dag([("a", "b")], nodes=["a", "b", "c"]), table, order=order)


def test_a_graph_of_other_variables_is_refused():
    table = dw.Table({"a": [0, 1], "b": [0, 1]})
    with pytest.raises(dw.GraphError, match="no node for the variables 'b'"):
        dw.markov_violations(dw.Dag(nodes=["a"]), table)
