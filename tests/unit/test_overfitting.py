"""Overfitting: the path against trying every edge, its scores, held-out rows, words, picture."""

import itertools
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagwright as dw
from dagwright.experiments.held_out import split_rows
from oracle import cross_validate as held_out_oracle
from oracle import overfitting as oracle
from oracle import scores as score_oracle
from oracle.counts import rows_of
from strategies import tables


@pytest.fixture(scope="module")
def asia():
    return dw.networks.load("asia").sample(500, seed=1)


@settings(max_examples=15)
@given(st.data())
def test_the_path_and_its_scores(data):
    table = data.draw(tables(min_variables=2, max_variables=4, max_states=3, max_rows=40))
    seed = data.draw(st.integers(0, 99))
    weights = np.ones(len(table)) if table.weights is None else table.weights
    if (weights > 0).sum() < 2:
        return
    path = dw.overfitting(table, seed=seed, ess=2)
    names = table.names
    n = len(names)
    assert [step.n_edges for step in path.steps] == list(range(n * (n - 1) // 2 + 1))
    stream = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(0,)))
    training_weights, rows = split_rows(table, 0.3, stream)
    training = rows_of(table.with_weights(training_weights))
    everything = rows_of(table)
    assert path.n_training == pytest.approx(training.total)
    assert path.n_held_out == pytest.approx(everything.total - training.total)
    edges = set()
    for step in path.steps:
        if step.added is not None:
            wanted = oracle.best_addition(training, names, edges)
            edges.add(step.added)
            total = oracle.log_likelihood(training, names, edges)
            assert total == pytest.approx(wanted, abs=1e-7)
        dag = path.dag(step.n_edges)
        assert set(dag.edges) == edges
        for name, local in (
            ("log_likelihood", score_oracle.log_likelihood),
            ("bic", score_oracle.bic),
            ("bdeu", score_oracle.bdeu(2)),
        ):
            wanted = score_oracle.score(local, training, dag) / training.total
            assert getattr(step, name) == pytest.approx(wanted, abs=1e-9)
        of_rows = [
            held_out_oracle.log_probability(
                training, dag, held_out_oracle.bdeu_alpha(2), everything.rows[row]
            )
            for row in rows
        ]
        own = np.array([everything.weights[row] for row in rows])
        mean = own @ np.array(of_rows) / own.sum()
        assert step.held_out == pytest.approx(mean, abs=1e-9)


def test_the_likelihood_climbs_and_the_others_turn(asia):
    path = dw.overfitting(asia)
    likelihood = [step.log_likelihood for step in path.steps]
    assert len(path.steps) == 29
    assert all(b >= a - 1e-12 for a, b in itertools.pairwise(likelihood))
    for criterion in ("bic", "bdeu", "held_out"):
        values = [getattr(step, criterion) for step in path.steps]
        top = path.best(criterion).n_edges
        assert 4 <= top <= 12
        assert values[top] == max(values)
        assert values[-1] < values[top] - 0.05
    assert path.verdict == (
        "The likelihood of the training rows climbs to the complete graph, 28 edges; held-out rows "
        f"are predicted best with {path.best('held_out').n_edges}, BIC is highest with "
        f"{path.best('bic').n_edges}, BDeu(1) with {path.best('bdeu').n_edges}."
    )
    assert str(path).splitlines()[-1] == path.verdict
    assert len(str(path).splitlines()) == 29 + 3
    assert json.loads(json.dumps(path.to_dict(), allow_nan=False))["steps"][0]["added"] is None


def test_settings(asia):
    short = dw.overfitting(asia, max_edges=3)
    assert len(short.steps) == 4
    assert "the end of the path, 3 edges" in short.verdict
    assert short.steps == dw.overfitting(asia).steps[:4]
    assert dw.overfitting(asia, max_edges=0).dag(0) == dw.Dag(nodes=asia.names)
    assert dw.overfitting(asia, held_out=0.1).n_held_out == 50
    assert dw.overfitting(asia, seed=1).steps != dw.overfitting(asia).steps
    halves = dw.Chunks([asia.take(range(250)), asia.take(range(250, 500))])
    for data in (halves, dw.Scorer(asia, dw.K2(), structure_prior=dw.EdgePenalty(0.1))):
        other = dw.overfitting(data, max_edges=5)
        assert [step.held_out for step in other.steps] == pytest.approx(
            [step.held_out for step in dw.overfitting(asia, max_edges=5).steps]
        )
        assert other.steps[1].bic == pytest.approx(short.steps[1].bic)
    wide = dw.networks.load("alarm").sample(200, seed=1)
    assert len(dw.overfitting(wide, max_edges=40).steps) == 41
    assert len(dw.overfitting(wide).steps) == 3 * len(wide.names) + 1


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"ess": 0}, "ess must be"),
        ({"held_out": 1}, "held_out must be a share"),
        ({"held_out": 0}, "held_out must be a share"),
        ({"max_edges": -1}, "max_edges must be"),
        ({"seed": -1}, "seed must be"),
    ],
)
def test_bad_settings_are_explained(asia, settings, words):
    with pytest.raises(dw.SpecError, match=words):
        dw.overfitting(asia, **settings)


def test_one_row_cannot_be_divided(asia):
    with pytest.raises(dw.DataError, match="cannot be held out"):
        dw.overfitting(asia.take([0]))
    path = dw.overfitting(asia, max_edges=1)
    with pytest.raises(dw.SpecError, match="criterion must be one of log_likelihood, bic"):
        path.best("aic")
    with pytest.raises(dw.SpecError, match="n_edges must be"):
        path.dag(2)


def test_the_picture(asia, tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    from matplotlib import pyplot

    path = dw.overfitting(asia)
    ax = path.plot()
    lines = ax.get_lines()
    assert len(lines) == 8
    for line, top, criterion in zip(
        lines[::2], lines[1::2], ("log_likelihood", "bic", "bdeu", "held_out"), strict=True
    ):
        assert list(line.get_ydata()) == [getattr(step, criterion) for step in path.steps]
        assert list(line.get_xdata()) == list(range(29))
        assert top.get_xdata()[0] == path.best(criterion).n_edges
        assert line.get_color() == top.get_color()
    assert len({line.get_color() for line in lines}) == 4
    assert len({line.get_marker() for line in lines[1::2]}) == 4
    low, high = ax.get_ylim()
    assert low < path.steps[0].bic
    assert path.steps[-1].log_likelihood < high
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        "log-likelihood", "BIC", "BDeu(1)", "held-out rows"
    ]  # fmt: skip
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("edges", "nats a row")
    ax.figure.savefig(tmp_path / "path.svg")
    assert b"<svg" in (tmp_path / "path.svg").read_bytes()[:500]
    pyplot.close("all")
