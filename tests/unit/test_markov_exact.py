"""Exact inference in undirected models: by enumeration, in a junction tree, by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagwright as dw
from dagwright.errors import DataError
from dagwright.markov.enumeration import Enumeration, covariance, joint_distribution
from dagwright.markov.exact import exact_expectation, expectation_of
from dagwright.markov.factors import Factors
from dagwright.markov.features import Features, clique_features, ising_features
from dagwright.markov.junction_tree import JunctionTreeExpectation
from dagwright.run import whole_run
from oracle import undirected as oracle


@st.composite
def factors_of(draw, max_variables=5, zeros=True):
    n = draw(st.integers(1, max_variables))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    arities = tuple(int(r) for r in rng.integers(1, 4, n))
    scopes = draw(
        st.sets(
            st.sets(st.integers(0, n - 1), min_size=1, max_size=3).map(lambda s: tuple(sorted(s)))
        )
    )
    tables = []
    for scope in sorted(scopes):
        table = rng.normal(0, 2, [arities[v] for v in scope])
        if zeros and draw(st.booleans()):
            table[tuple(rng.integers(arities[v]) for v in scope)] = -np.inf
        tables.append(table)
    return Factors(arities, tuple(sorted(scopes)), tuple(tables))


def possible(factors):
    return any(
        all(
            np.isfinite(t[tuple(s[v] for v in c)])
            for c, t in zip(factors.scopes, factors.log_values, strict=True)
        )
        for s in np.ndindex(*factors.arities)
    )


@pytest.mark.parametrize("how", [Enumeration(), JunctionTreeExpectation()])
@given(factors=factors_of(), data=st.data())
@settings(deadline=None)
def test_marginals_and_log_z_by_hand(how, factors, data):
    n = len(factors.arities)
    asked = data.draw(
        st.lists(
            st.sets(st.integers(0, n - 1), min_size=1, max_size=3).map(lambda s: tuple(sorted(s)))
        )
    )
    with whole_run(1) as run:
        if not possible(factors):
            with pytest.raises(DataError, match="every joint state impossible"):
                how.marginals(factors, asked, run)
            return
        found = how.marginals(factors, [*factors.scopes, *asked], run)
    log_z, p = oracle.joint(factors.arities, factors.scopes, factors.log_values)
    assert found.log_z == pytest.approx(log_z, rel=1e-12, abs=1e-12)
    for scope, table in zip([*factors.scopes, *asked], found.tables, strict=True):
        assert table.shape == factors.shape(scope)
        for state, own in oracle.marginal(p, scope).items():
            assert table[state] == pytest.approx(own, abs=1e-12)


@given(factors_of(zeros=False), st.data())
@settings(deadline=None)
def test_a_model_answers_as_the_oracle(factors, data):
    n = len(factors.arities)
    states = {f"v{v}": tuple(range(r)) for v, r in enumerate(factors.arities)}
    model = dw.LogLinear.from_factors(states, factors)
    log_z, p = oracle.joint(factors.arities, factors.scopes, factors.log_values)
    assert model.log_z == pytest.approx(log_z, abs=1e-12)
    assert model.entropy == pytest.approx(oracle.entropy(p), abs=1e-10)
    assert np.allclose(model.probabilities().ravel(), list(p.values()), atol=1e-13)
    known = data.draw(st.dictionaries(st.integers(0, n - 1), st.just(0), max_size=n - 1))
    rest = oracle.given(p, known)
    evidence = {f"v{v}": code for v, code in known.items()}
    for name, answer in model.marginals(evidence).items():
        expected = oracle.marginal(rest, [int(name[1:])])
        assert np.allclose(answer.probabilities, [expected[c,] for c in sorted(states[name])])
    free = data.draw(st.permutations([v for v in range(n) if v not in known]))[:3]
    answer = model.query([f"v{v}" for v in free], evidence)
    for state, own in oracle.marginal(rest, free).items():
        assert answer.probabilities[state] == pytest.approx(own, abs=1e-12)
    best, probability = model.most_probable(evidence)
    state = tuple({**known, **{int(k[1:]): c for k, c in best.items()}}[v] for v in range(n))
    assert probability == pytest.approx(max(rest.values()), rel=1e-9)
    assert rest[state] == pytest.approx(max(rest.values()), rel=1e-9)
    row = {f"v{v}": code for v, code in enumerate(state)}
    assert model.log_probability(row) == pytest.approx(np.log(p[state]), abs=1e-10)


def test_means_of_features_are_derivatives_of_log_z():
    rng = np.random.default_rng(5)
    features = clique_features((2, 3, 2, 2), [(0, 1), (1, 2, 3)])
    theta = rng.normal(0, 1, len(features))
    with whole_run(1) as run:
        means = Enumeration().expect(features, theta, run).means
        by_tree = JunctionTreeExpectation().expect(features, theta, run).means
    assert np.allclose(means, by_tree, atol=1e-13)

    def log_z(theta):
        factors = features.factors(theta)
        return oracle.joint(factors.arities, factors.scopes, factors.log_values)[0]

    for k in range(len(features)):
        step = 1e-5 * np.eye(len(features))[k]
        assert means[k] == pytest.approx(
            (log_z(theta + step) - log_z(theta - step)) / 2e-5, abs=1e-8
        )


def test_covariances_are_second_derivatives():
    rng = np.random.default_rng(6)
    features = ising_features(4, [(0, 1), (1, 2), (0, 3)], "-1/+1")
    theta = rng.normal(0, 1, len(features))
    _, p = joint_distribution(features.factors(theta))
    found = covariance(features, p)
    with whole_run(1) as run:
        for k in range(len(features)):
            step = 1e-5 * np.eye(len(features))[k]
            up = Enumeration().expect(features, theta + step, run).means
            down = Enumeration().expect(features, theta - step, run).means
            assert np.allclose(found[k], (up - down) / 2e-5, atol=1e-8)


def test_the_cheaper_exact_way_is_taken():
    def chain(n):
        return ising_features(n, [(v, v + 1) for v in range(n - 1)], "0/1")

    def whole(n):
        return ising_features(n, [(a, b) for a in range(n) for b in range(a)], "0/1")

    def chosen(features):
        return exact_expectation(features.factors(np.zeros(len(features))))

    assert isinstance(chosen(chain(5)), Enumeration)
    assert isinstance(chosen(chain(18)), JunctionTreeExpectation)
    assert isinstance(chosen(whole(18)), Enumeration)
    assert isinstance(chosen(chain(300)), JunctionTreeExpectation)
    assert chosen(whole(60)) is None
    factors = whole(60).factors(np.zeros(60 + 30 * 59))
    with pytest.raises(
        DataError, match=r"60 variables, and the junction tree is too wide: 1.15e\+18"
    ):
        expectation_of("auto", factors)
    with pytest.raises(DataError, match="1.15e\\+18 joint states, more than the 1,048,576"):
        Enumeration().check(factors)


def test_a_factor_too_steep_for_numbers_is_refused():
    factors = Factors((2, 2), ((0, 1),), (np.array([[0.0, -800.0], [0.0, 0.0]]),))
    with whole_run(1) as run, pytest.raises(DataError, match="a factor's logs are 800 apart"):
        JunctionTreeExpectation().marginals(factors, [], run)


def test_rows_are_drawn_from_the_model():
    rng = np.random.default_rng(1)
    couplings = np.triu(rng.normal(0, 0.6, (5, 5)), 1)
    model = dw.Ising(rng.normal(0, 0.3, 5), couplings + couplings.T)
    rows = model.sample(100_000, seed=3)
    at = np.ravel_multi_index([codes.astype(int) for codes in rows.codes], (2,) * 5)
    seen = np.bincount(at, minlength=32)
    expected = model.probabilities().ravel() * len(rows)
    assert ((seen - expected) ** 2 / expected).sum() < 31 + 5 * np.sqrt(62)
    assert model.sample(100_000, seed=3) == rows
    part = model.sample(50, seed=1, given={"x2": -1})
    assert set(part.codes[1]) == {0}
    assert model.log_likelihood(rows) == pytest.approx(
        float(seen @ np.log(model.probabilities().ravel())), rel=1e-9
    )


def test_features_of_a_part():
    features = ising_features(3, [(0, 1), (1, 2)], "0/1", ["a", "b", "c"])
    part = features.select([0, 4])
    assert part.names == ("a", "b * c")
    assert part.pairs() == [(1, 2)]
    assert features.pairs(np.array([1, 1, 1, 0, 2.0])) == [(1, 2)]
    assert len(Features((2,), (), ())) == 0
