"""Many graphs over the same variables, kept small, and how often they have a feature."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from dagwright.errors import GraphError
from dagwright.graph import Dag, check_dag
from dagwright.pairs import PairMatrix

__all__ = ["GraphSample"]


@dataclass(frozen=True, eq=False)
class GraphSample:
    """Graphs over the same variables, each with a weight.

    A graph is kept as one number a node: which of the node's parent sets it has. Graphs that were
    drawn or learned from the same data have few different ones.

    Attributes
    ----------
    names : tuple of str
    parent_sets : tuple of tuples
        For each node the different sets of parents, each as ascending places in the names.
    draws : array of int32, n_graphs by n_nodes
        Which of its parent sets each node has.
    weights : array of float, n_graphs
        They sum to 1.

    Examples
    --------
    >>> import dagwright as dw
    >>> from dagwright.posterior.graph_sample import GraphSample
    >>> forward, backward = dw.Dag([("a", "b")]), dw.Dag([("b", "a")], nodes=["a", "b"])
    >>> sample = GraphSample.from_dags([forward, backward, forward])
    >>> round(sample.edge_probabilities()["a", "b"], 3)
    0.667
    """

    names: tuple[str, ...]
    parent_sets: tuple[tuple[tuple[int, ...], ...], ...]
    draws: npt.NDArray[np.int32]
    weights: npt.NDArray[np.float64]

    @classmethod
    def from_dags(cls, dags: Sequence[Dag], weights: Sequence[float] | None = None) -> GraphSample:
        """Keep these graphs; without weights, all count the same."""
        if len(dags) == 0:
            raise GraphError("a sample needs at least one graph")
        names = tuple(dags[0].nodes)
        place = {name: i for i, name in enumerate(names)}
        numbers: list[dict[tuple[int, ...], int]] = [{} for _ in names]
        draws = np.empty((len(dags), len(names)), dtype=np.int32)
        for row, dag in zip(draws, dags, strict=True):
            check_dag(dag, "GraphSample")
            if set(dag.nodes) != set(names):
                raise GraphError("the graphs of a sample must have the same nodes")
            for v, name in enumerate(names):
                parents = tuple(sorted(place[parent] for parent in dag.parents(name)))
                row[v] = numbers[v].setdefault(parents, len(numbers[v]))
        shares = np.ones(len(dags)) if weights is None else np.asarray(weights, dtype=np.float64)
        return cls(names, tuple(tuple(own) for own in numbers), draws, shares / shares.sum())

    def __len__(self) -> int:
        return len(self.draws)

    def dag(self, i: int) -> Dag:
        """Return one of the graphs."""
        return Dag._from_numbers(
            self.names, [own[k] for own, k in zip(self.parent_sets, self.draws[i], strict=True)]
        )

    @cached_property
    def distinct(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
        """The different graphs, most weight first: where each is first, and its weight."""
        _, first, which = np.unique(self.draws, axis=0, return_index=True, return_inverse=True)
        weight = np.bincount(which.ravel(), weights=self.weights)
        order = np.lexsort((first, -weight))
        return first[order].astype(np.int64), weight[order].astype(np.float64)

    @cached_property
    def family_weights(self) -> tuple[npt.NDArray[np.float64], ...]:
        """The weight of each parent set of each node."""
        return tuple(
            np.bincount(self.draws[:, v], self.weights, len(own)).astype(np.float64)
            for v, own in enumerate(self.parent_sets)
        )

    def edge_probabilities(self) -> PairMatrix:
        """Return the weight of the graphs with each edge: ``[parent, child]``."""
        values = np.zeros((len(self.names), len(self.names)))
        for v, (own, weight) in enumerate(zip(self.parent_sets, self.family_weights, strict=True)):
            for parents, share in zip(own, weight, strict=True):
                values[list(parents), v] += share
        values.flags.writeable = False
        return PairMatrix(self.names, values)
