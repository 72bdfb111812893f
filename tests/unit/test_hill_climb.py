"""The settings of hill climbing."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dagwright as dw
from instances import dense_table
from oracle import search as oracle
from strategies import constraints, dags_of, tables


@pytest.fixture
def table():
    """Six dependent variables."""
    rng = np.random.default_rng(4)
    codes = [rng.integers(3, size=300)]
    for _ in range(5):
        noise = np.where(rng.random(300) < 0.3, rng.integers(3, size=300), 0)
        codes.append((codes[-1] + noise) % 3)
    return dw.Table.from_codes(codes, names=list("fbdace"))


def test_max_steps_bounds_the_trace(table):
    whole = dw.learn(table, search=dw.HillClimb())
    assert len(whole.trace) > 2
    for max_steps in range(len(whole.trace) + 2):
        result = dw.learn(table, search=dw.HillClimb(max_steps=max_steps))
        assert result.trace == whole.trace[:max_steps]
        ended = max_steps > len(whole.trace)
        if max_steps != len(whole.trace):
            assert result.reason == ("local optimum" if ended else "max steps")


def test_no_step_gains_less_than_min_gain(table):
    gains = sorted(step.gain for step in dw.learn(table, search=dw.HillClimb()).trace)
    min_gain = gains[len(gains) // 2]
    result = dw.learn(table, search=dw.HillClimb(min_gain=min_gain))
    assert 0 < len(result.trace) < len(gains)
    assert min(step.gain for step in result.trace) > min_gain
    assert dw.learn(table, search=dw.HillClimb(min_gain=1e9)).trace == ()


def test_each_step_takes_the_best_legal_move(table):
    scorer = dw.Scorer(table)
    limits = dw.Constraints(max_parents=2, forbidden=[("f", "b")])
    result = dw.learn(scorer, search=dw.HillClimb(sideways=False), constraints=limits)
    edges = frozenset()
    for step in result.trace:
        moves = oracle.legal_moves(table.names, edges, limits, table.n_states)
        before = scorer.score(dw.Dag(edges, nodes=table.names))
        gains = {
            move: scorer.score(dw.Dag(after, nodes=table.names)) - before
            for move, after in moves.items()
        }
        assert step.gain == pytest.approx(max(gains.values()), rel=1e-9, abs=1e-9)
        edges = moves[step.operator, step.start, step.end]
    assert edges == frozenset(result.dag.edges)


def test_a_plain_climber_ends_at_the_same_score(table):
    scorer = dw.Scorer(table, dw.BDeu(2))

    def score(edges):
        return scorer.score(dw.Dag(edges, nodes=table.names))

    edges = oracle.climb(score, table.names, dw.Constraints(), table.n_states)
    climb = dw.HillClimb(sideways=False)
    assert dw.learn(scorer, search=climb).score == pytest.approx(score(edges), rel=1e-9)


def test_the_first_step_is_one_that_improves(table):
    result = dw.learn(table, search=dw.HillClimb(step="first"))
    assert result.reason == "local optimum"
    assert all(step.gain > 0 for step in result.trace)
    best_first = dw.learn(table, search=dw.HillClimb()).trace[0]
    assert result.trace[0].gain <= best_first.gain


def test_starts(table):
    empty = dw.learn(table, search=dw.HillClimb(start="empty", max_steps=0))
    assert empty.dag == dw.Dag(nodes=table.names)
    complete = dw.learn(table, search=dw.HillClimb(start="complete", max_steps=0))
    assert len(complete.dag.edges) == 15
    tree = dw.learn(table, search=dw.HillClimb(start="tree", max_steps=0))
    assert tree.dag.cpdag() == dw.learn(table, search=dw.ChowLiu()).dag.cpdag()
    random = [
        dw.learn(table, search=dw.HillClimb(start="random", max_steps=0), seed=seed).dag
        for seed in range(5)
    ]
    assert len(set(random)) == 5


@given(data=st.data())
def test_starts_honour_constraints(data):
    table = data.draw(tables(max_variables=5))
    limits = data.draw(constraints(table.names))
    for start in "empty", "complete", "tree", "random":
        climb = dw.HillClimb(start=start, max_steps=0)
        dag = dw.learn(table, search=climb, constraints=limits).dag
        assert oracle.satisfies(table.names, dag.edges, limits, table.n_states)


def test_the_tree_start_keeps_the_edges_that_constraints_allow(table):
    climb = dw.HillClimb(start="tree", max_steps=0)
    edges = dw.learn(table, search=climb).dag.edges
    limits = dw.Constraints(forbidden=[edges[0], edges[0][::-1], edges[1]])
    kept = dw.learn(table, search=climb, constraints=limits).dag.edges
    assert set(kept) == {edges[1][::-1], *edges[2:]}


def test_the_complete_start_is_as_full_as_constraints_allow(table):
    limits = dw.Constraints(max_parents=2)
    climb = dw.HillClimb(start="complete", max_steps=0)
    dag = dw.learn(table, search=climb, constraints=limits).dag
    assert len(dag.edges) == 0 + 1 + 2 * 4


@given(data=st.data())
def test_a_given_start_is_where_the_climb_starts_and_stays_as_it_was(data):
    table = data.draw(tables(max_variables=5))
    start = data.draw(dags_of(table.names))
    edges = start.edges
    result = dw.learn(table, search=dw.HillClimb(start=start))
    assert start.edges == edges
    assert start.nodes == table.names
    assert result.score >= dw.score(start, table) - 1e-9
    stay = dw.learn(table, search=dw.HillClimb(start=start, max_steps=0))
    assert stay.dag == start
    turned = dw.Dag(edges, nodes=table.names[::-1])
    assert dw.learn(table, search=dw.HillClimb(start=turned)).score == pytest.approx(result.score)


def test_a_start_that_does_not_fit_is_refused(table):
    with pytest.raises(dw.GraphError, match=r"differ in \['z'\]"):
        dw.learn(table, search=dw.HillClimb(start=dw.Dag(nodes=[*table.names, "z"])))
    start = dw.Dag([("a", "b")], nodes=table.names)
    limits = dw.Constraints(forbidden=[("a", "b")])
    with pytest.raises(dw.GraphError, match="start graph breaks a constraint"):
        dw.learn(table, search=dw.HillClimb(start=start), constraints=limits)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"start": "full"}, "start must be one of"),
        ({"start": None}, "start must be one of"),
        ({"step": "last"}, "step must be best or first"),
        ({"max_steps": -1}, "max_steps must be"),
        ({"max_steps": 1.5}, "max_steps must be"),
        ({"max_steps": True}, "max_steps must be"),
        ({"min_gain": -1}, "min_gain must be"),
        ({"min_gain": float("nan")}, "min_gain must be"),
        ({"min_gain": "1"}, "min_gain must be"),
        ({"restarts": -1}, "restarts must be"),
        ({"restarts": 1.5}, "restarts must be"),
        ({"restarts": 3, "perturbation": 0}, "perturbation must be"),
        ({"perturbation": 5}, "perturbation=5 is for restarts"),
        ({"sideways": 1}, "sideways must be True or False"),
    ],
)
def test_bad_settings_are_refused(settings, message):
    with pytest.raises(dw.SpecError, match=message):
        dw.HillClimb(**settings)


def test_ties_go_the_same_way_for_any_names_order():
    """Copies of one variable: every edge among them gains the same."""
    column = [0, 1, 1, 0, 2] * 8
    results = [
        dw.learn(dw.Table(dict.fromkeys(order, column)), search=dw.HillClimb())
        for order in ("abcd", "dcba", "bdac")
    ]
    assert len({result.score for result in results}) == 1
    assert len({result.dag.cpdag() for result in results}) == 1
    assert len(results[0].dag.edges) >= 3


def test_equal_gains_never_loop():
    """Adding and removing one edge for no gain would go on for ever."""
    rng = np.random.default_rng(0)
    for seed in range(20):
        codes = rng.integers(2, size=(4, 5))
        table = dw.Table.from_codes(codes, states=[(0, 1)] * 5)
        result = dw.learn(table, score=dw.AIC(), search=dw.HillClimb())
        assert result.reason == "local optimum"
        assert len(result.trace) < 60, seed


def test_gains_that_dwarf_the_score_are_taken():
    class Huge:
        def local(self, family):
            return 1e12 * len(family.parents)

    table = dw.Table({"a": [0, 1], "b": [0, 1]})
    assert len(dw.learn(table, score=Huge(), search=dw.HillClimb()).dag.edges) == 1


def undone(result):
    """The graph that the moves of a trace started from."""
    dag = result.dag
    for step in reversed(result.trace):
        match step.operator:
            case "add":
                dag = dag.remove(step.start, step.end)
            case "remove":
                dag = dag.add(step.start, step.end)
            case "reverse":
                dag = dag.reverse(step.end, step.start)
    return dag


@pytest.mark.parametrize("perturbation", [None, 1, 5])
def test_restarts_never_make_it_worse_and_some_make_it_better(perturbation):
    better = 0
    for seed in range(20):
        data = dense_table(seed, n=7)
        plain = dw.learn(data, search=dw.HillClimb())
        scores = [
            dw.learn(data, search=dw.HillClimb(restarts=n, perturbation=perturbation)).score
            for n in (1, 4, 12)
        ]
        # The first restarts of many are those of few.
        assert all(b >= a - 1e-9 for a, b in pairwise([plain.score, *scores]))
        better += scores[-1] > plain.score + 1e-6
    assert better >= (1 if perturbation == 1 else 5)


def test_the_trace_of_a_winning_restart_leads_back_to_where_it_started():
    random_starts = 0
    for seed in range(10):
        data = dense_table(seed, n=7)
        result = dw.learn(data, search=dw.HillClimb(restarts=8, sideways=False))
        start = undone(result)
        random_starts += len(start.edges) > 0
        if not start.edges:
            plain = dw.learn(data, search=dw.HillClimb(sideways=False))
            assert result.score == pytest.approx(plain.score)
        again = dw.HillClimb(restarts=8, perturbation=3, sideways=False)
        perturbed = dw.learn(data, search=again)
        assert undone(perturbed) == dw.Dag(nodes=data.names)
        # A random move may lose; the climbs around it do not.
        assert sum(step.gain <= 0 for step in perturbed.trace) <= 8 * 3
    assert random_starts > 0


def test_the_plain_climb_wins_ties():
    rng = np.random.default_rng(1)
    a = rng.integers(2, size=200)
    data = dw.Table.from_codes([a, np.where(rng.random(200) < 0.1, 1 - a, a)], names=["a", "b"])
    plain = dw.learn(data, search=dw.HillClimb())
    for search in dw.HillClimb(restarts=9), dw.HillClimb(restarts=9, perturbation=2):
        result = dw.learn(data, search=search)
        assert (result.dag, result.trace) == (plain.dag, plain.trace)


def test_restarts_where_no_move_exists(table):
    pairs = [(a, b) for a in table.names for b in table.names if a != b]
    limits = dw.Constraints(forbidden=pairs)
    for search in dw.HillClimb(restarts=3), dw.HillClimb(restarts=3, perturbation=4):
        result = dw.learn(table, search=search, constraints=limits)
        assert (result.dag.edges, result.trace, result.reason) == ((), (), "local optimum")


def test_progress_counts_the_work_of_all_restarts(table):
    plain = dw.learn(table, search=dw.HillClimb()).info.families_scored
    restarts = dw.HillClimb(restarts=5)
    scored = [dw.learn(table, search=restarts, threads=n).info.families_scored for n in (1, 2, 4)]
    assert scored[0] == scored[1] == scored[2] > 5 * plain / 2
