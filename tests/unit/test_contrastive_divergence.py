"""Persistent contrastive divergence: against exact learners; its certificate against the truth."""

import itertools

import numpy as np
import pytest
from tests.child import in_child

import dagwright as dw
from dagwright.markov.cells import cell_matrix
from dagwright.markov.curvature import steepest, variances
from dagwright.markov.features import clique_features, ising_features
from dagwright.markov.method import undirected_methods
from dagwright.markov.moments import scope_shares

QUICK = dw.PersistentContrastiveDivergence(max_steps=300)


def spins(n=4, seed=1, n_rows=2000, size=0.5):
    rng = np.random.default_rng(seed)
    couplings = np.triu(size * rng.normal(size=(n, n)), 1)
    model = dw.Ising(0.3 * rng.normal(size=n), couplings + couplings.T)
    return model.sample(n_rows, seed=seed)


def means(model):
    return np.array(list(model.expectations().values()))


def exact_gap(result, table):
    """The moment gap without chance, of what was learned."""
    spin = 2.0 * np.array(table.codes) - 1
    pairs = itertools.combinations(spin, 2)
    wanted = np.array([*(own.mean() for own in spin), *((a * b).mean() for a, b in pairs)])
    return abs(means(result.model) - wanted).max()


def test_moments_match_those_of_the_data():
    table = spins(6, n_rows=5000)
    method = dw.PersistentContrastiveDivergence(tolerance=0.005)
    result = dw.learn_undirected(table, method=method)
    assert result.reason == "moments match within their errors"
    assert result.moment_gap <= 2 * 0.005
    assert result.moment_gap_error <= 0.005
    assert exact_gap(result, table) <= 0.015
    exact = dw.learn_undirected(table, method=dw.MomentMatching())
    np.testing.assert_allclose(result.model.theta, exact.model.theta, atol=0.05)
    assert "64 chains" in result.approximations[-1]
    assert [step.step for step in result.trace[:3]] == [0, 500, 1500]
    assert result.trace[0].g == pytest.approx(6 * np.log(2))


def test_the_gap_is_honest():
    """Over many seeds, whether far from the moments or close: the gap without chance is covered."""
    table = spins(4)
    covered, errors, gaps = [], [], []
    for seed in range(200):
        steps = 20 if seed % 2 else 200
        method = dw.PersistentContrastiveDivergence(chains=16, max_steps=steps)
        result = dw.learn_undirected(table, method=method, seed=seed)
        assert result.reason == "max steps" or steps == 200
        truth = exact_gap(result, table)
        covered.append(abs(result.moment_gap - truth) <= 2 * result.moment_gap_error)
        errors.append(result.moment_gap_error)
        gaps.append(truth)
    assert np.mean(covered) >= 0.95
    assert max(errors) < 0.05 < max(gaps)  # not by errors without bound


def test_threads_change_nothing_and_seeds_do():
    table = spins()
    one, two = (dw.learn_undirected(table, method=QUICK, threads=t) for t in (1, 2))
    assert one.model == two.model
    assert one.moment_gap == two.moment_gap
    other = dw.learn_undirected(table, method=QUICK, seed=1)
    assert other.model != one.model


def test_weights_stand_for_rows():
    table = spins(n_rows=300)
    rng = np.random.default_rng(0)
    weights = rng.integers(0, 4, len(table))
    columns = dict(zip(table.names, table.codes, strict=True))
    weighted = dw.Table({name: own.astype(int) for name, own in columns.items()}, weights=weights)
    written = dw.Table({name: np.repeat(own, weights).astype(int) for name, own in columns.items()})
    a, b = (dw.learn_undirected(t, method=QUICK).model.theta for t in (weighted, written))
    np.testing.assert_allclose(a, b, atol=1e-9)


@pytest.mark.parametrize("penalty", [{"l2": 0.05}, {"l1": 0.05}, {"l1": 0.03, "l2": 0.02}])
def test_penalties_are_those_of_moment_matching(penalty):
    table = spins(5, seed=3)
    sampled = dw.learn_undirected(table, method=dw.PersistentContrastiveDivergence(**penalty))
    exact = dw.learn_undirected(table, method=dw.MomentMatching(**penalty))
    assert sampled.reason == "penalised optimum"
    np.testing.assert_allclose(sampled.model.couplings, exact.model.couplings, atol=0.04)
    assert sampled.moment_gap == pytest.approx(exact.moment_gap, abs=0.02)
    if "l1" in penalty:
        assert 0 < len(sampled.graph.edges) < 10
        strong = abs(exact.model.couplings) > 0.05
        assert (sampled.model.couplings != 0)[strong].all()
        far = (exact.model.couplings == 0) & (sampled.model.couplings != 0)
        assert abs(sampled.model.couplings[far]).max(initial=0) < 0.03


def test_more_than_two_states_and_a_graph():
    rng = np.random.default_rng(4)
    a = rng.integers(0, 3, 3000)
    b = np.where(rng.random(3000) < 0.4, a, rng.integers(0, 3, 3000))
    c = np.where(rng.random(3000) < 0.5, b > 0, rng.random(3000) < 0.5).astype(int)
    table = dw.Table({"a": a, "b": b, "c": c})
    graph = dw.UndirectedGraph([("a", "b"), ("b", "c")], nodes=["a", "b", "c"])
    method = dw.PersistentContrastiveDivergence(tolerance=0.004)
    result = dw.learn_undirected(table, graph=graph, method=method)
    assert isinstance(result.model, dw.LogLinear)
    assert result.graph == graph
    exact = dw.learn_undirected(table, graph=graph)
    for name in "abc":
        ours, theirs = result.model.query(name), exact.model.query(name)
        np.testing.assert_allclose(ours.probabilities, theirs.probabilities, atol=0.01)


def test_infinite_parameters_are_refused_or_penalised():
    table = dw.Table({"a": [0, 0, 1, 1, 0, 1], "b": [0, 0, 1, 1, 0, 1], "c": [0, 1, 0, 1, 1, 0]})
    with pytest.raises(dw.DataError, match="infinite"):
        dw.learn_undirected(table, method=QUICK)
    method = dw.PersistentContrastiveDivergence(l2=0.1, max_steps=300)
    result = dw.learn_undirected(table, method=method)
    assert "penalty" in result.approximations[0]
    constant = dw.Table({"a": [0, 0, 0], "b": [0, 1, 1]}, states={"a": [0, 1]})
    with pytest.raises(dw.DataError, match="never have one of their states"):
        dw.learn_undirected(constant, method=QUICK)


def test_too_many_counts_are_refused():
    rng = np.random.default_rng(0)
    table = dw.Table({f"x{v}": rng.integers(0, 2, 500) for v in range(40)})
    with pytest.raises(dw.DataError, match="GiB of counts"):
        dw.learn_undirected(table, method=dw.PersistentContrastiveDivergence(chains=1 << 16))


def test_the_clock_keeps_the_best_so_far():
    table = spins(10, n_rows=500, size=0.2)
    method = dw.PersistentContrastiveDivergence(tolerance=1e-9, max_steps=10**6)
    result = dw.learn_undirected(table, method=method, time_limit=1.0)
    assert result.reason == "time limit"
    assert result.info.seconds < 3
    assert result.moment_gap < 0.2
    assert len(result.trace) >= 2


def test_the_first_steps_are_kept_and_none_is_no_answer():
    """Before anything looked at the gap the last step counts, not the start."""
    chain = 0.4 * (np.eye(60, k=1) + np.eye(60, k=-1))
    table = dw.Ising(np.linspace(-0.5, 0.5, 60), chain).sample(500, seed=1)
    method = dw.PersistentContrastiveDivergence(sweeps=20, step=0.2)
    stopped = dw.learn_undirected(table, method=method, callback=lambda now: now.step > 20)
    assert stopped.reason == "callback"
    assert "stopped before" in stopped.approximations[-1]
    wanted = 2.0 * np.array(table.codes).mean(axis=1) - 1
    assert np.corrcoef(np.array(stopped.model.fields), wanted)[0, 1] > 0.8
    with pytest.raises(dw.Unfinished, match="time limit"):
        dw.learn_undirected(table, method=method, time_limit=0)


def test_the_callback_stops_it_and_sees_steps():
    steps = []

    def stop(progress):
        steps.append(progress.step)
        return progress.step > 100

    method = dw.PersistentContrastiveDivergence(tolerance=1e-9, max_steps=10**6)
    result = dw.learn_undirected(spins(), method=method, callback=stop)
    assert result.reason == "callback"
    assert steps[-1] > 100


def test_ctrl_c_keeps_the_best_so_far():
    script = """
    table = dw.Ising(np.zeros(9), 0.1 * (np.ones((9, 9)) - np.eye(9))).sample(500)
    method = dw.PersistentContrastiveDivergence(tolerance=1e-9, max_steps=10**7)
    dw.learn_undirected(table, method=dw.PersistentContrastiveDivergence(max_steps=10))
    def work():
        global found
        try:
            dw.learn_undirected(table, method=method)
        except dw.Interrupted as error:
            found = error.result
            raise
    seconds = ctrl_c(0.7, work)
    print((seconds, found.reason, found.moment_gap))
    """
    seconds, reason, gap = in_child(script)
    assert seconds < 2
    assert reason == "interrupted"
    assert gap < 0.2


def test_chains_that_stay_apart_are_said():
    """Two parts of equal weight between which no chain goes."""
    rows = np.repeat([[0] * 12, [1] * 12], 500, axis=0)
    flips = np.random.default_rng(0).random(rows.shape) < 0.01
    table = dw.Table({f"x{v}": own for v, own in enumerate((rows ^ flips).T)})
    names = table.names
    graph = dw.UndirectedGraph(list(itertools.pairwise(names)), nodes=names)
    method = dw.PersistentContrastiveDivergence(max_steps=1500)
    result = dw.learn_undirected(table, graph=graph, method=method)
    assert "do not agree" in result.approximations[-1]


def test_steepest_is_the_largest_eigenvalue():
    table = spins(5, n_rows=50_000)
    features = ising_features(5, itertools.combinations(range(5), 2), "-1/+1")
    shares = scope_shares(table, features.factor_scopes)
    spread = variances(features, shares)
    x = 2.0 * np.array(table.codes).T - 1
    rows = np.column_stack([x, *(x[:, a] * x[:, b] for a, b in features.scopes[5:])])
    np.testing.assert_allclose(spread, rows.var(axis=0), atol=1e-12)
    largest = np.linalg.eigvalsh(np.corrcoef(rows.T))[-1]
    found = steepest(
        features, cell_matrix(features), table.codes, np.ones(len(table)), np.sqrt(spread)
    )
    assert found == pytest.approx(largest, rel=0.15)


def test_steepest_of_independent_features_is_not_led_astray_by_few_rows():
    rng = np.random.default_rng(0)
    codes = list(rng.integers(0, 2, (60, 1000)).astype(np.uint8))
    features = clique_features((2,) * 60, [])
    found = steepest(features, cell_matrix(features), codes, np.ones(1000), np.full(60, 0.5))
    assert 1 <= found < 2


def test_settings_are_checked():
    for setting, value in (
        ("chains", 3), ("sweeps", 0), ("step", 0), ("l1", -1), ("l2", np.inf),
        ("tolerance", 0), ("max_steps", 0),
    ):  # fmt: skip
        with pytest.raises(dw.SpecError, match=setting):
            dw.PersistentContrastiveDivergence(**{setting: value})
    spec = undirected_methods.parse("contrastive-divergence:chains=32,l2=0.1")
    assert spec == dw.PersistentContrastiveDivergence(chains=32, l2=0.1)
    assert undirected_methods.from_dict(spec.to_dict()) == spec
    with_step = dw.PersistentContrastiveDivergence(step=0.2, max_steps=100)
    assert dw.learn_undirected(spins(), method=with_step).moment_gap < 0.3
