"""The Scorer: families in, numbers out. All that a search or a sampler sees."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from dagwright import _core
from dagwright._names import listed
from dagwright.errors import DataError, GraphError, SpecError, did_you_mean
from dagwright.family import FamilyCounts
from dagwright.graph import Dag, check_dag
from dagwright.scores import BIC, LogLikelihood, Score, native_score
from dagwright.sources import Chunks, Source, open_source
from dagwright.specs import check_whole
from dagwright.structure_priors import StructurePrior, Uniform
from dagwright.table import Table

if TYPE_CHECKING:
    from typing import Any

__all__ = ["Decomposition", "FamilyScore", "Scorer", "ScorerStats", "open_scorer", "score"]

_PARTS = ("fit", "entropy", "complexity", "prior", "score")
_DEFAULT_CACHE_BYTES = 1 << 28
_NO_FAMILIES = "families must be a list of pairs (child, parents), not {!r}"


@dataclass(frozen=True)
class ScorerStats:
    """How much was asked of a scorer, and how much of it had to be counted in the rows."""

    families_asked: int
    families_counted: int
    cached_numbers: int
    cache_bytes: int

    @property
    def hit_rate(self) -> float:
        """Share of the families that the cache answered."""
        return 1.0 - self.families_counted / self.families_asked if self.families_asked else 0.0


@dataclass(frozen=True)
class FamilyScore:
    """One family's score taken apart: ``score = fit - entropy + complexity + prior``, in nats.

    ``fit`` is N times the mutual information of child and parents; ``entropy`` is N times the
    child's entropy; ``complexity`` is what the score takes off the log-likelihood (for a Bayesian
    score the Occam factor); ``prior`` is the log structure prior.
    """

    child: str
    parents: tuple[str, ...]
    score: float
    fit: float
    entropy: float
    complexity: float
    prior: float


@dataclass(frozen=True)
class Decomposition:
    """A graph's score, family by family; each total is the sum over ``families``."""

    families: tuple[FamilyScore, ...]

    def total(self, part: str = "score") -> float:
        """Return the sum of one part over all families: score, fit, entropy, complexity, prior."""
        if part not in _PARTS:
            raise SpecError(f"part must be one of {', '.join(_PARTS)}, not {part!r}")
        return float(sum(getattr(family, part) for family in self.families))

    def __str__(self) -> str:
        parts = _PARTS
        width = max(6, *(len(family.child) for family in self.families))
        lines = [f"{'child':<{width}}" + "".join(f"{part:>14}" for part in parts) + "  parents"]
        for family in self.families:
            numbers = "".join(f"{getattr(family, part):>14.3f}" for part in parts)
            lines.append(f"{family.child:<{width}}{numbers}  {', '.join(family.parents)}")
        lines.append(
            f"{'total':<{width}}" + "".join(f"{self.total(part):>14.3f}" for part in parts)
        )
        return "\n".join(lines)


class Scorer:
    """Scores families of variables on data, and remembers what it scored.

    Safe to use from several threads. The structure prior is part of every number.

    Parameters
    ----------
    data : Table, Chunks, or a frame that Table takes
    score : Score
    structure_prior : StructurePrior
    cache_bytes : int
        Bound on the memory of the cache; when it is full it starts anew, which costs time only.

    Examples
    --------
    >>> import dagwright as dw
    >>> table = dw.Table({"a": ["n", "n", "y", "y"], "b": ["n", "n", "y", "y"]})
    >>> scorer = dw.Scorer(table, dw.BIC())
    >>> round(scorer.local("b"), 4), round(scorer.local("b", ["a"]), 4)
    (-3.4657, -1.3863)
    >>> {name: round(gain, 4) for name, gain in scorer.gains("b").items()}
    {'a': 2.0794}
    """

    def __init__(
        self,
        data: Table | Chunks | Any,
        score: Score | None = None,
        *,
        structure_prior: StructurePrior | None = None,
        cache_bytes: int = _DEFAULT_CACHE_BYTES,
    ) -> None:
        self.data = data if isinstance(data, Table | Chunks) else Table(data)
        self._setup(open_source(self.data), score, structure_prior, cache_bytes)

    def _setup(
        self,
        source: Source,
        score: Score | None,
        structure_prior: StructurePrior | None,
        cache_bytes: int,
    ) -> None:
        self.source = source
        self.score_spec: Score = BIC() if score is None else score
        self.structure_prior = Uniform() if structure_prior is None else structure_prior
        if not isinstance(self.structure_prior, StructurePrior):
            raise SpecError(
                f"structure_prior={structure_prior!r} is not one: give for example EdgePenalty(0.5)"
            )
        self.cache_bytes = check_whole("cache_bytes", cache_bytes, 0)
        self._number = source.number()
        self.native = _core.Scorer(
            source.native,
            native_score(self.score_spec, source),
            self.structure_prior.native(source),
            cache_bytes,
        )

    def _with(
        self,
        source: Source,
        score: Score,
        structure_prior: StructurePrior,
        data: Table | Chunks | None = None,
    ) -> Scorer:
        other = object.__new__(Scorer)
        other.data = self.data if data is None else data
        other._setup(source, score, structure_prior, self.cache_bytes)
        return other

    @property
    def names(self) -> tuple[str, ...]:
        """The variables, in the order of the data."""
        return self.data.names

    @property
    def score_equivalent(self) -> bool:
        """Whether I-equivalent graphs have the same total, by the score and by the prior."""
        return self.native.score_equivalent

    def local(self, child: str, parents: Collection[str] = ()) -> float:
        """Return the score of one family, structure prior included."""
        return float(self.batch([(child, parents)])[0])

    def batch(
        self, families: Iterable[tuple[str, Collection[str]]], *, threads: int = 1
    ) -> npt.NDArray[np.float64]:
        """Return the scores of many families (child, parents) at once, which is much faster."""
        run = _core.Run(check_whole("threads", threads, 1, 1024))
        native = self._families(families)
        with self.naming_errors():
            return self.native.local(native, run)

    def gains(
        self, child: str, parents: Collection[str] = (), candidates: Iterable[str] | None = None
    ) -> dict[str, float]:
        """Return what toggling each candidate parent changes: added if absent, removed if there."""
        family = self._family(child, parents)
        if candidates is None:
            candidates = [name for name in self.names if name != child]
        else:
            candidates = list(candidates)
        numbers = [self._variable(name) for name in candidates]
        if child in candidates:
            raise GraphError(f"{child!r} cannot be its own parent: leave it out of the candidates")
        with self.naming_errors():
            gains = self.native.gains(family, numbers, _core.Run())
        return dict(zip(candidates, gains, strict=True))

    def entropy(self, variables: Iterable[str]) -> float:
        """Return the empirical joint entropy of a set of variables, in nats."""
        if isinstance(variables, str) or not isinstance(variables, Iterable):
            raise GraphError(f"variables={variables!r} is no list of names; write [{variables!r}]")
        numbers = [self._variable(name) for name in variables]
        with self.naming_errors():
            return self.native.entropy(numbers, _core.Run())

    def upper_bound(self, child: str, parents: Collection[str] = ()) -> float:
        """Return a number that no family of this child with these parents, or more, exceeds.

        +inf where none is known, as for a score in Python.
        """
        return self.upper_bounds([(child, parents)])[0]

    def upper_bounds(self, families: Iterable[tuple[str, Collection[str]]]) -> list[float]:
        """Return the upper bounds of many families (child, parents) in one pass over the data."""
        native = self._families(families)
        with self.naming_errors():
            return self.native.upper_bounds(native, _core.Run())

    def counts(self, child: str, parents: Collection[str] = ()) -> FamilyCounts:
        """Return the counts of one family."""
        number, parent_numbers = self._family(child, parents)
        counts = self.source.native.count(number, parent_numbers, _core.Run())
        return FamilyCounts(counts, self.source)

    def score(self, dag: Dag) -> float:
        """Return the score of a graph over exactly the variables of the data."""
        self.check_nodes(dag)
        numbers = [self._number[node] for node in dag.nodes]
        families = _core.Families.of_graph(dag._parents, numbers)
        with self.naming_errors():
            return float(self.native.local(families, _core.Run()).sum())

    def decompose(self, dag: Dag) -> Decomposition:
        """Take a graph's score apart, family by family."""
        self.check_nodes(dag)
        return Decomposition(
            tuple(self.decompose_family(child, dag.parents(child)) for child in dag.nodes)
        )

    def decompose_family(self, child: str, parents: Collection[str] = ()) -> FamilyScore:
        """Take one family's score apart.

        Examples
        --------
        >>> import dagwright as dw
        >>> scorer = dw.Scorer({"a": [0, 0, 1, 1], "b": [0, 0, 1, 1]})
        >>> family = scorer.decompose_family("b", ["a"])
        >>> round(family.fit, 4), round(family.complexity, 4)
        (2.7726, -1.3863)
        """
        score = self.local(child, parents)
        entropy = -self._likelihood.local(child)
        log_likelihood = self._likelihood.local(child, parents)
        prior = self.native.log_prior(self._family(child, parents))
        return FamilyScore(
            child=child,
            parents=tuple(parents),
            score=score,
            fit=log_likelihood + entropy,
            entropy=entropy,
            complexity=score - prior - log_likelihood,
            prior=prior,
        )

    @cached_property
    def _likelihood(self) -> Scorer:
        return self.with_score(LogLikelihood(), Uniform())

    def reweighted(self, weights: npt.ArrayLike) -> Scorer:
        """Return a scorer of the same rows with other weights, one a row."""
        data = self.data.with_weights(weights)
        source = self.source.reweighted(np.asarray(weights, dtype=np.float64))
        return self._with(source, self.score_spec, self.structure_prior, data)

    def with_score(self, score: Score, structure_prior: StructurePrior | None = None) -> Scorer:
        """Return a scorer of the same data with another score; the prior stays if none is given."""
        prior = self.structure_prior if structure_prior is None else structure_prior
        return self._with(self.source, score, prior)

    @property
    def stats(self) -> ScorerStats:
        """What was asked so far, and what the cache holds."""
        stats = self.native.stats()
        return ScorerStats(stats.asked, stats.counted, stats.cached, stats.cache_bytes)

    @contextmanager
    def naming_errors(self) -> Iterator[None]:
        """Turn the core's errors, which have numbers, into errors that have names."""
        try:
            yield
        except _core.FamilyError as error:
            what, child, parents = error.args
            names = self.source.names
            given = ", ".join(names[parent] for parent in parents[:8])
            more = f" and {len(parents) - 8} more" if len(parents) > 8 else ""
            raise DataError(
                f"the family of {names[child]!r} given ({given}{more}) {what}; "
                "bound the families with Constraints(max_parents=...), "
                "and rule out what cannot be with Constraints(forbidden=...)"
            ) from None

    def _variable(self, name: str) -> int:
        try:
            return self._number[name]
        except (KeyError, TypeError):
            raise GraphError(
                f"the data have no variable {name!r}" + did_you_mean(str(name), self._number)
            ) from None

    def _families(self, families: Iterable[tuple[str, Collection[str]]]) -> _core.Families:
        if not isinstance(families, list):
            families = _listed(families)
        native = _core.Families.by_name(self._number, families)
        if native is None:  # something is wrong with one, or odd
            native = _core.Families([self._family(*_pair(family)) for family in families])
        return native

    def _family(self, child: str, parents: Collection[str]) -> tuple[int, list[int]]:
        if isinstance(parents, str) or not isinstance(parents, Iterable):
            raise GraphError(f"parents={parents!r} is no list of names; write [{parents!r}]")
        number = self._variable(child)
        numbers = sorted(self._variable(parent) for parent in parents)
        if number in numbers or len(set(numbers)) < len(numbers):
            raise GraphError(
                f"the parents of {child!r} must be distinct and other than itself, "
                f"not {list(parents)}"
            )
        return number, numbers

    def check_nodes(self, dag: Dag) -> None:
        """Refuse a graph whose nodes are not the variables of the data."""
        check_dag(dag)
        if dag.nodes == self.names:
            return
        for node in dag.nodes:
            self._variable(node)
        nodes = set(dag.nodes)
        absent = [name for name in self.names if name not in nodes]
        if absent:
            raise GraphError(
                f"the graph has no node for the variables {listed(absent)}: add them as isolated "
                "nodes with Dag(edges, nodes=table.names), or leave them out of the data"
            )

    def __repr__(self) -> str:
        return f"Scorer({len(self.names)} variables, {self.score_spec}, {self.structure_prior})"


def _listed(families: Iterable[tuple[str, Collection[str]]]) -> list[tuple[str, Collection[str]]]:
    try:
        return list(families)
    except TypeError:
        raise GraphError(_NO_FAMILIES.format(families)) from None


def _pair(family: tuple[str, Collection[str]]) -> tuple[str, Collection[str]]:
    try:
        child, parents = family
    except (TypeError, ValueError):
        raise GraphError(_NO_FAMILIES.format(family)) from None
    return child, parents


def open_scorer(
    data: Table | Chunks | Scorer | Any,
    score: Score | None,
    structure_prior: StructurePrior | None,
) -> Scorer:
    """Return a scorer of data, or the one that was given, which brings its own score and prior."""
    if not isinstance(data, Scorer):
        return Scorer(data, score, structure_prior=structure_prior)
    if score is not None or structure_prior is not None:
        raise SpecError("a Scorer brings its own score and structure_prior: leave them out")
    return data


def score(
    dag: Dag,
    data: Table | Chunks | Any,
    *,
    score: Score | None = None,
    structure_prior: StructurePrior | None = None,
) -> float:
    """Return the score of a graph on data: natural log, total over rows, higher is better.

    Parameters
    ----------
    dag : Dag
        Its nodes are the variables of the data.
    data : Table, Chunks, or a frame that Table takes
    score : Score, default BIC()
    structure_prior : StructurePrior, default Uniform()

    Examples
    --------
    >>> import dagwright as dw
    >>> table = dw.Table({"a": ["n", "n", "y", "y"], "b": ["n", "n", "y", "y"]})
    >>> round(dw.score(dw.Dag([("a", "b")]), table), 4)
    -4.852
    """
    return Scorer(data, score, structure_prior=structure_prior).score(dag)
