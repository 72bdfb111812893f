"""Order search beyond what the conformance tests ask."""

import numpy as np
import pytest

import dagwright as dw


def independent(n, n_rows=100):
    codes = np.random.default_rng(0).integers(2, size=(n_rows, n))
    return dw.Table.from_codes(codes, names=[f"x{i}" for i in range(n)])


@pytest.mark.parametrize("n_required", [3, 66])
def test_more_required_parents_than_candidates(n_required):
    """Where not all variables can be candidates, the required parents come before all others."""
    table = independent(70)
    required = [(f"x{i}", "x0") for i in range(1, 1 + n_required)]
    search = dw.OrderSearch(max_candidates=1, patience=2, enrichments=0)
    result = dw.learn(table, search=search, constraints=dw.Constraints(required=required))
    assert set(required) <= set(result.dag.edges)
    climbed = dw.learn(table, search=dw.HillClimb(), constraints=dw.Constraints(required=required))
    assert result.score >= climbed.score - 1e-6


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"chains": 0}, "chains"),
        ({"patience": 0}, "patience"),
        ({"enrichments": -1}, "enrichments"),
        ({"restarts": -1}, "restarts"),
        ({"max_candidates": 65}, "max_candidates"),
        ({"start": "middle"}, "start must be one of"),
    ],
)
def test_wrong_settings(settings, words):
    with pytest.raises(dw.SpecError, match=words):
        dw.OrderSearch(**settings)


def test_what_was_left_out_is_told(tmp_path):
    table = independent(80)
    search = dw.OrderSearch(max_candidates=10, patience=1, chains=1, enrichments=0)
    result = dw.learn(table, search=search)
    assert 80 * (79 - 64) <= result.edges_left_out <= 80 * (79 - 10)
    assert dw.Result.from_dict(result.to_dict()) == result
    forbidden = [(f"x{i}", "x0") for i in range(1, 80)]
    limited = dw.learn(table, search=search, constraints=dw.Constraints(forbidden=forbidden))
    assert limited.edges_left_out < result.edges_left_out, "what is forbidden is not left out"
    auto = dw.learn(table)
    assert [stage.edges_left_out > 0 for stage in auto.stages] == [False, False, True]
    assert auto.edges_left_out == auto.stages[-1].edges_left_out
    for few in (independent(64), independent(65)):
        assert dw.learn(few, search=search).edges_left_out == 0
    assert dw.learn(table, search=dw.HillClimb()).edges_left_out == 0


def test_restarts_draw_other_numbers_and_keep_the_best():
    table = independent(20, 60)  # with AIC there is much to find in noise
    once = dw.OrderSearch(chains=1, patience=1, enrichments=0)
    scores = [dw.learn(table, score=dw.AIC(), search=once, seed=i).score for i in range(6)]
    again = dw.OrderSearch(chains=1, patience=1, enrichments=0, restarts=5)
    best = dw.learn(table, score=dw.AIC(), search=again)
    assert len(set(scores)) > 1
    assert best.score >= scores[0]
    assert best.score > min(scores)
    assert dw.learn(table, score=dw.AIC(), search=again, threads=3).dag == best.dag


def test_auto_restarts_as_often_as_the_time_limit_allows():
    table = independent(12)
    scored = [
        dw.learn(table, time_limit=limit).info.families_scored for limit in (None, 2, 3, 60, 3600)
    ]
    assert scored[0] == scored[1] < scored[2] < scored[3] == scored[4]
