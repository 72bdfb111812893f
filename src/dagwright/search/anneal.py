"""Simulated annealing: random moves, the losing ones the more rarely the cooler it is."""

from __future__ import annotations

from dataclasses import dataclass

from dagwright import _core
from dagwright.constraints import Constraints
from dagwright.errors import SpecError
from dagwright.graph import Dag
from dagwright.run import Run
from dagwright.scorer import Scorer
from dagwright.search.base import Found, NativeSearch, from_native, searches
from dagwright.search.start import check_start, check_walk_memory, start_of
from dagwright.specs import check_number, check_positive, check_whole

__all__ = ["Anneal"]


@searches.add
@dataclass(frozen=True)
class Anneal(NativeSearch):
    """Climb, then walk at random while it cools, then climb again.

    Moves are drawn at random. One that loses d nats is taken with probability
    exp(-d / temperature); the temperature falls by the same fraction with each move drawn. A climb
    from the best graph seen and one from the last graph end the walk; the best graph of all is
    kept, so it is never worse than the plain climb.

    Parameters
    ----------
    proposals : int, optional
        How many moves one walk draws: by default 1000 for each variable.
    acceptance : float
        Share of the losing moves that are taken in the beginning. The first temperature is chosen
        for it, from the losses of some moves.
    temperature : float, optional
        The first temperature, in nats, instead of the one chosen.
    last_temperature : float
        At 1, a move is taken as it would be by a sampler of the posterior of graphs.
    reheats : int
        The proposals are shared by one cooling more than this. Each after the first starts at the
        best graph so far and at half the first temperature of the one before.
    restarts : int
        Walks from random graphs after the first one, several at a time on several threads; the best
        graph is kept.
    start : "empty", "complete", "tree", "random" or a Dag
        As for HillClimb.

    Notes
    -----
    The trace is that of the climb that won. What was annealed before it is not in it: that may be
    millions of moves.

    Examples
    --------
    >>> import dagwright as dw
    >>> table = dw.Table({"a": ["n", "n", "y", "y"] * 5, "b": ["n", "n", "y", "y"] * 5})
    >>> result = dw.learn(table, search=dw.Anneal(proposals=100), seed=1)
    >>> len(result.dag.edges), result.reason
    (1, 'local optimum')
    """

    proposals: int | None = None
    acceptance: float = 0.3
    temperature: float | None = None
    last_temperature: float = 1.0
    reheats: int = 0
    restarts: int = 0
    start: str | Dag = "empty"
    name = "anneal"

    def __post_init__(self) -> None:
        if self.proposals is not None:
            self._keep(proposals=check_whole("Anneal: proposals", self.proposals, 1, 2**53))
        if self.temperature is not None:
            self._keep(temperature=check_positive("Anneal: temperature", self.temperature))
        rule = "above 0 and below 1"
        self._keep(
            acceptance=check_number(
                "Anneal: acceptance", self.acceptance, rule, lambda x: 0 < x < 1
            ),
            last_temperature=check_positive("Anneal: last_temperature", self.last_temperature),
            reheats=check_whole("Anneal: reheats", self.reheats, 0, 2**31),
            restarts=check_whole("Anneal: restarts", self.restarts, 0, 2**31),
            start=check_start("Anneal", self.start),
        )
        if self.temperature is not None and self.temperature < self.last_temperature:
            raise SpecError(
                f"Anneal: temperature={self.temperature} is below last_temperature="
                f"{self.last_temperature}: it cools from the first to the last; change one of them"
            )

    def find(self, scorer: Scorer, constraints: Constraints, run: Run) -> Found:
        """Climb, anneal, and climb again."""
        check_walk_memory("Anneal", scorer, run, self.restarts)
        native = constraints.resolve(scorer.source.names, scorer.source.n_states)
        proposals = 1000 * len(scorer.names) if self.proposals is None else self.proposals
        with scorer.naming_errors():
            found = _core.anneal(
                scorer.native,
                native,
                start_of("Anneal", self.start, scorer, constraints, native, run),
                proposals,
                float(self.acceptance),
                0.0 if self.temperature is None else float(self.temperature),
                float(self.last_temperature),
                self.reheats,
                self.restarts,
                run.seed,
                run.native,
            )
        return from_native(found, scorer, run)
