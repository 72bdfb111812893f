"""The result of a search: a graph, its score, and how it was made."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from os import PathLike
from typing import Any, TypeVar, overload

from dagwright.bayes_net import BayesNet
from dagwright.conform import conform
from dagwright.constraints import Constraints
from dagwright.edge_cards.edge_card import EdgeCard
from dagwright.edge_cards.explain import explain
from dagwright.edge_cards.explanation import Explanation
from dagwright.errors import DagwrightError, DataError, SpecError
from dagwright.family_tables import Parameters, parameters_of_score
from dagwright.fit import fit
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
from dagwright.scores import scores
from dagwright.search.base import Stage, Step, rounding
from dagwright.sources import Chunks
from dagwright.states import check_states
from dagwright.structure_priors import structure_priors
from dagwright.table import Table

__all__ = ["Result", "RunInfo", "made", "variables_from_json", "variables_to_json"]

KIND = "graph"

T = TypeVar("T")


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
        The declared states of each variable; empty for a graph learned from parent sets.
    cuts : mapping
        The inner cuts of the variables that were discretized.
    info : RunInfo
        How it was made.
    stages : tuple of Stage
        The searches that were run one after the other, if there were several.
    bound : float
        No graph within the constraints scores higher than this; inf if nothing is known. Close
        after ``learn(prove=True)`` and exact searches, far above otherwise. See `gap`, `optimal`.
    data : Table, Chunks or None
        What it was learned from; None for a result that was read from a file.
    edges_left_out : int
        How many edges the search, the last one if there were several, did not consider though the
        constraints allow them: with many variables some look only at those that gain most alone.

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
    cuts: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    stages: tuple[Stage, ...] = ()
    edges_left_out: int = 0
    bound: float = math.inf
    data: Table | Chunks | None = field(default=None, repr=False, compare=False)

    @property
    def gap(self) -> float:
        """How much higher than this graph's the best score may be, in nats; inf if not known."""
        return max(0.0, self.bound - self.score)

    @property
    def optimal(self) -> bool:
        """Whether no graph within the constraints scores higher: the gap is zero, but rounding."""
        return self.gap <= rounding(self.score)

    def fit(
        self, data: Table | Chunks | Any = None, parameters: Parameters | None = None
    ) -> BayesNet:
        """Return the Bayesian network of this graph with parameters from rows.

        Parameters
        ----------
        data : Table, Chunks or frame, optional
            By default the data that the graph was learned from; a result that was read from a file
            does not have them.
        parameters : "ml" or Score, optional
            As in :func:`dagwright.fit`. By default the prior of the score that chose the graph;
            BDeu(ess=1) if that has none, as BIC.

        Examples
        --------
        >>> import dagwright as dw
        >>> rows = dw.Table({"a": ["n", "y"] * 9, "b": ["n", "y"] * 9})
        >>> dw.learn(rows, score=dw.BDeu(4)).fit().parameters
        BDeu(ess=4)
        """
        if data is None:
            data = self.data
        if data is None:
            raise DataError("fit: the result does not have its data: pass them, fit(table)")
        if parameters is None:
            parameters = parameters_of_score(self.info.score)
        if not isinstance(data, Table | Chunks):
            data = conform(data, self.states, self.cuts)
        return fit(self.dag, data, parameters)

    @overload
    def explain(
        self, a: str, b: str, *, data: Any = None, posterior: Any = None, bootstrap: Any = None
    ) -> EdgeCard: ...

    @overload
    def explain(
        self,
        a: None = None,
        b: None = None,
        *,
        data: Any = None,
        posterior: Any = None,
        bootstrap: Any = None,
    ) -> Explanation: ...

    def explain(
        self,
        a: str | None = None,
        b: str | None = None,
        *,
        data: Table | Chunks | Any = None,
        posterior: Any = None,
        bootstrap: Any = None,
    ) -> EdgeCard | Explanation:
        """Explain the edge between two nodes, present or absent, or the whole graph.

        Parameters
        ----------
        a, b : str, optional
            Two nodes, in either order; without them the whole graph is explained.
        data : Table, Chunks or frame, optional
            By default the data that the graph was learned from; a result that was read from a file
            does not have them.
        posterior : Posterior or ExactPosterior, optional
        bootstrap : Bootstrap, optional
            What to take probabilities of edges from.

        Returns
        -------
        EdgeCard, or Explanation for the whole graph

        Examples
        --------
        >>> import dagwright as dw
        >>> result = dw.learn(dw.networks.load("asia").sample(1000, seed=1))
        >>> card = result.explain("smoke", "lung")
        >>> card.present, card.direction, card.evidence
        (True, 'reversible', 'very strong evidence for it')
        >>> round(card.gain, 2), round(card.split.fit, 2), round(card.split.price, 2)
        (24.83, 28.28, -3.45)
        >>> result.explain("asia", "smoke").evidence
        'some evidence against it'
        >>> print(result.explain())  # doctest: +ELLIPSIS
        7 edges, BIC -2,299.294
        ...
        """
        if data is None:
            data = self.data
        if data is None:
            raise DataError(
                "explain: the result does not have its data: pass explain(..., data=table)"
            )
        if not isinstance(data, Table | Chunks):
            data = conform(data, self.states, self.cuts)
        try:
            score = scores.from_dict(self.info.score)
            structure_prior = structure_priors.from_dict(self.info.structure_prior)
        except SpecError as error:
            raise SpecError(
                "explain: a result does not keep scores and priors that are made in Python "
                f"({error}): use dagwright.explain(result.dag, data, score=..., "
                "structure_prior=...)"
            ) from error
        return explain(
            self.dag,
            data,
            a,
            b,
            score=score,
            structure_prior=structure_prior,
            constraints=Constraints.from_dict(self.info.constraints),
            posterior=posterior,
            bootstrap=bootstrap,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain JSON values, in the schema of ``docs/schema.md``."""
        values = {
            "format": FORMAT,
            "version": VERSION,
            "kind": KIND,
            "variables": variables_to_json(self.dag.nodes, self.states, self.cuts),
            "edges": [list(edge) for edge in self.dag.edges],
            "score": self.score,
            "reason": self.reason,
            "trace": [step._asdict() for step in self.trace],
            "info": asdict(self.info),
        }
        if self.stages:
            values["stages"] = [asdict(stage) for stage in self.stages]
        if self.edges_left_out:
            values["edges_left_out"] = self.edges_left_out
        if self.bound < math.inf:
            values["bound"] = self.bound
        return values

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Result:
        """Make the result that ``to_dict`` wrote."""
        check_header(values, KIND)
        try:
            names, states, cuts = variables_from_json(values["variables"])
            return cls(
                dag=Dag(values["edges"], nodes=names),
                score=float(values["score"]),
                reason=str(values["reason"]),
                trace=tuple(
                    Step(*(step[field] for field in Step._fields)) for step in values["trace"]
                ),
                states=states,
                info=made(RunInfo, values["info"]),
                stages=tuple(made(Stage, stage) for stage in values.get("stages", ())),
                edges_left_out=int(values.get("edges_left_out", 0)),
                bound=float(values.get("bound", math.inf)),
                cuts=cuts,
            )
        except KeyError as error:
            raise DataError(f"not a graph of dagwright: {error} is missing") from error
        except (TypeError, ValueError, AttributeError, OverflowError) as error:
            raise DataError(f"not a graph of dagwright: {error}") from error

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


def variables_to_json(
    names: Sequence[str],
    states: Mapping[str, tuple[Any, ...]],
    cuts: Mapping[str, tuple[float, ...]],
) -> list[dict[str, Any]]:
    """Return what is known of the variables as plain JSON values."""
    return [
        {"name": name}
        | ({"states": [state_to_json(own) for own in states[name]]} if name in states else {})
        | ({"cuts": list(cuts[name])} if name in cuts else {})
        for name in names
    ]


def variables_from_json(
    variables: Sequence[Mapping[str, Any]],
) -> tuple[list[str], dict[str, tuple[Any, ...]], dict[str, tuple[float, ...]]]:
    """Return the names, states and cuts that ``variables_to_json`` wrote."""
    with_states = any("states" in variable for variable in variables)
    states = {
        variable["name"]: check_states(variable["name"], map(state_from_json, variable["states"]))
        for variable in variables
        if with_states
    }
    cuts = {
        variable["name"]: tuple(float(cut) for cut in variable["cuts"])
        for variable in variables
        if "cuts" in variable
    }
    return [variable["name"] for variable in variables], states, cuts


def made(kind: type[T], values: Mapping[str, Any]) -> T:
    """Make a record; keys that a later dagwright added are left out."""
    return kind(**{field.name: values[field.name] for field in fields(kind)})  # type: ignore[arg-type]
