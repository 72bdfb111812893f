"""Greedy equivalence search beside searches that recompute everything at every step."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagwright as dw
from numbered import network, numbered, numbered_scores, rules_of, steps_of
from oracle import ges as oracle
from oracle import graphs
from strategies import constraints, tables

SCORES = [dw.LogLikelihood(), dw.AIC(), dw.BIC(), dw.BDeu(1), dw.BDeu(100)]


@given(data=st.data())
@settings(max_examples=150, deadline=None)
def test_it_is_the_search_of_the_definition(data):
    """Of all edges of all members, the best; tables full of ties, all kinds of constraints."""
    table = data.draw(tables(max_variables=5))
    limits = data.draw(st.one_of(st.just(dw.Constraints()), constraints(table.names)))
    how = {"turning": data.draw(st.booleans()), "repeat": data.draw(st.booleans())}
    scorer = dw.Scorer(table, data.draw(st.sampled_from(SCORES)))
    names = scorer.source.names
    n = len(names)
    rules = rules_of(scorer, limits)
    start, _ = limits.resolve(names, scorer.source.n_states).feasible_dag()
    members, trace = oracle.by_definition(
        n,
        numbered_scores(scorer),
        lambda edges: graphs.satisfies(n, edges, **rules),
        frozenset(start.edges),
        **how,
    )
    result = dw.learn(scorer, search=dw.GES(**how), constraints=limits)
    assert steps_of(result, scorer) == trace
    assert numbered(scorer, result.dag.edges) in members


def check_against_recomputing(scorer):
    limits = dw.Constraints(max_parents=6)  # or AIC and a large ess make thousands of cliques
    result = dw.learn(scorer, search=dw.GES(), constraints=limits)
    (directed, undirected), trace = oracle.recomputing(
        len(scorer.names), numbered_scores(scorer), max_parents=6
    )
    assert steps_of(result, scorer) == trace
    cpdag = result.dag.cpdag()
    assert numbered(scorer, cpdag.compelled) == frozenset(directed)
    assert graphs.skeleton(numbered(scorer, cpdag.reversible)) == graphs.skeleton(undirected)
    return trace


@given(
    n=st.integers(6, 12),
    n_rows=st.integers(20, 400),
    n_states=st.integers(2, 3),
    seed=st.integers(0, 2**32 - 1),
    score=st.sampled_from(SCORES[1:]),
)
@settings(max_examples=40, deadline=None)
def test_what_a_step_does_not_change_need_not_be_computed_again(n, n_rows, n_states, seed, score):
    check_against_recomputing(dw.Scorer(network(n, n_rows, seed, n_states), score))


def test_nor_where_there_are_many_reversals_and_rounds():
    turns = 0
    for seed in range(25):
        trace = check_against_recomputing(dw.Scorer(network(12, 100, seed), dw.BDeu(100)))
        turns += sum(operator == "reverse" for operator, _, _ in trace)
    assert turns > 5


def test_it_is_not_stuck_where_hill_climbing_is():
    """There an early edge points one of two equivalent ways, the wrong one for later edges."""
    table = network(5, 2000, seed=188)
    climbed = dw.learn(table, search=dw.HillClimb(sideways=False))
    assert dw.learn(table, search=dw.GES()).score > climbed.score + 10
    assert dw.learn(table, search=dw.HillClimb()).score > climbed.score + 10


def test_the_class_of_a_large_sample_is_found():
    dag = dw.Dag([("a", "c"), ("b", "c"), ("c", "d"), ("d", "e"), ("b", "f"), ("f", "g")])
    rng = np.random.default_rng(1)
    codes = {}
    for node in dag.topological_order():
        config = sum((codes[p] * 2**i for i, p in enumerate(dag.parents(node))), np.zeros(50_000))
        chance = rng.uniform(0.1, 0.9, size=4)[config.astype(int)]
        codes[node] = (rng.random(50_000) < chance).astype(int)
    table = dw.Table.from_codes([codes[node] for node in dag.nodes], names=dag.nodes)
    for score in dw.BIC(), dw.BDeu(1):
        result = dw.learn(table, score=score, search=dw.GES(turning=False, repeat=False))
        assert result.dag.cpdag() == dag.cpdag()
        assert result.reason == "phases done"


def test_phases_follow_each_other_and_repeat():
    """Of many searches some need a removal, a reversal, and a second round."""
    seen = set()
    for seed in range(60):
        table = network(8, 80, seed, n_states=3)
        whole = dw.learn(table, score=dw.AIC(), search=dw.GES())
        once = dw.learn(table, score=dw.AIC(), search=dw.GES(repeat=False))
        two = dw.learn(table, score=dw.AIC(), search=dw.GES(turning=False, repeat=False))
        assert whole.reason == "local optimum"
        assert once.reason == two.reason == "phases done"
        assert two.trace == once.trace[: len(two.trace)]
        assert once.trace == whole.trace[: len(once.trace)]
        order = [oracle.PHASES.index(step.operator) for step in once.trace]
        assert order == sorted(order)
        assert all(step.gain > 0 for step in whole.trace)
        seen |= {step.operator for step in whole.trace}
        seen |= {"again"} if len(whole.trace) > len(once.trace) else set()
    assert seen == {"add", "remove", "reverse", "again"}


def test_too_many_cliques_are_said():
    """The likelihood alone joins all: each node has 2 ** 13 cliques among its neighbours."""
    table = network(14, 3000, 0)
    result = dw.learn(table, score=dw.LogLikelihood(), search=dw.GES())
    assert result.reason == "subset limit"
    bounded = dw.Constraints(max_parents=3)
    result = dw.learn(table, score=dw.LogLikelihood(), search=dw.GES(), constraints=bounded)
    assert result.reason == "local optimum"


def test_a_score_that_is_not_what_it_says_is_refused():
    table = network(4, 50, 0)
    names = table.names

    class Says:
        score_equivalent = True

        def local(self, family):
            return sum(
                (names.index(p) + 1) * (names.index(family.child) + 2) ** 2 for p in family.parents
            )

    with pytest.raises(dw.SpecError, match=r"Says says that it is score-equivalent, but gives"):
        dw.learn(table, score=Says(), search=dw.GES())


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"score": dw.K2()}, r"the score K2 is not score-equivalent: take BIC\(\)"),
        ({"score": dw.Dirichlet(1)}, "the score Dirichlet is not score-equivalent"),
        ({"structure_prior": dw.ParentCount()}, "the structure prior ParentCount is not"),
    ],
)
def test_what_is_not_score_equivalent_is_refused(how, message):
    table = network(3, 20, 0)
    search = dw.GES()
    with pytest.raises(dw.SpecError, match=message):
        dw.learn(table, search=search, **how)
    assert search.refusal(dw.Scorer(table, **how), dw.Constraints()) is not None
    assert search.refusal(dw.Scorer(table), dw.Constraints()) is None


def test_a_score_in_python_is_told_what_to_say():
    class Mine:
        def local(self, family):
            return 0.0

    with pytest.raises(dw.SpecError, match="say score_equivalent = True in your own if it is"):
        dw.learn(network(3, 20, 0), score=Mine(), search=dw.GES())


@pytest.mark.parametrize("settings", [{"turning": 1}, {"repeat": "yes"}, {"turning": None}])
def test_bad_settings_are_refused(settings):
    with pytest.raises(dw.SpecError, match="must be True or False"):
        dw.GES(**settings)


def test_too_many_variables_are_refused():
    scorer = SimpleNamespace(score_equivalent=True, names=range(12_000))
    reason = dw.GES().refusal(scorer, dw.Constraints())
    assert "4.3 GiB for 12,000 variables, more than 4" in reason
