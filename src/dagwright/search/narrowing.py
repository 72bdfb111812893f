"""Constraints of the user, made stricter by what a search looks for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict

from dagwright import _core
from dagwright._names import Edge, listed
from dagwright.constraints import Constraints
from dagwright.errors import GraphError, SpecError, did_you_mean
from dagwright.scorer import Scorer
from dagwright.search.base import NativeSearch

__all__ = ["NarrowingSearch", "narrowed", "variable_number"]


class NarrowingSearch(NativeSearch):
    """A search whose graphs satisfy more than the constraints; it refuses what rules them out."""

    def _narrowed(self, scorer: Scorer, constraints: Constraints) -> _core.Constraints:
        raise NotImplementedError

    def refusal(self, scorer: Scorer, constraints: Constraints) -> str | None:
        """Say why no graph of this search satisfies the constraints; None when there is one."""
        try:
            self._narrowed(scorer, constraints)
        except SpecError as error:
            return str(error)
        return None


def narrowed(
    why: str,
    constraints: Constraints,
    scorer: Scorer,
    *,
    max_parents: int | None = None,
    required: Iterable[Edge] = (),
    forbidden: Iterable[Edge] = (),
) -> _core.Constraints:
    """Return stricter constraints for the core; if no graph is left, say why."""
    values = asdict(constraints)
    values["required"] += tuple(required)
    values["forbidden"] += tuple(forbidden)
    bounds = [bound for bound in (max_parents, constraints.max_parents) if bound is not None]
    values["max_parents"] = min(bounds, default=None)
    try:
        stricter = Constraints(**values)
        return stricter.resolve(scorer.source.names, scorer.source.n_states)
    except GraphError as error:
        raise SpecError(f"{why}: {error}") from None


def variable_number(setting: str, name: str, scorer: Scorer) -> int:
    """Return the number in the core of a variable that a setting names."""
    try:
        return scorer.source.names.index(name)
    except ValueError:
        hint = did_you_mean(name, scorer.names) or f"; there are {listed(scorer.names)}"
        raise SpecError(f"{setting}={name!r} is no variable of the data{hint}") from None
