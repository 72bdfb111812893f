"""A model beside the rows it was learned from: the dual view on few variables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagwright.conform import conform
from dagwright.markov.model import MarkovModel
from dagwright.table import Table

__all__ = ["EmpiricalComparison", "compare_with_empirical"]


@dataclass(frozen=True, eq=False)
class EmpiricalComparison:
    """The model's distribution beside the shares of the joint states in rows.

    Where the moments match, the model has the greatest entropy of all distributions with these
    moments, the rows' own among them, and what it has more is the divergence: kl is
    entropy - empirical_entropy.

    Attributes
    ----------
    probabilities, shares : arrays
        Of all joint states, one axis a variable: by the model, and in the rows.
    entropy, empirical_entropy : float
        In nats.
    kl : float
        The divergence of the model from the rows, in nats.
    largest_difference : float
        Of the probability of a joint state from its share.
    """

    probabilities: NDArray[np.float64]
    shares: NDArray[np.float64]
    entropy: float
    empirical_entropy: float
    kl: float
    largest_difference: float

    def __str__(self) -> str:
        return (
            f"entropy {self.entropy:.6g} nats, of the rows {self.empirical_entropy:.6g}; "
            f"divergence {self.kl:.3g}; probabilities differ by up to {self.largest_difference:.3g}"
        )


def compare_with_empirical(model: MarkovModel, data: Table | Any) -> EmpiricalComparison:
    """Compare a model of up to 2^20 joint states with rows."""
    p = model.probabilities()
    rows = conform(data, model.states, {})
    at = np.ravel_multi_index([codes.astype(np.int64) for codes in rows.codes], p.shape)
    weights = None if rows.weights is None else rows.weights.astype(np.float64)
    counts = np.bincount(at, weights, minlength=p.size).reshape(p.shape)
    shares = counts / counts.sum()
    seen = shares > 0
    with np.errstate(divide="ignore"):  # a model with zeros
        kl = float((shares[seen] * np.log(shares[seen] / p[seen])).sum())
    return EmpiricalComparison(
        p, shares, model.entropy, _entropy(shares), max(0.0, kl), float(np.abs(p - shares).max())
    )


def _entropy(p: NDArray[np.float64]) -> float:
    positive = p[p > 0]
    return float(-(positive * np.log(positive)).sum())
