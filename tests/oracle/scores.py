"""The scores as the textbooks write them: sums over all declared states, natural log.

Every score is a function of (data, child, parents); ``data`` are the ``Rows`` of ``oracle.counts``.
"""

from collections import defaultdict
from functools import cache
from itertools import product
from math import lgamma, log, prod

from oracle.counts import family_counts, set_counts


def entropy(data, variables):
    shares = [count / data.total for count in set_counts(data, variables).values()]
    return -sum(share * log(share) for share in shares if share > 0)


def mutual_information(data, first, second):
    """Between two sets: sum p(x, y) ln [p(x, y) / (p(x) p(y))]."""
    total = data.total
    of_first, of_second = set_counts(data, first), set_counts(data, second)
    return sum(
        count / total * log(total * count / (of_first[x] * of_second[y]))
        for xy, count in set_counts(data, [*first, *second]).items()
        for x, y in [(xy[: len(first)], xy[len(first) :])]
        if count > 0
    )


def log_likelihood(data, child, parents):
    return sum(
        count * log(count / sum(counts))
        for counts in family_counts(data, child, parents).values()
        for count in counts
        if count > 0
    )


def n_parameters(data, child, parents):
    q = prod(data.n_states[parent] for parent in parents)
    return q * (data.n_states[child] - 1)


def penalized(phi):
    def local(data, child, parents):
        price = phi(data.total)
        return log_likelihood(data, child, parents) - price * n_parameters(data, child, parents)

    return local


aic = penalized(lambda n: 1.0)
bic = penalized(lambda n: log(n) / 2)


def marginal_likelihood(alpha):
    """log p(D | G) for hyperparameters ``alpha(data, child, parents, config, state)``."""

    def local(data, child, parents):
        score = 0.0
        for config, counts in family_counts(data, child, parents).items():
            prior = [alpha(data, child, parents, config, k) for k in range(len(counts))]
            score += lgamma(sum(prior)) - lgamma(sum(prior) + sum(counts))
            for a, count in zip(prior, counts, strict=True):
                score += lgamma(a + count) - lgamma(a)
        return score

    return local


def dirichlet(alpha):
    """One hyperparameter for every cell."""
    return marginal_likelihood(lambda data, child, parents, config, state: alpha)


k2 = dirichlet(1.0)


def bdeu(ess):
    def alpha(data, child, parents, config, state):
        q = prod(data.n_states[parent] for parent in parents)
        return ess / (data.n_states[child] * q)

    return marginal_likelihood(alpha)


def bde(joint, variables, ess):
    """``joint`` is an array with one axis a variable that sums to 1."""
    cells = {
        cell: float(joint[cell]) for cell in product(*(range(states) for states in joint.shape))
    }

    @cache
    def marginal(names):
        axes = [variables.index(name) for name in names]
        totals = defaultdict(float)
        for cell, probability in cells.items():
            totals[tuple(cell[axis] for axis in axes)] += probability
        return totals

    def alpha(data, child, parents, config, state):
        return ess * marginal((*parents, child))[*config, state]

    return marginal_likelihood(alpha)


def score(local, data, dag):
    """The total of a graph, an object with ``nodes`` and ``parents(node)``."""
    return sum(local(data, node, dag.parents(node)) for node in dag.nodes)
