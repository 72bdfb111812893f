"""Order search: walks over orders of the variables, over a pool of scored families."""

from __future__ import annotations

from dataclasses import dataclass

from dagwright import _core
from dagwright.constraints import Constraints
from dagwright.graph import Dag
from dagwright.run import Run
from dagwright.scorer import Scorer
from dagwright.search.base import Found, NativeSearch, from_native, searches
from dagwright.search.start import check_start, check_walk_memory, start_of
from dagwright.specs import check_whole

__all__ = ["OrderSearch"]


@searches.add
@dataclass(frozen=True)
class OrderSearch(NativeSearch):
    """Search over orders of the variables instead of graphs.

    Given an order, the best graph is found child by child, each taking the best of its parent sets
    that comes before it; so there are far fewer local optima in the way than among graphs. Walks
    put one variable after the other where it gains most; when nothing gains, some variables are
    put elsewhere at random, and the walk goes on from there unless it ends lower.

    The parent sets are a pool: all small sets, sets above those that beat their subsets, and then
    sets with one parent more than those that the walks chose. When there was no better graph for
    long, the pool grows once more. Each new best graph is also climbed from, edge by edge, so that
    the result is never worse than ``HillClimb(sideways=False)`` from the same start.

    Parameters
    ----------
    chains : int
        Walks side by side, on as many threads as there are.
    patience : int
        Rounds of all walks without a better graph, before the pool grows.
    enrichments : int
        How often the pool grows in vain before the search ends.
    max_candidates : int
        Where a child has more than 64 possible parents: with how many it begins, those with the
        highest gain alone. Others join, up to 64, when they gain beside parents that a walk chose.
    restarts : int
        How often all of it is done again, with other random numbers; the best is kept.
    start : "empty", "complete", "tree", "random" or a Dag
        Where the first climb starts, as for HillClimb.

    Examples
    --------
    Wet grass when exactly one of two sprinklers is on: neither tells anything alone.

    >>> import dagwright as dw
    >>> table = dw.Table({
    ...     "a": ["n", "n", "y", "y"] * 9,
    ...     "b": ["n", "y", "n", "y"] * 9,
    ...     "wet": ["n", "y", "y", "n"] * 9,
    ... })
    >>> len(dw.learn(table, search=dw.HillClimb()).dag.edges)
    0
    >>> len(dw.learn(table, search=dw.OrderSearch()).dag.edges)
    2
    """

    chains: int = 8
    patience: int = 100
    enrichments: int = 2
    max_candidates: int = 24
    restarts: int = 0
    start: str | Dag = "empty"
    name = "order-search"

    def __post_init__(self) -> None:
        self._keep(
            chains=check_whole("OrderSearch: chains", self.chains, 1, 1024),
            patience=check_whole("OrderSearch: patience", self.patience, 1, 2**31),
            enrichments=check_whole("OrderSearch: enrichments", self.enrichments, 0, 2**31),
            max_candidates=check_whole("OrderSearch: max_candidates", self.max_candidates, 1, 64),
            restarts=check_whole("OrderSearch: restarts", self.restarts, 0, 2**31),
            start=check_start("OrderSearch", self.start),
        )

    def find(self, scorer: Scorer, constraints: Constraints, run: Run) -> Found:
        """Walk over orders until nothing better comes."""
        check_walk_memory("OrderSearch", scorer, run)
        native = constraints.resolve(scorer.source.names, scorer.source.n_states)
        with scorer.naming_errors():
            found = _core.order_search(
                scorer.native,
                native,
                start_of("OrderSearch", self.start, scorer, constraints, native, run),
                self.chains,
                self.patience,
                self.enrichments,
                self.max_candidates,
                self.restarts,
                run.seed,
                run.native,
            )
        return from_native(found, scorer, run)
