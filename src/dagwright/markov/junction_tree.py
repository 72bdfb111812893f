"""Exact expectations in a junction tree: the inference of Bayesian networks, for factors.

A factor is the family of a further variable with one state, which is observed: its table is the
factor, and the network needs nothing else to be an undirected model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from dagwright import _core
from dagwright.errors import DataError
from dagwright.inference.exact import joint, make_tree, propagation
from dagwright.inference.forecast import MAX_BYTES, Forecast, forecast_of, start
from dagwright.inference.network import Evidence, TableNetwork
from dagwright.markov.expectations import Expectation, Marginals, expectation_kinds
from dagwright.markov.factors import Factors, ImpossibleFactors, Scope
from dagwright.run import Run
from dagwright.specs import check_number

__all__ = ["JunctionTreeExpectation", "forecast", "n_of_several"]

_WORTH_THREADS = 1 << 18
_MOST_OPERATIONS = 5e9
_WIDEST = 700.0  # exp of less is zero


@dataclass(frozen=True, eq=False)
class _Network:
    """Factors as a network of tables, with what must be observed."""

    tables: TableNetwork
    evidence: Evidence
    log_scale: float
    tree: _core.CliqueTree = field(init=False)

    def __post_init__(self) -> None:
        tree = make_tree(self.tables, [], self.evidence, every=True, probability=True)
        object.__setattr__(self, "tree", tree)

    def run(self, run: Run) -> _core.Run:
        """Return a run of the core, on several threads where the tables are worth it."""
        return _core.Run(run.threads if self.tree.cells >= _WORTH_THREADS else 1)


def _network(factors: Factors) -> _Network:
    n = len(factors.arities)
    names = [f"variable {v}" for v in range(n)]
    states = {name: tuple(range(r)) for name, r in zip(names, factors.arities, strict=True)}
    parents: dict[str, tuple[str, ...]] = dict.fromkeys(names, ())
    tables = {name: np.ones(r) for name, r in zip(names, factors.arities, strict=True)}
    log_scale = 0.0
    for k, (scope, log_values) in enumerate(zip(factors.scopes, factors.log_values, strict=True)):
        best = float(log_values.max())
        if best == -np.inf:
            raise ImpossibleFactors()
        log_scale += best
        values = np.exp(log_values - best)
        if ((values == 0) & (log_values > -np.inf)).any():
            raise DataError(
                f"a factor's logs are {float(log_values.max() - log_values.min()):.3g} apart, more "
                f"than {_WIDEST:g}: smaller parameters say the same"
            )
        if len(scope) == 1:
            tables[names[scope[0]]] = values
        else:
            name = f"factor {k}"
            states[name] = (0,)
            parents[name] = tuple(names[v] for v in scope)
            tables[name] = values[..., None]
    observed = tuple((number, 0) for number in range(n, len(states)))
    return _Network(TableNetwork(states, parents, tables), Evidence(observed), log_scale)


def n_of_several(scopes: Sequence[Scope]) -> int:
    """Return how many scopes have several variables."""
    return sum(len(scope) > 1 for scope in scopes)


def forecast(factors: Factors, n_scopes: int = 0) -> Forecast:
    """Return what a junction tree of the factors costs, and so many distributions of scopes."""
    return _with_scopes(_network(factors).tree, n_scopes)


def _with_scopes(tree: _core.CliqueTree, n_scopes: int) -> Forecast:
    """Return the cost of a tree: every scope of several variables goes over its clique again."""
    cost = forecast_of(tree)
    again = n_scopes / max(1, len(tree.cliques))
    return replace(cost, operations=cost.operations * (1 + again))


@expectation_kinds.add
@dataclass(frozen=True)
class JunctionTreeExpectation(Expectation):
    """Send messages in a tree of cliques: exact, and cheap where the graph is narrow.

    Parameters
    ----------
    max_bytes, max_operations : float
        Refuse a tree that costs more than this, before any work is done.
    """

    max_bytes: float = MAX_BYTES
    max_operations: float = _MOST_OPERATIONS
    name = "junction-tree"
    exact = True

    def __post_init__(self) -> None:
        for setting in ("max_bytes", "max_operations"):
            check_number(setting, getattr(self, setting), "a number above 0", lambda x: x > 0)

    def refusal(self, factors: Factors) -> str | None:
        """Refuse trees that are too wide for the distributions of all factors."""
        return self._refusal(forecast(factors, n_of_several(factors.scopes)))

    def affords(self, cost: Forecast) -> bool:
        """Say whether a cost is within the limits."""
        return cost.bytes <= self.max_bytes and cost.operations <= self.max_operations

    def _refusal(self, cost: Forecast) -> str | None:
        if self.affords(cost):
            return None
        return (
            f"the junction tree is too wide: {cost}; the limits are max_bytes="
            f"{self.max_bytes:.3g} and max_operations={self.max_operations:.3g}"
        )

    def _open(self, factors: Factors, scopes: Sequence[Scope] = ()) -> _Network:
        network = _network(factors)
        reason = self._refusal(_with_scopes(network.tree, n_of_several(scopes)))
        if reason is not None:
            raise DataError(reason)
        return network

    def marginals(self, factors: Factors, scopes: Sequence[Scope], run: Run) -> Marginals:
        """Return the distributions of scopes; those outside of factors cost a tree each."""
        network = self._open(factors, scopes)
        made, own = propagation(network.tree, network.evidence), network.run(run)
        log_z = made.log_probability(own) + network.log_scale
        if log_z == -np.inf:
            raise ImpossibleFactors()
        single = made.marginals(list(range(len(factors.arities))), own)
        tables: list[NDArray[np.float64]] = []
        for scope in scopes:
            if len(scope) == 1:
                tables.append(single[scope[0]])
            elif made.in_one_clique(list(scope)):
                tables.append(made.joint(list(scope), own).reshape(factors.shape(scope)))
            else:
                limits = (self.max_bytes, self.max_operations)
                tables.append(joint(network.tables, scope, network.evidence, *limits))
        return Marginals(log_z, tuple(tables))

    def sample(self, factors: Factors, n: int, run: Run) -> list[NDArray[np.uint16]]:
        """Return rows drawn from the model, the codes of each variable."""
        network = _network(factors)
        reason = self._refusal(_with_scopes(network.tree, 0))
        if reason is not None:
            raise DataError(f'{reason}. Gibbs sampling draws rows too: method="gibbs"')
        own_bytes = 2 * run.threads * network.tree.own_bytes
        if own_bytes > self.max_bytes:
            raise DataError(
                f"to draw rows needs {own_bytes / 2**20:,.0f} MiB, more than max_bytes="
                f'{self.max_bytes:.3g}. Gibbs sampling draws rows too: method="gibbs"'
            )
        made = propagation(network.tree, network.evidence)
        every = list(range(len(factors.arities)))
        try:
            drawn: list[NDArray[np.uint16]] = made.sample(
                n, run.seed, every, _core.Run(run.threads)
            )
        except _core.ImpossibleEvidence:
            raise ImpossibleFactors() from None
        return drawn

    def most_probable(self, factors: Factors) -> tuple[int, ...]:
        """Return the codes of the most probable joint state."""
        network = self._open(factors)
        made = propagation(network.tree, network.evidence)
        try:
            best = dict(made.most_probable(True, start(network.tree)))
        except _core.ImpossibleEvidence:
            raise ImpossibleFactors() from None
        return tuple(best[v] for v in range(len(factors.arities)))
