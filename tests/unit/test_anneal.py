"""Simulated annealing: what it keeps track of, and its settings."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dagwright as dw
from instances import dense_table
from strategies import constraints, tables


class Watched:
    """A search, and the score that it had reported when it ended."""

    def __init__(self, search):
        self.search = search

    def find(self, scorer, constraints, run):
        found = self.search.find(scorer, constraints, run)
        self.reported = run.progress.score
        return found


@pytest.mark.parametrize("score", [dw.BIC(), dw.K2(), dw.BDeu(1)])
@given(data=st.data())
def test_the_scores_of_the_walk_are_those_of_its_graphs(score, data):
    """Gains are kept from step to step: a stale one would report a best score that no graph has."""
    table = data.draw(tables(max_variables=6))
    limits = data.draw(constraints(table.names))
    hot = dw.Anneal(proposals=3000, temperature=50, last_temperature=5, reheats=1)
    search = Watched(data.draw(st.sampled_from([hot, dw.Anneal(proposals=2000)])))
    result = dw.learn(table, score=score, search=search, constraints=limits)
    assert search.reported == pytest.approx(result.score, rel=1e-9, abs=1e-6)


def test_it_is_never_worse_than_the_climb_and_often_better():
    better = 0
    for seed in range(20):
        table = dense_table(seed, n=8)
        climbed = dw.learn(table, search=dw.HillClimb(sideways=False))
        result = dw.learn(table, search=dw.Anneal(), seed=seed)
        assert result.score >= climbed.score - 1e-9
        better += result.score > climbed.score + 1e-6
        cold = dw.Anneal(temperature=1e-9, last_temperature=1e-9, proposals=1000)
        assert dw.learn(table, search=cold).score >= climbed.score - 1e-9
    assert better >= 5


def test_more_heat_takes_more_losing_moves():
    """The chosen temperature rises with the acceptance: more families are asked for."""
    table = dense_table(1, n=8)
    asked = [
        dw.learn(table, search=dw.Anneal(acceptance=rate)).info.families_scored
        for rate in (0.01, 0.3, 0.9)
    ]
    assert asked == sorted(asked)
    assert asked[2] > 1.5 * asked[0]


def test_the_number_of_proposals_is_the_number_of_steps_reported():
    class Steps(Watched):
        def find(self, scorer, constraints, run):
            found = super().find(scorer, constraints, run)
            self.reported = run.progress.step
            return found

    table = dense_table(2)
    for reheats in 0, 2:
        few = Steps(dw.Anneal(proposals=10, reheats=reheats))
        dw.learn(table, search=few)
        many = Steps(dw.Anneal(proposals=1010, reheats=reheats))
        dw.learn(table, search=many)
        assert abs(many.reported - few.reported - 1000) < 100  # and the climbs' own steps


@pytest.mark.parametrize("settings", [{}, {"reheats": 2}, {"restarts": 3}, {"temperature": 5}])
def test_where_no_move_exists_the_start_is_returned(settings):
    table = dense_table(0)
    first, *others = [(a, b) for a in table.names for b in table.names if a != b]
    frozen = dw.Constraints(required=[first], forbidden=others)
    result = dw.learn(table, search=dw.Anneal(**settings), constraints=frozen)
    assert result.dag.edges == (first,)
    assert (result.trace, result.reason) == ((), "local optimum")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"proposals": 0}, "Anneal: proposals must be a whole number, from 1"),
        ({"proposals": 1.5}, "proposals must be"),
        ({"acceptance": 0}, "acceptance must be above 0 and below 1, not 0"),
        ({"acceptance": 1}, "acceptance must be"),
        ({"acceptance": float("nan")}, "acceptance must be"),
        ({"temperature": -1}, "Anneal: temperature must be a finite number above 0, not -1"),
        ({"temperature": 0}, "temperature must be"),
        ({"temperature": float("inf")}, "temperature must be"),
        ({"last_temperature": -0.5}, "last_temperature must be"),
        ({"last_temperature": 0}, "last_temperature must be"),
        ({"temperature": 0.5}, "temperature=0.5 is below last_temperature=1.0"),
        ({"reheats": -1}, "reheats must be"),
        ({"restarts": -1}, "restarts must be"),
        ({"start": 3}, "Anneal: start must be one of"),
    ],
)
def test_bad_settings_are_refused(settings, message):
    with pytest.raises(dw.SpecError, match=message):
        dw.Anneal(**settings)
