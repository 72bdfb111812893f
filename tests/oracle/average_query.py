"""Answers averaged over graphs: fit each, write down its joint distribution, add up."""

import math

import numpy as np

import dagwright as dw
from oracle import inference


def average(dags, weights, rows, parameters, targets, given=None, do=None):
    """The mean, the standard deviation and the quantiles 5 % and 95 %, cell by cell."""
    total = math.fsum(weights)
    shares = [weight / total for weight in weights]
    answers = [inference.query(dw.fit(dag, rows, parameters), targets, given, do) for dag in dags]
    shape = answers[0].shape
    mean, deviation, low, high = (np.zeros(shape) for _ in range(4))
    for cell in np.ndindex(shape):
        values = [answer[cell] for answer in answers]
        pairs = list(zip(values, shares, strict=True))
        mean[cell] = math.fsum(share * value for value, share in pairs)
        variance = math.fsum(share * (value - mean[cell]) ** 2 for value, share in pairs)
        deviation[cell] = math.sqrt(variance)
        low[cell], high[cell] = (quantile(pairs, at) for at in (0.05, 0.95))
    return mean, deviation, low, high


def quantile(pairs, at):
    """The smallest value that, with all below it, has at least this share."""
    so_far = 0.0
    for value, share in sorted(pairs):
        so_far += share
        if so_far >= at - 1e-12:
            return value
    return max(pairs)[0]
