"""The lectures' examples, and their formulas written out as plain sums.

Nothing here calls dagwright but to make tables: what the tests compare the library with must not
come from the library.
"""

import itertools
import math

import numpy as np
from scipy.integrate import quad
from scipy.special import gammaln

import dagwright as dw

# x and y of the lectures' G0 (no edge) and G1 (x -> y): rows by state of x, then state of y.
PAIR_COUNTS = np.array([[30, 10], [5, 25]])
EMPTY = dw.Dag(nodes=["x", "y"])
EDGE = dw.Dag([("x", "y")])

# Exactly independent: every row is a multiple of (2, 3).
INDEPENDENT_COUNTS = np.array([[20, 30], [40, 60]])

# Three variables of 2, 3 and 2 states, every cell seen.
THREE_COUNTS = np.array([[[9, 4], [2, 7], [5, 3]], [[1, 8], [6, 2], [4, 9]]])


def table_of(counts, names="xyzuvw"):
    """Return a table whose rows have these counts, one axis a variable, states 0, 1, ..."""
    counts = np.asarray(counts)
    codes = np.repeat(np.indices(counts.shape).reshape(counts.ndim, -1), counts.ravel(), axis=1)
    names = list(names[: counts.ndim])
    states = {name: range(n) for name, n in zip(names, counts.shape, strict=True)}
    return dw.Table(dict(zip(names, codes, strict=True)), states=states)


def pair():
    return table_of(PAIR_COUNTS)


def three():
    return table_of(THREE_COUNTS)


def some_rows(n, n_rows=200, seed=1, n_states=2):
    """Return a table of variables that depend on those before them."""
    rng = np.random.default_rng(seed)
    codes = []
    for i in range(n):
        mix = sum((codes[j] for j in range(i) if rng.random() < 0.6), np.zeros(n_rows, int))
        noise = np.where(rng.random(n_rows) < 0.4, rng.integers(n_states, size=n_rows), 0)
        codes.append((mix + noise) % n_states)
    names = "abcdefgh"[:n]
    states = {name: range(n_states) for name in names}
    return dw.Table(dict(zip(names, codes, strict=True)), states=states)


def counts_of(table, names):
    """Return the joint counts of some variables, one axis each, by going through the rows."""
    codes = dict(zip(table.names, table.codes, strict=True))
    counts = np.zeros([table.n_states[name] for name in names], dtype=int)
    for place in zip(*(codes[name] for name in names), strict=True):
        counts[place] += 1
    return counts


# --- Information ------------------------------------------------------------------------------


def entropy(p):
    """- sum p ln p, over all cells."""
    return -sum(q * math.log(q) for q in np.ravel(p) if q > 0)


def conditional_entropy(joint):
    """- sum p(u, v) ln p(u | v): u is the first axis, v the second."""
    total = 0.0
    for u, v in np.ndindex(*joint.shape):
        if joint[u, v] > 0:
            total -= joint[u, v] * math.log(joint[u, v] / joint[:, v].sum())
    return total


def mutual_information(joint):
    """Sum p(u, v) ln p(u, v) / (p(u) p(v))."""
    total = 0.0
    for u, v in np.ndindex(*joint.shape):
        if joint[u, v] > 0:
            ratio = joint[u, v] / (joint[u].sum() * joint[:, v].sum())
            total += joint[u, v] * math.log(ratio)
    return total


def kl(p, q):
    """Sum p ln(p / q)."""
    pairs = zip(np.ravel(p), np.ravel(q), strict=True)
    return sum(a * math.log(a / b) for a, b in pairs if a > 0)


def empirical(table, names):
    counts = counts_of(table, names)
    return counts / counts.sum()


def with_parents(table, child, parents):
    """Return p(child, parents): one axis for the child, one for all configurations."""
    counts = counts_of(table, [child, *parents])
    return (counts / counts.sum()).reshape(counts.shape[0], -1)


# --- Scores -----------------------------------------------------------------------------------


def log_likelihood(dag, table):
    """Sum of N_ijk ln(N_ijk / N_ij)."""
    total = 0.0
    for child in dag.nodes:
        counts = counts_of(table, [*dag.parents(child), child]).reshape(-1, table.n_states[child])
        for row in counts:
            total += sum(n * math.log(n / row.sum()) for n in row if n)
    return total


def dim(dag, n_states):
    """Sum of q_i (r_i - 1)."""
    return sum(
        (n_states[node] - 1) * math.prod(n_states[parent] for parent in dag.parents(node))
        for node in dag.nodes
    )


def dirichlet_marginal(counts, alpha):
    """Log of Gamma(a) / Gamma(a + N) * product of Gamma(a_k + N_k) / Gamma(a_k)."""
    counts, alpha = np.broadcast_arrays(counts, np.asarray(alpha, dtype=float))
    return float(
        gammaln(alpha.sum())
        - gammaln(alpha.sum() + counts.sum())
        + (gammaln(alpha + counts) - gammaln(alpha)).sum()
    )


def log_marginal(dag, table, alpha):
    """Sum of that over the configurations of all families; alpha is a function of r and q."""
    total = 0.0
    for child in dag.nodes:
        r = table.n_states[child]
        counts = counts_of(table, [*dag.parents(child), child]).reshape(-1, r)
        total += sum(dirichlet_marginal(row, alpha(r, len(counts))) for row in counts)
    return total


def ones(r, q):
    return 1.0


def bernoulli_integral(ones, zeros, a=1.0, b=1.0):
    """Integral of theta^ones (1 - theta)^zeros under the Beta(a, b) density, by quadrature."""
    log_beta = gammaln(a) + gammaln(b) - gammaln(a + b)

    def integrand(theta):
        log_value = (ones + a - 1) * math.log(theta) + (zeros + b - 1) * math.log1p(-theta)
        return math.exp(log_value - log_beta)

    peak = (ones + a) / (ones + zeros + a + b)
    value, _ = quad(integrand, 0, 1, points=[peak], epsabs=0, epsrel=1e-12, limit=200)
    return value


# --- Graphs -----------------------------------------------------------------------------------


def neighbours(dag):
    """Return every graph that is one edge away: added, removed or reversed, without a cycle."""
    found = []
    for a, b in itertools.permutations(dag.nodes, 2):
        if dag.has_edge(a, b):
            found.append(dag.remove(a, b))
            rest = dag.remove(a, b)
            if b not in rest.descendants(a):
                found.append(rest.add(b, a))
        elif not dag.has_edge(b, a) and a not in dag.descendants(b):
            found.append(dag.add(a, b))
    return found


def all_trees(n):
    """Return the edges of every tree over n nodes, from all sets of n - 1 pairs."""
    trees = []
    for edges in itertools.combinations(itertools.combinations(range(n), 2), n - 1):
        part = list(range(n))
        for a, b in edges:
            if part[a] == part[b]:
                break
            old, new = part[a], part[b]
            part = [new if own == old else own for own in part]
        else:
            trees.append(edges)
    return trees
