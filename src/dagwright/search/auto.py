"""Auto: which searches, one after the other, for the data at hand."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from dagwright.constraints import Constraints
from dagwright.run import Run
from dagwright.scorer import Scorer
from dagwright.search.base import Found, NativeSearch, Stage, rounding, searches
from dagwright.search.exact_dp import ExactDP
from dagwright.search.ges import GES
from dagwright.search.hill_climb import HillClimb
from dagwright.search.order_search import OrderSearch
from dagwright.specs import Spec

__all__ = ["Auto"]

_FEW_VARIABLES = 10
"""Up to here the default patience of order search is plenty, and a proof is quick."""

_FEW_ROWS = 10_000

_MANY_VARIABLES = 500
"""Beyond, the walks over orders are shorter: a round of them takes seconds."""

_SECONDS_PER_RESTART = 3.0
_MOST_RESTARTS = 10


@searches.add
@dataclass(frozen=True)
class Auto(NativeSearch):
    """What ``learn`` uses: hill climbing, greedy equivalence search, order or exact search.

    Hill climbing comes first, so that there is a good graph within milliseconds. Greedy equivalence
    search is next where the score and the structure prior are score-equivalent. Order search goes
    on from the better of the two; up to 10 variables and 10,000 rows, dynamic programming takes its
    place, which takes less time and proves the optimum (for more there is ``learn(prove=True)``).
    All of them share one cache of scores. The best graph is kept, so that the result is never worse
    than that of any of them; ``result.stages`` says what was run, for how long and what it found.

    With more than 65 variables order search does not look at all edges; ``result.edges_left_out``
    says how many it left out. Every three seconds of a time limit make it start once more, up to
    ten times: whoever gives it time wants it used.

    A score written in Python is thousands of times slower than one in the core: it gets hill
    climbing alone, from the empty graph.

    Examples
    --------
    >>> import dagwright as dw
    >>> table = dw.Table({
    ...     "a": ["n", "n", "y", "y"] * 9,
    ...     "b": ["n", "y", "n", "y"] * 9,
    ...     "wet": ["n", "y", "y", "n"] * 9,
    ... })
    >>> result = dw.learn(table)
    >>> [stage.search for stage in result.stages]
    ['hill-climb', 'ges', 'exact-dp']
    >>> len(result.dag.edges)
    2
    """

    name = "auto"

    def find(self, scorer: Scorer, constraints: Constraints, run: Run) -> Found:
        """Run the stages until one is stopped."""
        best: Found | None = None
        best_score, bound = -math.inf, math.inf
        stages: list[Stage] = []
        for search in self._stages(scorer, constraints, run.time_limit):
            if best is not None and isinstance(search, OrderSearch):
                search = replace(search, start=best.dag)
            began = run.seconds
            found = search.find(scorer, constraints, run)
            score = scorer.score(found.dag)
            seconds = run.seconds - began
            stages.append(Stage(search.name, score, seconds, found.reason, found.edges_left_out))
            if best is None or score > best_score + rounding(score):
                best, best_score = found, score
            bound = min(bound, found.bound)
            if run.reason is not None:
                break
        assert best is not None
        return replace(
            best,
            reason=stages[-1].reason,
            stages=tuple(stages),
            edges_left_out=stages[-1].edges_left_out,
            bound=bound,
        )

    def _stages(
        self, scorer: Scorer, constraints: Constraints, time_limit: float | None
    ) -> Iterator[HillClimb | GES | OrderSearch | ExactDP]:
        if not isinstance(scorer.score_spec, Spec):
            yield HillClimb()
            return
        yield HillClimb(sideways=False)  # GES goes sideways; what this finds differs from that
        ges = GES()
        if ges.refusal(scorer, constraints) is None:
            yield ges
        n = len(scorer.names)
        if n <= _FEW_VARIABLES and len(scorer.data) <= _FEW_ROWS:
            yield ExactDP()
            return
        order_search = OrderSearch() if n <= _FEW_VARIABLES else OrderSearch(patience=500)
        if n > _MANY_VARIABLES:
            order_search = OrderSearch(chains=4, patience=40, enrichments=1)
        if time_limit is not None:  # a number, not what the clock allows: the answer stays exact
            restarts = min(_MOST_RESTARTS, int(time_limit / _SECONDS_PER_RESTART))
            order_search = replace(order_search, restarts=restarts)
        yield order_search
