"""Moment matching with approximate expectations."""

import itertools

import numpy as np
import pytest
from tests.oracle import approximate_markov as oracle

import dagwright as dw
from dagwright import _core


def rows_of(n, seed, n_rows=4000, size=0.4):
    rng = np.random.default_rng(seed)
    couplings = np.triu(size * rng.normal(size=(n, n)), 1)
    return dw.Ising(0.3 * rng.normal(size=n), couplings + couplings.T).sample(n_rows, seed=seed)


@pytest.mark.parametrize("name", ["tree-reweighted", "belief-propagation"])
def test_moment_matching_by_messages_has_a_closed_form(name):
    """Couplings of tables: share * log(p_ij / (p_i p_j)), read as those of spins."""
    n = 5
    table = rows_of(n, 2, size=0.2)
    method = dw.MomentMatching(expectation=name, tolerance=1e-7)
    result = dw.learn_undirected(table, method=method)
    assert result.moment_gap < 1e-6
    said = "upper bound" if name == "tree-reweighted" else "no bound on the error"
    assert any(said in text for text in result.approximations)
    p = np.zeros((2,) * n)
    np.add.at(p, tuple(np.array(table.codes)), 1 / len(table))
    pairs = list(itertools.combinations(range(n), 2))
    shares = np.ones(len(pairs))
    if name == "tree-reweighted":
        shares = _core.FactorScopes([2] * n, pairs).shares_of_forests(64)
    for (a, b), share in zip(pairs, shares, strict=True):
        both = oracle.marginal(p, (a, b))
        apart = np.outer(oracle.marginal(p, (a,)), oracle.marginal(p, (b,)))
        logs = share * np.log(both / apart)
        wanted = (logs[0, 0] - logs[0, 1] - logs[1, 0] + logs[1, 1]) / 4
        assert result.model.couplings[a, b] == pytest.approx(wanted, abs=1e-4)


def test_on_a_tree_messages_learn_what_exact_inference_does():
    table = rows_of(6, 3)
    path = dw.UndirectedGraph(list(itertools.pairwise(table.names)))
    exact = dw.learn_undirected(table, graph=path, method=dw.MomentMatching())
    for name in ("belief-propagation", "tree-reweighted"):
        method = dw.MomentMatching(expectation=name)
        result = dw.learn_undirected(table, graph=path, method=method)
        np.testing.assert_allclose(result.model.theta, exact.model.theta, atol=1e-6)
        assert result.moment_gap < 1e-8
        assert result.approximations == ()


def test_sampled_expectations_match_within_their_errors():
    table = rows_of(5, 5)
    how = dw.GibbsExpectation(n_rows=300, warmup=100)
    result = dw.learn_undirected(table, method=dw.MomentMatching(expectation=how))
    assert result.reason == "moments match within their errors"
    exact = dw.learn_undirected(table, method=dw.MomentMatching())
    np.testing.assert_allclose(result.model.theta, exact.model.theta, atol=0.15)
    assert any("Gibbs sampling" in text for text in result.approximations)


def test_sampled_moment_gaps_are_honest():
    """The gap without chance is covered: other chains look at it than those that chose theta."""
    table = rows_of(4, 5, n_rows=1000)
    spin = 2.0 * np.array(table.codes) - 1
    pairs = itertools.combinations(spin, 2)
    wanted = np.array([*(own.mean() for own in spin), *((a * b).mean() for a, b in pairs)])
    how = dw.GibbsExpectation(chains=16, n_rows=100, warmup=50)
    covered = []
    for seed in range(60):
        result = dw.learn_undirected(table, method=dw.MomentMatching(expectation=how), seed=seed)
        means = np.array(list(result.model.expectations().values()))
        truth = abs(means - wanted).max()
        covered.append(abs(result.moment_gap - truth) <= 2 * result.moment_gap_error)
    assert np.mean(covered) >= 0.95


def test_the_clock_stops_sampled_and_message_expectations():
    n = 40
    couplings = np.triu(np.full((n, n), 0.02), 1)
    table = dw.Ising(np.zeros(n), couplings + couplings.T).sample(2000, method="gibbs")
    sampled = dw.MomentMatching(expectation=dw.GibbsExpectation(n_rows=100_000))
    with pytest.raises(dw.Unfinished, match="time limit"):
        dw.learn_undirected(table, method=sampled, time_limit=0.3)
    # Without parameters messages are settled at once, so that there is a first answer.
    endless = dw.TreeReweightedExpectation(tolerance=1e-300, max_iterations=10**9)
    method = dw.MomentMatching(expectation=endless)
    result = dw.learn_undirected(table, method=method, time_limit=0.3)
    assert result.reason == "time limit"
    assert result.info.seconds < 3


def test_what_is_too_wide_names_what_is_not():
    n = 40
    rng = np.random.default_rng(0)
    table = dw.Table({f"x{v}": rng.integers(0, 2, 200) for v in range(n)})
    with pytest.raises(dw.DataError, match="contrastive-divergence"):
        dw.learn_undirected(table, method=dw.MomentMatching())
