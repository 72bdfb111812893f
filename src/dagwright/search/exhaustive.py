"""The best graph of all, by looking at every one."""

from __future__ import annotations

import math
from dataclasses import dataclass

from dagwright import _core
from dagwright.constraints import Constraints
from dagwright.errors import SpecError
from dagwright.graph import Dag
from dagwright.run import Run
from dagwright.scorer import Scorer
from dagwright.search.base import Found, NativeSearch, searches
from dagwright.search.hill_climb import HillClimb

__all__ = ["Exhaustive"]

_MOST_VARIABLES = 6


@searches.add
@dataclass(frozen=True)
class Exhaustive(NativeSearch):
    """The best of all graphs that satisfy the constraints, by looking at every one.

    There are 29,281 graphs over five variables and 3,781,503 over six, which is the most that it
    takes. It is the reference for the other searches; ``ExactDP`` finds the same optimum faster.

    Examples
    --------
    >>> import dagwright as dw
    >>> rows = dw.networks.load("cancer").sample(500, seed=1)
    >>> exact = dw.learn(rows, search=dw.Exhaustive())
    >>> exact.reason, exact.score == dw.learn(rows, search=dw.ExactDP()).score
    ('optimal', True)
    """

    name = "exhaustive"

    def refusal(self, scorer: Scorer, constraints: Constraints) -> str | None:
        """Say that there are too many variables."""
        n = len(scorer.names)
        if n <= _MOST_VARIABLES:
            return None
        return (
            f"Exhaustive looks at every graph: at most {_MOST_VARIABLES} variables, not {n}; "
            "ExactDP() and ExactILP() prove the optimum of more"
        )

    def find(self, scorer: Scorer, constraints: Constraints, run: Run) -> Found:
        """Look at all graphs; if stopped, return the best so far, or what hill climbing found."""
        if (reason := self.refusal(scorer, constraints)) is not None:
            raise SpecError(reason)
        names = scorer.source.names
        native = constraints.resolve(names, scorer.source.n_states)
        with scorer.naming_errors():
            best = _core.exhaustive(scorer.native, native, run.native)
        if best.parents is None:
            return HillClimb(sideways=False).find(scorer, constraints, run)
        parents = {names[i]: [names[p] for p in own] for i, own in enumerate(best.parents)}
        return Found(
            Dag.from_parents({name: parents[name] for name in scorer.names}),
            reason="optimal" if best.complete else run.reason or "done",
            bound=best.score if best.complete else math.inf,
        )
