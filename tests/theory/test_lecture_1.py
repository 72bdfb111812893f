"""Lecture 1, "Structure learning 2" (slides): every formula, by the library and by hand."""

import itertools
import math

import numpy as np
import pytest
from scipy.special import gamma
from scipy.stats import beta

import dagwright as dw
from theory.by_hand import (
    EDGE,
    EMPTY,
    PAIR_COUNTS,
    bernoulli_integral,
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
CHAIN = dw.Dag([("x", "y"), ("y", "z")])
COIN = dw.Dag(nodes=["x"])


def test_operators_and_cycles():
    """Slides 3-4: add, remove, reverse; what closes a cycle is refused."""
    assert dw.Dag(nodes=NAMES).add("x", "y").edges == (("x", "y"),)
    assert CHAIN.remove("x", "y").edges == (("y", "z"),)
    assert CHAIN.reverse("x", "y").edges == (("y", "x"), ("y", "z"))
    with pytest.raises(dw.GraphError):
        CHAIN.add("z", "x")
    # Of the empty graph over three nodes 6 additions; of the chain 1 addition (x -> z), 2 removals,
    # 2 reversals.
    assert len(neighbours(dw.Dag(nodes=NAMES))) == 6
    assert len(neighbours(CHAIN)) == 5


def test_a_search_starts_without_edges_or_anywhere():
    """Slide 3: the first state is the empty graph, or one drawn by chance."""
    table = some_rows(4, 200, seed=7)
    scorer = dw.Scorer(table)
    firsts = set()
    for start, seed in (("empty", 1), ("random", 1), ("random", 2), ("random", 3)):
        found = dw.learn(table, search=dw.HillClimb(start=start), seed=seed)
        assert all(scorer.score(dag) <= found.score + 1e-9 for dag in neighbours(found.dag))
        # Where it came from: all its steps taken back.
        dag = found.dag
        for step in reversed(found.trace):
            back = {"add": dag.remove, "remove": dag.add}.get(step.operator)
            dag = back(step.start, step.end) if back else dag.reverse(step.end, step.start)
        assert found.score - sum(step.gain for step in found.trace) == pytest.approx(
            scorer.score(dag), rel=1e-10
        )
        assert (dag.edges == ()) == (start == "empty")
        firsts.add(dag)
    assert len(firsts) == 4


def test_greedy_search_takes_the_best_neighbour_until_none_is_better():
    """Slide 6, step by step against all neighbours."""
    table = some_rows(4, 200, seed=7)
    scorer = dw.Scorer(table)
    result = dw.learn(scorer, search=dw.HillClimb())
    dag = dw.Dag(nodes=table.names)

    def by_hand(own):
        return log_likelihood(own, table) - 0.5 * math.log(200) * dim(own, table.n_states)

    for step in result.trace:
        best = max(by_hand(other) for other in neighbours(dag))
        assert step.score == pytest.approx(best, rel=1e-12)
        change = {"add": dag.add, "remove": dag.remove, "reverse": dag.reverse}[step.operator]
        dag = change(step.start, step.end)
    assert dag == result.dag
    assert all(by_hand(other) <= result.score + 1e-9 for other in neighbours(dag))


def test_tricks_out_of_local_optima():
    """Slide 6: the climb alone stops below the best of all graphs; each trick gets there."""
    table = some_rows(5, 150, seed=40, n_states=3)
    best = dw.learn(table, search=dw.ExactDP()).score
    climb = dw.learn(table, search=dw.HillClimb()).score
    assert climb < best - 1e-6
    tricks = [
        dw.HillClimb(restarts=50),
        dw.Anneal(restarts=3),
        dw.Tabu(patience=200, restarts=5),
        dw.Perturb(rounds=20, restarts=10),
    ]
    for trick in tricks:
        found = dw.learn(table, search=trick, seed=1).score
        assert found == pytest.approx(best, rel=1e-12)


def test_likelihood_score():
    """Slide 8: the log-likelihood at the maximum likelihood parameters."""
    table = three()
    for dag in dw.all_dags(NAMES):
        at_best = dw.fit(dag, table, "ml").log_likelihood(table)
        assert dw.score(dag, table, score=LL) == pytest.approx(at_best, rel=1e-12)
        assert at_best == pytest.approx(log_likelihood(dag, table), rel=1e-12)


def test_counts_are_rows_times_empirical_probabilities():
    """Slide 9: M[x, y] = M p(x, y), and the estimates are p(y | x) and p(y)."""
    table = pair()
    family = dw.Scorer(table).counts("y", ["x"])
    assert family.table().tolist() == PAIR_COUNTS.tolist()
    assert np.allclose(family.table(), 70 * empirical(table, ["x", "y"]))
    with_edge = dw.fit(EDGE, table, "ml").table("y").probabilities
    assert np.allclose(with_edge, [[30 / 40, 10 / 40], [5 / 30, 25 / 30]], rtol=1e-14)
    alone = dw.fit(EMPTY, table, "ml").table("y").probabilities
    assert np.allclose(alone, [35 / 70, 35 / 70], rtol=1e-14)


def test_mutual_information_from_counts():
    """Slide 10, with the M that its second line needs inside the logarithm."""
    table = pair()
    rows, m = PAIR_COUNTS, PAIR_COUNTS.sum()
    by_counts = (
        sum(
            rows[x, y] * math.log(m * rows[x, y] / (rows[x].sum() * rows[:, y].sum()))
            for x, y in np.ndindex(2, 2)
        )
        / m
    )
    assert mutual_information(rows / m) == pytest.approx(by_counts, rel=1e-12)
    assert dw.mutual_information(table, "x", "y") == pytest.approx(by_counts, rel=1e-12)


def test_claim_information_less_entropies():
    """Slide 11."""
    table = three()
    for dag in dw.all_dags(NAMES):
        claim = 60 * sum(
            mutual_information(with_parents(table, node, dag.parents(node)))
            - entropy(empirical(table, [node]))
            for node in NAMES
        )
        assert dw.score(dag, table, score=LL) == pytest.approx(claim, rel=1e-12)


def test_proof_sums_over_families_configurations_and_states():
    """Slide 12: sum over i, u, x of M[x, u] log theta, with the fitted theta."""
    table = three()
    model = dw.fit(CHAIN, table, "ml")
    total = 0.0
    for node in NAMES:
        counts = counts_of(table, [*CHAIN.parents(node), node])
        theta = model.table(node).probabilities
        total += float((counts * np.log(theta)).sum())
    assert dw.score(CHAIN, table, score=LL) == pytest.approx(total, rel=1e-12)


def test_one_family_of_the_proof():
    """Slide 13: each family is I - H a row; I is 0 without parents."""
    table = three()
    for family in dw.Scorer(table, LL).decompose(CHAIN).families:
        p = with_parents(table, family.child, family.parents)
        assert family.fit / 60 == pytest.approx(mutual_information(p), abs=1e-12)
        assert family.entropy / 60 == pytest.approx(entropy(p.sum(axis=1)), rel=1e-12)
        if not family.parents:
            assert family.fit == 0


def test_only_the_information_depends_on_the_graph():
    """Slide 14: two graphs differ by their information alone."""
    table = three()
    scorer = dw.Scorer(table, LL)
    first, second = scorer.decompose(CHAIN), scorer.decompose(dw.Dag(nodes=NAMES))
    assert first.total("entropy") == second.total("entropy")
    gap = first.total() - second.total()
    assert gap == pytest.approx(first.total("fit") - second.total("fit"), rel=1e-12)


def conditional_information(table, x, others, given):
    """I(x; others | given) from four entropies of empirical joints."""

    def h(names):
        return entropy(empirical(table, list(names))) if names else 0.0

    return h([x, *given]) + h([*others, *given]) - h([x, *others, *given]) - h(given)


def test_markov_violations():
    """Slide 15, with the minus before the joint entropy, along a topological order."""
    table = three()
    joint = entropy(empirical(table, NAMES))
    for dag in dw.all_dags(NAMES):
        order = dag.topological_order()
        violations = {
            node: conditional_information(
                table,
                node,
                [own for own in order[:place] if own not in dag.parents(node)],
                list(dag.parents(node)),
            )
            for place, node in enumerate(order)
        }
        got = dw.markov_violations(dag, table)
        assert {own.node: own.information for own in got.nodes} == pytest.approx(
            violations, abs=1e-10
        )
        assert got.total == pytest.approx(sum(violations.values()), abs=1e-10)
        assert got.joint_entropy == pytest.approx(joint, rel=1e-12)
        assert got.log_likelihood == pytest.approx(
            -60 * (joint + sum(violations.values())), rel=1e-12
        )
        assert got.log_likelihood == pytest.approx(dw.score(dag, table, score=LL), rel=1e-12)


def test_fewer_violations_larger_score():
    """Slide 15: the graph that made the rows violates least among those with as many edges."""
    model = dw.BayesNet(
        CHAIN, {"x": [0.4, 0.6], "y": [[0.9, 0.1], [0.2, 0.8]], "z": [[0.7, 0.3], [0.1, 0.9]]}
    )
    rows = model.sample(5000, seed=2)
    joint = entropy(empirical(rows, list(NAMES)))
    totals, scores = {}, {}
    for dag in dw.all_dags(NAMES):
        scores[dag] = log_likelihood(dag, rows)
        totals[dag] = dw.markov_violations(dag, rows).total
        # By hand: what the likelihood lacks to the joint entropy of the rows.
        assert totals[dag] == pytest.approx(-scores[dag] / 5000 - joint, abs=1e-9)
    two_edges = [dag for dag in scores if len(dag.edges) == 2]
    best = min(two_edges, key=totals.__getitem__)
    assert best.cpdag() == CHAIN.cpdag()
    wrong = [dag for dag in two_edges if dag.cpdag() != CHAIN.cpdag()]
    assert all(totals[CHAIN] < totals[dag] - 0.01 for dag in wrong)
    assert all(scores[CHAIN] > scores[dag] + 50 for dag in wrong)


def test_never_prefers_the_simpler_network():
    """Slide 16."""
    for seed in range(20):
        table = some_rows(2, 25, seed)
        empty, edge = dw.Dag(nodes=["a", "b"]), dw.Dag([("a", "b")])
        gap = dw.score(edge, table, score=LL) - dw.score(empty, table, score=LL)
        information = mutual_information(empirical(table, ["a", "b"]))
        assert gap == pytest.approx(25 * information, abs=1e-9)
        assert gap >= -1e-12


def test_independent_variables_get_an_edge_from_noise():
    """Slide 17: of 50 samples of independent coins the likelihood joins nearly all."""
    rng = np.random.default_rng(17)
    joined = 0
    for _ in range(50):
        table = dw.Table({"a": rng.integers(2, size=101), "b": rng.integers(2, size=101)})
        joined += len(dw.learn(table, score=LL, search=dw.HillClimb()).dag.edges)
    assert joined >= 48


def test_a_conditional_independence_must_hold_exactly():
    """Slide 17: the likelihood leaves an edge out only if the rows obey it to the last row."""
    complete = dw.Dag([("x", "y"), ("x", "z"), ("y", "z")])
    exact = np.empty((2, 2, 2), dtype=int)
    exact[:, 0, :] = np.outer([4, 6], [5, 10])  # x and z given y = 0, and given y = 1
    exact[:, 1, :] = np.outer([9, 3], [2, 8])
    for extra in (0, 1):
        counts = exact.copy()
        counts[0, 0, 0] += extra
        table = table_of(counts)
        n = int(counts.sum())
        lack = n * conditional_information(table, "x", ["z"], ["y"])
        gap = dw.score(complete, table, score=LL) - dw.score(CHAIN, table, score=LL)
        assert gap == pytest.approx(lack, abs=1e-9)
        assert (gap > 1e-6) == (extra == 1)
        # BIC leaves it out in both.
        price = 2 * 0.5 * math.log(n)
        bic = dw.score(complete, table, score=dw.BIC()) - dw.score(CHAIN, table, score=dw.BIC())
        assert bic == pytest.approx(lack - price, abs=1e-9)
        assert bic < 0


def test_likelihood_overfits():
    """Slide 17: the graph it learns is complete, and worse than BIC's on rows it has not seen."""
    rows = some_rows(5, 5000, seed=3)
    train, unseen = rows.take(range(100)), rows.take(range(100, 5000))
    held_out = []
    for score in (LL, dw.BIC()):
        found = dw.learn(train, score=score, search=dw.ExactDP())
        model = dw.fit(found.dag, train, dw.K2())
        by_row = [math.log(own) for own in probabilities(model, unseen)]
        assert model.log_likelihood(unseen) == pytest.approx(sum(by_row), rel=1e-9)
        held_out.append(model.log_likelihood(unseen))
        assert (len(found.dag.edges) == 10) == (score == LL)
    assert held_out[0] < held_out[1] - 50


def test_the_path_of_the_likelihood():
    """Slide 17: edge by edge the fit rises to the complete graph; what counts turns before."""
    table = some_rows(5, 300, seed=3)
    path = dw.overfitting(table, held_out=0.5, seed=1)
    fits = [step.log_likelihood for step in path.steps]
    assert [step.n_edges for step in path.steps] == list(range(11))
    assert all(b >= a - 1e-12 for a, b in itertools.pairwise(fits))
    for step in path.steps:  # in nats a row
        dag = path.dag(step.n_edges)
        price = 0.5 * math.log(path.n_training) * dim(dag, table.n_states)
        assert step.bic == pytest.approx(step.log_likelihood - price / path.n_training, rel=1e-10)
    for own in ("bic", "bdeu", "held_out"):
        assert path.best(own).n_edges < 10
    assert path.best("held_out").held_out > path.steps[-1].held_out
    # By hand on all rows: the graph of the last step has the highest likelihood there is.
    last = path.dag(10)
    assert log_likelihood(last, table) == pytest.approx(
        -300 * entropy(empirical(table, list(table.names))), rel=1e-12
    )


def probabilities(model, table):
    """Of each row, as a product of the entries of the tables."""
    codes = dict(zip(table.names, table.codes, strict=True))
    product = np.ones(len(table))
    for node in model.names:
        place = tuple(codes[name] for name in (*model.table(node).parents, node))
        product *= model.table(node).probabilities[place]
    return product


def test_two_priors():
    """Slide 19: one over structures, one over parameters; each changes the score on its own."""
    table = pair()
    base = dw.score(EDGE, table, score=dw.Dirichlet(1.0))
    other_parameters = dw.score(EDGE, table, score=dw.Dirichlet(3.0))
    other_structure = dw.score(
        EDGE, table, score=dw.Dirichlet(1.0), structure_prior=dw.EdgePenalty(0.1)
    )
    assert other_parameters == pytest.approx(log_marginal(EDGE, table, lambda r, q: 3.0), rel=1e-12)
    assert other_structure - base == pytest.approx(math.log(0.1), rel=1e-12)


def test_posterior_is_proportional_to_likelihood_times_prior():
    """Slide 20: p(G | D) = p(D | G) p(G) / p(D), with p(G) = c^edges, by summing all graphs."""
    table = pair()
    weights = {
        dag: math.exp(log_marginal(dag, table, ones)) * 0.2 ** len(dag.edges)
        for dag in dw.all_dags(["x", "y"])
    }
    posterior = dw.exact_posterior(table, dw.K2(), structure_prior=dw.EdgePenalty(0.2))
    by_hand = weights[EDGE] / sum(weights.values())
    assert posterior.edge_probabilities()["x", "y"] == pytest.approx(by_hand, abs=1e-9)


def test_bayesian_score_of_the_slides():
    """Slide 20: score_B = log P(D | G) + log P(G)."""
    table = three()
    for dag in dw.all_dags(NAMES):
        score = dw.score(dag, table, score=dw.K2(), structure_prior=dw.EdgePenalty(0.3))
        by_hand = log_marginal(dag, table, ones) + len(dag.edges) * math.log(0.3)
        assert score == pytest.approx(by_hand, rel=1e-12)


def test_marginal_likelihood_is_an_expected_likelihood():
    """Slides 20-21: the mean of p(D | theta) over theta drawn from the prior."""
    counts = [6, 4]
    theta = np.random.default_rng(0).beta(1, 1, 200_000)
    mean = np.mean(theta ** counts[1] * (1 - theta) ** counts[0])
    score = dw.score(COIN, table_of(counts), score=dw.K2())
    assert math.exp(score) == pytest.approx(mean, rel=0.01)
    # The likelihood score commits to one value instead, and is larger.
    assert dw.score(COIN, table_of(counts), score=LL) > score


def test_maximum_likelihood_value_of_a_coin():
    """Slide 22: (M[1]/M)^M[1] (M[0]/M)^M[0]."""
    score = dw.score(COIN, table_of([3, 7]), score=LL)
    assert math.exp(score) == pytest.approx(0.7**7 * 0.3**3, rel=1e-12)


@pytest.mark.parametrize(("heads", "tails", "a", "b"), [(7, 3, 1, 1), (2, 0, 0.5, 2), (5, 9, 3, 4)])
def test_marginal_likelihood_of_a_coin(heads, tails, a, b):
    """Slides 23-26, read with theta inside the integrals: the integral, and its closed form."""
    score = dw.score(
        COIN, table_of([tails, heads]), score=dw.Dirichlet({("x", ()): np.array([b, a])})
    )
    assert score == pytest.approx(math.log(bernoulli_integral(heads, tails, a, b)), rel=1e-9)
    closed = (
        gamma(a + b)
        / gamma(a + b + heads + tails)
        * (gamma(a + heads) / gamma(a))
        * (gamma(b + tails) / gamma(b))
    )
    assert math.exp(score) == pytest.approx(closed, rel=1e-12)


def test_beta_density_integrates_to_one():
    """Slide 24: so the integral of the powers is Gamma Gamma / Gamma."""
    a, b, heads, tails = 2.0, 3.0, 4, 6
    integral = bernoulli_integral(heads, tails, a, b) * beta_function(a, b)
    assert integral == pytest.approx(beta_function(a + heads, b + tails), rel=1e-10)
    # The library's p(D) is this integral by the prior's constant.
    log_p = dw.BetaPosterior(a, b).log_marginal_likelihood(heads, tails)
    assert math.exp(log_p) * beta_function(a, b) == pytest.approx(integral, rel=1e-10)
    # The library's posterior of the coin is the Beta density that integrates to one.
    prior = dw.Dirichlet({("x", ()): np.array([b, a])})
    table = dw.fit(COIN, table_of([tails, heads]), prior).table("x")
    low, high = table.interval(0.8)
    mass = beta.cdf(high[1], a + heads, b + tails) - beta.cdf(low[1], a + heads, b + tails)
    assert mass == pytest.approx(0.8, rel=1e-9)


def beta_function(a, b):
    return gamma(a) * gamma(b) / gamma(a + b)


def test_gamma_recursion():
    """Slide 25: Gamma(1) = 1, Gamma(x + 1) = x Gamma(x); one more head multiplies p(D) so."""
    assert gamma(1) == 1
    assert gamma(4.7) == pytest.approx(3.7 * gamma(3.7), rel=1e-12)
    assert gamma(7) == pytest.approx(math.factorial(6), rel=1e-12)
    before = dw.score(COIN, table_of([3, 4]), score=dw.K2())
    after = dw.score(COIN, table_of([3, 5]), score=dw.K2())
    assert math.exp(after - before) == pytest.approx((1 + 4) / (2 + 7), rel=1e-12)


def test_multinomial_marginal_likelihood():
    """Slide 26: Gamma(alpha)/Gamma(alpha + M) times the product over values."""
    counts, alpha = np.array([5, 0, 2, 8]), np.array([0.5, 1.0, 2.0, 0.25])
    product = gamma(alpha.sum()) / gamma(alpha.sum() + 15)
    for own, n in zip(alpha, counts, strict=True):
        product *= gamma(own + n) / gamma(own)
    score = dw.score(COIN, table_of(counts), score=dw.Dirichlet({("x", ()): alpha}))
    assert math.exp(score) == pytest.approx(product, rel=1e-12)


def quarters(first, second):
    """The shares of draws in the 16 cells that the quartiles of two numbers make."""
    cells = [np.searchsorted(np.quantile(own, (0.25, 0.5, 0.75)), own) for own in (first, second)]
    return np.bincount(4 * cells[0] + cells[1], minlength=16) / len(first)


def test_global_parameter_independence():
    """Slide 27: draws of the posterior of one table say nothing about those of another."""
    table = three()
    draws = dw.fit(CHAIN, table, dw.K2()).sample_parameters(4000, seed=1)
    first = np.array([draw.table("x").probabilities[1] for draw in draws])
    second = np.array([draw.table("y").probabilities[0, 1] for draw in draws])
    assert np.abs(quarters(first, second) - 1 / 16).max() < 0.015
    # Each on its own is the Beta distribution of its counts, by hand.
    for own, counts in ((first, (30, 30)), (second, (9, 21))):
        wanted = beta(1 + counts[0], counts[1] + (1 if own is first else 2))
        assert own.mean() == pytest.approx(wanted.mean(), abs=4 * wanted.std() / 60)
        assert own.std() == pytest.approx(wanted.std(), rel=0.06)
    # So each family's factor depends on its own counts alone.
    changed = table_of(counts_of(table, NAMES)[:, :, ::-1])
    assert dw.Scorer(changed, dw.K2()).local("y", ["x"]) == dw.Scorer(table, dw.K2()).local(
        "y", ["x"]
    )


def test_local_parameter_independence():
    """Slide 28: theta_{Y|x0} and theta_{Y|x1} do not affect each other."""
    table = pair()
    fitted = dw.fit(EDGE, table, dw.K2())
    draws = fitted.sample_parameters(4000, seed=2)
    rows = np.array([draw.table("y").probabilities[:, 1] for draw in draws])
    assert np.abs(quarters(rows[:, 0], rows[:, 1]) - 1 / 16).max() < 0.015
    # Rows with x = 0 change only the distribution of y given x = 0.
    more = fitted.update(dw.Table({"x": [0] * 9, "y": [1] * 9}))
    before, after = fitted.table("y").probabilities, more.table("y").probabilities
    assert np.array_equal(before[1], after[1])
    assert np.allclose(before, [[31 / 42, 11 / 42], [6 / 32, 26 / 32]], rtol=1e-12)
    assert np.allclose(after[0], [31 / 51, 20 / 51], rtol=1e-12)


def test_likelihood_without_edge_is_a_product_over_rows_and_variables():
    """Slide 29, step 1: p(D | theta_X, theta_Y, G0)."""
    table = pair()
    model = dw.BayesNet(EMPTY, {"x": [0.3, 0.7], "y": [0.6, 0.4]})
    by_hand = sum(
        math.log([0.3, 0.7][x]) + math.log([0.6, 0.4][y]) for x, y in zip(*table.codes, strict=True)
    )
    assert model.log_likelihood(table) == pytest.approx(by_hand, rel=1e-12)


def test_marginal_likelihood_without_edge_is_two_integrals():
    """Slides 29-30: a term for X times a term for Y."""
    counts = np.array([[4, 6], [3, 2]])
    term_x = bernoulli_integral(5, 10)
    term_y = bernoulli_integral(8, 7)
    score = dw.score(EMPTY, table_of(counts), score=dw.K2())
    assert score == pytest.approx(math.log(term_x * term_y), rel=1e-9)


def test_marginal_likelihood_with_edge_is_three_integrals():
    """Slides 31-33: X, Y given x0, Y given x1; each has the closed form."""
    counts = np.array([[4, 6], [3, 2]])
    terms = [bernoulli_integral(5, 10), bernoulli_integral(6, 4), bernoulli_integral(2, 3)]
    closed = [dirichlet_marginal(own, 1.0) for own in ([10, 5], [4, 6], [3, 2])]
    score = dw.score(EDGE, table_of(counts), score=dw.K2())
    assert score == pytest.approx(sum(map(math.log, terms)), rel=1e-9)
    assert score == pytest.approx(sum(closed), rel=1e-12)


def test_general_case_is_a_product_over_families_and_configurations():
    """Slide 34: an integral for each family, which is one for each configuration."""
    counts = np.array([[[3, 1], [2, 4]], [[1, 5], [2, 2]]])
    table = table_of(counts)
    dag = dw.Dag([("x", "z"), ("y", "z")], nodes=NAMES)
    of_z = sum(
        math.log(bernoulli_integral(counts[x, y, 1], counts[x, y, 0])) for x, y in np.ndindex(2, 2)
    )
    of_x, of_y = (
        math.log(bernoulli_integral(own[1], own[0]))
        for own in (counts.sum(axis=(1, 2)), counts.sum(axis=(0, 2)))
    )
    scorer = dw.Scorer(table, dw.K2())
    assert scorer.local("z", ["x", "y"]) == pytest.approx(of_z, rel=1e-9)
    assert scorer.score(dag) == pytest.approx(of_x + of_y + of_z, rel=1e-9)


@pytest.mark.parametrize(
    ("score", "alpha"),
    [
        (dw.K2(), ones),
        (dw.BDeu(3), lambda r, q: 3 / (r * q)),
        (dw.Dirichlet(0.4), lambda r, q: 0.4),
    ],
    ids=["K2", "BDeu", "Dirichlet"],
)
def test_dirichlet_score_of_a_network(score, alpha):
    """Slide 35, with Gamma(alpha + M[x, u]) in the numerator, for every graph of three nodes."""
    table = three()
    for dag in dw.all_dags(NAMES):
        assert dw.score(dag, table, score=score) == pytest.approx(
            log_marginal(dag, table, alpha), rel=1e-12
        )


def test_hyperparameters_of_a_configuration_add_up():
    """Slide 35: alpha_{x|u} is the sum over the states; for BDeu it is ess / q, in all ess."""
    table = three()
    alpha = dw.BDeu(3).hyperparameters("z", ("x", "y"), table.n_states)
    assert float(alpha) == pytest.approx(3 / (2 * 2 * 3))
    prior = dw.BDe(np.full((2, 3, 2), 1 / 12), NAMES, ess=3)
    full = prior.hyperparameters("z", ("x", "y"), table.n_states)
    assert np.allclose(full.sum(axis=-1), 3 / 6)
    assert full.sum() == pytest.approx(3)


@pytest.mark.parametrize("dag", [EMPTY, EDGE], ids=["no edge", "edge"])
def test_large_sample_approximation(dag):
    """Slide 37: log P(D | G) = l - (log M / 2) Dim + O(1)."""
    gaps = []
    for times in (1, 30, 900):
        table = table_of(PAIR_COUNTS * times)
        approximation = dw.score(dag, table, score=LL) - 0.5 * math.log(70 * times) * dim(
            dag, table.n_states
        )
        gaps.append(dw.score(dag, table, score=dw.BDeu(1)) - approximation)
    assert abs(gaps[2] - gaps[1]) < 0.01
    assert abs(gaps[0]) < 3


def test_bic_and_description_length():
    """Slide 38: fit less complexity; -BIC / ln 2 is a number of bits."""
    table = three()
    bic = dw.score(CHAIN, table, score=dw.BIC())
    parameters = 1 + 2 * 2 + 3 * 1
    assert dw.fit(CHAIN, table).n_parameters == parameters
    assert bic == pytest.approx(
        log_likelihood(CHAIN, table) - 0.5 * math.log(60) * parameters, rel=1e-12
    )
    # Data: -log2 p of each row. Model: half of log2 M for each parameter.
    model = dw.fit(CHAIN, table, "ml")
    bits = -model.log_likelihoods(table).sum() / math.log(2) + 0.5 * math.log2(60) * parameters
    assert -dw.score(CHAIN, table, score=dw.MDL()) / math.log(2) == pytest.approx(bits, rel=1e-12)


def test_bic_by_information():
    """Slide 39: M sum I - M sum H - (log M / 2) Dim; the entropies are the same for all graphs."""
    table = three()
    for dag in dw.all_dags(NAMES):
        parts = dw.Scorer(table, dw.BIC()).decompose(dag)
        information = sum(
            mutual_information(with_parents(table, node, dag.parents(node))) for node in NAMES
        )
        entropies = sum(entropy(empirical(table, [node])) for node in NAMES)
        price = 0.5 * math.log(60) * dim(dag, table.n_states)
        assert parts.total("fit") == pytest.approx(60 * information, abs=1e-9)
        assert parts.total("complexity") == pytest.approx(-price, rel=1e-12)
        assert parts.total() == pytest.approx(60 * (information - entropies) - price, rel=1e-12)


def test_fit_grows_linearly_and_price_logarithmically():
    """Slide 39: as M grows the score pays more attention to the fit."""
    shares = []
    for times in (1, 10, 100):
        parts = dw.Scorer(table_of(PAIR_COUNTS * times), dw.BIC()).decompose(EDGE)
        assert parts.total("fit") == pytest.approx(
            70 * times * mutual_information(PAIR_COUNTS / 70), rel=1e-12
        )
        shares.append(-parts.total("complexity") / parts.total("fit"))
    assert shares[0] > 5 * shares[1] > 25 * shares[2]


def test_consistency():
    """Slides 40-41: with many rows the true class has the strictly highest score."""
    model = dw.BayesNet(
        dw.Dag([("x", "z"), ("y", "z")], nodes=NAMES),
        {
            "x": [0.5, 0.5],
            "y": [0.4, 0.6],
            "z": [[[0.9, 0.1], [0.5, 0.5]], [[0.6, 0.4], [0.1, 0.9]]],
        },
    )
    true = model.dag.cpdag()
    rows = model.sample(20_000, seed=3)
    for score in (dw.BIC(), dw.BDeu(1)):
        scores = {dag: dw.score(dag, rows, score=score) for dag in dw.all_dags(NAMES)}
        right = [own for dag, own in scores.items() if dag.cpdag() == true]
        wrong = [own for dag, own in scores.items() if dag.cpdag() != true]
        assert min(right) > max(wrong)
        # The largest graphs contain the true one, and lose by their price.
        complete = max(own for dag, own in scores.items() if len(dag.edges) == 3)
        assert 0 < right[0] - complete < 20


def test_consistent_scores_find_the_class():
    """Slides 40-41, with more and more rows: BIC and BDeu find the class, the likelihood never."""
    model = dw.BayesNet(
        CHAIN, {"x": [0.4, 0.6], "y": [[0.8, 0.2], [0.3, 0.7]], "z": [[0.9, 0.1], [0.4, 0.6]]}
    )
    scores = [LL, dw.BIC(), dw.BDeu(1)]
    found = dw.consistency(model, scores=scores, rows=[50, 20_000], repeats=10, seed=1)
    for name in ("bic", "bdeu:ess=1"):
        few, many = found.of(name)
        assert many.found >= 0.9 > few.found
        assert many.margin > max(few.margin, 0)
    few, many = found.of("log-likelihood")
    assert few.found == many.found == 0
    # By hand: the likelihood of the chain lacks N I(x; z | y) to that of the complete graph.
    rows = model.sample(20_000, seed=2)
    complete = dw.Dag([("x", "y"), ("x", "z"), ("y", "z")])
    lack = 20_000 * conditional_information(rows, "x", ["z"], ["y"])
    assert log_likelihood(complete, rows) - log_likelihood(CHAIN, rows) == pytest.approx(
        lack, abs=1e-6
    )
    assert 0 < lack < 2 * 0.5 * math.log(20_000)  # less than BIC's price of the edge


def test_bic_prefers_simple_graphs():
    """Slide 41: BIC leaves out edges that are there and that a p-value sees."""
    rng = np.random.default_rng(41)
    scores = {"bic": dw.BIC(), "ess 1": dw.BDeu(1), "ess 10": dw.BDeu(10), "K2": dw.K2()}
    joined = dict.fromkeys((*scores, "p-value"), 0)
    for _ in range(60):
        a = rng.integers(4, size=80)
        b = np.where(rng.random(80) < 0.35, a, rng.integers(4, size=80))
        table = dw.Table({"a": a, "b": b}, states={"a": range(4), "b": range(4)})
        gains = {name: dw.Scorer(table, score).gains("b")["a"] for name, score in scores.items()}
        information = mutual_information(empirical(table, ["a", "b"]))
        by_hand = 80 * information - 9 * 0.5 * math.log(80)
        assert gains["bic"] == pytest.approx(by_hand, abs=1e-9)
        for name, gain in gains.items():
            joined[name] += gain > 0
        joined["p-value"] += dw.independence(table, "a", "b").p_value < 0.01
    assert joined["p-value"] > 50
    assert joined["bic"] < 20
    assert min(joined["ess 10"], joined["K2"]) > 50
    # Bayesian scores are no better by nature: with ess 1 BDeu leaves out still more.
    assert joined["ess 1"] < joined["bic"]


def test_structure_prior_matters_for_few_rows_only():
    """Slide 42: it stays constant while the data's part grows; so it turns the choice at first."""
    prior = dw.EdgePenalty(0.05)
    wants = {}
    for times in (1, 10):
        table = table_of(np.array([[6, 3], [3, 6]]) * times)
        data = dw.Scorer(table, dw.K2()).gains("y")["x"]
        with_prior = dw.Scorer(table, dw.K2(), structure_prior=prior).gains("y")["x"]
        assert with_prior - data == pytest.approx(math.log(0.05), rel=1e-9)
        wants[times] = (data > 0, with_prior > 0)
    assert wants == {1: (True, False), 10: (True, True)}
    # The data's part is linear in the rows: per row it tends to -H(x) - H(y | x).
    limit = -entropy(np.array([[6, 3], [3, 6]]) / 18)
    for times in (10, 1000):
        table = table_of(np.array([[6, 3], [3, 6]]) * times)
        per_row = dw.score(EDGE, table, score=dw.K2()) / len(table)
        assert abs(per_row - limit) < 2 * math.log(len(table)) / len(table)
        constant = dw.score(EDGE, table, score=dw.K2(), structure_prior=prior) - dw.score(
            EDGE, table, score=dw.K2()
        )
        assert constant == pytest.approx(math.log(0.05), abs=1e-9)


def test_edge_penalty():
    """Slide 43: P(G) proportional to c^|G|; uniform is c = 1."""
    table = three()
    uniform = {dag: dw.score(dag, table) for dag in dw.all_dags(NAMES)}
    for dag, own in uniform.items():
        for c in (0.25, 1.0):
            score = dw.score(dag, table, structure_prior=dw.EdgePenalty(c))
            assert score - own == pytest.approx(len(dag.edges) * math.log(c), abs=1e-9)
        assert dw.score(dag, table, structure_prior=dw.Uniform()) == own


def test_modular_prior():
    """Slide 43: P(G) is proportional to a product of P(Pa_i)."""
    table = three()

    def log_weight(child, parents):
        return -0.5 * len(parents) ** 2 - (child == "z")

    for dag in dw.all_dags(NAMES):
        gap = dw.score(dag, table, structure_prior=dw.Modular(log_weight)) - dw.score(dag, table)
        by_hand = sum(log_weight(node, dag.parents(node)) for node in NAMES)
        assert gap == pytest.approx(by_hand, abs=1e-9)
    for dag in itertools.islice(dw.all_dags(NAMES), 5):
        score = dw.score(dag, table, structure_prior=dw.ParentCount())
        by_hand = -sum(math.log(math.comb(2, len(dag.parents(node)))) for node in NAMES)
        assert score - dw.score(dag, table) == pytest.approx(by_hand, abs=1e-9)


def test_maximum_likelihood_is_least_divergence():
    """Slide 9: among all tables for y given x the empirical one is nearest to the data."""
    table = pair()
    p = empirical(table, ["x", "y"])
    best = dw.fit(EDGE, table, "ml")
    joint = np.array([[best.probability({"x": x, "y": y}) for y in (0, 1)] for x in (0, 1)])
    assert kl(p, joint) == pytest.approx(0, abs=1e-12)
    for other in dw.fit(EDGE, table, dw.K2()).sample_parameters(20, seed=4):
        joint = np.array([[other.probability({"x": x, "y": y}) for y in (0, 1)] for x in (0, 1)])
        assert kl(p, joint) > 0
