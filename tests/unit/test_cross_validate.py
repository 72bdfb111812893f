"""Cross-validation: against walking the rows, folds, pairs, threads, stops, words."""

import json
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagwright as dw
from child import in_child
from dagwright.experiments.candidates import spec_text
from dagwright.experiments.held_out import Folds
from oracle import cross_validate as oracle
from oracle.counts import rows_of
from strategies import tables


@pytest.fixture(scope="module")
def asia():
    return dw.networks.load("asia").sample(600, seed=2)


@settings(max_examples=15)
@given(st.data())
def test_every_row_against_the_oracle(data):
    """Unseen states in training are no error, whole weights are rows, rows of weight 0 are out."""
    table = data.draw(tables(max_variables=4, max_states=3, max_rows=25, weighted=False))
    rng = np.random.default_rng(data.draw(st.integers(0, 1000)))
    weights = rng.integers(0, 3, len(table))
    weights[: min(3, len(table))] = 1
    table = table.with_weights(weights)
    live = np.flatnonzero(weights)
    if len(live) < 3:
        return
    folds = data.draw(st.integers(2, len(live)))
    found = dw.cross_validate(
        table, score=[dw.BIC(), dw.BDeu(3)], folds=folds, seed=data.draw(st.integers(0, 99))
    )
    plain = rows_of(table)
    parts = Folds(table, folds, np.random.default_rng(np.random.SeedSequence(
        found.info["seed"], spawn_key=(0,))))  # fmt: skip
    wanted = np.full((2, len(table)), np.nan)
    for fold in range(folds):
        rows = parts.rows(fold)
        training = oracle.without(plain, set(rows.tolist()))
        for candidate, ess in enumerate((1, 3)):
            dag = found.dags[candidate][fold]
            scorer = dw.Scorer(table, [dw.BIC(), dw.BDeu(3)][candidate])
            scorer = scorer.reweighted(parts.training_weights(fold))
            assert dag == dw.learn(scorer, search=dw.HillClimb()).dag
            for row in rows:
                wanted[candidate, row] = oracle.log_probability(
                    training, dag, oracle.bdeu_alpha(ess), plain.rows[row]
                )
    assert found.by_row == pytest.approx(wanted[:, live], abs=1e-9)
    assert (found.weights == weights[live]).all()
    for own, values in zip(found.candidates, wanted[:, live], strict=True):
        wanted_mean = oracle.weighted_mean_and_error(values, weights[live])
        assert (own.mean, own.error) == pytest.approx(wanted_mean, abs=1e-9)
    first, second = wanted[:, live]
    pair = oracle.weighted_mean_and_error(first - second, weights[live])
    assert found.compare("bic", "bdeu:ess=3") == pytest.approx(pair, abs=1e-9)
    assert found.compare("bdeu:ess=3", "bic")[0] == pytest.approx(-pair[0], abs=1e-9)


@given(st.integers(2, 20), st.integers(20, 60), st.integers(0, 99))
def test_folds_are_about_equal_and_every_row_is_in_one(n_folds, n_rows, seed):
    weights = np.ones(n_rows)
    weights[:3] = 0
    n_folds = min(n_folds, n_rows - 3)
    table = dw.Table({"a": [0, 1] * (n_rows // 2) + [0] * (n_rows % 2)}, weights=weights)
    folds = Folds(table, n_folds, np.random.default_rng(seed))
    sizes = [len(folds.rows(fold)) for fold in range(n_folds)]
    assert max(sizes) - min(sizes) <= 1
    assert sum(sizes) == n_rows - 3
    for fold in range(n_folds):
        training = folds.training_weights(fold)
        assert (training[folds.rows(fold)] == 0).all()
        assert training.sum() == n_rows - 3 - sizes[fold]


def test_the_same_for_any_threads_and_source(asia):
    options = {"score": [dw.BIC(), dw.K2()], "search": [dw.HillClimb(restarts=2)], "seed": 5}
    wanted = dw.cross_validate(asia, threads=1, **options)
    halves = dw.Chunks([asia.take(range(250)), asia.take(range(250, 600))])
    for data, threads in ((asia, 4), (halves, 2), (dw.Scorer(asia), 3)):
        found = dw.cross_validate(data, threads=threads, **options)
        assert found.by_row == pytest.approx(wanted.by_row, abs=1e-12)
        assert found.dags == wanted.dags
    other = dw.cross_validate(asia, **options | {"seed": 6})
    assert other.candidates[0].mean != wanted.candidates[0].mean
    assert not wanted.by_row.flags.writeable


def test_a_scorer_brings_its_score_and_prior(asia):
    scorer = dw.Scorer(asia, dw.BDeu(5), structure_prior=dw.EdgePenalty(0.1))
    (own,) = dw.cross_validate(scorer, folds=3).candidates
    assert own.label == "bdeu:ess=5"
    assert own.settings["structure_prior"]["name"] == "edges"
    wanted = dw.cross_validate(
        asia, score=dw.BDeu(5), structure_prior=dw.EdgePenalty(0.1), folds=3
    ).candidates[0]
    assert own == wanted


def test_all_combinations_and_their_labels(asia):
    found = dw.cross_validate(
        asia,
        score=[dw.BIC(), dw.BDeu(1)],
        search=[dw.HillClimb(), dw.ChowLiu()],
        structure_prior=[dw.Uniform(), dw.EdgePenalty(0.5)],
        folds=3,
        parameters=dw.BDeu(7),
        constraints=dw.Constraints(forbidden=[("lung", "smoke")]),
    )
    labels = [own.label for own in found.candidates]
    assert len(set(labels)) == 8
    assert labels[0] == "bic, hill-climb, uniform"
    assert all(own.settings["parameters"] == {"name": "bdeu", "ess": 7} for own in found.candidates)
    assert not any(dag.has_edge("lung", "smoke") for dags in found.dags for dag in dags)
    tree = labels.index("bic, chow-liu, uniform")
    assert found.candidates[tree].edges == 7
    ordered = dw.cross_validate(asia, search=dw.K2Search(), folds=3)
    assert ordered.candidates[0].settings["score"] == {"name": "k2"}


def test_specs_whose_texts_do_not_tell_them_apart_are_numbered(asia):
    one, two = (dw.Penalized(lambda n, price=price: price) for price in (1.0, 2.0))
    found = dw.cross_validate(asia, score=[one, dw.BIC(), two], folds=2)
    labels = [own.label for own in found.candidates]
    assert labels == ["penalized:phi=... #1", "bic", "penalized:phi=... #2"]
    plain = dw.cross_validate(asia, score=[dw.Penalized(1.0), dw.Penalized(2.0)], folds=2)
    assert [found.candidates[i].mean for i in (0, 2)] == [own.mean for own in plain.candidates]
    beliefs = [dw.EdgeBeliefs({("smoke", "lung"): (p, 0.1)}) for p in (0.1, 0.8)]
    found = dw.cross_validate(asia, structure_prior=beliefs, folds=2)
    assert [own.label[-2:] for own in found.candidates] == ["#1", "#2"]
    with pytest.raises(dw.SpecError, match="given twice"):
        dw.cross_validate(asia, score=[one, one], folds=2)


def test_parameters_are_those_of_the_score(asia):
    found = dw.cross_validate(asia, score=[dw.BIC(), dw.BDeu(5), dw.K2()], folds=2)
    assert [own.settings["parameters"] for own in found.candidates] == [
        {"name": "bdeu", "ess": 1}, {"name": "bdeu", "ess": 5}, {"name": "k2"}
    ]  # fmt: skip


def test_the_verdict_says_when_rows_do_not_tell(asia):
    clear = dw.cross_validate(asia, score=[dw.BDeu(1), dw.BDeu(200)])
    assert clear.verdict == "bdeu:ess=1 predicts best, by more than 2 standard errors."
    assert clear.best.label == "bdeu:ess=1"
    best, worse = clear.candidates
    assert (best.difference, best.difference_error) == (0, 0)
    assert worse.difference < -2 * worse.difference_error
    assert worse.difference_error < worse.error
    near = dw.cross_validate(asia, score=[dw.BDeu(1), dw.BDeu(1.01)])
    assert "do not tell it apart from bdeu:ess=1" in near.verdict
    assert "may be chance" in near.verdict
    alone = dw.cross_validate(asia, folds=2)
    assert alone.verdict.startswith("bic predicts a held-out row with -2.")
    mixed = dw.cross_validate(asia, score=[dw.BDeu(1), dw.BDeu(1.01), dw.BDeu(200)])
    assert "ess=200" not in mixed.verdict
    assert str(mixed).splitlines()[-1] == mixed.verdict


def test_it_finds_what_predicts_better_in_truth():
    """Held-out means come near the cross entropy from the true network to the fitted one."""
    truth = dw.networks.load("asia")
    table = truth.sample(4000, seed=9)
    found = dw.cross_validate(table, folds=10)
    model = dw.learn(table, search=dw.HillClimb()).fit()
    wanted = -float(truth.cross_entropy(model))
    own = found.candidates[0]
    assert abs(own.mean - wanted) < 4 * own.error


def test_plain_values(asia):
    found = dw.cross_validate(asia, score=[dw.BIC(), dw.AIC()], folds=4)
    values = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert values["best"] == found.best.label
    assert values["folds"] == values["folds_done"] == 4
    assert [own["mean"] for own in values["candidates"]] == [own.mean for own in found.candidates]
    assert values["info"]["data_digest"] == asia.digest


class Slow:
    """Hill climbing that takes its time, and stops when it is told to."""

    def find(self, scorer, constraints, run):
        for _ in range(20):
            time.sleep(0.01)
            if run.stopping():
                break
        return dw.HillClimb().find(scorer, constraints, run)


@pytest.mark.parametrize("threads", [1, 2])
def test_stopped_by_time_or_callback(asia, threads):
    settings = {"search": Slow(), "threads": threads, "folds": 10}
    found = dw.cross_validate(asia, time_limit=0.75, **settings)
    done = len(found.dags[0])
    assert 1 <= done < 10
    assert found.reason == "time limit"
    assert len(found.weights) == found.by_row.shape[1] == 60 * done
    assert np.isfinite(found.by_row).all()
    found = dw.cross_validate(asia, callback=lambda now: now.step >= 1, **settings)
    assert found.reason == "callback"
    with pytest.raises(dw.Unfinished, match="before the first fold was done"):
        dw.cross_validate(asia, time_limit=0.0, **settings)


def test_ctrl_c_keeps_the_folds_that_are_done():
    answer = in_child(
        """
        table = dw.networks.load("asia").sample(600, seed=2)
        class Slow:
            def find(self, scorer, constraints, run):
                for _ in range(20):
                    time.sleep(0.01)
                    if run.stopping():
                        break
                return dw.HillClimb().find(scorer, constraints, run)
        threading.Timer(0.75, lambda: signal.raise_signal(signal.SIGINT)).start()
        try:
            dw.cross_validate(table, search=Slow(), threads=1)
        except dw.Interrupted as error:
            print([error.result.reason, 1 <= len(error.result.dags[0]) < 10])
        """
    )
    assert answer == ["interrupted", True]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"folds": 1}, "folds must be"),
        ({"folds": 601}, "601 folds need as many rows"),
        ({"score": []}, "at least one"),
        ({"score": [dw.BIC(), dw.BIC()]}, "bic is given twice"),
        ({"score": "bic"}, "not a score"),
        ({"search": dw.HillClimb}, "not a search"),
        ({"search": dw.GES(), "score": dw.K2()}, "not score-equivalent"),
        ({"parameters": "ml"}, "finds rows impossible"),
        ({"parameters": dw.BIC()}, "Dirichlet prior"),
        ({"constraints": {}}, "Constraints"),
        ({"constraints": dw.Constraints(required=[("a", "b")])}, "'a'"),
        ({"seed": -1}, "seed must be"),
    ],
)
def test_bad_settings_are_explained(asia, settings, words):
    with pytest.raises(dw.DagwrightError, match=words):
        dw.cross_validate(asia, **settings)


def test_an_unknown_candidate_is_named(asia):
    found = dw.cross_validate(asia, folds=2)
    with pytest.raises(dw.SpecError, match="no candidate 'aic': there are bic"):
        found.compare("aic", "bic")


def test_an_error_in_a_fold_names_the_candidate(asia):
    class Broken:
        def local(self, family):
            return "much"

    with pytest.raises(dw.SpecError, match=r"Broken.*must return a number"):
        dw.cross_validate(asia, score=[dw.BIC(), Broken()], folds=2)


def test_texts_of_specs():
    assert spec_text(dw.BDeu()) == "bdeu:ess=10.0"
    assert spec_text(dw.HillClimb(restarts=3)) == "hill-climb:restarts=3"
    assert spec_text(dw.Penalized(lambda n: 1.0)) == "penalized:phi=..."
    assert spec_text(Slow()) == "Slow"
    assert spec_text(dw.EdgePenalty(0.5)).startswith("edges:")


def test_the_picture(asia, tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    from matplotlib import pyplot

    found = dw.cross_validate(asia, score=[dw.BDeu(50), dw.BDeu(1), dw.BIC()], folds=4)
    ax = found.plot()
    (container,) = ax.containers
    ordered = sorted(found.candidates, key=lambda own: -own.mean)
    assert list(container.lines[0].get_xdata()) == [own.difference for own in ordered]
    (bars,) = container.lines[2]
    widths = [segment[1, 0] - segment[0, 0] for segment in bars.get_segments()]
    assert widths == pytest.approx([4 * own.difference_error for own in ordered])
    assert [text.get_text() for text in ax.get_yticklabels()] == [own.label for own in ordered]
    assert "nats a row" in ax.get_xlabel()
    assert "4 folds" in ax.get_title()
    ax.figure.savefig(tmp_path / "cv.svg")
    assert b"<svg" in (tmp_path / "cv.svg").read_bytes()[:500]
    pyplot.close("all")


@pytest.mark.slow
def test_alarm_is_fast():
    table = dw.networks.load("alarm").sample(10_000, seed=1)
    start = time.perf_counter()
    dw.cross_validate(table)
    assert time.perf_counter() - start < 2
