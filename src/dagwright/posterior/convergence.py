"""Whether chains agree, and how many independent draws they are worth: numbers of any quantity.

All as in Vehtari, A., Gelman, A., Simpson, D., Carpenter, B. and Bürkner, P.-C. (2021).
Rank-normalization, folding, and localization: an improved R-hat for assessing convergence of MCMC.
Bayesian Analysis 16(2). Quantities come as arrays of chains by draws, or of chains by draws by
quantities.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = [
    "bulk_effective_size",
    "effective_sizes",
    "rank_r_hat",
    "split_r_hats",
    "standard_errors",
]

Floats = npt.NDArray[np.float64]

_FEWEST_DRAWS = 4  # two in each half of a chain
_MOST_NUMBERS = 1 << 22  # at a time


def rank_r_hat(values: Floats) -> float:
    """Return R-hat of one quantity: of its ranks, and of how far they are from the middle.

    The larger of the two, each made normal: chains that differ in place have the first above 1,
    chains that differ in width the second.
    """
    halves = _halves(values)
    folded = abs(halves - np.median(halves)) if halves.size else halves
    both = np.stack([_normal_scores(halves), _normal_scores(folded)], axis=-1)
    return float(_r_hats(both).max())


def split_r_hats(values: npt.NDArray[Any]) -> Floats:
    """Return the classic R-hat of each quantity, of chains cut in halves.

    For quantities that are 0 or 1 ranks change nothing.
    """
    return _in_parts(_r_hats, values)


def bulk_effective_size(values: Floats) -> float:
    """Return the effective sample size of one quantity, of its ranks made normal."""
    return float(_effective(_normal_scores(_halves(values))[..., None])[0])


def effective_sizes(values: npt.NDArray[Any]) -> Floats:
    """Return the effective sample size of each quantity, for its mean."""
    return _in_parts(_effective, values)


def standard_errors(values: Floats, weights: Floats) -> Floats:
    """Return the Monte-Carlo standard error of the weighted mean of each quantity.

    The weights, chains by draws, sum to 1. The error is that of the plain mean of
    weight * (value - mean), which is what a weighted mean differs from the truth by, to first
    order; with equal weights it is the usual one. 0 where all draws are the same; NaN where there
    are too few draws to tell.
    """
    mean = np.einsum("cd,cdk->k", weights, values)
    parts = weights[..., None] * weights.size * (values - mean)
    same = np.ptp(values, axis=(0, 1)) == 0
    variance = parts.var(axis=(0, 1), ddof=1) if weights.size > 1 else np.full(len(mean), np.nan)
    return np.where(same, 0.0, np.sqrt(variance / effective_sizes(parts)))


def _in_parts(of: Callable[[Floats], Floats], values: npt.NDArray[Any]) -> Floats:
    """Go through the quantities some at a time: indicators take eight times as much as floats."""
    n_chains, n_draws, n = values.shape
    step = max(1, _MOST_NUMBERS // max(1, n_chains * n_draws))
    parts = [
        of(_halves(values[..., at : at + step]).astype(np.float64)) for at in range(0, n, step)
    ]
    return np.concatenate(parts) if parts else np.empty(0)


def _halves(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Cut every chain in halves, which become chains; the middle of an odd one is left out."""
    half = values.shape[1] // 2
    return np.concatenate([values[:, :half], values[:, values.shape[1] - half :]])


def _normal_scores(values: Floats) -> Floats:
    """Return the normal quantiles of the ranks of all numbers; ties share their mean rank."""
    from scipy.special import ndtri
    from scipy.stats import rankdata

    ranks = rankdata(values.ravel()).reshape(values.shape)
    return np.asarray(ndtri((ranks - 3 / 8) / (values.size + 1 / 4)))


def _r_hats(chains: Floats) -> Floats:
    """Return R-hat: 1 where all draws are the same, infinite where chains stand still apart."""
    n = chains.shape[1]
    if 2 * n < _FEWEST_DRAWS:
        return np.full(chains.shape[2:], np.nan)
    between = n * chains.mean(axis=1).var(axis=0, ddof=1)
    within = chains.var(axis=1, ddof=1).mean(axis=0)
    ratio = np.ones(within.shape)
    np.divide(between, within, out=ratio, where=within > 0)
    ratio[(within == 0) & (np.ptp(chains, axis=(0, 1)) > 0)] = np.inf
    return np.asarray(np.sqrt((ratio + n - 1) / n))


def _effective(chains: Floats) -> Floats:
    """Return the effective sample size of each quantity, from all its autocorrelations.

    Neighbouring pairs of these have positive sums that never rise (Geyer 1992): the sum ends at
    the first pair that is not positive, and later pairs are cut down to earlier ones.
    """
    m, n, k = chains.shape
    if 2 * n < _FEWEST_DRAWS:
        return np.full(k, np.nan)
    covariance = _autocovariance(chains)  # of lags 0, 1, ..., the mean over chains
    within = covariance[0] * n / (n - 1)
    total = covariance[0] + chains.mean(axis=1).var(axis=0, ddof=1)
    varies = np.ptp(chains, axis=(0, 1)) > 0
    total = np.where(varies, total, 1.0)
    correlation = 1 - (within - covariance) / total
    correlation[0] = 1
    # The last pair that is looked at leaves a lag or two: those have hardly any terms.
    n_pairs = max(1, (n - 2) // 2 + (n % 2))
    pairs = (correlation[: 2 * n_pairs].reshape(n_pairs, 2, k)).sum(axis=1)
    positive = np.logical_and.accumulate(pairs > 0, axis=0)
    positive[-1] = False
    sums = np.minimum.accumulate(pairs, axis=0)
    last, every = positive.sum(axis=0), np.arange(k)  # the first pair that does not count in full
    rest = correlation[2 * last, every]
    rest = np.where(pairs[last, every] > 0, rest, np.maximum(rest, 0))
    time = -1 + 2 * np.where(positive, sums, 0).sum(axis=0) + rest
    # Draws that alternate are worth more than independent ones, but not without bound.
    size: Floats = m * n / np.maximum(time, 1 / np.log10(m * n))
    return np.where(varies, size, float(m * n))


def _autocovariance(chains: Floats) -> Floats:
    """Return the mean over chains of the autocovariances of all lags, each a sum over n."""
    n = chains.shape[1]
    length = 1 << (2 * n - 1).bit_length()
    centred = chains - chains.mean(axis=1, keepdims=True)
    spectrum = np.fft.rfft(centred, length, axis=1)
    power = (spectrum.real**2 + spectrum.imag**2).mean(axis=0)
    return np.asarray(np.fft.irfft(power, length, axis=0)[:n] / n)
