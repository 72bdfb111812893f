"""Methods that learn undirected models: what they get, what they return, how to add one."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from dagwright.markov.features import Features, clique_features, ising_features
from dagwright.run import Run
from dagwright.specs import Registry, Spec
from dagwright.table import Table
from dagwright.undirected_graph import UndirectedGraph

__all__ = [
    "MomentStep",
    "UndirectedData",
    "UndirectedFound",
    "UndirectedMethod",
    "undirected_methods",
]


@dataclass(frozen=True, eq=False)
class UndirectedData:
    """What a method learns from.

    Attributes
    ----------
    table : Table
        The rows, with their weights.
    graph : UndirectedGraph or None
        The edges that the model may have; None for all pairs.
    coding : str or None
        Of an Ising model, "-1/+1" or "0/1"; None for any log-linear model.
    features : Features or None
        What was given instead of a graph.
    """

    table: Table
    graph: UndirectedGraph | None = None
    coding: str | None = "-1/+1"
    features: Features | None = None

    @cached_property
    def arities(self) -> tuple[int, ...]:
        """How many states each variable has."""
        return tuple(self.table.n_states.values())

    def all_features(self) -> Features:
        """Return the features that were given; or those of a graph, or of all pairs.

        An Ising model has one feature an edge; any other the features of all tables over the
        cliques of the graph, or without a graph over all pairs.
        """
        if self.features is not None:
            return self.features
        names = self.table.names
        every = combinations(range(len(names)), 2)
        if self.coding is not None:
            pairs = every if self.graph is None else self.graph._pairs
            return ising_features(len(names), pairs, self.coding, names)
        cliques = every if self.graph is None else self.graph._cliques()
        return clique_features(self.arities, cliques, names, self.table.states)

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """One weight a row."""
        if self.table.weights is None:
            return np.ones(len(self.table))
        return self.table.weights.astype(np.float64)


@dataclass(frozen=True)
class MomentStep:
    """One step of learning, as the dual sees it.

    Attributes
    ----------
    step : int
    g : float
        log Z(theta) - theta . mu, what is minimised (without penalties); NaN where log Z is not
        known. At the minimum it is the entropy of the model of maximum entropy.
    moment_gap : float
        The largest difference of E[f] from mu.
    log_likelihood : float
        Of all rows: -N g.
    """

    step: int
    g: float
    moment_gap: float
    log_likelihood: float


@dataclass(frozen=True, eq=False)
class UndirectedFound:
    """What a method returns.

    Attributes
    ----------
    features : Features
    theta : array
        One parameter a feature.
    graph : UndirectedGraph
        The edges of the model.
    reason : str
        Why it ended.
    moment_gap : float
        The largest difference of E[f] from mu; NaN if the method does not know it.
    moment_gap_error : float
        Its Monte-Carlo standard error; 0 where nothing was drawn.
    approximations : tuple of str
        What is approximate, a sentence each.
    left_out : tuple of str
        What was not considered or taken away: screened pairs, thresholds.
    trace : tuple of MomentStep
    """

    features: Features
    theta: NDArray[np.float64]
    graph: UndirectedGraph
    reason: str
    moment_gap: float = float("nan")
    moment_gap_error: float = 0.0
    approximations: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    trace: tuple[MomentStep, ...] = field(default=(), repr=False)


class UndirectedMethod(Spec):
    """Base of the methods. Each is a frozen dataclass in a file of its own."""

    def learn(self, data: UndirectedData, run: Run) -> UndirectedFound:
        """Learn a model; look at ``run.stopping()`` now and then and return the best so far."""
        raise NotImplementedError


undirected_methods: Registry[UndirectedMethod] = Registry("method")
