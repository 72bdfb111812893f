"""Hill climbing: one edge at a time, while the score rises."""

from __future__ import annotations

import math
from dataclasses import dataclass

from dagwright import _core
from dagwright.constraints import Constraints
from dagwright.errors import SpecError
from dagwright.graph import Dag
from dagwright.run import Run
from dagwright.scorer import Scorer
from dagwright.search.base import (
    Found,
    NativeSearch,
    check_equivalent,
    from_native,
    searches,
)
from dagwright.search.start import check_start, check_walk_memory, start_of
from dagwright.specs import check_number, check_whole

__all__ = ["HillClimb"]


@searches.add
@dataclass(frozen=True)
class HillClimb(NativeSearch):
    """Add, remove or reverse one edge at a time while the score rises.

    A step takes the best move of all. By default it goes ``sideways`` as well: rows cannot tell
    equivalent graphs apart, so it takes the best move from any of them, turning edges first that
    may as well point the other way. Where a plain climb is stuck with the directions it began with,
    this is not. The gains of all moves are kept; a step recomputes only those that it changed.
    Gains that differ by rounding only are ties, settled the same way for any order of rows and of
    variables.

    Parameters
    ----------
    start : "empty", "complete", "tree", "random" or a Dag
        Where to start. Empty, complete and the tree of greatest mutual information (of `ChowLiu`)
        are meant as far as the constraints allow; random depends on the run's seed; a Dag must
        satisfy the constraints.
    step : "best" or "first"
        Take the best move, or the first that improves.
    max_steps : int, optional
        Of one climb.
    min_gain : float
        Stop when no move gains more than this.
    restarts : int
        Climbs after the first one, several at a time on several threads; the best graph is kept.
        They start from random graphs, unless there is a perturbation.
    perturbation : int, optional
        Start each restart from the best graph so far after this many random moves instead.
    sideways : bool
        Take moves from all graphs equivalent to the one reached; False takes moves from that graph
        alone, the climb of the textbooks. There is no difference where equivalent graphs differ in
        score, as with `K2` or a structure prior that likes directions.

    Notes
    -----
    The trace is that of the climb that won; with a perturbation it starts at ``start`` and has the
    random moves in it. A step taken sideways changes its edge in some graph equivalent to the one
    before, as a step of `GES` does. Without sideways the trace, undone step by step from the graph,
    leads back to where the climb started.

    Sideways differs from `GES` in that additions, removals and reversals compete at every step,
    and in that it can start anywhere. A graph with many edges has too many equivalents to look at
    their moves step by step: from a start with edges, and with ``step="first"``, the climb goes
    straight up first and sideways from the local optimum on. A score with next to no price for
    edges leads to such graphs from any start: sideways then takes many times as long, and
    ``reason`` is "subset limit" where there were more moves than can be tried, as for `GES`.

    Which way an edge points that may as well be turned is settled, without sideways, by what others
    would then gain as further parents.

    References
    ----------
    Chickering, D. M. (1996). Learning equivalence classes of Bayesian-network structures. UAI.

    Examples
    --------
    >>> import dagwright as dw
    >>> table = dw.Table({"a": ["n", "n", "y", "y"] * 5, "b": ["n", "n", "y", "y"] * 5})
    >>> result = dw.learn(table, search=dw.HillClimb(start="empty"))
    >>> len(result.dag.edges), result.reason
    (1, 'local optimum')
    >>> dw.learn(table, search=dw.HillClimb(restarts=5, perturbation=3)).score == result.score
    True

    A plain climb takes an edge between causes of one effect, and is stuck with it:

    >>> rows = dw.networks.load("sachs").sample(10_000, seed=1)
    >>> plain = dw.learn(rows, search=dw.HillClimb(sideways=False))
    >>> dw.learn(rows, search=dw.HillClimb()).score > plain.score
    True
    """

    start: str | Dag = "empty"
    step: str = "best"
    max_steps: int | None = None
    min_gain: float = 0.0
    restarts: int = 0
    perturbation: int | None = None
    sideways: bool = True
    name = "hill-climb"

    def __post_init__(self) -> None:
        self._keep(start=check_start("HillClimb", self.start))
        if not isinstance(self.step, str) or self.step not in ("best", "first"):
            raise SpecError(f"HillClimb: step must be best or first, not {self.step!r}")
        if self.max_steps is not None:
            self._keep(max_steps=check_whole("HillClimb: max_steps", self.max_steps, 0))
        rule = "a finite number, 0 or more"
        self._keep(
            min_gain=check_number(
                "HillClimb: min_gain", self.min_gain, rule, lambda x: 0 <= x < math.inf
            )
        )

        if not isinstance(self.sideways, bool):
            raise SpecError(f"HillClimb: sideways must be True or False, not {self.sideways!r}")
        self._keep(restarts=check_whole("HillClimb: restarts", self.restarts, 0, 2**31))
        if self.perturbation is not None:
            moves = check_whole("HillClimb: perturbation", self.perturbation, 1, 2**31)
            self._keep(perturbation=moves)
            if self.restarts == 0:
                raise SpecError(
                    f"HillClimb: perturbation={moves} is for restarts: give restarts=10, say"
                )

    def find(self, scorer: Scorer, constraints: Constraints, run: Run) -> Found:
        """Climb to a local optimum."""
        sideways = self.sideways and scorer.score_equivalent
        check_walk_memory("HillClimb", scorer, run, self.restarts, sideways=sideways)
        native = constraints.resolve(scorer.source.names, scorer.source.n_states)
        with scorer.naming_errors():
            found = _core.hill_climb(
                scorer.native,
                native,
                start_of("HillClimb", self.start, scorer, constraints, native, run),
                self.step == "first",
                2**63 if self.max_steps is None else min(self.max_steps, 2**63),
                float(self.min_gain),
                sideways,
                self.restarts,
                self.perturbation or 0,
                run.seed,
                run.native,
            )
        check_equivalent("HillClimb", found, scorer, "take HillClimb(sideways=False)")
        return from_native(found, scorer, run)
