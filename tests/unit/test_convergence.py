"""R-hat, effective sizes and errors: what they must be whatever other programs say."""

import math

import numpy as np
import pytest

from dagwright.posterior.convergence import (
    bulk_effective_size,
    effective_sizes,
    rank_r_hat,
    split_r_hats,
    standard_errors,
)


def autoregressive(correlation, n_chains, n_draws, seed):
    rng = np.random.default_rng(seed)
    values = np.empty((n_chains, n_draws))
    values[:, 0] = rng.normal(size=n_chains) / math.sqrt(1 - correlation**2)
    noise = rng.normal(size=(n_chains, n_draws))
    for at in range(1, n_draws):
        values[:, at] = correlation * values[:, at - 1] + noise[:, at]
    return values


@pytest.mark.parametrize("correlation", [-0.3, 0.0, 0.5, 0.9])
def test_the_effective_size_is_that_of_theory(correlation):
    values = autoregressive(correlation, 4, 20_000, seed=1)
    wanted = values.size * (1 - correlation) / (1 + correlation)
    assert effective_sizes(values[..., None])[0] == pytest.approx(wanted, rel=0.1)
    assert bulk_effective_size(values) == pytest.approx(wanted, rel=0.15)
    assert rank_r_hat(values) < 1.01


def test_chains_that_differ_in_place_or_width_are_seen():
    values = autoregressive(0.2, 4, 500, seed=2)
    assert rank_r_hat(values) < 1.01
    assert rank_r_hat(values + np.arange(4)[:, None]) > 1.1
    wide = values * np.array([1, 1, 1, 5])[:, None]
    assert split_r_hats(wide[..., None])[0] < 1.02  # the classic one does not see it
    assert rank_r_hat(wide) > 1.05
    # One chain is compared with itself, half with half.
    drift = values[:1] + np.linspace(0, 5, 500)
    assert rank_r_hat(drift) > 1.2


def test_what_stands_still():
    same = np.ones((3, 20))
    assert rank_r_hat(same) == 1
    assert bulk_effective_size(same) == 60
    apart = np.repeat([[0.0], [1.0]], 20, axis=1)
    assert split_r_hats(apart[..., None])[0] == np.inf
    assert rank_r_hat(apart) == np.inf
    assert math.isnan(rank_r_hat(same[:, :3]))
    assert math.isnan(effective_sizes(same[:, :1, None])[0])
    assert effective_sizes(np.ones((2, 9, 0))).size == 0


@pytest.mark.parametrize("correlation", [0.0, 0.8])
def test_standard_errors_cover_the_truth(correlation):
    """Weighted by a normal density ratio, the mean of N(0, s) draws is that of another normal."""
    inside = 0
    for seed in range(200):
        values = autoregressive(correlation, 2, 1000, seed)
        scale = 1 / math.sqrt(1 - correlation**2)
        weights = np.exp(0.5 * values / scale)  # tilts the mean to scale / 2
        weights /= weights.sum()
        mean = (weights * values).sum()
        error = standard_errors(values[..., None], weights)[0]
        inside += abs(mean - 0.5 * scale) < 1.96 * error
    assert 0.88 < inside / 200 < 0.99


def test_standard_errors_of_what_never_changes_are_zero():
    weights = np.full((2, 10), 0.05)
    assert standard_errors(np.ones((2, 10, 1)), weights)[0] == 0
    one = standard_errors(np.array([[[1.0], [0.0]]]), np.array([[0.5, 0.5]]))
    assert math.isnan(one[0])
