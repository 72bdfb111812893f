"""The parent sets that an optimal graph may need, with their scores: what exact searches solve."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike

import numpy as np
import numpy.typing as npt

from dagwright import _core
from dagwright._names import Edge, listed
from dagwright.constraints import Constraints
from dagwright.errors import DataError, SpecError
from dagwright.graph import Dag, check_dag
from dagwright.io.jkl import LocalScores, read_jkl, write_jkl
from dagwright.run import Run
from dagwright.scorer import Scorer

__all__ = ["ChildSets", "ParentSets", "dag_of", "find_parent_sets", "quick_graph", "to_native"]

MOST_VARIABLES = 64
"""A set is one word in the core."""


@dataclass(frozen=True)
class ChildSets:
    """The parent sets of one variable, best first."""

    members: npt.NDArray[np.bool_]
    """A row a set, a column a variable."""
    scores: npt.NDArray[np.float64]
    rest: float = -math.inf
    """A set that should be here and is not scores no higher than this."""


@dataclass(frozen=True, eq=False)
class ParentSets:
    """Parent sets of every variable with their scores; :func:`dagwright.parent_sets` finds them.

    A set is left out when a subset of it scores as high: a graph with the set is no better than
    one with the subset. What is left is what exact searches choose from, and what other solvers
    read from ``.jkl`` files.

    Attributes
    ----------
    names : tuple of str
    children : tuple of ChildSets
        In the order of the names.
    adjacent : tuple of pairs
        Variables that must be connected, in either direction.
    n_scored : int
        How many sets were scored to find these.
    reason : str
        "done", or why not all sets were found: "time limit", "memory", ...

    Examples
    --------
    >>> import dagwright as dw
    >>> sets = dw.parent_sets(dw.Table({"a": ["n", "y"] * 9, "b": ["n", "y"] * 9}), score=dw.BIC())
    >>> {parents: round(score, 3) for parents, score in sets["b"].items()}
    {('a',): -2.89, (): -13.922}
    >>> sets.n_sets, sets.complete
    (4, True)
    """

    names: tuple[str, ...]
    children: tuple[ChildSets, ...]
    adjacent: tuple[tuple[str, str], ...] = ()
    n_scored: int = 0
    reason: str = "done"
    _places: Mapping[str, int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        n = len(self.names)
        if n == 0 or len(self.children) != n or len(set(self.names)) < n:
            raise DataError(
                f"parent sets need different names, at least one, and as many children: "
                f"{n} names, {len(self.children)} children"
            )
        for name, child in zip(self.names, self.children, strict=True):
            if child.members.shape != (len(child.scores), n):
                raise DataError(f"the parent sets of {name!r} need a row a score, a column a name")
            if (np.diff(child.scores) > 0).any():
                raise DataError(f"the parent sets of {name!r} must come best first")
        object.__setattr__(self, "_places", {name: i for i, name in enumerate(self.names)})

    @property
    def n_sets(self) -> int:
        """The number of sets, of all variables together."""
        return sum(len(child.scores) for child in self.children)

    @property
    def complete(self) -> bool:
        """Whether no set is missing that an optimal graph may need."""
        return all(child.rest == -math.inf for child in self.children)

    @property
    def bound(self) -> float:
        """The sum of the best scores: no graph has more, as each variable has one set."""
        return math.fsum(
            max(child.rest, child.scores[0] if len(child.scores) else -math.inf)
            for child in self.children
        )

    def __getitem__(self, child: str) -> dict[tuple[str, ...], float]:
        """Return the sets of one variable with their scores, best first."""
        if not isinstance(child, str) or child not in self._places:
            raise DataError(f"no variable {child!r} among [{listed(self.names)}]")
        own = self.children[self._places[child]]
        return {
            tuple(self.names[i] for i in np.flatnonzero(row)): float(score)
            for row, score in zip(own.members, own.scores, strict=True)
        }

    def score(self, dag: Dag) -> float:
        """Return the score of a graph whose families are all among these."""
        check_dag(dag, "score")
        if set(dag.nodes) != set(self.names):
            different = sorted(set(dag.nodes) ^ set(self.names))
            raise DataError(f"score: the graph differs from the sets in [{listed(different)}]")
        total = []
        for child in self.names:
            parents = tuple(name for name in self.names if name in dag.parents(child))
            try:
                total.append(self[child][parents])
            except KeyError:
                raise DataError(
                    f"score: [{listed(parents)}] is not among the parent sets of {child!r}: a "
                    "subset of it may score higher"
                ) from None
        return math.fsum(total)

    def gains(self, dag: Dag) -> dict[Edge, float]:
        """Return what each edge of a graph is worth: without it, the child has the best subset."""
        self.score(dag)  # its families are among these
        worth = {}
        for child in self.names:
            own = self[child]
            chosen = set(dag.parents(child))
            score = next(score for parents, score in own.items() if set(parents) == chosen)
            for parent in dag.parents(child):
                left = (s for parents, s in own.items() if set(parents) <= chosen - {parent})
                worth[parent, child] = score - max(left, default=-math.inf)
        return worth

    def save(self, path: str | PathLike[str]) -> None:
        """Write a ``.jkl`` file, which GOBNILP and other solvers read.

        The format does not say that sets are missing, nor which variables must be connected: both
        are refused. Neither does it know names with spaces.
        """
        if not self.complete:
            raise DataError(
                f"{path}: not all parent sets were found ({self.reason}), and a .jkl file cannot "
                "say so: give it more time or memory, or Constraints(max_parents=...)"
            )
        if self.adjacent:
            start, end = self.adjacent[0]
            raise DataError(
                f"{path}: {start!r} and {end!r} must be connected, and a .jkl file cannot say so: "
                "require one direction, or leave that constraint out"
            )
        write_jkl(LocalScores(self.names, {name: self[name] for name in self.names}), path)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> ParentSets:
        """Read a ``.jkl`` file, of dagwright or any other program.

        A set that has a subset with the same score or a higher one is left out.
        """
        read = read_jkl(path)
        place = {name: i for i, name in enumerate(read.names)}
        children = []
        for name in read.names:
            sets = read.scores[name]
            members = np.zeros((len(sets), len(place)), dtype=bool)
            for row, parents in zip(members, sets, strict=True):
                row[[place[parent] for parent in parents]] = True
            children.append(_pruned(members, np.array(list(sets.values()), dtype=float)))
        return cls(read.names, tuple(children))

    def __repr__(self) -> str:
        missing = "" if self.complete else f", not all: {self.reason}"
        return f"ParentSets({len(self.names)} variables, {self.n_sets} sets{missing})"


def _pruned(members: npt.NDArray[np.bool_], scores: npt.NDArray[np.float64]) -> ChildSets:
    """Put the best first, and leave out what has a subset that scores as high."""
    order = np.lexsort((members.sum(axis=1), -scores))
    members, scores = members[order], scores[order]
    kept: list[int] = []
    for i, row in enumerate(members):
        if not (~members[kept] | row).all(axis=1).any():
            kept.append(i)
    return ChildSets(members[kept], scores[kept])


def find_parent_sets(
    scorer: Scorer, constraints: Constraints, max_bytes: float, run: Run
) -> ParentSets:
    """Find all parent sets that an optimal graph may need, as far as the run lets it."""
    names = scorer.source.names
    if len(names) > MOST_VARIABLES:
        raise SpecError(
            f"all parent sets are found for up to {MOST_VARIABLES} variables, not {len(names)}: "
            "select fewer variables"
        )
    native = constraints.resolve(names, scorer.source.n_states)
    with scorer.naming_errors():
        found = _core.all_parent_sets(scorer.native, native, max_bytes, run.native)
    # Variables may be in another order in the core.
    core_place = {name: i for i, name in enumerate(names)}
    columns = [core_place[name] for name in scorer.names]
    children = []
    for name in scorer.names:
        own = found[core_place[name]]
        bits = np.unpackbits(own.members.view(np.uint8), bitorder="little")
        members = bits.reshape(-1, 64)[:, columns].astype(bool)
        children.append(ChildSets(members, own.scores, -math.inf if own.complete else own.rest))
    reason = "done" if all(own.complete for own in found) else run.reason or "memory"
    n_scored = sum(own.n_scored for own in found)
    return ParentSets(scorer.names, tuple(children), _adjacent(constraints), n_scored, reason)


def _adjacent(constraints: Constraints) -> tuple[tuple[str, str], ...]:
    return tuple(tuple(pair) for pair in constraints.adjacent)  # type: ignore[misc]


def quick_graph(sets: ParentSets) -> Dag | None:
    """Make a graph of these sets, if a simple rule finds one.

    The next variable is that which loses least by a set of those that are there already.
    """
    n = len(sets.names)
    placed = np.zeros(n, dtype=bool)
    parents: list[Sequence[int]] = [()] * n
    for _ in range(n):
        lost = np.full(n, math.inf)
        chosen: dict[int, npt.NDArray[np.bool_]] = {}
        for v in np.flatnonzero(~placed):
            child = sets.children[v]
            possible = np.flatnonzero(~(child.members & ~placed).any(axis=1))
            if len(possible):  # best first
                lost[v] = child.scores[0] - child.scores[possible[0]]
                chosen[int(v)] = child.members[possible[0]]
        first = int(np.argmin(lost))
        if first not in chosen:
            return None
        placed[first] = True
        parents[first] = np.flatnonzero(chosen[first]).tolist()
    dag = dag_of(sets.names, sets.names, parents)
    connected = all(dag.has_edge(a, b) or dag.has_edge(b, a) for a, b in sets.adjacent)
    return dag if connected else None


def dag_of(names: Sequence[str], order: Sequence[str], parents: Sequence[Sequence[int]]) -> Dag:
    """Make a graph over the names of parents that are places in an order of them."""
    named = {name: [order[p] for p in own] for name, own in zip(order, parents, strict=True)}
    return Dag.from_parents({name: named[name] for name in names})


def to_native(sets: ParentSets) -> tuple[tuple[str, ...], list[_core.AllParentSets]]:
    """Return the sets as the core has them, and their order.

    That is the order of the names, whatever the data's is: it decides between graphs of the same
    score.
    """
    order = tuple(sorted(sets.names))
    place = {name: i for i, name in enumerate(order)}
    bits = np.array([1 << place[name] for name in sets.names], dtype=np.uint64)
    adjacent = dict.fromkeys(order, 0)
    for start, end in sets.adjacent:
        adjacent[start] |= 1 << place[end]
        adjacent[end] |= 1 << place[start]
    children = dict(zip(sets.names, sets.children, strict=True))
    return order, [
        _core.AllParentSets(
            (children[name].members @ bits).tolist(), children[name].scores.tolist(), adjacent[name]
        )
        for name in order
    ]
