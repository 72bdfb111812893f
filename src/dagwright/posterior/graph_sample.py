"""Many graphs over the same variables, kept small."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from dagwright.errors import GraphError
from dagwright.graph import Dag, check_dag
from dagwright.posterior.features import GraphFeatures

__all__ = ["GraphSample"]


@dataclass(frozen=True, eq=False)
class GraphSample(GraphFeatures):
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
        for dag in dags:
            check_dag(dag, "GraphSample")
        names = dags[0].nodes
        place = {name: i for i, name in enumerate(names)}
        numbers: list[dict[tuple[int, ...], int]] = [{} for _ in names]
        draws = np.empty((len(dags), len(names)), dtype=np.int32)
        for at, dag in enumerate(dags):
            if set(dag.nodes) != set(names):
                raise GraphError("the graphs of a sample must have the same nodes")
            for v, name in enumerate(names):
                parents = tuple(sorted(place[parent] for parent in dag.parents(name)))
                draws[at, v] = numbers[v].setdefault(parents, len(numbers[v]))
        shares = np.ones(len(dags)) if weights is None else np.asarray(weights, dtype=np.float64)
        if shares.shape != (len(dags),):
            raise GraphError(
                f"a sample needs one weight for each of its {len(dags)} graphs, not {shares.size}"
            )
        if not (np.isfinite(shares) & (shares >= 0)).all() or not shares.any():
            raise GraphError("the weights of graphs must be finite, 0 or more, and not all 0")
        return cls(names, tuple(tuple(own) for own in numbers), draws, shares / shares.sum())

    @property
    def graphs(self) -> GraphSample:
        """The graphs, each with its weight: itself."""
        return self

    def __len__(self) -> int:
        return len(self.draws)

    def dag(self, i: int) -> Dag:
        """Return one of the graphs."""
        numbers = self.draws[i].tolist()
        return Dag._from_numbers(
            self.names, [own[k] for own, k in zip(self.parent_sets, numbers, strict=True)]
        )

    @cached_property
    def _groups(
        self,
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64], npt.NDArray[np.int64]]:
        """The different graphs, most weight first: where, how much; and which one each draw is."""
        _, first, which = np.unique(self.draws, axis=0, return_index=True, return_inverse=True)
        which = which.ravel()
        weight = _sums(which, self.weights, len(first))
        order = np.lexsort((first, -weight))
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        return first[order].astype(np.int64), weight[order], rank[which]

    @property
    def distinct(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
        """The different graphs, most weight first: where each is first, and its weight."""
        first, weight, _ = self._groups
        return first, weight

    @property
    def which(self) -> npt.NDArray[np.int64]:
        """Which of the different graphs each draw is, as a place in `distinct`."""
        return self._groups[2]

    @cached_property
    def family_weights(self) -> tuple[npt.NDArray[np.float64], ...]:
        """The weight of each parent set of each node."""
        return tuple(
            _sums(self.draws[:, v], self.weights, len(own))
            for v, own in enumerate(self.parent_sets)
        )


def _sums(
    which: npt.NDArray[np.integer[Any]], weights: npt.NDArray[np.float64], n: int
) -> npt.NDArray[np.float64]:
    """Add up weights by number."""
    return np.bincount(which, weights=weights, minlength=n).astype(np.float64, copy=False)
