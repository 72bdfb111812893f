"""Simulation-based calibration (Talts et al. 2018).

If graphs are drawn from the prior and data from the graph, the truth is like any draw from the
posterior.
"""

import itertools

import numpy as np
import pytest
from scipy import stats

import dagwright as dw
from oracle import mcmc as oracle

N_ROUNDS, N_DRAWS, N_ROWS = 400, 19, 30
NAMES = ["a", "b", "c", "d"]
STATES = {name: ["0", "1"] for name in NAMES}


def drawn_rows(graph, ess, rng):
    """Rows of a network over the graph, with parameters from BDeu's prior."""
    codes = {}
    for v in sorted(range(len(NAMES)), key=lambda v: oracle.layers(graph)[v]):
        parents = sorted(graph[v])
        n_configs = 2 ** len(parents)
        tables = rng.dirichlet(np.full(2, ess / n_configs / 2), size=n_configs)
        config = sum((codes[p] << i for i, p in enumerate(parents)), np.zeros(N_ROWS, dtype=int))
        codes[v] = (rng.random(N_ROWS) < tables[config, 1]).astype(int)
    columns = {NAMES[v]: codes[v].astype(str) for v in range(len(NAMES))}
    return dw.Table(columns, states=STATES)


def least_p_value(sampler):
    """Of the tests that the truth's ranks among the draws are uniform, by some features."""
    rng = np.random.default_rng(8)
    graphs = oracle.graphs(NAMES)  # the uniform prior
    ess = 4.0
    edges = list(itertools.permutations(range(len(NAMES)), 2))
    ranks = {"n edges": [], "score": [], **{edge: [] for edge in edges}}
    for round_ in range(N_ROUNDS):
        truth = graphs[rng.integers(len(graphs))]
        scorer = dw.Scorer(drawn_rows(truth, ess, rng), dw.BDeu(ess))
        posterior = dw.posterior(
            scorer, sampler=sampler, draws=N_DRAWS, chains=1, warmup=5, thin=200, seed=round_
        )
        drawn = [
            tuple(frozenset(posterior.parent_sets[v][k]) for v, k in enumerate(row))
            for row in posterior.draws[0].tolist()
        ]

        def score(graph, scorer=scorer):
            return round(oracle.log_weight(scorer, graph), 6)

        def rank(feature, truth=truth, drawn=drawn):
            own = feature(truth)
            values = [feature(graph) for graph in drawn]
            below = sum(value < own for value in values)
            ties = sum(value == own for value in values)
            return below + int(rng.integers(ties + 1))  # ties are broken at random

        ranks["n edges"].append(rank(lambda graph: sum(map(len, graph))))
        ranks["score"].append(rank(score))
        for a, b in edges:
            ranks[a, b].append(rank(lambda graph, a=a, b=b: a in graph[b]))
    counts = [np.bincount(own, minlength=N_DRAWS + 1) for own in ranks.values()]
    return min(stats.chisquare(own).pvalue for own in counts)


UNBIASED = [dw.PartitionMCMC(), dw.StructureMCMC(), dw.PartitionMCMC(temperatures=(1, 2))]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:The (chains|halves|weights)|There are")
@pytest.mark.parametrize("sampler", UNBIASED, ids=str)
def test_ranks_of_the_truth_are_uniform(sampler):
    assert least_p_value(sampler) > 1e-4


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:The (chains|halves|weights)|There are")
def test_ranks_tell_a_biased_sampler():
    assert least_p_value(dw.OrderMCMC(correct=False)) < 1e-6
