"""Estimates where exact inference is too large: samples with their errors, and messages."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagwright import _core
from dagwright.errors import DataError
from dagwright.inference.exact import naming_impossible_evidence, relevant_families
from dagwright.inference.forecast import start
from dagwright.inference.network import Evidence, TableNetwork

__all__ = ["belief_propagation", "check_no_undefined", "gibbs", "likelihood_weighting"]

Estimate = tuple[NDArray[np.float64], NDArray[np.float64] | None, dict[str, Any]]

_CHAINS = 4
_BATCHES = 25  # a chain's rows are cut into as many, so that their means are nearly independent
_MAX_ITERATIONS = 1000
_TOLERANCE = 1e-9


def likelihood_weighting(
    network: TableNetwork, targets: Sequence[int], evidence: Evidence, n_samples: int, seed: int
) -> Estimate:
    """Draw rows parents first, and weigh each by how probable it makes the evidence.

    Without evidence this is forward sampling: all weights are one.
    """
    check_no_undefined(network, targets, evidence)
    codes, log_weights = _core.sample_rows(
        network.native,
        n_samples,
        seed,
        list(evidence.states),
        list(evidence.likelihoods),
        list(evidence.intervened),
        list(targets),
        start(),
    )
    weights = np.ones(n_samples)
    if log_weights.size:
        largest = log_weights.max()
        if largest == -np.inf:
            raise DataError(
                f"none of {n_samples:,} rows agrees with the evidence: it cannot be, or is so "
                'rare that more rows (n_samples=), method="gibbs" or an exact method are needed'
            )
        weights = np.exp(log_weights - largest)
    shape = network.n_states(targets)
    cells = np.ravel_multi_index(tuple(codes), tuple(shape))
    total, squares = weights.sum(), (weights**2).sum()
    mean = np.bincount(cells, weights, prod(shape)) / total
    # The variance of a ratio of means: squares of weights times how far the indicator is off.
    inside = np.bincount(cells, weights**2, prod(shape))
    variance = inside * (1 - mean) ** 2 + np.maximum(squares - inside, 0) * mean**2
    report = {"samples": n_samples, "effective_sample_size": float(total**2 / squares)}
    return mean.reshape(shape), (np.sqrt(variance) / total).reshape(shape), report


def gibbs(
    network: TableNetwork, targets: Sequence[int], evidence: Evidence, n_samples: int, seed: int
) -> Estimate:
    """Draw each variable in turn given all others, in several chains."""
    check_no_undefined(network, targets, evidence)
    length = max(-(-n_samples // _CHAINS), _BATCHES)
    try:
        codes = _core.gibbs(
            network.native,
            _CHAINS,
            max(100, length // 10),
            length,
            seed,
            list(evidence.states),
            list(evidence.likelihoods),
            list(evidence.intervened),
            list(targets),
            start(),
        )
    except _core.ImpossibleEvidence:
        raise DataError(
            "none of the rows that a chain could start from agrees with the evidence: it cannot "
            "be, or is so rare that an exact method is needed"
        ) from None
    shape = network.n_states(targets)
    size = prod(shape)
    cells = np.ravel_multi_index(tuple(codes), tuple(shape)).reshape(_CHAINS, length)
    mean = np.bincount(cells.ravel(), minlength=size) / cells.size
    # Rows of a chain depend on each other; means of long batches hardly do.
    per_batch = length // _BATCHES
    batches = cells[:, : per_batch * _BATCHES].reshape(-1, per_batch)
    means = np.stack([np.bincount(batch, minlength=size) for batch in batches]) / per_batch
    error = means.std(axis=0, ddof=1) / sqrt(len(means))
    report: dict[str, Any] = {"samples": int(cells.size), "chains": _CHAINS}
    if any((table == 0).any() for table in network.tables.values()):
        report["warning"] = (
            "the tables have zeros: a chain may never leave the states that it starts in, and the "
            "errors would not show it"
        )
    return mean.reshape(shape), error.reshape(shape), report


def belief_propagation(
    network: TableNetwork, targets: Sequence[int], evidence: Evidence, damping: float
) -> Estimate:
    """Send messages between variables and families until they settle.

    Exact if the network has no loop once the observed variables are taken out.
    """
    check_no_undefined(network, targets, evidence)
    if len(targets) > 1:
        raise DataError(
            'method="belief propagation" answers for one target at a time: ask for them one by '
            "one, or use another method"
        )
    with naming_impossible_evidence(network, evidence):
        beliefs = _core.belief_propagation(
            network.native,
            list(evidence.states),
            list(evidence.likelihoods),
            list(evidence.intervened),
            list(targets),
            _MAX_ITERATIONS,
            _TOLERANCE,
            damping,
            start(),
        )
    converged = beliefs.change <= _TOLERANCE
    report: dict[str, Any] = {
        "converged": converged,
        "iterations": beliefs.iterations,
        "last_change": beliefs.change,
    }
    if not converged:
        report["warning"] = (
            f"messages still change by {beliefs.change:.2g} after {beliefs.iterations} iterations: "
            "do not trust the numbers; try damping=0.5 or another method"
        )
    return np.asarray(beliefs.marginals[0]), None, report


def check_no_undefined(network: TableNetwork, targets: Sequence[int], evidence: Evidence) -> None:
    """Refuse to draw from rows that are not known, where they may be met."""
    needed = relevant_families(network, targets, evidence, probability=True)
    if needed := needed.intersection(network.undefined):
        raise DataError(
            f"the table of {network.names[min(needed)]!r} has rows that no data define, which "
            "samples and messages may meet: fit with a prior, as in fit(dag, table, "
            "parameters=dw.BDeu(1))"
        )
