"""Undirected models by going through all joint states, one after the other."""

import itertools
import math


def joint(arities, scopes, log_values):
    """Return log Z and a mapping from joint states to probabilities."""
    logs = {}
    for state in itertools.product(*(range(r) for r in arities)):
        total = 0.0
        for scope, table in zip(scopes, log_values, strict=True):
            total += float(table[tuple(state[v] for v in scope)])
        logs[state] = total
    best = max(logs.values())
    z = math.fsum(math.exp(own - best) for own in logs.values())
    return best + math.log(z), {state: math.exp(own - best) / z for state, own in logs.items()}


def marginal(p, scope):
    """Return the probabilities of the states of some variables."""
    found = {}
    for state, own in p.items():
        key = tuple(state[v] for v in scope)
        found.setdefault(key, []).append(own)
    return {key: math.fsum(values) for key, values in found.items()}


def mean(p, scope, values):
    """Return the mean of a feature."""
    return math.fsum(own * values[tuple(state[v] for v in scope)] for state, own in p.items())


def entropy(p):
    return -math.fsum(own * math.log(own) for own in p.values() if own > 0)


def given(p, known):
    """Return the distribution where some states are known."""
    kept = {s: own for s, own in p.items() if all(s[v] == code for v, code in known.items())}
    total = math.fsum(kept.values())
    return {state: own / total for state, own in kept.items()}


def ising(fields, couplings, values):
    """Return log Z and probabilities of an Ising model; the spins have these two values."""
    n = len(fields)
    weights = {}
    for state in itertools.product((0, 1), repeat=n):
        x = [values[code] for code in state]
        total = sum(fields[i] * x[i] for i in range(n))
        total += sum(couplings[i][j] * x[i] * x[j] for i in range(n) for j in range(i))
        weights[state] = math.exp(total)
    z = math.fsum(weights.values())
    return math.log(z), {state: own / z for state, own in weights.items()}


def fitted(table, mu, steps=20_000, rate=0.3):
    """Gradient descent from zero, as in the lecture; the table has the features of each state."""
    theta = [0.0] * len(mu)
    for _ in range(steps):
        weights = [math.exp(sum(t * f for t, f in zip(theta, row, strict=True))) for row in table]
        z = sum(weights)
        means = [
            sum(w * row[k] for w, row in zip(weights, table, strict=True)) / z
            for k in range(len(mu))
        ]
        gap = [m - own for m, own in zip(means, mu, strict=True)]
        theta = [t - rate * own for t, own in zip(theta, gap, strict=True)]
        if max(map(abs, gap)) < 1e-12:
            break
    return theta


def proportional_fitting(p, cliques, shares, rounds=500):
    """Scale a table of all joint states by each clique's share over its marginal."""
    for _ in range(rounds):
        for clique, share in zip(cliques, shares, strict=True):
            now = marginal(p, clique)
            p = {
                s: own * share[key] / now[key]
                for s, own in p.items()
                for key in [tuple(s[v] for v in clique)]
            }
    return p


def separated(nodes, edges, a, b, given):
    """Say whether every path from a to b meets `given`: by removing it."""
    left = [edge for edge in edges if not set(edge) & set(given)]
    reached = {a}
    for _ in nodes:
        for first, second in left:
            if first in reached or second in reached:
                reached |= {first, second}
    return b not in reached
