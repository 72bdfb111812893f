"""Twins of sampling and message passing over factors: slow and obvious.

A model is `arities`, `scopes` and `tables` (logs, one array a scope).
"""

from __future__ import annotations

import itertools
import math

import numpy as np


def joint(arities, scopes, tables):
    """Return log Z and the table of all joint states."""
    logs = np.zeros(arities)
    for states in itertools.product(*map(range, arities)):
        logs[states] = sum(
            table[tuple(states[v] for v in scope)]
            for scope, table in zip(scopes, tables, strict=True)
        )
    best = logs.max()
    log_z = best + math.log(np.exp(logs - best).sum())
    return log_z, np.exp(logs - log_z)


def marginal(p, scope):
    """Return the table of some variables, axes in their order."""
    rest = tuple(v for v in range(p.ndim) if v not in scope)
    kept = sorted(scope)
    return p.sum(axis=rest).transpose([kept.index(v) for v in scope])


def sweep_matrix(arities, scopes, tables):
    """Return the probabilities of going from each joint state to each in one sweep.

    One variable after the other takes a new state by its distribution given all others.
    """
    _, p = joint(arities, scopes, tables)
    states = list(itertools.product(*map(range, arities)))
    place = {state: i for i, state in enumerate(states)}
    sweep = np.eye(len(states))
    for v, arity in enumerate(arities):
        step = np.zeros_like(sweep)
        for state in states:
            reached = [(*state[:v], new, *state[v + 1 :]) for new in range(arity)]
            total = sum(p[other] for other in reached)
            for other in reached:
                step[place[state], place[other]] += p[other] / total
        sweep = sweep @ step
    return sweep


def after_sweeps(arities, scopes, tables, n_sweeps):
    """Return the distribution of the joint states after some sweeps from uniform ones."""
    sweep = sweep_matrix(arities, scopes, tables)
    p = np.full(len(sweep), 1 / len(sweep))
    for _ in range(n_sweeps):
        p = p @ sweep
    return p.reshape(arities)


def belief_propagation(arities, scopes, tables, shares, iterations, damping, own=None):
    """Return the beliefs of variables and factors, and the energy plus entropy of these.

    In probabilities, one message at a time, as in Wainwright, Jaakkola and Willsky (2005) with
    factors in place of edges: exponents are 1 / share on the factor and share on the messages.
    `own` has logs of each variable by itself, which no message carries.
    """
    own = own or {v: np.zeros(arities[v]) for v in range(len(arities))}
    messages = {(f, v): np.ones(arities[v]) for f, scope in enumerate(scopes) for v in scope}

    def belief(v):
        product = np.exp(own[v])
        for f, scope in enumerate(scopes):
            if v in scope:
                product = product * messages[f, v] ** shares[f]
        return product

    def factor_belief(f):
        product = np.exp(tables[f] / shares[f])
        for axis, v in enumerate(scopes[f]):
            shape = [1] * len(scopes[f])
            shape[axis] = arities[v]
            product = product * (belief(v) / messages[f, v]).reshape(shape)
        return product

    for _ in range(iterations):
        fresh = {}
        for f, scope in enumerate(scopes):
            for axis, v in enumerate(scope):
                others = tuple(i for i in range(len(scope)) if i != axis)
                said = factor_belief(f).sum(axis=others) / (belief(v) / messages[f, v])
                mixed = said / said.max()
                fresh[f, v] = mixed ** (1 - damping) * messages[f, v] ** damping
        messages = fresh

    variables = [belief(v) / belief(v).sum() for v in range(len(arities))]
    factors = [factor_belief(f) / factor_belief(f).sum() for f in range(len(scopes))]
    value = energy_plus_entropy(scopes, tables, shares, variables, factors)
    value += sum(float(variables[v] @ own[v]) for v in own)
    return variables, factors, value


def energy_plus_entropy(scopes, tables, shares, variables, factors):
    """Return theta . b + sum of H(b_v) - sum of share * information within each factor."""
    value = sum(_entropy(b) for b in variables)
    for scope, table, share, b in zip(scopes, tables, shares, factors, strict=True):
        value += float((b * table).sum())
        value -= share * (sum(_entropy(variables[v]) for v in scope) - _entropy(b))
    return value


def _entropy(p):
    return -sum(x * math.log(x) for x in np.ravel(p) if x > 0)
