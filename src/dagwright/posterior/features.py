"""What a sample of graphs says: how probable edges, paths, parent sets and blankets are."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
import numpy.typing as npt

from dagwright import _core
from dagwright._names import unknown_node
from dagwright.errors import SpecError
from dagwright.graph import Dag
from dagwright.pairs import PairMatrix
from dagwright.posterior.graph_bits import (
    ancestors,
    blankets,
    graph_parts,
    set_members,
    unpacked,
)

if TYPE_CHECKING:
    from dagwright.posterior.graph_sample import GraphSample

__all__ = ["EdgeKind", "GraphFeatures", "pair_matrix"]

EdgeKind = Literal["directed", "undirected", "compelled"]

_ROUNDING = 1e-9  # of sums of weights


class GraphFeatures:
    """The part of a class with a sample of graphs, `graphs`, that says what they have in common."""

    @property
    def graphs(self) -> GraphSample:
        """The graphs, each with its weight."""
        raise NotImplementedError

    def edge_probabilities(self, kind: EdgeKind = "directed") -> PairMatrix:
        """Return the probability of every edge: ``[parent, child]``.

        Parameters
        ----------
        kind : {"directed", "undirected", "compelled"}
            Whether the edge itself counts; an edge in either direction, so that the matrix is
            symmetric; or the edge if its direction is the same in the whole class of the graph
            (its CPDAG), which is all that a score-equivalent score can tell.

        Examples
        --------
        >>> import dagwright as dw
        >>> from dagwright.posterior.graph_sample import GraphSample
        >>> chain = dw.Dag([("cloud", "rain"), ("rain", "wet")])
        >>> other = dw.Dag([("cloud", "rain"), ("wet", "rain")], nodes=chain.nodes)
        >>> sample = GraphSample.from_dags([chain, chain, other, chain.remove("rain", "wet")])
        >>> edges = sample.edge_probabilities()
        >>> edges["rain", "wet"], edges["wet", "rain"]
        (0.5, 0.25)
        >>> sample.edge_probabilities("undirected")["rain", "wet"]
        0.75
        """
        if kind not in get_args(EdgeKind):
            raise SpecError(f'kind must be "directed", "undirected" or "compelled", not {kind!r}')
        if kind == "compelled":
            return self._compelled
        if kind == "directed":
            return self._directed
        return pair_matrix(self.graphs.names, self._directed.values + self._directed.values.T)

    @cached_property
    def _directed(self) -> PairMatrix:
        graphs = self.graphs
        values = np.zeros((len(graphs.names), len(graphs.names)))
        for v, members in enumerate(set_members(graphs.parent_sets)):
            values[:, v] = graphs.family_weights[v] @ members
        return pair_matrix(graphs.names, values)

    @cached_property
    def _compelled(self) -> PairMatrix:
        graphs = self.graphs
        values = np.zeros((len(graphs.names), len(graphs.names)))
        for first, weight in zip(*graphs.distinct, strict=True):
            numbers = graphs.draws[first].tolist()
            parents = [own[k] for own, k in zip(graphs.parent_sets, numbers, strict=True)]
            for edge in _core.cpdag(parents)[0]:
                values[edge] += weight
        return pair_matrix(graphs.names, values)

    def path_probabilities(self) -> PairMatrix:
        """Return the probability that a directed path leads from one to the other: ``[from, to]``.

        Examples
        --------
        >>> import dagwright as dw
        >>> from dagwright.posterior.graph_sample import GraphSample
        >>> chain = dw.Dag([("cloud", "rain"), ("rain", "wet")])
        >>> other = dw.Dag([("cloud", "rain"), ("wet", "rain")], nodes=chain.nodes)
        >>> sample = GraphSample.from_dags([chain, chain, other, chain.remove("rain", "wet")])
        >>> sample.path_probabilities()["cloud", "wet"]
        0.5
        """
        return self._paths

    @cached_property
    def _paths(self) -> PairMatrix:
        graphs = self.graphs
        n = len(graphs.names)
        weights = graphs.distinct[1]
        into = np.zeros((n, n))
        for part, parents in graph_parts(graphs):
            above = unpacked(ancestors(parents), n)
            into += np.tensordot(weights[part], above.astype(np.float64), axes=1)
        return pair_matrix(graphs.names, into.T.copy())

    def parent_set_probabilities(self, node: str) -> dict[tuple[str, ...], float]:
        """Return the probability of each parent set that was drawn, most probable first.

        Examples
        --------
        >>> import dagwright as dw
        >>> from dagwright.posterior.graph_sample import GraphSample
        >>> chain = dw.Dag([("cloud", "rain"), ("rain", "wet")])
        >>> other = dw.Dag([("cloud", "rain"), ("wet", "rain")], nodes=chain.nodes)
        >>> sample = GraphSample.from_dags([chain, chain, other, chain.remove("rain", "wet")])
        >>> sample.parent_set_probabilities("rain")
        {('cloud',): 0.75, ('cloud', 'wet'): 0.25}
        """
        v = self._place(node)
        weights = self.graphs.family_weights[v].tolist()
        sets = zip(self.graphs.parent_sets[v], weights, strict=True)
        return self._named((own, weight) for own, weight in sets if weight > 0)

    def markov_blanket_probabilities(self, node: str) -> dict[tuple[str, ...], float]:
        """Return the probability of each Markov blanket that was drawn, most probable first.

        The blanket of a node are its parents, its children and its children's other parents: given
        these, the rest of the variables says nothing more about it.

        Examples
        --------
        >>> import dagwright as dw
        >>> from dagwright.posterior.graph_sample import GraphSample
        >>> chain = dw.Dag([("cloud", "rain"), ("rain", "wet")])
        >>> other = dw.Dag([("cloud", "rain"), ("wet", "rain")], nodes=chain.nodes)
        >>> sample = GraphSample.from_dags([chain, chain, other, chain.remove("rain", "wet")])
        >>> sample.markov_blanket_probabilities("wet")
        {('rain',): 0.5, (): 0.25, ('cloud', 'rain'): 0.25}
        """
        v = self._place(node)
        found = np.concatenate([blankets(parents, v) for _, parents in graph_parts(self.graphs)])
        sets, which = np.unique(found, axis=0, return_inverse=True)
        weights = np.bincount(which.ravel(), weights=self.graphs.distinct[1]).tolist()
        members = unpacked(sets, len(self.graphs.names))
        pairs = zip((tuple(row.nonzero()[0].tolist()) for row in members), weights, strict=True)
        return self._named((own, weight) for own, weight in pairs if weight > 0)

    @cached_property
    def median_graph(self) -> Dag:
        """The graph of the edges with a probability above a half.

        These edges can, in rare cases, close a cycle of three or more: they are added by falling
        probability (ties by place), and an edge that would close a cycle is left out.
        """
        names = self.graphs.names
        values = self._directed.values
        more_than_half = np.nonzero(values > 0.5 + _ROUNDING)
        likely = [(-values[a, b], a, b) for a, b in zip(*more_than_half, strict=True)]
        parents: list[set[int]] = [set() for _ in names]
        above: list[set[int]] = [{v} for v in range(len(names))]  # ancestors, and itself
        for _, start, end in sorted(likely):
            if end in above[start]:
                continue
            parents[end].add(int(start))
            for own in above:
                if end in own:
                    own |= above[start]
        return Dag._from_numbers(names, parents)

    def _place(self, node: str) -> int:
        if node not in self.graphs.names:
            raise unknown_node(node, self.graphs.names)
        return self.graphs.names.index(node)

    def _named(self, sets: Iterable[tuple[tuple[int, ...], float]]) -> dict[tuple[str, ...], float]:
        """Name the members of sets; the most probable first, then small ones, then by place."""
        names = self.graphs.names
        ordered = sorted(sets, key=lambda pair: (-pair[1], len(pair[0]), pair[0]))
        return {tuple(names[i] for i in own): min(1.0, weight) for own, weight in ordered}


def pair_matrix(names: tuple[str, ...], values: npt.NDArray[np.float64]) -> PairMatrix:
    """Return probabilities of pairs: rounding never makes them more than 1."""
    np.minimum(values, 1.0, out=values)
    values.flags.writeable = False
    return PairMatrix(names, values)
