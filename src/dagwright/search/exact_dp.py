"""The best graph of all, with a proof: dynamic programming over sets of variables."""

from __future__ import annotations

from dataclasses import dataclass

from dagwright import _core
from dagwright.constraints import Constraints
from dagwright.errors import GraphError, SpecError
from dagwright.graph import Dag
from dagwright.run import Run
from dagwright.scorer import Scorer
from dagwright.search.base import Found, NativeSearch, searches
from dagwright.search.hill_climb import HillClimb
from dagwright.search.parent_sets import ParentSets, dag_of, find_parent_sets, to_native
from dagwright.specs import check_positive

__all__ = ["ExactDP"]

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
        Refuse, before the work, what needs more memory than this.

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
    name = "exact-dp"

    def __post_init__(self) -> None:
        self._keep(max_bytes=check_positive("ExactDP: max_bytes", self.max_bytes))

    def refusal(self, scorer: Scorer, constraints: Constraints) -> str | None:
        """Say that there are too many variables for the memory."""
        return _refusal(len(scorer.names), self.max_bytes)

    def find(self, scorer: Scorer, constraints: Constraints, run: Run) -> Found:
        """Find the optimum; if stopped, the best that hill climbing found, and a bound."""
        if (reason := self.refusal(scorer, constraints)) is not None:
            raise SpecError(reason)
        climbed = HillClimb().find(scorer, constraints, run)
        return self.prove(
            climbed.dag, find_parent_sets(scorer, constraints, self.max_bytes, run), run
        )

    def prove(self, start: Dag | None, sets: ParentSets, run: Run) -> Found:
        """Find the best choice of parent sets; if stopped, return the start, and a bound."""
        if (reason := _refusal(len(sets.names), self.max_bytes)) is not None:
            raise SpecError(reason)
        optimum = _core.exact_dp(to_native(sets), run.native) if sets.complete else None
        if optimum is None or not optimum.complete:
            return _stopped(start, sets, run)
        if optimum.parents is None:
            raise GraphError("ExactDP: these parent sets allow no graph: every choice has a cycle")
        run.progress.score = max(run.progress.score, optimum.score)
        return Found(dag_of(sets, optimum.parents), reason="optimal", bound=optimum.score)


def _refusal(n_variables: int, max_bytes: float) -> str | None:
    needed = _core.exact_dp_bytes(n_variables)
    if n_variables <= _MOST_VARIABLES and needed <= max_bytes:
        return None
    return (
        f"ExactDP keeps numbers for every set of variables: {needed / 2**30:,.1f} GiB for "
        f"{n_variables} variables, more than max_bytes={max_bytes / 2**30:,.1f} GiB (and it takes "
        f"at most {_MOST_VARIABLES} variables): select fewer variables, or take ExactILP(), or a "
        "search without a proof, such as Auto()"
    )


def _stopped(start: Dag | None, sets: ParentSets, run: Run) -> Found:
    if start is None:
        raise GraphError(f"ExactDP: stopped ({run.reason}) before there was a graph")
    return Found(start, reason=run.reason or sets.reason, bound=sets.bound)
