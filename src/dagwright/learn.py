"""From a table to a graph in one call."""

from __future__ import annotations

from typing import Any, overload

from dagwright.constraints import Constraints
from dagwright.errors import DataError, GraphError, Interrupted, SpecError
from dagwright.learn_from_sets import learn_from_sets
from dagwright.learn_undirected import learn_undirected_again
from dagwright.markov.result import UndirectedResult
from dagwright.provenance import described, versions
from dagwright.result import Result, RunInfo
from dagwright.run import Callback, Run, start_run
from dagwright.scorer import Scorer, open_scorer
from dagwright.scores import Score, scores
from dagwright.search import Auto, Found, ParentSets, Search, searches
from dagwright.search.base import check_found, check_search, rounding
from dagwright.search.proof import prove as prove_optimal
from dagwright.search.proof import with_quick_bound
from dagwright.sources import Chunks
from dagwright.structure_priors import StructurePrior, structure_priors
from dagwright.table import Table

__all__ = ["learn", "replay"]


def learn(
    data: Table | Chunks | Scorer | ParentSets | Any,
    *,
    score: Score | None = None,
    search: Search | None = None,
    constraints: Constraints | None = None,
    structure_prior: StructurePrior | None = None,
    prove: bool = False,
    seed: int | None = 0,
    threads: int | None = None,
    time_limit: float | None = None,
    progress: bool = False,
    callback: Callback | None = None,
) -> Result:
    """Learn the structure of a Bayesian network.

    Two calls with the same arguments give the same answer, for any number of threads, unless the
    clock stopped one.

    Parameters
    ----------
    data : Table, Chunks, a frame that Table takes, a Scorer, or ParentSets
        A Scorer brings its own score and structure prior, ParentSets all but the search.
    score : Score, default BIC()
        A search may have a default of its own: K2() for K2Search.
    search : Search, default Auto()
    constraints : Constraints, optional
    structure_prior : StructurePrior, default Uniform()
    prove : bool
        After the search, prove that no graph scores higher, or find the one that does; or else
        say in ``result.gap`` how much higher one may score. That can take long: give a time_limit.
    seed : int or None
        None draws one; it is recorded.
    threads : int or None
        None means all cores.
    time_limit : float, optional
        Seconds; then the best graph so far is returned.
    progress : bool
        Show a live line on stderr, when that is a terminal.
    callback : function, optional
        Called with the Progress at most every 50 ms; the run stops when it returns True.

    Returns
    -------
    Result

    Raises
    ------
    Interrupted
        On Ctrl-C; its ``result`` is the best so far.

    Examples
    --------
    >>> import dagwright as dw
    >>> table = dw.Table({"rain": ["n", "n", "y", "y"] * 9, "wet": ["n", "n", "y", "y"] * 9})
    >>> dw.learn(table, score=dw.BDeu(ess=10), constraints=dw.Constraints(
    ...     forbidden=[("wet", "rain")])).dag.edges
    (('rain', 'wet'),)
    >>> dw.learn(table, search=dw.HillClimb(), prove=True).optimal
    True
    """
    if isinstance(data, ParentSets):
        brought = {"score": score, "structure_prior": structure_prior, "constraints": constraints}
        for name, given in brought.items():
            if given is not None:
                raise SpecError(f"parent sets bring their own: leave out {name}")
        return learn_from_sets(data, search, seed, threads, time_limit, progress, callback)
    search = Auto() if search is None else search
    if score is None and not isinstance(data, Scorer):
        score = getattr(search, "default_score", None)
    scorer = open_scorer(data, score, structure_prior)
    constraints = Constraints() if constraints is None else constraints
    check_search(search)
    if not isinstance(constraints, Constraints):
        raise SpecError(f"constraints must be Constraints(...), not {constraints!r}")
    constraints.resolve(scorer.source.names, scorer.source.n_states)
    counted_before = scorer.stats.families_counted
    digest = scorer.data.digest  # of many rows takes a while, which Ctrl-C would have to wait for
    with start_run(seed, threads, time_limit, progress, callback) as run:
        found = search.find(scorer, constraints, run)
        if isinstance(found, Found):
            found = with_quick_bound(found, scorer, constraints)
        if prove and isinstance(found, Found):
            found = prove_optimal(found, scorer, constraints, run)
    result = _result(found, scorer, search, constraints, run, counted_before, digest)
    if run.reason == "interrupted":
        raise Interrupted(result)
    return result


def _result(
    found: Found,
    scorer: Scorer,
    search: Search,
    constraints: Constraints,
    run: Run,
    counted_before: int,
    digest: str,
) -> Result:
    data = scorer.data
    check_found(found, search, scorer, constraints)
    info = RunInfo(
        score=described(scorer.score_spec),
        structure_prior=described(scorer.structure_prior),
        search=described(search),
        constraints=constraints.to_dict(),
        seed=run.seed,
        threads=run.threads,
        time_limit=run.time_limit,
        seconds=run.seconds,
        families_scored=run.progress.families_scored,
        families_counted=scorer.stats.families_counted - counted_before,
        data_digest=digest,
        n_rows=len(data),
        total_weight=float(data.total_weight),
        versions=versions(),
    )
    score = scorer.score(found.dag)
    same = abs(found.bound - score) <= rounding(score)
    if found.bound < score and not same:
        raise GraphError(
            f"{search!r} returned a graph of score {score} and the bound {found.bound}: no graph "
            "may score higher than the bound"
        )
    return Result(
        dag=found.dag,
        score=score,
        reason=run.reason or found.reason,
        trace=tuple(found.trace),
        stages=tuple(found.stages),
        edges_left_out=found.edges_left_out,
        bound=score if same else found.bound,
        states=dict(data.states),
        info=info,
        cuts=dict(data.cuts) if isinstance(data, Table) else {},
        data=data,
    )


@overload
def replay(result: Result, data: Table | Chunks) -> Result: ...


@overload
def replay(result: UndirectedResult, data: Table | Chunks) -> UndirectedResult: ...


def replay(result: Result | UndirectedResult, data: Table | Chunks) -> Result | UndirectedResult:
    """Learn again as a result was learned; refused when the data are not the same.

    Examples
    --------
    >>> import dagwright as dw
    >>> table = dw.Table({"a": ["n", "y"] * 9, "b": ["n", "y"] * 9})
    >>> result = dw.learn(table)
    >>> dw.replay(result, table).dag == result.dag
    True
    """
    if not isinstance(result, Result | UndirectedResult):
        raise SpecError(f"replay needs a Result, not a {type(result).__name__}")
    data = data if isinstance(data, Table | Chunks) else Table(data)
    if data.digest != result.info.data_digest:
        raise DataError(
            "replay: these are not the data of the result: the digests differ "
            f"({data.digest[:12]}... here, {result.info.data_digest[:12]}... there)"
        )
    if isinstance(result, UndirectedResult):
        return learn_undirected_again(result, data)
    info = result.info
    return learn(
        data,
        score=scores.from_dict(info.score),
        search=searches.from_dict(info.search),  # type: ignore[arg-type]
        constraints=Constraints.from_dict(info.constraints),
        structure_prior=structure_priors.from_dict(info.structure_prior),
        seed=info.seed,
        threads=info.threads,
        time_limit=info.time_limit,
    )
