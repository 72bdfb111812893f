"""Lecture 3, "Likelihood structure score" (slides): every formula, by the library and by hand."""

import functools
import itertools
import math

import numpy as np
import pytest

import dagwright as dw
from theory.by_hand import (
    EDGE,
    EMPTY,
    INDEPENDENT_COUNTS,
    PAIR_COUNTS,
    counts_of,
    dirichlet_marginal,
    empirical,
    entropy,
    log_likelihood,
    mutual_information,
    pair,
    some_rows,
    table_of,
    three,
    with_parents,
)

LL = dw.LogLikelihood()
NAMES = ("x", "y", "z")
M = 70
P = PAIR_COUNTS / M
ROWS = [(x, y) for x, y in np.ndindex(2, 2) for _ in range(PAIR_COUNTS[x, y])]
OF_X, OF_Y = P.sum(axis=1), P.sum(axis=0)


def test_likelihood_score():
    """score_L(G : D) = l((theta, G) : D) at the maximum likelihood estimate."""
    for dag in (EMPTY, EDGE):
        at_best = dw.fit(dag, pair(), "ml").log_likelihood(pair())
        assert dw.score(dag, pair(), score=LL) == pytest.approx(at_best, rel=1e-12)
        assert at_best == pytest.approx(log_likelihood(dag, pair()), rel=1e-12)


def test_score_without_edge_row_by_row():
    """The sum over rows of log theta_x[m] + log theta_y[m]."""
    by_row = sum(math.log(OF_X[x]) + math.log(OF_Y[y]) for x, y in ROWS)
    assert dw.score(EMPTY, pair(), score=LL) == pytest.approx(by_row, rel=1e-12)


def test_score_with_edge_row_by_row():
    """The sum over rows of log theta_x[m] + log theta_y[m]|x[m]."""
    by_row = sum(math.log(OF_X[x]) + math.log(P[x, y] / OF_X[x]) for x, y in ROWS)
    assert dw.score(EDGE, pair(), score=LL) == pytest.approx(by_row, rel=1e-12)


def test_difference_line_by_line():
    """From a sum over rows to M I(X; Y): five lines, one number."""
    lines = [
        sum(math.log(P[x, y] / OF_X[x]) - math.log(OF_Y[y]) for x, y in ROWS),
        sum(PAIR_COUNTS[x, y] * math.log(P[x, y] / OF_X[x]) for x, y in np.ndindex(2, 2))
        - sum(PAIR_COUNTS[:, y].sum() * math.log(OF_Y[y]) for y in (0, 1)),
        M * sum(P[x, y] * math.log(P[x, y] / OF_X[x]) for x, y in np.ndindex(2, 2))
        - M * sum(OF_Y[y] * math.log(OF_Y[y]) for y in (0, 1)),
        M
        * sum(
            P[x, y] * math.log(P[x, y] / OF_X[x]) - P[x, y] * math.log(OF_Y[y])
            for x, y in np.ndindex(2, 2)
        ),
        M * mutual_information(P),
    ]
    difference = dw.score(EDGE, pair(), score=LL) - dw.score(EMPTY, pair(), score=LL)
    assert lines == pytest.approx([difference] * 5, rel=1e-10)
    assert M * dw.mutual_information(pair(), "x", "y") == pytest.approx(difference, rel=1e-10)


def test_counts_and_marginals_of_the_empirical_distribution():
    """M[x, y] = M p(x, y); summed over x it is p(y)."""
    scorer = dw.Scorer(pair())
    assert np.allclose(scorer.counts("y", ["x"]).table(), M * P)
    assert np.allclose(scorer.counts("y", ["x"]).table().sum(axis=0) / M, OF_Y)
    assert np.allclose(scorer.counts("y").table() / M, OF_Y)


def test_general_decomposition():
    """M sum I(X_i; Pa_i) - M sum H(X_i), for every graph of three nodes."""
    table = three()
    for dag in dw.all_dags(NAMES):
        parts = dw.Scorer(table, LL).decompose(dag)
        information = 60 * sum(
            mutual_information(with_parents(table, node, dag.parents(node))) for node in NAMES
        )
        entropies = 60 * sum(entropy(empirical(table, [node])) for node in NAMES)
        assert parts.total("fit") == pytest.approx(information, abs=1e-9)
        assert parts.total("entropy") == pytest.approx(entropies, rel=1e-12)
        assert parts.total() == pytest.approx(log_likelihood(dag, table), rel=1e-12)


def test_a_parent_that_tells_more_scores_higher():
    """ "Score is higher if X_i is correlated with parents": parents rank by their information."""
    table = some_rows(5, 120, seed=33)
    information = {own: mutual_information(empirical(table, [own, "e"])) for own in "abcd"}
    assert len({round(own, 6) for own in information.values()}) == 4
    scorer = dw.Scorer(table, LL)
    scores = {own: scorer.score(dw.Dag([(own, "e")], nodes=table.names)) for own in "abcd"}
    assert sorted(scores, key=scores.get) == sorted(information, key=information.get)
    for a, b in itertools.combinations("abcd", 2):
        gap = 120 * (information[a] - information[b])
        assert scores[a] - scores[b] == pytest.approx(gap, abs=1e-9)


def test_information_of_sets():
    """I(X; Y) where both are sets of variables."""
    table = some_rows(4, 120, seed=33)
    joint = empirical(table, ["a", "c", "b", "d"]).reshape(4, 4)
    got = dw.mutual_information(table, ["a", "c"], ["b", "d"])
    assert got == pytest.approx(mutual_information(joint), rel=1e-10)


def test_entropy_of_sets():
    """H(X) of a set of variables is that of their joint states."""
    table = some_rows(4, 120, seed=33)
    joint = empirical(table, ["a", "c", "d"])
    assert dw.entropy(table, ["a", "c", "d"]) == pytest.approx(entropy(joint), rel=1e-12)


def test_information_is_zero_only_for_independence():
    """Never negative; 0 where the shares factorise exactly, above 0 after one more row."""
    independent = table_of(INDEPENDENT_COUNTS)
    assert dw.mutual_information(independent, "x", "y") == pytest.approx(0, abs=1e-14)
    counts = INDEPENDENT_COUNTS.copy()
    counts[0, 0] += 1
    assert dw.mutual_information(table_of(counts), "x", "y") > 1e-6


def test_information_of_independent_samples_is_nearly_always_above_zero():
    """In 200 samples of two independent coins."""
    rng = np.random.default_rng(3)
    values = []
    for _ in range(200):
        table = dw.Table({"a": rng.integers(2, size=97), "b": rng.integers(2, size=97)})
        values.append(dw.mutual_information(table, "a", "b"))
        by_hand = mutual_information(empirical(table, ["a", "b"]))
        assert values[-1] == pytest.approx(by_hand, abs=1e-12)
    assert min(values) >= 0
    assert sum(value > 1e-12 for value in values) >= 195


def test_edges_cannot_hurt_and_the_complete_graph_is_best():
    """Of all 543 graphs of four nodes the highest score is that of the complete ones."""
    table = some_rows(4, 90, seed=9)
    scorer = dw.Scorer(table, LL)
    scores = {dag: scorer.score(dag) for dag in dw.all_dags(table.names)}
    for dag, own in itertools.islice(scores.items(), 200):
        assert own == pytest.approx(log_likelihood(dag, table), rel=1e-12)
        fewer = [dag.remove(*edge) for edge in dag.edges]
        assert all(scores[other] <= own + 1e-9 for other in fewer)
    best = max(scores.values())
    complete = [own for dag, own in scores.items() if len(dag.edges) == 6]
    assert complete == pytest.approx([best] * 24, rel=1e-12)
    assert max(own for dag, own in scores.items() if len(dag.edges) < 6) < best - 1e-6


def test_restricted_hypothesis_spaces():
    """Bounds on parents and on parameters hold, whatever the score would like."""
    table = some_rows(5, 90, seed=9)
    few_parents = dw.learn(table, score=LL, constraints=dw.Constraints(max_parents=2)).dag
    assert max(len(few_parents.parents(node)) for node in few_parents.nodes) == 2
    few_numbers = dw.learn(table, score=LL, constraints=dw.Constraints(max_parameters=2)).dag
    fitted = dw.fit(few_numbers, table)
    assert max(fitted.table(node).n_parameters for node in few_numbers.nodes) == 2


def test_scores_that_penalise_complexity():
    """Explicitly (BIC), or by averaging over parameters (Bayesian): both leave edges out."""
    table = some_rows(4, 90, seed=9)
    names = table.names

    @functools.cache
    def family(child, parents):
        """By hand, of one family: log-likelihood, number of parameters, log marginal."""
        counts = counts_of(table, [*parents, child]).reshape(-1, 2)
        fit = sum(n * math.log(n / row.sum()) for row in counts for n in row if n)
        average = sum(dirichlet_marginal(row, 1 / (2 * len(counts))) for row in counts)
        return np.array([fit, fit - 0.5 * math.log(90) * len(counts), average])

    totals = {
        dag: sum(family(node, tuple(sorted(dag.parents(node)))) for node in names)
        for dag in dw.all_dags(names)
    }
    for place, score in enumerate((LL, dw.BIC(), dw.BDeu(1))):
        found = dw.learn(table, score=score, search=dw.ExactDP())
        best = max(own[place] for own in totals.values())
        assert found.score == pytest.approx(best, rel=1e-10)
        assert totals[found.dag][place] == pytest.approx(best, rel=1e-10)
        assert (len(found.dag.edges) == 6) == (place == 0)
        assert len(found.dag.edges) > 0


def test_overfitting_is_guaranteed():
    """The likelihood of the rows rises with every edge, that of other rows falls in the end."""
    rows = some_rows(5, 4000, seed=12)
    train, unseen = rows.take(range(80)), rows.take(range(80, 4000))
    on_train, on_unseen = [], []
    for score in (dw.BIC(), LL):
        dag = dw.learn(train, score=score, search=dw.ExactDP()).dag
        on_train.append(dw.score(dag, train, score=LL))
        assert on_train[-1] == pytest.approx(log_likelihood(dag, train), rel=1e-12)
        model = dw.fit(dag, train, dw.K2())
        on_unseen.append(model.log_likelihood(unseen))
        codes = dict(zip(unseen.names, unseen.codes, strict=True))
        by_hand = sum(
            np.log(model.table(node).probabilities)[
                tuple(codes[own] for own in (*model.table(node).parents, node))
            ].sum()
            for node in unseen.names
        )
        assert on_unseen[-1] == pytest.approx(by_hand, rel=1e-10)
    assert on_train[1] > on_train[0]
    assert on_unseen[1] < on_unseen[0]


def test_every_edge_raises_the_likelihood_of_the_rows():
    """Whatever the rows: edge by edge it rises to the complete graph, past what they support."""
    for seed in range(5):
        path = dw.overfitting(some_rows(4, 120, seed=seed), seed=seed)
        fits = [step.log_likelihood for step in path.steps]
        assert len(fits) == 7
        assert all(b >= a - 1e-12 for a, b in itertools.pairwise(fits))
        assert path.best("bic").n_edges < 6
        # Coins that have nothing to do with each other: every edge is too many.
        rng = np.random.default_rng(seed)
        coins = dw.Table({name: rng.integers(2, size=400) for name in "abcd"})
        path = dw.overfitting(coins, seed=seed)
        assert path.best("bic").n_edges <= 1
        gained = path.steps[-1].log_likelihood - path.steps[0].log_likelihood
        lost = path.steps[0].held_out - path.steps[-1].held_out
        assert gained > 0
        assert lost > 0
    # By hand, for the last of them: on all rows the complete graph gains what the joint shares
    # tell more than the product of the shares of each coin.
    complete = dw.Dag(itertools.combinations("abcd", 2))
    by_hand = 400 * (
        sum(entropy(empirical(coins, [name])) for name in "abcd")
        - entropy(empirical(coins, list("abcd")))
    )
    scorer = dw.Scorer(coins, LL)
    gap = scorer.score(complete) - scorer.score(dw.Dag(nodes=list("abcd")))
    assert gap == pytest.approx(by_hand, rel=1e-9)
