"""Tabu search: the best move that does not go back, even if it loses."""

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
from dagwright.specs import check_whole

__all__ = ["Tabu"]


@searches.add
@dataclass(frozen=True)
class Tabu(NativeSearch):
    """Climb as hill climbing does, and then go on: take the best move that is not tabu.

    A move that leads to a graph better than all before is always allowed, so the walk is never
    worse than the plain climb from the same start. Where every move is tabu, the list is forgotten.

    Parameters
    ----------
    tenure : int, optional
        How many steps going back is tabu: by default half the number of variables, at least 10.
    patience : int
        The walk ends after so many steps without a new best graph.
    memory : "moves" or "states"
        With moves, it is tabu to put two nodes back to what was between them (no edge, or an edge
        in one direction) before one of the last ``tenure`` steps. With states, only the graphs of
        the last ``tenure`` steps themselves are tabu.
    explore : int
        Random moves that are taken once half of the patience is used up.
    restarts : int
        Walks from random graphs after the first one, several at a time on several threads; the best
        graph is kept.
    start : "empty", "complete", "tree", "random" or a Dag
        As for HillClimb.

    Notes
    -----
    The trace is that of the walk that won, up to its best graph: undone step by step it leads back
    to where that walk started.

    Examples
    --------
    >>> import dagwright as dw
    >>> table = dw.Table({"a": ["n", "n", "y", "y"] * 5, "b": ["n", "n", "y", "y"] * 5})
    >>> result = dw.learn(table, search=dw.Tabu(tenure=5, patience=10))
    >>> len(result.dag.edges), result.reason
    (1, 'patience')
    """

    tenure: int | None = None
    patience: int = 100
    memory: str = "moves"
    explore: int = 0
    restarts: int = 0
    start: str | Dag = "empty"
    name = "tabu"

    def __post_init__(self) -> None:
        if not isinstance(self.memory, str) or self.memory not in ("moves", "states"):
            raise SpecError(f"Tabu: memory must be moves or states, not {self.memory!r}")
        if self.tenure is not None:
            self._keep(tenure=check_whole("Tabu: tenure", self.tenure, 1, 2**31))
        self._keep(
            patience=check_whole("Tabu: patience", self.patience, 1, 2**31),
            explore=check_whole("Tabu: explore", self.explore, 0, 2**31),
            restarts=check_whole("Tabu: restarts", self.restarts, 0, 2**31),
            start=check_start("Tabu", self.start),
        )

    def find(self, scorer: Scorer, constraints: Constraints, run: Run) -> Found:
        """Walk until there was no new best graph for long."""
        check_walk_memory("Tabu", scorer, run, self.restarts)
        native = constraints.resolve(scorer.source.names, scorer.source.n_states)
        with scorer.naming_errors():
            found = _core.tabu(
                scorer.native,
                native,
                start_of("Tabu", self.start, scorer, constraints, native, run),
                max(10, len(scorer.names) // 2) if self.tenure is None else self.tenure,
                self.patience,
                self.memory == "states",
                self.explore,
                self.restarts,
                run.seed,
                run.native,
            )
        return from_native(found, scorer, run)
