"""Tabu search: against a slow twin, and its settings."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagwright as dw
from instances import dense_table
from oracle import tabu as oracle
from strategies import constraints, dags_of, tables


def moves_of(result):
    return [(step.operator, step.start, step.end) for step in result.trace]


def score_function(scorer):
    known = {}

    def score(edges):
        if edges not in known:
            known[edges] = scorer.score(dw.Dag(edges, nodes=scorer.names))
        return known[edges]

    return score


@pytest.mark.parametrize("memory", ["moves", "states"])
@pytest.mark.parametrize("score", [dw.BIC(), dw.K2()])
@given(data=st.data())
@settings(max_examples=10)
def test_the_walk_is_that_of_the_slow_twin(memory, score, data):
    table = dense_table(data.draw(st.integers(0, 1000)), n=4, n_rows=60)
    limits = data.draw(st.one_of(st.just(dw.Constraints()), constraints(table.names)))
    start = dw.learn(table, search=dw.HillClimb(max_steps=0), constraints=limits).dag
    if start.edges:  # the twin starts from no edges
        limits = dw.Constraints(max_parents=2)
    tenure, patience = data.draw(st.integers(1, 12)), data.draw(st.integers(1, 25))
    scorer = dw.Scorer(table, score)
    search = dw.Tabu(tenure=tenure, patience=patience, memory=memory)
    result = dw.learn(scorer, search=search, constraints=limits)
    trace, edges = oracle.walk(
        score_function(scorer),
        scorer.source.names,
        limits,
        table.n_states,
        tenure=tenure,
        patience=patience,
        memory=memory,
    )
    assert moves_of(result) == trace
    assert frozenset(result.dag.edges) == edges


@given(data=st.data())
def test_it_is_never_worse_than_the_climb_from_the_same_start(data):
    table = data.draw(tables(max_variables=5))
    start = data.draw(dags_of(table.names))
    climbed = dw.learn(table, search=dw.HillClimb(start=start, sideways=False))
    one_more = dw.learn(table, search=dw.Tabu(start=start, patience=1))
    assert one_more.trace == climbed.trace
    result = dw.learn(table, search=dw.Tabu(start=start, patience=30))
    assert result.trace[: len(climbed.trace)] == climbed.trace
    assert result.score >= climbed.score - 1e-9


@pytest.mark.parametrize("memory", ["moves", "states"])
def test_it_leaves_local_optima(memory):
    """ "Tabu" that stops at the first move that does not improve is hill climbing."""
    better = 0
    for seed in range(30):
        table = dense_table(seed, n=7)
        climbed = dw.learn(table, search=dw.HillClimb(sideways=False))
        result = dw.learn(table, search=dw.Tabu(tenure=20, memory=memory))
        assert result.score >= climbed.score - 1e-9
        if result.score > climbed.score + 1e-6:
            better += 1
            assert any(step.gain <= 1e-9 for step in result.trace)
    assert better >= 5


def test_restarts_and_exploration_only_help():
    for seed in range(10):
        table = dense_table(seed, n=7)
        plain = dw.learn(table, search=dw.Tabu(tenure=5, patience=20)).score
        restarted = dw.learn(table, search=dw.Tabu(tenure=5, patience=20, restarts=6))
        assert restarted.score >= plain - 1e-9
        explored = [
            dw.learn(table, search=dw.Tabu(tenure=5, patience=20, explore=6), seed=seed)
            for seed in range(5)
        ]
        climbed = dw.learn(table, search=dw.HillClimb(sideways=False))
        assert min(result.score for result in explored) >= climbed.score - 1e-9


def test_the_reason_is_that_the_patience_is_used_up():
    assert dw.learn(dense_table(0), search=dw.Tabu()).reason == "patience"


@pytest.mark.parametrize("settings", [{}, {"explore": 4}, {"memory": "states"}, {"restarts": 3}])
def test_where_no_move_exists_the_start_is_returned(settings):
    table = dense_table(0)
    first, *others = [(a, b) for a in table.names for b in table.names if a != b]
    frozen = dw.Constraints(required=[first], forbidden=others)
    result = dw.learn(table, search=dw.Tabu(**settings), constraints=frozen)
    assert result.dag.edges == (first,)
    assert (result.trace, result.reason) == ((), "local optimum")


def test_a_tenure_beyond_all_moves_goes_on():
    table = dw.Table({"a": [0, 1, 1, 0] * 9, "b": [0, 1, 1, 1] * 9})
    for memory in "moves", "states":
        result = dw.learn(table, search=dw.Tabu(tenure=1000, patience=50, memory=memory))
        assert result.reason == "patience"
        assert result.score == pytest.approx(dw.learn(table, search=dw.HillClimb()).score)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"tenure": 0}, "Tabu: tenure must be a whole number, from 1"),
        ({"tenure": -3}, "tenure must be"),
        ({"tenure": 2.5}, "tenure must be"),
        ({"patience": 0}, "Tabu: patience must be a whole number, from 1"),
        ({"patience": None}, "patience must be"),
        ({"memory": "graphs"}, "memory must be moves or states, not 'graphs'"),
        ({"memory": None}, "memory must be"),
        ({"explore": -1}, "explore must be"),
        ({"restarts": -1}, "restarts must be"),
        ({"start": "full"}, "Tabu: start must be one of"),
    ],
)
def test_bad_settings_are_refused(settings, message):
    with pytest.raises(dw.SpecError, match=message):
        dw.Tabu(**settings)


def test_a_start_that_does_not_fit_is_refused():
    table = dense_table(0)
    with pytest.raises(dw.GraphError, match="Tabu: the start graph and the data differ"):
        dw.learn(table, search=dw.Tabu(start=dw.Dag(nodes=["z"])))
