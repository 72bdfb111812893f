"""What every search takes and returns."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, NamedTuple, Protocol, runtime_checkable

from dagwright import _core
from dagwright._names import listed
from dagwright.constraints import Constraints
from dagwright.errors import GraphError, SpecError
from dagwright.graph import Dag, check_dag
from dagwright.run import Run
from dagwright.scorer import Scorer
from dagwright.scores import Score
from dagwright.specs import Registry, Spec

__all__ = [
    "Found",
    "NativeSearch",
    "Search",
    "Stage",
    "Step",
    "check_equivalent",
    "check_found",
    "check_search",
    "from_native",
    "rounding",
    "searches",
]


class Step(NamedTuple):
    """One move of a search: ``add``, ``remove`` or ``reverse`` the edge start -> end.

    Or ``order``, without an edge: an order of the variables was tried, which led to the score.
    """

    operator: str
    start: str
    end: str
    gain: float
    score: float
    """The graph's score after the step."""


_STEP_OF = partial(tuple.__new__, Step)
"""Step._make without a call into Python: there may be hundreds of thousands."""


@dataclass(frozen=True)
class Stage:
    """One search among several that were run one after the other: what it found, and its time."""

    search: str
    score: float
    seconds: float
    reason: str
    edges_left_out: int = 0


@dataclass(frozen=True)
class Found:
    """What a search returns: a graph over all variables, how it got there, and why it ended."""

    dag: Dag
    trace: Sequence[Step] = ()
    reason: str = "done"
    stages: Sequence[Stage] = ()
    edges_left_out: int = 0
    """Edges that the constraints allow and the search did not consider."""
    bound: float = math.inf
    """No graph within the constraints scores higher, as far as the search knows."""


@runtime_checkable
class Search(Protocol):
    """Any object with ``find`` is a search and works with every score, prior and data.

    Examples
    --------
    A search in pure Python: of some random graphs, the best.

    >>> import dagwright as dw
    >>> class BestOfRandom:
    ...     def find(self, scorer, constraints, run):
    ...         dags = [dw.random_dag(scorer.names, seed=run.seed + i) for i in range(100)]
    ...         return dw.Found(max(dags, key=scorer.score))
    >>> table = dw.Table({"a": ["n", "y"] * 9, "b": ["n", "y"] * 9})
    >>> len(dw.learn(table, search=BestOfRandom()).dag.edges)
    1
    """

    def find(self, scorer: Scorer, constraints: Constraints, run: Run) -> Found:
        """Search until done or until ``run.stopping()``; return the best graph."""
        ...


class NativeSearch(Spec):
    """Base of the searches whose algorithm is in the core.

    ``default_score``: what ``dw.learn`` takes when no score is given, if that is not BIC.
    """

    default_score: ClassVar[Score | None] = None

    def refusal(self, scorer: Scorer, constraints: Constraints) -> str | None:
        """Say why this search cannot take this score, prior or constraint; None when it can."""
        return None


searches: Registry[NativeSearch] = Registry("search")


def from_native(found: _core.Found, scorer: Scorer, run: Run) -> Found:
    """Put names to what the core found."""
    names = scorer.source.names
    in_data = dict(zip(scorer.names, range(len(names)), strict=True))
    families = found.renumbered([in_data[name] for name in names])
    return Found(
        dag=Dag._from_lists(scorer.names, *families),
        trace=tuple(map(_STEP_OF, found.trace(names))),
        reason=run.reason or found.finish.name.replace("_", " "),
        edges_left_out=found.edges_left_out,
    )


def check_equivalent(search: str, found: _core.Found, scorer: Scorer, instead: str) -> None:
    """Refuse a score that tells graphs apart which it says are the same."""
    if found.finish == _core.Finish.not_equivalent:
        raise SpecError(
            f"{search}: the score {type(scorer.score_spec).__name__} says that it is "
            "score-equivalent, but gives equivalent graphs different totals: correct it, or "
            f"drop score_equivalent = True and {instead}"
        )


def check_search(search: object) -> None:
    """Refuse what has no method ``find``."""
    if isinstance(search, type | str) or not callable(getattr(search, "find", None)):
        raise SpecError(
            f"search={search!r} is not a search: give one such as HillClimb(), "
            "or an object with a method find(scorer, constraints, run)"
        )


def check_found(found: object, search: object, scorer: Scorer, constraints: Constraints) -> None:
    """Refuse what a search must not return: another graph than one within the constraints."""
    if not isinstance(found, Found):
        raise SpecError(
            f"{search!r} returned a {type(found).__name__}, but a search returns a Found(dag)"
        )
    check_dag(found.dag, f"the graph that {search!r} returned")
    data = scorer.data
    if found.dag.nodes != data.names and set(found.dag.nodes) != set(data.names):
        different = sorted(set(found.dag.nodes) ^ set(data.names))
        raise GraphError(
            f"{search!r} returned a graph that differs from the data in [{listed(different)}]"
        )
    if constraints == Constraints():
        return
    states = data.states
    broken = constraints.violations(found.dag, [len(states[node]) for node in found.dag.nodes])
    if broken:
        raise GraphError(f"{search!r} returned a graph that breaks a constraint: {broken[0]}")


def rounding(score: float) -> float:
    """Return which difference from a score is no difference."""
    return 1e-9 * (1 + abs(score))
