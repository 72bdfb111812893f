"""The default: which method, by what is asked and how large it is."""

from __future__ import annotations

from dataclasses import dataclass

from dagwright.markov.clique_marginals import CliqueMarginals
from dagwright.markov.method import (
    UndirectedData,
    UndirectedFound,
    UndirectedMethod,
    undirected_methods,
)
from dagwright.markov.moment_matching import MomentMatching
from dagwright.run import Run

__all__ = ["AutoUndirected"]


@undirected_methods.add
@dataclass(frozen=True)
class AutoUndirected(UndirectedMethod):
    """Take the closed form where there is one, else moment matching by exact inference.

    Examples
    --------
    >>> import dagwright as dw
    >>> rows = dw.networks.load("asia").sample(5000, seed=1).select(["smoke", "bronc", "dysp"])
    >>> graph = dw.UndirectedGraph([("smoke", "bronc"), ("bronc", "dysp")])
    >>> dw.learn_undirected(rows, graph=graph).reason
    'closed form'
    """

    name = "auto"

    def learn(self, data: UndirectedData, run: Run) -> UndirectedFound:
        """Learn a model."""
        graph = data.graph
        if graph is not None and (
            graph.is_forest() or (data.coding is None and graph.is_decomposable())
        ):
            return CliqueMarginals().learn(data, run)
        return MomentMatching().learn(data, run)
