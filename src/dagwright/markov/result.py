"""What learning an undirected model gives: the model, its graph, and how sure the moments are."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from os import PathLike
from typing import Any

from dagwright.errors import DagwrightError, DataError
from dagwright.io.json import FORMAT, VERSION, check_header, read_json, write_json
from dagwright.markov.empirical import EmpiricalComparison, compare_with_empirical
from dagwright.markov.ising import KIND as ISING
from dagwright.markov.ising import Ising
from dagwright.markov.log_linear import LogLinear
from dagwright.markov.method import MomentStep
from dagwright.table import Table
from dagwright.undirected_graph import UndirectedGraph

__all__ = ["KIND", "UndirectedInfo", "UndirectedResult"]

KIND = "undirected"
_SHOWN = 10


@dataclass(frozen=True)
class UndirectedInfo:
    """How a result was made: enough to make it again. Specs are kept as plain dictionaries."""

    method: Mapping[str, Any]
    coding: str | None
    edges: Sequence[Sequence[str]] | None
    """Of the graph that was given; None if none was."""
    features_given: bool
    """Whether the features of the model were given."""
    seed: int
    threads: int
    time_limit: float | None
    seconds: float
    data_digest: str
    n_rows: int
    total_weight: float
    versions: Mapping[str, str]


@dataclass(frozen=True)
class UndirectedResult:
    """What :func:`dagwright.learn_undirected` returns.

    Attributes
    ----------
    model : Ising or LogLinear
    graph : UndirectedGraph
        The edges of the model; its nodes are the variables, in the order of the data.
    moment_gap : float
        The certificate: the largest difference, over all features, of the mean under the model
        from the mean in the data. Zero at the maximum of the likelihood; above it where penalties
        or the method want something else; NaN where it cannot be computed.
    moment_gap_error : float
        Its Monte-Carlo standard error; 0 where nothing was sampled.
    reason : str
        Why it ended: "moments match", "closed form", "max steps", "time limit", ...
    approximations : tuple of str
        What is approximate about the result; empty if nothing is.
    left_out : tuple of str
        What was not considered or was taken away: screened pairs, thresholds.
    trace : tuple of MomentStep
        g, the moment gap and the log-likelihood, step by step.
    info : UndirectedInfo
        How it was made.
    data : Table or None
        What it was learned from; None for a result that was read from a file.

    Examples
    --------
    >>> import dagwright as dw
    >>> rows = dw.Ising([0.2, 0], [[0, 0.7], [0.7, 0]], names=["a", "b"]).sample(10_000, seed=1)
    >>> result = dw.learn_undirected(rows, method=dw.MomentMatching())
    >>> result.graph
    <UndirectedGraph: 2 nodes, 1 edge: a -- b>
    >>> dw.UndirectedResult.from_dict(result.to_dict()) == result
    True
    """

    model: Ising | LogLinear
    graph: UndirectedGraph
    moment_gap: float
    moment_gap_error: float
    reason: str
    approximations: tuple[str, ...]
    left_out: tuple[str, ...]
    trace: tuple[MomentStep, ...] = field(repr=False)
    info: UndirectedInfo = field(repr=False)
    data: Table | None = field(default=None, repr=False, compare=False)

    def compare_with_empirical(self, data: Table | Any = None) -> EmpiricalComparison:
        """Compare the model with the shares of the joint states in the rows, for few variables.

        Parameters
        ----------
        data : Table or frame, optional
            By default what the model was learned from.

        Examples
        --------
        >>> import dagwright as dw
        >>> rows = dw.networks.load("asia").sample(5000, seed=1).select(["smoke", "lung", "bronc"])
        >>> seen = dw.learn_undirected(rows, method=dw.MomentMatching()).compare_with_empirical()
        >>> bool(seen.entropy > seen.empirical_entropy), round(seen.kl, 4)
        (True, 0.0001)
        """
        if data is None:
            data = self.data
        if data is None:
            raise DataError("the result does not have its data: pass them")
        return compare_with_empirical(self.model, data)

    def plot(self, axes: Any = None) -> Any:
        """Draw g, the moment gap and the log-likelihood by step, by matplotlib.

        Parameters
        ----------
        axes : three matplotlib axes, optional
            By default on a new figure.

        Returns
        -------
        three matplotlib axes
        """
        from dagwright.markov.pictures import plot_trace

        return plot_trace(self.trace, axes)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain JSON values; the data stay behind."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "kind": KIND,
            "reason": self.reason,
            "moment_gap": _plain(self.moment_gap),
            "moment_gap_error": _plain(self.moment_gap_error),
            "approximations": list(self.approximations),
            "left_out": list(self.left_out),
            "graph": self.graph.to_dict(),
            "model": self.model.to_dict(),
            "trace": [
                [own.step, _plain(own.g), _plain(own.moment_gap), _plain(own.log_likelihood)]
                for own in self.trace
            ],
            "info": asdict(self.info),
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> UndirectedResult:
        """Make the result that `to_dict` wrote."""
        check_header(values, KIND)
        try:
            model = values["model"]
            kind = Ising if model["kind"] == ISING else LogLinear
            return cls(
                model=kind.from_dict(model),
                graph=UndirectedGraph.from_dict(values["graph"]),
                moment_gap=_number(values["moment_gap"]),
                moment_gap_error=_number(values["moment_gap_error"]),
                reason=values["reason"],
                approximations=tuple(values["approximations"]),
                left_out=tuple(values["left_out"]),
                trace=tuple(
                    MomentStep(int(step), *map(_number, rest)) for step, *rest in values["trace"]
                ),
                info=UndirectedInfo(
                    **{own.name: values["info"][own.name] for own in fields(UndirectedInfo)}
                ),
            )
        except DagwrightError:
            raise
        except KeyError as error:
            raise DataError(f"not an undirected result: {error} is missing") from error
        except (TypeError, ValueError) as error:
            raise DataError(f"not an undirected result: {error}") from error

    def save(self, path: str | PathLike[str]) -> None:
        """Write the result to a file of JSON."""
        write_json(self.to_dict(), path)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> UndirectedResult:
        """Read a result from a file of JSON."""
        try:
            return cls.from_dict(read_json(path))
        except DagwrightError as error:
            raise DataError(f"{path}: {error}") from error

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, UndirectedResult):
            return NotImplemented
        return self.to_dict() == other.to_dict()  # where NaN, what is not known, is equal

    def __str__(self) -> str:
        error = f" +- {self.moment_gap_error:.2g}" if self.moment_gap_error else ""
        lines = [
            f"{self.model!r} by {self.info.method['name']}: {self.reason}",
            f"moment gap {self.moment_gap:.3g}{error}",
            *(f"approximate: {own}" for own in self.approximations),
            *(f"left out: {own}" for own in self.left_out),
        ]
        if isinstance(self.model, Ising):
            strong = sorted(
                ((self.model.coupling(a, b), a, b) for a, b in self.graph.edges),
                key=lambda own: -abs(own[0]),
            )
            lines += [f"{own:+.4f}  {a} -- {b}" for own, a, b in strong[:_SHOWN]]
            if len(strong) > _SHOWN:
                lines.append(f"... {len(strong) - _SHOWN:,} more")
        else:
            lines.append(repr(self.graph))
        return "\n".join(lines)


def _plain(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _number(value: float | None) -> float:
    return float("nan") if value is None else float(value)
