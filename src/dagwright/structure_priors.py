"""Structure priors: log P(G), up to a constant, as a sum over families.

They matter when rows are few. What must or must not be belongs in ``Constraints``.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from dagwright import _core
from dagwright._names import checked_edge
from dagwright.errors import SpecError, did_you_mean
from dagwright.sources import Source
from dagwright.specs import Registry, Spec, check_number, check_positive

__all__ = [
    "EdgeBeliefs",
    "EdgePenalty",
    "Modular",
    "ParentCount",
    "StructurePrior",
    "Uniform",
    "structure_priors",
]


class StructurePrior(Spec, ABC):
    """Base of the structure priors."""

    @abstractmethod
    def native(self, source: Source) -> _core.StructurePrior | None:
        """Return the core's prior for these variables; None when all graphs are alike."""


structure_priors: Registry[StructurePrior] = Registry("structure prior")


@structure_priors.add
@dataclass(frozen=True)
class Uniform(StructurePrior):
    """Every graph is as probable as any other.

    Examples
    --------
    >>> import dagwright as dw
    >>> table = dw.Table({"a": ["n", "y"], "b": ["n", "y"]})
    >>> dag = dw.Dag([("a", "b")])
    >>> dw.score(dag, table, structure_prior=dw.Uniform()) == dw.score(dag, table)
    True
    """

    name = "uniform"

    def native(self, source: Source) -> _core.StructurePrior | None:  # noqa: D102
        return None


@structure_priors.add
@dataclass(frozen=True)
class EdgePenalty(StructurePrior):
    """P(G) proportional to c ** (number of edges).

    Parameters
    ----------
    c : float
        Above 0 and at most 1; smaller means sparser graphs.

    Examples
    --------
    >>> import dagwright as dw
    >>> table = dw.Table({"a": ["n", "y"], "b": ["n", "y"]})
    >>> dag = dw.Dag([("a", "b")])
    >>> with_prior = dw.score(dag, table, structure_prior=dw.EdgePenalty(0.5))
    >>> round(with_prior - dw.score(dag, table), 4)
    -0.6931
    """

    c: float
    name = "edges"

    def __post_init__(self) -> None:
        rule = (
            "above 0 and at most 1 (to rule out edges use Constraints(forbidden=...) or "
            "max_parents=0)"
        )
        self._keep(c=check_number("EdgePenalty: c", self.c, rule, lambda x: 0 < x <= 1))

    def native(self, source: Source) -> _core.StructurePrior | None:  # noqa: D102
        return _core.EdgePenalty(math.log(self.c))


@structure_priors.add
@dataclass(frozen=True)
class ParentCount(StructurePrior):
    """Every number k of parents is equally probable, as is every set of k: 1 / binomial(n-1, k).

    Examples
    --------
    >>> import dagwright as dw
    >>> table = dw.Table({"a": ["n", "y"], "b": ["n", "y"], "c": ["y", "y"]})
    >>> dag = dw.Dag([("a", "b")], nodes=["a", "b", "c"])
    >>> with_prior = dw.score(dag, table, structure_prior=dw.ParentCount())
    >>> round(with_prior - dw.score(dag, table), 4)
    -0.6931
    """

    name = "parent-count"

    def native(self, source: Source) -> _core.StructurePrior | None:  # noqa: D102
        n = len(source.names)
        return _core.ParentCountPrior(
            [
                math.lgamma(k + 1) + math.lgamma(n - k) - math.lgamma(n) if k else 0.0
                for k in range(n)
            ]
        )


Beliefs = Mapping[tuple[str, str], tuple[float, float]]


@structure_priors.add
@dataclass(frozen=True)
class EdgeBeliefs(StructurePrior):
    """What experts believe of single pairs: p(a -> b), p(b -> a), and the rest for no edge.

    Pairs that nobody mentions have 1/3 for each of the three. The log prior of a graph is counted
    from the graph without edges.

    Parameters
    ----------
    beliefs : mapping ``{(a, b): (p(a -> b), p(b -> a))}``, or a sequence of such mappings
        Several experts are pooled by the mean of their probabilities; one who does not mention a
        pair that another mentions counts as 1/3, 1/3, 1/3 there.
    trust : sequence of float, optional
        Weights of the experts; equal by default.

    Examples
    --------
    >>> import dagwright as dw
    >>> prior = dw.EdgeBeliefs({("smoke", "cancer"): (0.8, 0.1)})
    >>> prior.probability("smoke", "cancer")
    0.8
    >>> two = dw.EdgeBeliefs([{("a", "b"): (0.8, 0.1)}, {("b", "a"): (0.3, 0.4)}])
    >>> round(two.probability("a", "b"), 4), round(two.probability("b", "a"), 4)
    (0.6, 0.2)
    """

    beliefs: Beliefs | Sequence[Beliefs]
    trust: Sequence[float] | None = None
    name = "beliefs"

    def __post_init__(self) -> None:
        _ = self.pooled  # finds what is wrong with the beliefs now, not at first use

    @cached_property
    def pooled(self) -> dict[tuple[str, str], tuple[float, float]]:
        """The pooled probabilities (p(a -> b), p(b -> a)) by pair of names, a before b."""
        experts = [_expert(beliefs) for beliefs in self._experts()]
        if not experts:
            raise SpecError("EdgeBeliefs: there is no expert; give at least one mapping of pairs")
        trust = [1.0] * len(experts) if self.trust is None else self.trust
        if not hasattr(trust, "__len__") or len(trust) != len(experts):
            raise SpecError(
                f"EdgeBeliefs: trust must have one number for each of the {len(experts)} experts, "
                f"not {self.trust!r}"
            )
        trust = [float(check_positive("EdgeBeliefs: trust", one)) for one in trust]
        pooled: dict[tuple[str, str], tuple[float, float]] = {}
        for pair in sorted({pair for expert in experts for pair in expert}):
            shares = [expert.get(pair, (1 / 3, 1 / 3)) for expert in experts]
            forward, backward = (
                sum(t * share[i] for t, share in zip(trust, shares, strict=True)) / sum(trust)
                for i in (0, 1)
            )
            pooled[pair] = (forward, backward)
        return pooled

    def _experts(self) -> list[Any]:
        several = isinstance(self.beliefs, list | tuple)
        return list(self.beliefs) if several else [self.beliefs]

    def to_dict(self) -> dict[str, Any]:  # noqa: D102
        experts = [
            [[a, b, forward, backward] for (a, b), (forward, backward) in _expert(one).items()]
            for one in self._experts()
        ]
        trust = None if self.trust is None else [float(one) for one in self.trust]
        return {"name": self.name, "beliefs": experts, "trust": trust}

    def probability(self, start: str, end: str) -> float:
        """Return the pooled probability of the edge start -> end."""
        pair = (min(start, end), max(start, end))
        return self.pooled.get(pair, (1 / 3, 1 / 3))[0 if pair == (start, end) else 1]

    def native(self, source: Source) -> _core.StructurePrior | None:  # noqa: D102
        number = source.number()
        n = len(source.names)
        weights = [0.0] * (n * n)
        for (a, b), (forward, backward) in self.pooled.items():
            for variable in (a, b):
                if variable not in number:
                    raise SpecError(
                        f"EdgeBeliefs: the data have no variable {variable!r}"
                        + did_you_mean(variable, number)
                    )
            none = 1.0 - forward - backward
            weights[number[a] * n + number[b]] = math.log(forward / none)
            weights[number[b] * n + number[a]] = math.log(backward / none)
        return _core.EdgeWeights(n, weights)


@structure_priors.add
@dataclass(frozen=True)
class Modular(StructurePrior):
    """Any log prior that is a sum over families.

    Parameters
    ----------
    log_weight : function of (child, parents)
        Returns a finite number; the parents are a tuple of names in canonical order.

    Examples
    --------
    >>> import dagwright as dw
    >>> table = dw.Table({"a": ["n", "y"], "b": ["n", "y"]})
    >>> prior = dw.Modular(lambda child, parents: -2.0 * len(parents))
    >>> dag = dw.Dag([("a", "b")])
    >>> round(dw.score(dag, table, structure_prior=prior) - dw.score(dag, table), 4)
    -2.0
    """

    log_weight: Callable[[str, tuple[str, ...]], float]
    name = "modular"

    def __post_init__(self) -> None:
        if not callable(self.log_weight):
            raise SpecError(
                f"Modular: log_weight must be a function of (child, parents), "
                f"not {self.log_weight!r}"
            )

    def native(self, source: Source) -> _core.StructurePrior | None:  # noqa: D102
        names = source.names

        def log_weight(child: int, parents: Sequence[int]) -> float:
            family = names[child], tuple(names[p] for p in parents)
            value = self.log_weight(*family)
            try:
                return float(value)
            except (TypeError, ValueError):
                raise SpecError(
                    f"Modular: log_weight{family} must return a number, but returned {value!r}"
                ) from None

        return _core.ModularPrior(log_weight)


def _expert(beliefs: object) -> dict[tuple[str, str], tuple[float, float]]:
    """Check one expert's beliefs; keys become sorted pairs. Files have rows [a, b, p, p]."""
    if isinstance(beliefs, list) and all(
        isinstance(row, list) and len(row) == 4 for row in beliefs
    ):
        beliefs = {(a, b): (forward, backward) for a, b, forward, backward in beliefs}
    if not isinstance(beliefs, Mapping):
        raise SpecError(
            "EdgeBeliefs: an expert is a mapping {(a, b): (p(a -> b), p(b -> a))}, "
            f"not {beliefs!r}"
        )
    checked: dict[tuple[str, str], tuple[float, float]] = {}
    for pair, probabilities in beliefs.items():
        try:
            forward, backward = probabilities
            forward, backward = float(forward), float(backward)
        except (TypeError, ValueError):
            raise SpecError(
                f"EdgeBeliefs: {pair!r}: {probabilities!r} is not (a, b): (p(a -> b), p(b -> a))"
            ) from None
        a, b = checked_edge(pair, "EdgeBeliefs: a pair")
        if not (forward > 0 and backward > 0 and forward + backward < 1):
            raise SpecError(
                f"EdgeBeliefs: {a!r} -> {b!r}: {forward} and {backward}, which leaves "
                f"{1 - forward - backward:g} for no edge, but all three must be above 0; "
                "what is certain belongs in Constraints(required=, forbidden=, adjacent=)"
            )
        key = (min(a, b), max(a, b))
        if key in checked:
            raise SpecError(f"EdgeBeliefs: the pair {key} is given twice; give it once")
        checked[key] = (forward, backward) if key == (a, b) else (backward, forward)
    return checked
