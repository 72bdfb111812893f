"""Lecture 4, "Learning for graphical models" (slides): by the library and by hand."""

import itertools
import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import gamma

import dagwright as dw
from theory.by_hand import (
    EDGE,
    EMPTY,
    INDEPENDENT_COUNTS,
    PAIR_COUNTS,
    all_trees,
    conditional_entropy,
    counts_of,
    dim,
    dirichlet_marginal,
    empirical,
    entropy,
    kl,
    log_likelihood,
    log_marginal,
    mutual_information,
    neighbours,
    ones,
    pair,
    some_rows,
    table_of,
    three,
    with_parents,
)

LL = dw.LogLikelihood()
NAMES = ("x", "y", "z")
COIN = dw.Dag(nodes=["x"])
P, Q = np.array([0.5, 0.3, 0.2]), np.array([0.2, 0.2, 0.6])


# --- Information ------------------------------------------------------------------------------


def test_shannon_entropy():
    """- sum P ln_b P = E[-ln_b P]: nats, or bits for base 2."""
    by_hand = -sum(p * math.log(p) for p in P)
    assert dw.entropy(P) == pytest.approx(by_hand, rel=1e-12)
    assert dw.entropy(P, unit="bits") == pytest.approx(by_hand / math.log(2), rel=1e-12)
    assert dw.entropy({"a": 0.5, "b": 0.3, "c": 0.2}) == pytest.approx(by_hand, rel=1e-12)


def test_kl_divergence():
    """+ sum p ln(p / q): 0 for p = q, more the more they differ, not symmetric."""
    by_hand = sum(p * math.log(p / q) for p, q in zip(P, Q, strict=True))
    assert float(dw.kl_divergence(P, Q)) == pytest.approx(by_hand, rel=1e-12)
    assert by_hand > 0
    assert float(dw.kl_divergence(P, P)) == pytest.approx(0, abs=1e-14)
    away = [float(dw.kl_divergence(P, (1 - t) * P + t * Q)) for t in (0.2, 0.5, 1.0)]
    assert 0 < away[0] < away[1] < away[2]
    assert float(dw.kl_divergence(Q, P)) != pytest.approx(by_hand, rel=0.01)
    assert float(dw.kl_divergence([0.5, 0.5], [1.0, 0.0])) == math.inf


def test_cross_entropy():
    """- sum p ln q."""
    by_hand = -sum(p * math.log(q) for p, q in zip(P, Q, strict=True))
    assert float(dw.cross_entropy(P, Q)) == pytest.approx(by_hand, rel=1e-12)


def test_kl_divergence_is_cross_entropy_less_entropy():
    """sum p ln p - sum p ln q = H(P, Q) - H(P); H(P) is the same for every Q."""
    by_hand = sum(p * math.log(p) for p in P) - sum(
        p * math.log(q) for p, q in zip(P, Q, strict=True)
    )
    assert float(dw.kl_divergence(P, Q)) == pytest.approx(by_hand, rel=1e-12)
    for other in (Q, [0.4, 0.4, 0.2]):
        difference = float(dw.cross_entropy(P, other)) - dw.entropy(P)
        assert difference == pytest.approx(float(dw.kl_divergence(P, other)), rel=1e-10)


def test_cross_entropy_from_rows():
    """- (1/N) sum ln q(x_i): the mean over rows, which is the cross entropy of their shares."""
    model = dw.BayesNet(COIN, {"x": [0.3, 0.7]})
    rows = table_of([40, 60])
    by_row = -(40 * math.log(0.3) + 60 * math.log(0.7)) / 100
    assert float(dw.cross_entropy(rows, model)) == pytest.approx(by_row, rel=1e-12)
    assert model.log_loss(rows) == pytest.approx(by_row, rel=1e-12)
    # With rows from p* it tends to H(p*, q).
    truth = dw.BayesNet(COIN, {"x": [0.4, 0.6]})
    many = truth.sample(200_000, seed=4)
    assert model.log_loss(many) == pytest.approx(by_row, abs=0.005)


def test_divergence_from_a_generating_distribution():
    """D(p* || q) = -H(p*) - E[log q], and E[log q] is a mean over rows of p*."""
    truth = dw.networks.load("student")
    other = dw.BayesNet(
        truth.dag,
        {node: truth.smoothed(0.3).table(node).probabilities for node in truth.names},
        truth.states,
    )
    sizes = [len(truth.states[name]) for name in truth.names]
    cells = [
        dict(
            zip(
                truth.names,
                (truth.states[n][k] for n, k in zip(truth.names, place, strict=True)),
                strict=True,
            )
        )
        for place in np.ndindex(*sizes)
    ]
    p = [truth.probability(cell) for cell in cells]
    q = [other.probability(cell) for cell in cells]
    expected_log = sum(a * math.log(b) for a, b in zip(p, q, strict=True))
    assert float(dw.kl_divergence(truth, other)) == pytest.approx(
        -entropy(p) - expected_log, rel=1e-9
    )
    few = truth.sample(500, seed=1)
    seen = zip(*(few.codes[few.names.index(name)] for name in truth.names), strict=True)
    by_row = sum(math.log(q[int(np.ravel_multi_index(place, sizes))]) for place in seen)
    assert other.log_likelihood(few) == pytest.approx(by_row, rel=1e-10)
    rows = truth.sample(100_000, seed=1)
    assert other.log_likelihood(rows) / 100_000 == pytest.approx(expected_log, abs=0.01)


def test_maximum_likelihood_minimises_divergence():
    """The parameters of highest mean log q have the least divergence from the rows."""
    rows = table_of([40, 60])
    models = [dw.BayesNet(COIN, {"x": [1 - t, t]}) for t in np.linspace(0.05, 0.95, 91)]
    means = [-model.log_loss(rows) for model in models]
    divergences = [float(dw.kl_divergence(rows, model)) for model in models]
    by_hand = [0.4 * math.log(1 - t) + 0.6 * math.log(t) for t in np.linspace(0.05, 0.95, 91)]
    assert means == pytest.approx(by_hand, rel=1e-10)
    assert np.argmax(means) == np.argmin(divergences)
    assert models[int(np.argmax(means))].table("x").probabilities[1] == pytest.approx(0.6)
    for mean, divergence in zip(means, divergences, strict=True):
        assert mean + divergence == pytest.approx(-entropy([0.4, 0.6]), rel=1e-9)


def test_mutual_information_three_ways():
    """H(X) - H(X|Y) = H(Y) - H(Y|X) = H(X) + H(Y) - H(X, Y)."""
    p = PAIR_COUNTS / 70
    table = pair()
    got = dw.mutual_information(table, "x", "y")
    h_x, h_y, h_xy = (dw.entropy(table, own) for own in ("x", "y", ["x", "y"]))
    assert (h_x, h_y, h_xy) == pytest.approx(
        (entropy(p.sum(axis=1)), entropy(p.sum(axis=0)), entropy(p)), rel=1e-12
    )
    ways = [
        h_x - dw.conditional_entropy(table, "x", "y"),
        h_y - dw.conditional_entropy(table, "y", "x"),
        h_x + h_y - h_xy,
        entropy(p.sum(axis=1)) - conditional_entropy(p),
        mutual_information(p),
    ]
    assert ways == pytest.approx([got] * 5, rel=1e-10)


def test_mutual_information_is_a_divergence_from_the_product():
    """I(X; Y) = D_KL(p(x, y) || p(x) p(y)); 0 for independent variables; symmetric."""
    p = PAIR_COUNTS / 70
    product = np.outer(p.sum(axis=1), p.sum(axis=0))
    got = dw.mutual_information(p, 0, 1)
    assert got == pytest.approx(float(dw.kl_divergence(p, product)), rel=1e-12)
    assert got == pytest.approx(kl(p, product), rel=1e-12)
    assert got == pytest.approx(dw.mutual_information(p, 1, 0), rel=1e-12)
    nothing = dw.mutual_information(table_of(INDEPENDENT_COUNTS), "x", "y")
    assert nothing == pytest.approx(0, abs=1e-14)


# --- One variable -------------------------------------------------------------------------------


def test_bernoulli():
    """p(v = 1) = Theta."""
    assert math.exp(dw.bernoulli_log_likelihood(0.3, 1, 0)) == pytest.approx(0.3)
    assert math.exp(dw.bernoulli_log_likelihood(0.3, 0, 1)) == pytest.approx(0.7)
    assert dw.BayesNet(COIN, {"x": [0.7, 0.3]}).query("x")[1] == pytest.approx(0.3)


def test_binomial():
    """(n choose k) Theta^k (1 - Theta)^(n - k); over k it sums to 1."""
    n, theta = 7, 0.35
    by_hand = [math.comb(n, k) * theta**k * (1 - theta) ** (n - k) for k in range(n + 1)]
    got = [math.exp(dw.binomial_log_likelihood(theta, k, n - k)) for k in range(n + 1)]
    assert got == pytest.approx(by_hand, rel=1e-12)
    assert sum(got) == pytest.approx(1)


def test_beta_density_and_function():
    """x^(a-1) (1-x)^(b-1) / B(a, b), with B(a, b) = Gamma(a) Gamma(b) / Gamma(a + b)."""
    a, b = 2.5, 4.0
    function = gamma(a) * gamma(b) / gamma(a + b)
    assert function == pytest.approx(
        quad(lambda x: x ** (a - 1) * (1 - x) ** (b - 1), 0, 1)[0], rel=1e-9
    )
    for x in (0.1, 0.4, 0.9):
        by_hand = x ** (a - 1) * (1 - x) ** (b - 1) / function
        assert dw.BetaPosterior(a, b).density(x) == pytest.approx(by_hand, rel=1e-12)


def test_beta_changes_with_the_counts():
    """Higher counts are narrower; a = b is symmetric; all mass is between 0 and 1."""
    widths = [dw.BetaPosterior(3 * k, 7 * k).variance for k in (1, 10, 100)]
    assert widths == pytest.approx([0.21 / (10 * k + 1) for k in (1, 10, 100)], rel=1e-12)
    symmetric = dw.BetaPosterior(4, 4)
    assert symmetric.density(0.2) == pytest.approx(float(symmetric.density(0.8)), rel=1e-12)
    assert symmetric.mean == 0.5
    assert dw.BetaPosterior(2, 5).density([-0.1, 1.1]).tolist() == [0, 0]


def test_likelihood_of_binary_data():
    """The product over rows of Theta^v (1 - Theta)^(1 - v), and its logarithm."""
    rows, theta = [1, 0, 0, 1, 1, 0, 1], 0.4
    product = math.prod(theta**v * (1 - theta) ** (1 - v) for v in rows)
    logs = math.log(theta) * sum(rows) + math.log(1 - theta) * sum(1 - v for v in rows)
    assert math.exp(dw.bernoulli_log_likelihood(theta, 4, 3)) == pytest.approx(product, rel=1e-12)
    assert dw.bernoulli_log_likelihood(theta, 4, 3) == pytest.approx(logs, rel=1e-12)
    # The slide says binomial: that counts all orders, 35 times as much for every theta.
    for own in (0.1, 0.4, 0.8):
        ratio = dw.binomial_log_likelihood(own, 4, 3) - dw.bernoulli_log_likelihood(own, 4, 3)
        assert ratio == pytest.approx(math.log(35), rel=1e-10)


def test_maximum_likelihood_of_a_proportion():
    """The argmax over Theta is where the derivative is 0: successes by total."""
    theta = np.linspace(0.001, 0.999, 999)
    log_likelihoods = dw.bernoulli_log_likelihood(theta, 12, 28)
    assert theta[np.argmax(log_likelihoods)] == pytest.approx(0.3)
    assert pytest.approx(0, abs=1e-12) == 12 / 0.3 - 28 / 0.7
    step = 1e-6
    up, down = (dw.bernoulli_log_likelihood(0.25 + own, 12, 28) for own in (step, -step))
    assert (up - down) / (2 * step) == pytest.approx(12 / 0.25 - 28 / 0.75, rel=1e-6)
    fitted = dw.fit(COIN, table_of([28, 12]), "ml").table("x").probabilities
    assert fitted[1] == pytest.approx(12 / 40)


def test_posterior_of_a_proportion():
    """Proportional to the prior times Theta^N_T (1 - Theta)^N_F, normalised by quadrature."""
    prior, rows = dw.BetaPosterior(2, 3), [True] * 6 + [False] * 2

    def product(theta):
        each = [theta if own else 1 - theta for own in rows]
        return float(prior.density(theta)) * math.prod(each)

    total = quad(product, 0, 1)[0]
    posterior = prior.update(rows=rows)
    for theta in (0.2, 0.5, 0.77):
        assert posterior.density(theta) == pytest.approx(product(theta) / total, rel=1e-9)
        together = float(prior.density(theta)) * theta**6 * (1 - theta) ** 2
        assert product(theta) == pytest.approx(together, rel=1e-12)


def test_beta_is_conjugate():
    """Prior and posterior are of one family: pseudo counts and counts add up."""
    posterior = dw.BetaPosterior(2, 3).update(successes=6, failures=2)
    assert posterior == dw.BetaPosterior(8, 5)
    assert posterior.mean == pytest.approx(8 / 13)
    low, high = posterior.interval(0.9)
    mass = quad(lambda t: t**7 * (1 - t) ** 4, low, high)[0] / (gamma(8) * gamma(5) / gamma(13))
    assert mass == pytest.approx(0.9, rel=1e-9)


def test_posterior_mean_of_a_proportion():
    """(successes + a) / (total + a + b): what the lecture calls MAP is the mean."""
    prior = dw.BetaPosterior(2, 3)
    mean = (
        quad(lambda t: t * t**7 * (1 - t) ** 4, 0, 1)[0]
        / quad(lambda t: t**7 * (1 - t) ** 4, 0, 1)[0]
    )
    assert prior.update(6, 2).mean == pytest.approx((6 + 2) / (8 + 5), rel=1e-12)
    assert mean == pytest.approx((6 + 2) / (8 + 5), rel=1e-9)


def test_properties_of_pseudo_counts():
    """The six properties on the slide, one by one."""
    # The higher a / b, the larger the prior value; no counts, no change.
    assert dw.BetaPosterior(3, 1).mean > dw.BetaPosterior(2, 1).mean > dw.BetaPosterior(1, 1).mean
    assert dw.BetaPosterior(3, 1).update().mean == 0.75
    # The larger a + b, the stronger: the same rows move it less.
    moved = [abs(dw.BetaPosterior(3 * k, k).update(0, 10).mean - 0.75) for k in (1, 10, 100)]
    assert moved[0] > moved[1] > moved[2]
    # More rows, less prior: the estimate nears the maximum likelihood.
    away = [abs(dw.BetaPosterior(3, 1).update(n, 3 * n).mean - 0.25) for n in (1, 10, 100)]
    assert away[0] > away[1] > away[2]
    # As a and b go to 0 it becomes the maximum likelihood.
    assert dw.BetaPosterior(1e-9, 1e-9).update(2, 6).mean == pytest.approx(0.25, abs=1e-8)
    # A configuration without rows still has an estimate, where maximum likelihood has none.
    unseen = dw.Table({"x": [0, 0], "y": [0, 1]}, states={"x": [0, 1], "y": [0, 1]})
    assert np.allclose(dw.fit(EDGE, unseen, dw.K2()).table("y").probabilities[1], 0.5)
    assert np.isnan(dw.fit(EDGE, unseen, "ml").table("y").probabilities[1]).all()


def test_maximum_likelihood_and_bayes_agree_in_the_limit():
    """The distance between the two estimates falls as 1 / N."""
    gaps = []
    for n in (10, 100, 1000):
        rows = table_of([3 * n, 7 * n])
        ml, bayes = (dw.fit(COIN, rows, own).table("x").probabilities[1] for own in ("ml", dw.K2()))
        gaps.append(abs(ml - bayes))
    assert gaps == pytest.approx([0.4 / (10 * n + 2) for n in (10, 100, 1000)], rel=1e-9)


def test_categorical():
    """f(x = i | p) = p_i = the product of p_j^[x = j]; the p sum to 1."""
    for i, p in enumerate(P):
        bracket = [int(j == i) for j in range(3)]
        product = math.prod(own**power for own, power in zip(P, bracket, strict=True))
        assert product == pytest.approx(p, rel=1e-15)
        assert math.exp(dw.categorical_log_likelihood(P, bracket)) == pytest.approx(p, rel=1e-12)
    with pytest.raises(dw.SpecError):
        dw.categorical_log_likelihood([0.5, 0.3, 0.1], [1, 0, 0])


def test_maximum_likelihood_of_a_categorical():
    """c_i / N, and no other distribution makes the rows more probable."""
    counts = [5, 2, 13]
    fitted = dw.fit(COIN, table_of(counts), "ml").table("x").probabilities
    assert np.allclose(fitted, [0.25, 0.1, 0.65])
    best = dw.categorical_log_likelihood(fitted, counts)
    by_hand = 5 * math.log(0.25) + 2 * math.log(0.1) + 13 * math.log(0.65)
    assert best == pytest.approx(by_hand, rel=1e-12)
    for other in np.random.default_rng(1).dirichlet(np.ones(3), 50):
        assert dw.categorical_log_likelihood(other, counts) < best


def test_dirichlet_density_and_function():
    """With B(alpha) = prod Gamma(alpha_i) / Gamma(sum alpha_i): its ratio is p(D)."""
    alpha, counts = np.array([1.5, 2.0, 0.5]), np.array([3, 1, 4])

    def log_b(own):
        return math.log(np.prod(gamma(own)) / gamma(own.sum()))

    # The integral of the density is 1: over the triangle, by quadrature, for whole alphas.
    inner = quad(lambda u: quad(lambda v: u * v**2 * (1 - u - v) ** 0, 0, 1 - u)[0], 0, 1)[0]
    assert inner == pytest.approx(math.exp(log_b(np.array([2.0, 3.0, 1.0]))), rel=1e-9)
    # The library's mean and variance are those of this density, by quadrature too.
    own = np.array([2.0, 3.0, 1.5])

    def expected(function):
        def density(u, v):
            return u ** (own[0] - 1) * v ** (own[1] - 1) * (1 - u - v) ** (own[2] - 1)

        def over_second(u):
            return quad(lambda v: function(u) * density(u, v), 0, 1 - u)[0]

        return quad(over_second, 0, 1)[0] / math.exp(log_b(own))

    assert expected(lambda u: 1) == pytest.approx(1, rel=1e-6)
    mean = expected(lambda u: u)
    assert dw.DirichletPosterior(own).mean[0] == pytest.approx(mean, rel=1e-6)
    spread = expected(lambda u: u**2) - mean**2
    assert dw.DirichletPosterior(own).variance[0] == pytest.approx(spread, rel=1e-5)
    got = dw.DirichletPosterior(alpha).log_marginal_likelihood(counts)
    assert got == pytest.approx(log_b(alpha + counts) - log_b(alpha), rel=1e-12)


def test_draws_of_a_dirichlet_are_distributions():
    """x_i >= 0 and they sum to 1."""
    draws = dw.DirichletPosterior([0.5, 2, 3]).sample(1000, seed=1)
    assert (draws >= 0).all()
    assert np.allclose(draws.sum(axis=1), 1)
    assert np.allclose(draws.mean(axis=0), np.array([0.5, 2, 3]) / 5.5, atol=0.02)


def test_posterior_mean_of_a_categorical():
    """(c_i + alpha_i) / (N + sum alpha); the Beta case is that of two states."""
    prior = dw.DirichletPosterior([0.5, 2, 3])
    got = prior.update([5, 2, 13])
    by_hand = np.array([5.5, 4, 16]) / 25.5
    assert np.allclose(got.mean, by_hand, rtol=1e-12)
    fitted = dw.fit(COIN, table_of([5, 2, 13]), dw.Dirichlet({("x", ()): [0.5, 2, 3]}))
    assert np.allclose(fitted.table("x").mean(), by_hand, rtol=1e-12)
    pair_of_states = dw.DirichletPosterior([3, 2]).update([2, 6]).mean[1]
    assert pair_of_states == pytest.approx(dw.BetaPosterior(2, 3).update(6, 2).mean, rel=1e-12)


def test_properties_of_concentration():
    """Larger alpha_i, larger prior probability; larger ratio to the counts, stronger prior."""
    assert np.allclose(dw.DirichletPosterior([1, 2, 5]).mean, [0.125, 0.25, 0.625])
    counts, ml = np.array([8, 1, 1]), np.array([0.8, 0.1, 0.1])
    pulls = []
    for k in (1, 10, 100):
        mean = dw.DirichletPosterior([k] * 3).update(counts).mean
        assert np.allclose(mean, (counts + k) / (10 + 3 * k))
        pulls.append(np.abs(mean - ml).max())
    assert pulls[0] < pulls[1] < pulls[2]
    many = dw.DirichletPosterior([10] * 3).update(counts * 10_000).mean
    assert np.allclose(many, ml, atol=1e-3)


# --- Parameters of networks ---------------------------------------------------------------------


STUDENT = dw.networks.load("student")


def test_student_network_is_fitted_table_by_table():
    """Global independence: each table is fitted from its own counts, alone."""
    rows = STUDENT.sample(2000, seed=1)
    whole = dw.fit(STUDENT.dag, rows, dw.K2())
    for node in STUDENT.names:
        family = dw.Dag.from_parents(
            {node: STUDENT.dag.parents(node), **dict.fromkeys(STUDENT.dag.parents(node), ())}
        )
        alone = dw.fit(family, rows, dw.K2())
        assert np.array_equal(alone.table(node).probabilities, whole.table(node).probabilities)
    counts = np.zeros((2, 2, 3))
    for place in zip(*(rows.codes[rows.names.index(n)] for n in STUDENT.names), strict=True):
        counts[place] += 1
    by_hand = (counts + 1) / (counts.sum(axis=2, keepdims=True) + 3)
    assert np.allclose(whole.table("grade").probabilities, by_hand, rtol=1e-12)


def test_likelihood_of_the_student_network_factorises():
    """The product over rows of p(d) p(i) p(g | d, i), maximised factor by factor."""
    rows = STUDENT.sample(500, seed=2)
    fitted = dw.fit(STUDENT.dag, rows, "ml")
    d, i, g = (rows.codes[rows.names.index(name)] for name in STUDENT.names)
    tables = [fitted.table(name).probabilities for name in STUDENT.names]
    by_row = np.log(tables[0][d]) + np.log(tables[1][i]) + np.log(tables[2][d, i, g])
    assert fitted.log_likelihood(rows) == pytest.approx(by_row.sum(), rel=1e-12)
    scorer = dw.Scorer(rows, LL)
    parts = [scorer.local(node, STUDENT.dag.parents(node)) for node in STUDENT.names]
    assert sum(parts) == pytest.approx(by_row.sum(), rel=1e-12)


def log_density(tables):
    """Of all parameters at their own values, under the Dirichlet of each row: by hand."""
    total = 0.0
    for probabilities, alphas in tables:
        rows = probabilities.reshape(-1, probabilities.shape[-1])
        for p, alpha in zip(rows, alphas, strict=True):
            constant = math.lgamma(alpha.sum()) - sum(map(math.lgamma, alpha))
            total += constant + float(((alpha - 1) * np.log(p)).sum())
    return total


def test_posterior_of_the_student_network_is_prior_times_likelihood():
    """With the prior in it: the ratio to the posterior's density is p(D), at all parameters."""
    rows = STUDENT.sample(40, seed=4)
    fitted = dw.fit(STUDENT.dag, rows, dw.K2())
    p_data = log_marginal(STUDENT.dag, rows, ones)
    assert dw.score(STUDENT.dag, rows, score=dw.K2()) == pytest.approx(p_data, rel=1e-12)
    for draw in fitted.sample_parameters(10, seed=1):
        prior, posterior = [], []
        for node in STUDENT.names:
            counts = np.atleast_2d(fitted.table(node).counts)
            probabilities = draw.table(node).probabilities
            prior.append((probabilities, np.ones_like(counts, dtype=float)))
            posterior.append((probabilities, counts + 1.0))
        product = log_density(prior) + draw.log_likelihood(rows)
        assert product - log_density(posterior) == pytest.approx(p_data, rel=1e-9)


def test_joint_prior_is_a_product():
    """p(D, I, G parameters) = p(.) p(.) p(.): draws of different tables are uncorrelated."""
    rows = STUDENT.sample(30, seed=3)
    draws = dw.fit(STUDENT.dag, rows, dw.K2()).sample_parameters(4000, seed=1)
    numbers = [
        np.array([draw.table(name).probabilities[place] for draw in draws])
        for name, place in (("difficulty", 0), ("intelligence", 0), ("grade", (0, 0, 0)))
    ]
    # The share of draws where two are both above their medians, or in their lowest tenths, is the
    # product of the shares.
    for first, second in itertools.combinations(numbers, 2):
        for level in (0.1, 0.5):
            low = (first < np.quantile(first, level)) & (second < np.quantile(second, level))
            assert low.mean() == pytest.approx(level**2, abs=4 * level / 63)
    # And each table's own density is that of its own counts.
    for own, name in zip(numbers[:2], ("difficulty", "intelligence"), strict=True):
        counts = np.bincount(rows.codes[rows.names.index(name)], minlength=2) + 1
        assert own.mean() == pytest.approx(counts[0] / 32, abs=0.006)
        assert own.var() == pytest.approx(counts[0] * counts[1] / (32**2 * 33), rel=0.1)


def test_learning_is_incremental():
    """Rows in batches, in any order, give what one pass over all gives."""
    rows = STUDENT.sample(900, seed=5)
    whole = dw.fit(STUDENT.dag, rows, dw.BDeu(2))
    batches = [rows.take(range(start, start + 300)) for start in (0, 300, 600)]
    for order in itertools.permutations(batches):
        model = dw.fit(STUDENT.dag, order[0], dw.BDeu(2))
        for batch in order[1:]:
            model = model.update(batch)
        assert model == whole


def test_inference():
    """Posterior and MAP: by the joint table, elimination, propagation and a junction tree."""
    cells = {
        (d, i, g): STUDENT.probability({"difficulty": d, "intelligence": i, "grade": g})
        for d in ("easy", "hard")
        for i in ("average", "high")
        for g in "ABC"
    }
    seen = sum(p for (_, _, g), p in cells.items() if g == "A")
    by_hand = sum(p for (_, i, g), p in cells.items() if g == "A" and i == "high") / seen
    known = {"grade": "A"}
    assert STUDENT.query("intelligence", given=known)["high"] == pytest.approx(by_hand, rel=1e-12)
    tree = STUDENT.junction_tree(known).marginals(["intelligence"])
    assert tree["intelligence"]["high"] == pytest.approx(by_hand, rel=1e-12)
    on_a_tree = dw.BayesNet(EDGE, {"x": [0.4, 0.6], "y": [[0.9, 0.1], [0.2, 0.8]]})
    messages = on_a_tree.query("x", given={"y": 1}, method="belief propagation")
    assert messages[1] == pytest.approx(0.48 / 0.52, rel=1e-9)
    state, probability = STUDENT.most_probable(given=known)
    best = max((p, d, i) for (d, i, g), p in cells.items() if g == "A")
    assert (state["difficulty"], state["intelligence"]) == best[1:]
    assert probability == pytest.approx(best[0] / seen, rel=1e-12)


# --- Scores -----------------------------------------------------------------------------------


@pytest.mark.parametrize("price", [0.0, 0.7, 3.0])
def test_penalised_likelihood(price):
    """log L - phi(n) ||G||, for any price; with phi = 0 the likelihood, phi = 1 Akaike's."""
    table = three()
    for dag in dw.all_dags(NAMES):
        by_hand = log_likelihood(dag, table) - price * dim(dag, table.n_states)
        assert dw.score(dag, table, score=dw.Penalized(price)) == pytest.approx(by_hand, rel=1e-12)
    aic = dw.score(dw.Dag(nodes=NAMES), table, score=dw.AIC())
    assert aic == pytest.approx(dw.score(dw.Dag(nodes=NAMES), table, score=dw.Penalized(1.0)))


def test_fit_and_price_pull_apart():
    """The first term rises with every edge, the second falls: the best graph is in between."""
    table = some_rows(4, 120, seed=2)
    order = table.names
    edges = list(itertools.combinations(order, 2))
    fits, prices = [], []
    for n in range(7):
        parts = dw.Scorer(table, dw.BIC()).decompose(dw.Dag(edges[:n], nodes=order))
        fits.append(parts.total("fit"))
        prices.append(parts.total("complexity"))
    assert all(b >= a - 1e-9 for a, b in itertools.pairwise(fits))
    assert all(b < a for a, b in itertools.pairwise(prices))
    assert 0 < len(dw.learn(table, score=dw.BIC(), search=dw.ExactDP()).dag.edges) < 6


def test_bic_as_the_lecture_writes_it():
    """ln(n) ||G|| - 2 ln L, lower is better: -2 times ours, so the order is turned round."""
    table = three()
    ours, theirs = [], []
    for dag in dw.all_dags(NAMES):
        ours.append(dw.score(dag, table, score=dw.BIC()))
        theirs.append(
            math.log(60) * dw.fit(dag, table).n_parameters - 2 * log_likelihood(dag, table)
        )
    assert np.allclose(theirs, -2 * np.array(ours), rtol=1e-12)
    assert np.argmax(ours) == np.argmin(theirs)


def test_properties_of_bic():
    """Of two graphs equally likely the larger has the higher (worse) BIC; so few edges win.

    Of two graphs of one size the likelier has the lower BIC.
    """
    one_edge = [dag for dag in dw.all_dags(NAMES) if dim(dag, dict.fromkeys(NAMES, 2)) == 4]
    binary = table_of([[[9, 4], [2, 3]], [[1, 2], [6, 12]]])
    likely = [log_likelihood(dag, binary) for dag in one_edge]
    lower_is_better = [-2 * dw.score(dag, binary, score=dw.BIC()) for dag in one_edge]
    assert lower_is_better == pytest.approx([4 * math.log(39) - 2 * own for own in likely])
    assert np.argmin(lower_is_better) == np.argmax(likely)
    assert np.ptp(likely) > 1
    table = table_of(INDEPENDENT_COUNTS)  # the edge fits nothing
    scores = [dw.score(dag, table, score=LL) for dag in (EMPTY, EDGE)]
    assert scores[0] == pytest.approx(scores[1], rel=1e-12)
    theirs = [-2 * dw.score(dag, table, score=dw.BIC()) for dag in (EMPTY, EDGE)]
    assert theirs[1] - theirs[0] == pytest.approx(math.log(150), rel=1e-9)
    # It asks for no prior: a structure prior is added to it, not part of it.
    assert dw.learn(table).dag.edges == ()


def test_joint_probability_of_graph_and_data():
    """p(G, D) = p(G) times a product of terms, one a variable."""
    table = three()
    dag = dw.Dag([("x", "z"), ("y", "z")], nodes=NAMES)
    scorer = dw.Scorer(table, dw.K2(), structure_prior=dw.EdgePenalty(0.5))
    parts = [scorer.local(node, dag.parents(node)) for node in NAMES]
    by_hand = log_marginal(dag, table, ones) + 2 * math.log(0.5)
    assert sum(parts) == pytest.approx(by_hand, rel=1e-12)


# --- Searches ---------------------------------------------------------------------------------


def test_exhaustive_search_looks_at_every_graph():
    """1, 3, 25, 543, 29281 graphs: the exhaustive search finds the best of them."""
    table = some_rows(4, 120, seed=6)
    scorer = dw.Scorer(table)
    graphs = list(dw.all_dags(table.names))
    assert len(graphs) == dw.n_dags(4) == 543
    best = max(scorer.score(dag) for dag in graphs)
    assert dw.learn(table, search=dw.Exhaustive()).score == pytest.approx(best, rel=1e-12)


def test_two_starting_points():
    """From the complete graph edges are removed, from the empty one they are added."""
    table = some_rows(4, 300, seed=1)
    up = dw.learn(table, search=dw.HillClimb(start="empty"))
    down = dw.learn(table, search=dw.HillClimb(start="complete"))
    assert up.trace[0].operator == "add"
    assert down.trace[0].operator == "remove"
    scorer = dw.Scorer(table)
    for found in (up, down):
        assert all(scorer.score(dag) <= found.score + 1e-9 for dag in neighbours(found.dag))


def test_search_stops_below_a_threshold():
    """No step gains less than min_gain, and where it stops no step gains as much."""
    table = some_rows(5, 300, seed=3)
    least = 5.0
    found = dw.learn(table, search=dw.HillClimb(min_gain=least))
    scorer = dw.Scorer(table)
    assert all(step.gain > least for step in found.trace)
    assert all(scorer.score(dag) <= found.score + least + 1e-9 for dag in neighbours(found.dag))
    assert len(found.trace) < len(dw.learn(table, search=dw.HillClimb()).trace)


def test_first_or_best_improvement():
    """Two ways to take a step: any that improves, or the one that improves most."""
    table = some_rows(5, 300, seed=3)
    best = dw.learn(table, search=dw.HillClimb(step="best"))
    first = dw.learn(table, search=dw.HillClimb(step="first"))
    scorer = dw.Scorer(table)
    largest = max(scorer.score(dag) for dag in neighbours(dw.Dag(nodes=table.names)))
    assert best.trace[0].score == pytest.approx(largest, rel=1e-12)
    assert 0 < first.trace[0].gain < best.trace[0].gain
    assert all(step.gain > 0 for step in first.trace)


def test_random_starts_find_more():
    """A climb that is stuck below the optimum, and the same with random starts."""
    table = some_rows(5, 150, seed=40, n_states=3)
    best = dw.learn(table, search=dw.ExactDP()).score
    assert dw.learn(table, search=dw.HillClimb()).score < best - 1
    many = dw.learn(table, search=dw.HillClimb(restarts=50), seed=1).score
    assert many == pytest.approx(best, rel=1e-12)


def test_tabu_search_goes_on_where_climbing_stops():
    """Both kinds of list, and random steps where nothing improves."""
    table = some_rows(5, 150, seed=40, n_states=3)
    best = dw.learn(table, search=dw.ExactDP()).score
    climb = dw.learn(table, search=dw.HillClimb())
    for search in (
        dw.Tabu(memory="moves"),
        dw.Tabu(memory="states", tenure=50),
        dw.Tabu(explore=5),
    ):
        found = dw.learn(table, search=search, seed=1)
        assert climb.score < found.score <= best + 1e-9
        assert any(step.gain < 0 for step in found.trace)  # it took a step down


def test_k2_algorithm():
    """Along an order each node takes the parent that adds most, while that adds anything."""
    table = some_rows(4, 300, seed=8)
    order = list("badc")

    def local(node, parents):
        counts = counts_of(table, [*parents, node]).reshape(-1, 2)
        return sum(dirichlet_marginal(row, 1.0) for row in counts)

    by_hand = {}
    for place, node in enumerate(order):
        parents = []
        while True:
            options = [own for own in order[:place] if own not in parents]
            gains = {own: local(node, [*parents, own]) - local(node, parents) for own in options}
            if not gains or max(gains.values()) <= 0:
                break
            parents.append(max(gains, key=gains.__getitem__))
        by_hand[node] = set(parents)
    found = dw.learn(table, search=dw.K2Search(order=order))
    assert {node: set(found.dag.parents(node)) for node in order} == by_hand
    assert found.score == pytest.approx(log_marginal(found.dag, table, ones), rel=1e-12)


def test_k2_needs_no_bound_on_parents():
    """A node that needs all before it takes all; with a bound it takes as many as allowed."""
    rng = np.random.default_rng(45)
    causes = rng.integers(2, size=(4, 2000))
    effect = (causes.sum(axis=0) + (rng.random(2000) < 0.1)) >= 3
    table = dw.Table({**dict(zip("abcd", causes, strict=True)), "e": effect.astype(int)})
    found = dw.learn(table, search=dw.K2Search(order=list("abcde")))
    assert set(found.dag.parents("e")) == set("abcd")
    assert found.score == pytest.approx(log_marginal(found.dag, table, ones), rel=1e-12)
    fewer = dw.Dag([(own, "e") for own in "abc"], nodes=table.names)
    assert log_marginal(fewer, table, ones) < found.score
    bound = dw.Constraints(max_parents=2)
    bounded = dw.learn(table, search=dw.K2Search(order=list("abcde")), constraints=bound)
    assert len(bounded.dag.parents("e")) == 2


def test_k2_depends_on_the_order():
    """All 24 orders: the worst is far from the best; random orders find the best."""
    table = some_rows(4, 300, seed=8)
    scores = [
        dw.learn(table, search=dw.K2Search(order=list(order))).score
        for order in itertools.permutations(table.names)
    ]
    assert min(scores) < max(scores) - 1
    drawn = dw.learn(table, search=dw.K2Search(order="random", restarts=60), seed=1)
    assert drawn.score == pytest.approx(max(scores), rel=1e-12)


# --- Trees ------------------------------------------------------------------------------------


def tree_divergence(table, dag):
    """D(p || q) for q the tree with the empirical conditionals, over all joint states."""
    model = dw.fit(dag, table, "ml")
    p = empirical(table, list(table.names))
    q = np.zeros(p.shape)
    for place in np.ndindex(*p.shape):
        state = dict(zip(table.names, place, strict=True))
        q[place] = math.prod(
            model.table(node).probabilities[
                tuple(state[own] for own in (*model.table(node).parents, node))
            ]
            for node in table.names
        )
    return kl(p, q), model


def test_divergence_of_a_tree():
    """KL(p || q) = E[log p] - sum E[log q(x_i | x_pa)]."""
    table = some_rows(4, 300, seed=8)
    dag = dw.learn(table, search=dw.ChowLiu()).dag
    direct, model = tree_divergence(table, dag)
    p = empirical(table, list(table.names))
    expected = sum(
        -conditional_entropy(with_parents(table, node, dag.parents(node))) for node in table.names
    )
    assert float(dw.kl_divergence(table, model)) == pytest.approx(direct, rel=1e-9)
    assert -entropy(p) - expected == pytest.approx(direct, rel=1e-9)


def test_mutual_information_as_an_expectation():
    """MI(x_i, x_j) = E_p[log p(x_i, x_j) / (p(x_i) p(x_j))]: a mean over the rows."""
    table = pair()
    p = PAIR_COUNTS / 70
    logs = [
        math.log(p[x, y] / (p[x].sum() * p[:, y].sum())) for x, y in zip(*table.codes, strict=True)
    ]
    assert dw.mutual_information(table, "x", "y") == pytest.approx(np.mean(logs), rel=1e-10)


def test_divergence_of_a_tree_by_information():
    """KL = - sum MI(x_i; x_pa) + sum H(x_i) - H(x), for every tree of four nodes."""
    table = some_rows(4, 300, seed=8)
    constant = sum(dw.entropy(table, node) for node in table.names) - dw.entropy(table)
    found = {}
    for edges in all_trees(4):
        dag = directed(edges, table.names)
        information = sum(dw.mutual_information(table, *edge) for edge in dag.edges)
        divergence, _ = tree_divergence(table, dag)
        assert divergence == pytest.approx(constant - information, rel=1e-9)
        found[dag] = (divergence, information)
    # So the least divergence and the greatest sum of information are one tree: Chow and Liu's.
    best = dw.learn(table, search=dw.ChowLiu()).dag
    least = min(found, key=lambda dag: found[dag][0])
    assert least == max(found, key=lambda dag: found[dag][1])
    assert set(map(frozenset, least.edges)) == set(map(frozenset, best.edges))


def directed(edges, names):
    """Point the edges of a tree away from its first node."""
    done, arrows, left = {0}, [], list(edges)
    while left:
        edge = next(own for own in left if len(done & set(own)) == 1)
        left.remove(edge)
        start, end = edge if edge[0] in done else edge[::-1]
        arrows.append((names[start], names[end]))
        done.add(end)
    return dw.Dag(arrows, nodes=names)


def test_steps_of_the_chow_liu_algorithm():
    """Weights of all pairs; spanning tree; arrows away from any root, one parent each."""
    table = some_rows(5, 300, seed=11)
    matrix = dw.mutual_information_matrix(table)
    for a, b in itertools.combinations(table.names, 2):
        assert matrix[a, b] == pytest.approx(
            mutual_information(empirical(table, [a, b])), rel=1e-9, abs=1e-12
        )
    skeletons = set()
    for root in table.names:
        dag = dw.learn(table, search=dw.ChowLiu(root=root)).dag
        assert [node for node in dag.nodes if not dag.parents(node)] == [root]
        assert max(len(dag.parents(node)) for node in dag.nodes) == 1
        skeletons.add(frozenset(map(frozenset, dag.edges)))
    best = max(
        all_trees(5), key=lambda tree: sum(matrix[table.names[a], table.names[b]] for a, b in tree)
    )
    assert skeletons == {frozenset(frozenset(table.names[i] for i in edge) for edge in best)}


def test_finite_samples_have_information_in_every_pair():
    """So without the bound to one parent every edge would stay."""
    table = some_rows(4, 301, seed=13)
    matrix = dw.mutual_information_matrix(table).values
    assert (matrix[~np.eye(4, dtype=bool)] > 0).all()
    for a, b in itertools.combinations(range(4), 2):
        by_hand = mutual_information(empirical(table, [table.names[a], table.names[b]]))
        assert matrix[a, b] == pytest.approx(by_hand, rel=1e-9, abs=1e-13)
    unbounded = dw.learn(table, score=LL, search=dw.ExactDP()).dag
    assert len(unbounded.edges) == 6


# --- Experts, samples ---------------------------------------------------------------------------


def test_expert_opinion_as_constraint_and_as_prior():
    """What must be is a constraint, what is believed is a prior that rows can overrule."""
    table = some_rows(3, 40, seed=1)
    required = dw.learn(table, constraints=dw.Constraints(required=[("c", "a")]))
    assert required.dag.has_edge("c", "a")
    expert = dw.EdgeBeliefs({("a", "b"): (0.9, 0.05)})
    gain = dw.Scorer(table, dw.K2()).gains("b")["a"]
    with_expert = dw.Scorer(table, dw.K2(), structure_prior=expert).gains("b")["a"]
    assert with_expert - gain == pytest.approx(math.log(0.9 / 0.05), rel=1e-9)
    # An expert who is against an edge is overruled once there are enough rows.
    against = dw.EdgeBeliefs({("x", "y"): (0.005, 0.005)})
    joined = {}
    for times in (1, 10):
        rows = table_of(np.array([[6, 3], [3, 6]]) * times)
        scorer = dw.Scorer(rows, dw.K2(), structure_prior=against)
        by_hand = log_marginal(EDGE, rows, ones) - log_marginal(EMPTY, rows, ones)
        by_hand += math.log(0.005 / 0.99)
        assert scorer.gains("y")["x"] == pytest.approx(by_hand, abs=1e-9)
        joined[times] = by_hand > 0
    assert joined == {1: False, 10: True}


def test_experts_who_disagree_are_pooled():
    """The mean of their probabilities."""
    experts = [{("a", "b"): (0.8, 0.1)}, {("a", "b"): (0.2, 0.4)}]
    pooled = dw.EdgeBeliefs(experts)
    assert pooled.probability("a", "b") == pytest.approx(0.5)
    assert pooled.probability("b", "a") == pytest.approx(0.25)


def test_markov_chains_agree_with_the_sum_over_all_graphs():
    """Posterior probabilities of edges by sampling, and exactly over the 25 graphs."""
    table = three()
    logs = {dag: log_marginal(dag, table, ones) for dag in dw.all_dags(NAMES)}
    total = sum(math.exp(own) for own in logs.values())
    sampled = dw.posterior(table, score=dw.K2(), draws=2000, seed=1)
    edges = sampled.edge_probabilities()
    for a, b in itertools.permutations(NAMES, 2):
        by_hand = sum(math.exp(own) for dag, own in logs.items() if dag.has_edge(a, b)) / total
        assert edges[a, b] == pytest.approx(by_hand, abs=0.04)
    # Models are compared by their shares of the sample.
    best = sorted(logs, key=logs.get, reverse=True)[:5]
    shares = [sampled.probability(lambda own, dag=dag: own == dag).value for dag in best]
    assert shares == pytest.approx([math.exp(logs[dag]) / total for dag in best], abs=0.04)


def test_prior_that_imposes_an_order():
    """Known order: edges against it have probability 0, in samples as in the exact posterior."""
    table = three()
    known = dw.Constraints(tiers=[["x"], ["y"], ["z"]])
    sampled = dw.posterior(table, score=dw.K2(), constraints=known, draws=500, seed=1)
    exact = dw.exact_posterior(table, dw.K2(), constraints=known)
    for a, b in (("y", "x"), ("z", "x"), ("z", "y")):
        assert sampled.edge_probabilities()[a, b] == 0
        assert exact.edge_probabilities()[a, b] == pytest.approx(0, abs=1e-12)
    allowed = [dag for dag in dw.all_dags(NAMES) if all(a < b for a, b in dag.edges)]
    weights = {dag: math.exp(log_marginal(dag, table, ones)) for dag in allowed}
    assert len(allowed) == 8
    by_hand = sum(own for dag, own in weights.items() if dag.has_edge("x", "y"))
    assert exact.edge_probabilities()["x", "y"] == pytest.approx(
        by_hand / sum(weights.values()), abs=1e-9
    )


def test_resampling():
    """A strong edge is in every graph learned from resampled rows, a weak one in some."""
    table = some_rows(4, 300, seed=2)
    matrix = dw.mutual_information_matrix(table)
    pairs = sorted(itertools.combinations(table.names, 2), key=lambda own: matrix[own])
    boot = dw.bootstrap(table, replicates=100, search=dw.HillClimb(), seed=1)
    shares = boot.edge_probabilities("undirected")
    assert shares[pairs[-1]] == 1
    assert shares[pairs[0]] < 0.5


def test_resampling_by_hand():
    """The share of resampled tables that want the edge, against resampling with numpy."""
    counts = np.array([[14, 8], [8, 12]])
    boot = dw.bootstrap(table_of(counts), replicates=1000, search=dw.HillClimb(), seed=1)
    share = boot.edge_probabilities("undirected")["x", "y"]
    drawn = np.random.default_rng(60).multinomial(42, counts.ravel() / 42, size=4000)
    wants = [42 * mutual_information(own.reshape(2, 2) / 42) > 0.5 * math.log(42) for own in drawn]
    assert share == pytest.approx(np.mean(wants), abs=0.06)
    assert 0.1 < share < 0.9
