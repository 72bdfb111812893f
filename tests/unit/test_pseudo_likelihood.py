"""Pseudo-likelihood against its formula and a general solver."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

import dagwright as dw
from dagwright.markov.pseudo_likelihood_fit import fit_pseudo_likelihood, pseudo_likelihood
from dagwright.markov.spins import SpinRows
from dagwright.run import start_run
from oracle.neighbourhoods import ising_probabilities, negative_log_pseudo_likelihood


def run_of(threads=1):
    return start_run(0, threads, None, False, None)


def drawn(n, n_rows, seed):
    rng = np.random.default_rng(seed)
    couplings = np.triu(rng.normal(size=(n, n)) * 0.4, k=1)
    couplings = couplings + couplings.T
    states, p = ising_probabilities(rng.normal(size=n) / 4, couplings)
    codes = (states[rng.choice(len(p), size=n_rows, p=p)] + 1) // 2
    codes[0], codes[1] = 0, 1
    weights = rng.integers(1, 4, n_rows)
    return dw.Table.from_codes(codes, states=[(0, 1)] * n, weights=weights), codes, weights


def matrix(n, pairs, couplings):
    full = np.zeros((n, n))
    for (a, b), own in zip(pairs, couplings, strict=True):
        full[a, b] = full[b, a] = own
    return full


@given(st.integers(2, 5), st.integers(5, 60), st.integers(0, 10**6))
def test_value_and_gradient(n, n_rows, seed):
    table, codes, weights = drawn(n, n_rows, seed)
    rng = np.random.default_rng(seed)
    pairs = [pair for pair in combinations(range(n), 2) if rng.random() < 0.7]
    fields, couplings = rng.normal(size=n), rng.normal(size=len(pairs))
    spins = 2.0 * codes - 1

    def by_hand(point):
        return negative_log_pseudo_likelihood(
            spins, weights, point[:n], matrix(n, pairs, point[n:])
        )

    with run_of() as run:
        value, gradient = pseudo_likelihood(SpinRows.of(table), pairs, fields, couplings, run)
    point = np.concatenate([fields, couplings])
    assert value == pytest.approx(by_hand(point))
    for k in range(len(point)):
        step = np.zeros(len(point))
        step[k] = 1e-6
        slope = (by_hand(point + step) - by_hand(point - step)) / 2e-6
        assert gradient[k] == pytest.approx(slope, abs=1e-5)


@pytest.mark.parametrize(("l1", "l2"), [(0, 0), (0, 0.2), (0.05, 0), (0.05, 0.1)])
def test_the_minimum_is_that_of_a_general_solver(l1, l2):
    table, codes, weights = drawn(4, 300, seed=5)
    pairs = list(combinations(range(4), 2))
    spins = 2.0 * codes - 1

    def objective(point):
        value = negative_log_pseudo_likelihood(
            spins, weights, point[:4], matrix(4, pairs, point[4:])
        )
        return value + l1 * np.abs(point[4:]).sum() + l2 / 2 * (point[4:] ** 2).sum()

    with run_of() as run:
        fit = fit_pseudo_likelihood(SpinRows.of(table), pairs, run, l1=l1, l2=l2)
    own = np.concatenate([fit.fields, fit.couplings])
    assert fit.residual <= 1e-6
    here = objective(own)
    found = minimize(objective, own, method="Nelder-Mead", options={"maxiter": 400})
    assert found.fun >= here - 1e-9
    rng = np.random.default_rng(0)
    for _ in range(100):
        assert objective(own + rng.normal(size=len(own)) * 10 ** rng.uniform(-4, 0)) >= here - 1e-10
    plain = here - l1 * np.abs(fit.couplings).sum() - l2 / 2 * (fit.couplings**2).sum()
    assert fit.value == pytest.approx(plain)


def test_a_penalty_makes_zeros_and_any_start_gives_the_same():
    table, *_ = drawn(6, 500, seed=2)
    pairs = list(combinations(range(6), 2))
    rows = SpinRows.of(table)
    rng = np.random.default_rng(0)
    with run_of(threads=2) as run:
        fits = [
            fit_pseudo_likelihood(rows, pairs, run, l1=0.15, start=start)
            for start in (None, rng.normal(size=21), rng.normal(size=21))
        ]
    assert 0 < (fits[0].couplings != 0).sum() < 15
    for own in fits[1:]:
        assert own.couplings == pytest.approx(fits[0].couplings, abs=1e-5)


def test_pseudo_likelihood_is_consistent_and_threads_change_nothing():
    couplings = np.zeros((5, 5))
    for a, b, size in [(0, 1, 0.5), (1, 2, -0.4), (2, 3, 0.6), (3, 0, 0.3)]:
        couplings[a, b] = couplings[b, a] = size
    truth = dw.Ising([0.1, 0, -0.2, 0, 0.3], couplings, names=list("abcde"))
    rows = truth.sample(100_000, seed=1)
    found = [
        dw.learn_undirected(rows, method=dw.PseudoLikelihood(), threads=threads)
        for threads in (1, 2)
    ]
    assert np.array_equal(found[0].model.couplings, found[1].model.couplings)
    assert found[0].model.couplings == pytest.approx(couplings, abs=0.02)
    assert len(found[0].graph.edges) == 10
    exact = dw.learn_undirected(rows, method=dw.MomentMatching()).model
    assert found[0].model.couplings == pytest.approx(exact.couplings, abs=0.01)
    chosen = dw.learn_undirected(rows, method=dw.PseudoLikelihood(threshold="ebic"))
    assert (chosen.graph.to_adjacency() > 0).tolist() == (couplings != 0).tolist()
    assert "threshold" in chosen.left_out[0]
    given = dw.learn_undirected(rows, method=dw.PseudoLikelihood(threshold=0.2, l2=0.001))
    assert given.graph == chosen.graph
    sparse = dw.learn_undirected(rows, method=dw.PseudoLikelihood(l1=0.1))
    assert sparse.graph == chosen.graph


def test_a_graph_that_was_given_is_kept():
    table, *_ = drawn(4, 300, seed=5)
    graph = dw.UndirectedGraph([("x1", "x2"), ("x3", "x4")], nodes=table.names)
    result = dw.learn_undirected(table, graph=graph, method=dw.PseudoLikelihood())
    assert result.graph == graph
    # Two pairs apart: the pseudo-likelihood of a pair is greatest where its likelihood is.
    exact = dw.learn_undirected(table, graph=graph, method=dw.MomentMatching()).model
    assert result.model.couplings == pytest.approx(exact.couplings, abs=1e-5)


def test_a_run_that_is_stopped_says_so():
    table = drawn(10, 3000, 5)[0]
    for method in (dw.PseudoLikelihood(), dw.PseudoLikelihood(l1=0.01)):
        with pytest.raises(dw.Unfinished, match="time limit"):
            dw.learn_undirected(table, method=method, time_limit=0)
    with run_of() as run:
        rows, pairs = SpinRows.of(table), list(combinations(range(10), 2))
        assert fit_pseudo_likelihood(rows, pairs, run).shortcoming() == ()
    with start_run(0, 1, 0, False, None) as run:
        fit = fit_pseudo_likelihood(rows, pairs, run)
        assert fit.steps == 0
        assert "stopped on the way" in fit.shortcoming()[0]


def test_couplings_that_three_variables_make_infinite_are_said():
    """Every pair has all its cells, but three spins are never all equal."""
    states = np.array([own for own in np.ndindex(2, 2, 2) if len(set(own)) > 1])
    codes = states[np.random.default_rng(2).integers(0, 6, 3000)]
    table = dw.Table.from_codes(codes, states=[(0, 1)] * 3)
    said = dw.learn_undirected(table, method=dw.PseudoLikelihood()).approximations
    assert any("'x1' and 'x2'" in own and "may be infinite; give one" in own for own in said)
    noise = np.random.default_rng(3).integers(0, 2, (3000, 1))
    four = dw.Table.from_codes(np.hstack([codes, noise]), states=[(0, 1)] * 4)
    twice = dw.learn_undirected(four, method=dw.PseudoLikelihood(threshold=0.5))
    assert "3 pairs" in twice.left_out[0]
    assert len(twice.approximations) == 2  # said once, though fitted twice
    held = dw.learn_undirected(table, method=dw.NeighbourhoodSelection())
    assert any("a ridge of 1 / N keeps them finite" in own for own in held.approximations)
    assert abs(held.model.couplings).max() < 4
    auto = dw.learn_undirected(table)
    assert auto.approximations == held.approximations
    finite = dw.learn_undirected(drawn(5, 3000, 5)[0], method=dw.PseudoLikelihood())
    assert len(finite.approximations) == 1


def test_infinite_couplings_are_refused_or_said():
    rng = np.random.default_rng(0)
    a = rng.integers(0, 2, 200)
    table = dw.Table({"a": a, "b": a & rng.integers(0, 2, 200), "c": rng.integers(0, 2, 200)})
    with pytest.raises(dw.DataError, match="no row has 'a' = 0, 'b' = 1.*l2=0.01"):
        dw.learn_undirected(table, method=dw.PseudoLikelihood())
    result = dw.learn_undirected(table, method=dw.PseudoLikelihood(l2=0.001))
    assert any("'a' = 0, 'b' = 1" in own for own in result.approximations)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"l1": -1}, "l1 must be a finite number, 0 or more"),
        ({"l2": float("inf")}, "l2 must be a finite number"),
        ({"threshold": "bic"}, "threshold must be"),
        ({"gamma": -1}, "gamma must be from 0 to 1"),
    ],
)
def test_settings_are_checked(options, said):
    with pytest.raises(dw.SpecError, match=said):
        dw.PseudoLikelihood(**options)
