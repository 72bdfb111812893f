"""Held-out log-likelihoods by walking the rows, fold by fold."""

from math import log, prod

from oracle.counts import Rows, family_counts


def without(data, rows):
    """The data without some rows."""
    kept = [i for i in range(len(data.rows)) if i not in rows]
    return Rows(data.n_states, [data.rows[i] for i in kept], [data.weights[i] for i in kept])


def log_probability(training, dag, alpha, row):
    """Of one row, by posterior means; ``alpha(child, parents)`` is the same in every cell."""
    total = 0.0
    for node in dag.nodes:
        parents = dag.parents(node)
        counts = family_counts(training, node, parents)[tuple(row[name] for name in parents)]
        own = alpha(training, node, parents)
        total += log((counts[row[node]] + own) / (sum(counts) + own * len(counts)))
    return total


def bdeu_alpha(ess):
    def alpha(data, child, parents):
        return ess / (data.n_states[child] * prod(data.n_states[parent] for parent in parents))

    return alpha


def weighted_mean_and_error(values, weights):
    """A weight of 3 is written out as three rows; whole weights only."""
    written = [v for v, w in zip(values, weights, strict=True) for _ in range(int(w))]
    mean = sum(written) / len(written)
    variance = sum((v - mean) ** 2 for v in written) / len(written)
    return mean, (variance / len(written)) ** 0.5
