"""A threshold on the strength of couplings: which edges of a dense model stay."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dagwright.errors import SpecError
from dagwright.markov.neighbourhood_fits import fit_along
from dagwright.markov.screening import Candidates
from dagwright.markov.spins import SpinRows
from dagwright.markov.symmetrisation import edges_above
from dagwright.run import Run
from dagwright.specs import check_number

__all__ = [
    "ChosenThreshold",
    "below_threshold",
    "check_threshold",
    "extended_bic",
    "threshold_by_extended_bic",
]

_N_THRESHOLDS = 24
_PATIENCE = 4


@dataclass(frozen=True, eq=False)
class ChosenThreshold:
    """A threshold, and all that were looked at with their edges and extended BIC."""

    threshold: float
    thresholds: tuple[float, ...]
    n_edges: tuple[int, ...]
    criteria: tuple[float, ...]


def check_threshold(threshold: object) -> float | str:
    """Return a threshold that is one: a number, or "ebic"."""
    if isinstance(threshold, str):
        if threshold != "ebic":
            raise SpecError(f'threshold must be a number, 0 or more, or "ebic", not {threshold!r}')
        return threshold
    return check_number("threshold", threshold, "0 or more, or 'ebic'", lambda x: 0 <= x < np.inf)


def threshold_by_extended_bic(
    rows: SpinRows, strength: NDArray[np.float64], gamma: float, run: Run
) -> ChosenThreshold:
    """Return the threshold whose graph has the best extended BIC of the pseudo-likelihood.

    Graphs are looked at from none of the edges to all of them, in up to 24 steps of growing
    size, until four in a row are worse than the best; then more closely about the best. A
    threshold lies half-way between the weakest edge that stays and the strongest that goes. A run
    that is stopped takes the best so far; before any was looked at, all edges stay.
    """
    sizes = np.sort(strength[np.triu_indices(len(strength), k=1)])[::-1]
    sizes = np.concatenate([[np.inf], sizes[sizes > 0], [0.0]])  # what stays, what goes
    most = len(sizes) - 2
    seen: dict[int, float] = {}
    grid = [0, *_spread(np.geomspace(1, max(1, most), _N_THRESHOLDS), most)]
    while grid and not run.stopping():
        worse = 0
        for count in grid:
            if count in seen or sizes[count] == sizes[count + 1]:  # ties stay or go together
                continue
            value = extended_bic(rows, edges_above(strength, _between(sizes, count)), gamma, run)
            if run.stopping():
                break
            worse = 0 if value > max(seen.values(), default=-np.inf) else worse + 1
            seen[count] = value
            if worse == _PATIENCE:
                break
        grid = _closer(seen, most)
    counts = sorted(seen)
    best = max(counts, key=lambda count: seen[count]) if seen else most
    return ChosenThreshold(
        _between(sizes, best),
        tuple(_between(sizes, count) for count in counts),
        tuple(counts),
        tuple(seen[count] for count in counts),
    )


def _between(sizes: NDArray[np.float64], count: int) -> float:
    stays, goes = sizes[count], sizes[count + 1]
    return float(goes if np.isinf(stays) else (stays + goes) / 2)


def _closer(seen: dict[int, float], most: int) -> list[int]:
    """Return numbers of edges between the best and the next that were seen, if there are any."""
    if not seen:
        return []
    best = max(seen, key=lambda count: seen[count])
    below = max((count for count in seen if count < best), default=best)
    above = min((count for count in seen if count > best), default=most)
    between = _spread(np.linspace(below, above, _N_THRESHOLDS), most)
    return [count for count in between if below < count < above and count not in seen]


def _spread(counts: NDArray[np.float64], most: int) -> list[int]:
    return sorted({int(count) for count in np.rint(counts) if count <= most})


def extended_bic(rows: SpinRows, edges: list[tuple[int, int]], gamma: float, run: Run) -> float:
    """Return the extended BIC of a graph, higher is better.

    It is the sum over variables of the log-likelihood given the neighbours, each fitted by
    itself, less (log N / 2 + gamma log (n - 1)) for each neighbour.
    """
    n = rows.n_variables
    joined = np.zeros((n, n), dtype=bool)
    for a, b in edges:
        joined[a, b] = joined[b, a] = True
    supports = Candidates([np.flatnonzero(own).astype(np.uint32) for own in joined])
    fits = fit_along(rows, supports, "logistic", [0.0], run)[0]
    price = 0.5 * np.log(rows.total_weight) + gamma * np.log(max(1, n - 1))
    return float(-rows.total_weight * fits.losses.sum() - 2 * len(edges) * price)


def below_threshold(
    strength: NDArray[np.float64], threshold: float, chosen: bool, run: Run
) -> tuple[str, ...]:
    """Say how many couplings a threshold takes away, and whether its choice was cut short."""
    upper = strength[np.triu_indices(len(strength), k=1)]
    dropped = int(((upper > 0) & (upper <= threshold)).sum())
    stopped = chosen and run.stopping()
    cut_short = ("the run was stopped before all thresholds were looked at",) if stopped else ()
    if not dropped:
        return cut_short
    how = ", chosen by extended BIC" if chosen else ""
    said = f"{dropped:,} pairs: their couplings are within the threshold {threshold:.3g}{how}"
    return (said, *cut_short)
