"""How often the graphs of a sample have an edge: as it is, in either direction, or compelled."""

from __future__ import annotations

from typing import Literal

import numpy as np

from dagwright.errors import SpecError
from dagwright.pairs import PairMatrix
from dagwright.posterior.graph_sample import GraphSample

__all__ = ["EdgeKind", "edge_probabilities"]

EdgeKind = Literal["directed", "undirected", "compelled"]

_KINDS = ("directed", "undirected", "compelled")


def edge_probabilities(sample: GraphSample, kind: EdgeKind = "directed") -> PairMatrix:
    """Return the weight of the graphs with each edge.

    Parameters
    ----------
    sample : GraphSample
    kind : {"directed", "undirected", "compelled"}
        Whether the edge is there as it is, ``[parent, child]``; in either direction; or as it is
        in every graph that no data can tell from that one (see `Cpdag`).

    Examples
    --------
    >>> import dagwright as dw
    >>> from dagwright.posterior.graph_sample import GraphSample
    >>> from dagwright.posterior.edge_kinds import edge_probabilities
    >>> chain = dw.Dag([("a", "b"), ("b", "c")])
    >>> collider = dw.Dag([("a", "b"), ("c", "b")], nodes=["a", "b", "c"])
    >>> sample = GraphSample.from_dags([chain, collider])
    >>> edge_probabilities(sample, "undirected")["c", "b"]
    1.0
    >>> edge_probabilities(sample, "compelled")["a", "b"]
    0.5
    """
    if kind not in _KINDS:
        raise SpecError(f"kind must be one of {', '.join(_KINDS)}, not {kind!r}")
    if kind == "compelled":
        return _compelled(sample)
    directed = sample.edge_probabilities()
    if kind == "directed":
        return directed
    values = np.minimum(directed.values + directed.values.T, 1.0)
    values.flags.writeable = False
    return PairMatrix(sample.names, values)


def _compelled(sample: GraphSample) -> PairMatrix:
    values = np.zeros((len(sample.names), len(sample.names)))
    for graph, weight in zip(*sample.distinct, strict=True):
        for edge in sample.dag(int(graph)).cpdag()._compelled:
            values[edge] += weight
    np.minimum(values, 1.0, out=values)
    values.flags.writeable = False
    return PairMatrix(sample.names, values)
