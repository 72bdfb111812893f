"""Greedy equivalence search: from class to class of equivalent graphs, while the score rises."""

from __future__ import annotations

from dataclasses import dataclass

from dagwright import _core
from dagwright.constraints import Constraints
from dagwright.errors import SpecError
from dagwright.run import Run
from dagwright.scorer import Scorer
from dagwright.search.base import Found, NativeSearch, from_native, searches

__all__ = ["GES"]


@searches.add
@dataclass(frozen=True)
class GES(NativeSearch):
    turning: bool = True
    repeat: bool = True
    name = "ges"

    def find(self, scorer: Scorer, constraints: Constraints, run: Run) -> Found:
        """Go from class to class up to a local optimum."""
        native = constraints.resolve(scorer.source.names, scorer.source.n_states)
        with scorer.naming_errors():
            found = _core.ges(scorer.native, native, self.turning, self.repeat, run.native)
        return from_native(found, scorer, run)
