"""The result of a search: a graph, its score, and how it was made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from os import PathLike
from typing import Any

from dagwright.errors import DagwrightError, DataError
from dagwright.graph import Dag
from dagwright.io.json import (
    FORMAT,
    VERSION,
    check_header,
    read_json,
    state_from_json,
    state_to_json,
    write_json,
)
from dagwright.search.base import Step

__all__ = ["Result", "RunInfo"]

KIND = "graph"


@dataclass(frozen=True)
class RunInfo:
    """How a result was made: enough to make it again.

    Specs are kept as plain dictionaries (``{"name": "bdeu", "ess": 10}``), so that a result can be
    read without the code that made it.
    """

    score: Mapping[str, Any]
    structure_prior: Mapping[str, Any]
    search: Mapping[str, Any]
    constraints: Mapping[str, Any]
    seed: int
    threads: int
    time_limit: float | None
    seconds: float
    families_scored: int
    families_counted: int
    data_digest: str
    n_rows: int
    total_weight: float
    versions: Mapping[str, str]


@dataclass(frozen=True)
class Result:
    """What :func:`dagwright.learn` returns.

    Attributes
    ----------
    dag : Dag
        The best graph found; its nodes are the variables, in the order of the data.
    score : float
        Its score, structure prior included: natural log, total over rows, higher is better.
    reason : str
        Why the search ended: "local optimum", "max steps", "time limit", "callback", ...
    trace : tuple of Step
        The moves of the search.
    states : mapping
        The declared states of each variable.
    info : RunInfo
        How it was made.

    Examples
    --------
    >>> import dagwright as dw
    >>> result = dw.learn(dw.Table({"a": ["n", "n", "y", "y"] * 5, "b": ["n", "n", "y", "y"] * 5}))
    >>> len(result.dag.edges)
    1
    >>> [step.operator for step in result.trace]
    ['add']
    >>> dw.Result.from_dict(result.to_dict()) == result
    True
    """

    dag: Dag
    score: float
    reason: str
    trace: tuple[Step, ...]
    states: Mapping[str, tuple[Any, ...]]
    info: RunInfo

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain JSON values, in the schema of ``docs/schema.md``."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "kind": KIND,
            "variables": [
                {"name": name, "states": [state_to_json(state) for state in self.states[name]]}
                for name in self.dag.nodes
            ],
            "edges": [list(edge) for edge in self.dag.edges],
            "score": self.score,
            "reason": self.reason,
            "trace": [asdict(step) for step in self.trace],
            "info": asdict(self.info),
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Result:
        """Make the result that ``to_dict`` wrote."""
        check_header(values, KIND)
        try:
            states = {
                variable["name"]: tuple(state_from_json(state) for state in variable["states"])
                for variable in values["variables"]
            }
            return cls(
                dag=Dag([tuple(edge) for edge in values["edges"]], nodes=list(states)),
                score=float(values["score"]),
                reason=values["reason"],
                trace=tuple(Step(**step) for step in values["trace"]),
                states=states,
                info=RunInfo(**values["info"]),
            )
        except (KeyError, TypeError, AttributeError) as error:
            raise DataError(f"the file does not follow the schema of a graph: {error!r}") from error

    def save(self, path: str | PathLike[str]) -> None:
        """Write the result to a JSON file."""
        write_json(self.to_dict(), path)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Result:
        """Read a result from a JSON file."""
        values = read_json(path)
        try:
            return cls.from_dict(values)
        except DagwrightError as error:
            raise DataError(f"{path}: {error}") from error

    def __repr__(self) -> str:
        return (
            f"Result({len(self.dag.nodes)} nodes, {len(self.dag.edges)} edges, "
            f"score {self.score:.3f}, {self.reason})"
        )
