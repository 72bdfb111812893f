"""Marginal likelihoods: the exact value, Laplace's approximation, BIC; how errors go with N."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dagwright as dw
from instances import AlphaTable, some_alpha_oracle
from models import random_model
from oracle import marginal_likelihood as oracle
from oracle import scores as score_oracle
from oracle.counts import rows_of
from strategies import dags_of, tables


def bdeu_alpha(ess):
    def alpha(data, child, parents, config, state):
        q = math.prod(data.n_states[parent] for parent in parents)
        return ess / (data.n_states[child] * q)

    return alpha


def priors(table):
    return {
        "bdeu": (dw.BDeu(3), bdeu_alpha(3)),
        "k2": (dw.K2(), lambda *_: 1.0),
        "dirichlet": (dw.Dirichlet(AlphaTable(table.n_states)), some_alpha_oracle),
    }


@given(st.data(), st.sampled_from(["bdeu", "k2", "dirichlet"]))
def test_all_parts_against_the_definitions(data, kind):
    table = data.draw(tables(max_variables=4, max_states=3))
    dag = data.draw(dags_of(table.names))
    score, alpha = priors(table)[kind]
    found = dw.marginal_likelihood(dag, table, score=score)
    plain = rows_of(table)
    exact = score_oracle.score(score_oracle.marginal_likelihood(alpha), plain, dag)
    log_likelihood = score_oracle.score(score_oracle.log_likelihood, plain, dag)
    laplace = oracle.laplace(plain, dag, alpha)
    assert found.exact == pytest.approx(exact, abs=1e-8)
    assert found.log_likelihood == pytest.approx(log_likelihood, abs=1e-8)
    assert found.occam_factor == pytest.approx(exact - log_likelihood, abs=1e-8)
    assert found.bic == pytest.approx(score_oracle.score(score_oracle.bic, plain, dag), abs=1e-8)
    assert found.n_parameters == sum(
        score_oracle.n_parameters(plain, node, dag.parents(node)) for node in dag.nodes
    )
    assert found.n_rows == pytest.approx(plain.total)
    assert (found.laplace is None) == (laplace is None) == bool(found.zeros)
    if laplace is not None:
        assert found.laplace == pytest.approx(laplace, abs=1e-8)


def test_where_an_estimate_is_zero():
    table = dw.Table({"a": ["x", "x", "y", "y"], "b": ["n", "y", "y", "y"], "c": [1, 2, 1, 2]})
    dag = dw.Dag([("a", "b"), ("c", "b")], nodes=["a", "b", "c"])
    found = dw.marginal_likelihood(dag, table)
    assert found.laplace is None
    assert {(zero.child, zero.state, *sorted(zero.given.items())) for zero in found.zeros} == {
        ("b", "n", ("a", "x"), ("c", 2)),
        ("b", "y", ("a", "x"), ("c", 1)),
        ("b", "n", ("a", "y"), ("c", 1)),
        ("b", "n", ("a", "y"), ("c", 2)),
    }
    assert "undefined, because these were never seen: b=" in str(found)
    assert json.loads(json.dumps(found.to_dict()))["laplace"] is None
    many = dw.networks.load("alarm").sample(500, seed=1)
    text = str(dw.marginal_likelihood(dw.networks.load("alarm").dag, many))
    assert " more" in text
    assert len(text) < 1500


def test_an_unseen_configuration_adds_nothing():
    """Its integral is that of the prior, 1: it is no zero of an estimate."""
    rows = {"a": [0, 0, 1, 1] * 5, "b": [0, 1, 1, 0] * 5}
    dag = dw.Dag([("a", "b")])
    more = dw.Table(rows, states={"a": [0, 1, 2]})
    found = dw.marginal_likelihood(dag, more, score=dw.K2())
    # the root has an unseen state, the child an unseen configuration
    assert [str(zero) for zero in found.zeros] == ["a=2"]


@pytest.mark.parametrize("heads", [0.5, 0.3, 0.05])
def test_beta_and_bernoulli_as_the_lecture_has_it(heads):
    """p(D) = 1 / ((K + 1) (K over K1)); by Stirling -K H - ln(K + 1) + ln(2 pi K1 K2 / K) / 2."""
    errors = []
    for k in (100, 1000, 10_000, 100_000):
        first = round(heads * k)
        second = k - first
        table = dw.Table({"x": [0, 1]}, weights=[first, second])
        found = dw.marginal_likelihood(dw.Dag(nodes=["x"]), table, score=dw.K2())
        binomial = math.lgamma(k + 1) - math.lgamma(first + 1) - math.lgamma(second + 1)
        assert found.exact == pytest.approx(-math.log(k + 1) - binomial, rel=1e-12)
        assert found.exact == pytest.approx(oracle.beta_bernoulli(first, second), abs=1e-6)
        entropy = -sum(n / k * math.log(n / k) for n in (first, second))
        assert found.log_likelihood == pytest.approx(-k * entropy)
        stirling = -k * entropy - math.log(k + 1)
        stirling += math.log(2 * math.pi * first * second) / 2 - math.log(k) / 2
        errors.append(
            [stirling - found.exact, found.laplace - found.exact, found.bic - found.exact]
        )
    for of_k, (stirling, laplace, _) in zip((100, 1000, 10_000, 100_000), errors, strict=True):
        assert abs(stirling) < 2 / (heads * of_k)  # exact to O(1 / K): nothing is missing
        assert abs(laplace) < 2 / (heads * of_k)
    limit = -math.log(2 * math.pi * heads * (1 - heads)) / 2
    assert errors[-1][2] == pytest.approx(limit, abs=1e-3)
    assert errors[-1][2] == pytest.approx(errors[-2][2], abs=1e-3)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("score", [dw.BDeu(1), dw.BDeu(10), dw.K2()])
def test_laplace_comes_close_and_bic_stays_off(seed, score):
    """On graphs: as N grows ten times, Laplace's error falls ten times; BIC's stays."""
    model = random_model(seed, 4, max_states=3, density=0.7)
    rows = [10**k for k in (3, 4, 5, 6, 7)]
    curve = dw.marginal_likelihood_curve(model, rows=rows, score=score)
    laplace = np.abs(curve.laplace_errors)
    assert laplace[-1] < 1e-3
    assert laplace[2] / laplace[3] == pytest.approx(10, rel=0.2)
    bic = np.array(curve.bic_errors)
    assert np.ptp(bic[2:]) < 0.05
    assert np.abs(bic).max() < np.abs(bic[-1]) + 5
    # the number that BIC is off by in the end is BIC - Laplace, which has no N in it
    off = np.array(curve.bic) - np.array(curve.laplace)
    assert np.ptp(off) < 1e-5
    assert bic[-1] == pytest.approx(off[-1], abs=1e-3)


@given(st.integers(0, 1000), st.integers(2, 40))
def test_the_curve_is_what_such_rows_have(seed, scale):
    """Expected counts as row weights: the same numbers through the counting core."""
    model = random_model(seed, 3, max_states=3)
    cells = model.query(model.names)
    shape = cells.probabilities.shape
    codes = list(np.argwhere(np.ones(shape)).T)
    n = 64 * scale
    table = dw.Table.from_codes(
        codes,
        names=model.names,
        states=[model.states[name] for name in model.names],
        weights=n * cells.probabilities.ravel(),
    )
    curve = dw.marginal_likelihood_curve(model, rows=[n])
    found = dw.marginal_likelihood(model.dag, table)
    assert curve.exact[0] == pytest.approx(found.exact, abs=1e-6)
    assert curve.log_likelihood[0] == pytest.approx(found.log_likelihood, abs=1e-6)
    assert curve.bic[0] == pytest.approx(found.bic, abs=1e-6)
    assert curve.n_parameters == found.n_parameters
    assert curve.laplace[0] == pytest.approx(found.laplace, abs=1e-5)


def test_another_graph_than_the_network_s():
    model = dw.networks.load("asia").smoothed(0.01)
    empty = dw.Dag(nodes=["smoke", "lung"])
    edge = dw.Dag([("smoke", "lung")])
    without, with_ = (
        dw.marginal_likelihood_curve(model, dag=dag, rows=[10, 10_000]) for dag in (empty, edge)
    )
    assert without.exact[0] > with_.exact[0]
    assert without.exact[1] < with_.exact[1]


def test_zeros_of_a_network_are_undefined():
    curve = dw.marginal_likelihood_curve(dw.networks.load("asia"), rows=[100])
    assert curve.laplace is None
    assert curve.laplace_errors is None
    assert "undefined" in str(curve)
    assert json.loads(json.dumps(curve.to_dict()))["laplace_errors"] is None


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda m, t: dw.marginal_likelihood(m.dag, t, score=dw.BIC()), "Dirichlet prior"),
        (lambda m, t: dw.marginal_likelihood(m.dag, t, score="ml"), "no marginal likelihood"),
        (lambda m, t: dw.marginal_likelihood(dw.Dag(nodes=["x"]), t), "no variable 'x'"),
        (lambda m, t: dw.marginal_likelihood_curve(m, score=dw.AIC()), "Dirichlet prior"),
        (lambda m, t: dw.marginal_likelihood_curve(m.dag), "must be a BayesNet"),
        (lambda m, t: dw.marginal_likelihood_curve(m, dag=dw.Dag(nodes=["x"])), "node 'x'"),
        (lambda m, t: dw.marginal_likelihood_curve(m, rows=[0]), "rows must be"),
    ],
)
def test_bad_input_is_explained(call, words):
    model = dw.networks.load("asia")
    with pytest.raises((dw.SpecError, dw.GraphError), match=words):
        call(model, model.sample(10))


def test_the_picture(tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    from matplotlib import pyplot

    curve = dw.marginal_likelihood_curve(dw.networks.load("asia").smoothed(0.1))
    ax = curve.plot()
    _zero, laplace, bic = ax.get_lines()
    assert tuple(laplace.get_ydata()) == curve.laplace_errors
    assert tuple(bic.get_ydata()) == curve.bic_errors
    assert tuple(bic.get_xdata()) == curve.rows
    assert (laplace.get_color(), laplace.get_marker()) != (bic.get_color(), bic.get_marker())
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts == ["Laplace - exact", "BIC - exact"]
    assert (ax.get_xlabel(), ax.get_xscale()) == ("rows", "log")
    assert "nats" in ax.get_ylabel()
    ax.figure.savefig(tmp_path / "curve.png")
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")
    alone = dw.marginal_likelihood_curve(dw.networks.load("asia")).plot()
    assert [text.get_text() for text in alone.get_legend().get_texts()] == ["BIC - exact"]
    pyplot.close("all")


def test_a_score_without_a_prior_is_named():
    with pytest.raises(dw.SpecError, match=r"score=BIC\(\) is no marginal likelihood"):
        dw.marginal_likelihood(dw.Dag(nodes=["a"]), dw.Table({"a": [0, 1]}), score=dw.BIC())


def test_less_than_one_row_costs_bic_nothing():
    table = dw.Table({"a": [0, 0, 1], "b": [0, 1, 1]}, weights=[0.1, 0.2, 0.1])
    dag = dw.Dag([("a", "b")])
    found = dw.marginal_likelihood(dag, table)
    assert found.bic == dw.Scorer(table, dw.BIC()).score(dag) == found.log_likelihood
    test = dw.independence(table, "a", "b")
    assert test.bic_threshold == 0
    assert test.bic_gain == pytest.approx(test.g2 / 2)
