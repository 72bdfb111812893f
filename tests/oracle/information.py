"""Information as the textbooks write it: sums over all declared states, natural log.

``data`` are the ``Rows`` of ``oracle.counts``; sets of variables are lists of names.
"""

from itertools import permutations, product
from math import inf, log, prod

from scipy.special import digamma

from oracle.counts import configurations, set_counts


def entropy(shares):
    """Of a list of probabilities."""
    return -sum(p * log(p) for p in shares if p > 0)


def plug_in(data, variables):
    return entropy([count / data.total for count in set_counts(data, variables).values()])


def miller_madow(data, variables):
    observed = sum(count > 0 for count in set_counts(data, variables).values())
    return plug_in(data, variables) + (observed - 1) / (2 * data.total)


def dirichlet(ess):
    """The posterior mean: sum over cells of a / A times (psi(A + 1) - psi(a + 1))."""

    def estimate(data, variables):
        counts = set_counts(data, variables).values()
        posterior = [count + ess / len(counts) for count in counts]
        total = sum(posterior)
        return sum(a / total * (digamma(total + 1) - digamma(a + 1)) for a in posterior)

    return estimate


def mutual_information(data, x, y, z=()):
    """Sum of p(x, y, z) ln [p(z) p(x, y, z) / (p(x, z) p(y, z))], for disjoint sets."""
    x, y, z = list(x), list(y), list(z)
    of_z, of_xz = set_counts(data, z), set_counts(data, x + z)
    of_yz = set_counts(data, y + z)
    total = 0.0
    for cell, count in set_counts(data, x + y + z).items():
        a, b, c = cell[: len(x)], cell[len(x) : len(x) + len(y)], cell[len(x) + len(y) :]
        if count > 0:
            total += count / data.total * log(of_z[c] * count / (of_xz[a + c] * of_yz[b + c]))
    return total


def kl_divergence(p, q):
    """Of distributions by state."""
    return sum(
        inf if q.get(state, 0) == 0 else own * log(own / q[state])
        for state, own in p.items()
        if own > 0
    )


def tables(data, x, y, z):
    """The table of x and y, lists of lists, for each configuration of what is given."""
    counts = set_counts(data, [x, y, *z])
    return [
        [[counts[a, b, *c] for b in range(data.n_states[y])] for a in range(data.n_states[x])]
        for c in configurations(data, z)
    ]


def chi_squares(data, x, y, z):
    """G2, X2 and the degrees of freedom that can be tested, table by table."""
    g2 = x2 = 0.0
    freedom = 0
    for table in tables(data, x, y, z):
        rows = [sum(row) for row in table]
        columns = [sum(column) for column in zip(*table, strict=True)]
        if sum(rows) == 0:
            continue
        for (i, row), (j, column) in product(enumerate(rows), enumerate(columns)):
            expected = row * column / sum(rows)
            if expected > 0:
                x2 += (table[i][j] - expected) ** 2 / expected
            if table[i][j] > 0:
                g2 += 2 * table[i][j] * log(table[i][j] / expected)
        freedom += (sum(row > 0 for row in rows) - 1) * (sum(col > 0 for col in columns) - 1)
    return g2, x2, freedom


def exact_permutation_p_value(data, x, y, z):
    """The share of all permutations of y within strata whose G2 is as large; for a few rows."""
    strata = {}
    for row in data.rows:
        strata.setdefault(tuple(row[name] for name in z), []).append((row[x], row[y]))
    observed = sum(_g2(pairs) for pairs in strata.values())
    totals = [
        [_g2(list(zip([a for a, _ in pairs], shuffled, strict=True))) for shuffled in
         permutations([b for _, b in pairs])]
        for pairs in strata.values()
    ]  # fmt: skip
    as_large = sum(sum(parts) >= observed - 1e-9 for parts in product(*totals))
    return as_large / prod(map(len, totals))


def _g2(pairs):
    def count(items):
        found = {}
        for item in items:
            found[item] = found.get(item, 0) + 1
        return found

    of_x, of_y = count(a for a, _ in pairs), count(b for _, b in pairs)
    return sum(
        2 * n * log(n * len(pairs) / (of_x[a] * of_y[b])) for (a, b), n in count(pairs).items()
    )
