"""Beta and Dirichlet posteriors, their likelihoods, and a network fitted one table at a time."""

from itertools import product
from math import comb, lgamma, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad, trapezoid

import dagwright as dw

positive = st.floats(0.05, 50)
from_one = st.just(1.0) | st.floats(1.01, 50)
counts = st.integers(0, 40)


def integral(function, low, high):
    """By relative error: likelihoods of many rows are tiny."""
    return quad(function, low, high, epsabs=0, epsrel=1e-9, limit=200)[0]


@given(a=positive, b=positive, s=counts, f=counts)
def test_beta_is_bayes_rule_by_integration(a, b, s, f):
    prior = dw.BetaPosterior(a, b)
    posterior = prior.update(s, f)
    assert (posterior.a, posterior.b) == (a + s, b + f)
    if min(a, b) < 1:
        return  # the integrals below would meet an infinite density

    def joint(p):
        return np.exp(dw.bernoulli_log_likelihood(p, s, f)) * prior.density(p)

    evidence = integral(joint, 0, 1)
    assert prior.log_marginal_likelihood(s, f) == pytest.approx(log(evidence), rel=1e-6, abs=1e-6)
    for p in (0.1, 0.5, 0.8):
        assert posterior.density(p) == pytest.approx(joint(p) / evidence, rel=1e-6)
    mean = integral(lambda p: p * posterior.density(p), 0, 1)
    square = integral(lambda p: p * p * posterior.density(p), 0, 1)
    assert posterior.mean == pytest.approx(mean, abs=1e-7)
    assert posterior.variance == pytest.approx(square - mean**2, abs=1e-7)
    low, high = posterior.interval(0.9)
    assert integral(posterior.density, low, high) == pytest.approx(0.9, abs=1e-6)
    assert integral(posterior.density, 0, low) == pytest.approx(0.05, abs=1e-6)


@given(a=from_one, b=from_one)
def test_the_mode_is_the_highest_point(a, b):
    posterior = dw.BetaPosterior(a, b)
    if a == b == 1:
        assert posterior.mode is None
        return
    assert 0 <= posterior.mode <= 1
    assert dw.DirichletPosterior([a, b]).mode == pytest.approx([posterior.mode, 1 - posterior.mode])
    highest = posterior.density(posterior.mode)
    assert (posterior.density(np.linspace(0, 1, 201)) <= highest * (1 + 1e-9)).all()


@pytest.mark.parametrize(("a", "b"), [(1, 1), (0.5, 3), (3, 0.5), (0.5, 0.5)])
def test_a_density_without_a_highest_point_has_no_mode(a, b):
    assert dw.BetaPosterior(a, b).mode is None
    assert dw.DirichletPosterior([a, b]).mode is None


@given(a=positive, b=positive, rows=st.lists(st.booleans(), max_size=20), cut=st.integers(0, 20))
def test_rows_in_batches_and_counts_give_the_same(a, b, rows, cut):
    prior = dw.BetaPosterior(a, b)
    whole = prior.update(sum(rows), len(rows) - sum(rows))
    in_batches = prior.update(rows=rows[cut:]).update(rows=np.array(rows[:cut], dtype=int))
    for name in ("a", "b"):
        assert getattr(in_batches, name) == pytest.approx(getattr(whole, name), rel=1e-12)
    dirichlet = dw.DirichletPosterior({True: a, False: b}).update(rows=rows)
    assert dirichlet.alpha.tolist() == pytest.approx([whole.a, whole.b], rel=1e-12)


@given(alpha=st.lists(positive, min_size=2, max_size=5), data=st.data())
def test_dirichlet_has_beta_marginals(alpha, data):
    n = data.draw(st.lists(counts, min_size=len(alpha), max_size=len(alpha)))
    posterior = dw.DirichletPosterior(alpha).update(n)
    low, high = posterior.interval(0.8)
    total = sum(alpha) + sum(n)
    for k, (a, count) in enumerate(zip(alpha, n, strict=True)):
        beta = dw.BetaPosterior(a + count, total - a - count)
        assert posterior.mean[k] == pytest.approx(beta.mean)
        assert posterior.variance[k] == pytest.approx(beta.variance)
        assert (low[k], high[k]) == pytest.approx(beta.interval(0.8), abs=1e-9)
    if len(alpha) == 2:
        beta = dw.BetaPosterior(*posterior.alpha)
        for own, theirs in [
            (posterior.log_marginal_likelihood([3, 2]), beta.log_marginal_likelihood(3, 2)),
            (posterior.predictive([3, 2]), beta.predictive(5)[3]),
        ]:
            assert own == pytest.approx(theirs)


@given(alpha=st.lists(positive, min_size=2, max_size=4), data=st.data())
def test_the_marginal_likelihood_is_a_product_of_predictions(alpha, data):
    states = [f"s{k}" for k in range(len(alpha))]
    rows = data.draw(st.lists(st.sampled_from(states), max_size=15))
    prior = dw.DirichletPosterior(alpha, states)
    posterior, total = prior, 0.0
    for row in rows:
        total += log(posterior.predictive()[states.index(row)])
        posterior = posterior.update(rows=[row])
    n = {state: rows.count(state) for state in states}
    assert prior.log_marginal_likelihood(n) == pytest.approx(total, rel=1e-9, abs=1e-9)
    table = dw.Table({"v": [*rows, *states]}, weights=[1.0] * len(rows) + [1e-300] * len(states))
    scored = dw.Scorer(table, dw.Dirichlet({("v", ()): alpha})).local("v")
    assert prior.log_marginal_likelihood(n) == pytest.approx(scored, rel=1e-6, abs=1e-6)


@given(alpha=st.lists(positive, min_size=2, max_size=3), n=st.integers(0, 4))
def test_predictions_of_counts_sum_to_one(alpha, n):
    posterior = dw.DirichletPosterior(alpha)
    every = [own for own in product(range(n + 1), repeat=len(alpha)) if sum(own) == n]
    assert sum(posterior.predictive(own) for own in every) == pytest.approx(1)
    assert dw.BetaPosterior(*alpha[:2]).predictive(n).sum() == pytest.approx(1)


@given(p=st.floats(0, 1), s=counts, f=counts)
def test_likelihoods(p, s, f):
    in_order = dw.bernoulli_log_likelihood(p, s, f)
    with np.errstate(divide="ignore"):
        logs = [n * np.log(q) if n else 0.0 for n, q in ((s, p), (f, 1 - p))]
    assert in_order == pytest.approx(sum(logs), rel=1e-9, abs=1e-9)
    any_order = dw.binomial_log_likelihood(p, s, f)
    assert any_order == pytest.approx(in_order + log(comb(s + f, s)), rel=1e-9, abs=1e-9)
    assert dw.categorical_log_likelihood([p, 1 - p], [s, f]) == pytest.approx(
        in_order, rel=1e-9, abs=1e-9
    )


def test_likelihoods_are_functions_of_the_probability():
    grid = np.linspace(0, 1, 1001)
    values = dw.bernoulli_log_likelihood(grid, 7, 3)
    assert grid[values.argmax()] == pytest.approx(0.7)  # the maximum likelihood is the share
    assert values[0] == values[-1] == -np.inf
    by_state = dw.categorical_log_likelihood({"a": 0.2, "b": 0.8}, {"b": 2})
    assert by_state == pytest.approx(2 * log(0.8))


def test_the_beta_bernoulli_marginal_likelihood_grows_as_bic_does():
    """ln p(D) = LL - (ln N) / 2 + O(1): the difference settles as N grows."""
    differences = []
    for n in (100, 10_000, 1_000_000):
        s, f = 0.3 * n, 0.7 * n
        exact = dw.BetaPosterior(1, 1).log_marginal_likelihood(s, f)
        differences.append(exact - (dw.bernoulli_log_likelihood(0.3, s, f) - log(n) / 2))
    limit = 0.5 * log(2 * np.pi * 0.3 * 0.7)
    assert differences[-1] == pytest.approx(limit, abs=1e-5)
    assert abs(differences[0] - limit) > abs(differences[1] - limit) > abs(differences[2] - limit)


def test_draws_come_from_the_distribution():
    beta = dw.BetaPosterior(3, 5)
    draws = beta.sample(100_000, seed=1)
    assert draws.mean() == pytest.approx(beta.mean, abs=0.003)
    assert draws.var() == pytest.approx(beta.variance, rel=0.03)
    assert (beta.sample(5, seed=1) == draws[:5]).all()
    dirichlet = dw.DirichletPosterior([3, 1, 2])
    rows = dirichlet.sample(100_000, seed=2)
    assert rows.sum(axis=1) == pytest.approx(1)
    assert rows.mean(axis=0) == pytest.approx(dirichlet.mean, abs=0.003)
    assert rows.var(axis=0) == pytest.approx(dirichlet.variance, rel=0.03)


# --- A network, one table at a time ---------------------------------------------------------------


@pytest.mark.parametrize("parameters", [dw.BDeu(4), dw.K2()], ids=["bdeu", "k2"])
def test_the_student_network_is_fitted_variable_by_variable(parameters):
    """Global and local independence: every configuration of every family is learned alone."""
    student = dw.networks.load("student")
    table = student.sample(200, seed=1)
    whole = dw.fit(student.dag, table, parameters=parameters)
    codes = dict(zip(table.names, table.codes, strict=True))
    log_marginal = 0.0
    for node in student.names:
        parents = student.dag.parents(node)
        shape = [len(student.states[parent]) for parent in parents]
        states = student.states[node]
        n_cells = len(states) * int(np.prod(shape))
        alpha = 1.0 if parameters.name == "k2" else parameters.ess / n_cells
        for config in product(*map(range, shape)):
            chosen = np.ones(len(table), dtype=bool)
            for parent, code in zip(parents, config, strict=True):
                chosen &= codes[parent] == code
            rows = [states[code] for code in codes[node][chosen]]
            prior = dw.DirichletPosterior([alpha] * len(states), states)
            posterior = prior.update(rows=rows)
            n = {state: rows.count(state) for state in states}
            log_marginal += prior.log_marginal_likelihood(n)
            fitted = whole.table(node)
            assert posterior.mean == pytest.approx(fitted.probabilities[config], rel=1e-12)
            assert posterior.variance == pytest.approx(fitted.variance()[config], rel=1e-9)
            for own, theirs in zip(posterior.interval(0.9), fitted.interval(0.9), strict=True):
                assert own == pytest.approx(theirs[config], abs=1e-9)
            mode = fitted.mode()[config]
            assert (posterior.mode is None) == np.isnan(mode).any()
            if posterior.mode is not None:
                assert posterior.mode == pytest.approx(mode, rel=1e-9)
    assert log_marginal == pytest.approx(dw.score(student.dag, table, score=parameters))


@pytest.mark.parametrize("parameters", ["ml", dw.BDeu(4), dw.K2()], ids=["ml", "bdeu", "k2"])
def test_families_alone_and_the_whole_network_are_the_same(parameters):
    student = dw.networks.load("student")
    table = student.sample(300, seed=2)
    whole = dw.fit(student.dag, table, parameters=parameters)
    for node in student.names:
        family = [*student.dag.parents(node), node]
        alone = dw.Dag([(parent, node) for parent in family[:-1]], nodes=family)
        fitted = dw.fit(alone, table.select(family), parameters=parameters)
        assert fitted.table(node) == whole.table(node)


# --- What is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("work", "words"),
    [
        (lambda: dw.BetaPosterior(0, 1), ["a must be", "above 0"]),
        (lambda: dw.BetaPosterior().update(-1, 2), ["successes", "0 or more"]),
        (lambda: dw.BetaPosterior().update(rows=[0, 2]), ["no state 2", "[False, True]"]),
        (lambda: dw.BetaPosterior().update(rows="yes"), ["rows must be a list"]),
        (lambda: dw.BetaPosterior().interval(1), ["mass", "between 0 and 1"]),
        (lambda: dw.BetaPosterior().predictive(-1), ["n must be a whole number"]),
        (lambda: dw.DirichletPosterior([1, 0]), ["alpha", "above 0"]),
        (lambda: dw.DirichletPosterior([1]), ["two states or more"]),
        (lambda: dw.DirichletPosterior([1, 1], ["a"]), ["two states or more"]),
        (lambda: dw.DirichletPosterior([1, 1]).update([1]), ["one number for each of [0, 1]"]),
        (lambda: dw.DirichletPosterior([1, 1]).update([1, -1]), ["0 or more"]),
        (lambda: dw.DirichletPosterior({"a": 1, "b": 1}).update({"c": 1}), ["no state 'c'"]),
        (lambda: dw.DirichletPosterior([1, 1]).update(rows=[2]), ["no state 2"]),
        (lambda: dw.bernoulli_log_likelihood(1.5, 1, 1), ["from 0 to 1"]),
        (lambda: dw.categorical_log_likelihood([0.5, 0.6], [1, 1]), ["sum to 1"]),
    ],
)
def test_what_cannot_be_is_refused_in_words(work, words):
    with pytest.raises(dw.DagwrightError) as error:
        work()
    for word in words:
        assert word in str(error.value)


# --- Pictures -------------------------------------------------------------------------------------


@pytest.fixture
def pyplot():
    pytest.importorskip("matplotlib").use("agg")
    from matplotlib import pyplot

    yield pyplot
    pyplot.close("all")


def test_the_picture_of_prior_and_posterior(pyplot):
    prior = dw.BetaPosterior(2, 2)
    posterior = prior.update(70, 30)
    ax = prior.plot(label="prior")
    assert posterior.plot(ax, mass=0.5) is ax
    density, mean, later_density, later_mean = ax.get_lines()
    for own, line, average in [(prior, density, mean), (posterior, later_density, later_mean)]:
        x, y = line.get_data()
        assert y == pytest.approx(own.density(x))
        assert trapezoid(y, x) == pytest.approx(1, abs=0.01)
        assert average.get_xdata()[0] == own.mean
    assert density.get_color() != later_density.get_color()
    assert density.get_linestyle() != later_density.get_linestyle()
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["prior", "Beta(72, 32)"]
    assert ax.get_ylim()[1] > later_density.get_ydata().max()
    shaded = ax.collections[1].get_paths()[0].vertices[:, 0]
    assert (shaded.min(), shaded.max()) == pytest.approx(posterior.interval(0.5), abs=0.01)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("probability", "density")


def test_a_sharp_posterior_is_drawn_as_high_as_it_is(pyplot):
    sharp = dw.BetaPosterior(123_456, 654_321)
    highest = sharp.plot().get_lines()[0].get_ydata().max()
    assert highest == pytest.approx(sharp.density(sharp.mode), rel=0.01)


def test_the_picture_of_a_dirichlet_posterior(pyplot, tmp_path):
    posterior = dw.DirichletPosterior({"low": 3, "mid": 0.5, "high": 60})
    ax = posterior.plot()
    assert [label.get_text() for label in ax.get_yticklabels()] == ["low", "mid", "high"]
    low, high = posterior.interval()
    intervals, means = ax.get_lines()[::2], ax.get_lines()[1::2]
    for k, place in enumerate([2, 1, 0]):
        assert intervals[k].get_xdata() == pytest.approx([low[k], high[k]])
        assert set(intervals[k].get_ydata()) == {place}
        assert means[k].get_xdata() == pytest.approx([posterior.mean[k]])
    assert len(ax.collections) == 3
    for ending in ("svg", "png"):
        path = tmp_path / f"posterior.{ending}"
        ax.figure.savefig(path)
        assert path.stat().st_size > 1000


def test_gamma_functions_of_a_large_table():
    """As the lectures write it, with log gammas."""
    alpha, n = np.array([0.5, 2.0, 3.5]), np.array([1000, 0, 250])
    wanted = lgamma(alpha.sum()) - lgamma(alpha.sum() + n.sum())
    wanted += sum(lgamma(a + k) - lgamma(a) for a, k in zip(alpha, n, strict=True))
    assert dw.DirichletPosterior(alpha).log_marginal_likelihood(n) == pytest.approx(wanted)


@pytest.mark.parametrize(
    ("work", "words"),
    [
        (lambda: dw.DirichletPosterior([1, np.nan]), "alpha must be finite"),
        (lambda: dw.categorical_log_likelihood(0.5, [1]), "probabilities must be one number for"),
        (lambda: dw.categorical_log_likelihood(["x", 0.5], [1, 2]), "probabilities must be"),
        (lambda: dw.categorical_log_likelihood([1.5, -0.5], [1, 2]), "probabilities must be"),
        (lambda: dw.bernoulli_log_likelihood("x", 1, 2), "probability must be from 0 to 1"),
    ],
)
def test_the_setting_that_is_wrong_is_named(work, words):
    with pytest.raises(dw.SpecError, match=words):
        work()
