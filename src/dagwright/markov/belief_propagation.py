"""Expectations by messages between variables and factors: loopy, and tree-reweighted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from dagwright import _core
from dagwright.errors import DataError
from dagwright.markov.cells import core_scopes, first_cells
from dagwright.markov.expectations import Expectation, Marginals, expectation_kinds
from dagwright.markov.factors import Factors, ImpossibleFactors, Scope
from dagwright.run import Run
from dagwright.specs import check_number, check_positive, check_whole

__all__ = ["BeliefPropagationExpectation", "TreeReweightedExpectation"]

_FORESTS = 64
_ROUGH = 1e-4


@dataclass(frozen=True)
class _Messages(Expectation):
    max_iterations: int = 2000
    tolerance: float = 1e-9
    damping: float = 0.5
    reweighted: ClassVar[bool] = False

    def __post_init__(self) -> None:
        self._keep(
            max_iterations=check_whole("max_iterations", self.max_iterations, 1),
            tolerance=check_positive("tolerance", self.tolerance),
            damping=check_number(
                "damping", self.damping, "from 0 to below 1", lambda x: 0 <= x < 1
            ),
        )

    def marginals(self, factors: Factors, scopes: Sequence[Scope], run: Run) -> Marginals:
        """Return the distributions of scopes, each within that of a factor."""
        plan = _plan(factors.arities, factors.scopes)
        hosts = [plan.host(scope) for scope in scopes]
        shares = plan.shares if self.reweighted else [1.0] * len(plan.hosts)
        propagation = _core.FactorBeliefPropagation(plan.native, shares)
        try:
            beliefs = propagation.propagate(
                plan.log_values(factors),
                self.max_iterations,
                self.tolerance,
                0.0 if plan.is_forest else self.damping,
                run.native,
            )
        except _core.ImpossibleFactors:
            raise ImpossibleFactors from None
        cells = beliefs.cells
        tables = tuple(
            plan.table(cells, host, scope) for host, scope in zip(hosts, scopes, strict=True)
        )
        converged = beliefs.inconsistency <= self.tolerance
        return Marginals(
            beliefs.log_z,
            tables,
            None,
            self._words(plan.is_forest, beliefs),
            beliefs.iterations,
            converged,
        )

    def _words(self, is_forest: bool, beliefs: _core.FactorBeliefs) -> str:
        what = "tree-reweighted" if self.reweighted else "loopy"
        what += " belief propagation on a graph with loops"
        if beliefs.inconsistency > self.tolerance:
            trust = "do not trust the numbers, and " if beliefs.inconsistency > _ROUGH else ""
            return (
                f"{what}, whose messages did not settle, beliefs differ by "
                f"{beliefs.inconsistency:.2g} after {beliefs.iterations:,} iterations: {trust}take "
                "more max_iterations or damping, or another method"
            )
        if is_forest:
            return ""
        if self.reweighted:
            return f"{what}: log Z is an upper bound, marginals and means are approximate"
        return (
            f"{what}: log Z (Bethe's), marginals and means are approximate, with no bound on the "
            "error"
        )


@expectation_kinds.add
@dataclass(frozen=True)
class BeliefPropagationExpectation(_Messages):
    """Loopy belief propagation: messages between variables and factors until they settle.

    Exact where factors and variables form no loop. Else marginals are often close, and log Z is
    Bethe's value, which may be too large or too small. Variables that are known cut loops;
    a factor within the scope of another becomes part of it.

    Parameters
    ----------
    max_iterations : int
    tolerance : float
        Messages are settled when no belief of a variable differs by more from what the belief
        of a factor says of it.
    damping : float
        How much of the old message stays in the new one, from 0 to below 1. Without loops there
        is none.

    Examples
    --------
    >>> import dagwright as dw
    >>> chain = dw.Ising([0.5, 0, 0], [[0, 1, 0], [1, 0, 1], [0, 1, 0]])
    >>> answer = chain.query("x3", method="belief-propagation")  # no loop: exact
    >>> abs(answer[1] - chain.query("x3")[1]) < 1e-9, answer.method
    (True, 'exact inference')
    """

    name = "belief-propagation"


@expectation_kinds.add
@dataclass(frozen=True)
class TreeReweightedExpectation(_Messages):
    """Tree-reweighted belief propagation: log Z is an upper bound, and there is one answer.

    Each factor counts by its share of many forests, sets of factors without loop: so the entropy
    is never too low, log Z never too small, and what is maximised has one maximum (Wainwright,
    Jaakkola and Willsky 2005; for factors of any size in place of edges). Marginals are weaker
    than those of loopy belief propagation where that works. Exact where there is no loop. The
    bound holds when messages are settled.

    Parameters
    ----------
    max_iterations, tolerance, damping
        As in :class:`BeliefPropagationExpectation`.

    Examples
    --------
    >>> import dagwright as dw
    >>> triangle = dw.Ising([0, 0, 0], [[0, 1, 1], [1, 0, 1], [1, 1, 0]])
    >>> value, words = triangle.estimate_log_z("tree-reweighted")
    >>> value >= triangle.log_z
    True
    """

    name = "tree-reweighted"
    reweighted = True


class _Plan:
    """Factors as messages see them: none within the scope of another, unless of one variable."""

    def __init__(self, arities: tuple[int, ...], scopes: tuple[Scope, ...]) -> None:
        self.arities = arities
        free = [tuple(v for v in scope if arities[v] > 1) for scope in scopes]
        self.hosts: list[Scope] = [()]
        around: dict[int, list[int]] = {v: [] for v in range(len(arities))}
        for v in range(len(arities)):
            self.hosts.append((v,))
        self._around = around
        for scope in sorted(dict.fromkeys(free), key=len, reverse=True):
            if len(scope) > 1 and self._containing(scope) is None:
                for v in scope:
                    around[v].append(len(self.hosts))
                self.hosts.append(scope)
        self.first = first_cells(arities, self.hosts)
        self.places = [self.host(scope) for scope in scopes]
        self.native = core_scopes(arities, tuple(self.hosts))
        self.shares: list[float] = self.native.shares_of_forests(_FORESTS).tolist()
        self.is_forest = min(self.shares) == 1

    def _containing(self, scope: Scope) -> int | None:
        """Return the first factor of several variables that has all of the scope's."""
        members = set(scope)
        fewest = min((self._around[v] for v in scope), key=len)
        return next((at for at in fewest if members.issubset(self.hosts[at])), None)

    def host(self, scope: Scope) -> int:
        """Return the number of the factor that has a scope within its own."""
        free = tuple(v for v in scope if self.arities[v] > 1)
        if len(free) <= 1:
            return 1 + free[0] if free else 0
        found = self._containing(free)
        if found is None:
            raise DataError(
                f"messages have no belief of variables {list(scope)} together, since no factor "
                'has them all: ask for them one by one, or use "gibbs" or an exact method'
            )
        return found

    def log_values(self, factors: Factors) -> NDArray[np.float64]:
        """Return the numbers of the hosts, cell by cell."""
        out = np.zeros(int(self.first[-1]))
        for place, scope, values in zip(
            self.places, factors.scopes, factors.log_values, strict=True
        ):
            host = self.hosts[place]
            own = out[self.first[place] : self.first[place + 1]]
            if values.size == own.size:
                own += values.ravel()
                continue
            shape = [self.arities[v] if v in scope else 1 for v in host]
            table = own.reshape([self.arities[v] for v in host])
            table += values.reshape(shape)
        return out

    def table(self, cells: NDArray[np.float64], place: int, scope: Scope) -> NDArray[np.float64]:
        """Return the belief of a scope, summed out of that of its host."""
        host = self.hosts[place]
        own = cells[self.first[place] : self.first[place + 1]]
        own = own.reshape([self.arities[v] for v in host])
        rest = tuple(axis for axis, v in enumerate(host) if v not in scope)
        return np.asarray(own.sum(axis=rest)).reshape([self.arities[v] for v in scope])


@lru_cache(maxsize=4)
def _plan(arities: tuple[int, ...], scopes: tuple[Scope, ...]) -> _Plan:
    return _Plan(arities, scopes)
