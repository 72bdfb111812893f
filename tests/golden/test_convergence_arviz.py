"""R-hat and effective sample sizes are those of arviz."""

import warnings

import numpy as np
import pytest

import dagwright as dw
from dagwright.posterior import convergence

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of its next version
    az = pytest.importorskip("arviz")


def chains(case):
    rng = np.random.default_rng(case)
    m = rng.integers(2, 5)
    n = rng.integers(8, 60) if case % 2 else rng.integers(100, 400)
    correlation = rng.choice([-0.7, 0, 0.5, 0.9, 0.99])
    noise = rng.normal(size=(m, n))
    values = noise.copy()
    for at in range(1, n):
        values[:, at] += correlation * values[:, at - 1]
    if case % 3 == 0:
        values += rng.normal(size=(m, 1))
    if case % 5 == 0:
        values *= rng.exponential(size=(m, 1))
    return values


@pytest.mark.parametrize("case", range(150))
def test_numbers(case):
    values = chains(case)
    assert convergence.rank_r_hat(values) == pytest.approx(az.rhat(values, method="rank"), rel=1e-9)
    assert convergence.bulk_effective_size(values) == pytest.approx(
        az.ess(values, method="bulk"), rel=1e-9
    )


@pytest.mark.parametrize("case", range(50))
def test_indicators(case):
    values = chains(case)
    values = np.stack([values > -0.5, values > 0.5], axis=-1)
    found = convergence.split_r_hats(values), convergence.effective_sizes(values)
    for k in range(2):
        own = values[..., k].astype(float)
        if np.ptp(own) == 0:
            continue
        within = own[:, : own.shape[1] // 2].var(), own[:, own.shape[1] // 2 :].var()
        assert found[1][k] == pytest.approx(az.ess(own, method="mean"), rel=1e-9)
        if max(within) > 0:
            assert found[0][k] == pytest.approx(az.rhat(own, method="split"), rel=1e-9)
            # Ranks of what is 0 or 1 change nothing.
            assert found[0][k] == pytest.approx(az.rhat(own, method="rank"), rel=1e-9)


@pytest.mark.parametrize("case", range(30))
def test_standard_errors_of_plain_means(case):
    values = chains(case)
    weights = np.full(values.shape, 1 / values.size)
    found = convergence.standard_errors(values[..., None], weights)[0]
    assert found == pytest.approx(az.mcse(values, method="mean"), rel=1e-9)


def test_a_posterior_for_arviz():
    rng = np.random.default_rng(5)
    names = ["a", "b", "c"]
    dags = [
        dw.Dag([("a", "b")], nodes=names),
        dw.Dag([("b", "a")], nodes=names),
        dw.Dag([("a", "b"), ("c", "b")], nodes=names),
    ]
    drawn = rng.integers(0, 3, (2, 50))
    logs = rng.normal(size=(2, 50))
    posterior = dw.Posterior.from_dags(
        [[dags[k] for k in chain] for chain in drawn], rng.normal(size=(2, 50)), log_weights=logs
    )
    data = posterior.to_arviz()
    assert (data.posterior["log_score"].values == posterior.scores).all()
    assert (data.sample_stats["log_weight"].values == logs).all()
    edge = data.posterior["edge"].sel(parent="c", child="b")
    assert (edge.values == (drawn == 2)).all()
    assert posterior.r_hat() == pytest.approx(float(az.rhat(data)["log_score"]), rel=1e-9)
    assert posterior.effective_sample_size() == pytest.approx(
        float(az.ess(data)["log_score"]), rel=1e-9
    )
    sizes = az.ess(data.posterior["edge"].astype(float), method="mean")["edge"]
    hats = az.rhat(data.posterior["edge"].astype(float), method="split")["edge"]
    for pair in (("a", "b"), ("b", "a"), ("c", "b")):
        at = dict(zip(("parent", "child"), pair, strict=True))
        assert posterior.effective_sample_size("edges")[pair] == pytest.approx(
            float(sizes.sel(at)), rel=1e-9
        )
        assert posterior.r_hat("edges")[pair] == pytest.approx(float(hats.sel(at)), rel=1e-9)
    plain = dw.Posterior.from_dags([[dags[0]] * 4], [[-1.0] * 4]).to_arviz()
    assert "log_weight" not in plain.sample_stats
