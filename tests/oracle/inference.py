"""Inference by writing down the whole joint distribution: slow and obvious."""

from __future__ import annotations

import itertools
import math

import numpy as np


def joint(model, do=None):
    """Return the joint table, one axis a variable in the order of the nodes."""
    names = model.dag.nodes
    sizes = [len(model.states[name]) for name in names]
    table = np.zeros(sizes)
    for cell in itertools.product(*map(range, sizes)):
        at = dict(zip(names, cell, strict=True))
        probability = 1.0
        for name in names:
            if do and name in do:
                probability *= float(model.states[name][at[name]] == do[name])
                continue
            own = model.table(name)
            probability *= own.probabilities[(*tuple(at[p] for p in own.parents), at[name])]
        table[cell] = probability
    return table


def with_evidence(model, given=None, do=None):
    """Return the joint table with all cells that contradict the evidence at zero."""
    table = joint(model, do)
    for axis, name in enumerate(model.dag.nodes):
        value = (given or {}).get(name)
        if value is None:
            continue
        if isinstance(value, dict):
            likelihood = np.array([value.get(state, 0.0) for state in model.states[name]])
        else:
            likelihood = np.array([float(state == value) for state in model.states[name]])
        shape = [1] * table.ndim
        shape[axis] = len(likelihood)
        table = table * likelihood.reshape(shape)
    return table


def probability(model, given=None, do=None):
    return with_evidence(model, given, do).sum()


def query(model, targets, given=None, do=None):
    """Return the posterior of the targets, axes in their order; None if the evidence cannot be."""
    table = with_evidence(model, given, do)
    names = list(model.dag.nodes)
    axes = [names.index(name) for name in targets]
    rest = tuple(axis for axis in range(table.ndim) if axis not in axes)
    summed = table.sum(axis=rest)
    kept = sorted(axes)
    summed = summed.transpose([kept.index(axis) for axis in axes])
    total = summed.sum()
    return summed / total if total > 0 else None


def kl_divergence(first, second):
    order = [list(second.dag.nodes).index(name) for name in first.dag.nodes]
    p, q = joint(first), joint(second).transpose(order)
    total = 0.0
    for a, b in zip(p.ravel(), q.ravel(), strict=True):
        if a > 0:
            total += math.inf if b == 0 else a * math.log(a / b)
    return total
