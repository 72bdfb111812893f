"""The result of a search: a graph, its score, and how it was made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any

from dagwright.graph import Dag
from dagwright.search.base import Step

if TYPE_CHECKING:
    from dagwright.table import Table

__all__ = ["Result", "RunInfo"]


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
    >>> result.dag.edges
    (('a', 'b'),)
    >>> [(step.operator, step.start, step.end) for step in result.trace]
    [('add', 'a', 'b')]
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
        """Return the result as plain JSON values, in the documented schema."""
        from dagwright.io.json import result_to_dict

        return result_to_dict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Result:
        """Make the result that ``to_dict`` wrote."""
        from dagwright.io.json import result_from_dict

        return result_from_dict(values)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the result to a JSON file."""
        from dagwright.io.json import save

        save(self, path)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Result:
        """Read a result from a JSON file."""
        from dagwright.io.json import load

        return load(path)

    def replay(self, table: Table) -> Result:
        """Learn again as this result was learned; refused when the data are not the same.

        Examples
        --------
        >>> import dagwright as dw
        >>> table = dw.Table({"a": ["n", "y"] * 9, "b": ["n", "y"] * 9})
        >>> result = dw.learn(table)
        >>> result.replay(table).dag == result.dag
        True
        """
        from dagwright.learn import replay

        return replay(self, table)

    def __repr__(self) -> str:
        return (
            f"Result({len(self.dag.nodes)} nodes, {len(self.dag.edges)} edges, "
            f"score {self.score:.3f}, {self.reason})"
        )
