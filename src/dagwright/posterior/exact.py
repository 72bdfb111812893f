"""The exact posterior over graphs, by sums over all of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import cached_property
from math import exp
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from dagwright import _core
from dagwright._names import unknown_node
from dagwright.constraints import Constraints
from dagwright.errors import SpecError, Unfinished
from dagwright.graph import Dag
from dagwright.pairs import PairMatrix
from dagwright.posterior.best import BestDags
from dagwright.posterior.forecast import PosteriorForecast, check_fits, forecast_of, opened
from dagwright.posterior.over import MEANING, Over, native_over
from dagwright.provenance import described, versions
from dagwright.run import Callback, Run, whole_run
from dagwright.scorer import Scorer
from dagwright.scores import Score
from dagwright.specs import check_whole

if TYPE_CHECKING:
    from dagwright.sources import Chunks
    from dagwright.structure_priors import StructurePrior
    from dagwright.table import Table

__all__ = ["ExactPosterior", "PosteriorInfo", "exact_posterior"]

_MAX_BYTES = 4 * 2.0**30
_MOST_FOR_PATHS = 14  # variables: a minute or so


@dataclass(frozen=True)
class PosteriorInfo:
    """How a posterior was made. Specs are kept as plain dictionaries."""

    score: dict[str, Any]
    structure_prior: dict[str, Any]
    constraints: dict[str, Any]
    over: str
    threads: int
    seconds: float
    n_families: int
    data_digest: str
    n_rows: int
    total_weight: float
    versions: dict[str, str]


@dataclass(frozen=True, eq=False, repr=False)
class ExactPosterior:
    """The exact posterior over all graphs within the constraints; see `exact_posterior`.

    Attributes
    ----------
    names : tuple of str
        The variables, in the order of the data.
    over : str
        What the weights are. "dags": every DAG counts once. "orders": a DAG counts once for each
        of its linear extensions (Koivisto and Sood 2004), so that DAGs with many orders, such as
        those with few edges, are favoured: that is a structure prior of its own.
    log_marginal : float
        ln p(data): the sum over all graphs of p(graph) * p(data | graph), where p(graph) sums to 1
        over the graphs within the constraints, weighted as `over` says.
    error_bound : float
        No probability is off by more, but for the rounding of the scores; None over orders, where
        all terms are positive and nothing cancels.
    forecast : PosteriorForecast
        What was expected of the run.
    info : PosteriorInfo
        How it was made.

    Examples
    --------
    >>> import dagwright as dw
    >>> rows = dw.networks.load("asia").sample(500, seed=1)
    >>> posterior = dw.exact_posterior(rows)
    >>> round(posterior.edge_probabilities()["smoke", "bronc"], 3)
    0.551
    >>> print(posterior)  # doctest: +ELLIPSIS
    The exact posterior of 8 variables over dags: every DAG counts once.
    ln p(data) = -1,1...
    """

    names: tuple[str, ...]
    over: Over
    log_marginal: float
    error_bound: float | None
    forecast: PosteriorForecast
    info: PosteriorInfo
    _native: _core.ExactPosterior
    _numbered: tuple[str, ...]  # the core's order of the variables
    _max_bytes: float

    def edge_probabilities(self) -> PairMatrix:
        """Return the probability of every edge: ``[parent, child]``.

        Examples
        --------
        >>> import dagwright as dw
        >>> rows = dw.Table({"a": ["n", "y"] * 9, "b": ["n", "y"] * 9})
        >>> dw.exact_posterior(rows).edge_probabilities().values.round(3)
        array([[0. , 0.5],
               [0.5, 0. ]])
        """
        return self._matrix(self._native.edge_probabilities())

    def parent_set_probabilities(self, node: str) -> dict[tuple[str, ...], float]:
        """Return the probability of each parent set that is allowed, most probable first.

        Examples
        --------
        >>> import dagwright as dw
        >>> rows = dw.Table({"a": ["n", "y"] * 9, "b": ["n", "y"] * 9})
        >>> known = dw.Constraints(forbidden=[("b", "a")])
        >>> sets = dw.exact_posterior(rows, constraints=known).parent_set_probabilities("b")
        >>> {parents: round(probability, 3) for parents, probability in sets.items()}
        {('a',): 1.0, (): 0.0}
        """
        if node not in self.names:
            raise unknown_node(node, self.names)
        sets, probabilities = self._native.parent_sets(self._numbered.index(node))
        named = [
            (float(probability), self._members(int(bits)))
            for bits, probability in zip(sets, probabilities, strict=True)
        ]
        named.sort(key=lambda pair: (-pair[0], len(pair[1]), pair[1]))
        return {tuple(self.names[i] for i in own): probability for probability, own in named}

    def path_probabilities(self) -> PairMatrix:
        """Return the probability that a directed path leads from one to the other: ``[from, to]``.

        That takes n * 4^n steps over DAGs and n^2 * 3^n over orders, so at most 14 variables.

        Examples
        --------
        >>> import dagwright as dw
        >>> rows = dw.networks.load("asia").sample(500, seed=1)
        >>> known = dw.Constraints(tiers=[["asia", "smoke"], ["tub", "lung", "bronc"]])
        >>> paths = dw.exact_posterior(rows, constraints=known).path_probabilities()
        >>> paths["smoke", "xray"] > paths["asia", "xray"]
        True
        """
        return self._paths

    @cached_property
    def _paths(self) -> PairMatrix:
        n = len(self.names)
        if n > _MOST_FOR_PATHS:
            steps = n * 4.0**n if self.over == "dags" else n**2 * 3.0**n
            raise SpecError(
                f"path_probabilities takes {steps:.2g} steps for {n} variables, and at most "
                f"{_MOST_FOR_PATHS} variables: count the paths in some hundred graphs of sample(k)"
            )
        with whole_run(self.info.threads) as run:
            return self._matrix(self._native.path_probabilities(run.native))

    def sample(self, k: int, seed: int = 0) -> list[Dag]:
        """Draw graphs from the posterior, exactly and independently.

        The same seed gives the same graphs, for any number of threads.

        Examples
        --------
        >>> import dagwright as dw
        >>> rows = dw.networks.load("asia").sample(500, seed=1)
        >>> drawn = dw.exact_posterior(rows).sample(1000, seed=1)
        >>> sum(dag.has_edge("smoke", "bronc") for dag in drawn) / 1000
        0.535
        """
        k = check_whole("k", k, 0)
        with whole_run(self.info.threads, seed=seed) as run:
            parents = self._native.sample(k, run.seed, run.native)
        return self._dags(parents)

    def best(self, k: int) -> BestDags:
        """Return the k most probable DAGs, their probabilities and the mass they cover.

        By dynamic programming over sets of variables (Tian, He and Ram 2010), which keeps k graphs
        for each set. Fewer if there are no more. Over "dags" only.

        Examples
        --------
        >>> import dagwright as dw
        >>> rows = dw.networks.load("asia").sample(500, seed=1)
        >>> best = dw.exact_posterior(rows).best(100)
        >>> len(best), best.scores[0] >= best.scores[99]
        (100, True)
        """
        k = check_whole("k", k, 1)
        if self.over != "dags":
            raise SpecError(
                'best(k) is of the posterior over DAGs: make it with exact_posterior(over="dags")'
            )
        needed = _core.best_dags_bytes(len(self.names), k)
        if needed > self._max_bytes:
            raise SpecError(
                f"best({k}) of {len(self.names)} variables may need {needed / 2**30:,.2f} GiB, "
                f"more than max_bytes={self._max_bytes / 2**30:,.2f} GiB: ask for fewer graphs, or "
                "raise max_bytes of exact_posterior"
            )
        with whole_run(self.info.threads) as run:
            parents, scores = self._native.best(k, run.native)
        return BestDags(
            dags=tuple(self._dags(parents)),
            scores=tuple(float(score) for score in scores),
            probabilities=tuple(min(1.0, exp(score - self._native.log_total)) for score in scores),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return what is known of the edges as plain JSON values."""
        edges = self.edge_probabilities()
        return {
            "over": self.over,
            "weights": MEANING[self.over],
            "variables": list(self.names),
            "log_marginal": self.log_marginal,
            "edges": [
                {"from": start, "to": end, "probability": edges[start, end]}
                for start in self.names
                for end in self.names
                if start != end
            ],
            "info": asdict(self.info),
        }

    def __str__(self) -> str:
        edges = self.edge_probabilities()
        pairs = [(edges[a, b], a, b) for a in self.names for b in self.names if a != b]
        pairs.sort(key=lambda edge: (-edge[0], edge[1:]))
        shown = [f"{probability:.3f}  {a} -> {b}" for probability, a, b in pairs[:10]]
        more = [f"... and {len(pairs) - 10} more"] if len(pairs) > 10 else []
        head = [
            f"The exact posterior of {len(self.names)} variables over {self.over}: "
            f"{MEANING[self.over]}.",
            f"ln p(data) = {self.log_marginal:,.3f}",
        ]
        return "\n".join([*head, *shown, *more])

    def __repr__(self) -> str:
        return (
            f"ExactPosterior({len(self.names)} variables, over {self.over}, "
            f"log_marginal {self.log_marginal:.3f})"
        )

    @cached_property
    def _place(self) -> list[int]:
        """The core's number of each variable."""
        return [self._numbered.index(name) for name in self.names]

    def _matrix(self, flat: npt.NDArray[np.float64]) -> PairMatrix:
        n = len(self.names)
        values = flat.reshape(n, n)[np.ix_(self._place, self._place)]
        values.flags.writeable = False
        return PairMatrix(self.names, values)

    def _members(self, bits: int) -> list[int]:
        """Return the numbers, in the order of the data, of a set of the core's."""
        return [i for i, number in enumerate(self._place) if bits >> number & 1]

    def _dags(self, parents: npt.NDArray[np.uint32]) -> list[Dag]:
        n = len(self.names)
        made: dict[tuple[int, ...], Dag] = {}
        dags = []
        for row in parents.reshape(-1, n).tolist():
            key = tuple(row)
            if key not in made:
                made[key] = Dag._from_numbers(
                    self.names, [self._members(row[number]) for number in self._place]
                )
            dags.append(made[key])
        return dags


def exact_posterior(
    data: Table | Chunks | Scorer | Any,
    score: Score | None = None,
    *,
    constraints: Constraints | None = None,
    structure_prior: StructurePrior | None = None,
    over: Over = "dags",
    threads: int | None = None,
    time_limit: float | None = None,
    progress: bool = False,
    callback: Callback | None = None,
    max_bytes: float = _MAX_BYTES,
) -> ExactPosterior:
    """Return the exact posterior over all graphs within the constraints.

    Every family that the constraints allow is scored, and the weights of all graphs are summed
    without listing them. Over DAGs that takes 3^n steps (16 variables: seconds; 20: minutes), over
    orders n^2 * 2^n (25 variables, with few parents each).

    The answer is the same, to the last digit, for any number of threads. Terms of the sum over
    DAGs cancel: it is done with 128 bits of mantissa, and ``posterior.error_bound``, below 1e-9,
    is proved.

    Parameters
    ----------
    data : Table, Chunks, a frame that Table takes, or a Scorer
        A Scorer brings its own score and structure prior.
    score : Score, default BDeu(1)
        The log of p(data | graph): BDeu, BDe, K2, Dirichlet. Others are taken at their word: with
        BIC the weight of a graph is exp(BIC), an approximation for many rows.
    constraints : Constraints, optional
        Graphs that break them have probability 0.
    structure_prior : StructurePrior, default Uniform()
    over : {"dags", "orders"}
        Whether every DAG counts once, or once for each of its linear extensions (Koivisto and Sood
        2004), which favours DAGs with many orders.
    threads : int or None
        None means all cores.
    time_limit : float, optional
        Seconds; then there is no answer, and Unfinished is raised.
    progress : bool
        Show a live line on stderr, when that is a terminal.
    callback : function, optional
        Called with the Progress at most every 50 ms; the run stops when it returns True.
    max_bytes : float
        Refuse, before the work, what needs more memory than this.

    Returns
    -------
    ExactPosterior

    Raises
    ------
    SpecError
        If it is too large; the message has the numbers.
    Unfinished
        If the time limit or the callback stopped it.

    References
    ----------
    Koivisto, M. and Sood, K. (2004). Exact Bayesian structure discovery in Bayesian networks.
    Journal of Machine Learning Research 5.
    Tian, J. and He, R. (2009). Computing posterior probabilities of structural features in
    Bayesian networks. Uncertainty in Artificial Intelligence 25.

    Examples
    --------
    >>> import dagwright as dw
    >>> rows = dw.Table({"rain": ["n", "n", "y", "y"] * 9, "wet": ["n", "n", "y", "y"] * 9})
    >>> posterior = dw.exact_posterior(rows, dw.BDeu(10), constraints=dw.Constraints(
    ...     forbidden=[("wet", "rain")]))
    >>> posterior.edge_probabilities()["rain", "wet"] > 0.999
    True
    """
    kind = native_over(over)
    scorer, constraints, native = opened(data, score, constraints, structure_prior)
    forecast = forecast_of(scorer, constraints, native, over, threads)
    check_fits(len(scorer.names), over, forecast, max_bytes)
    digest = scorer.data.digest
    with (
        whole_run(threads, time_limit=time_limit, progress=progress, callback=callback) as run,
        scorer.naming_errors(),
        _unfinished(run, forecast),
    ):
        log_prior_total = _core.log_total_of_prior(scorer.native, native, kind, run.native)
        posterior = _core.exact_posterior(scorer.native, native, kind, run.native)
    info = PosteriorInfo(
        score=described(scorer.score_spec),
        structure_prior=described(scorer.structure_prior),
        constraints=constraints.to_dict(),
        over=over,
        threads=run.threads,
        seconds=run.seconds,
        n_families=posterior.n_families,
        data_digest=digest,
        n_rows=len(scorer.data),
        total_weight=float(scorer.data.total_weight),
        versions=versions(),
    )
    return ExactPosterior(
        names=scorer.names,
        over=over,
        log_marginal=posterior.log_total - log_prior_total,
        error_bound=_error_bound(len(scorer.names)) if over == "dags" else None,
        forecast=forecast,
        info=info,
        _native=posterior,
        _numbered=tuple(scorer.source.names),
        _max_bytes=max_bytes,
    )


def _error_bound(n: int) -> float:
    """Return that of the sums over DAGs, and of adding 2^(n-1) doubles for an edge."""
    return _core.dag_error_bound(n) + 2.0 ** (n - 1 - 53) + 2.0**-50


@contextmanager
def _unfinished(run: Run, forecast: PosteriorForecast) -> Iterator[None]:
    """Say that a posterior that was stopped has no answer."""
    try:
        yield
    except TimeoutError:
        raise Unfinished(
            f"the exact posterior was stopped ({run.reason}) after {run.seconds:.2f} s and has no "
            f"answer: it takes {forecast}; give it more time_limit, bound the families with "
            "Constraints(max_parents=...), or select fewer variables"
        ) from None
