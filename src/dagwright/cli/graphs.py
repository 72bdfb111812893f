"""Graphs and tables for commands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dagwright.discretize import Cuts
from dagwright.errors import DataError
from dagwright.graph import Dag
from dagwright.result import Result

__all__ = ["GraphFile", "read_graph"]


@dataclass(frozen=True)
class GraphFile:
    """A graph, and what its file says of the variables."""

    dag: Dag
    states: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    cuts: Mapping[str, Cuts] = field(default_factory=dict)


def read_graph(path: str) -> GraphFile:
    """Read a graph from a file, .json or .graphml."""
    ending = Path(path).suffix.lower()
    if ending == ".json":
        result = Result.load(path)
        states = {name: own for name, own in result.states.items() if name not in result.cuts}
        return GraphFile(
            result.dag, states, {name: Cuts(cuts) for name, cuts in result.cuts.items()}
        )
    if ending == ".graphml":
        return GraphFile(Dag.from_graphml(path))
    raise DataError(f"cannot read a graph from {path}: known endings are .json and .graphml")
