"""Gains of an edge, and how many samples want it, by drawing or by going through all samples."""

from itertools import product
from math import lgamma, log

import numpy as np

from oracle import scores
from oracle.counts import Rows


def rows_of_counts(counts):
    """Counts with the axes z, x, y as weighted rows; z is left out of the family if it is alone."""
    n_strata, n_x, n_y = counts.shape
    cells = list(product(range(n_strata), range(n_x), range(n_y)))
    return Rows(
        {"z": n_strata, "x": n_x, "y": n_y},
        [dict(zip("zxy", cell, strict=True)) for cell in cells],
        [float(counts[cell]) for cell in cells],
    )


def gain(local, counts):
    """The score of y given x and z, less that given z."""
    data = rows_of_counts(counts)
    return local(data, "y", ["x", "z"]) - local(data, "y", ["z"])


def local_of(score, ess):
    return scores.bic if score == "bic" else scores.bdeu(ess)


def all_samples(shares, rows):
    """Every table of counts of so many rows, with its probability."""
    flat = shares.ravel()

    def tables(left, cells):
        if cells == 1:
            yield (left,)
            return
        for first in range(left + 1):
            for rest in tables(left - first, cells - 1):
                yield (first, *rest)

    for counts in tables(rows, flat.size):
        ways = lgamma(rows + 1) - sum(lgamma(n + 1) for n in counts)
        if any(n > 0 and p == 0 for n, p in zip(counts, flat, strict=True)):
            continue
        chances = sum(n * log(p) for n, p in zip(counts, flat, strict=True) if n)
        yield np.array(counts).reshape(shares.shape), np.exp(ways + chances)


def mean_gain(local, shares, rows):
    return sum(p * gain(local, counts) for counts, p in all_samples(shares, rows))


def exact_power(local, shares, rows):
    return sum(p for counts, p in all_samples(shares, rows) if gain(local, counts) > 1e-9)


def sampled_power(local, shares, rows, repeats, seed):
    rng = np.random.default_rng(seed)
    drawn = rng.multinomial(rows, shares.ravel(), size=repeats)
    wanted = [gain(local, counts.reshape(shares.shape)) > 1e-9 for counts in drawn]
    return sum(wanted) / repeats


def information(shares):
    """I(x; y | z) of a joint with the axes z, x, y."""
    total = 0.0
    for z, x, y in product(*map(range, shares.shape)):
        p = shares[z, x, y]
        if p > 0:
            own = shares[z].sum()
            total += p * log(p * own / (shares[z, x].sum() * shares[z, :, y].sum()))
    return total


def binary_pair(strength, of_x, of_y):
    """Two binary variables with these shares of their second states and this information."""
    base = np.outer([1 - of_x, of_x], [1 - of_y, of_y])
    pattern = np.array([[1, -1], [-1, 1]])
    low, high = 0.0, min(base[0, 1], base[1, 0])
    assert information((base + high * pattern)[None]) >= strength, "no such pair"
    for _ in range(60):
        middle = (low + high) / 2
        if information((base + middle * pattern)[None]) < strength:
            low = middle
        else:
            high = middle
    return (base + high * pattern)[None]
