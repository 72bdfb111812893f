"""From edges to a model: couplings without a penalty, in the coding that was asked for."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dagwright.markov.features import ising_features
from dagwright.markov.method import UndirectedData, UndirectedFound
from dagwright.markov.moments import scope_shares
from dagwright.markov.parameters import theta_of
from dagwright.markov.pseudo_likelihood_fit import fit_pseudo_likelihood
from dagwright.markov.spins import SpinRows
from dagwright.run import Run
from dagwright.undirected_graph import UndirectedGraph

__all__ = ["BY_PSEUDO_LIKELIHOOD", "empty_cells_of", "found_ising", "refitted", "too_large"]

Pair = tuple[int, int]

_LARGE = 1.0  # couplings from which on an empty cell is looked for
_SHOWN = 3
BY_PSEUDO_LIKELIHOOD = (
    "Fields and couplings are those of greatest pseudo-likelihood, not of greatest likelihood."
)


def refitted(
    data: UndirectedData,
    rows: SpinRows,
    edges: list[Pair],
    fields: NDArray[np.float64],
    couplings: NDArray[np.float64],
    run: Run,
) -> tuple[NDArray[np.float64], NDArray[np.float64], tuple[str, ...]]:
    """Return fields and couplings of greatest pseudo-likelihood, and what is to be said of them.

    Where some would be infinite, or seem so, a ridge of 1 / N keeps them finite. A run that is
    stopped keeps what it has.
    """
    if run.stopping():
        note = "The run was stopped before the couplings of the edges were fitted together."
        return fields, couplings, (note,)
    start = np.concatenate([np.where(np.isfinite(fields), fields, 0.0), couplings])
    fit = fit_pseudo_likelihood(rows, edges, run, start=start)
    notes = [BY_PSEUDO_LIKELIHOOD]
    empty = empty_cells_of(data, edges, fit.couplings)
    if empty and not run.stopping():
        fit = fit_pseudo_likelihood(rows, edges, run, l2=1 / rows.total_weight, start=start)
        notes.append(
            f"No row has {empty}: couplings there would be infinite, and a ridge of 1 / N keeps "
            "them finite."
        )
    large = too_large(data, edges, fit.couplings)
    if large and not empty and not run.stopping():
        fit = fit_pseudo_likelihood(rows, edges, run, l2=1 / rows.total_weight, start=start)
        notes.append(f"{large}, and a ridge of 1 / N keeps them finite.")
    return fit.fields, fit.couplings, (*notes, *fit.shortcoming())


def found_ising(
    data: UndirectedData,
    edges: list[Pair],
    fields: NDArray[np.float64],
    couplings: NDArray[np.float64],
    reason: str,
    approximations: tuple[str, ...],
    left_out: tuple[str, ...],
) -> UndirectedFound:
    """Return what was found, from fields and couplings of spins -1 and +1."""
    names, n = data.table.names, len(data.table.names)
    coding = data.coding or "-1/+1"
    theta = np.concatenate([fields, couplings])
    features = ising_features(n, edges, "-1/+1", names)
    if coding != "-1/+1":
        factors = features.factors(theta)
        features = ising_features(n, edges, coding, names)
        theta = theta_of(features, factors, coding)
    graph = UndirectedGraph._from_numbers(names, edges)
    return UndirectedFound(
        features, theta, graph, reason, approximations=approximations, left_out=left_out
    )


def too_large(data: UndirectedData, edges: list[Pair], couplings: NDArray[np.float64]) -> str:
    """Name the couplings without a penalty that are larger than rows can tell.

    Of two variables by themselves that is log(N) / 2, one row in a cell and half of them in others.
    Cells of three variables or more without rows make couplings infinite too.
    """
    most = 0.5 * np.log(max(len(data.table), float(data.table.total_weight)))
    names = data.table.names
    texts = [
        f"{names[a]!r} and {names[b]!r} ({own:.3g})"
        for (a, b), own in zip(edges, couplings, strict=True)
        if abs(own) > max(most, _LARGE)
    ]
    if not texts:
        return ""
    more = f"; and {len(texts) - _SHOWN} more" if len(texts) > _SHOWN else ""
    return (
        f"Couplings of {'; '.join(texts[:_SHOWN])}{more} are larger than so many rows can tell, "
        f"{max(most, _LARGE):.2g}: without a penalty they may be infinite"
    )


def empty_cells_of(data: UndirectedData, edges: list[Pair], couplings: NDArray[np.float64]) -> str:
    """Name the cells without rows of pairs whose couplings are large; nothing if there are none."""
    large = [edge for edge, own in zip(edges, couplings, strict=True) if abs(own) > _LARGE]
    names, states = data.table.names, data.table.states
    texts = [
        f"{names[a]!r} = {states[names[a]][i]!r}, {names[b]!r} = {states[names[b]][j]!r}"
        for (a, b), share in zip(large, scope_shares(data.table, large), strict=True)
        for i, j in np.argwhere(share == 0)
    ]
    more = f"; and {len(texts) - _SHOWN} more" if len(texts) > _SHOWN else ""
    return "; ".join(texts[:_SHOWN]) + more
