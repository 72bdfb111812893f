"""Estimates of an entropy from counts, and the units they come in."""

from __future__ import annotations

from math import log
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from dagwright.errors import SpecError
from dagwright.specs import check_positive

__all__ = ["ESTIMATES", "UNITS", "Estimate", "Estimator", "Unit", "entropy_of", "nats_per"]

Estimate = Literal["plug-in", "miller-madow", "dirichlet"]
Unit = Literal["nats", "bits"]

ESTIMATES: tuple[Estimate, ...] = get_args(Estimate)
UNITS: tuple[Unit, ...] = get_args(Unit)


class Estimator:
    """How an entropy is estimated from the counts of the observed cells, in nats.

    The estimates of one kind are coherent: those of larger sets of variables minus those of
    smaller ones estimate conditional entropies and mutual information, and chain rules hold.

    - "plug-in" is the entropy of the shares n / N. It is too low on average.
    - "miller-madow" adds (observed cells - 1) / (2 N), the bias to first order.
    - "dirichlet" is the posterior mean of the entropy (Wolpert and Wolf 1995). The prior of the
      joint distribution is a Dirichlet distribution with alpha = ess / cells for each cell, as in
      the score BDeu. The marginals of that prior have the same form, so the estimates for all
      sets of variables are means under one posterior.
    """

    def __init__(self, estimate: Estimate = "plug-in", ess: float | None = None) -> None:
        if estimate not in ESTIMATES:
            raise SpecError(f"estimate must be one of {', '.join(ESTIMATES)}, not {estimate!r}")
        if ess is not None and estimate != "dirichlet":
            raise SpecError(f'ess={ess!r} is for estimate="dirichlet", not for {estimate!r}')
        self.estimate = estimate
        self.ess = 1.0 if ess is None else float(check_positive("ess", ess))

    def entropy(self, counts: NDArray[np.float64], n_cells: float) -> float:
        """Return the entropy; `n_cells` is how many cells there are, observed or not."""
        total = float(counts.sum())
        if self.estimate == "dirichlet":
            return self._posterior_mean(counts, total, n_cells)
        plug_in = max(0.0, log(total) - float((counts * np.log(counts)).sum()) / total)
        if self.estimate == "miller-madow":
            return plug_in + (len(counts) - 1) / (2 * total)
        return plug_in

    def _posterior_mean(self, counts: NDArray[np.float64], total: float, n_cells: float) -> float:
        from scipy.special import digamma

        alpha = self.ess / n_cells
        unseen = self.ess * (1.0 - len(counts) / n_cells)  # what they have of the prior, together
        posterior = counts + alpha
        weighted = (posterior * digamma(posterior + 1)).sum() + unseen * digamma(alpha + 1)
        whole = total + self.ess
        return max(0.0, float(digamma(whole + 1) - weighted / whole))


def entropy_of(probabilities: NDArray[np.float64]) -> float:
    """Return the entropy of a distribution, in nats; 0 ln 0 is 0."""
    positive = probabilities[probabilities > 0]
    return max(0.0, -float((positive * np.log(positive)).sum()))


def nats_per(unit: Unit) -> float:
    """Return how many nats there are in one of this unit.

    Examples
    --------
    >>> round(nats_per("bits"), 4)
    0.6931
    """
    if unit not in UNITS:
        raise SpecError(f"unit must be one of {', '.join(UNITS)}, not {unit!r}")
    return log(2.0) if unit == "bits" else 1.0
