"""Walks with restarts, and order search, against the best of all graphs of up to five nodes."""

from functools import cache

import numpy as np
import pytest

import dagwright as dw
from dagwright import _core
from dagwright.search import searches

WALKS = {
    "hill climb, random restarts": dw.HillClimb(restarts=40),
    "hill climb, perturbed restarts": dw.HillClimb(restarts=80, perturbation=8),
    "tabu, moves": dw.Tabu(restarts=5),
    "tabu, states": dw.Tabu(memory="states", tenure=30, explore=5, restarts=10),
    "anneal": dw.Anneal(restarts=4),
    "perturb": dw.Perturb(rounds=3, restarts=40),
    "order search": dw.OrderSearch(),
    "auto": dw.Auto(),
    "exact": dw.ExactDP(),
    "exhaustive": dw.Exhaustive(),
    "exact, by integer programming": dw.ExactILP(),
}
# They end where their one way leads, among classes or trees, or add parents one by one.
GREEDY = {"ges", "chow-liu", "tree-augmented-naive-bayes", "k2-search"}
SCORES = [dw.BIC(), dw.BDeu(1), dw.K2(), dw.AIC()]
every_walk = pytest.mark.parametrize("walk", WALKS.values(), ids=WALKS)


def random_table(rng):
    """Rows drawn from a random network with strong and weak edges."""
    n, n_rows = rng.integers(3, 6), rng.integers(20, 400)
    codes, n_states = [], []
    for i in range(n):
        r = int(rng.integers(2, 4))
        n_parents = min(i, int(rng.integers(1, 4))) if rng.random() < 0.8 else 0
        config = np.zeros(n_rows, dtype=int)
        for parent in rng.choice(i, size=n_parents, replace=False) if n_parents else ():
            config = config * n_states[parent] + codes[parent]
        table = rng.dirichlet(np.full(r, 0.6 if n_parents else 5.0), size=config.max() + 1)
        below = table.cumsum(axis=1)[config, :-1]
        codes.append((rng.random(n_rows)[:, None] > below).sum(axis=1))
        n_states.append(r)
    return dw.Table.from_codes(codes, states=[range(r) for r in n_states])


@cache
def all_dags(n):
    return np.array([masks[:n] for masks in _core.all_dags(n)])


def best_of_all(scorer):
    names = scorer.names
    families = [
        (i, mask) for i in range(len(names)) for mask in range(2 ** len(names)) if not mask >> i & 1
    ]
    scores = scorer.batch(
        (names[i], [names[j] for j in range(len(names)) if mask >> j & 1]) for i, mask in families
    )
    local = np.full((len(names), 2 ** len(names)), np.nan)
    local[tuple(np.transpose(families))] = scores
    dags = all_dags(len(names))
    return sum(local[i][dags[:, i]] for i in range(len(names))).max()


def n_missed(walk, seeds):
    missed = 0
    for seed in seeds:
        table = random_table(np.random.default_rng(seed))
        scorer = dw.Scorer(table, SCORES[seed % len(SCORES)])
        best = best_of_all(scorer)
        result = dw.learn(scorer, search=walk, seed=seed, threads=1)
        assert result.score == pytest.approx(scorer.score(result.dag))
        assert result.score <= best + 1e-6
        missed += result.score < best - 1e-6
    return missed


def test_every_registered_walk_is_tried():
    assert {walk.name for walk in WALKS.values()} == {search.name for search in searches} - GREEDY


@every_walk
def test_the_best_of_all_graphs_is_nearly_always_found(walk):
    assert n_missed(walk, range(25)) <= 1


@every_walk
@pytest.mark.slow
def test_the_best_of_all_graphs_is_found_in_99_of_100_tables(walk):
    assert n_missed(walk, range(500)) <= 5


def test_a_plain_climb_misses_it_often():
    """Or else the tests above would show nothing."""
    assert n_missed(dw.HillClimb(), range(25)) >= 4
