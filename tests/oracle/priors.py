"""Structure priors as functions of the whole graph: ln P(G), for beliefs less that of no edges.

``edges`` is a set of (parent, child), ``names`` are all variables.
"""

from itertools import combinations
from math import comb, log


def uniform(names, edges):
    return 0.0


def edge_penalty(c):
    return lambda names, edges: log(c) * len(edges)


def parent_count(names, edges):
    sizes = [sum(end == name for _, end in edges) for name in names]
    return sum(-log(comb(len(names) - 1, size)) for size in sizes)


def edge_beliefs(experts, trust=None):
    """Each expert is ``{(a, b): (p(a -> b), p(b -> a))}``; silence means a third for each."""
    trust = trust or [1.0] * len(experts)

    def belief(expert, a, b):
        if (a, b) in expert:
            forward, backward = expert[a, b]
        elif (b, a) in expert:
            backward, forward = expert[b, a]
        else:
            forward = backward = 1 / 3
        return forward, backward, 1 - forward - backward

    def log_prior(names, edges):
        total = 0.0
        for a, b in combinations(names, 2):
            beliefs = [belief(expert, a, b) for expert in experts]
            forward, backward, none = (
                sum(t * one[i] for t, one in zip(trust, beliefs, strict=True)) / sum(trust)
                for i in range(3)
            )
            chosen = forward if (a, b) in edges else backward if (b, a) in edges else none
            total += log(chosen) - log(none)
        return total

    return log_prior


def modular(log_weight):
    return lambda names, edges: sum(
        log_weight(name, tuple(start for start, end in edges if end == name)) for name in names
    )
