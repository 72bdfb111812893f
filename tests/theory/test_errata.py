"""Where a lecture must not be followed to the letter: its version is wrong, ours is right.

Every test computes both, and shows by numbers which one holds.
"""

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
    bernoulli_integral,
    dim,
    dirichlet_marginal,
    empirical,
    entropy,
    log_likelihood,
    log_marginal,
    mutual_information,
    ones,
    pair,
    some_rows,
    table_of,
    three,
)

LL = dw.LogLikelihood()
NAMES = ("x", "y", "z")
COIN = dw.Dag(nodes=["x"])
CHAIN = dw.Dag([("x", "y"), ("y", "z")])
P = PAIR_COUNTS / 70


# --- Counting graphs --------------------------------------------------------------------------


def test_number_of_graphs():
    """2^(n(n-1)/2) counts undirected graphs; DAGs follow Robinson's recursion."""
    for n, robinson in enumerate([1, 1, 3, 25, 543]):
        listed = len(list(dw.all_dags(list("abcd"[:n])))) if n else 1
        assert dw.n_dags(n) == listed == robinson
    assert [dw.n_dags(n) for n in (5, 6)] == [29281, 3781503]
    lecture = [2 ** (n * (n - 1) // 2) for n in (2, 3, 4, 5)]
    assert lecture == [2, 8, 64, 1024]
    assert all(own < dw.n_dags(n) for own, n in zip(lecture, (2, 3, 4, 5), strict=True))


def test_cost_of_exhaustive_search():
    """n^(2^n) is no more than a bound: the number of graphs is 2^Theta(n^2)."""
    sizes = (5, 10, 20, 40)
    logs = [math.log2(dw.n_dags(n)) for n in sizes]
    ours = [log / n**2 for log, n in zip(logs, sizes, strict=True)]
    assert all(0.5 < own < 0.8 for own in ours)
    lecture = [2**n * math.log2(n) / log for log, n in zip(logs, sizes, strict=True)]
    assert lecture[0] > 4
    assert all(b > 30 * a for a, b in itertools.pairwise(lecture[1:]))


# --- Likelihood and information ------------------------------------------------------------------


def test_likelihood_score_has_the_factor_n():
    """[0] (3) writes -H(x | pi) for a family; the log-likelihood is N times that."""
    table = three()
    lecture = -sum(
        entropy(empirical(table, [*CHAIN.parents(node), node]))
        - (entropy(empirical(table, list(CHAIN.parents(node)))) if CHAIN.parents(node) else 0)
        for node in NAMES
    )
    by_row = dw.fit(CHAIN, table, "ml").log_likelihoods(table).sum()
    score = dw.score(CHAIN, table, score=LL)
    assert score == pytest.approx(by_row, rel=1e-12)
    assert score == pytest.approx(60 * lecture, rel=1e-12)
    assert abs(score - lecture) > 100


def test_difference_of_two_nodes_has_the_factor_n():
    """[2] (8)-(10): with I against (ln K)/2, not K I, the edge would never be chosen."""
    table = pair()
    difference = dw.score(EDGE, table, score=LL) - dw.score(EMPTY, table, score=LL)
    information = mutual_information(P)
    assert difference == pytest.approx(70 * information, rel=1e-12)
    assert difference > math.log(70) / 2 > math.log(2) > information


def test_information_from_counts_needs_the_number_of_rows():
    """[1] slide 10: without N inside the logarithm it is off by ln N, and negative."""
    rows, n = PAIR_COUNTS, 70
    cells = list(np.ndindex(2, 2))
    logs = [math.log(rows[x, y] / (rows[x].sum() * rows[:, y].sum())) for x, y in cells]
    slide = sum(rows[cell] * own for cell, own in zip(cells, logs, strict=True)) / n
    right = dw.mutual_information(pair(), "x", "y")
    assert slide < 0 < right
    assert right - slide == pytest.approx(math.log(70), rel=1e-12)


def test_the_likelier_graph_is_not_safe_to_prefer():
    """[0] example 2: "it is safe to always prefer G1": on other rows it does worse by chance."""
    rng = np.random.default_rng(2)
    chosen, losses = 0, []
    for _ in range(200):
        counts = rng.multinomial(40, [0.25] * 4).reshape(2, 2)  # of two independent coins
        table = table_of(counts)
        gain = dw.score(EDGE, table, score=LL) - dw.score(EMPTY, table, score=LL)
        assert gain == pytest.approx(40 * mutual_information(counts / 40), abs=1e-9)
        chosen += gain > 1e-9
        expected = []
        for dag in (EMPTY, EDGE):
            model = dw.fit(dag, table, dw.K2())
            of_x, of_y = (model.table(name).probabilities for name in ("x", "y"))
            # By hand: the mean over all four equally probable cells of a new row.
            logs = [
                math.log(of_x[x]) + math.log(of_y[y] if dag == EMPTY else of_y[x, y])
                for x, y in np.ndindex(2, 2)
            ]
            expected.append(sum(logs) / 4)
        losses.append(expected[0] - expected[1])
    assert chosen > 180
    error = np.std(losses) / math.sqrt(200)
    assert np.mean(losses) > 4 * error


def test_joint_entropy_enters_with_a_minus():
    """[1] slide 15: with a plus the score of the complete graph would be positive."""
    table = three()
    complete = dw.Dag([("x", "y"), ("x", "z"), ("y", "z")])  # violates nothing
    joint = entropy(empirical(table, NAMES))
    got = dw.markov_violations(complete, table)
    assert got.log_likelihood == pytest.approx(log_likelihood(complete, table), rel=1e-12)
    assert got.log_likelihood == pytest.approx(-60 * joint, rel=1e-12)
    slide = 60 * joint
    assert slide > 0 > got.log_likelihood


def test_divergence_is_positive():
    """[4]: minus the sum is minus the divergence."""
    p, q = [0.5, 0.3, 0.2], [0.2, 0.2, 0.6]
    slide = -sum(a * math.log(a / b) for a, b in zip(p, q, strict=True))
    right = float(dw.kl_divergence(p, q))
    assert slide == pytest.approx(-right, rel=1e-12)
    assert slide < 0 < right
    # By Monte Carlo: the mean of ln(p / q) over rows of p.
    drawn = np.random.default_rng(1).choice(3, size=100_000, p=p)
    assert np.log(np.array(p) / q)[drawn].mean() == pytest.approx(right, abs=0.02)


def test_divergence_is_cross_entropy_less_entropy():
    """[4]: H(P, Q) - H(P), not H(P) + H(P, Q): for P = Q it must be 0."""
    p, q = [0.5, 0.3, 0.2], [0.2, 0.2, 0.6]
    cross, own = float(dw.cross_entropy(p, q)), dw.entropy(p)
    right = float(dw.kl_divergence(p, q))
    assert cross - own == pytest.approx(right, rel=1e-12)
    assert cross + own > right + 2
    slide_for_equal = dw.entropy(p) + float(dw.cross_entropy(p, p))
    assert slide_for_equal == pytest.approx(2 * own, rel=1e-12)
    assert float(dw.kl_divergence(p, p)) == pytest.approx(0, abs=1e-14)


def test_identical_variables_share_all_information():
    """[4]: I(X; X) = H(X), not 0."""
    x = [0, 0, 1, 2, 2, 2]
    table = dw.Table({"x": x, "same": x})
    h = entropy([2 / 6, 1 / 6, 3 / 6])
    assert dw.mutual_information(table, "x", "same") == pytest.approx(h, rel=1e-12)
    assert h > 1
    # p(x, y) is p(x) there, so the logarithm is ln(1 / p(x)), not ln 1.
    logs = [math.log(p / (p * p)) for p in (2 / 6, 1 / 6, 3 / 6)]
    assert sum(p * own for p, own in zip((2 / 6, 1 / 6, 3 / 6), logs, strict=True)) == (
        pytest.approx(h, rel=1e-12)
    )


def test_information_may_be_zero():
    """[4] says always greater than 0, and writes >= 0: it is 0 for exact independence."""
    table = table_of(INDEPENDENT_COUNTS)
    assert np.allclose(
        INDEPENDENT_COUNTS / 150,
        np.outer(INDEPENDENT_COUNTS.sum(axis=1), INDEPENDENT_COUNTS.sum(axis=0)) / 150**2,
    )
    assert dw.mutual_information(table, "x", "y") == pytest.approx(0, abs=1e-14)


def test_divergence_of_a_tree_sums_the_entropies():
    """[4]: -E[log p(x_i)] stands outside the sum over i, where it has no meaning for one i."""
    table = some_rows(4, 300, seed=8)
    dag = dw.learn(table, search=dw.ChowLiu()).dag
    information = sum(dw.mutual_information(table, *edge) for edge in dag.edges)
    entropies = [entropy(empirical(table, [node])) for node in table.names]
    joint = entropy(empirical(table, list(table.names)))
    divergence = float(dw.kl_divergence(table, dw.fit(dag, table, "ml")))
    assert sum(entropies) - joint - information == pytest.approx(divergence, rel=1e-9)
    one_by_one = [own - joint - information for own in entropies]
    assert all(own < 0 < divergence for own in one_by_one)


# --- One variable -------------------------------------------------------------------------------


def test_dirichlet_integral_is_not_its_inverse():
    """[1] slides 24-26: Gamma Gamma / Gamma(sum), not Gamma(sum) / (Gamma Gamma)."""
    heads, tails, a, b = 4, 6, 2.0, 3.0
    integral = bernoulli_integral(heads, tails, a, b) * gamma(a) * gamma(b) / gamma(a + b)
    ours = gamma(a + heads) * gamma(b + tails) / gamma(a + b + heads + tails)
    assert ours == pytest.approx(integral, rel=1e-9)
    assert 1 / ours > 1e4 * integral
    score = dw.BetaPosterior(a, b).log_marginal_likelihood(heads, tails)
    constant = gamma(a + b) / (gamma(a) * gamma(b))
    assert math.exp(score) == pytest.approx(constant * ours, rel=1e-12)
    assert constant / ours > 1  # a probability cannot be


def test_each_gamma_has_its_own_count():
    """[1] slide 26: Gamma(alpha_i + M) for both would not depend on the heads at all."""
    a, b, m = 2.0, 3.0, 10

    def slide(heads):
        return gamma(a + b) / gamma(a + b + m) * gamma(a + m) / gamma(a) * gamma(b + m) / gamma(b)

    def ours(heads):
        return math.exp(dw.BetaPosterior(a, b).log_marginal_likelihood(heads, m - heads))

    # Over all sequences of ten tosses the probabilities add up to 1.
    total = sum(math.comb(m, heads) * ours(heads) for heads in range(m + 1))
    assert total == pytest.approx(1, rel=1e-12)
    assert sum(math.comb(m, heads) * slide(heads) for heads in range(m + 1)) > 1000
    assert slide(0) == slide(10)
    assert ours(0) != pytest.approx(ours(10), rel=0.1)


def test_numerator_is_the_gamma_of_the_sum():
    """[1] slides 35-36: Gamma(alpha + M[x, u]), not Gamma(alpha) + M[x, u]."""
    counts, alpha = np.array([3, 1]), 1.0
    constant = gamma(2 * alpha) / gamma(2 * alpha + 4)
    slide = constant * np.prod((gamma(alpha) + counts) / gamma(alpha))
    ours = constant * np.prod(gamma(alpha + counts) / gamma(alpha))
    score = dw.score(COIN, table_of(counts), score=dw.K2())
    assert math.exp(score) == pytest.approx(ours, rel=1e-12)
    assert ours == pytest.approx(bernoulli_integral(1, 3), rel=1e-9)
    assert slide != pytest.approx(ours, rel=0.1)


def test_every_integral_has_its_prior():
    """[1] slide 33: the first integral has no P(theta_X), unlike that of slide 32."""
    counts = np.array([[4, 6], [3, 2]])

    def both(a):
        """The slide's three factors and ours, with Beta(a, a) as the prior of all parameters."""
        given = bernoulli_integral(6, 4, a, a) * bernoulli_integral(2, 3, a, a)
        flat = quad(lambda t: t**5 * (1 - t) ** 10, 0, 1)[0]  # p(x | theta) alone
        return flat * given, bernoulli_integral(5, 10, a, a) * given

    for a in (1.0, 4.0):
        slide, ours = both(a)
        p = math.exp(dw.score(EDGE, table_of(counts), score=dw.Dirichlet(a)))
        assert p == pytest.approx(ours, rel=1e-9)
        assert (slide == pytest.approx(ours, rel=1e-9)) == (a == 1)
    slide, ours = both(4.0)
    assert abs(slide / ours - 1) > 0.2


def test_parameters_not_shares_are_integrated():
    """[1] slides 23-25: with p_i = M[i] / M inside, there is nothing left to integrate over."""
    heads, tails, a, b = 7, 3, 2.0, 2.0
    p_1, p_0 = heads / 10, tails / 10
    constant = gamma(a + b) / (gamma(a) * gamma(b))
    slide = constant * p_1 ** (heads + a - 1) * p_0 ** (tails + b - 1)  # times the length of (0, 1)
    ours = math.exp(dw.BetaPosterior(a, b).log_marginal_likelihood(heads, tails))
    assert ours == pytest.approx(bernoulli_integral(heads, tails, a, b), rel=1e-9)
    assert slide > 2 * ours


def test_beta_function_of_several():
    """[4]: the denominator is Gamma of the sum, not the sum of Gammas."""
    alpha = np.array([2.0, 3.0, 1.5])
    ours = np.prod(gamma(alpha)) / gamma(alpha.sum())
    slide = np.prod(gamma(alpha)) / gamma(alpha).sum()

    def integral_with(power):
        return quad(
            lambda u: quad(lambda v: u * v**2 * (1 - u - v) ** (power - 1), 0, 1 - u, epsabs=1e-12)[
                0
            ],
            0,
            1,
            epsabs=1e-12,
        )[0]

    assert integral_with(1.5) == pytest.approx(ours, rel=1e-6)
    assert slide > 10 * ours
    # The library's p(D) is a ratio of two such functions.
    counts = np.array([1, 0, 2])
    after = np.prod(gamma(alpha + counts)) / gamma((alpha + counts).sum())
    p = math.exp(dw.DirichletPosterior(alpha).log_marginal_likelihood(counts))
    assert p == pytest.approx(after / ours, rel=1e-12)


def test_map_is_the_mode_not_the_mean():
    """[4]: (successes + a)/(total + a + b) is the mean; the density is highest elsewhere."""
    posterior = dw.BetaPosterior(2, 3).update(6, 2)
    slide = (6 + 2) / (8 + 2 + 3)
    assert posterior.mean == pytest.approx(slide, rel=1e-12)
    grid = np.linspace(0, 1, 100_001)
    highest = grid[np.argmax(posterior.density(grid))]
    assert posterior.mode == pytest.approx((6 + 2 - 1) / (8 + 2 + 3 - 2), rel=1e-12)
    assert highest == pytest.approx(posterior.mode, abs=1e-5)
    assert abs(slide - highest) > 0.02
    # The key points say minimum a posteriori: the density is least, 0, at the ends.
    assert posterior.density([0.0, 1.0]).tolist() == [0, 0]
    # For several states too.
    several = dw.DirichletPosterior([2, 2, 2]).update([5, 2, 13])
    assert np.allclose(several.mode, np.array([6, 3, 14]) / 23)
    assert not np.allclose(several.mode, several.mean, atol=0.005)


def test_exponents_of_the_posterior():
    """[4]: N + alpha - 1, not N + alpha."""
    prior = dw.BetaPosterior(2, 3)
    posterior = prior.update(6, 2)

    def likelihood_times_prior(t):
        return t**6 * (1 - t) ** 2 * t ** (2 - 1) * (1 - t) ** (3 - 1)

    for t, u in ((0.3, 0.6), (0.5, 0.9)):
        wanted = likelihood_times_prior(t) / likelihood_times_prior(u)
        got = float(posterior.density(t) / posterior.density(u))
        slide = (t**8 * (1 - t) ** 5) / (u**8 * (1 - u) ** 5)
        assert got == pytest.approx(wanted, rel=1e-12)
        assert slide != pytest.approx(wanted, rel=0.05)


def test_likelihood_is_no_beta_of_the_counts():
    """[4]: "alpha and beta are counts": the likelihood of s and f is Beta(s + 1, f + 1)."""
    s, f = 6, 2
    grid = np.linspace(0.001, 0.999, 999)
    likelihood = np.exp(dw.bernoulli_log_likelihood(grid, s, f))
    ratio = likelihood / dw.BetaPosterior(s + 1, f + 1).density(grid)
    assert np.allclose(ratio, ratio[0], rtol=1e-9)
    slide = likelihood / dw.BetaPosterior(s, f).density(grid)
    assert slide.max() > 100 * slide.min()
    assert grid[np.argmax(likelihood)] == pytest.approx(s / (s + f))
    assert dw.BetaPosterior(s, f).mode == pytest.approx((s - 1) / (s + f - 2))


def test_share_of_the_counts_is_no_expectation():
    """[4]: E(p_i | X) = c_i / N: that is the maximum likelihood; the mean needs a prior."""
    counts = np.array([5, 0, 3])
    shares = dw.fit(COIN, table_of(counts), "ml").table("x").probabilities
    assert np.allclose(shares, counts / 8)
    mean = dw.DirichletPosterior([1, 1, 1]).update(counts).mean
    assert np.allclose(mean, [6 / 11, 1 / 11, 4 / 11], rtol=1e-12)
    draws = dw.DirichletPosterior([1, 1, 1]).update(counts).sample(100_000, seed=1)
    assert np.allclose(draws.mean(axis=0), mean, atol=0.003)
    assert np.abs(mean - shares).max() > 0.05


def test_product_with_a_conjugate_is_of_the_family_of_the_prior():
    """[4]: "the same family as the distribution": it is Beta as the prior, not binomial."""
    prior, (s, f) = dw.BetaPosterior(2.5, 3.25), (6, 2)
    grid = np.linspace(0.05, 0.95, 19)
    product = prior.density(grid) * np.exp(dw.binomial_log_likelihood(grid, s, f))
    ratio = product / prior.update(s, f).density(grid)
    assert np.allclose(ratio, ratio[0], rtol=1e-9)
    by_hand = grid ** (s + 1.5) * (1 - grid) ** (f + 2.25)
    assert np.allclose(product / by_hand, product[0] / by_hand[0], rtol=1e-9)
    # No binomial distribution of whole counts has this shape.
    for own in itertools.product(range(15), range(15)):
        ratio = product / np.exp(dw.binomial_log_likelihood(grid, *own))
        assert ratio.max() > 1.5 * ratio.min()


def test_categorical_generalises_the_bernoulli_distribution():
    """[4]: not the binomial, which counts n trials: for two states they differ by (n choose k)."""
    theta, s, f = 0.3, 4, 3
    two_states = dw.categorical_log_likelihood([1 - theta, theta], [f, s])
    assert two_states == pytest.approx(s * math.log(theta) + f * math.log(1 - theta), rel=1e-12)
    assert two_states == pytest.approx(dw.bernoulli_log_likelihood(theta, s, f), rel=1e-12)
    binomial = dw.binomial_log_likelihood(theta, s, f)
    assert binomial - two_states == pytest.approx(math.log(math.comb(7, 4)), rel=1e-10)


def test_equal_concentration_is_symmetric_not_uniform():
    """[4]: "when all alpha are equal the prior is uniform" holds for alpha = 1 only."""
    places = np.array([0.02, 0.25, 0.5])
    assert np.allclose(dw.BetaPosterior(1, 1).density(places), 1)
    for alpha in (0.3, 5.0):
        density = dw.BetaPosterior(alpha, alpha).density(places)
        assert density.max() > 2 * density.min()
        assert np.allclose(density, dw.BetaPosterior(alpha, alpha).density(1 - places))


def test_posterior_of_parameters_is_a_proportionality():
    """[4]: prior times likelihood of the rows does not integrate to 1, but to p(D)."""
    prior, (s, f) = dw.BetaPosterior(2, 3), (6, 2)

    def slide(t):
        return float(prior.density(t)) * math.exp(dw.bernoulli_log_likelihood(t, s, f))

    total = quad(slide, 0, 1)[0]
    assert total == pytest.approx(math.exp(prior.log_marginal_likelihood(s, f)), rel=1e-9)
    assert total < 0.01
    posterior = prior.update(s, f)
    assert quad(lambda t: float(posterior.density(t)), 0, 1)[0] == pytest.approx(1, rel=1e-9)
    assert slide(0.4) / total == pytest.approx(float(posterior.density(0.4)), rel=1e-9)


# --- Marginal likelihood, and what approximates it ----------------------------------------------


def test_nothing_is_missing_behind_the_question_marks():
    """[0] (11), followed by "???": its error times K tends to a constant, so it is O(1 / K)."""
    scaled = []
    for k in (100, 1000, 10_000, 100_000):
        k_1, k_2 = 3 * k // 10, 7 * k // 10
        lecture = (
            -k * entropy([0.3, 0.7])
            - math.log(k + 1)
            + 0.5 * math.log(2 * math.pi * k_1 * k_2)
            - 0.5 * math.log(k)
        )
        exact = dw.BetaPosterior(1, 1).log_marginal_likelihood(k_1, k_2)
        assert exact == pytest.approx(dirichlet_marginal([k_1, k_2], 1.0), rel=1e-12)
        scaled.append(k * (exact - lecture))
    limit = 1 / (12 * 0.3) + 1 / (12 * 0.7) - 1 / 12
    assert scaled[:3] == pytest.approx([limit] * 3, rel=0.02)
    # Had a term of the size of ln K, or a constant, been missing, this would grow as K.
    assert abs(scaled[3]) < 1


def test_bic_is_no_approximation_at_the_border():
    """[2] (26), [0] 23.2.3: where some estimate is 0 the difference is not O(1)."""
    gaps, interior = [], []
    for k in (100, 10_000, 1_000_000):
        border = dw.Table({"x": [0]}, states={"x": [0, 1]}, weights=[k])
        gaps.append(dw.score(COIN, border, score=dw.K2()) - dw.score(COIN, border, score=dw.BIC()))
        inside = dw.Table({"x": [0, 1]}, weights=[0.3 * k, 0.7 * k])
        interior.append(
            dw.score(COIN, inside, score=dw.K2()) - dw.score(COIN, inside, score=dw.BIC())
        )
    # By hand: p(D) = 1 / (K + 1), LL = 0.
    by_hand = [-math.log(k + 1) + 0.5 * math.log(k) for k in (100, 10_000, 1_000_000)]
    assert gaps == pytest.approx(by_hand, abs=1e-6)
    assert gaps[0] - gaps[2] > 4
    assert max(interior) - min(interior) < 0.01


def test_bic_itself_has_no_constant():
    """[1] slide 38 writes BIC with + O(1): that is log P(D | G) of slide 37; BIC is exact."""
    for times in (1, 100):
        table = table_of(PAIR_COUNTS * times)
        by_hand = dw.score(EDGE, table, score=LL) - 1.5 * math.log(70 * times)
        assert dw.score(EDGE, table, score=dw.BIC()) == pytest.approx(by_hand, rel=1e-13)
        remainder = dw.score(EDGE, table, score=dw.K2()) - by_hand
        assert abs(remainder) > 0.5


def test_shares_belong_under_the_root():
    """[2], the lines before (22): outside the root they make an error that does not vanish."""
    errors, slide_errors = [], []
    for times in (1, 10, 100):
        exact = dw.Scorer(table_of(PAIR_COUNTS * times), dw.K2()).local("y", ["x"])
        under, outside = 0.0, 0.0
        for row in PAIR_COUNTS * times:
            k, shares = row.sum(), row / row.sum()
            common = -math.log(k + 1) - k * entropy(shares) + 0.5 * math.log(2 * math.pi * k)
            under += common + 0.5 * math.log(shares[0] * shares[1])
            outside += common + math.log(shares[0] * shares[1])
        errors.append(abs(exact - under))
        slide_errors.append(abs(exact - outside))
    assert errors[2] < errors[0] / 50
    assert min(slide_errors) > 1.5


def test_price_of_a_parameter_is_half_a_logarithm():
    """[4]: phi(n) is ln(n) / 2 (the slide has ln(phi)); with ln n it is another score."""
    # As it is printed it has no solution: phi - ln(phi) is never below 1.
    phi = np.linspace(1e-6, 50, 500_001)
    assert (phi - np.log(phi)).min() == pytest.approx(1, abs=1e-6)
    table = three()
    half, whole = (
        dw.Penalized(lambda n: math.log(n) / 2),
        dw.Penalized(lambda n: math.log(n)),
    )
    for dag in dw.all_dags(NAMES):
        bic = dw.score(dag, table, score=dw.BIC())
        slide_bic = math.log(60) * dim(dag, table.n_states) - 2 * log_likelihood(dag, table)
        assert bic == pytest.approx(-slide_bic / 2, rel=1e-12)
        assert dw.score(dag, table, score=half) == pytest.approx(bic, rel=1e-12)
        assert dw.score(dag, table, score=whole) < bic - 5


def test_fit_is_low_bias_not_low_variance():
    """[4]: "fit (low variance)": more edges have less bias, and more variance.

    The probability of one cell, as two graphs estimate it from many samples.
    """
    truth = dw.BayesNet(EDGE, {"x": [0.5, 0.5], "y": [[0.7, 0.3], [0.4, 0.6]]})
    n, repeats, cell = 50, 500, {"x": 1, "y": 1}
    estimates = {EMPTY: [], EDGE: []}
    for seed in range(repeats):
        rows = truth.sample(n, seed=seed)
        for dag, own in estimates.items():
            own.append(dw.fit(dag, rows, "ml").probability(cell))
        p = empirical(rows, ["x", "y"])
        assert estimates[EDGE][-1] == pytest.approx(p[1, 1], rel=1e-12)
        assert estimates[EMPTY][-1] == pytest.approx(p[1].sum() * p[:, 1].sum(), rel=1e-12)
    without, with_edge = (np.array(own) for own in estimates.values())
    # The share of a cell has no bias and the variance p (1 - p) / n; a product of shares has bias.
    p, product = 0.5 * 0.6, 0.5 * 0.45
    error = math.sqrt(p * (1 - p) / n / repeats)
    assert with_edge.mean() == pytest.approx(p, abs=4 * error)
    assert with_edge.var() == pytest.approx(p * (1 - p) / n, rel=0.2)
    assert without.mean() == pytest.approx(product + (p - product) / n, abs=4 * error)
    bias = [abs(own.mean() - p) for own in (without, with_edge)]
    assert bias[0] > 0.06 > 4 * bias[1]
    assert with_edge.var() > 1.2 * without.var()


def test_k2_score_is_a_marginal_likelihood_not_information():
    """[4]: they agree to first order in N; K2 has a price, information has none."""
    weak = np.array([[14, 11], [12, 13]])
    table = table_of(weak)
    gain = dw.Scorer(table, dw.K2()).gains("y")["x"]
    by_hand = log_marginal(EDGE, table, ones) - log_marginal(EMPTY, table, ones)
    information = dw.mutual_information(table, "x", "y")
    assert gain == pytest.approx(by_hand, abs=1e-9)
    assert information == pytest.approx(mutual_information(weak / 50), rel=1e-10)
    assert gain < 0 < information  # they choose differently
    per_row, lost = [], []
    for times in (1, 100, 10_000):
        counts = table_of(PAIR_COUNTS).with_weights(np.full(70, float(times)))
        own = dw.Scorer(counts, dw.K2()).gains("y")["x"]
        per_row.append(abs(own / (70 * times) - mutual_information(P)))
        lost.append(70 * times * mutual_information(P) - own)
    assert per_row[0] > 30 * per_row[1] > 900 * per_row[2]
    assert lost[2] - lost[1] == pytest.approx(0.5 * math.log(100), abs=0.01)


# --- Bayes' rule over graphs --------------------------------------------------------------------


def test_bayes_rule_is_not_inverted():
    """[4]: p(D | G) = p(G | D) p(D) / p(G), not p(G | D) p(G) / p(D)."""
    table = table_of([[4, 2], [1, 3]])
    posterior = dw.exact_posterior(table, dw.K2())
    p_data, p_graph = math.exp(posterior.log_marginal), 1 / 3
    best = posterior.best(3)
    for dag, probability in zip(best.dags, best.probabilities, strict=True):
        p_data_given = math.exp(log_marginal(dag, table, ones))
        assert probability * p_data / p_graph == pytest.approx(p_data_given, rel=1e-8)
        assert probability * p_graph / p_data > 1000 * p_data_given


def test_structure_prior_is_no_dirichlet():
    """[4]: "p(G) is uniform Dirichlet": p(G) is 1 / 25 here; the Dirichlet is of parameters."""
    table = three()
    for alpha in (1.0, 0.3):  # two parameter priors, one structure prior
        logs = [log_marginal(dag, table, lambda r, q, a=alpha: a) for dag in dw.all_dags(NAMES)]
        by_hand = math.log(sum(map(math.exp, logs)) / 25)
        got = dw.exact_posterior(table, dw.Dirichlet(alpha), structure_prior=dw.Uniform())
        assert got.log_marginal == pytest.approx(by_hand, abs=1e-9)
    # By hand: the density of the uniform Dirichlet of all tables of a graph, the same at any
    # parameters. It is no probability of graphs, and would make another posterior.
    density = {
        dag: math.prod(
            gamma(table.n_states[node])
            ** math.prod(table.n_states[parent] for parent in dag.parents(node))
            for node in NAMES
        )
        for dag in dw.all_dags(NAMES)
    }
    assert density[CHAIN] == pytest.approx(gamma(2) * gamma(3) ** 2 * gamma(2) ** 3)
    assert sum(density.values()) > 25
    weights = {dag: math.exp(log_marginal(dag, table, ones)) for dag in density}

    def edge_from(prior):
        joint = {dag: own * prior[dag] for dag, own in weights.items()}
        return sum(own for dag, own in joint.items() if dag.has_edge("x", "y")) / sum(
            joint.values()
        )

    got = dw.exact_posterior(table, dw.K2(), structure_prior=dw.Uniform()).edge_probabilities()
    assert got["x", "y"] == pytest.approx(edge_from(dict.fromkeys(density, 1 / 25)), abs=1e-9)
    assert abs(got["x", "y"] - edge_from(density)) > 0.05


def test_the_correct_model_is_found_up_to_its_class():
    """[0] 23.2.3: rows do not tell x -> y from y -> x, however many there are."""
    for times in (1, 1000):
        table = table_of(PAIR_COUNTS * times)
        for score in (LL, dw.BIC(), dw.BDeu(1)):
            forward, backward = (
                dw.score(dag, table, score=score) for dag in (EDGE, dw.Dag([("y", "x")]))
            )
            assert forward == pytest.approx(backward, rel=1e-12)
        edges = dw.exact_posterior(table, dw.BDeu(1)).edge_probabilities()
        assert edges["x", "y"] == pytest.approx(edges["y", "x"], rel=1e-9)
    assert EDGE.cpdag() == dw.Dag([("y", "x")]).cpdag()
    # With uniform parameters in both graphs, as [2] 19.2.1 has them, it is not even a tie.
    lopsided = table_of([[8, 2], [1, 1]])
    forward, backward = (
        dw.score(dag, lopsided, score=dw.K2()) for dag in (EDGE, dw.Dag([("y", "x")]))
    )
    assert abs(forward - backward) > 0.01


# --- Searches ---------------------------------------------------------------------------------


def test_spanning_tree_is_easy():
    """[4]: "a hard problem by itself": greedy is exact, and 200 variables take no time."""
    table = some_rows(6, 200, seed=19)
    weights = {
        edge: mutual_information(empirical(table, [table.names[i] for i in edge]))
        for edge in itertools.combinations(range(6), 2)
    }
    best = max(sum(weights[edge] for edge in tree) for tree in all_trees(6))
    found = dw.learn(table, search=dw.ChowLiu())
    assert sum(dw.mutual_information(table, *edge) for edge in found.dag.edges) == pytest.approx(
        best, rel=1e-10
    )
    rng = np.random.default_rng(1)
    walk = np.cumsum(rng.random((100, 200)) < 0.3, axis=1) % 2
    wide = dw.Table({f"v{i}": walk[:, i] for i in range(200)})
    large = dw.learn(wide, search=dw.ChowLiu())
    pairs = 200 * 199 // 2  # that many weights, of 200^198 trees
    assert len(large.dag.edges) == 199
    assert large.info.families_scored <= 2 * pairs


def test_tabu_search_is_not_faster_than_climbing():
    """[4]: it takes the steps of the climb, then goes on: more work, and never a lower score."""
    better = 0
    for seed in range(6):
        table = some_rows(6, 200, seed=seed, n_states=3)
        climb = dw.learn(table, search=dw.HillClimb(sideways=False))
        tabu = dw.learn(table, search=dw.Tabu(), seed=1)
        n_steps = len(climb.trace)
        assert list(tabu.trace[:n_steps]) == list(climb.trace)
        assert tabu.info.families_scored > 5 * climb.info.families_scored
        by_hand = log_likelihood(tabu.dag, table) - 0.5 * math.log(200) * dim(
            tabu.dag, table.n_states
        )
        assert tabu.score == pytest.approx(by_hand, rel=1e-10)
        assert tabu.score >= climb.score
        better += tabu.score > climb.score + 1
    assert better >= 2


def goes_back(trace, tenure):
    """Whether a step, not to a new best, puts a pair back to what one of the last steps left."""
    state, changed, best = {}, [], -math.inf
    for step in trace:
        name = frozenset((step.start, step.end))
        before = state.get(name)
        after = {"add": (step.start, step.end), "remove": None, "reverse": (step.end, step.start)}
        now = after[step.operator]
        if step.score <= best and (name, now) in changed[-tenure:]:
            return True
        changed.append((name, before))
        state[name] = now
        best = max(best, step.score)
    return False


def test_lists_of_states_and_of_moves_are_two_algorithms():
    """[4] has both under one name: from one start they take different walks."""
    tenure, differ, back = 8, 0, {"moves": 0, "states": 0}
    for seed in (2, 40, 47, 54):
        table = some_rows(5, 150, seed=seed, n_states=3)
        traces = {}
        for memory in ("moves", "states"):
            search = dw.Tabu(tenure=tenure, patience=60, memory=memory)
            traces[memory] = dw.learn(table, search=search).trace
            back[memory] += goes_back(traces[memory], tenure)
        differ += traces["moves"] != traces["states"]
    assert differ > 0
    assert back["moves"] == 0
    assert back["states"] > 0


# --- Tables and undirected models -----------------------------------------------------------------


def test_number_of_entries_of_a_table():
    """[2] 19.1.3: not L entries, but L for each configuration of the parents."""
    table = dw.networks.load("student").table("grade")
    assert table.probabilities.size == 3 * 2 * 2
    assert table.n_parameters == (3 - 1) * 2 * 2
    assert table.probabilities.size != 3


def states_of(values):
    return np.array(list(itertools.product(values, repeat=2)), dtype=float)


def normalised(weights):
    return weights / weights.sum()


def test_quadratic_form_has_each_pair_twice():
    """[2] (27): x' theta x with a symmetric theta couples each pair by 2 theta."""
    theta = np.array([[0.0, 0.9], [0.9, 0.0]])
    states = states_of((0, 1))
    quadratic = normalised(np.exp([x @ theta @ x for x in states]))
    once = dw.Ising([0, 0], theta, coding="0/1").probabilities().ravel()
    twice = dw.Ising([0, 0], 2 * theta, coding="0/1").probabilities().ravel()
    assert np.allclose(once, normalised(np.exp([0.9 * x[0] * x[1] for x in states])))
    assert np.allclose(quadratic, twice)
    assert np.abs(quadratic - once).max() > 0.1


def test_diagonal_is_a_field_or_a_constant():
    """[2] (27): x_i^2 is x_i for states 0 and 1, but always 1 for states -1 and 1."""
    theta = np.diag([0.7, -0.4])
    for values, moves in (((0, 1), True), ((-1, 1), False)):
        states = states_of(values)
        p = normalised(np.exp([x @ theta @ x for x in states]))
        assert np.allclose(p, 0.25) != moves
        if moves:
            assert np.allclose(p, normalised(np.exp(states @ [0.7, -0.4])))
            bits = dw.Ising([0.7, -0.4], np.zeros((2, 2)), coding="0/1")
            assert np.allclose(p, bits.probabilities().ravel())


def test_derivative_of_the_entropy():
    """[2] (33): d H / d P(x) = -1 - log P(x); with + log P the stationary point is inverted."""
    p = np.array([0.1, 0.2, 0.3, 0.4])
    for place in range(4):
        step = np.eye(4)[place] * 1e-7
        numeric = (entropy(p + step) - entropy(p - step)) / 2e-7
        assert numeric == pytest.approx(-1 - math.log(p[place]), abs=1e-6)
        away = step - step[place] * p  # within the distributions, which is what the library has
        within = (dw.entropy(p + away) - dw.entropy(p - away)) / 2e-7
        assert within == pytest.approx((-1 - np.log(p)) @ away / 1e-7, abs=1e-6)
        assert abs(numeric - (-1 + math.log(p[place]))) > 1
    # Zero of the lecture's line: P proportional to exp(-theta x), not exp(theta x).
    theta, x = 1.3, np.array([0.0, 1.0])
    right, lecture = normalised(np.exp(theta * x)), normalised(np.exp(-theta * x))
    derivatives = -1 - np.log(right) + theta * x  # equal, so that one multiplier makes them zero
    assert derivatives[0] == pytest.approx(derivatives[1], rel=1e-12)
    derivatives = -1 - np.log(lecture) + theta * x
    assert abs(derivatives[0] - derivatives[1]) > 2
