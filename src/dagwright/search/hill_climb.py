"""Hill climbing: one edge at a time, while the score rises."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from dagwright import _core
from dagwright._names import listed
from dagwright.constraints import Constraints
from dagwright.errors import GraphError, SpecError
from dagwright.graph import Dag
from dagwright.run import Run
from dagwright.scorer import Scorer
from dagwright.search.base import Found, NativeSearch, from_native, searches
from dagwright.specs import check_number, check_whole

__all__ = ["HillClimb"]

_STARTS = ("empty", "complete", "random")
_MOST_GAIN_BYTES = 4 << 30


@searches.add
@dataclass(frozen=True)
class HillClimb(NativeSearch):
    """Add, remove or reverse one edge at a time while the score rises.

    The gains of all moves are kept; a step recomputes only those of the children whose parents
    changed. Gains that differ by rounding only are ties, settled the same way for any order of rows
    and of variables.

    Parameters
    ----------
    start : "empty", "complete", "random" or a Dag
        Where to start. Empty and complete are meant as far as the constraints allow; random depends
        on the run's seed; a Dag must satisfy the constraints.
    step : "best" or "first"
        Take the best move, or the first that improves.
    max_steps : int, optional
    min_gain : float
        Stop when no move gains more than this.

    Examples
    --------
    >>> import dagwright as dw
    >>> table = dw.Table({"a": ["n", "n", "y", "y"] * 5, "b": ["n", "n", "y", "y"] * 5})
    >>> result = dw.learn(table, search=dw.HillClimb(start="empty"))
    >>> len(result.dag.edges), result.reason
    (1, 'local optimum')
    """

    start: str | Dag = "empty"
    step: str = "best"
    max_steps: int | None = None
    min_gain: float = 0.0
    name = "hill-climb"

    def __post_init__(self) -> None:
        if isinstance(self.start, Mapping):  # as files have it
            self._keep(start=Dag.from_dict(self.start))
        named = isinstance(self.start, str) and self.start in _STARTS
        if not named and not isinstance(self.start, Dag):
            raise SpecError(
                f"HillClimb: start must be one of {', '.join(_STARTS)}, or a Dag, "
                f"not {self.start!r}"
            )
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

    def find(self, scorer: Scorer, constraints: Constraints, run: Run) -> Found:
        """Climb to a local optimum."""
        needed = 8 * len(scorer.names) ** 2
        if needed > _MOST_GAIN_BYTES:
            raise SpecError(
                f"HillClimb keeps one gain for each pair of variables: {needed / 2**30:.0f} GiB "
                f"for {len(scorer.names):,} variables, more than {_MOST_GAIN_BYTES >> 30}: "
                "select fewer variables"
            )
        native = constraints.resolve(scorer.source.names, scorer.source.n_states)
        with scorer.naming_errors():
            found = _core.hill_climb(
                scorer.native,
                native,
                self._start(scorer, constraints, native, run),
                self.step == "first",
                2**63 if self.max_steps is None else min(self.max_steps, 2**63),
                float(self.min_gain),
                run.native,
            )
        return from_native(found, scorer, run)

    def _start(
        self, scorer: Scorer, constraints: Constraints, native: _core.Constraints, run: Run
    ) -> list[list[int]]:
        if self.start == "empty":
            return _core.empty_start(native)
        if self.start == "complete":
            return _core.complete_start(native)
        if self.start == "random":
            return _core.random_start(native, run.seed)
        assert isinstance(self.start, Dag)
        if set(self.start.nodes) != set(scorer.names):
            different = sorted(set(self.start.nodes) ^ set(scorer.names))
            raise GraphError(
                f"HillClimb: the start graph and the data differ in [{listed(different)}]"
            )
        by_name = scorer.data.n_states
        n_states = [by_name[node] for node in self.start.nodes]
        broken = constraints.violations(self.start, n_states)
        if broken:
            raise GraphError(f"HillClimb: the start graph breaks a constraint: {broken[0]}")
        number = scorer.source.number()
        return [
            sorted(number[parent] for parent in self.start.parents(node))
            for node in scorer.source.names
        ]
