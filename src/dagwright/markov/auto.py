"""The default: which method, by what is asked and how large it is."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from dagwright.markov.clique_marginals import CliqueMarginals
from dagwright.markov.contrastive_divergence import PersistentContrastiveDivergence
from dagwright.markov.exact import exact_expectation
from dagwright.markov.method import (
    UndirectedData,
    UndirectedFound,
    UndirectedMethod,
    undirected_methods,
)
from dagwright.markov.moment_matching import MomentMatching, infinite_cells
from dagwright.markov.moments import scope_shares
from dagwright.markov.neighbourhoods import NeighbourhoodSelection
from dagwright.run import Run
from dagwright.undirected_graph import UndirectedGraph

__all__ = ["AutoUndirected"]


@undirected_methods.add
@dataclass(frozen=True)
class AutoUndirected(UndirectedMethod):
    """Find the graph of an Ising model where none is given, then match the moments of its edges.

    The graph is that of :class:`NeighbourhoodSelection`. Moments are matched in closed form where
    there is one, else by exact inference (:class:`MomentMatching`), else by sampling
    (:class:`PersistentContrastiveDivergence`). A chosen graph that is too wide for exact
    inference, or on which parameters would be infinite, keeps the couplings of
    :class:`NeighbourhoodSelection`. Variables of more states have no such selection: without a
    graph all their pairs are matched.

    Examples
    --------
    >>> import dagwright as dw
    >>> ring = dw.UndirectedGraph([("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")])
    >>> truth = dw.Ising([0] * 4, 0.5 * ring.to_adjacency(), names=ring.nodes)
    >>> result = dw.learn_undirected(truth.sample(20_000, seed=1))
    >>> result.graph == ring, result.reason
    (True, 'moments match')
    """

    name = "auto"

    def learn(self, data: UndirectedData, run: Run) -> UndirectedFound:
        """Learn a model."""
        if data.graph is not None or data.features is not None:
            return _matched(data, run)
        if data.coding is None:
            names = data.table.names
            pair = UndirectedGraph.complete(names) if len(names) <= 2 else None  # a closed form
            return _matched(replace(data, graph=pair), run)
        found = NeighbourhoodSelection().learn(data, run)
        chosen = replace(data, graph=found.graph)
        if run.stopping() or not _is_exact(chosen) or _is_infinite(chosen):
            return found
        return replace(_matched(chosen, run), left_out=found.left_out)


def _matched(data: UndirectedData, run: Run) -> UndirectedFound:
    """Match the moments of what is given."""
    graph = data.graph
    if graph is not None and (
        graph.is_forest() or (data.coding is None and graph.is_decomposable())
    ):
        return CliqueMarginals().learn(data, run)
    method = MomentMatching() if _is_exact(data) else PersistentContrastiveDivergence()
    return method.learn(data, run)


def _is_exact(data: UndirectedData) -> bool:
    features = data.all_features()
    return exact_expectation(features.factors(np.zeros(len(features)))) is not None


def _is_infinite(data: UndirectedData) -> bool:
    features = data.all_features()
    shares = scope_shares(data.table, features.factor_scopes)
    return bool(infinite_cells(features, shares, data))
