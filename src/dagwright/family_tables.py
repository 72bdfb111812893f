"""From rows to the tables of a network's families, and tables that grow and shrink by rows."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from math import prod
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dagwright import _core
from dagwright.conditional_table import MOST_CELLS, ConditionalTable
from dagwright.errors import DataError, SpecError
from dagwright.graph import Dag
from dagwright.scores import BDe, BDeu, NativeScore, Score, scores
from dagwright.sources import Chunks, Source, open_source
from dagwright.table import Table

__all__ = [
    "Parameters",
    "check_parameters",
    "count_each",
    "count_families",
    "count_in",
    "merged",
    "observed_in",
    "parameters_of_score",
    "table_of",
    "tables_of",
]

Parameters = Literal["ml"] | NativeScore
Family = tuple[str, tuple[str, ...]]
"""A child and its parents."""

Observed = tuple[NDArray[np.uint16], NDArray[np.float64]]
"""Configurations that occur, sorted, and the counts of the child's states in each."""

_FEW_CELLS = 1 << 16
_MOST_CELLS_A_COUNT = 4


def check_parameters(parameters: Any) -> Parameters:
    """Return what parameters are estimated by: "ml", or a score whose prior is a Dirichlet one."""
    if parameters == "ml":
        return "ml"
    if isinstance(parameters, NativeScore) and _has_prior(parameters):
        return parameters
    raise SpecError(
        f'parameters={parameters!r} is not known: give "ml" for maximum likelihood, or a score '
        "with a Dirichlet prior: BDeu(ess=1), K2(), BDe(...), Dirichlet(...)"
    )


def parameters_of_score(described: Mapping[str, Any]) -> Parameters:
    """Return the prior of a score that is described in plain values; BDeu(1) if it has none.

    BIC has none; a score of the user's own is not known by its name.
    """
    with suppress(SpecError):
        return check_parameters(scores.from_dict(described))
    return BDeu(1)


def _has_prior(score: Score) -> bool:
    return type(score).hyperparameters is not NativeScore.hyperparameters  # type: ignore[attr-defined]


def count_families(dag: Dag, data: Table | Chunks) -> dict[str, Observed]:
    """Count all families of a graph, in one pass over the data."""
    counted = count_each([(child, dag.parents(child)) for child in dag.nodes], data)
    return dict(zip(dag.nodes, counted, strict=True))


def count_each(families: Sequence[Family], data: Table | Chunks) -> list[Observed]:
    """Count families, each a child and its parents, in one pass over the data."""
    threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
    return count_in(open_source(data), families, threads)


def count_in(source: Source, families: Sequence[Family], threads: int) -> list[Observed]:
    """Count families in a source that is open."""
    number = source.number()
    numbered = [
        (number[child], sorted(number[parent] for parent in parents)) for child, parents in families
    ]
    counted = source.native.count_all(numbered, _core.Run(threads))
    out = []
    for (_, parents), native in zip(families, counted, strict=True):
        observed = native.observed()
        own = [source.names[parent] for parent in native.parents]
        axes = [own.index(parent) for parent in parents]
        configs = observed.config_states.reshape(observed.config_totals.size, len(own))
        counts = np.zeros((len(configs), native.n_states))
        counts[observed.cell_configs, observed.cell_states] = observed.cell_counts
        out.append(_sorted(configs[:, axes].astype(np.uint16), counts))
    return out


def _sorted(configs: NDArray[np.uint16], counts: NDArray[np.float64]) -> Observed:
    order = np.lexsort(configs.T[::-1]) if configs.shape[1] else np.arange(len(configs))
    return configs[order], counts[order]


def tables_of(
    dag: Dag,
    states: Mapping[str, tuple[Any, ...]],
    observed: Mapping[str, Observed],
    parameters: Parameters,
) -> dict[str, ConditionalTable]:
    """Make the tables of all families from what was observed."""
    return {
        child: table_of((child, dag.parents(child)), states, observed[child], parameters)
        for child in dag.nodes
    }


def table_of(
    family: Family,
    states: Mapping[str, tuple[Any, ...]],
    observed: Observed,
    parameters: Parameters,
) -> ConditionalTable:
    """Make the table of one family from what was observed."""
    child, parents = family
    configs, counts = observed
    own = {name: states[name] for name in (*parents, child)}
    shape = tuple(len(of) for of in own.values())
    alpha = None
    if parameters != "ml":
        if prod(shape) > MOST_CELLS and isinstance(parameters, BDe):
            raise DataError(_too_large(child, prod(shape)))
        n_states = {name: len(of) for name, of in states.items()}
        alpha = parameters.hyperparameters(child, parents, n_states)
        if alpha is not None and alpha.ndim:
            alpha = np.ascontiguousarray(alpha).reshape(-1, shape[-1])
    stored: NDArray[np.uint16] | None = configs
    if _is_dense(shape, counts, alpha, child):
        full = np.zeros((prod(shape[:-1]), shape[-1]))
        place = np.zeros(len(configs), dtype=np.intp)
        for axis, n in enumerate(shape[:-1]):
            place = place * n + configs[:, axis]
        full[place] = counts
        counts, stored = full, None
    counts.flags.writeable = False
    return ConditionalTable(child, parents, own, counts, alpha, stored)


def _is_dense(
    shape: tuple[int, ...],
    counts: NDArray[np.float64],
    alpha: NDArray[np.float64] | None,
    child: str,
) -> bool:
    cells = prod(shape)
    if alpha is not None and alpha.ndim:
        if cells > MOST_CELLS:
            raise DataError(_too_large(child, cells))
        return True
    return cells <= max(_FEW_CELLS, _MOST_CELLS_A_COUNT * counts.size)


def _too_large(child: str, cells: int) -> str:
    return (
        f"the table of {child!r} has {float(cells):.3g} cells, too many for a prior with a "
        "hyperparameter of its own for each: use BDeu or K2"
    )


def observed_in(table: ConditionalTable) -> Observed:
    """Return what a table has counted, whichever way it is stored."""
    if table.counts is None:
        raise DataError(
            f"the table of {table.child!r} was not fitted, so there are no counts to change: fit "
            "the graph to rows first, with parameters=dw.BDe(network=model, ess=...) if this "
            "network is to count as well"
        )
    if table.configs is not None:
        return table.configs, table.counts
    seen = np.flatnonzero(table.counts.any(axis=1))
    shape = table.shape[:-1]
    configs = np.stack(np.unravel_index(seen, shape), axis=1) if shape else np.empty((len(seen), 0))
    return configs.astype(np.uint16), table.counts[seen]


def merged(first: Observed, second: Observed, sign: int, n_states: int, child: str) -> Observed:
    """Add or take away counts; the child may have got new states, which come last."""
    configs = np.concatenate([first[0], second[0]])
    counts = np.zeros((len(configs), n_states))
    counts[: len(first[0]), : first[1].shape[1]] = first[1]
    counts[len(first[0]) :, : second[1].shape[1]] = sign * second[1]
    if configs.shape[1]:
        distinct, place = np.unique(configs, axis=0, return_inverse=True)
        place = place.ravel()
    else:
        distinct, place = configs[:1], np.zeros(len(configs), dtype=np.intp)
    sums = np.zeros((len(distinct), n_states))
    np.add.at(sums, place, counts)
    if sign < 0 and (np.rint(sums) != sums).any():  # fractions: what is left by rounding is nothing
        involved = np.zeros_like(sums)
        np.add.at(involved, place, abs(counts))
        sums[abs(sums) <= 1e-12 * involved] = 0
    if (sums < 0).any():
        at = int((sums < 0).any(axis=1).argmax())
        raise DataError(
            f"rows to forget were never counted: {child!r} would have a count of "
            f"{sums[at].min():g} for the codes {distinct[at].tolist()} of its parents"
        )
    seen = sums.any(axis=1)
    return distinct[seen], sums[seen]
