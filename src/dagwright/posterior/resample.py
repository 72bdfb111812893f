"""Random row weights that stand for another sample of as many rows."""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt

from dagwright.errors import DataError, SpecError
from dagwright.sources import Chunks
from dagwright.table import Table

__all__ = ["Resample", "ResampleKind", "given_weights", "stream_of"]

ResampleKind = Literal["rows", "bayesian"]

_UNIT = 1 / 16  # weights that are multiples of this are counted fast


class Resample:
    """Draws row weights for data.

    A weight of 3 stands for three rows, so that data with whole weights and the same rows written
    out have weights of the same distribution.

    Parameters
    ----------
    data : Table or Chunks
    kind : {"rows", "bayesian"}
        See :func:`dagwright.bootstrap`.
    """

    def __init__(self, data: Table | Chunks, kind: ResampleKind) -> None:
        if kind not in ("rows", "bayesian"):
            raise SpecError(f'kind must be "rows" or "bayesian", not {kind!r}')
        self.kind = kind
        self.n_rows = len(data)
        self.weights = given_weights(data)
        self.whole = self.weights is None or bool(np.all(self.weights == np.floor(self.weights)))
        if kind == "rows" and self.weights is not None and not self.whole:
            row = int(np.argmax(self.weights != np.floor(self.weights)))
            raise DataError(
                f"rows cannot be drawn again by weights that are not whole numbers: row {row} "
                f'(counted from 0) has {self.weights[row]:g}; take kind="bayesian", or round them'
            )

    def draw(self, rng: np.random.Generator) -> npt.NDArray[np.float64]:
        """Return one weight a row; their sum is that of the data's own."""
        if self.kind == "rows":
            return self._counts(rng).astype(np.float64)
        total = float(self.n_rows if self.weights is None else self.weights.sum())
        if not self.whole:
            return total * self._shares(rng)
        shapes = 1.0 if self.weights is None else self.weights
        drawn = rng.standard_gamma(shapes, self.n_rows)
        drawn *= total / drawn.sum()
        return rounded(drawn, total)

    def _counts(self, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        if self.weights is None:  # the same as below, several times faster
            return np.bincount(rng.integers(self.n_rows, size=self.n_rows), minlength=self.n_rows)
        total = self.weights.sum()
        return rng.multinomial(int(total), self.weights / total)

    def _shares(self, rng: np.random.Generator) -> npt.NDArray[np.float64]:
        """Draw shares of the total by their logs: those of small weights are below any double."""
        assert self.weights is not None
        drawn = np.log(rng.standard_gamma(self.weights + 1))
        with np.errstate(divide="ignore"):  # a weight of 0 has no share
            drawn += np.log(1 - rng.random(self.n_rows)) / self.weights
        shares = np.exp(drawn - drawn.max())
        return np.asarray(shares / shares.sum())


def stream_of(seed: int, replicate: int) -> np.random.Generator:
    """Return the random numbers of one replicate, whichever thread makes it."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(replicate,)))


def rounded(weights: npt.NDArray[np.float64], total: float) -> npt.NDArray[np.float64]:
    """Return multiples of 1/16 that add up to the total: the largest remainders are rounded up."""
    units = weights / _UNIT
    whole = np.floor(units)
    missing = round(total / _UNIT - float(whole.sum()))
    if missing > 0:
        up = np.argpartition(whole - units, missing - 1)[:missing]
        whole[up] += 1
    return whole * _UNIT


def given_weights(data: Table | Chunks) -> npt.NDArray[np.float64] | None:
    """Return the weights of all rows; None if every row counts once."""
    chunks = [data] if isinstance(data, Table) else data
    known = [(len(chunk), chunk.weights) for chunk in chunks]
    if all(own is None for _, own in known):
        return None
    return np.concatenate(
        [np.ones(n) if own is None else own.astype(np.float64) for n, own in known]
    )
