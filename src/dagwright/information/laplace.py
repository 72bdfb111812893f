"""One family's marginal likelihood from its counts: exact, and by Laplace's approximation.

Laplace's method replaces the integral over the parameters of each configuration by that of a
Gaussian at the maximum of the likelihood: the likelihood there, times the prior's density there,
times the volume of the Gaussian.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["FamilyIntegral", "integrate_family"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class FamilyIntegral:
    """The parts of one family; ``laplace`` is None where ``zeros`` has cells."""

    log_likelihood: float
    exact: float
    laplace: float | None
    zeros: npt.NDArray[np.intp]
    """Cells (configuration, state) without a count in a configuration that has some."""


def integrate_family(counts: Floats, alpha: Floats) -> FamilyIntegral:
    """Return the parts from the counts of (configuration, state) and the prior's alpha.

    `alpha` is one number or has the shape of the counts. A configuration without counts adds
    nothing to any of them: its integral is that of the prior, which is 1.
    """
    from scipy.special import gammaln, xlogy

    seen = counts.sum(axis=1) > 0
    places = np.flatnonzero(seen)
    own = counts[seen]
    prior = np.broadcast_to(alpha, counts.shape)[seen]
    total, prior_total = own.sum(axis=1), prior.sum(axis=1)
    log_likelihood = float(xlogy(own, own).sum() - xlogy(total, total).sum())
    exact = float(
        (gammaln(prior_total) - gammaln(prior_total + total)).sum()
        + (gammaln(prior + own) - gammaln(prior)).sum()
    )
    zeros = np.argwhere(own == 0)
    zeros[:, 0] = places[zeros[:, 0]]
    if len(zeros):
        return FamilyIntegral(log_likelihood, exact, None, zeros)
    shares = np.log(own) - np.log(total)[:, None]
    free = counts.shape[1] - 1
    density = (gammaln(prior_total) - gammaln(prior).sum(axis=1)).sum() + (
        (prior - 1) * shares
    ).sum()
    volume = free / 2 * np.log(2 * np.pi / total).sum() + shares.sum() / 2
    return FamilyIntegral(log_likelihood, exact, float(log_likelihood + density + volume), zeros)
