"""Hill climbing from any graph equivalent to the one reached, beside climbs that try them all."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagwright as dw
from child import in_child
from numbered import network, numbered, numbered_scores, rules_of, steps_of
from oracle import ges as oracle
from oracle import graphs
from strategies import constraints, dags_of, tables

SCORES = [dw.LogLikelihood(), dw.AIC(), dw.BIC(), dw.BDeu(1), dw.BDeu(100)]


def names_of(scorer, members):
    """The class of the core as a class of named graphs."""
    names = scorer.source.names
    return {frozenset((names[a], names[b]) for a, b in edges) for edges in members}


@given(data=st.data())
@settings(max_examples=100, deadline=None)
def test_it_is_the_climb_of_the_definition(data):
    """Of all moves from all equivalent graphs, the best; tables full of ties, all constraints."""
    table = data.draw(tables(max_variables=5))
    limits = data.draw(st.one_of(st.just(dw.Constraints()), constraints(table.names)))
    scorer = dw.Scorer(table, data.draw(st.sampled_from(SCORES)))
    n = len(scorer.names)
    rules = rules_of(scorer, limits)
    plain = dw.learn(scorer, search=dw.HillClimb(max_steps=0, sideways=False), constraints=limits)
    if plain.dag.edges:  # required: it goes straight up first
        plain = dw.learn(scorer, search=dw.HillClimb(sideways=False), constraints=limits)
    members, trace = oracle.by_definition(
        n,
        numbered_scores(scorer),
        lambda edges: graphs.satisfies(n, edges, **rules),
        numbered(scorer, plain.dag.edges),
        walk=oracle.climb,
    )
    result = dw.learn(scorer, search=dw.HillClimb(), constraints=limits)
    assert steps_of(result, scorer) == steps_of(plain, scorer) + trace
    assert numbered(scorer, result.dag.edges) in members


@given(
    n=st.integers(6, 12),
    n_rows=st.integers(20, 400),
    n_states=st.integers(2, 3),
    seed=st.integers(0, 2**32 - 1),
    score=st.sampled_from(SCORES[1:]),
)
@settings(max_examples=30, deadline=None)
def test_what_a_step_does_not_change_need_not_be_computed_again(n, n_rows, n_states, seed, score):
    scorer = dw.Scorer(network(n, n_rows, seed, n_states), score)
    limits = dw.Constraints(max_parents=6)
    result = dw.learn(scorer, search=dw.HillClimb(), constraints=limits)
    _, trace = oracle.recomputing(n, numbered_scores(scorer), max_parents=6, walk=oracle.climb)
    assert steps_of(result, scorer) == trace


@given(data=st.data())
@settings(deadline=None)
def test_from_any_start_it_ends_where_no_equivalent_graph_has_a_better_move(data):
    table = data.draw(tables(max_variables=4))
    scorer = dw.Scorer(table, data.draw(st.sampled_from(SCORES[2:])))
    start = data.draw(dags_of(table.names))
    step = data.draw(st.sampled_from(["best", "first"]))
    result = dw.learn(scorer, search=dw.HillClimb(start=start, step=step))
    straight = dw.learn(scorer, search=dw.HillClimb(start=start, step=step, sideways=False))
    if start.edges or step == "first":
        assert result.trace[: len(straight.trace)] == straight.trace
        if len(result.trace) == len(straight.trace):
            assert result.dag == straight.dag
    n = len(table.names)
    ended = oracle.classes(n)[numbered(scorer, result.dag.edges)]
    for members in oracle.outcomes(n, ended).values():
        other = dw.Dag(min(names_of(scorer, members), key=sorted), nodes=table.names)
        assert scorer.score(other) <= result.score + 1e-7 * (1 + abs(result.score))


def test_settings_of_steps_hold_sideways():
    table = network(8, 500, seed=3)
    whole = dw.learn(table, search=dw.HillClimb())
    assert len(whole.trace) > 3
    for max_steps in range(len(whole.trace)):
        result = dw.learn(table, search=dw.HillClimb(max_steps=max_steps))
        assert (result.trace, result.reason) == (whole.trace[:max_steps], "max steps")
    gains = sorted(step.gain for step in whole.trace)
    least = gains[len(gains) // 2]
    few = dw.learn(table, search=dw.HillClimb(min_gain=least))
    assert 0 < len(few.trace) < len(gains)
    assert min(step.gain for step in few.trace) > least
    # From a start with edges, straight and sideways steps count together.
    start = dw.Dag([whole.dag.edges[0]], nodes=table.names)
    from_start = dw.learn(table, search=dw.HillClimb(start=start))
    for max_steps in range(len(from_start.trace)):
        result = dw.learn(table, search=dw.HillClimb(start=start, max_steps=max_steps))
        assert (result.trace, result.reason) == (from_start.trace[:max_steps], "max steps")


def test_it_ends_higher_on_average_than_the_plain_climb():
    gaps = []
    for seed in range(40):
        table = network(20, 2000, seed)
        sideways, plain = (
            dw.learn(table, search=dw.HillClimb(sideways=sideways)).score
            for sideways in (True, False)
        )
        gaps.append(sideways - plain)
    assert np.mean(gaps) > 1
    assert np.mean(np.array(gaps) > 1e-6) > 2 * np.mean(np.array(gaps) < -1e-6)


@pytest.mark.parametrize(
    "how",
    [{"score": dw.K2()}, {"score": dw.Dirichlet(1)}, {"structure_prior": dw.ParentCount()}],
)
def test_where_equivalent_graphs_differ_in_score_nothing_is_turned(how):
    for seed in range(5):
        table = network(7, 300, seed)
        plain = dw.learn(table, search=dw.HillClimb(sideways=False), **how)
        result = dw.learn(table, search=dw.HillClimb(), **how)
        assert (result.dag, result.trace) == (plain.dag, plain.trace)


def test_restarts_go_sideways_too():
    better = 0
    for seed in range(10):
        table = network(10, 200, seed)
        for perturbation in None, 3:
            how = {"restarts": 5, "perturbation": perturbation}
            sideways = dw.learn(table, search=dw.HillClimb(**how), threads=2)
            assert sideways.dag == dw.learn(table, search=dw.HillClimb(**how), threads=1).dag
            again = dw.HillClimb(start=sideways.dag)
            assert dw.learn(table, search=again).score == pytest.approx(sideways.score)
            plain = dw.learn(table, search=dw.HillClimb(sideways=False, **how))
            better += sideways.score > plain.score + 1e-6
    assert better > 0


def test_a_score_that_is_not_what_it_says_is_refused():
    table = network(4, 50, 0)
    names = table.names

    class Says:
        score_equivalent = True

        def local(self, family):
            return sum(
                (names.index(p) + 1) * (names.index(family.child) + 2) ** 2 for p in family.parents
            )

    with pytest.raises(dw.SpecError, match=r"HillClimb: the score Says says .*sideways=False"):
        dw.learn(table, score=Says(), search=dw.HillClimb())
    assert dw.learn(table, score=Says(), search=dw.HillClimb(sideways=False)).dag.edges


def test_too_many_moves_are_said():
    """The likelihood alone joins all: each node has 2 ** 13 cliques among its neighbours."""
    result = dw.learn(network(14, 3000, 0), score=dw.LogLikelihood(), search=dw.HillClimb())
    assert result.reason == "subset limit"
    # With 13 variables there are as many as are tried, so all of them are.
    result = dw.learn(network(13, 3000, 0), score=dw.LogLikelihood(), search=dw.HillClimb())
    assert (len(result.dag.edges), result.reason) == (78, "local optimum")


def test_the_default_search_goes_sideways_with_a_score_in_python():
    """It gets no other search, so it must not be the plain climb."""

    class Mine:
        score_equivalent = True

        def __init__(self, scorer):
            self.scorer = scorer

        def local(self, family):
            return self.scorer.local(family.child, family.parents)

    table = network(5, 2000, seed=188)
    score = Mine(dw.Scorer(table))
    plain = dw.learn(table, score=score, search=dw.HillClimb(sideways=False))
    found = dw.learn(table, score=score)
    assert [stage.search for stage in found.stages] == ["hill-climb"]
    assert found.score > plain.score + 10
    assert found.score == pytest.approx(dw.learn(table, score=score, search=dw.HillClimb()).score)


@pytest.mark.memory
def test_removals_of_a_dense_class_are_not_all_scored_at_once():
    """A complete graph of 32 nodes has over a million families near it."""
    grown, scored = in_child(
        """
        rng = np.random.default_rng(0)
        cause = rng.integers(0, 2, (500, 1))
        codes = np.where(rng.random((500, 32)) < 0.3, rng.integers(0, 2, (500, 32)), cause)
        table = dw.Table.from_codes(codes.astype(np.uint8))
        scorer = dw.Scorer(table, dw.LogLikelihood(), cache_bytes=16 << 20)
        dw.learn(scorer, search=dw.HillClimb(max_steps=1), threads=1)
        before = begin()
        found = dw.learn(scorer, search=dw.HillClimb(start="complete"), threads=1)
        print([grown(before), found.info.families_scored])
        """
    )
    assert scored > 1_000_000
    assert grown < 400  # all at once: over 1,000
