"""Integer programming over parent sets: the optimum of dynamic programming, valid bounds."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagwright as dw
from dagwright.run import start_run
from dagwright.search.cluster_cuts import Chosen, outside, violated_clusters
from dagwright.search.cluster_ilp import solve
from dagwright.search.parent_sets import ChildSets, ParentSets
from instances import SCORES
from strategies import constraints, tables


def close(value):
    return pytest.approx(value, rel=1e-9, abs=1e-8)


@st.composite
def random_sets(draw, max_variables=7):
    """Parent sets with any scores: harder than those of real data, which have few good ones."""
    n = draw(st.integers(2, max_variables))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    children = []
    for v in range(n):
        members = rng.random((draw(st.integers(1, 12)), n)) < 0.35
        members[:, v] = False
        members[0] = False  # each may be without parents, so that there is a graph
        members = np.unique(members, axis=0)
        scores = np.round(members.sum(axis=1) + rng.normal(size=len(members)), 3)
        order = np.argsort(-scores)
        children.append(ChildSets(members[order], scores[order]))
    return ParentSets(tuple(f"v{i}" for i in range(n)), tuple(children))


def solved(sets, time_limit=None):
    with start_run(0, 1, time_limit, False, None) as run:
        return solve(sets, None, -math.inf, run)


@given(random_sets())
def test_the_best_choice_of_any_sets_is_that_of_dynamic_programming(sets):
    by_tables = dw.learn(sets, search=dw.ExactDP())
    by_integers = dw.learn(sets, search=dw.ExactILP())
    assert by_integers.optimal
    assert by_integers.score == close(by_tables.score)
    assert sets.score(by_integers.dag) == close(by_integers.score)


@pytest.mark.parametrize("label", ["bic", "bdeu", "k2"])
@given(st.data())
def test_data_and_constraints_lead_to_the_same_optimum(label, data):
    table = data.draw(tables(max_variables=5))
    scorer = dw.Scorer(table, SCORES[label](table).spec)
    allowed = data.draw(constraints(table.names))
    by_tables = dw.learn(scorer, search=dw.ExactDP(), constraints=allowed)
    by_integers = dw.learn(scorer, search=dw.ExactILP(), constraints=allowed)
    assert by_integers.optimal
    assert by_integers.score == close(by_tables.score)


@pytest.mark.parametrize("unit", [1e-6, 5e-7, 1.0])
@given(random_sets(max_variables=6), st.integers(0, 2**32))
def test_scores_that_hardly_differ_are_told_apart(unit, sets, seed):
    """A solver's tolerances are made for other numbers."""
    rng = np.random.default_rng(seed)
    children = []
    for child in sets.children:
        scores = -1.0 * (unit < 1) + unit * rng.integers(0, 9, len(child.scores))
        order = np.argsort(-scores, kind="stable")
        children.append(ChildSets(child.members[order], scores[order]))
    near = ParentSets(sets.names, tuple(children))
    by_tables = dw.learn(near, search=dw.ExactDP())
    by_integers = dw.learn(near, search=dw.ExactILP())
    assert by_integers.score == pytest.approx(by_tables.score, rel=1e-9, abs=1e-9)
    assert by_integers.bound >= by_tables.score - 1e-9 * (1 + abs(by_tables.score))


@given(random_sets(max_variables=6))
def test_a_stop_during_separation_claims_nothing(sets):
    """The run ends while violated clusters are looked for: that none was found means nothing."""
    optimum = solved(sets).score
    with start_run(0, 1, None, False, None) as run:

        class Ending:
            """A run that ends when it has been asked so many times."""

            time_limit = None
            seconds = 0.0
            progress = run.progress

            def __init__(self, asks):
                self.asks = asks

            def stopping(self):
                self.asks -= 1
                return self.asks < 0

        for asks in range(12):
            found = solve(sets, None, -math.inf, Ending(asks))
            assert found.bound >= optimum - 1e-9
            assert found.score <= optimum + 1e-9


@given(random_sets(), st.floats(-1, 8))
def test_sets_that_were_not_found_leave_a_bound_that_holds(sets, rest):
    """Drop sets, and say how good they may be: the optimum with them is within the bound."""
    optimum = solved(sets).score
    fewer = ParentSets(
        sets.names,
        tuple(
            ChildSets(
                child.members[child.scores >= rest],
                child.scores[child.scores >= rest],
                rest if (child.scores < rest).any() else -math.inf,
            )
            for child in sets.children
        ),
    )
    found = solved(fewer)
    assert found.bound >= optimum - 1e-9
    assert found.score <= optimum + 1e-9


@given(random_sets(max_variables=6))
def test_a_cycle_of_whole_sets_is_always_found(sets):
    """Each takes its best set: a cluster is found if, and only if, that has a cycle."""
    first = np.array([child.members[0] for child in sets.children])
    n = len(sets.names)
    chosen = Chosen(np.arange(n), first, np.ones(n), n)
    left = set(range(n))
    while sources := {v for v in left if not any(first[v][p] for p in left)}:
        left -= sources
    clusters = violated_clusters(chosen)
    assert bool(clusters) == bool(left)
    for cluster in clusters:
        assert cluster.sum() > 1
        assert not outside(chosen.child, chosen.members, cluster).any()


@settings(max_examples=25)
@given(random_sets(max_variables=6), st.integers(0, 30))
def test_a_stopped_run_has_a_bound_that_holds(sets, stop_after):
    optimum = solved(sets).score
    calls = []

    def stop(progress):
        calls.append(progress)
        return len(calls) > stop_after

    with start_run(0, 1, None, False, stop) as run:
        found = solve(sets, None, -math.inf, run)
    assert found.bound >= optimum - 1e-9
    assert found.score <= optimum + 1e-9


def test_a_time_limit_of_nothing_keeps_what_is_there():
    rows = dw.networks.load("insurance").sample(300, seed=2)
    result = dw.learn(rows, search=dw.ExactILP(), time_limit=0)
    assert result.reason == "time limit"
    assert result.bound >= result.score
    assert not result.optimal


def test_insurance_is_proved_and_threads_change_nothing():
    rows = dw.networks.load("insurance").sample(500, seed=2)
    first = dw.learn(rows, search=dw.ExactILP(), threads=1)
    second = dw.learn(rows, search=dw.ExactILP(), threads=2)
    assert first.optimal
    assert first.dag == second.dag
    assert first.reason == "optimal"
    climbed = dw.learn(rows, search=dw.HillClimb())
    assert climbed.score < first.score


def test_sets_that_allow_no_graph_are_an_error():
    cycle = ParentSets(
        ("a", "b"),
        (
            ChildSets(np.array([[False, True]]), np.array([-1.0])),
            ChildSets(np.array([[True, False]]), np.array([-1.0])),
        ),
    )
    for search in dw.ExactDP(), dw.ExactILP():
        with pytest.raises(dw.GraphError, match="each has a cycle"):
            dw.learn(cycle, search=search)


def test_sets_in_disorder_are_refused():
    child = ChildSets(np.array([[False], [False]]), np.array([-2.0, -1.0]))
    with pytest.raises(dw.DataError, match="'a' must come best first"):
        ParentSets(("a",), (child,))
    with pytest.raises(dw.DataError, match="a row a score, a column a name"):
        ParentSets(("a",), (ChildSets(np.zeros((1, 2), dtype=bool), np.array([-1.0])),))
    with pytest.raises(dw.DataError, match="at least one"):
        ParentSets((), ())


def test_sets_that_are_not_all_there_are_not_called_cyclic():
    rows = dw.networks.load("child").sample(100, seed=1)
    none = dw.parent_sets(rows, time_limit=0)
    with pytest.raises(dw.Unfinished, match="time limit, before there was a graph"):
        dw.learn(none)


def test_a_stopped_run_over_sets_keeps_a_graph_and_a_bound():
    sets = dw.parent_sets(dw.networks.load("child").sample(300, seed=1))
    optimum = dw.learn(sets).score
    for search in dw.ExactDP(), dw.ExactILP():
        stopped = dw.learn(sets, search=search, time_limit=0)
        assert stopped.reason == "time limit"
        assert stopped.score <= optimum <= stopped.bound
        assert sets.score(stopped.dag) == stopped.score


def test_too_many_variables_are_refused():
    rows = dw.Table.from_codes(np.zeros((3, 65), dtype=int), states=[(0, 1)] * 65)
    with pytest.raises(dw.SpecError, match="at most 64 variables, not 65"):
        dw.learn(rows, search=dw.ExactILP())
    with pytest.raises(dw.SpecError, match="up to 64 variables, not 65"):
        dw.parent_sets(rows)
    with pytest.raises(dw.SpecError, match="max_bytes"):
        dw.ExactILP(max_bytes=0)
