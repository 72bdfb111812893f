"""The counts of two variables in each stratum: each configuration of what is given that occurs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dagwright.family import FamilyCounts
from dagwright.information.cells import numbered
from dagwright.scorer import Scorer

__all__ = ["Strata", "count_strata", "pair_counts"]

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Strata:
    """Counts of the observed cells (stratum, x, y) and of the margins, which all are above 0.

    Only what was observed is listed, so any number of variables may be given.
    """

    counts: Floats
    """Of each cell."""
    row_of: Numbers
    """For each cell the place of its (stratum, x) among the rows."""
    column_of: Numbers
    """For each cell the place of its (stratum, y) among the columns."""
    rows: Floats
    """Totals of (stratum, x)."""
    row_strata: Numbers
    """The stratum of each row."""
    columns: Floats
    """Totals of (stratum, y)."""
    column_strata: Numbers

    @cached_property
    def totals(self) -> Floats:
        """The total of each stratum."""
        return _sums(self.row_strata, self.rows)

    @cached_property
    def n_rows(self) -> Numbers:
        """How many states of x each stratum has."""
        return np.bincount(self.row_strata)

    @cached_property
    def n_columns(self) -> Numbers:
        """How many states of y each stratum has."""
        return np.bincount(self.column_strata)

    @cached_property
    def expected(self) -> Floats:
        """What the observed cells would count if x and y were independent in each stratum."""
        totals = self.totals[self.row_strata[self.row_of]]
        return np.asarray(self.rows[self.row_of] * self.columns[self.column_of] / totals)

    def g2(self) -> float:
        """Return the likelihood ratio statistic, 2 N I(x; y | given) with I in nats."""
        return max(0.0, 2 * float((self.counts * np.log(self.counts / self.expected)).sum()))

    def x2(self) -> float:
        """Return Pearson's statistic; a cell that was not observed adds what was expected of it."""
        observed = float(((self.counts - self.expected) ** 2 / self.expected).sum())
        return observed + max(0.0, float(self.counts.sum() - self.expected.sum()))

    def degrees_of_freedom(self) -> int:
        """Return what these rows can test: (rows - 1) (columns - 1) of each stratum's own table."""
        return int(((self.n_rows - 1) * (self.n_columns - 1)).sum())


def count_strata(scorer: Scorer, x: str, y: str, given: tuple[str, ...]) -> Strata:
    """Count two variables in each stratum."""
    family = scorer.counts(y, [x, *given])
    strata = _strata_of(family, family.parents.index(x))
    row_of = family.cell_configs.astype(np.int64)
    keys = strata[row_of] * family.n_states + family.cell_states
    columns, column_of = np.unique(keys, return_inverse=True)
    column_of = column_of.reshape(-1)
    return Strata(
        counts=family.cell_counts,
        row_of=row_of,
        column_of=column_of,
        rows=family.config_totals,
        row_strata=strata,
        columns=_sums(column_of, family.cell_counts),
        column_strata=columns // family.n_states,
    )


def pair_counts(scorer: Scorer, x: str, y: str, given: Sequence[str]) -> Floats:
    """Return the counts of two variables in each stratum that was seen: (strata, r_x, r_y)."""
    family = scorer.counts(y, [x, *given])
    axis = family.parents.index(x)
    strata = _strata_of(family, axis)
    shape = (int(strata.max()) + 1, family.parents_n_states[axis], family.n_states)
    counts = np.zeros(shape)
    cells = family.cell_configs
    counts[strata[cells], family.configs[cells, axis], family.cell_states] = family.cell_counts
    return counts


def _strata_of(family: FamilyCounts, axis: int) -> Numbers:
    """Return the stratum of each configuration: what it is without one of the parents."""
    n_states = [n for i, n in enumerate(family.parents_n_states) if i != axis]
    return numbered(np.delete(family.configs, axis, axis=1).astype(np.int64), n_states)


def _sums(groups: Numbers, values: Floats) -> Floats:
    return np.bincount(groups, weights=values).astype(np.float64, copy=False)
