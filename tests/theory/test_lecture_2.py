"""Lecture 2, "Learning structure in graphical models": formulas by the library and by hand."""

import itertools
import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import chi2

import dagwright as dw
from theory.by_hand import (
    EDGE,
    EMPTY,
    INDEPENDENT_COUNTS,
    PAIR_COUNTS,
    all_trees,
    bernoulli_integral,
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
    ones,
    pair,
    some_rows,
    table_of,
    three,
    with_parents,
)

LL = dw.LogLikelihood()
NAMES = ("x", "y", "z")
P = PAIR_COUNTS / 70
H_X, H_Y = entropy(P.sum(axis=1)), entropy(P.sum(axis=0))


def test_independence_test_is_a_choice_between_two_graphs():
    """Example 1: three verdicts, each about G1 against G0."""
    got = dw.independence(pair(), "x", "y")
    table = pair()
    bic = dw.score(EDGE, table, score=dw.BIC()) - dw.score(EMPTY, table, score=dw.BIC())
    bayes = dw.score(EDGE, table, score=dw.BDeu(1)) - dw.score(EMPTY, table, score=dw.BDeu(1))
    assert got.bic_gain == pytest.approx(bic, rel=1e-9)
    assert got.log_bayes_factor == pytest.approx(bayes, rel=1e-9)
    # By hand: N I less half of ln N; the ratio of the two marginal likelihoods; chi-square.
    assert bic == pytest.approx(70 * mutual_information(P) - 0.5 * math.log(70), rel=1e-9)
    by_hand = [log_marginal(dag, table, lambda r, q: 1 / (r * q)) for dag in (EDGE, EMPTY)]
    assert bayes == pytest.approx(by_hand[0] - by_hand[1], rel=1e-9)
    assert got.p_value == pytest.approx(chi2.sf(140 * mutual_information(P), 1), rel=1e-9)
    assert got.p_value < 0.05
    nothing = dw.independence(table_of(INDEPENDENT_COUNTS), "x", "y")
    assert nothing.bic_gain < 0
    assert nothing.log_bayes_factor < 0
    assert nothing.p_value == pytest.approx(1)


def test_number_of_possible_edges():
    """N choose 2 pairs."""
    for n in (2, 3, 4):
        complete = max(dw.all_dags(list("abcd"[:n])), key=lambda dag: len(dag.edges))
        assert len(complete.skeleton()) == math.comb(n, 2)


def test_maximum_likelihood_structure():
    """(1): the graph whose likelihood at its own best parameters is highest, among graphs of one
    edge, so that the answer is not just all edges."""
    table = three()
    one_edge = [dag for dag in dw.all_dags(NAMES) if len(dag.edges) == 1]
    by_hand = max(log_likelihood(dag, table) for dag in one_edge)
    assert max(dw.score(dag, table, score=LL) for dag in one_edge) == pytest.approx(
        by_hand, rel=1e-12
    )
    best = max((dw.fit(dag, table, "ml").log_likelihood(table), dag.skeleton()) for dag in one_edge)
    assert best[0] == pytest.approx(by_hand, rel=1e-12)


def test_entropy_of_a_distribution():
    """(2)."""
    p = [0.5, 0.2, 0.3]
    by_hand = -(0.5 * math.log(0.5) + 0.2 * math.log(0.2) + 0.3 * math.log(0.3))
    assert dw.entropy(p) == pytest.approx(by_hand, rel=1e-12)
    assert dw.entropy([1.0, 0.0]) == 0


def test_conditional_entropy_of_a_distribution():
    """(3): the average of -ln p(u | v); never negative."""
    assert dw.conditional_entropy(P, 0, 1) == pytest.approx(conditional_entropy(P), rel=1e-12)
    rng = np.random.default_rng(3)
    for _ in range(20):
        joint = rng.dirichlet(np.ones(6) * 0.3).reshape(2, 3)
        assert dw.conditional_entropy(joint, 0, 1) >= 0
    assert dw.conditional_entropy(np.diag([0.3, 0.7]), 0, 1) == pytest.approx(0, abs=1e-12)


def test_conditional_entropy_is_entropy_less_divergence():
    """(4): H(u | v) = H(u) - D(p_uv || p_u p_v)."""
    product = np.outer(P.sum(axis=1), P.sum(axis=0))
    divergence = kl(P, product)
    assert float(dw.kl_divergence(P, product)) == pytest.approx(divergence, rel=1e-12)
    assert dw.conditional_entropy(P, 0, 1) == pytest.approx(H_X - divergence, rel=1e-12)


def test_mutual_information_is_a_divergence():
    """(5): symmetric, not negative, zero exactly where p_uv = p_u p_v."""
    product = np.outer(P.sum(axis=1), P.sum(axis=0))
    assert dw.mutual_information(P, 0, 1) == pytest.approx(kl(P, product), rel=1e-12)
    assert dw.mutual_information(P.T, 0, 1) == pytest.approx(kl(P, product), rel=1e-12)
    assert dw.mutual_information(product, 0, 1) == pytest.approx(0, abs=1e-14)
    rng = np.random.default_rng(5)
    for _ in range(20):
        joint = rng.dirichlet(np.ones(6)).reshape(2, 3)
        assert dw.mutual_information(joint, 0, 1) > 1e-6


def test_empirical_joint_distribution():
    """The share of rows in each cell."""
    table = pair()
    rows = list(zip(*table.codes, strict=True))
    shares = [[sum(row == (u, v) for row in rows) / 70 for v in (0, 1)] for u in (0, 1)]
    counted = dw.Scorer(table).counts("y", ["x"]).table()
    assert np.allclose(counted / 70, shares, rtol=1e-14)


def test_empirical_entropy_and_marginal():
    """The entropy of the empirical marginal, which is a sum over the other variable."""
    marginal = P.sum(axis=1)
    assert dw.entropy(pair(), "x") == pytest.approx(entropy(marginal), rel=1e-12)
    assert dw.entropy(pair(), "x") == pytest.approx(dw.entropy(marginal), rel=1e-12)


def test_empirical_conditional_entropy():
    """And (6), the empirical conditional."""
    fitted = dw.fit(dw.Dag([("y", "x")]), pair(), "ml").table("x").probabilities
    assert np.allclose(fitted, (P / P.sum(axis=0)).T, rtol=1e-14)
    by_hand = -sum(P[u, v] * math.log(P[u, v] / P[:, v].sum()) for u, v in np.ndindex(2, 2))
    assert dw.conditional_entropy(pair(), "x", "y") == pytest.approx(by_hand, rel=1e-12)


def test_empirical_mutual_information():
    """H(u) - H(u | v)."""
    by_hand = H_X - conditional_entropy(P)
    assert dw.mutual_information(pair(), "x", "y") == pytest.approx(by_hand, rel=1e-12)
    assert dw.mutual_information_matrix(pair())["x", "y"] == pytest.approx(by_hand, rel=1e-12)


def test_factorisation_and_number_of_table_entries():
    """p(x_V) is a product over nodes; a table has L times (configurations) entries."""
    model = dw.networks.load("student")
    logs = model.log_likelihoods(
        dw.Table({"difficulty": ["easy"], "intelligence": ["high"], "grade": ["B"]})
    )
    assert logs[0] == pytest.approx(math.log(0.55 * 0.35 * 0.1), rel=1e-12)
    assert model.table("grade").probabilities.size == 3 * 4
    assert model.n_parameters == 1 + 1 + 2 * 4


def test_likelihood_score_adds_over_nodes():
    """(7)."""
    table = three()
    dag = dw.Dag([("x", "z"), ("y", "z")], nodes=NAMES)
    scorer = dw.Scorer(table, LL)
    parts = [scorer.local(node, dag.parents(node)) for node in NAMES]
    assert sum(parts) == pytest.approx(log_likelihood(dag, table), rel=1e-12)


def test_estimates_are_the_empirical_conditionals():
    """The display before (8), and that they are found table by table."""
    table = three()
    dag = dw.Dag([("x", "z"), ("y", "z")], nodes=NAMES)
    joint = empirical(table, NAMES)
    fitted = dw.fit(dag, table, "ml")
    assert np.allclose(fitted.table("z").probabilities, joint / joint.sum(axis=2, keepdims=True))
    assert np.allclose(fitted.table("x").probabilities, joint.sum(axis=(1, 2)))
    alone = dw.fit(dw.Dag(nodes=["x"]), table, "ml")
    assert np.array_equal(alone.table("x").probabilities, fitted.table("x").probabilities)


def test_one_term_of_the_likelihood_score():
    """(8), times N: -N H(x | pi) = N I(x; pi) - N H(x)."""
    table = three()
    p = with_parents(table, "z", ["x", "y"])
    local = dw.Scorer(table, LL).local("z", ["x", "y"])
    assert local == pytest.approx(-60 * conditional_entropy(p), rel=1e-12)
    assert local == pytest.approx(60 * (mutual_information(p) - entropy(p.sum(axis=1))), rel=1e-12)
    assert local == pytest.approx(-60 * dw.conditional_entropy(table, "z", ["x", "y"]), rel=1e-12)


def test_equivalent_score():
    """(9): the sum of informations alone ranks graphs as the likelihood does."""
    table = three()
    dags = list(dw.all_dags(NAMES))
    information = [
        60 * sum(mutual_information(with_parents(table, node, dag.parents(node))) for node in NAMES)
        for dag in dags
    ]
    fits = [dw.Scorer(table, LL).decompose(dag).total("fit") for dag in dags]
    assert np.allclose(fits, information, rtol=1e-10, atol=1e-9)
    scores = [dw.score(dag, table, score=LL) for dag in dags]
    constant = np.array(scores) - information
    assert np.allclose(constant, constant[0], rtol=1e-12)
    assert constant[0] == pytest.approx(
        -60 * sum(entropy(empirical(table, [node])) for node in NAMES), rel=1e-12
    )


def test_generalized_likelihood_ratio():
    """19.1.4 (a heading without text): G2 = 2 N I, chi-square with (r - 1)(s - 1) q degrees."""
    got = dw.independence(pair(), "x", "y")
    g2 = 2 * 70 * mutual_information(P)
    assert got.g2 == pytest.approx(g2, rel=1e-12)
    assert got.g2 == pytest.approx(
        2 * (dw.score(EDGE, pair(), score=LL) - dw.score(EMPTY, pair(), score=LL)), rel=1e-9
    )
    assert got.degrees_of_freedom == 1
    assert got.p_value == pytest.approx(chi2.sf(g2, 1), rel=1e-9)
    given = dw.independence(three(), "x", "y", given=["z"])
    joint = empirical(three(), NAMES)
    of_z = joint.sum(axis=(0, 1))
    conditional = sum(of_z[z] * mutual_information(joint[:, :, z] / of_z[z]) for z in (0, 1))
    assert given.mutual_information == pytest.approx(conditional, rel=1e-10)
    assert given.g2 == pytest.approx(2 * 60 * conditional, rel=1e-10)
    assert given.p_value == pytest.approx(chi2.sf(2 * 60 * conditional, 4), rel=1e-9)
    assert given.degrees_of_freedom == (2 - 1) * (3 - 1) * 2


def test_cayley():
    """N^(N - 2) trees; N times as many with a root, which are graphs of N - 1 edges and one
    parent at most."""
    for n in (3, 4):
        rooted = [
            dag
            for dag in dw.all_dags(list("abcd"[:n]))
            if len(dag.edges) == n - 1 and max(len(dag.parents(node)) for node in dag.nodes) == 1
        ]
        assert len({frozenset(map(frozenset, dag.edges)) for dag in rooted}) == n ** (n - 2)
        assert len(rooted) == n * n ** (n - 2)
    assert len(all_trees(5)) == 5**3


def test_chow_liu_algorithm():
    """19.1.5: a maximum spanning tree, found by going through the pairs once."""
    table = some_rows(6, 200, seed=19)
    weights = {
        edge: mutual_information(empirical(table, [table.names[i] for i in edge]))
        for edge in itertools.combinations(range(6), 2)
    }
    best = max(all_trees(6), key=lambda tree: sum(weights[edge] for edge in tree))
    found = dw.learn(table, search=dw.ChowLiu())
    names = {frozenset(table.names[i] for i in edge) for edge in best}
    assert {frozenset(edge) for edge in found.dag.edges} == names


def test_any_root_does():
    """19.1.5: edges point away from the root; all roots give one likelihood."""
    table = some_rows(6, 200, seed=19)
    scores = []
    for root in table.names:
        dag = dw.learn(table, score=LL, search=dw.ChowLiu(root=root)).dag
        assert dag.parents(root) == ()
        assert set(dag.descendants(root)) == set(table.names) - {root}
        assert all(len(dag.parents(node)) == 1 for node in table.names if node != root)
        scores.append(dw.score(dag, table, score=LL))
    assert np.allclose(scores, scores[0], rtol=1e-12)


def test_equivalent_scores_of_two_nodes():
    """(10a), (10b) and their difference, times N: 0, N I, N I >= 0."""
    scorer = dw.Scorer(pair(), LL)
    assert scorer.decompose(EMPTY).total("fit") == 0
    assert scorer.decompose(EDGE).total("fit") == pytest.approx(
        70 * mutual_information(P), rel=1e-12
    )
    gap = scorer.score(EDGE) - scorer.score(EMPTY)
    assert gap == pytest.approx(70 * mutual_information(P), rel=1e-12)


def test_posterior_of_graphs():
    """(11): the most probable graph has the highest numerator."""
    table = three()
    logs = {dag: log_marginal(dag, table, ones) for dag in dw.all_dags(NAMES)}
    total = math.log(sum(map(math.exp, logs.values())))
    best = dw.exact_posterior(table, dw.K2()).best(3)
    by_hand = sorted((math.exp(own - total) for own in logs.values()), reverse=True)[:3]
    assert np.allclose(best.probabilities, by_hand, rtol=1e-8)
    assert logs[best.dags[0]] == pytest.approx(max(logs.values()), rel=1e-12)


def test_bayesian_score_is_the_logarithm_of_the_numerator():
    """(12)."""
    score = dw.score(EDGE, pair(), score=dw.K2(), structure_prior=dw.EdgePenalty(0.4))
    by_hand = log_marginal(EDGE, pair(), ones) + math.log(0.4)
    assert score == pytest.approx(by_hand, rel=1e-12)


def test_marginal_likelihood_integrates_the_parameters_out():
    """(13): over (theta_x, theta_y|0, theta_y|1), drawn from their uniform priors."""
    counts = np.array([[2, 1], [1, 3]])
    theta = np.random.default_rng(13).random((3, 400_000))
    likelihood = (
        theta[0] ** 4
        * (1 - theta[0]) ** 3
        * theta[1] ** 1
        * (1 - theta[1]) ** 2
        * theta[2] ** 3
        * (1 - theta[2]) ** 1
    )
    score = dw.score(EDGE, table_of(counts), score=dw.K2())
    assert math.exp(score) == pytest.approx(likelihood.mean(), rel=0.02)


def test_laplace_approximation():
    """Footnote 3: p(D | theta_ML) p(theta_ML) sigma, for x -> y; the Occam factor is below 1."""
    table = table_of(PAIR_COUNTS * 10)
    got = dw.marginal_likelihood(EDGE, table, score=dw.K2())
    by_hand = 0.0
    for zeros, n_ones in ((400, 300), (300, 100), (50, 250)):
        n, theta = zeros + n_ones, n_ones / (zeros + n_ones)
        by_hand += n_ones * math.log(theta) + zeros * math.log(1 - theta)
        by_hand += 0.5 * math.log(2 * math.pi * theta * (1 - theta) / n)
    assert got.laplace == pytest.approx(by_hand, rel=1e-12)
    assert got.laplace == pytest.approx(
        log_marginal(EDGE, table_of(PAIR_COUNTS * 10), ones), abs=0.1
    )
    assert got.occam_factor < 0


def test_counts_of_pairs():
    """K_xy(i, j), K_x(i) is its sum over j, and shares are counts by K."""
    table = pair()
    scorer = dw.Scorer(table)
    joint = scorer.counts("y", ["x"]).table()
    assert joint.tolist() == counts_of(table, ["x", "y"]).tolist()
    assert scorer.counts("x").table().tolist() == joint.sum(axis=1).tolist()
    assert scorer.counts("y").table().tolist() == joint.sum(axis=0).tolist()
    assert scorer.counts("x").total == 70


def test_beta_distribution():
    """(14): density proportional to theta^(a-1) (1-theta)^(b-1), uniform for a = b = 1."""
    posterior = dw.BetaPosterior(3, 5)
    total = quad(lambda t: t**2 * (1 - t) ** 4, 0, 1)[0]
    mean = quad(lambda t: t * t**2 * (1 - t) ** 4, 0, 1)[0] / total
    assert posterior.mean == pytest.approx(mean, rel=1e-9)
    low, high = posterior.interval(0.9)
    assert quad(lambda t: t**2 * (1 - t) ** 4 / total, low, high)[0] == pytest.approx(0.9)
    low, high = dw.BetaPosterior(1, 1).interval(0.9)
    assert (low, high) == pytest.approx((0.05, 0.95), rel=1e-9)
    for theta in (0.1, 0.5, 0.8):
        by_hand = theta**2 * (1 - theta) ** 4 / total
        assert posterior.density(theta) == pytest.approx(by_hand, rel=1e-9)
        assert dw.BetaPosterior(1, 1).density(theta) == pytest.approx(1)


@pytest.mark.parametrize(("s", "t"), [(0, 0), (1, 0), (3, 2), (12, 30)])
def test_beta_integral(s, t):
    """(15): the integral of w^s (1-w)^t is 1 / ((s + t + 1) (s + t choose s))."""
    closed = 1 / ((s + t + 1) * math.comb(s + t, s))
    assert bernoulli_integral(s, t) == pytest.approx(closed, rel=1e-9)
    log_p = dw.BetaPosterior(1, 1).log_marginal_likelihood(s, t)
    assert math.exp(log_p) == pytest.approx(closed, rel=1e-12)


def test_stirlings_approximation():
    """(16): the ratio goes to 1; the coefficient by way of the K2 score and (15)."""
    ratios = []
    for n in (20, 200, 2000):
        m = n // 4
        score = dw.score(dw.Dag(nodes=["x"]), table_of([m, n - m]), score=dw.K2())
        log_coefficient = -score - math.log(n + 1)
        assert log_coefficient == pytest.approx(math.log(math.comb(n, m)), rel=1e-11)
        stirling = n * entropy([0.25, 0.75]) + 0.5 * math.log(n / (2 * math.pi * m * (n - m)))
        ratios.append(math.exp(stirling - log_coefficient))
    assert ratios[0] > ratios[1] > ratios[2] > 1
    assert ratios[2] == pytest.approx(1, abs=3e-4)


def test_without_edge_the_marginal_likelihood_is_a_product():
    """p(D | G0) = p(D_x | G0) p(D_y | G0)."""
    scorer = dw.Scorer(pair(), dw.K2())
    assert scorer.score(EMPTY) == pytest.approx(scorer.local("x") + scorer.local("y"), rel=1e-12)
    closed = -math.log(71 * math.comb(70, 30)) - math.log(71 * math.comb(70, 35))
    assert scorer.score(EMPTY) == pytest.approx(closed, rel=1e-12)


def test_marginal_likelihood_of_y():
    """The display before (17), line by line: integral, binomial, Stirling."""
    k_0, k_1 = 35, 35
    exact = dw.Scorer(pair(), dw.K2()).local("y")
    assert exact == pytest.approx(math.log(bernoulli_integral(k_1, k_0)), rel=1e-9)
    assert exact == pytest.approx(-math.log(71 * math.comb(70, 35)), rel=1e-12)
    fourth = -math.log(71) - 70 * H_Y + 0.5 * math.log(2 * math.pi * k_0 * k_1 / 70)
    fifth = -math.log(71) - 70 * H_Y + 0.5 * math.log(2 * math.pi * 70 * 0.5 * 0.5)
    assert fourth == pytest.approx(fifth, rel=1e-12)
    assert exact == pytest.approx(fourth, abs=1 / 70)
    # The exponential form: what its O(1) stands for is the logarithm of the root, without K.
    sixth = -70 * H_Y - math.log(70) + 0.5 * math.log(70)
    assert exact - sixth == pytest.approx(0.5 * math.log(2 * math.pi * 0.25), abs=2 / 70)


def remainders(dag, marginal, times=(1, 10, 100, 1000)):
    """What is left of log p(D | G) when LL and the price are taken away, as the rows grow."""
    left = []
    for own in times:
        table = table_of(PAIR_COUNTS * own)
        left.append(
            dw.score(dag, table, score=dw.K2())
            - dw.score(dag, table, score=LL)
            + marginal * math.log(70 * own)
        )
    return left


def test_one_variable_costs_half_a_logarithm():
    """(17) and (18): ln p(D_y) + K H(y) + (ln K) / 2 stays bounded, and converges."""
    for name, h, shares in (("x", H_X, P.sum(axis=1)), ("y", H_Y, P.sum(axis=0))):
        left = []
        for times in (1, 10, 100, 1000):
            exact = dw.Scorer(table_of(PAIR_COUNTS * times), dw.K2()).local(name)
            left.append(exact + 70 * times * h + 0.5 * math.log(70 * times))
        limit = 0.5 * math.log(2 * math.pi * shares[0] * shares[1])
        assert left[-1] == pytest.approx(limit, abs=1e-4)
        assert max(left) - min(left) < 0.03


def test_bayesian_score_without_edge():
    """(19), (20) and the display before them: LL - ln K + O(1)."""
    assert dw.score(EMPTY, pair(), score=LL) == pytest.approx(-70 * (H_X + H_Y), rel=1e-12)
    left = remainders(EMPTY, 1.0)
    assert max(left) - min(left) < 0.05
    assert abs(left[3] - left[2]) < abs(left[1] - left[0])


def test_with_edge_the_marginal_likelihood_is_a_product():
    """(21): p(D_x | G1) p(D_y | D_x, G1), and the first is that of G0."""
    scorer = dw.Scorer(pair(), dw.K2())
    given = sum(dirichlet_marginal(row, 1.0) for row in PAIR_COUNTS)
    assert scorer.local("y", ["x"]) == pytest.approx(given, rel=1e-12)
    of_x = math.log(bernoulli_integral(30, 40))
    assert scorer.local("x") == pytest.approx(of_x, rel=1e-9)
    assert scorer.score(EDGE) == pytest.approx(of_x + given, rel=1e-9)
    assert scorer.score(EMPTY) - scorer.local("y") == pytest.approx(of_x, rel=1e-9)


def test_marginal_likelihood_of_y_given_x():
    """The display before (22): two integrals; by Stirling, with p under the root."""
    exact = dw.Scorer(pair(), dw.K2()).local("y", ["x"])
    integrals = bernoulli_integral(10, 30) * bernoulli_integral(25, 5)
    assert exact == pytest.approx(math.log(integrals), rel=1e-9)
    by_stirling = 0.0
    for row in PAIR_COUNTS:
        k, shares = row.sum(), row / row.sum()
        by_stirling += -math.log(k + 1) - k * entropy(shares)
        by_stirling += 0.5 * math.log(2 * math.pi * k * shares[0] * shares[1])
    assert exact == pytest.approx(by_stirling, abs=0.05)


def test_y_given_x_costs_a_logarithm():
    """(22): ln p(D_y | D_x, G1) = -K H(y | x) - ln K + O(1)."""
    left = []
    for times in (1, 10, 100, 1000):
        table = table_of(PAIR_COUNTS * times)
        exact = dw.Scorer(table, dw.K2()).local("y", ["x"])
        h = dw.conditional_entropy(table, "y", "x")
        assert h == pytest.approx(conditional_entropy(P.T), rel=1e-12)
        left.append(exact + 70 * times * h + math.log(70 * times))
    assert max(left) - min(left) < 0.1
    assert abs(left[3] - left[2]) < 1e-2


def test_bayesian_score_with_edge():
    """(23), (24) and the display before them: LL - (3/2) ln K + O(1)."""
    by_hand = -70 * (H_X + H_Y - mutual_information(P))
    assert dw.score(EDGE, pair(), score=LL) == pytest.approx(by_hand, rel=1e-12)
    left = remainders(EDGE, 1.5)
    assert max(left) - min(left) < 0.15
    assert abs(left[3] - left[2]) < 1e-2


def test_threshold_of_the_likelihood_ratio():
    """The display before (25): LL(G1) - LL(G0) against (ln K) / 2 is BIC's choice."""
    selected = []
    for counts in (PAIR_COUNTS, INDEPENDENT_COUNTS, [[9, 8], [6, 10]], [[20, 12], [11, 19]]):
        table = table_of(counts)
        k = len(table)
        ratio = log_likelihood(EDGE, table) - log_likelihood(EMPTY, table)
        gain = dw.independence(table, "x", "y").bic_gain
        assert gain == pytest.approx(ratio - 0.5 * math.log(k), abs=1e-9)
        edges = dw.learn(table, score=dw.BIC(), search=dw.Exhaustive()).dag.edges
        assert bool(edges) == (ratio > 0.5 * math.log(k))
        selected.append(bool(edges))
    assert selected == [True, False, False, True]


def test_threshold_of_the_mutual_information():
    """(25): I(x; y) against ln K / (2 K), which goes to zero slowly."""
    got = dw.independence(pair(), "x", "y")
    assert got.bic_threshold == pytest.approx(math.log(70) / 140, rel=1e-12)
    assert (got.mutual_information > got.bic_threshold) == (got.bic_gain > 0)
    thresholds = [
        dw.independence(table_of(INDEPENDENT_COUNTS * times), "x", "y").bic_threshold
        for times in (1, 10, 100)
    ]
    by_hand = [math.log(150 * times) / (300 * times) for times in (1, 10, 100)]
    assert thresholds == pytest.approx(by_hand, rel=1e-12)
    assert thresholds[0] > thresholds[1] > thresholds[2] > 0


def test_structure_prior_is_a_constant():
    """End of 19.2.1: ln p(G) does not depend on K."""
    gaps = []
    for times in (1, 100):
        table = table_of(PAIR_COUNTS * times)
        prior = dw.EdgeBeliefs({("x", "y"): (0.1, 0.1)})
        with_prior = dw.score(EDGE, table, score=dw.K2(), structure_prior=prior)
        gaps.append(with_prior - dw.score(EDGE, table, score=dw.K2()))
    assert gaps == pytest.approx([math.log(0.1 / 0.8)] * 2, rel=1e-6)


def test_bic_and_the_dimension():
    """(26): dim G0 = 2, dim G1 = 3; LL - (ln K / 2) dim."""
    for dag, parameters in ((EMPTY, 2), (EDGE, 3)):
        assert dw.fit(dag, pair()).n_parameters == parameters == dim(dag, {"x": 2, "y": 2})
        by_hand = log_likelihood(dag, pair()) - 0.5 * math.log(70) * parameters
        assert dw.score(dag, pair(), score=dw.BIC()) == pytest.approx(by_hand, rel=1e-12)
        # What is left of ln p(D | G) stays bounded with this dimension, and with no other.
        left, less, more = (remainders(dag, own / 2) for own in (parameters, 1, 4))
        assert max(left) - min(left) < 0.15
        assert max(less) - min(less) > 3
        assert max(more) - min(more) > 3


# --- 19.3: Ising models --------------------------------------------------------------------------
#
# States x in {0, 1}^n; features x_i (fields) and x_i x_j with i < j (couplings), each once. By hand
# is with numpy, over all eight joint states.


def features_of(states):
    """One row a state: x_1, ..., x_n, then x_i x_j for i < j."""
    pairs = itertools.combinations(range(states.shape[1]), 2)
    return np.column_stack([states, *(states[:, i] * states[:, j] for i, j in pairs)])


def distribution(theta, features):
    weights = np.exp(features @ theta)
    return weights / weights.sum()


def log_z(theta, features):
    return math.log(np.exp(features @ theta).sum())


STATES = np.array(list(itertools.product((0, 1), repeat=3)), dtype=float)
FEATURES = features_of(STATES)
THETA = np.array([0.2, -0.4, 0.1, 0.9, 0.0, -0.7])  # fields 1-3, couplings 12, 13, 23
COMPLETE = dw.UndirectedGraph.complete(NAMES)


def ising(theta):
    matrix = np.zeros((3, 3))
    matrix[np.triu_indices(3, 1)] = theta[3:]
    return dw.Ising(theta[:3], matrix + matrix.T, names=NAMES, coding="0/1")


def theta_of(model):
    return np.concatenate([model.fields, model.couplings[np.triu_indices(3, 1)]])


def means_of(model):
    """The means under a model, of those features too whose coupling is zero."""
    p = model.query(NAMES).probabilities
    return FEATURES.T @ p.ravel()


def sampled_rows():
    """Rows of the model, and the means of their features by hand."""
    rng = np.random.default_rng(19)
    rows = STATES[rng.choice(8, size=4000, p=distribution(THETA, FEATURES))]
    table = dw.Table.from_codes(rows.astype(int), names=NAMES, states=[(0, 1)] * 3)
    return table, rows, features_of(rows).mean(axis=0)


def exact_rows(p):
    """Every joint state once, weighted by its probability."""
    codes = STATES.astype(int)
    return dw.Table.from_codes(codes, names=NAMES, states=[(0, 1)] * 3, weights=p)


def test_ising_model():
    """(27): the quadratic form of a matrix, and the same with each pair once."""
    matrix = np.array([[0.2, 0.9, 0.0], [0.0, -0.4, -0.7], [0.0, 0.0, 0.1]])  # upper triangle
    quadratic = np.exp([x @ matrix @ x for x in STATES])
    couplings = np.triu(matrix, 1) + np.triu(matrix, 1).T
    model = dw.Ising(matrix.diagonal(), couplings, coding="0/1")
    assert np.allclose(quadratic / quadratic.sum(), model.probabilities().ravel())
    assert model.log_z == pytest.approx(math.log(quadratic.sum()))


def test_exponential_family_over_any_features():
    """The exercise after (27): features of any subset; the gradient is again E[f] - mean."""
    by_hand = np.column_stack([STATES.prod(axis=1), STATES.sum(axis=1)])
    functions = [
        dw.Feature(NAMES, lambda x, y, z: x * y * z, "all"),
        dw.Feature(NAMES, lambda x, y, z: x + y + z, "sum"),
    ]
    theta = np.array([0.7, -0.3])
    states = dict.fromkeys(NAMES, (0, 1))
    model = dw.LogLinear(states, functions, theta)
    assert np.allclose(model.probabilities().ravel(), distribution(theta, by_hand))
    for k, mean in enumerate(model.expectations().values()):
        step = np.eye(2)[k] * 1e-6
        numeric = (log_z(theta + step, by_hand) - log_z(theta - step, by_hand)) / 2e-6
        assert mean == pytest.approx(numeric, abs=1e-8)
    # So descent matches other moments too, which some distribution must have.
    p = np.random.default_rng(27).dirichlet(np.ones(8))
    found = dw.learn_undirected(exact_rows(p), features=functions)
    assert list(found.model.expectations().values()) == pytest.approx(list(p @ by_hand), abs=1e-8)


def test_sufficient_statistics():
    """(28): means of products over rows; they tend to the expectations."""
    table, rows, moments = sampled_rows()
    by_hand = sum(row[0] * row[1] for row in rows) / len(rows)
    assert moments[3] == pytest.approx(by_hand, rel=1e-12)
    expected = ising(THETA).expectations()
    assert expected["x * y"] == pytest.approx(FEATURES[:, 3] @ distribution(THETA, FEATURES))
    assert abs(by_hand - expected["x * y"]) < 0.03
    # The rows' means are what a learned model has.
    learned = dw.learn_undirected(table, method=dw.MomentMatching(), coding="0/1").model
    assert learned.expectations()["x * y"] == pytest.approx(by_hand, abs=1e-8)


def test_maximum_entropy_has_the_form_of_the_model():
    """(29)-(31), (34): no distribution with the same moments has more entropy."""
    model = ising(THETA)
    p = model.probabilities().ravel()
    constraints = np.vstack([np.ones(8), FEATURES.T])
    free = np.linalg.svd(constraints)[2][np.linalg.matrix_rank(constraints) :]
    assert len(free) == 1  # 8 states, 7 rules: one way to move
    for step in (-0.01, -0.001, 0.001, 0.01):
        other = p + step * free[0]
        assert (other > 0).all()
        assert np.allclose(constraints @ other, constraints @ p)
        assert entropy(other) < model.entropy
        # and the model of these moments is the one we began with
        found = dw.learn_undirected(
            exact_rows(other), graph=COMPLETE, method=dw.MomentMatching(), coding="0/1"
        )
        assert np.allclose(found.model.probabilities().ravel(), p, atol=1e-7)


def test_derivative_of_the_lagrangian():
    """(32), (33) with its sign put right: -1 - log P(x) + lambda + theta . f(x), by differences."""
    moments = sampled_rows()[2]
    p, multiplier = np.random.default_rng(0).dirichlet(np.ones(8)), 0.3

    def lagrangian(p):
        total = p.sum()  # which dw.entropy wants to be 1
        h = total * dw.entropy(p / total) - total * math.log(total)
        return h + multiplier * (total - 1) + THETA @ (FEATURES.T @ p - moments)

    analytic = -1 - np.log(p) + multiplier + FEATURES @ THETA
    for place in range(8):
        step = np.eye(8)[place] * 1e-7
        numeric = (lagrangian(p + step) - lagrangian(p - step)) / 2e-7
        assert analytic[place] == pytest.approx(numeric, abs=1e-6)


def test_stationary_point_is_the_exponential_family():
    """(34): where the derivative is zero, P is proportional to exp(theta . f)."""
    model = ising(THETA)
    multiplier = 1 - model.log_z
    for state, features in zip(STATES, FEATURES, strict=True):
        log_p = model.log_probability(dict(zip(NAMES, map(int, state), strict=True)))
        assert -1 - log_p + multiplier + features @ THETA == pytest.approx(0, abs=1e-12)


def test_dual():
    """(35)-(38): the Lagrangian at P_theta, line by line, is log Z - theta . mean."""
    moments = sampled_rows()[2]
    model = ising(THETA)
    p, expected = distribution(THETA, FEATURES), means_of(model)
    first = model.entropy + THETA @ (expected - moments)
    second = (p * (log_z(THETA, FEATURES) - FEATURES @ THETA)).sum() + THETA @ (expected - moments)
    third = log_z(THETA, FEATURES) - THETA @ expected + THETA @ (expected - moments)
    fourth = model.log_z - THETA @ moments
    assert [first, second, third] == pytest.approx([fourth] * 3, rel=1e-12)


def test_minimum_of_the_dual_is_maximum_likelihood_and_maximum_entropy():
    """(39): g is convex, minus the mean log-likelihood, and at its minimum the entropy."""
    table, rows, moments = sampled_rows()

    def g(theta):
        return log_z(theta, FEATURES) - theta @ moments

    place = (rows @ [4, 2, 1]).astype(int)
    mean_log = np.log(distribution(THETA, FEATURES))[place].mean()
    assert g(THETA) == pytest.approx(-mean_log, rel=1e-9)
    assert ising(THETA).log_likelihood(table) == pytest.approx(len(rows) * mean_log, rel=1e-9)
    found = dw.learn_undirected(table, method=dw.MomentMatching(), coding="0/1")
    best = theta_of(found.model)
    rng = np.random.default_rng(39)
    for _ in range(20):
        a, b = best + rng.normal(size=(2, 6))
        assert g((a + b) / 2) <= (g(a) + g(b)) / 2
        assert g(best) <= g(a)
    last = found.trace[-1]
    assert [last.g, found.model.entropy] == pytest.approx([g(best)] * 2, abs=1e-8)
    assert last.log_likelihood == pytest.approx(-len(rows) * g(best))


def test_gradient_is_the_difference_of_moments():
    """(42)-(44), by differences; the largest of them is the moment gap."""
    table, _, moments = sampled_rows()
    analytic = means_of(ising(THETA)) - moments
    for k in range(6):
        step = np.eye(6)[k] * 1e-6
        numeric = (ising(THETA + step).log_z - ising(THETA - step).log_z) / 2e-6
        assert analytic[k] == pytest.approx(numeric - moments[k], abs=1e-8)
    start = dw.learn_undirected(table, method=dw.MomentMatching(), coding="0/1").trace[0]
    at_zero = FEATURES.T @ distribution(np.zeros(6), FEATURES) - moments
    assert start.moment_gap == pytest.approx(np.abs(at_zero).max(), rel=1e-12)


def test_moment_matching():
    """(40), (41), (45): descent from zero stops where the moments are those of the rows."""
    table, _, moments = sampled_rows()
    one = dw.MomentMatching(optimiser="gradient", step=0.5, max_steps=1)
    half = np.array([0.5] * 3 + [0.25] * 3)  # E[f] at theta = 0
    step = dw.learn_undirected(table, method=one, coding="0/1").model
    assert np.allclose(theta_of(step), -0.5 * (half - moments), atol=1e-12)
    theta = np.zeros(6)
    for _ in range(4000):
        theta -= FEATURES.T @ distribution(theta, FEATURES) - moments
    for optimiser in ("gradient", "lbfgs", "newton"):
        method = dw.MomentMatching(optimiser=optimiser)
        found = dw.learn_undirected(table, method=method, coding="0/1")
        assert found.moment_gap < 1e-8
        assert np.allclose(means_of(found.model), moments, atol=1e-8)
        assert np.allclose(theta_of(found.model), theta, atol=1e-6)


def test_parameters_are_the_graph():
    """The end of 19.3: given exact moments, zero couplings come out zero, the others do not."""
    rows = exact_rows(distribution(THETA, FEATURES))
    found = dw.learn_undirected(rows, method=dw.MomentMatching(), coding="0/1")
    assert np.allclose(theta_of(found.model), THETA, atol=1e-6)
    edges = [abs(own) > 1e-3 for own in theta_of(found.model)[3:]]
    assert edges == [True, False, True]
    assert ising(THETA).graph.edges == (("x", "y"), ("y", "z"))
    sparse = dw.learn_undirected(rows, method=dw.MomentMatching(l1=1e-3), coding="0/1")
    assert sparse.graph.edges == (("x", "y"), ("y", "z"))
