"""Rows that a model has not seen: folds of rows, and how probable a fitted graph finds them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from dagwright.errors import DataError, SpecError
from dagwright.family_tables import Family, Parameters, check_parameters, count_in, table_of
from dagwright.likelihood import log_likelihood_of_rows
from dagwright.posterior.resample import given_weights
from dagwright.scorer import Scorer
from dagwright.scores import NativeScore
from dagwright.sources import Chunks
from dagwright.table import Table

__all__ = ["Folds", "HeldOutRows", "check_held_out_parameters", "mean_and_error", "split_rows"]

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


def split_rows(
    data: Table | Chunks, share: float, rng: np.random.Generator
) -> tuple[Floats, npt.NDArray[np.intp]]:
    """Return weights that are 0 for the rows held out, a share of all by chance, and these rows."""
    given = given_weights(data)
    weights = np.ones(len(data)) if given is None else given
    rows = np.flatnonzero(weights > 0)
    if len(rows) < 2:
        raise DataError(f"rows cannot be held out where there is but {len(rows)} of any weight")
    n = min(max(1, round(share * len(rows))), len(rows) - 1)
    held_out = np.sort(rng.permutation(rows)[:n])
    training = weights.copy()
    training[held_out] = 0.0
    return training, held_out


class HeldOutRows:
    """Some rows of data, and how probable graphs find them that were fitted without them."""

    def __init__(self, data: Table | Chunks, rows: npt.NDArray[np.intp]) -> None:
        self._tables, begin = [], 0
        for chunk in [data] if isinstance(data, Table) else data:
            inside = rows[(rows >= begin) & (rows < begin + len(chunk))] - begin
            if len(inside):
                self._tables.append(chunk.take(inside))
            begin += len(chunk)
        self.weights = np.concatenate(
            [
                np.ones(len(own)) if own.weights is None else own.weights.astype(np.float64)
                for own in self._tables
            ]
        )

    def log_likelihoods(
        self, families: Sequence[Family], training: Scorer, parameters: NativeScore
    ) -> Floats:
        """Return for each row the log probability of these families, fitted to training weights.

        That of all families of a graph is the log probability of the row.
        """
        states = {name: tuple(own) for name, own in training.data.states.items()}
        counted = count_in(training.source, families, 1)
        tables = {
            family[0]: table_of(family, states, observed, parameters)
            for family, observed in zip(families, counted, strict=True)
        }
        return np.concatenate([log_likelihood_of_rows(tables, own) for own in self._tables])


def mean_and_error(values: Floats, weights: Floats) -> tuple[float, float]:
    """Return the weighted mean and its standard error; a weight of 3 stands for three rows."""
    total = float(weights.sum())
    mean = float(weights @ values) / total
    return mean, float(np.sqrt(weights @ (values - mean) ** 2)) / total
