"""Data perturbation: against its twin in Python, and its settings."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagwright as dw
from instances import chunks_of, dense_table
from oracle import perturb as oracle
from strategies import constraints, tables


@given(data=st.data())
@settings(max_examples=40)
def test_the_walk_is_that_of_the_twin(data):
    if data.draw(st.booleans()):
        table = data.draw(tables(max_variables=5))
        limits = data.draw(constraints(table.names))
    else:
        table, limits = dense_table(data.draw(st.integers(0, 99)), n=7), dw.Constraints()
    scorer = dw.Scorer(table, data.draw(st.sampled_from([dw.BIC(), dw.BDeu(1), dw.AIC()])))
    spec = {"rounds": data.draw(st.integers(1, 5)), "strength": data.draw(st.floats(0.3, 3))}
    seed, restarts = data.draw(st.integers(0, 100)), data.draw(st.integers(0, 2))
    search = dw.Perturb(restarts=restarts, **spec)
    result = dw.learn(scorer, search=search, constraints=limits, seed=seed)
    candidates = [dw.learn(scorer, search=dw.HillClimb(sideways=False), constraints=limits)] + [
        oracle.walk(scorer, limits, seed=seed, restart=i, **spec) for i in range(restarts + 1)
    ]
    best = max(candidate.score for candidate in candidates)
    assert result.score == pytest.approx(best, rel=1e-9, abs=1e-9)
    assert result.dag == next(c.dag for c in candidates if c.score > best - 1e-9)


def test_the_twin_is_not_always_the_plain_climb():
    """Or else the test above would show nothing."""
    better = 0
    for seed in range(30):
        scorer = dw.Scorer(dense_table(seed, n=7))
        climbed = dw.learn(scorer, search=dw.HillClimb(sideways=False))
        better += dw.learn(scorer, search=dw.Perturb()).score > climbed.score + 1e-6
    assert better >= 3


class Totals:
    """A score in Python that takes note of the weights it is given."""

    def __init__(self):
        self.seen = []

    def local(self, family):
        if not family.parents:
            self.seen.append(family.cell_counts)
        return 0.0


@pytest.mark.parametrize("chunked", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_drawn_weights_are_sixteenths_of_the_rows_own_and_keep_the_total(weighted, chunked):
    rng = np.random.default_rng(0)
    codes = np.arange(400)[:, None]  # one row a state: the counts are the weights
    own = rng.integers(0, 4, 400) if weighted else np.ones(400)
    table = dw.Table.from_codes(codes, weights=own if weighted else None)
    score = Totals()
    source = chunks_of(table, 3) if chunked else table
    dw.learn(source, score=score, search=dw.Perturb(rounds=4), threads=1)
    drawn = [counts for counts in score.seen if not np.array_equal(counts, own[own > 0])]
    assert len(drawn) == 4
    for counts in drawn:
        assert np.array_equal(counts * 16, np.round(counts * 16))
        assert counts.sum() == pytest.approx(own.sum(), rel=0.02)
        assert len(counts) <= (own > 0).sum()  # a weight of 0 stays 0
    spread = [np.var(counts) for counts in drawn]
    assert spread[0] > 0.3
    assert spread[0] > spread[-1]


def test_the_score_reported_is_never_that_of_weighted_rows():
    class Watched:
        def find(self, scorer, constraints, run):
            found = dw.Perturb(strength=3, restarts=2).find(scorer, constraints, run)
            self.reported = run.progress.score
            return found

    for seed in range(10):
        search = Watched()
        result = dw.learn(dense_table(seed), search=search)
        assert search.reported == pytest.approx(result.score)


@pytest.mark.parametrize("settings", [{}, {"restarts": 2}])
def test_where_no_move_exists_the_start_is_returned(settings):
    table = dense_table(0)
    first, *others = [(a, b) for a in table.names for b in table.names if a != b]
    frozen = dw.Constraints(required=[first], forbidden=others)
    result = dw.learn(table, search=dw.Perturb(**settings), constraints=frozen)
    assert result.dag.edges == (first,)
    assert (result.trace, result.reason) == ((), "local optimum")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"rounds": 0}, "Perturb: rounds must be a whole number, from 1"),
        ({"rounds": 2.5}, "rounds must be"),
        ({"strength": 0}, "strength must be above 0 and at most 10, not 0"),
        ({"strength": -1}, "strength must be"),
        ({"strength": 11}, "strength must be"),
        ({"strength": float("nan")}, "strength must be"),
        ({"restarts": -1}, "restarts must be"),
        ({"start": "full"}, "Perturb: start must be one of"),
    ],
)
def test_bad_settings_are_refused(settings, message):
    with pytest.raises(dw.SpecError, match=message):
        dw.Perturb(**settings)
