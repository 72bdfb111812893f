"""Reading graphs for commands."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dagwright.errors import DataError
from dagwright.graph import Dag
from dagwright.result import Result

__all__ = ["read_graph"]


def read_graph(path: str) -> tuple[Dag, Mapping[str, Any]]:
    """Return the graph of a file (.json or .graphml) and the states it declares, if any."""
    ending = Path(path).suffix
    if ending == ".json":
        result = Result.load(path)
        return result.dag, result.states
    if ending == ".graphml":
        return Dag.from_graphml(path), {}
    raise DataError(f"cannot read a graph from {path}: known endings are .json and .graphml")
