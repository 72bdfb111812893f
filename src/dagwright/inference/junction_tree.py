"""A junction tree: asked again and again while the evidence changes."""

from __future__ import annotations

from collections.abc import Iterable
from math import exp
from threading import RLock
from typing import Any

from dagwright import _core
from dagwright.errors import DataError
from dagwright.inference.distribution import Distribution
from dagwright.inference.exact import (
    check_defined,
    joint,
    make_tree,
    naming_impossible_evidence,
    propagation,
)
from dagwright.inference.forecast import (
    MAX_BYTES,
    MAX_OPERATIONS,
    Forecast,
    check_cost,
    forecast_of,
    start,
)
from dagwright.inference.network import Evidence, Given, TableNetwork

__all__ = ["JunctionTree"]

_CELLS_OF_PLANNING = 600
"""A node: how many cells could be computed instead of planning another tree."""


class JunctionTree:
    """Exact inference in a tree of cliques.

    Several orders of elimination are tried and the cheapest is kept. Messages are made when an
    answer needs them; after a change of the evidence only those that depend on it are made again,
    unless a tree made for the new evidence is far smaller. Get one from
    :meth:`dagwright.BayesNet.junction_tree`.

    Parameters
    ----------
    network : TableNetwork
    given : mapping, optional
        What is known at first, as in :meth:`set_evidence`.
    do : mapping, optional
        Variables that are set from outside, for as long as the tree is used.
    max_bytes, max_operations : float
        Refuse a tree that costs more than this, before any work is done.

    Examples
    --------
    >>> import dagwright as dw
    >>> tree = dw.networks.load("asia").junction_tree()
    >>> round(tree.marginal("lung")["yes"], 3)
    0.055
    >>> tree.set_evidence({"xray": "yes"})
    >>> round(tree.marginal("lung")["yes"], 4), round(tree.probability, 4)
    (0.4887, 0.1103)
    >>> tree.forecast.largest_clique
    8.0
    """

    def __init__(
        self,
        network: TableNetwork,
        given: Given | None = None,
        do: Given | None = None,
        *,
        max_bytes: float = MAX_BYTES,
        max_operations: float = MAX_OPERATIONS,
    ) -> None:
        self._network = network
        self._do = do
        self._limits = (max_bytes, max_operations)
        self._lock = RLock()  # the core's messages are not made for two threads at once
        self._use(network.evidence(given, do))

    def _use(self, evidence: Evidence, tree: _core.CliqueTree | None = None) -> None:
        """Go on with a tree for the evidence: what is observed is no part of it."""
        if tree is None:
            tree = make_tree(self._network, [], evidence, every=True)
        check_cost(tree, *self._limits)
        self._propagation = propagation(tree, evidence)
        self._tree = tree
        self._evidence = evidence
        self._observed = evidence.observed  # which this tree cannot do without
        self._defined: set[frozenset[int]] = set()

    @property
    def forecast(self) -> Forecast:
        """What a sweep over the whole tree costs."""
        return forecast_of(self._tree)

    @property
    def cliques(self) -> tuple[tuple[str, ...], ...]:
        """The variables of each clique, children before parents."""
        names = self._network.names
        return tuple(tuple(names[v] for v in clique) for clique in self._tree.cliques)

    def set_evidence(self, given: Given | None = None) -> None:
        """Say all that is known from now on: states, or likelihoods by state for soft evidence."""
        evidence = self._network.evidence(given, self._do)
        with self._lock:
            if not self._observed <= evidence.observed:
                self._use(evidence)
                return
            self._propagation.set(list(evidence.states), list(evidence.likelihoods))
            self._evidence = evidence
            self._defined.clear()
            if self._propagation.cells > _CELLS_OF_PLANNING * len(self._network.names):
                other = make_tree(self._network, [], evidence, every=True)
                if 2 * other.cells < self._propagation.cells:
                    self._use(evidence, other)

    @property
    def log_probability(self) -> float:
        """The log of the probability of the evidence; -inf if it cannot be."""
        with self._lock:
            self._check_defined([])
            return self._propagation.log_probability(start(self._tree))

    @property
    def probability(self) -> float:
        """The probability of the evidence."""
        return exp(self.log_probability)

    def marginal(self, variable: str) -> Distribution:
        """Return the posterior of one variable."""
        return self.marginals([variable])[variable]

    def marginals(self, variables: Iterable[str] | None = None) -> dict[str, Distribution]:
        """Return the posterior of each variable, of all by default, in one sweep."""
        network = self._network
        wanted = (
            list(range(len(network.names)))
            if variables is None
            else network.numbers(variables, "variables")
        )
        with self._lock, naming_impossible_evidence(network, self._evidence):
            self._check_defined(wanted)
            found = self._propagation.marginals(wanted, start(self._tree))
        answers = {}
        for variable, values in zip(wanted, found, strict=True):
            name = network.names[variable]
            answers[name] = Distribution(
                (name,), {name: network.states[name]}, values, "junction tree", None, {}
            )
        return answers

    def joint(self, variables: Iterable[str]) -> Distribution:
        """Return the posterior of several variables together, in one clique or not."""
        network = self._network
        wanted = network.numbers(variables, "variables")
        with self._lock:
            if self._propagation.in_one_clique(wanted):
                values = self._joint_in_clique(wanted)
            else:
                known = self._evidence.observed
                if known & set(wanted):
                    both = [network.names[v] for v in wanted if v in known]
                    raise DataError(f"{both} are in the evidence: ask for the other variables only")
                values = joint(network, wanted, self._evidence, *self._limits)
        names = tuple(network.names[v] for v in wanted)
        states = {name: network.states[name] for name in names}
        return Distribution(names, states, values, "junction tree", None, {})

    def _joint_in_clique(self, wanted: list[int]) -> Any:
        with naming_impossible_evidence(self._network, self._evidence):
            self._check_defined(wanted)
            values = self._propagation.joint(wanted, start(self._tree))
        return values.reshape(self._network.n_states(wanted))

    def most_probable(self) -> dict[str, Any]:
        """Return the most probable joint state of all variables that are not in the evidence."""
        network = self._network
        with self._lock, naming_impossible_evidence(network, self._evidence):
            check_cost(self._tree, *self._limits, own_tables=1)
            self._check_defined(range(len(network.names)))
            codes = dict(self._propagation.most_probable(True, start(self._tree)))
        return {
            name: network.states[name][codes[number]]
            for number, name in enumerate(network.names)
            if number in codes
        }

    def _check_defined(self, wanted: Iterable[int]) -> None:
        if self._network.undefined and (asked := frozenset(wanted)) not in self._defined:
            check_defined(self._network, self._evidence, _core.Run(), also=sorted(asked))
            self._defined.add(asked)

    def __repr__(self) -> str:
        return f"JunctionTree({len(self._tree.cliques)} cliques, {self.forecast})"
