"""The settings of a run, and what a search in Python sees of it."""

import time
from itertools import pairwise

import pytest

import dagwright as dw


@pytest.fixture
def table():
    return dw.Table({"a": [0, 1, 1, 0] * 5, "b": [0, 1, 1, 1] * 5})


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"seed": -1}, "seed must be"),
        ({"seed": 2**64}, "seed must be"),
        ({"seed": 1.0}, "seed must be"),
        ({"seed": True}, "seed must be"),
        ({"threads": 0}, "threads must be"),
        ({"threads": 1025}, "threads must be"),
        ({"threads": "2"}, "threads must be"),
        ({"time_limit": -1}, "time_limit must be"),
        ({"time_limit": float("nan")}, "time_limit must be"),
        ({"time_limit": "1"}, "time_limit must be"),
        ({"callback": 3}, "callback must be"),
        ({"constraints": {"max_parents": 2}}, "constraints must be"),
    ],
)
def test_bad_settings_are_refused(table, settings, message):
    with pytest.raises(dw.SpecError, match=message):
        dw.learn(table, **settings)


def test_a_scorer_brings_its_score_and_prior(table):
    scorer = dw.Scorer(table, dw.K2(), structure_prior=dw.EdgePenalty(0.5))
    result = dw.learn(scorer)
    assert result.info.score == {"name": "k2"}
    assert result.info.structure_prior == {"name": "edges", "c": 0.5}
    for settings in {"score": dw.BIC()}, {"structure_prior": dw.Uniform()}:
        with pytest.raises(dw.SpecError, match="brings its own"):
            dw.learn(scorer, **settings)


class Waits:
    """A search that does nothing until it is stopped."""

    def find(self, scorer, constraints, run):
        until = time.monotonic() + 10
        while not run.stopping():
            run.progress.step += 1
            run.progress.score = -1.0
            time.sleep(0.005)
            if time.monotonic() > until:
                return dw.Found(dw.Dag(nodes=scorer.names), reason="never stopped")
        return dw.Found(dw.Dag(nodes=scorer.names))


def test_a_search_in_python_is_stopped_by_the_clock(table):
    begun = time.monotonic()
    result = dw.learn(table, search=Waits(), time_limit=0.2)
    assert result.reason == "time limit"
    assert 0.2 <= time.monotonic() - begun < 2
    assert 0.2 <= result.info.seconds < 2


def test_a_search_in_python_is_stopped_by_the_callback_which_sees_its_progress(table):
    seen = []

    def stop(progress):
        seen.append((time.monotonic(), progress.step, progress.score))
        return len(seen) == 4

    result = dw.learn(table, search=Waits(), callback=stop)
    assert result.reason == "callback"
    assert len(seen) == 4
    steps = [step for _, step, _ in seen]
    assert steps == sorted(steps)
    assert steps[-1] > 0
    times = [at for at, _, _ in seen]
    assert all(b - a >= 0.045 for a, b in pairwise(times))
    assert seen[-1][2] == -1.0


def test_progress_shows_nothing_when_stderr_is_no_terminal(table, capfd):
    dw.learn(table, progress=True)
    assert capfd.readouterr() == ("", "")


def test_unknown_names_in_constraints_are_refused(table):
    with pytest.raises(dw.GraphError, match="'zz'"):
        dw.learn(table, constraints=dw.Constraints(forbidden=[("a", "zz")]))


def test_constraints_that_the_data_cannot_meet_are_refused(table):
    limits = dw.Constraints(required=[("a", "b")], max_parameters=1)
    with pytest.raises(dw.GraphError, match="parameters"):
        dw.learn(table, constraints=limits)
