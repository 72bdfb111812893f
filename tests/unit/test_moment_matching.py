"""Moment matching: moments, parameters, convexity, maximum entropy, penalties, bad data."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

import dagwright as dw
from dagwright.markov.dual import Dual, Penalty, minimise
from dagwright.markov.enumeration import Enumeration
from dagwright.markov.features import Features, clique_features, ising_features
from dagwright.markov.junction_tree import JunctionTreeExpectation
from dagwright.run import whole_run
from oracle import undirected as oracle

OPTIMISERS = ["gradient", "lbfgs", "newton"]


def of_all_states(features, theta, states=None):
    """All joint states as rows, weighted by their probabilities under the parameters."""
    factors = features.factors(np.asarray(theta, float))
    _, p = oracle.joint(factors.arities, factors.scopes, factors.log_values)
    codes = np.array(list(p))
    return dw.Table.from_codes(
        codes, states=[range(r) for r in features.arities], weights=list(p.values())
    )


def design(features):
    """Features of every joint state, one row a state."""
    states = itertools.product(*(range(r) for r in features.arities))
    return np.array(
        [
            [
                values[tuple(state[v] for v in scope)]
                for scope, values in zip(features.scopes, features.values, strict=True)
            ]
            for state in states
        ]
    )


def matched(features, mu, start=None, l1=0.0, l2=0.0, how=None, **settings):
    several = np.array([len(scope) > 1 for scope in features.scopes])
    with whole_run(1) as run:
        penalty = Penalty(l1 * several, np.full(len(features), l2))
        dual = Dual(features, mu, how or Enumeration(), penalty, run)
        at = np.zeros(len(features)) if start is None else start
        return minimise(dual, at, 1.0, **settings)


@st.composite
def minimal(draw, max_variables=4):
    """Minimal features, and parameters."""
    n = draw(st.integers(2, max_variables))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    pairs = [(a, b) for a in range(n) for b in range(a + 1, n)]
    chosen = draw(st.lists(st.sampled_from(pairs), unique=True))
    if draw(st.booleans()):
        features = ising_features(n, chosen, draw(st.sampled_from(["-1/+1", "0/1"])))
    else:
        arities = tuple(int(r) for r in rng.integers(2, 4, n))
        features = clique_features(arities, chosen)
    return features, rng.normal(0, 0.8, len(features))


@given(minimal())
def test_parameters_are_recovered_and_moments_match(drawn):
    features, theta = drawn
    table = of_all_states(features, theta)
    binary = max(features.arities) == 2
    found = dw.learn_undirected(
        table,
        graph=dw.UndirectedGraph._from_numbers(table.names, features.pairs()),
        method=dw.MomentMatching(),
    )
    assert found.moment_gap < 1e-8
    assert found.reason == "moments match"
    factors = features.factors(theta)
    _, p = oracle.joint(factors.arities, factors.scopes, factors.log_values)
    assert np.allclose(found.model.probabilities().ravel(), list(p.values()), atol=1e-7)
    if binary and len(features.values[0]) == 2 and features.values[0][0] == -1:
        assert np.allclose(
            found.model.features.factors(found.model.theta).log_values[0],
            features.factors(theta).log_values[0],
            atol=1e-6,
        )
        assert np.allclose(found.model.fields, theta[: len(features.arities)], atol=1e-6)


@pytest.mark.parametrize("optimiser", OPTIMISERS)
@given(drawn=minimal(3))
def test_theta_by_every_optimiser(optimiser, drawn):
    features, theta = drawn
    mu = oracle_moments(features, theta)
    found = matched(features, mu, optimiser=optimiser, max_steps=100_000)
    assert np.abs(found.point.gap).max() < 1e-8
    assert np.allclose(found.point.theta, theta, atol=1e-5)
    assert found.optimiser == optimiser


def oracle_moments(features, theta):
    factors = features.factors(theta)
    _, p = oracle.joint(factors.arities, factors.scopes, factors.log_values)
    return np.array(
        [oracle.mean(p, s, v) for s, v in zip(features.scopes, features.values, strict=True)]
    )


def test_the_oracle_finds_the_same_by_gradient_descent():
    features = ising_features(3, [(0, 1), (1, 2)], "0/1")
    rng = np.random.default_rng(2)
    mu = rng.dirichlet(np.ones(8)) @ design(features)
    found = matched(features, mu)
    by_hand = oracle.fitted(design(features).tolist(), mu.tolist(), rate=1.0)
    assert np.allclose(found.point.theta, by_hand, atol=1e-7)


@given(minimal(), st.integers(0, 2**32 - 1))
def test_the_gradient_against_finite_differences(drawn, seed):
    features, theta = drawn
    mu = np.random.default_rng(seed).dirichlet(np.ones(int(np.prod(features.arities))))
    mu = mu @ design(features)

    def g(theta):
        factors = features.factors(theta)
        return oracle.joint(factors.arities, factors.scopes, factors.log_values)[0] - theta @ mu

    for how in (Enumeration(), JunctionTreeExpectation()):
        with whole_run(1) as run:
            zero = np.zeros(len(features))
            point = Dual(features, mu, how, Penalty(zero, zero), run)(theta)
        assert point.g == pytest.approx(g(theta), abs=1e-11)
        for k in range(len(features)):
            step = 1e-5 * np.eye(len(features))[k]
            numeric = (g(theta + step) - g(theta - step)) / 2e-5
            assert point.gradient[k] == pytest.approx(numeric, abs=1e-8)


@given(minimal(), st.integers(0, 2**32 - 1), st.sampled_from(["lbfgs", "newton"]))
def test_any_start_gives_the_same_theta(drawn, seed, optimiser):
    features, theta = drawn
    mu = oracle_moments(features, theta)
    start = np.random.default_rng(seed).normal(0, 2, len(features))
    found = matched(features, mu, start, optimiser=optimiser)
    assert np.allclose(found.point.theta, theta, atol=1e-5)
    assert np.abs(found.point.gap).max() < 1e-8


@given(st.integers(0, 2**32 - 1), st.sampled_from(OPTIMISERS))
def test_features_that_are_not_minimal_give_the_same_moments(seed, optimiser):
    """All four cells of a pair and both states of each variable: theta is not unique."""
    rng = np.random.default_rng(seed)
    scopes, values = [], []
    for scope, shape in (((0,), (2,)), ((1,), (2,)), ((0, 1), (2, 2))):
        for cell in np.ndindex(shape):
            table = np.zeros(shape)
            table[cell] = 1.0
            scopes.append(scope)
            values.append(table)
    features = Features((2, 2), tuple(scopes), tuple(values))
    p = rng.dirichlet(np.full(4, 3.0))
    mu = p @ design(features)
    ends = [
        matched(features, mu, rng.normal(0, 1, 8), optimiser=optimiser, max_steps=100_000)
        for _ in range(2)
    ]
    for found in ends:
        assert np.abs(found.point.gap).max() < 1e-8
    assert not np.allclose(ends[0].point.theta, ends[1].point.theta, atol=1e-3)
    tables = [features.factors(found.point.theta) for found in ends]
    both = [list(oracle.joint(f.arities, f.scopes, f.log_values)[1].values()) for f in tables]
    assert np.allclose(both[0], both[1], atol=1e-7)
    assert np.allclose(both[0], p, atol=1e-7)


@given(minimal(), st.integers(0, 2**32 - 1))
def test_no_distribution_with_the_same_moments_has_more_entropy(drawn, seed):
    features, theta = drawn
    mu = oracle_moments(features, theta)
    found = matched(features, mu)
    factors = features.factors(found.point.theta)
    p = np.array(
        list(oracle.joint(factors.arities, factors.scopes, factors.log_values)[1].values())
    )
    rules = np.vstack([np.ones(len(p)), design(features).T])
    free = np.linalg.svd(rules)[2][np.linalg.matrix_rank(rules) :]
    greatest = -(p * np.log(p)).sum()
    assert found.point.g == pytest.approx(greatest, abs=1e-7)  # the dual at its minimum
    rng = np.random.default_rng(seed)
    for _ in range(20 if len(free) else 0):
        away = rng.normal(size=len(free)) @ free
        furthest = np.min(np.where(away < 0, -p / np.where(away < 0, away, 1), np.inf))
        other = p + rng.uniform(0, 1) * furthest * away
        other = np.maximum(other, 0)
        assert np.allclose(other @ design(features), mu, atol=1e-7)
        assert -(other[other > 0] * np.log(other[other > 0])).sum() <= greatest + 1e-9


def random_rows(n=6, rows=300, seed=0, weighted=False):
    rng = np.random.default_rng(seed)
    couplings = np.triu(rng.normal(0, 0.5, (n, n)) * (rng.random((n, n)) < 0.4), 1)
    table = dw.Ising(rng.normal(0, 0.3, n), couplings + couplings.T).sample(rows, seed=seed)
    return table.with_weights(rng.integers(0, 4, rows)) if weighted else table


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.3, 0.1, 0.03, 0.01]), st.booleans())
def test_an_l1_penalty_against_a_solver_of_others(seed, l1, with_l2):
    rng = np.random.default_rng(seed)
    features = ising_features(3, [(0, 1), (0, 2), (1, 2)], "-1/+1")
    table = design(features)
    mu = rng.dirichlet(np.full(8, 2.0)) @ table
    l2 = 0.05 if with_l2 else 0.0
    found = matched(features, mu, l1=l1, l2=l2)
    assert found.reason == "penalised optimum"

    def split(both):  # theta = both[:6] - both[6:], both parts 0 or more
        theta = both[:6] - both[6:]
        logs = table @ theta
        p = np.exp(logs - logs.max())
        log_z = np.log(p.sum()) + logs.max()
        gradient = (p / p.sum()) @ table - mu + l2 * theta
        price = l1 * np.array([0, 0, 0, 1, 1, 1])
        value = log_z - theta @ mu + l2 / 2 * theta @ theta + price @ (both[:6] + both[6:])
        return value, np.concatenate([gradient + price, -gradient + price])

    theirs = minimize(
        split, np.zeros(12), jac=True, method="L-BFGS-B", bounds=[(0, None)] * 12,
        options={"ftol": 1e-15, "gtol": 1e-9, "maxiter": 10_000},
    )  # fmt: skip
    theta = theirs.x[:6] - theirs.x[6:]
    own = np.concatenate([np.maximum(found.point.theta, 0), np.maximum(-found.point.theta, 0)])
    assert split(own)[0] <= theirs.fun + 1e-9
    assert np.allclose(found.point.theta, theta, atol=1e-3)
    slope = found.point.gradient[3:]
    coupled = found.point.theta[3:] != 0
    assert np.allclose(slope[coupled], -l1 * np.sign(found.point.theta[3:][coupled]), atol=1e-8)
    assert (np.abs(slope[~coupled]) <= l1 + 1e-8).all()
    assert np.abs(found.point.gradient[:3]).max() < 1e-8  # fields are free


def test_an_l1_penalty_makes_a_graph():
    table = random_rows(rows=2000)
    edges = [
        len(dw.learn_undirected(table, method=dw.MomentMatching(l1=l1)).graph.edges)
        for l1 in (0.5, 0.1, 0.02, 0)
    ]
    assert edges[0] == 0
    assert edges == sorted(edges)
    assert edges[-1] == 15
    found = dw.learn_undirected(table, method=dw.MomentMatching(l1=0.1))
    assert found.graph == found.model.graph
    assert found.moment_gap == pytest.approx(0.1, abs=1e-8)


def test_weights_stand_for_rows():
    table = random_rows(weighted=True)
    repeated = table.with_weights(None).take(np.repeat(np.arange(300), table.weights))
    a = dw.learn_undirected(table, method=dw.MomentMatching())
    b = dw.learn_undirected(repeated, method=dw.MomentMatching())
    assert np.array_equal(a.model.couplings, b.model.couplings)
    assert a.trace[-1].log_likelihood == pytest.approx(a.model.log_likelihood(table), rel=1e-10)


def test_the_trace_is_the_dual_view():
    table = random_rows(rows=1000)
    for optimiser in OPTIMISERS:
        found = dw.learn_undirected(table, method=dw.MomentMatching(optimiser=optimiser))
        trace = found.trace
        assert [own.step for own in trace] == list(range(len(trace)))
        assert trace[0].g == pytest.approx(6 * np.log(2))
        values = [own.g for own in trace]
        assert all(b <= a + 1e-12 for a, b in itertools.pairwise(values))
        assert trace[-1].g == pytest.approx(found.model.entropy, abs=1e-8)
        assert trace[-1].log_likelihood == pytest.approx(-len(table) * trace[-1].g)
        assert trace[-1].moment_gap == found.moment_gap < 1e-8


def test_a_step_of_gradient_descent_is_that_of_the_lecture():
    table = random_rows(3, 100)
    found = dw.learn_undirected(
        table, method=dw.MomentMatching(optimiser="gradient", step=0.25, max_steps=1)
    )
    assert found.reason == "max steps"
    spins = np.column_stack([2.0 * codes - 1 for codes in table.codes])
    assert np.allclose(found.model.fields, 0.25 * spins.mean(axis=0))
    assert found.model.couplings[0, 2] == pytest.approx(0.25 * (spins[:, 0] * spins[:, 2]).mean())


def test_the_model_beside_the_rows():
    table = random_rows(4, 500)
    found = dw.learn_undirected(table, method=dw.MomentMatching())
    seen = found.compare_with_empirical()
    assert seen.kl == pytest.approx(seen.entropy - seen.empirical_entropy, abs=1e-8)
    assert seen.empirical_entropy == pytest.approx(dw.entropy(table), abs=1e-12)
    assert seen.largest_difference == np.abs(seen.probabilities - seen.shares).max()
    whole = dw.learn_undirected(
        table, features=[["x1", "x2", "x3", "x4"]], method=dw.MomentMatching(l2=1e-9)
    )
    assert whole.compare_with_empirical().kl < seen.kl
    with pytest.raises(dw.DataError, match="does not have its data"):
        dw.UndirectedResult.from_dict(found.to_dict()).compare_with_empirical()


def test_a_picture_of_the_trace():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    found = dw.learn_undirected(random_rows(3, 100), method=dw.MomentMatching(optimiser="lbfgs"))
    g, gap, likelihood = found.plot()
    assert list(g.lines[0].get_ydata()) == [own.g for own in found.trace]
    assert list(gap.lines[0].get_ydata()) == [own.moment_gap for own in found.trace]
    assert list(likelihood.lines[0].get_ydata()) == [own.log_likelihood for own in found.trace]
    assert gap.get_yscale() == "log"
    tree = dw.UndirectedGraph([("x1", "x2"), ("x2", "x3")])
    closed = dw.learn_undirected(random_rows(3, 100), graph=tree)
    with pytest.raises(dw.DataError, match="no trace to draw"):
        closed.plot()


def test_features_as_functions():
    rows = dw.Table({"a": [0, 0, 1, 2, 2, 1], "b": [0, 1, 1, 2, 0, 1]})
    features = [dw.Feature(["a", "b"], lambda a, b: a == b, "agree"), dw.Feature(["a"], [0, 1, 2])]
    found = dw.learn_undirected(rows, features=features)
    assert isinstance(found.model, dw.LogLinear)
    assert found.model.expectations()["agree"] == pytest.approx(2 / 3, abs=1e-8)
    assert found.model.expectations()["f(a)"] == pytest.approx(1.0, abs=1e-8)
    assert found.graph.edges == (("a", "b"),)


CONSTANT = dw.Table({"a": [0, 0, 0, 0], "b": [0, 1, 0, 1]}, states={"a": [0, 1]})
EMPTY_CELL = dw.Table({"a": [0, 0, 1, 1, 0], "b": [0, 1, 1, 1, 0]})
COPIES = dw.Table({"a": [0, 0, 1, 1], "b": [0, 0, 1, 1]})
THREE = dw.Table({"a": [0, 1, 2, 0, 1, 2, 0, 1], "b": [0, 1, 0, 1, 0, 1, 1, 0]})


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (CONSTANT, r"\['a'\] never have one of their states.*no row has 'a' = 1.*l2=0.01"),
        (EMPTY_CELL, "no row has 'a' = 1, 'b' = 0, so that.*infinite.*l2=0.01"),
        (COPIES, "no row has 'a' = [01], 'b' = [01].*that always agree"),
    ],
)
def test_infinite_parameters_are_refused_or_made_finite_by_a_penalty(table, message):
    with pytest.raises(dw.DataError, match=message):
        dw.learn_undirected(table, method=dw.MomentMatching())
    found = dw.learn_undirected(table, method=dw.MomentMatching(l2=0.01))
    assert found.reason == "penalised optimum"
    assert "how large they are is the penalty's doing" in found.approximations[0]
    assert np.isfinite(found.model.theta).all()


def test_an_l1_penalty_does_not_hold_fields():
    with pytest.raises(dw.DataError, match="never have one of their states"):
        dw.learn_undirected(CONSTANT, method=dw.MomentMatching(l1=0.1))
    assert dw.learn_undirected(COPIES, method=dw.MomentMatching(l1=0.1)).approximations


def test_an_empty_cell_that_no_feature_sees_is_no_trouble():
    """Three states with one number for each: their product alone cannot single out a cell."""
    rows = dw.Table.from_codes(np.array([[0, 1], [1, 0], [1, 1], [2, 0], [0, 2], [2, 2], [1, 2]]))
    features = [dw.Feature(["x1", "x2"], lambda a, b: a * b)]
    found = dw.learn_undirected(rows, features=features)
    assert found.moment_gap < 1e-8


def test_moments_on_a_face_of_all_joint_states_are_refused():
    """Three spins that are never all equal: no pair has an empty cell, and yet none is inside."""
    rows = dw.Table.from_codes(
        np.array([s for s in itertools.product((0, 1), repeat=3) if 0 < sum(s) < 3])
    )
    with pytest.raises(dw.DataError, match="'x1' = (0, 'x2' = 0, 'x3' = 0|1, 'x2' = 1, 'x3' = 1)"):
        dw.learn_undirected(rows, method=dw.MomentMatching())


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"optimiser": "adam"}, "optimiser must be one of auto, gradient, lbfgs, newton"),
        ({"step": 0.1}, 'step is for optimiser="gradient"'),
        ({"step": -1, "optimiser": "gradient"}, "step must be a finite number above 0"),
        ({"l1": -1}, "l1 must be a finite number, 0 or more"),
        ({"l2": float("inf")}, "l2 must be"),
        ({"l1": 1, "optimiser": "newton"}, "l1 has an optimiser of its own"),
        ({"tolerance": 0}, "tolerance must be"),
        ({"max_steps": 0}, "max_steps must be"),
        ({"expectation": "magic"}, "unknown expectations 'magic'"),
        ({"expectation": 3}, "expectation must be a name or a spec"),
    ],
)
def test_bad_settings(settings, message):
    with pytest.raises(dw.SpecError, match=message):
        dw.MomentMatching(**settings)


def test_specs_come_back_from_their_dictionaries():
    from dagwright.markov.method import undirected_methods

    spec = dw.MomentMatching(l2=0.1, expectation="junction-tree:max_operations=1e6")
    assert undirected_methods.from_dict(spec.to_dict()) == spec
    assert undirected_methods.parse("moment-matching:l2=0.1,expectation=enumeration").l2 == 0.1


def test_too_wide_for_exact():
    n = 40
    rng = np.random.default_rng(0)
    rows = dw.Table.from_codes(rng.integers(0, 2, (200, n)))
    with pytest.raises(
        dw.DataError, match=r"40 variables, and the junction tree is too wide: 1.1e\+12"
    ):
        dw.learn_undirected(rows, method=dw.MomentMatching())
    with pytest.raises(dw.DataError, match='"belief-propagation", "gibbs", "tree-reweighted"'):
        dw.learn_undirected(rows, method=dw.MomentMatching())
    with pytest.raises(dw.DataError, match="1.1e\\+12 joint states"):
        dw.learn_undirected(rows, method=dw.MomentMatching(optimiser="newton"))
