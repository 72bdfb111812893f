"""How sure each edge is: graphs learned again and again from resampled rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from dagwright.constraints import Constraints
from dagwright.errors import DagwrightError, DataError, Interrupted, SpecError, Unfinished
from dagwright.graph import Dag
from dagwright.io.json import FORMAT, VERSION, check_header, read_json, write_json
from dagwright.pairs import PairMatrix
from dagwright.posterior.averaged_graph import (
    AveragedGraph,
    EdgeConfidence,
    average,
    edges_by_confidence,
)
from dagwright.posterior.features import EdgeKind
from dagwright.posterior.graph_sample import GraphSample
from dagwright.posterior.inclusion_threshold import inclusion_threshold
from dagwright.posterior.replicates import run_replicates
from dagwright.posterior.resample import Resample, ResampleKind
from dagwright.provenance import described, versions
from dagwright.result import made, variables_from_json, variables_to_json
from dagwright.run import Callback, start_run
from dagwright.scorer import Scorer, open_scorer
from dagwright.search import HillClimb
from dagwright.search.base import Search, check_search
from dagwright.specs import check_number, check_whole
from dagwright.table import Table

if TYPE_CHECKING:
    from dagwright.scores import Score
    from dagwright.sources import Chunks
    from dagwright.structure_priors import StructurePrior

__all__ = ["KIND", "Bootstrap", "BootstrapInfo", "bootstrap"]

KIND = "bootstrap"
_SHOWN = 10


@dataclass(frozen=True)
class BootstrapInfo:
    """How a bootstrap was made. Specs are kept as plain dictionaries."""

    score: Mapping[str, Any]
    structure_prior: Mapping[str, Any]
    search: Mapping[str, Any]
    constraints: Mapping[str, Any]
    kind: str
    replicates: int
    """How many were asked for; the sample has those that were done."""
    seed: int
    threads: int
    time_limit: float | None
    seconds: float
    families_scored: int
    data_digest: str
    n_rows: int
    total_weight: float
    versions: Mapping[str, str]


@dataclass(frozen=True, eq=False)
class Bootstrap:
    """What :func:`dagwright.bootstrap` returns: one graph a replicate, and how often each edge is.

    Attributes
    ----------
    sample : GraphSample
        The graphs, in the order of the replicates.
    reason : str
        Why it ended: "done", "time limit", "callback" or "interrupted".
    states : mapping
        The declared states of each variable.
    cuts : mapping
        The inner cuts of the variables that were discretized.
    info : BootstrapInfo
        How it was made.

    Examples
    --------
    >>> import dagwright as dw
    >>> rows = dw.networks.load("asia").sample(500, seed=1)
    >>> boot = dw.bootstrap(rows, replicates=50)
    >>> boot.edge_probabilities("undirected")["smoke", "bronc"]
    1.0
    >>> boot.averaged_graph().dag.has_edge("either", "xray")
    True
    >>> print(boot)  # doctest: +ELLIPSIS
    50 of 50 replicates (rows) of 8 variables by hill-climb: done
    threshold 0...: strength, direction, edge
    1.000  1.000  ...
    """

    sample: GraphSample
    reason: str
    states: Mapping[str, tuple[Any, ...]]
    info: BootstrapInfo
    cuts: Mapping[str, tuple[float, ...]] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """The variables, in the order of the data."""
        return self.sample.names

    def edge_probabilities(self, kind: EdgeKind = "directed") -> PairMatrix:
        """Return the share of the graphs that have each edge: ``[parent, child]``.

        Parameters
        ----------
        kind : {"directed", "undirected", "compelled"}
            As it is; in either direction, the strength of the edge; or as it is in every graph of
            the same class. What is not compelled has its direction by the search's own choice,
            however often that is the same, because no data tell.

        Examples
        --------
        >>> import dagwright as dw
        >>> rows = dw.Table({"a": ["n", "y"] * 9, "b": ["n", "y"] * 9})
        >>> boot = dw.bootstrap(rows, replicates=10)
        >>> boot.edge_probabilities("undirected")["a", "b"]
        1.0
        >>> boot.edge_probabilities("compelled")["a", "b"]
        0.0
        """
        values = self._counts(kind) / len(self.sample)
        values.flags.writeable = False
        return PairMatrix(self.names, values)

    def _counts(self, kind: EdgeKind) -> npt.NDArray[np.int64]:
        """Return how many graphs have each edge: shares are rounded, and 1 must be 1."""
        shares = self.sample.edge_probabilities(kind).values
        return np.rint(shares * len(self.sample)).astype(np.int64)

    @cached_property
    def edges(self) -> tuple[EdgeConfidence, ...]:
        """The edges that some graph has, the strongest first, in their more frequent direction.

        Examples
        --------
        >>> import dagwright as dw
        >>> rows = dw.Table({"a": ["n", "y"] * 9, "b": ["n", "y"] * 9})
        >>> dw.bootstrap(rows, replicates=10).edges
        (EdgeConfidence(start='b', end='a', strength=1.0, direction=1.0, compelled=0.0),)
        """
        return edges_by_confidence(
            self.names, self._counts("directed"), self._counts("compelled"), len(self.sample)
        )

    @property
    def threshold(self) -> float:
        """The strength that an edge of the averaged graph exceeds, found from the strengths.

        After Scutari and Nagarajan (2013). Their criterion comes to the largest strength that is
        not above 1/2, so that the edges above it are those of most graphs.

        Examples
        --------
        >>> import dagwright as dw
        >>> rows = dw.networks.load("asia").sample(500, seed=1)
        >>> 0 < dw.bootstrap(rows, replicates=50).threshold <= 0.5
        True
        """
        return inclusion_threshold([edge.strength for edge in self.edges])

    def averaged_graph(self, threshold: float | None = None) -> AveragedGraph:
        """Return the graph of the strong edges, each in its more frequent direction.

        They are added by falling strength; those that would close a cycle or break a constraint
        are skipped, and reported.

        Parameters
        ----------
        threshold : float, optional
            Edges of greater strength are strong, and those of strength 1. By default `threshold`.

        Returns
        -------
        AveragedGraph
            Its ``dag``, the ``threshold``, and which edges were ``skipped`` and why.

        Examples
        --------
        >>> import dagwright as dw
        >>> rows = dw.Table({"a": ["n", "y"] * 9, "b": ["n", "y"] * 9})
        >>> dw.bootstrap(rows, replicates=10).averaged_graph(0.9).dag.edges
        (('b', 'a'),)
        """
        if threshold is None:
            threshold = self.threshold
        rule = "a share of the graphs, from 0 to 1"
        limit = float(check_number("threshold", threshold, rule, lambda x: 0 <= x <= 1))
        constraints = Constraints.from_dict(self.info.constraints)
        n_states = {name: len(self.states[name]) for name in self.names}
        return average(self.edges, limit, constraints, n_states)

    def to_dict(self) -> dict[str, Any]:
        """Return the bootstrap as plain JSON values, in the schema of ``docs/schema.md``."""
        sample = self.sample
        return {
            "format": FORMAT,
            "version": VERSION,
            "kind": KIND,
            "variables": variables_to_json(self.names, self.states, self.cuts),
            "parent_sets": [[list(parents) for parents in own] for own in sample.parent_sets],
            "graphs": sample.draws.tolist(),
            "reason": self.reason,
            "threshold": self.threshold,
            "edges": [asdict(edge) for edge in self.edges],
            "averaged": [list(edge) for edge in self.averaged_graph().dag.edges],
            "info": asdict(self.info),
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Bootstrap:
        """Make the bootstrap that ``to_dict`` wrote."""
        check_header(values, KIND)
        try:
            names, states, cuts = variables_from_json(values["variables"])
            return cls(
                sample=_sample(tuple(names), values["parent_sets"], values["graphs"]),
                reason=str(values["reason"]),
                states=states,
                info=made(BootstrapInfo, values["info"]),
                cuts=cuts,
            )
        except KeyError as error:
            raise DataError(f"not a bootstrap of dagwright: {error} is missing") from error
        except (TypeError, ValueError, AttributeError, OverflowError, IndexError) as error:
            raise DataError(f"not a bootstrap of dagwright: {error}") from error

    def save(self, path: str | PathLike[str]) -> None:
        """Write the bootstrap to a JSON file."""
        write_json(self.to_dict(), path)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Bootstrap:
        """Read a bootstrap from a JSON file.

        Examples
        --------
        >>> import dagwright as dw, pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "boot.json"
        >>> boot = dw.bootstrap({"a": ["n", "y"] * 9, "b": ["n", "y"] * 9}, replicates=10)
        >>> boot.save(path)
        >>> dw.Bootstrap.load(path).edges == boot.edges
        True
        """
        values = read_json(path)
        try:
            return cls.from_dict(values)
        except DagwrightError as error:
            raise DataError(f"{path}: {error}") from error

    def __str__(self) -> str:
        info = self.info
        lines = [
            f"{len(self.sample)} of {info.replicates} replicates ({info.kind}) of "
            f"{len(self.names)} variables by {info.search['name']}: {self.reason}",
            f"threshold {self.threshold:.3f}: strength, direction, edge",
        ]
        lines += [
            f"{edge.strength:.3f}  {edge.direction:.3f}  {edge.start} -> {edge.end}"
            for edge in self.edges[:_SHOWN]
        ]
        more = len(self.edges) - _SHOWN
        return "\n".join([*lines, *([f"... and {more} more"] if more > 0 else [])])

    def __repr__(self) -> str:
        return (
            f"Bootstrap({len(self.names)} variables, {len(self.sample)} replicates, "
            f"{self.info.kind}, {self.reason})"
        )


def _sample(names: tuple[str, ...], parent_sets: Any, graphs: Any) -> GraphSample:
    """Make the sample that a file has; what is no graph is refused."""
    if not len(parent_sets) == len(names) or any(len(graph) != len(names) for graph in graphs):
        raise ValueError("parent_sets and graphs must have one item for each variable")
    numbers = [number for sets in (*parent_sets, graphs) for own in sets for number in own]
    if any(type(number) is not int or number < 0 for number in numbers):
        raise ValueError("parent_sets and graphs must have whole numbers, 0 or more")
    named = [[[names[place] for place in parents] for parents in own] for own in parent_sets]
    made_of = {
        graph: Dag.from_parents(
            {name: own[number] for name, own, number in zip(names, named, graph, strict=True)}
        )
        for graph in {tuple(graph) for graph in graphs}
    }
    return GraphSample.from_dags([made_of[tuple(graph)] for graph in graphs])


def bootstrap(
    data: Table | Chunks | Scorer | Any,
    *,
    search: Search | None = None,
    score: Score | None = None,
    structure_prior: StructurePrior | None = None,
    constraints: Constraints | None = None,
    replicates: int = 200,
    kind: ResampleKind = "rows",
    seed: int | None = 0,
    threads: int | None = None,
    time_limit: float | None = None,
    progress: bool = False,
    callback: Callback | None = None,
) -> Bootstrap:
    """Learn a graph from resampled rows, many times, and see how often each edge is there.

    Each replicate gives the rows other weights and learns from them; no row is copied. It has a
    random stream of its own, so that the same seed gives the same graphs for any number of
    threads. Replicates are made side by side, each search on one thread; each needs memory for the
    weights, for bitmaps of the rows and for its cache of scores, so that memory is bounded by the
    number of threads; only the graphs add up over the replicates.

    Parameters
    ----------
    data : Table, Chunks, a frame that Table takes, or a Scorer
        A Scorer brings its own score and structure prior. A row weight of 3 stands for three rows.
    search : Search, default HillClimb()
        Any search. Hill climbing takes milliseconds where `Auto`, the default of ``learn``, takes
        a second, and there are many graphs to learn; ``GES()`` takes about twice as long and finds
        better ones. A search or score of your own, and the function of Chunks, are called from
        several threads unless ``threads=1``.
    score : Score, default BIC()
    structure_prior : StructurePrior, default Uniform()
    constraints : Constraints, optional
        Every graph is within them, and the averaged one.
    replicates : int
    kind : {"rows", "bayesian"}
        "rows": as many rows as there are, drawn again with replacement (Efron 1979; Friedman,
        Goldszmidt and Wyner 1999); row weights must be whole numbers. "bayesian": weights from a
        Dirichlet distribution, 1 for each row (Rubin 1981), so that no row is left out; of row
        weights that are given, as many as they say. These are rounded to multiples of 1/16, their
        total kept, which is as good and several times faster; where the given weights are not
        whole numbers they are left as they are.
    seed : int or None
        None draws one; it is recorded.
    threads : int or None
        None means all cores.
    time_limit : float, optional
        Seconds; then the replicates that are done are returned.
    progress : bool
        Show a live line on stderr, when that is a terminal.
    callback : function, optional
        Called with the Progress, whose ``step`` is the number of replicates done, at most every
        50 ms; the run stops when it returns True.

    Returns
    -------
    Bootstrap

    Raises
    ------
    Interrupted
        On Ctrl-C; its ``result`` has the replicates that were done.
    Unfinished
        If the time limit or the callback stopped it before the first was.

    References
    ----------
    Efron, B. (1979). Bootstrap methods: another look at the jackknife. Annals of Statistics 7.
    Friedman, N., Goldszmidt, M. and Wyner, A. (1999). Data analysis with Bayesian networks: a
    bootstrap approach. Uncertainty in Artificial Intelligence 15.
    Rubin, D. (1981). The Bayesian bootstrap. Annals of Statistics 9.

    Examples
    --------
    >>> import dagwright as dw
    >>> rows = dw.networks.load("asia").sample(500, seed=1)
    >>> boot = dw.bootstrap(rows, replicates=50, kind="bayesian", seed=3)
    >>> boot
    Bootstrap(8 variables, 50 replicates, bayesian, done)
    >>> boot.edges[0].strength
    1.0
    """
    search = HillClimb() if search is None else search
    if score is None and not isinstance(data, Scorer):
        score = getattr(search, "default_score", None)
    scorer = open_scorer(data, score, structure_prior)
    constraints = Constraints() if constraints is None else constraints
    check_search(search)
    if not isinstance(constraints, Constraints):
        raise SpecError(f"constraints must be Constraints(...), not {constraints!r}")
    constraints.resolve(scorer.source.names, scorer.source.n_states)
    replicates = check_whole("replicates", replicates, 1)
    resample = Resample(scorer.data, kind)
    digest = scorer.data.digest  # of many rows takes a while, which Ctrl-C would have to wait for
    with start_run(seed, threads, time_limit, progress, callback) as run:
        dags = run_replicates(replicates, scorer, search, constraints, resample, run)
    if not dags and run.reason == "interrupted":
        raise KeyboardInterrupt
    if not dags:
        raise Unfinished(
            f"the bootstrap was stopped ({run.reason}) after {run.seconds:.2f} s, before the first "
            "replicate was done: give it more time_limit, or a faster search"
        )
    info = BootstrapInfo(
        score=described(scorer.score_spec),
        structure_prior=described(scorer.structure_prior),
        search=described(search),
        constraints=constraints.to_dict(),
        kind=kind,
        replicates=replicates,
        seed=run.seed,
        threads=run.threads,
        time_limit=run.time_limit,
        seconds=run.seconds,
        families_scored=run.progress.families_scored,
        data_digest=digest,
        n_rows=len(scorer.data),
        total_weight=float(scorer.data.total_weight),
        versions=versions() | {"numpy": np.__version__},  # which draws the weights
    )
    own = scorer.data
    result = Bootstrap(
        sample=GraphSample.from_dags(dags),
        reason=(run.reason if len(dags) < replicates else None) or "done",
        states={name: tuple(own.states[name]) for name in own.names},
        info=info,
        cuts=dict(own.cuts) if isinstance(own, Table) else {},
    )
    if run.reason == "interrupted":
        raise Interrupted(result)
    return result
