"""Consistency: measures against trying all graphs, limits, repeats, stops, words, picture."""

import json
import math
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagwright as dw
from dagwright.experiments.consistency import best_one_edge_away
from models import random_model
from oracle import graphs as graph_oracle
from oracle import overfitting as oracle
from oracle import scores as score_oracle
from oracle.counts import rows_of

LOCALS = {
    "bic": (dw.BIC(), score_oracle.bic),
    "k2": (dw.K2(), score_oracle.k2),
    "log-likelihood": (dw.LogLikelihood(), score_oracle.log_likelihood),
}


@settings(max_examples=15)
@given(st.integers(0, 10**6), st.integers(2, 4), st.sampled_from(sorted(LOCALS)))
def test_the_best_rival_one_edge_away(seed, n, kind):
    model = random_model(seed, n)
    table = model.sample(40, seed=seed)
    score, local = LOCALS[kind]
    plain, names = rows_of(table), model.names
    truth = oracle.total(local, plain, names, model.dag.edges)
    rivals = [
        oracle.total(local, plain, names, own) - truth
        for own in oracle.one_edge_away(names, model.dag.edges)
        if not graph_oracle.equivalent(own, set(model.dag.edges))
    ]
    found = best_one_edge_away(model.dag, dw.Scorer(table, score))
    assert found == pytest.approx(max(rivals), abs=1e-8)


@pytest.fixture(scope="module")
def cancer():
    return dw.networks.load("cancer")


@pytest.fixture(scope="module")
def found(cancer):
    return dw.consistency(cancer, rows=[30_000, 100, 1000], repeats=6, seed=1)


def test_the_means_are_those_of_the_repeats(cancer):
    score, search = dw.BIC(), dw.GES()
    found = dw.consistency(cancer, scores=[score], rows=[50, 400], repeats=5, search=search, seed=2)
    values = []
    for repeat in range(5):
        rng = np.random.default_rng(np.random.SeedSequence(2, spawn_key=(repeat,)))
        table = cancer.sample(400, seed=int(rng.integers(2**32)))
        for n in (50, 400):
            rows = table.take(range(n))
            learned = dw.learn(rows, score=score, search=search).dag
            truth = dw.score(cancer.dag, rows, score=score)
            gap = dw.score(learned, rows, score=score) - truth
            names, edges = cancer.names, set(cancer.dag.edges)
            rivals = [
                dw.score(dw.Dag(own, nodes=names), rows, score=score)
                for own in oracle.one_edge_away(names, edges)
                if not graph_oracle.equivalent(own, edges)
            ]
            if not graph_oracle.equivalent(set(learned.edges), edges):
                rivals.append(truth + gap)
            values.append((n, dw.shd(learned, cancer.dag), gap, truth - max(rivals)))
    for point in found.points:
        own = np.array([value[1:] for value in values if value[0] == point.rows])
        assert (point.shd, point.gap, point.margin) == pytest.approx(tuple(own.mean(axis=0)))
        errors = own.std(axis=0, ddof=1) / math.sqrt(5)
        assert (point.shd_error, point.gap_error, point.margin_error) == pytest.approx(
            tuple(errors)
        )
        assert point.found == (own[:, 0] == 0).mean()
        assert point.repeats == 5


def test_consistent_scores_find_the_truth_and_the_likelihood_does_not(found):
    assert list(dict.fromkeys(point.score for point in found.points)) == [
        "log-likelihood", "aic", "bic", "bdeu:ess=1", "bdeu:ess=10"
    ]  # fmt: skip
    assert [point.rows for point in found.of("bic")] == [100, 1000, 30_000]
    few, _, many = found.of("bic")
    assert few.shd > 1
    assert (many.shd, many.found, many.gap) == pytest.approx((0, 1, 0), abs=1e-6)
    assert many.margin > 2 > 0 > few.margin
    for point in found.of("log-likelihood"):
        assert point.found == 0
        assert point.margin <= 0
    assert found.of("log-likelihood")[-1].shd > 5
    for point in found.points:  # the search is exact here
        assert point.gap >= -1e-6


def test_the_same_for_any_threads_and_another_seed_is_another_answer(cancer):
    settings = {"scores": [dw.BIC()], "rows": [100], "repeats": 4}
    wanted = dw.consistency(cancer, threads=1, **settings)
    assert dw.consistency(cancer, threads=3, **settings).points == wanted.points
    assert dw.consistency(cancer, seed=1, **settings).points != wanted.points


def test_one_repeat_has_no_error(cancer):
    found = dw.consistency(cancer, scores=[dw.BIC()], rows=[100], repeats=1)
    (point,) = found.points
    assert math.isnan(point.shd_error)
    values = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert values["points"][0]["shd_error"] is None
    assert values["points"][0]["rows"] == 100


def test_words(found):
    head, *lines = str(found).splitlines()
    assert head.split() == [
        "score", "rows", "found", "SHD", "error", "gap", "error", "margin", "error"
    ]  # fmt: skip
    assert len(lines) == 15
    assert lines[6].split()[:2] == ["bic", "100"]
    with pytest.raises(dw.SpecError, match="no score 'k2': there are log-likelihood, aic"):
        found.of("k2")


class Slow:
    def find(self, scorer, constraints, run):
        for _ in range(20):
            time.sleep(0.01)
            if run.stopping():
                break
        return dw.HillClimb().find(scorer, constraints, run)


def test_stopped(cancer):
    settings = {"scores": [dw.BIC()], "rows": [100], "search": Slow(), "threads": 1}
    found = dw.consistency(cancer, time_limit=0.5, **settings)
    assert found.reason == "time limit"
    assert 1 <= found.points[0].repeats < 10
    with pytest.raises(dw.Unfinished, match="before the first repeat"):
        dw.consistency(cancer, time_limit=0.0, **settings)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"scores": []}, "scores must be a list"),
        ({"scores": dw.BIC()}, "scores must be a list"),
        ({"scores": [dw.BIC(), dw.BIC()]}, "different ones"),
        ({"scores": ["bic"]}, "not a score"),
        ({"rows": 100}, "rows must be a list"),
        ({"rows": [0]}, "rows must be a whole number"),
        ({"repeats": 0}, "repeats must be"),
        ({"search": "ges"}, "not a search"),
    ],
)
def test_bad_settings_are_explained(cancer, settings, words):
    with pytest.raises(dw.SpecError, match=words):
        dw.consistency(cancer, **{"rows": [10], "repeats": 1} | settings)


def test_rows_may_come_from_a_generator(cancer):
    found = dw.consistency(cancer, scores=iter([dw.BIC()]), rows=(n for n in [20, 10]), repeats=1)
    assert [point.rows for point in found.points] == [10, 20]


def test_bad_models_are_explained(cancer):
    with pytest.raises(dw.SpecError, match="model must be a BayesNet"):
        dw.consistency(cancer.dag)
    with pytest.raises(dw.SpecError, match="at least two variables"):
        dw.consistency(dw.BayesNet(dw.Dag(nodes=["a"]), {"a": [0.5, 0.5]}))


@pytest.mark.parametrize("what", ["shd", "gap", "margin"])
def test_the_picture(found, tmp_path, what):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    from matplotlib import pyplot

    ax = found.plot(what)
    lines = [container.lines[0] for container in ax.containers]
    scores = ["log-likelihood", "aic", "bic", "bdeu:ess=1", "bdeu:ess=10"]
    for line, score in zip(lines, scores, strict=True):
        assert list(line.get_xdata()) == [100, 1000, 30_000]
        assert list(line.get_ydata()) == [getattr(point, what) for point in found.of(score)]
    assert len({line.get_color() for line in lines}) == 5
    assert len({line.get_marker() for line in lines}) == 5
    assert [text.get_text() for text in ax.get_legend().get_texts()] == scores
    assert (ax.get_xlabel(), ax.get_xscale()) == ("rows", "log")
    assert ax.get_yscale() == ("linear" if what == "shd" else "symlog")
    assert "Hamming" in ax.get_ylabel() or "nats" in ax.get_ylabel()
    ax.figure.savefig(tmp_path / "consistency.svg")
    assert b"<svg" in (tmp_path / "consistency.svg").read_bytes()[:500]
    with pytest.raises(dw.SpecError, match="what must be one of shd, gap, margin"):
        found.plot("score")
    pyplot.close("all")
