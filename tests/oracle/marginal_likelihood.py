"""Laplace's approximation from its definition: a Gaussian with the Hessian of the likelihood."""

import itertools
from math import exp, lgamma, log, pi

import numpy as np
from scipy.integrate import quad

from oracle.counts import family_counts
from oracle.scores import entropy


def laplace_of_counts(counts, alpha):
    """ln of: likelihood and prior density at the estimate, times the volume of the Gaussian."""
    total, r = sum(counts), len(counts)
    estimate = [count / total for count in counts]
    log_likelihood = sum(n * log(p) for n, p in zip(counts, estimate, strict=True))
    log_density = lgamma(sum(alpha)) - sum(map(lgamma, alpha))
    log_density += sum((a - 1) * log(p) for a, p in zip(alpha, estimate, strict=True))
    # of the first r - 1 probabilities; the last is 1 less their sum
    hessian = np.full((r - 1, r - 1), counts[-1] / estimate[-1] ** 2)
    hessian += np.diag([counts[k] / estimate[k] ** 2 for k in range(r - 1)])
    log_volume = (r - 1) / 2 * log(2 * pi) - np.linalg.slogdet(hessian)[1] / 2
    return log_likelihood + log_density + log_volume


def laplace(data, dag, alpha):
    """The sum over families and seen configurations; None if some seen one has a zero."""
    total = 0.0
    for node in dag.nodes:
        parents = dag.parents(node)
        for config, counts in family_counts(data, node, parents).items():
            if sum(counts) == 0:
                continue
            if 0 in counts:
                return None
            own = [alpha(data, node, parents, config, k) for k in range(len(counts))]
            total += laplace_of_counts(counts, own)
    return total


def beta_bernoulli(heads, tails):
    """ln of the integral of theta^heads (1 - theta)^tails, by quadrature."""
    peak = heads / (heads + tails)
    top = heads * log(peak) + tails * log(1 - peak)

    def scaled(theta):
        return exp(heads * log(theta) + tails * log(1 - theta) - top)

    width = (peak * (1 - peak) / (heads + tails)) ** 0.5
    points = [max(0.0, peak - 12 * width), peak, min(1.0, peak + 12 * width)]
    return top + log(sum(quad(scaled, a, b)[0] for a, b in itertools.pairwise(points)))


def conditional_information(data, first, second, given):
    """I(first; second | given) of sets, from four joint entropies."""
    if not first or not second:
        return 0.0
    return (
        entropy(data, [*first, *given])
        + entropy(data, [*second, *given])
        - entropy(data, [*first, *second, *given])
        - entropy(data, given)
    )
