"""R-hat and effective sample sizes are those of arviz."""

import warnings

import numpy as np
import pytest

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
