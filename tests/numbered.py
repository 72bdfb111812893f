"""Scores, edges and constraints by the numbers that variables have in the core; rows to learn."""

from functools import cache

import numpy as np

import dagwright as dw


def numbered_scores(scorer):
    """The local scores by child and set of parents."""
    names = scorer.source.names

    @cache
    def local(child, parents):
        return scorer.local(names[child], [names[parent] for parent in sorted(parents)])

    return local


def numbered(scorer, edges):
    number = scorer.source.number()
    return frozenset((number[start], number[end]) for start, end in edges)


def steps_of(result, scorer):
    number = scorer.source.number()
    return [(step.operator, number[step.start], number[step.end]) for step in result.trace]


def rules_of(scorer, limits):
    """The constraints as the oracles take them."""
    number = scorer.source.number()
    return {
        "required": numbered(scorer, limits.required),
        "forbidden": numbered(scorer, limits.forbidden),
        "adjacent": numbered(scorer, limits.adjacent),
        "tier_of": {number[name]: i for i, tier in enumerate(limits.tiers) for name in tier},
        "max_parents": limits.max_parents,
        "max_parameters": limits.max_parameters,
        "arities": scorer.source.n_states,
    }


def network(n, n_rows, seed, n_states=2):
    """Rows from a random network with about 1.5 edges a node."""
    rng = np.random.default_rng(seed)
    codes = []
    for i in range(n):
        parents = rng.permutation(i)[: rng.integers(0, 4)]
        weights = rng.integers(1, 3, size=len(parents))
        mix = sum((codes[p] * w for p, w in zip(parents, weights, strict=True)), np.zeros(n_rows))
        noise = np.where(rng.random(n_rows) < 0.3, rng.integers(n_states, size=n_rows), 0)
        codes.append((mix.astype(int) + noise) % n_states)
    names = [f"x{i}" for i in rng.permutation(n)]
    return dw.Table.from_codes(codes, names=names, states=[range(n_states)] * n)
