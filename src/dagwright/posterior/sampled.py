"""The posterior over graphs, by graphs that chains of a sampler drew."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt

from dagwright._names import checked_nodes
from dagwright.errors import DagwrightError, DataError, GraphError, SpecError
from dagwright.family_tables import Parameters, check_parameters, parameters_of_score
from dagwright.graph import Dag
from dagwright.inference.forecast import MAX_BYTES, MAX_OPERATIONS
from dagwright.inference.network import Given
from dagwright.io.json import read_json, write_json
from dagwright.posterior.average_query import AveragedDistribution, average_query
from dagwright.posterior.best import BestDags
from dagwright.posterior.check_draws import (
    ParentSets,
    check_numbers,
    check_parent_sets,
    check_places,
)
from dagwright.posterior.convergence import standard_errors
from dagwright.posterior.diagnostics import Diagnostics
from dagwright.posterior.estimate import Estimate
from dagwright.posterior.features import EdgeKind, GraphFeatures
from dagwright.posterior.graph_sample import GraphSample
from dagwright.posterior.join import Along, joined
from dagwright.posterior.posterior_file import (
    check_acyclic,
    posterior_from_dict,
    posterior_to_dict,
)
from dagwright.posterior.sample_info import SampleInfo
from dagwright.provenance import versions
from dagwright.search.base import rounding
from dagwright.sources import Chunks
from dagwright.specs import check_number
from dagwright.table import Table

__all__ = ["Posterior"]

_EDGES_SHOWN = 10


@dataclass(frozen=True, eq=False, repr=False)
class Posterior(GraphFeatures, Diagnostics):
    """The posterior over graphs, as chains of draws from it.

    A graph is kept as one number a node: which of the node's parent sets it has.

    Attributes
    ----------
    names : tuple of str
        The variables, in the order of the data.
    parent_sets : tuple of tuples
        For each node the different sets of parents, each as ascending places in the names.
    draws : array of int32, n_chains by n_draws by n_nodes
        Which of its parent sets each node has.
    scores : array of float, n_chains by n_draws
        The log score plus the log structure prior of each drawn graph.
    log_weights : array of float, n_chains by n_draws, or None
        Logs of importance weights, of which only the differences matter; None if all draws count
        the same.
    info : SampleInfo
        How it was made.
    state : mapping or None
        With what the chains can be continued; plain JSON values.
    data : Table, Chunks or None
        What it was learned from; None if it was read from a file.

    Examples
    --------
    >>> import dagwright as dw
    >>> forward = dw.Dag([("rain", "wet")])
    >>> backward = dw.Dag([("wet", "rain")], nodes=forward.nodes)
    >>> posterior = dw.Posterior.from_dags(
    ...     [[forward, forward, backward, forward] * 25, [forward, backward] * 50],
    ...     scores=[[-9.0] * 100] * 2,
    ... )
    >>> round(posterior.edge_probabilities()["rain", "wet"], 3)
    0.625
    >>> round(posterior.max_edge_difference(), 3)
    0.25
    >>> posterior.warnings[0].partition(":")[0]
    'The chains disagree on edges, most on rain -> wet'
    """

    names: tuple[str, ...]
    parent_sets: ParentSets
    draws: npt.NDArray[np.int32]
    scores: npt.NDArray[np.float64]
    log_weights: npt.NDArray[np.float64] | None
    info: SampleInfo
    state: Mapping[str, Any] | None = None
    data: Table | Chunks | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        names = checked_nodes(self.names)
        if not names:
            raise GraphError("a posterior needs at least one variable")
        parent_sets = check_parent_sets(names, self.parent_sets)
        draws = check_places(names, parent_sets, self.draws)
        scores = check_numbers("scores", self.scores, draws.shape[:2])
        logs = self.log_weights
        if logs is not None:
            logs = check_numbers("log_weights", logs, draws.shape[:2])
        for name, value in (
            ("names", names),
            ("parent_sets", parent_sets),
            ("draws", draws),
            ("scores", scores),
            ("log_weights", logs),
        ):
            object.__setattr__(self, name, value)

    @classmethod
    def from_dags(
        cls,
        chains: Sequence[Sequence[Dag]],
        scores: npt.ArrayLike,
        *,
        log_weights: npt.ArrayLike | None = None,
        info: SampleInfo | None = None,
        data: Table | Chunks | None = None,
    ) -> Posterior:
        """Keep what a sampler of your own drew.

        Parameters
        ----------
        chains : list of lists of Dag
            The draws of each chain, all of one length.
        scores : array, n_chains by n_draws
            The log score plus the log structure prior of each.
        log_weights : array, n_chains by n_draws, optional
            Logs of importance weights.
        info : SampleInfo, optional
            How it was made.
        data : Table or Chunks, optional
            What it was learned from.

        Examples
        --------
        >>> import dagwright as dw
        >>> dag = dw.Dag([("a", "b")])
        >>> dw.Posterior.from_dags([[dag, dag]], [[-1.0, -1.0]])
        Posterior(2 variables, 1 chain of 2 draws, 1 different graph)
        """
        lengths = {len(chain) for chain in chains}
        if len(lengths) != 1:
            raise DataError(f"the chains must have the same number of draws, not {sorted(lengths)}")
        sample = GraphSample.from_dags([dag for chain in chains for dag in chain])
        return cls(
            names=sample.names,
            parent_sets=sample.parent_sets,
            draws=sample.draws.reshape(len(chains), -1, len(sample.names)),
            scores=np.asarray(scores, dtype=np.float64),
            log_weights=None if log_weights is None else np.asarray(log_weights, dtype=np.float64),
            info=_unknown_info(data) if info is None else info,
            data=data,
        )

    @property
    def n_chains(self) -> int:
        """How many chains there are."""
        return len(self.scores)

    @property
    def n_draws(self) -> int:
        """How many draws a chain has."""
        return int(self.scores.shape[1])

    @cached_property
    def graphs(self) -> GraphSample:
        """The draws of all chains, one after the other, each with its weight."""
        flat = self.draws.reshape(-1, len(self.names))
        return GraphSample(self.names, self.parent_sets, flat, self.weights.ravel())

    def dag(self, chain: int, draw: int) -> Dag:
        """Return one of the drawn graphs."""
        return self.graphs.dag(
            range(self.n_chains)[chain] * self.n_draws + range(self.n_draws)[draw]
        )

    def probability(self, feature: Callable[[Dag], bool | float]) -> Estimate:
        """Return the probability that a graph has a feature, or the mean of a number.

        Parameters
        ----------
        feature : function of a Dag
            Returns whether the graph has the feature, or a number. It is called once for each of
            the different graphs.

        Returns
        -------
        Estimate
            The weighted mean, with its Monte-Carlo standard error, from the effective sample size
            over all chains.

        Examples
        --------
        >>> import dagwright as dw
        >>> forward = dw.Dag([("a", "b")])
        >>> empty = dw.Dag(nodes=["a", "b"])
        >>> posterior = dw.Posterior.from_dags([[forward, empty, empty, empty] * 9], [[-1.0] * 36])
        >>> posterior.probability(lambda dag: "a" in dag.ancestors("b")).value
        0.25
        """
        first, _ = self.graphs.distinct
        found = np.array([_number(feature(self.graphs.dag(int(i)))) for i in first])
        by_draw = found[self.graphs.which].reshape(self.scores.shape)
        value = float((self.weights * by_draw).sum())
        error = float(standard_errors(by_draw[..., None], self.weights)[0])
        return Estimate(value, error)

    @cached_property
    def map_graph(self) -> Dag:
        """The drawn graph with the highest score; of those that tie, the first by its edges."""
        flat = self.scores.ravel()
        first, _ = self.graphs.distinct
        ties = first[flat[first] >= flat.max() - rounding(float(flat.max()))]
        return min((self.graphs.dag(int(i)) for i in ties), key=lambda dag: sorted(dag.edges))

    def credible_set(self, mass: float = 0.95) -> BestDags:
        """Return the fewest drawn graphs that hold this share of the posterior, best first.

        Their probabilities are their shares of the weighted draws: with few draws of each graph
        these are rough, and the set is too small.

        Examples
        --------
        >>> import dagwright as dw
        >>> forward = dw.Dag([("a", "b")])
        >>> empty = dw.Dag(nodes=["a", "b"])
        >>> posterior = dw.Posterior.from_dags([[forward] * 9 + [empty]], [[-1.0] * 9 + [-3.0]])
        >>> best = posterior.credible_set(0.9)
        >>> best.dags, round(best.mass, 3)
        ((<Dag: 2 nodes, 1 edge: a -> b>,), 0.9)
        """
        check_number("mass", mass, "above 0 and up to 1", lambda x: 0 < x <= 1)
        first, weight = self.graphs.distinct
        first, weight = first[weight > 0], weight[weight > 0]
        enough = int((np.cumsum(weight) < mass * (1 - 1e-12)).sum()) + 1
        kept = first[:enough]
        return BestDags(
            dags=tuple(self.graphs.dag(int(i)) for i in kept),
            scores=tuple(self.scores.ravel()[kept].tolist()),
            probabilities=tuple(weight[:enough].tolist()),
        )

    def average_query(
        self,
        targets: str | Iterable[str],
        given: Given | None = None,
        *,
        do: Given | None = None,
        data: Table | Chunks | Any = None,
        parameters: Parameters | None = None,
        max_bytes: float = MAX_BYTES,
        max_operations: float = MAX_OPERATIONS,
    ) -> AveragedDistribution:
        """Return what :meth:`BayesNet.query` answers, averaged over the drawn graphs.

        The mean of the answers, sum over G of p(G | data) p(targets | given, G, data), where each
        graph is fitted as :func:`dagwright.fit` does. That is not the answer of one joint model:
        there, graphs under which the evidence is more probable would count for more.

        Every family is counted once, and graphs that agree on what matters are asked once.

        Parameters
        ----------
        targets, given, do
            As in :meth:`BayesNet.query`.
        data : Table, Chunks or frame, optional
            By default the data that the graphs were drawn for; a posterior that was read from a
            file does not have them.
        parameters : "ml" or Score, optional
            By default the prior of the score; BDeu(ess=1) if that has none, as BIC.
        max_bytes, max_operations : float
            Refuse inference in any one graph beyond this, before the work.

        Returns
        -------
        AveragedDistribution
            The mean with its Monte-Carlo errors, and the spread of the answers over the graphs.

        Examples
        --------
        >>> import dagwright as dw
        >>> rows = dw.Table({"a": ["n", "n", "y", "y"] * 5, "b": ["n", "n", "y", "y"] * 5})
        >>> forward, empty = dw.Dag([("a", "b")]), dw.Dag(nodes=["a", "b"])
        >>> posterior = dw.Posterior.from_dags(
        ...     [[forward, forward, forward, empty] * 9], [[-1.0] * 36], data=rows)
        >>> answer = posterior.average_query("b", given={"a": "y"})
        >>> round(answer["y"], 3)
        0.857
        >>> answer.low.round(3).tolist(), answer.high.round(3).tolist()
        ([0.024, 0.5], [0.5, 0.976])
        """
        data = self.data if data is None else data
        if data is None:
            raise DataError(
                "average_query: the posterior does not have its data: pass them, "
                "average_query(..., data=table)"
            )
        if parameters is None:
            parameters = parameters_of_score(self.info.score)
        return average_query(
            self.graphs,
            self.weights,
            data if isinstance(data, Table | Chunks) else Table(data),
            check_parameters(parameters),
            targets,
            given,
            do,
            max_bytes,
            max_operations,
        )

    def concat(self, *others: Posterior, along: Along = "chains") -> Posterior:
        """Return the draws of several runs as one posterior.

        Only runs on the same data, with the same score, structure prior, constraints and weights.
        `info` is the first's, with the sums of all; each run's own is in ``info.runs``.

        Parameters
        ----------
        others : Posterior
        along : {"chains", "draws"}
            Whether the others are more chains, or the same chains continued.

        Examples
        --------
        >>> import dagwright as dw
        >>> dag = dw.Dag([("a", "b")])
        >>> run = dw.Posterior.from_dags([[dag] * 10], [[-1.0] * 10])
        >>> run.concat(run, along="draws").n_draws
        20
        """
        for other in others:
            if not isinstance(other, Posterior):
                raise SpecError(f"concat takes posteriors, not a {type(other).__name__}")
        return type(self)(**joined([self, *others], along))

    # --- Files and other programs -------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Return the posterior as plain JSON values, in the schema of ``docs/schema.md``."""
        return posterior_to_dict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Posterior:
        """Make the posterior that ``to_dict`` wrote."""
        posterior = cls(**posterior_from_dict(values))
        check_acyclic(posterior.graphs)
        return posterior

    def save(self, path: str | PathLike[str]) -> None:
        """Write the posterior to a JSON file; .json.gz packs it. The data are not in it."""
        write_json(self.to_dict(), path)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Posterior:
        """Read a posterior from a JSON file."""
        values = read_json(path)
        try:
            return cls.from_dict(values)
        except DagwrightError as error:
            raise DataError(f"{path}: {error}") from error

    def to_arviz(self) -> Any:
        """Return the draws as arviz's InferenceData: `log_score`, and `edge` by parent and child.

        Needs ``pip install 'dagwright[arviz]'``. Importance weights, which arviz does not apply,
        are in ``sample_stats.log_weight``.
        """
        from dagwright.posterior.to_arviz import to_arviz

        return to_arviz(self)

    # --- Pictures -----------------------------------------------------------------------------

    def plot_edges(self, kind: EdgeKind = "directed", ax: Any = None) -> Any:
        """Draw the matrix of the probabilities of edges; return matplotlib's Axes.

        Parents are rows, children columns. Needs ``pip install 'dagwright[plot]'``.
        """
        from dagwright.posterior.pictures import plot_edges

        return plot_edges(self, kind, ax)

    def plot_trace(self, ax: Any = None) -> Any:
        """Draw the scores of the draws, one line a chain; return matplotlib's Axes.

        Needs ``pip install 'dagwright[plot]'``.
        """
        from dagwright.posterior.pictures import plot_trace

        return plot_trace(self, ax)

    def plot_chains(self, ax: Any = None) -> Any:
        """Draw the probabilities of edges by each later chain against those by the first.

        Where chains agree all points are near the diagonal. Returns matplotlib's Axes. Needs
        ``pip install 'dagwright[plot]'``.
        """
        from dagwright.posterior.pictures import plot_chains

        return plot_chains(self, ax)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Posterior):
            return NotImplemented
        return (
            self.names == other.names
            and self.parent_sets == other.parent_sets
            and self.info == other.info
            and self.state == other.state
            and np.array_equal(self.draws, other.draws)
            and np.array_equal(self.scores, other.scores)
            and _same(self.log_weights, other.log_weights)
        )

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        values = self.edge_probabilities().values
        edges = sorted(
            (-values[a, b], self.names[a], self.names[b])
            for a, b in zip(*np.nonzero(values), strict=True)
        )
        shown = [f"{-own:.3f}  {start} -> {end}" for own, start, end in edges[:_EDGES_SHOWN]]
        more = len(edges) - _EDGES_SHOWN
        part = "chains" if self.n_chains > 1 else "halves of the chain"
        weighted = ""
        if self.log_weights is not None:
            weighted = f"; weighted, worth {self.weights_effective_size:,.0f} of equal weight"
        return "\n".join(
            [
                f"The posterior of {_counted(len(self.names), 'variable')} by {self._size()}: "
                f"{self.info.weights}{weighted}.",
                f"Of the score: effective sample size {self.effective_sample_size():,.0f}, R-hat "
                f"{self.r_hat():.3f}; {part} differ by up to {self.max_edge_difference():.3f} in "
                "the probability of an edge.",
                *shown,
                *([f"... and {more} more"] if more > 0 else []),
                *(f"Warning: {message}" for message in self.warnings),
            ]
        )

    def _size(self) -> str:
        n_graphs = len(self.graphs.distinct[0])
        return (
            f"{_counted(self.n_chains, 'chain')} of {_counted(self.n_draws, 'draw')}, "
            f"{_counted(n_graphs, 'different graph')}"
        )

    def __repr__(self) -> str:
        return f"Posterior({_counted(len(self.names), 'variable')}, {self._size()})"


def _number(found: object) -> float:
    if not isinstance(found, bool | int | float | np.bool_ | np.number) or not np.isfinite(found):
        raise SpecError(f"a feature must return True, False or a finite number, not {found!r}")
    return float(found)


def _same(first: npt.NDArray[Any] | None, second: npt.NDArray[Any] | None) -> bool:
    if first is None or second is None:
        return first is second
    return np.array_equal(first, second)


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def _unknown_info(data: Table | Chunks | None) -> SampleInfo:
    """Return what is known of draws that came without a word."""
    table = data if isinstance(data, Table) else None
    return SampleInfo(
        sampler={"name": "own"},
        score={"name": "unknown"},
        structure_prior={"name": "unknown"},
        constraints={},
        seed=0,
        threads=1,
        warmup=0,
        thin=1,
        seconds=0.0,
        reason="done",
        data_digest="" if table is None else table.digest,
        n_rows=0 if table is None else len(table),
        total_weight=0.0 if table is None else float(table.total_weight),
        versions=versions(),
    )
