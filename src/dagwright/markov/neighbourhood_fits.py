"""The couplings of each variable to the others, each variable by itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dagwright import _core
from dagwright.errors import SpecError
from dagwright.markov.screening import Candidates
from dagwright.markov.spins import SpinRows
from dagwright.run import Run

__all__ = [
    "LOSSES",
    "Loss",
    "NeighbourhoodFits",
    "check_loss",
    "fit_along",
    "fit_by_extended_bic",
    "largest_penalty",
    "n_wanted",
]

Loss = Literal["logistic", "rise", "log-rise"]

LOSSES = {
    "logistic": _core.NeighbourhoodLoss.logistic,
    "rise": _core.NeighbourhoodLoss.rise,
    "log-rise": _core.NeighbourhoodLoss.log_rise,
}

_TOLERANCE = 1e-8
_N_PENALTIES = 24  # of a path
_SMALLEST = 0.01  # penalty of a path, as a share of the largest
_PATIENCE = 3  # supports in a row that are worse than the best


@dataclass(frozen=True, eq=False)
class NeighbourhoodFits:
    """What each variable says of its own couplings; inside, spins are -1 and +1.

    Attributes
    ----------
    fields : array
    couplings : array, variables x variables
        Row v is what v says. It is symmetric only in the limit of many rows.
    losses : array
        The mean loss of each variable, without penalties.
    penalties : array
        Of each variable.
    residual : float
        The largest violation of the conditions of the minimum.
    n_done : int
        Variables that were fitted before the run was stopped; of the others all is 0.
    """

    fields: NDArray[np.float64]
    couplings: NDArray[np.float64]
    losses: NDArray[np.float64]
    penalties: NDArray[np.float64]
    residual: float
    n_done: int

    @classmethod
    def of(cls, found: Sequence[_core.Neighbourhood | None]) -> NeighbourhoodFits:
        """Gather neighbourhoods; None is a variable that a stopped run did not come to."""
        n = len(found)
        fields, couplings = np.zeros(n), np.zeros((n, n))
        losses, penalties = np.full(n, np.nan), np.full(n, np.nan)
        for v, own in enumerate(found):
            if own is not None:
                fields[v], losses[v], penalties[v] = own.field, own.loss, own.penalty
                couplings[v, own.variables] = own.couplings
        done = [own for own in found if own is not None]
        worst = max((own.residual for own in done), default=0.0)
        return cls(fields, couplings, losses, penalties, worst, len(done))


def fit_along(
    rows: SpinRows,
    candidates: Candidates,
    loss: Loss,
    penalties: Sequence[float],
    run: Run,
    ridge: float = 0.0,
) -> list[NeighbourhoodFits]:
    """Fit all variables at each penalty; falling penalties are fastest."""
    settings = _core.NeighbourhoodSettings(LOSSES[loss], ridge, _TOLERANCE)
    found = _core.neighbourhoods(
        rows.native, _as_lists(candidates), list(penalties), settings, run.native
    )
    return [
        NeighbourhoodFits.of([own[k] if own else None for own in found])
        for k in range(len(penalties))
    ]


def fit_by_extended_bic(
    rows: SpinRows, candidates: Candidates, loss: Loss, gamma: float, run: Run
) -> NeighbourhoodFits:
    """Fit all variables, each at the penalty whose neighbours have the best extended BIC.

    That is the log-likelihood of the variable given these neighbours, fitted without a penalty,
    less (log N / 2 + gamma log (n - 1)) for each of them. A path goes from the smallest penalty
    without neighbours down to a hundredth of it, and ends early where three more supports in a row
    are worse than the best.
    """
    settings = _core.NeighbourhoodSettings(LOSSES[loss], 0.0, _TOLERANCE)
    found = _core.choose_neighbourhoods(
        rows.native,
        _as_lists(candidates),
        rows.total_weight,
        gamma,
        max(1, rows.n_variables - 1),
        _N_PENALTIES,
        _SMALLEST,
        _PATIENCE,
        settings,
        run.native,
    )
    return NeighbourhoodFits.of([own.best if own.path else None for own in found])


def largest_penalty(rows: SpinRows, candidates: Candidates, loss: Loss, run: Run) -> float:
    """Return the smallest penalty at which no variable has a neighbour."""
    alone = fit_along(rows, candidates, loss, [np.inf], run)[0]
    slopes = _slopes(rows, alone, candidates.lists, loss, run)
    return max((float(np.abs(own).max(initial=0.0)) for own in slopes), default=0.0)


def n_wanted(
    rows: SpinRows, fits: NeighbourhoodFits, possible: Candidates, loss: Loss, run: Run
) -> int:
    """Return how many couplings that are possible and 0 would not stay so, were they candidates."""
    count = 0
    for v, own in enumerate(_slopes(rows, fits, possible.lists, loss, run)):
        zero = fits.couplings[v, possible.lists[v]] == 0
        count += int((zero & (np.abs(own) > fits.penalties[v] + _TOLERANCE)).sum())
    return count


def _slopes(
    rows: SpinRows,
    fits: NeighbourhoodFits,
    lists: Sequence[NDArray[np.uint32]],
    loss: Loss,
    run: Run,
) -> list[NDArray[np.float64]]:
    """Return the derivatives of each variable's loss by its couplings to those listed.

    When the run is stopped they are all 0.
    """
    losses, _, slopes = _core.neighbourhood_gradients(
        rows.native,
        fits.fields.tolist(),
        [own.tolist() for own in lists],
        [fits.couplings[v, own].tolist() for v, own in enumerate(lists)],
        LOSSES[loss],
        run.native,
    )
    if not len(losses):
        return [np.zeros(len(own)) for own in lists]
    return np.split(slopes, np.cumsum([len(own) for own in lists])[:-1])


def check_loss(loss: object) -> None:
    """Refuse a loss that there is not."""
    if loss not in LOSSES:
        raise SpecError(f"loss must be one of {', '.join(map(repr, LOSSES))}, not {loss!r}")


def _as_lists(candidates: Candidates) -> list[list[int]]:
    return [own.tolist() for own in candidates.lists]
