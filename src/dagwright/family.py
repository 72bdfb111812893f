"""The counts of one family, as a score written in Python sees them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from dagwright import _core
from dagwright.errors import DataError

if TYPE_CHECKING:
    from dagwright.sources import Source

__all__ = ["FamilyCounts"]

_MOST_CELLS = 10_000_000


class FamilyCounts:
    """The contingency table of a child and its parents: all that a score sees of the data.

    Only what was observed (count > 0) is listed: the configurations of the parents, and the cells,
    each a configuration together with a state of the child. :meth:`dagwright.Scorer.counts` gives
    them, and every score's ``local`` takes them.

    Attributes
    ----------
    child : str
    parents : tuple of str
        In dagwright's canonical order of the variables, which is the order of all arrays here.
    n_states : int
        Declared states of the child (r).
    parents_n_states : tuple of int
    n_configs : float
        Number of configurations of the parents (q), observed or not.
    total : float
        Sum of the row weights (N).

    Examples
    --------
    >>> import dagwright as dw
    >>> table = dw.Table({"a": ["n", "n", "y", "y"], "b": ["n", "y", "y", "y"]})
    >>> family = dw.Scorer(table).counts("b", ["a"])
    >>> family.table()
    array([[1., 1.],
           [0., 2.]])
    >>> family.config_totals
    array([2., 2.])
    """

    def __init__(self, native: _core.FamilyCounts, source: Source) -> None:
        self.native = native
        self.source = source
        names = source.names
        self.child = names[native.child]
        self.parents = tuple(names[parent] for parent in native.parents)
        self.n_states = native.n_states
        self.parents_n_states = tuple(native.parents_n_states)
        self.n_configs = native.n_configs
        self.total = native.total

    @cached_property
    def _observed(self) -> _core.ObservedCells:
        return self.native.observed()

    @cached_property
    def configs(self) -> npt.NDArray[np.uint32]:
        """States of the parents in each observed configuration, shape (configs, parents)."""
        return self._observed.config_states.reshape(self.config_totals.size, len(self.parents))

    @cached_property
    def config_totals(self) -> npt.NDArray[np.float64]:
        """N_ij of each observed configuration."""
        return self._observed.config_totals

    @cached_property
    def cell_configs(self) -> npt.NDArray[np.uint32]:
        """For each observed cell the place of its configuration in ``configs``."""
        return self._observed.cell_configs

    @cached_property
    def cell_states(self) -> npt.NDArray[np.uint32]:
        """For each observed cell the state of the child."""
        return self._observed.cell_states

    @cached_property
    def cell_counts(self) -> npt.NDArray[np.float64]:
        """N_ijk of each observed cell."""
        return self._observed.cell_counts

    def table(self) -> npt.NDArray[np.float64]:
        """All counts, zeros too, shape (*parents_n_states, n_states); refused when too large."""
        if self.n_configs * self.n_states > _MOST_CELLS:
            raise DataError(
                f"the table of {self.child!r} given {len(self.parents)} parents has "
                f"{self.n_configs * self.n_states:.3g} cells, more than {_MOST_CELLS:,}: "
                "use the observed cells instead"
            )
        table = np.zeros((*self.parents_n_states, self.n_states))
        place = tuple(self.configs[self.cell_configs].T)
        table[(*place, self.cell_states)] = self.cell_counts
        return table

    def __repr__(self) -> str:
        given = f" given {', '.join(self.parents)}" if self.parents else ""
        return (
            f"FamilyCounts({self.child}{given}: {self.cell_counts.size} cells, N = {self.total:g})"
        )
