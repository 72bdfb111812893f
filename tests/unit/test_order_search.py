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
