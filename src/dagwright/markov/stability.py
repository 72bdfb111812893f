"""A penalty at which half of the rows give nearly the graph of the other half."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dagwright.markov.method import UndirectedData
from dagwright.markov.neighbourhood_fits import Loss, fit_along, largest_penalty
from dagwright.markov.screening import Candidates
from dagwright.markov.spins import SpinRows
from dagwright.markov.symmetrisation import Symmetrisation, strengths
from dagwright.run import Run

__all__ = ["instability", "stable_penalty"]

_N_PAIRS = 10  # of halves
_N_PENALTIES = 20
_SMALLEST = 0.5  # penalty, as a multiple of 1 / sqrt(N): there all is chance
_MOST = 0.05  # instability
_MANY = 1_000_000_000  # rows, from which on numpy draws no exact half of them


def stable_penalty(
    data: UndirectedData,
    rows: SpinRows,
    candidates: Candidates,
    loss: Loss,
    symmetrisation: Symmetrisation,
    run: Run,
) -> float:
    """Return the smallest penalty whose graphs of halves of the rows are alike.

    Ten times the rows are halved at random, a whole weight standing for so many rows. The
    smallest penalty is taken at which :func:`instability` of the graphs of all halves is at most
    0.05, from the smallest without an edge down to 0.5 / sqrt(N). (Liu, Roeder and Wasserman 2010
    divide by the number of all pairs, which lets many wrong edges into a sparse graph of many
    variables, and want all larger penalties to be stable too, which equal couplings, entering
    together, are not.)
    """
    n = rows.n_variables
    largest = largest_penalty(rows, candidates, loss, run)
    smallest = min(largest, _SMALLEST / np.sqrt(rows.total_weight))
    penalties = np.geomspace(largest, smallest, _N_PENALTIES) if largest > 0 else np.zeros(1)
    chosen = np.zeros((len(penalties), n, n))
    n_halves = 0
    for pair in range(_N_PAIRS):
        rng = np.random.default_rng(np.random.SeedSequence(run.seed, spawn_key=(pair,)))
        for half in _halves(data, rows, rng):
            if run.stopping():
                break
            if not half.weights.any():  # half of one row
                continue
            fits = fit_along(half, candidates, loss, penalties.tolist(), run)
            if fits[0].n_done == n:
                n_halves += 1
                for k, own in enumerate(fits):
                    chosen[k] += strengths(own.couplings, symmetrisation) > 0
    if n_halves == 0:
        return float(largest)
    stable = [instability(own / n_halves) <= _MOST for own in chosen]
    return float(penalties[stable][-1]) if any(stable) else float(largest)


def instability(shares: NDArray[np.float64]) -> float:
    """Return how unlike two graphs are, from the share of all graphs that have each pair.

    It is the number of edges that one of two graphs has on average and the other has not, divided
    by the number of edges, or of variables where these are more.
    """
    upper = shares[np.triu_indices(len(shares), k=1)]
    return float((upper * (1 - upper)).sum() / max(upper.sum(), len(shares)))


def _halves(
    data: UndirectedData, rows: SpinRows, rng: np.random.Generator
) -> tuple[SpinRows, SpinRows]:
    """Return two halves of the rows, in whatever order the table has them."""
    weights = data.weights
    if (weights == np.floor(weights)).all():
        whole = rows.weights.astype(np.int64)
        total = int(whole.sum())
        if total < _MANY:
            half = rng.multivariate_hypergeometric(whole, total // 2, method="marginals")
        else:  # each by itself: the halves are then equal but for a ten-thousandth part
            half = rng.binomial(whole, 0.5)
        other = whole - half
        return (
            replace(rows, weights=half.astype(np.float64)),
            replace(rows, weights=other.astype(np.float64)),
        )
    taken = np.zeros(len(weights), dtype=bool)
    taken[rng.permutation(len(weights))[: len(weights) // 2]] = True
    return (
        rows.reweighted(np.where(taken, weights, 0.0)),
        rows.reweighted(np.where(taken, 0.0, weights)),
    )
