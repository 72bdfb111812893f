"""The best graph of all, with a proof: integer programming over parent sets."""

from __future__ import annotations

from dataclasses import dataclass

from dagwright.constraints import Constraints
from dagwright.errors import GraphError, SpecError, Unfinished
from dagwright.graph import Dag
from dagwright.run import Run
from dagwright.scorer import Scorer
from dagwright.search.auto import Auto
from dagwright.search.base import Found, NativeSearch, rounding, searches
from dagwright.search.cluster_ilp import check_solver, solve
from dagwright.search.parent_sets import MOST_VARIABLES, ParentSets, dag_of, find_parent_sets
from dagwright.specs import check_positive

__all__ = ["ExactILP"]


@searches.add
@dataclass(frozen=True)
class ExactILP(NativeSearch):
    """The best graph of all that satisfy the constraints, by integer programming.

    ``Auto`` finds a graph. The parent sets that a better one may need are found as in ``ExactDP``.
    Then each variable takes one of its sets such that there is no cycle: a linear program with the
    rules for clusters that its solutions violate gives a bound, sets that cannot be in a better
    graph are dropped, and an integer program with further rules closes what is left of the gap
    (Bartlett and Cussens 2017). Fast where few sets are left, which depends on the score and on
    the rows: with BIC and 1,000 rows, 60 variables take seconds. For the optimum of more than 64
    variables no parent sets are found.

    ``result.bound`` is the score itself when it is proved best. A run that is stopped returns the
    best so far, and a bound that no graph exceeds.

    It needs the package highspy: ``pip install 'dagwright[ilp]'``.

    Parameters
    ----------
    max_bytes : float
        Memory for parent sets in the making; when it is used up the bound counts what was not
        looked at.

    References
    ----------
    Bartlett, M. and Cussens, J. (2017). Integer linear programming for the Bayesian network
    structure learning problem. Artificial Intelligence 244.

    Examples
    --------
    >>> import dagwright as dw
    >>> result = dw.learn(dw.networks.load("asia").sample(500, seed=1), search=dw.ExactILP())
    >>> result.reason, result.gap
    ('optimal', 0.0)
    """

    max_bytes: float = 4 * 2.0**30
    name = "exact-ilp"

    def __post_init__(self) -> None:
        self._keep(max_bytes=check_positive("ExactILP: max_bytes", self.max_bytes))

    def refusal(self, scorer: Scorer, constraints: Constraints) -> str | None:
        """Say that there are too many variables."""
        n = len(scorer.names)
        if n <= MOST_VARIABLES:
            return None
        return (
            f"ExactILP takes at most {MOST_VARIABLES} variables, not {n}: select fewer, or take "
            "Auto()"
        )

    def find(self, scorer: Scorer, constraints: Constraints, run: Run) -> Found:
        """Find the optimum; if stopped, the best so far, and a bound."""
        if (reason := self.refusal(scorer, constraints)) is not None:
            raise SpecError(reason)
        check_solver()
        start = Auto().find(scorer, constraints, run)
        sets = find_parent_sets(scorer, constraints, self.max_bytes, run)
        return self.prove(start.dag, scorer.score(start.dag), sets, run)

    def prove(self, start: Dag | None, start_score: float, sets: ParentSets, run: Run) -> Found:
        """Find the best choice of parent sets; if stopped, return the best so far, and a bound."""
        place = {name: i for i, name in enumerate(sets.names)}
        parents = None
        if start is not None:
            parents = tuple(
                tuple(place[parent] for parent in start.parents(name)) for name in sets.names
            )
        solved = solve(sets, parents, start_score, run)
        if solved.parents is None:
            if run.reason is None and sets.complete:
                raise GraphError("ExactILP: these parent sets allow no graph: each has a cycle")
            raise Unfinished(f"ExactILP: {run.reason or sets.reason}, before there was a graph")
        dag = (
            start
            if start is not None and solved.parents == parents
            else dag_of(sets.names, sets.names, solved.parents)
        )
        proved = solved.bound <= solved.score + rounding(solved.score)
        return Found(
            dag, reason="optimal" if proved else run.reason or sets.reason, bound=solved.bound
        )
