"""Lecture 0, "Learning structure in directed graphs": every formula, by the library and by hand."""

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
    conditional_entropy,
    counts_of,
    dim,
    dirichlet_marginal,
    empirical,
    entropy,
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
CHAIN = dw.Dag([("x", "y"), ("y", "z")])
COLLIDER = dw.Dag([("x", "z"), ("y", "z")], nodes=NAMES)


def test_pairs_of_nodes():
    """N (N - 1) / 2 pairs may have an edge; the complete graph has one for each."""
    for n in (2, 3, 4):
        most = max(len(dag.edges) for dag in dw.all_dags(list("abcd"[:n])))
        assert most == n * (n - 1) // 2


def test_likelihood_score_is_the_maximum_over_parameters():
    table = three()
    for dag in (CHAIN, COLLIDER):
        best = dw.fit(dag, table, "ml")
        score = dw.score(dag, table, score=LL)
        assert score == pytest.approx(best.log_likelihood(table), rel=1e-12)
        # The same by hand, and less for any other parameters.
        codes = list(zip(*table.codes, strict=True))
        by_hand = sum(
            math.log(
                best.table(node).probabilities[
                    tuple(row[NAMES.index(name)] for name in (*dag.parents(node), node))
                ]
            )
            for row in codes
            for node in NAMES
        )
        assert score == pytest.approx(by_hand, rel=1e-12)
        others = dw.fit(dag, table, dw.K2()).sample_parameters(50, seed=3)
        assert all(other.log_likelihood(table) < score for other in others)


def test_best_graph_is_the_best_of_the_best_for_each_graph():
    """The maximum over graphs and parameters is the maximum of the likelihood scores."""
    table = three()
    scores = {dag: log_likelihood(dag, table) for dag in dw.all_dags(NAMES)}
    found = dw.learn(table, score=LL, search=dw.Exhaustive())
    assert found.score == pytest.approx(max(scores.values()), rel=1e-12)


def test_mutual_information():
    p = PAIR_COUNTS / PAIR_COUNTS.sum()
    table = pair()
    assert dw.mutual_information(table, "x", "y") == pytest.approx(mutual_information(p), rel=1e-12)
    assert dw.mutual_information(table, "y", "x") == pytest.approx(mutual_information(p), rel=1e-12)
    nothing = dw.mutual_information(table_of(INDEPENDENT_COUNTS), "x", "y")
    assert nothing == pytest.approx(0, abs=1e-14)
    assert all(dw.mutual_information(some_rows(2, 30, seed), "a", "b") >= 0 for seed in range(20))


def test_entropy():
    table = pair()
    p = PAIR_COUNTS.sum(axis=1) / 70
    by_hand = -(4 / 7 * math.log(4 / 7) + 3 / 7 * math.log(3 / 7))
    assert entropy(p) == pytest.approx(by_hand, rel=1e-14)
    assert dw.entropy(table, ["x"]) == pytest.approx(by_hand, rel=1e-12)
    assert dw.entropy(dw.Table({"x": [1, 1, 1]}), ["x"]) == 0


def test_conditional_entropy_is_entropy_less_information():
    """(1), from its first line to its last."""
    table = pair()
    p = PAIR_COUNTS / PAIR_COUNTS.sum()
    first_line = conditional_entropy(p)
    last_line = entropy(p.sum(axis=1)) - mutual_information(p)
    assert dw.conditional_entropy(table, ["x"], ["y"]) == pytest.approx(first_line, rel=1e-12)
    assert first_line == pytest.approx(last_line, rel=1e-12)


def test_factorisation():
    """p(x_1, ..., x_N) is the product of the entries of the tables."""
    model = dw.networks.load("student")
    sizes = [len(model.states[name]) for name in model.names]
    total = 0.0
    for codes in np.ndindex(*sizes):
        row = {
            name: model.states[name][code] for name, code in zip(model.names, codes, strict=True)
        }
        product = 1.0
        for name in model.names:
            place = tuple(
                model.states[other].index(row[other]) for other in (*model.dag.parents(name), name)
            )
            product *= model.table(name).probabilities[place]
        assert model.probability(row) == pytest.approx(product, rel=1e-12)
        total += product
    assert total == pytest.approx(1, rel=1e-12)


def test_table_entries_are_the_parameters():
    """[theta]_{x, pi}: one number for each state and configuration, found by name or by place."""
    model = dw.networks.load("student")
    table = model.table("grade")
    assert table.probabilities.shape == (2, 2, 3)
    row = table.row({"difficulty": "hard", "intelligence": "high"})
    assert [row[state] for state in "ABC"] == table.probabilities[1, 1].tolist()


def test_likelihood_score_is_a_sum_over_families():
    """(2)."""
    table = three()
    scorer = dw.Scorer(table, LL)
    for dag in dw.all_dags(NAMES):
        parts = [scorer.local(node, dag.parents(node)) for node in NAMES]
        assert sum(parts) == pytest.approx(log_likelihood(dag, table), rel=1e-12)


def test_maximum_likelihood_is_the_empirical_conditional():
    table = three()
    fitted = dw.fit(COLLIDER, table, "ml").table("z").probabilities
    joint = empirical(table, NAMES)
    assert np.allclose(fitted, joint / joint.sum(axis=2, keepdims=True), rtol=1e-14)


def test_family_score_is_information_less_entropy():
    """(3), with the factor N that it drops: N sum p ln p(a|b) = -N H(x|pi) = N I - N H."""
    table = three()
    n = 60
    family = dw.Scorer(table, LL).decompose(COLLIDER).families[2]
    p = with_parents(table, "z", ["x", "y"])
    first = sum(
        p[a, b] * math.log(p[a, b] / p[:, b].sum()) for a, b in np.ndindex(*p.shape) if p[a, b]
    )
    assert family.score == pytest.approx(n * first, rel=1e-12)
    assert family.score == pytest.approx(-n * conditional_entropy(p), rel=1e-12)
    assert family.fit == pytest.approx(n * mutual_information(p), rel=1e-12)
    assert family.entropy == pytest.approx(n * entropy(p.sum(axis=1)), rel=1e-12)
    assert family.score == pytest.approx(family.fit - family.entropy, rel=1e-12)


def test_likelihood_score_is_information_less_entropies():
    """The display after (3); the entropies are the same for every graph."""
    table = three()
    entropies = 60 * sum(entropy(empirical(table, [name])) for name in NAMES)
    for dag in dw.all_dags(NAMES):
        information = 60 * sum(
            mutual_information(with_parents(table, node, dag.parents(node))) for node in NAMES
        )
        parts = dw.Scorer(table, LL).decompose(dag)
        assert parts.total() == pytest.approx(information - entropies, rel=1e-12)
        assert parts.total("entropy") == pytest.approx(entropies, rel=1e-12)


def test_chow_liu_is_the_best_of_all_trees():
    """Example 1: Kruskal's tree is the maximum spanning tree and has N - 1 edges."""
    table = some_rows(5, 150, seed=4)
    found = dw.learn(table, score=LL, search=dw.ChowLiu())
    weights = {
        (a, b): mutual_information(empirical(table, [table.names[a], table.names[b]]))
        for a, b in itertools.combinations(range(5), 2)
    }
    best = max(sum(weights[edge] for edge in tree) for tree in all_trees(5))
    # By hand: go through the pairs from the largest information, leaving out what closes a ring.
    part, kruskal = list(range(5)), 0.0
    for (a, b), weight in sorted(weights.items(), key=lambda item: -item[1]):
        if part[a] != part[b]:
            old, new = part[a], part[b]
            part = [new if own == old else own for own in part]
            kruskal += weight
    entropies = sum(entropy(empirical(table, [name])) for name in table.names)
    assert kruskal == pytest.approx(best, rel=1e-12)
    assert found.score == pytest.approx(150 * (best - entropies), rel=1e-12)
    assert len(found.dag.edges) == 4
    assert max(len(found.dag.parents(node)) for node in found.dag.nodes) == 1


def test_a_node_with_two_parents_needs_more_than_pairs():
    """Example 1, on directions: informations of pairs are the score only with one parent each."""
    table = some_rows(3, 150, seed=6)
    pairs = sum(mutual_information(empirical(table, [own, "b"])) for own in "ac")
    entropies = sum(entropy(empirical(table, [name])) for name in "abc")
    for tree in ([("a", "b"), ("b", "c")], [("b", "a"), ("b", "c")], [("b", "a"), ("c", "b")]):
        score = dw.score(dw.Dag(tree), table, score=LL)
        assert score == pytest.approx(150 * (pairs - entropies), rel=1e-12)
    collider = dw.score(dw.Dag([("a", "b"), ("c", "b")]), table, score=LL)
    together = mutual_information(with_parents(table, "b", ["a", "c"]))
    assert collider == pytest.approx(150 * (together - entropies), rel=1e-12)
    assert abs(together - pairs) > 0.01
    directed = dw.learn(table, score=LL, search=dw.ChowLiu()).dag
    assert max(len(directed.parents(node)) for node in directed.nodes) == 1


def test_trees_are_equally_complex():
    """Example 1: with M states each, every tree has (M - 1) + (N - 1) M (M - 1) parameters."""
    table = some_rows(4, 100, seed=2, n_states=3)
    trees = [
        dag
        for dag in dw.all_dags(table.names)
        if len(dag.edges) == 3 and max(len(dag.parents(node)) for node in dag.nodes) == 1
    ]
    assert len(trees) == 4 * 4**2  # any root of each of Cayley's trees
    assert dw.learn(table, search=dw.ChowLiu()).dag in trees
    for tree in trees:
        assert dw.fit(tree, table).n_parameters == 2 + 3 * 3 * 2 == dim(tree, table.n_states)


def test_two_nodes():
    """Example 2: the scores of G0 and G1, and their difference N I(x; y) >= 0."""
    table = pair()
    p = PAIR_COUNTS / 70
    h_x, h_y = entropy(p.sum(axis=1)), entropy(p.sum(axis=0))
    empty, edge = dw.score(EMPTY, table, score=LL), dw.score(EDGE, table, score=LL)
    assert empty == pytest.approx(-70 * (h_x + h_y), rel=1e-12)
    assert edge == pytest.approx(70 * (mutual_information(p) - h_x - h_y), rel=1e-12)
    assert edge - empty == pytest.approx(70 * mutual_information(p), rel=1e-12)
    assert edge > empty


def test_likelihood_favours_the_complete_graph():
    """Example 2 for larger models: adding an edge never lowers it, so all edges are taken."""
    table = some_rows(4, 80, seed=4)
    scorer = dw.Scorer(table, LL)
    for dag in dw.all_dags(table.names):
        own = scorer.score(dag)
        assert own == pytest.approx(log_likelihood(dag, table), rel=1e-12)
        bigger = [other for other in neighbours(dag) if len(other.edges) > len(dag.edges)]
        assert all(scorer.score(other) >= own - 1e-9 for other in bigger)
    found = dw.learn(table, score=LL, search=dw.HillClimb())
    assert len(found.dag.edges) == 6


def test_posterior_of_graphs_by_bayes_rule():
    """p(G | D) = p(D | G) p(G) / p(D), summed over all 25 graphs by hand."""
    table = three()
    logs = {dag: log_marginal(dag, table, ones) for dag in dw.all_dags(NAMES)}
    log_prior = -math.log(25)
    log_data = math.log(sum(math.exp(own + log_prior) for own in logs.values()))
    posterior = dw.exact_posterior(table, dw.K2())
    assert posterior.log_marginal == pytest.approx(log_data, abs=1e-9)
    for a, b in itertools.permutations(NAMES, 2):
        by_hand = sum(
            math.exp(own + log_prior - log_data) for dag, own in logs.items() if dag.has_edge(a, b)
        )
        assert posterior.edge_probabilities()[a, b] == pytest.approx(by_hand, abs=1e-9)


def test_bayesian_score():
    """(4): log p(D | G) + log p(G)."""
    table = three()
    prior = dw.EdgePenalty(0.25)
    for dag in (CHAIN, COLLIDER):
        score = dw.score(dag, table, score=dw.K2(), structure_prior=prior)
        by_hand = log_marginal(dag, table, ones) + 2 * math.log(0.25)
        assert score == pytest.approx(by_hand, rel=1e-12)


def test_marginal_likelihood_is_an_integral():
    """(5) for x -> y: the integrals over theta_x, theta_y|0 and theta_y|1, by quadrature."""
    counts = np.array([[6, 3], [2, 7]])
    integral = bernoulli_integral(9, 9) * bernoulli_integral(3, 6) * bernoulli_integral(7, 2)
    score = dw.score(EDGE, table_of(counts), score=dw.K2())
    assert score == pytest.approx(math.log(integral), rel=1e-9)


def test_occam_factor_of_the_laplace_approximation():
    """p(D | G) is about p(D | theta_ML) p(theta_ML) sigma: the parts by hand, for one variable."""
    table = table_of([60, 40])
    dag = dw.Dag(nodes=["x"])
    got = dw.marginal_likelihood(dag, table, score=dw.K2())
    theta = 0.6
    log_likelihood_ml = 60 * math.log(theta) + 40 * math.log(1 - theta)
    log_density = 0.0  # of the uniform prior
    log_width = 0.5 * math.log(2 * math.pi * theta * (1 - theta) / 100)
    assert got.log_likelihood == pytest.approx(log_likelihood_ml, rel=1e-12)
    assert got.laplace == pytest.approx(log_likelihood_ml + log_density + log_width, rel=1e-12)
    exact = math.log(bernoulli_integral(60, 40))
    assert got.occam_factor == pytest.approx(exact - log_likelihood_ml, rel=1e-9)
    assert got.occam_factor < 0
    assert got.laplace == pytest.approx(exact, abs=0.02)


def test_marginal_likelihood_of_one_variable_by_integration():
    """(6): the chain of integrals, for three states, by integrating over the triangle."""
    alpha, counts = np.array([0.7, 1.5, 2.0]), np.array([3, 1, 2])
    constant = gamma(alpha.sum()) / np.prod(gamma(alpha))

    def over_second(first):
        def integrand(second):
            theta = np.array([first, second, 1 - first - second])
            return float(np.prod(theta ** (alpha + counts - 1)))

        return quad(integrand, 0, 1 - first, epsrel=1e-10)[0]

    integral = constant * quad(over_second, 0, 1, epsrel=1e-10)[0]
    score = dw.score(dw.Dag(nodes=["x"]), table_of(counts), score=dw.Dirichlet({("x", ()): alpha}))
    assert score == pytest.approx(math.log(integral), rel=1e-8)


def test_gamma_function():
    """Gamma(z) is its integral, (n - 1)! for whole n; so K2 scores are ratios of factorials."""
    for z in (0.5, 2.5, 4.0):
        integral = quad(lambda t, z=z: t ** (z - 1) * math.exp(-t), 0, np.inf)[0]
        assert gamma(z) == pytest.approx(integral, rel=1e-7)
    assert gamma(6) == pytest.approx(math.factorial(5), rel=1e-14)
    score = dw.score(dw.Dag(nodes=["x"]), table_of([4, 2, 3]), score=dw.K2())
    factorials = 2 * math.factorial(4) * math.factorial(2) * math.factorial(3)
    assert math.exp(score) == pytest.approx(factorials / math.factorial(11), rel=1e-12)


def test_dirichlet_integral():
    """(7): the integral alone, which is p(D) times the prior's constant turned round."""
    alpha, counts = np.array([1.5, 2.5]), np.array([4, 3])
    integral, _ = quad(
        lambda t: t ** (alpha[0] + counts[0] - 1) * (1 - t) ** (alpha[1] + counts[1] - 1), 0, 1
    )
    closed = gamma(alpha[0] + 4) * gamma(alpha[1] + 3) / gamma(alpha.sum() + 7)
    assert closed == pytest.approx(integral, rel=1e-9)
    score = dw.score(dw.Dag(nodes=["x"]), table_of(counts), score=dw.Dirichlet({("x", ()): alpha}))
    constant = gamma(alpha.sum()) / (gamma(alpha[0]) * gamma(alpha[1]))
    assert math.exp(score) / constant == pytest.approx(closed, rel=1e-12)


def test_dirichlet_marginal_likelihood():
    """(8), for any alpha and any number of states."""
    rng = np.random.default_rng(8)
    for m in (2, 3, 5):
        alpha, counts = rng.uniform(0.2, 3, m), rng.integers(1, 9, m)
        score = dw.score(
            dw.Dag(nodes=["x"]), table_of(counts), score=dw.Dirichlet({("x", ()): alpha})
        )
        assert score == pytest.approx(dirichlet_marginal(counts, alpha), rel=1e-12)
        # One row after the other: each has probability (alpha_k + seen_k) / (alpha + seen).
        seen, log_p = np.zeros(m), 0.0
        for state in np.repeat(np.arange(m), counts):
            log_p += math.log((alpha[state] + seen[state]) / (alpha.sum() + seen.sum()))
            seen[state] += 1
        assert score == pytest.approx(log_p, rel=1e-12)


@pytest.mark.parametrize("counts", [(1, 0), (3, 2), (10, 10), (60, 40)])
def test_uniform_prior_and_two_states(counts):
    """(9): M = 2 and alpha = 1 give 1 / ((K + 1) (K choose K(1)))."""
    k = sum(counts)
    score = dw.score(dw.Dag(nodes=["x"]), table_of(counts), score=dw.K2())
    assert math.exp(score) == pytest.approx(1 / ((k + 1) * math.comb(k, counts[0])), rel=1e-12)


def log_p_by_stirling(k_1, k_2):
    """(11)."""
    k = k_1 + k_2
    h = entropy([k_1 / k, k_2 / k])
    return -k * h - math.log(k + 1) + 0.5 * math.log(2 * math.pi * k_1 * k_2) - 0.5 * math.log(k)


def test_stirling():
    """(10), where the binomial coefficient is taken from the K2 score by (9)."""
    for n, m in ((50, 20), (500, 200), (5000, 2000)):
        score = dw.score(dw.Dag(nodes=["x"]), table_of([m, n - m]), score=dw.K2())
        log_binomial = -score - math.log(n + 1)
        exact = math.log(math.comb(n, m))
        assert log_binomial == pytest.approx(exact, rel=1e-11)
        stirling = n * entropy([m / n, 1 - m / n]) + 0.5 * math.log(n / (2 * math.pi * m * (n - m)))
        error = 1 / (12 * m) + 1 / (12 * (n - m)) - 1 / (12 * n)  # its next term
        assert stirling - exact == pytest.approx(error, rel=0.02)


def test_marginal_likelihood_by_stirling():
    """The display after (10), and its logarithm (11): right to O(1 / K)."""
    for k in (50, 500, 5000):
        k_1, k_2 = 2 * k // 5, 3 * k // 5
        score = dw.score(dw.Dag(nodes=["x"]), table_of([k_1, k_2]), score=dw.K2())
        display = (
            1
            / (k + 1)
            * math.exp(-k * entropy([0.4, 0.6]) - score)
            * math.sqrt(2 * math.pi * k_1 * k_2 / k)
        )
        assert display == pytest.approx(1, abs=1 / k)
        assert score == pytest.approx(log_p_by_stirling(k_1, k_2), abs=1 / k)


def test_likelihood_score_of_one_variable():
    """(12): K(1) ln(K(1)/K) + K(2) ln(K(2)/K) = -K H(x)."""
    score = dw.score(dw.Dag(nodes=["x"]), table_of([30, 70]), score=LL)
    assert score == pytest.approx(30 * math.log(0.3) + 70 * math.log(0.7), rel=1e-12)
    assert score == pytest.approx(-100 * entropy([0.3, 0.7]), rel=1e-12)


def test_bayesian_score_loses_half_a_logarithm():
    """(11) less (12) is -(ln K) / 2 + O(1): the same constant for every K."""
    dag = dw.Dag(nodes=["x"])
    constants = []
    for k in (100, 1000, 10000):
        table = table_of([3 * k // 10, 7 * k // 10])
        gap = dw.score(dag, table, score=dw.K2()) - dw.score(dag, table, score=LL)
        constants.append(gap + 0.5 * math.log(k))
    limit = 0.5 * math.log(2 * math.pi * 0.3 * 0.7)
    assert constants[-1] == pytest.approx(limit, abs=2e-4)
    assert abs(constants[1] - limit) < abs(constants[0] - limit) / 5


def test_parameters_of_two_nodes():
    """23.2.2: M numbers for x and M for y; with the edge M for y in each state of x."""
    table = table_of([[6, 3, 2], [2, 7, 1], [4, 4, 5]])
    without, with_edge = dw.fit(EMPTY, table, dw.K2()), dw.fit(EDGE, table, dw.K2())
    assert without.table("y").probabilities.shape == (3,)
    assert with_edge.table("y").probabilities.shape == (3, 3)
    assert np.allclose(with_edge.table("y").probabilities.sum(axis=1), 1)
    assert without.n_parameters == 2 * (3 - 1)
    assert with_edge.n_parameters == (3 - 1) + 3 * (3 - 1)


def test_marginal_likelihood_without_edge():
    """23.2.2, G0: an integral for x times an integral for y."""
    counts = np.array([[6, 3], [2, 7]])
    x, y = counts.sum(axis=1), counts.sum(axis=0)
    integrals = bernoulli_integral(x[1], x[0]) * bernoulli_integral(y[1], y[0])
    score = dw.score(EMPTY, table_of(counts), score=dw.K2())
    assert score == pytest.approx(math.log(integrals), rel=1e-9)


def test_marginal_likelihood_with_edge():
    """23.2.2, G1: the same for x, then one integral for y in each state of x (here three)."""
    counts = np.array([[6, 3], [2, 7], [4, 4]])
    table = table_of(counts)
    of_x = dirichlet_marginal(counts.sum(axis=1), 1.0)
    of_y = sum(math.log(bernoulli_integral(row[1], row[0])) for row in counts)
    scorer = dw.Scorer(table, dw.K2())
    assert scorer.local("x") == pytest.approx(of_x, rel=1e-12)
    assert scorer.local("y", ["x"]) == pytest.approx(of_y, rel=1e-9)
    assert dw.score(EDGE, table, score=dw.K2()) == pytest.approx(of_x + of_y, rel=1e-9)


def test_only_the_second_factors_differ():
    """23.2.2: with the same prior for x, G0 and G1 differ by the factor of y alone."""
    table = pair()
    scorer = dw.Scorer(table, dw.K2())
    difference = dw.score(EDGE, table, score=dw.K2()) - dw.score(EMPTY, table, score=dw.K2())
    y = counts_of(table, ["y"])
    without = math.log(bernoulli_integral(y[1], y[0]))
    with_edge = sum(math.log(bernoulli_integral(row[1], row[0])) for row in PAIR_COUNTS)
    assert difference == pytest.approx(with_edge - without, rel=1e-9)
    assert scorer.gains("y")["x"] == pytest.approx(difference, rel=1e-12)


def expected_rows(n, strength):
    """What n rows are expected to be: weights on the four cells, which need not be whole."""
    p = np.array([1 + strength, 1 - strength, 1 - strength, 1 + strength]) / 4
    return dw.Table({"x": [0, 0, 1, 1], "y": [0, 1, 0, 1]}, weights=n * p)


STRENGTHS = (0.1, 0.2, 0.4)


def expected_gain(n, strength):
    """By hand: the factor of y in each state of x, less the one factor of y without the edge."""
    high, low = n * (1 + strength) / 4, n * (1 - strength) / 4
    each = 2 * dirichlet_marginal(np.array([high, low]), 1.0)
    return each - dirichlet_marginal(np.array([n / 2, n / 2]), 1.0)


def test_the_transition():
    """23.2.2: few rows want no edge, more rows want it; the stronger it is, the sooner."""
    turns = []
    for strength in STRENGTHS:
        gains = {
            n: dw.Scorer(expected_rows(n, strength), dw.K2()).gains("y")["x"]
            for n in (1, *range(2, 600, 2))
        }
        by_hand = [expected_gain(n, strength) for n in gains]
        assert list(gains.values()) == pytest.approx(by_hand, abs=1e-9)
        assert gains[1] < 0 < gains[598]
        turns.append(min(n for n, gain in gains.items() if gain > 0))
    assert turns[0] > turns[1] > turns[2]
    # Provided that they depend on each other: if not, the edge only becomes dearer.
    none = [dw.Scorer(expected_rows(n, 0.0), dw.K2()).gains("y")["x"] for n in (2, 20, 200, 2000)]
    assert all(b < a < 0 for a, b in itertools.pairwise(none))


def test_rows_needed_moves_with_the_strength():
    """The same by the library's forecast: where half of all data sets want the edge."""
    rng = np.random.default_rng(37)
    needed = []
    for strength in STRENGTHS:
        p = np.array([[1 + strength, 1 - strength], [1 - strength, 1 + strength]]) / 4
        table = expected_rows(600, strength)
        got = dw.rows_needed(table, "x", "y", strength=mutual_information(p))
        needed.append(got)
        # By hand: the share of drawn data sets that want it, at half as many rows, there, at twice.
        shares = []
        for n in (int(got.bic) // 2, int(got.bic), 2 * int(got.bic)):
            drawn = rng.multinomial(n, p.ravel(), size=3000).reshape(-1, 2, 2) / n
            product = drawn.sum(axis=2, keepdims=True) * drawn.sum(axis=1, keepdims=True)
            with np.errstate(divide="ignore", invalid="ignore"):
                logs = np.where(drawn > 0, drawn * np.log(drawn / product), 0.0)
            shares.append((n * logs.sum(axis=(1, 2)) > 0.5 * math.log(n)).mean())
        assert shares[0] < 0.5 + 0.03 * (strength == 0.4)  # of 8 rows there are few data sets
        assert shares[1] == pytest.approx(0.5, abs=0.06)
        assert shares[2] > 0.65
    for first, second in itertools.pairwise(needed):
        assert first.bic > second.bic
        assert first.bdeu > second.bdeu


@pytest.mark.parametrize("dag", [EMPTY, EDGE], ids=["no edge", "edge"])
def test_bic_is_the_bayesian_score_to_a_constant(dag):
    """23.2.3: log p(D | G) - (LL - (ln K / 2) dim G) stays while K grows."""
    gaps = []
    for times in (1, 10, 100, 1000):
        table = table_of(PAIR_COUNTS * times)
        bic = dw.score(dag, table, score=dw.BIC())
        by_hand = times * log_likelihood(dag, pair())
        parameters = 2 if dag == EMPTY else 3
        assert bic == pytest.approx(by_hand - 0.5 * math.log(70 * times) * parameters, rel=1e-12)
        gaps.append(dw.score(dag, table, score=dw.K2()) - bic)
    assert abs(gaps[3] - gaps[2]) < 1e-3
    assert abs(gaps[3] - gaps[0]) < 0.2


def test_likelihood_grows_with_the_rows_and_the_price_with_their_logarithm():
    """23.2.3: the first term is linear in K, the second logarithmic."""
    parts = [dw.Scorer(table_of(PAIR_COUNTS * k), dw.BIC()).decompose(EDGE) for k in (1, 100)]
    fits = [own.total("fit") - own.total("entropy") for own in parts]
    assert fits[0] == pytest.approx(log_likelihood(EDGE, pair()), rel=1e-12)
    assert fits[1] == pytest.approx(100 * fits[0], rel=1e-12)
    prices = [own.total("complexity") for own in parts]
    assert prices[1] - prices[0] == pytest.approx(-1.5 * math.log(100), rel=1e-12)


def test_the_true_class_wins_with_enough_rows():
    """23.2.3: with many rows the best graph is equivalent to the one that made them."""
    model = dw.BayesNet(
        CHAIN,
        {"x": [0.4, 0.6], "y": [[0.8, 0.2], [0.3, 0.7]], "z": [[0.9, 0.1], [0.4, 0.6]]},
    )
    rows = model.sample(20000, seed=1)
    for score in (dw.BIC(), dw.K2(), dw.BDeu(1)):
        best = max(dw.all_dags(NAMES), key=lambda dag, s=score: dw.score(dag, rows, score=s))
        assert best.cpdag() == CHAIN.cpdag()


def test_a_graph_that_the_prior_rules_out_is_never_found():
    """23.2.3, its condition: what has probability 0 before the rows has it after, however many."""
    impossible = dw.Constraints(forbidden=[("x", "y"), ("y", "x")])  # p(G) = 0 for these
    for times in (1, 1000):
        table = table_of(PAIR_COUNTS * times)
        # By hand: p(D | G) p(G) of the three graphs; with equal p(G) an edge is all but certain.
        logs = {dag: log_marginal(dag, table, ones) for dag in dw.all_dags(["x", "y"])}
        weights = {dag: math.exp(own - max(logs.values())) for dag, own in logs.items()}
        free = dw.exact_posterior(table, dw.K2()).edge_probabilities()
        wanted = 1 - weights[EMPTY] / sum(weights.values())
        assert free["x", "y"] + free["y", "x"] == pytest.approx(wanted, abs=1e-9)
        assert wanted > 0.99
        ruled_out = dw.exact_posterior(table, dw.K2(), constraints=impossible)
        assert ruled_out.edge_probabilities()["x", "y"] == 0
        found = dw.learn(table, score=dw.K2(), constraints=impossible, search=dw.ExactDP())
        assert found.dag == EMPTY
        assert found.score == pytest.approx(logs[EMPTY], rel=1e-12)
