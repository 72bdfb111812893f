"""The best graph of all, with a proof: dynamic programming over sets of variables."""

from __future__ import annotations

import math
import os
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from dagwright import _core
from dagwright.constraints import Constraints
from dagwright.errors import DataError, GraphError, SpecError, Unfinished
from dagwright.graph import Dag
from dagwright.run import Run
from dagwright.scorer import Scorer
from dagwright.search.base import Found, NativeSearch, searches
from dagwright.search.hill_climb import HillClimb
from dagwright.search.parent_sets import ParentSets, dag_of, find_parent_sets, to_native
from dagwright.specs import check_positive

__all__ = ["ExactDP", "forecast_seconds"]

_MOST_VARIABLES = 31


@searches.add
@dataclass(frozen=True)
class ExactDP(NativeSearch):
    """The best graph of all that satisfy the constraints, by dynamic programming.

    First the parent sets of each variable that may be in an optimal graph are found. Then, for
    every set of variables, the best graph over it is the best choice of a last variable (a sink)
    and the best graph over the rest (Silander and Myllymaki 2006). Memory doubles with each
    variable, and a little more: 25 variables take 1.1 GiB.

    To find the parent sets takes seconds with BIC. With BDeu the scores of all sets are looked at:
    a second for 18 variables and 1,000 rows, and twice as long for each further one. With K2 and
    the like, which share less between sets, 16 variables are quick;
    ``Constraints(max_parents=...)`` makes more of them so.

    ``result.bound`` is the score itself. A run that is stopped returns the graph of a hill climb,
    and a bound that no graph exceeds.

    Parameters
    ----------
    max_bytes : float
        Memory for the tables; what needs more is refused before the work, with the numbers.
    scratch : str, optional
        A folder for tables that do not fit in ``max_bytes``: 28 variables take 9 GiB. They are
        files that vanish with the run, however it ends.

    References
    ----------
    Silander, T. and Myllymaki, P. (2006). A simple approach for finding the globally optimal
    Bayesian network structure. Uncertainty in Artificial Intelligence 22.

    Examples
    --------
    >>> import dagwright as dw
    >>> result = dw.learn(dw.networks.load("asia").sample(500, seed=1), search=dw.ExactDP())
    >>> result.reason, result.gap
    ('optimal', 0.0)
    """

    max_bytes: float = 4 * 2.0**30
    scratch: str | None = None
    name = "exact-dp"

    def __post_init__(self) -> None:
        self._keep(max_bytes=check_positive("ExactDP: max_bytes", self.max_bytes))
        if self.scratch is not None:
            if not isinstance(self.scratch, str | os.PathLike) or not Path(self.scratch).is_dir():
                raise SpecError(f"ExactDP: scratch={self.scratch!r} is not a folder")
            self._keep(scratch=os.fspath(self.scratch))

    def refusal(self, scorer: Scorer, constraints: Constraints) -> str | None:
        """Say that there are too many variables for the memory."""
        return self._refusal(len(scorer.names))

    def find(self, scorer: Scorer, constraints: Constraints, run: Run) -> Found:
        """Find the optimum; if stopped, the best that hill climbing found, and a bound."""
        if (reason := self.refusal(scorer, constraints)) is not None:
            raise SpecError(reason)
        climbed = HillClimb(sideways=False).find(scorer, constraints, run)
        sets = find_parent_sets(scorer, constraints, self.max_bytes, run)
        return self.prove(climbed.dag, scorer.score(climbed.dag), sets, run)

    def prove(self, start: Dag | None, start_score: float, sets: ParentSets, run: Run) -> Found:
        """Find the best choice of parent sets; if stopped, return the start, and a bound."""
        if (reason := self._refusal(len(sets.names))) is not None:
            raise SpecError(reason)
        run.progress.score = max(run.progress.score, start_score)
        optimum = None
        reason = sets.reason
        if sets.complete:
            order, native = to_native(sets)
            if self.scratch is None and _core.exact_dp_bytes(native) > self.max_bytes:
                reason = "memory"  # there are so many sets that a number of one takes four bytes
            else:
                optimum = self._solve(native, run)
        if optimum is None or not optimum.complete:
            if start is None:
                raise Unfinished(f"ExactDP: {run.reason or reason}, before there was a graph")
            return Found(start, reason=run.reason or reason, bound=sets.bound)
        if optimum.parents is None:
            raise GraphError("ExactDP: these parent sets allow no graph: each has a cycle")
        run.progress.score = max(run.progress.score, optimum.score)
        dag = dag_of(sets.names, order, optimum.parents)
        return Found(dag, reason="optimal", bound=optimum.score)

    def _solve(self, native: list[_core.AllParentSets], run: Run) -> _core.Optimum:
        try:
            return _core.exact_dp(native, self.max_bytes, self.scratch or "", run.native)
        except _core.NoRoom as error:
            raise DataError(f"ExactDP: {error}: give another folder as scratch") from None
        except MemoryError:
            needed = _core.exact_dp_bytes(native)
            raise MemoryError(
                f"ExactDP: {needed / 2**30:,.3g} GiB were needed, and the system has less: lower "
                "max_bytes and give a folder as scratch, or take ExactILP()"
            ) from None

    def _refusal(self, n_variables: int) -> str | None:
        needed = _core.exact_dp_bytes(n_variables)
        if n_variables > _MOST_VARIABLES:
            return (
                f"ExactDP takes at most {_MOST_VARIABLES} variables, not {n_variables}: select "
                "fewer variables, or take ExactILP(), or a search without a proof, such as Auto()"
            )
        if needed <= self.max_bytes or self.scratch is not None:
            return None
        return (
            f"ExactDP keeps numbers for every set of variables: {needed / 2**30:,.3g} GiB and "
            f"about {forecast_seconds(n_variables):,.0f} s for {n_variables} variables, more than "
            f"max_bytes={self.max_bytes / 2**30:,.3g} GiB: give a folder as scratch, select fewer "
            "variables, or take ExactILP(), or a search without a proof, such as Auto()"
        )


def forecast_seconds(n_variables: int, threads: int = 1) -> float:
    """Say how long the tables take, once the parent sets are found.

    Examples
    --------
    >>> forecast_seconds(20) > 2 * forecast_seconds(18)
    True
    """
    return _seconds_of_a_step() * n_variables * 2.0**n_variables / threads


@cache
def _seconds_of_a_step() -> float:
    n = 18  # tables that fill the processor's cache, as larger ones do
    only_empty = [_core.AllParentSets([0], [0.0], 0) for _ in range(n)]
    seconds = []
    for _ in range(3):
        began = time.perf_counter()
        _core.exact_dp(only_empty, math.inf, "", _core.Run())
        seconds.append(time.perf_counter() - began)
    return sorted(seconds)[1] / (n * 2.0**n)
