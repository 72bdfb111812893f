"""Elimination of variables from a graph, step by step."""

from itertools import combinations


def interaction_graph(families, observed):
    """Return the neighbours of each variable: those it shares a family with."""
    near = {}
    for scope in families:
        free = [v for v in scope if v not in observed]
        for v in free:
            near.setdefault(v, set()).update(u for u in free if u != v)
    return near


def fill(near, v):
    """Count the edges that must be added between the neighbours of a variable."""
    return sum(b not in near[a] for a, b in combinations(sorted(near[v]), 2))


def eliminate(near, order):
    """Return (variable, its fill, the least fill there was, its clique) for each step."""
    near = {v: set(others) for v, others in near.items()}
    steps = []
    for v in order:
        least = min(fill(near, u) for u in near)
        steps.append((v, fill(near, v), least, {v, *near[v]}))
        for a, b in combinations(near[v], 2):
            near[a].add(b)
            near[b].add(a)
        for u in near.pop(v):
            near[u].discard(v)
    return steps


def maximal(cliques):
    return [
        c
        for i, c in enumerate(cliques)
        if not any(c < d or (c == d and i > j) for j, d in enumerate(cliques) if i != j)
    ]
