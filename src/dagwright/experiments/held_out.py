"""Rows that a model has not seen: folds of rows, and how probable a fitted graph finds them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dagwright.errors import DataError, SpecError
from dagwright.family_tables import Parameters, check_parameters, count_in, tables_of
from dagwright.graph import Dag
from dagwright.likelihood import log_likelihood_of_rows
from dagwright.posterior.resample import given_weights
from dagwright.scorer import Scorer
from dagwright.scores import NativeScore
from dagwright.sources import Chunks
from dagwright.table import Table

__all__ = ["Folds", "check_held_out_parameters", "held_out_log_likelihoods", "mean_and_error"]

Floats = npt.NDArray[np.float64]


class Folds:
    """Rows in folds of about the same size, by chance; rows of weight 0 are in none.

    Parameters
    ----------
    data : Table or Chunks
    n_folds : int
    rng : numpy Generator
    """

    def __init__(self, data: Table | Chunks, n_folds: int, rng: np.random.Generator) -> None:
        given = given_weights(data)
        self.weights: Floats = np.ones(len(data)) if given is None else given
        rows = np.flatnonzero(self.weights > 0)
        if n_folds > len(rows):
            raise DataError(
                f"{n_folds} folds need as many rows with a weight above 0, and there are "
                f"{len(rows)}: take fewer folds"
            )
        self.fold_of = np.full(len(data), -1)
        self.fold_of[rng.permutation(rows)] = np.arange(len(rows)) % n_folds

    def training_weights(self, fold: int) -> Floats:
        """Return the weights without the rows of a fold: 0 there."""
        return np.where(self.fold_of == fold, 0.0, self.weights)

    def rows(self, fold: int) -> npt.NDArray[np.intp]:
        """Return the rows of a fold, in their order."""
        return np.flatnonzero(self.fold_of == fold)


def check_held_out_parameters(parameters: Parameters) -> NativeScore:
    """Return the prior; refuse maximum likelihood, for which what is new is impossible."""
    checked = check_parameters(parameters)
    if checked == "ml":
        raise SpecError(
            'parameters="ml" finds rows impossible that have what no training row has: give a '
            "score with a Dirichlet prior, as BDeu(ess=1)"
        )
    return checked


def held_out_log_likelihoods(
    dag: Dag,
    training: Scorer,
    parameters: NativeScore,
    data: Table | Chunks,
    rows: npt.NDArray[np.intp],
) -> Floats:
    """Return the log probability of rows of the data under a graph fitted to training weights."""
    families = [(child, dag.parents(child)) for child in dag.nodes]
    counted = count_in(training.source, families, 1)
    states = {name: tuple(data.states[name]) for name in dag.nodes}
    tables = tables_of(dag, states, dict(zip(dag.nodes, counted, strict=True)), parameters)
    if isinstance(data, Table):
        return log_likelihood_of_rows(tables, data.take(rows))
    parts, begin = [], 0
    for chunk in data:
        inside = rows[(rows >= begin) & (rows < begin + len(chunk))] - begin
        if len(inside):
            parts.append(log_likelihood_of_rows(tables, chunk.take(inside)))
        begin += len(chunk)
    return np.concatenate(parts)


def mean_and_error(values: Floats, weights: Floats) -> tuple[float, float]:
    """Return the weighted mean and its standard error; a weight of 3 stands for three rows."""
    total = float(weights.sum())
    mean = float(weights @ values) / total
    return mean, float(np.sqrt(weights @ (values - mean) ** 2)) / total
