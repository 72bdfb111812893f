"""Graphs for commands, and what is known of their variables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dagwright.bayes_net import BayesNet
from dagwright.cli.models import load_any
from dagwright.discretize import Cuts
from dagwright.graph import Dag
from dagwright.result import Result

__all__ = ["GraphFile", "graph_of", "read_graph"]


@dataclass(frozen=True)
class GraphFile:
    """A graph, and what its file says of the variables and of the search that found it."""

    dag: Dag
    states: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    cuts: Mapping[str, Cuts] = field(default_factory=dict)
    result: Result | None = None


def read_graph(source: str) -> GraphFile:
    """Read a graph from a file, from JSON on stdin, or from a shipped network."""
    if Path(source).suffix.lower() == ".graphml":
        return GraphFile(Dag.from_graphml(source))
    return graph_of(load_any(source, "a graph", ".graphml, "))


def graph_of(model: BayesNet | Result) -> GraphFile:
    """Return a model's graph with its states and cuts."""
    return GraphFile(
        model.dag,
        {name: own for name, own in model.states.items() if name not in model.cuts},
        {name: Cuts(cuts) for name, cuts in model.cuts.items()},
        model if isinstance(model, Result) else None,
    )
