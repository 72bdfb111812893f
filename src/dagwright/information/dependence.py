"""How two variables hang together, stratum by stratum, and what an edge between them gains."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from dagwright.errors import SpecError
from dagwright.information.mean_over_samples import SumTerm, entropy_term, gamma_term, mean_of

__all__ = ["Dependence", "Gain", "bdeu_gain", "bic_gain", "dependence_in"]

Floats = npt.NDArray[np.float64]

_STEPS = 80  # of a bisection: a double has no more bits
_MOST_TIMES = 2.0**60
_ROUNDING = 1e-12  # nats a row, which is for no number of rows worth an edge


@dataclass(frozen=True, eq=False)
class Dependence:
    """The joint distribution of x and y in each stratum of what is given.

    ``shares`` has the axes (stratum, x, y) and sums to 1; strata that have no share are left out,
    and ``n_strata`` counts all that are declared.
    """

    shares: Floats
    n_strata: float

    @property
    def degrees_of_freedom(self) -> float:
        """What an edge adds to the number of parameters: (r_x - 1) (r_y - 1) q."""
        _, n_x, n_y = self.shares.shape
        return float((n_x - 1) * (n_y - 1) * self.n_strata)

    @cached_property
    def information(self) -> float:
        """I(x; y | given), in nats."""
        value = float(_signed_sum(self.shares, [entropy_term] * 4))
        return value if value > _ROUNDING else 0.0

    @cached_property
    def independent(self) -> Dependence:
        """The same shares of x and of y in each stratum, without dependence."""
        of_x, of_y = self.shares.sum(2, keepdims=True), self.shares.sum(1, keepdims=True)
        return Dependence(of_x * of_y / self.shares.sum((1, 2), keepdims=True), self.n_strata)

    def bias(self, rows: int) -> float:
        """Return the information, in nats a row, that so many rows without dependence show."""
        return _mean_sum(self.independent.shares, [entropy_term] * 4, rows) / rows

    @cached_property
    def strongest(self) -> Dependence:
        """The pattern made as strong as it can be: then some cell has no share left."""
        falling = self._pattern < 0
        if self.information == 0 or not falling.any():
            return self.independent
        most = (self.independent.shares[falling] / -self._pattern[falling]).min()
        return self._with_pattern(float(most))

    def of_strength(self, strength: float) -> Dependence:
        """Return the dependence of this pattern with another information, in nats a row."""
        if strength == 0:
            return self.independent
        most = self.strongest.information
        if strength > most * (1 + 1e-12):
            raise SpecError(
                f"strength={strength!r} is more than this pair can have: with these shares of the "
                f"states and this pattern of dependence at most {most:.6g} nats a row"
            )
        low, high = 0.0, 1.0
        while self._with_pattern(high).information < strength and high < _MOST_TIMES:
            high *= 2
        for _ in range(_STEPS):
            middle = (low + high) / 2
            if self._with_pattern(middle).information < strength:
                low = middle
            else:
                high = middle
        return self._with_pattern(high)

    @cached_property
    def _pattern(self) -> Floats:
        return self.shares - self.independent.shares

    def _with_pattern(self, times: float) -> Dependence:
        shares = np.maximum(self.independent.shares + times * self._pattern, 0.0)
        return Dependence(shares / shares.sum(), self.n_strata)


def dependence_in(counts: Floats, n_strata: float) -> Dependence:
    """Return the dependence that counts of (stratum, x, y) show."""
    return Dependence(counts / counts.sum(), n_strata)


@dataclass(frozen=True)
class Gain:
    """What a score gains by an edge between x and y: a signed sum over cells, less a price.

    ``terms`` are those of the cells of (x, y, z), (x, z), (y, z) and z.
    """

    name: str
    terms: Sequence[SumTerm]
    price: Callable[[Any], Any]
    """What the edge costs in so many rows, where that is no part of the terms."""

    def of(self, counts: npt.NDArray[Any]) -> Floats:
        """Return the gain of each table of counts, whose last axes are (stratum, x, y)."""
        return np.asarray(_signed_sum(counts, self.terms) - self.price(counts.sum((-1, -2, -3))))

    def mean(self, dependence: Dependence, rows: float) -> float:
        """Return the mean of the gain over samples of so many rows."""
        return _mean_sum(dependence.shares, self.terms, rows) - float(self.price(rows))


def bic_gain(degrees_of_freedom: float) -> Gain:
    """Return what BIC gains: N I(x; y | z) - (ln N / 2) dof."""
    return Gain("BIC", [entropy_term] * 4, lambda rows: degrees_of_freedom / 2 * np.log(rows))


def bdeu_gain(ess: float, n_x: int, n_y: int, n_strata: float) -> Gain:
    """Return what BDeu gains: the log Bayes factor of the edge."""
    cells = [n_x * n_y * n_strata, n_x * n_strata, n_y * n_strata, n_strata]
    return Gain(f"BDeu({ess:g})", [gamma_term(ess / n) for n in cells], lambda rows: 0.0)


def _margins(table: npt.NDArray[Any]) -> list[tuple[int, npt.NDArray[Any]]]:
    """Return what the terms are of: the cells of (x, y, z), (x, z), (y, z) and z, with signs."""
    return [
        (1, table),
        (-1, table.sum(-1, keepdims=True)),
        (-1, table.sum(-2, keepdims=True)),
        (1, table.sum((-1, -2), keepdims=True)),
    ]


def _signed_sum(table: npt.NDArray[Any], terms: Sequence[SumTerm]) -> Floats:
    sums = [
        sign * term.at(counts).sum((-1, -2, -3))
        for (sign, counts), term in zip(_margins(table), terms, strict=True)
    ]
    return np.asarray(sum(sums))


def _mean_sum(shares: Floats, terms: Sequence[SumTerm], rows: float) -> float:
    return float(
        sum(
            sign * mean_of(term, own, rows)
            for (sign, own), term in zip(_margins(shares), terms, strict=True)
        )
    )
