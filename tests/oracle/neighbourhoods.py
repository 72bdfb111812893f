"""The neighbours of one spin by the formulas alone, and a general solver."""

import itertools

import numpy as np
from scipy.optimize import minimize


def loss_of(kind, spins, weights, target, field, couplings):
    """The mean loss of a spin given the others; couplings has one number a variable."""
    total = 0.0
    for row, weight in zip(spins, weights, strict=True):
        lean = field + sum(
            c * x for j, (c, x) in enumerate(zip(couplings, row, strict=True)) if j != target
        )
        u = row[target] * lean
        total += weight * (np.logaddexp(0, -2 * u) if kind == "logistic" else np.exp(-u))
    mean = total / sum(weights)
    return np.log(mean) if kind == "log-rise" else mean


def smallest(kind, spins, weights, target, penalty, ridge=0.0, candidates=None):
    """The minimum with an L1 penalty: a coupling is a difference of two positive numbers."""
    spins, weights = np.asarray(spins, float), np.asarray(weights, float) / np.sum(weights)
    n = spins.shape[1]
    others = [j for j in (range(n) if candidates is None else candidates) if j != target]
    signed = spins[:, [target]] * np.column_stack([np.ones(len(spins)), spins[:, others]])

    def objective(x):
        couplings = x[1 : 1 + len(others)] - x[1 + len(others) :]
        u = signed @ np.concatenate([x[:1], couplings])
        if kind == "logistic":
            value, slope = weights @ np.logaddexp(0, -2 * u), -2 * weights / (1 + np.exp(2 * u))
        else:
            value, slope = weights @ np.exp(-u), -weights * np.exp(-u)
        if kind == "log-rise":
            value, slope = np.log(value), slope / value
        by = signed.T @ slope
        by[1:] += ridge * couplings
        value += penalty * x[1:].sum() + ridge / 2 * couplings @ couplings
        return value, np.concatenate([by[:1], by[1:] + penalty, -by[1:] + penalty])

    start = np.zeros(1 + 2 * len(others))
    bounds = [(None, None)] + [(0, None)] * (2 * len(others))
    best = minimize(
        objective,
        start,
        jac=True,
        bounds=bounds,
        method="L-BFGS-B",
        options={"ftol": 1e-15, "gtol": 1e-10, "maxiter": 20000, "maxfun": 40000},
    )
    couplings = np.zeros(n)
    couplings[others] = best.x[1 : 1 + len(others)] - best.x[1 + len(others) :]
    return best.x[0], couplings, best.fun


def joint_states(n):
    return np.array(list(itertools.product([-1, 1], repeat=n)))


def ising_probabilities(fields, couplings):
    """Of all joint states of -1/+1; couplings is symmetric with zeros on the diagonal."""
    states = joint_states(len(fields))
    log_p = states @ fields + 0.5 * np.einsum("ki,ij,kj->k", states, couplings, states)
    p = np.exp(log_p - log_p.max())
    return states, p / p.sum()


def negative_log_pseudo_likelihood(spins, weights, fields, couplings):
    """The sum over spins of the mean of -log p(spin | all others)."""
    return sum(
        loss_of("logistic", spins, weights, v, fields[v], couplings[v]) for v in range(len(fields))
    )
