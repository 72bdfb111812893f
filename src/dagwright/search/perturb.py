"""Data perturbation: climbs on rows with random weights, which go back to what they were."""

from __future__ import annotations

from dataclasses import dataclass

from dagwright import _core
from dagwright.constraints import Constraints
from dagwright.graph import Dag
from dagwright.run import Run
from dagwright.scorer import Scorer
from dagwright.search.base import Found, NativeSearch, from_native, searches
from dagwright.search.start import check_start, check_walk_memory, start_of
from dagwright.specs import check_number, check_whole

__all__ = ["Perturb"]


@searches.add
@dataclass(frozen=True)
class Perturb(NativeSearch):
    """Climb on rows with random weights, and go on from there with weights nearer to the true ones.

    The local optima of weighted rows are elsewhere than those of the data, the high ones less so
    (Elidan, Ninio, Friedman & Schuurmans 2002). The weight of each row is multiplied by an
    exponential variable to the power of a strength, which falls to 0 over the rounds; a climb on
    the data themselves ends the walk. The plain climb is made too and the better graph kept, so it
    is never worse.

    Parameters
    ----------
    rounds : int
        How many times weights are drawn.
    strength : float
        Of the first round; at most 10. At 1 it is the Bayesian bootstrap.
    restarts : int
        Walks with other weights after the first one, every second of them from a random graph,
        several at a time on several threads; the best graph is kept.
    start : "empty", "complete", "tree", "random" or a Dag
        As for HillClimb.

    Notes
    -----
    The trace is that of the climb on the data that won: undone step by step from the graph, it
    leads back to where the climbs on weighted rows ended.

    Examples
    --------
    >>> import dagwright as dw
    >>> table = dw.Table({"a": ["n", "n", "y", "y"] * 5, "b": ["n", "n", "y", "y"] * 5})
    >>> result = dw.learn(table, search=dw.Perturb(rounds=3), seed=1)
    >>> len(result.dag.edges), result.reason
    (1, 'local optimum')
    """

    rounds: int = 10
    strength: float = 1.0
    restarts: int = 0
    start: str | Dag = "empty"
    name = "perturb"

    def __post_init__(self) -> None:
        rule = "above 0 and at most 10"
        self._keep(
            rounds=check_whole("Perturb: rounds", self.rounds, 1, 2**31),
            strength=check_number("Perturb: strength", self.strength, rule, lambda x: 0 < x <= 10),
            restarts=check_whole("Perturb: restarts", self.restarts, 0, 2**31),
            start=check_start("Perturb", self.start),
        )

    def find(self, scorer: Scorer, constraints: Constraints, run: Run) -> Found:
        """Climb on weighted rows, then on the data."""
        check_walk_memory("Perturb", scorer, run, self.restarts)
        native = constraints.resolve(scorer.source.names, scorer.source.n_states)
        with scorer.naming_errors():
            found = _core.perturb(
                scorer.native,
                native,
                start_of("Perturb", self.start, scorer, constraints, native, run),
                self.rounds,
                float(self.strength),
                self.restarts,
                run.seed,
                run.native,
            )
        return from_native(found, scorer, run)
