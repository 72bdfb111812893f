"""Sample graphs from their posterior: ``dw.posterior``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dagwright import _core
from dagwright.constraints import Constraints
from dagwright.errors import DataError, Interrupted, SpecError, Unfinished
from dagwright.mcmc import OrderMCMC, PartitionMCMC, Sampler, StructureMCMC, samplers
from dagwright.mcmc.base import MOST_CANDIDATES, Chains, Parents
from dagwright.mcmc.candidates import choose_candidates, edges_left_out
from dagwright.mcmc.starts import start_graphs
from dagwright.posterior.forecast import opened
from dagwright.posterior.over import MEANING
from dagwright.posterior.rounds import Round, joined, named
from dagwright.posterior.sample_info import SampleInfo
from dagwright.posterior.sampled import Posterior
from dagwright.posterior.sampler_state import checked_state
from dagwright.provenance import described, versions
from dagwright.run import Callback, Run, start_run
from dagwright.scorer import Scorer
from dagwright.scores import Score, scores
from dagwright.specs import check_whole
from dagwright.structure_priors import structure_priors

if TYPE_CHECKING:
    from dagwright.sources import Chunks
    from dagwright.structure_priors import StructurePrior
    from dagwright.table import Table

__all__ = ["FAILED", "posterior", "resume"]

_MAX_BYTES = 4 * 2.0**30
FAILED = "a family that cannot be scored"
"""Why a run ended that came to a graph with too large a family."""
_LOOKED_AT = 20
"""Draws that are looked at for edges that the candidates leave out."""


def posterior(
    data: Table | Chunks | Scorer | Any,
    *,
    sampler: Sampler | None = None,
    score: Score | None = None,
    constraints: Constraints | None = None,
    structure_prior: StructurePrior | None = None,
    draws: int = 1000,
    chains: int = 4,
    warmup: int = 200,
    thin: int | None = None,
    seed: int = 0,
    threads: int | None = None,
    time_limit: float | None = None,
    progress: bool = False,
    callback: Callback | None = None,
) -> Posterior:
    """Sample graphs from their posterior by Markov chains.

    Two calls with the same arguments give the same draws, for any number of threads, unless the
    clock stopped one. With few variables :func:`dagwright.exact_posterior` needs no sampling.

    Parameters
    ----------
    data : Table, Chunks, a frame that Table takes, or a Scorer
        A Scorer brings its own score and structure prior.
    sampler : Sampler, default PartitionMCMC()
    score : Score, default BDeu(1)
        The log of p(data | graph): BDeu, BDe, K2, Dirichlet. Others are taken at their word: with
        BIC the weight of a graph is exp(BIC), an approximation for many rows.
    constraints : Constraints, optional
        Graphs that break them are never drawn.
    structure_prior : StructurePrior, default Uniform()
    draws : int
        Graphs to keep, from each chain.
    chains : int
        Chains side by side, each on one thread. The first starts from the best graph that order
        search finds, the others from where hill climbing ends from random graphs.
    warmup : int
        Draws from each chain that are thrown away first.
    thin : int, optional
        Steps of a chain from one draw to the next; by default half as many as there are pairs of
        variables, but at least 100 and at most 10,000.
    seed : int
    threads : int or None
        None means all cores.
    time_limit : float, optional
        Seconds; then the draws so far are returned.
    progress : bool
        Show a live line on stderr, when that is a terminal.
    callback : function, optional
        Called with the Progress at most every 50 ms; the run stops when it returns True.

    Returns
    -------
    Posterior
        It warns when the chains disagree.

    Raises
    ------
    Interrupted
        On Ctrl-C; its ``result`` has the draws so far.
    Unfinished
        If it was stopped before the first draw.

    Examples
    --------
    >>> import dagwright as dw
    >>> rows = dw.networks.load("asia").sample(500, seed=1)
    >>> posterior = dw.posterior(rows, draws=500)
    >>> posterior.edge_probabilities(kind="undirected")["smoke", "bronc"] > 0.9
    True
    """
    sampler = PartitionMCMC() if sampler is None else sampler
    if not isinstance(sampler, Sampler):
        raise SpecError(f"sampler={sampler!r} is not one: give for example PartitionMCMC()")
    scorer, constraints, native = opened(data, score, constraints, structure_prior)
    n = len(scorer.names)
    draws = check_whole("draws", draws, 1)
    chains = check_whole("chains", chains, 1, 1024)
    warmup = check_whole("warmup", warmup, 0)
    if thin is None:
        thin = max(100, min(n * n // 4, 10_000))
    thin = check_whole("thin", thin, 1, 2**31)
    _check_bytes(n, sampler)
    _check_must(scorer, native)
    digest = scorer.data.digest
    with start_run(seed, threads, time_limit, progress, callback) as run, scorer.naming_errors():
        sampled = None
        with _until_stopped(run):
            walk = _begin(scorer, constraints, native, sampler, warmup, thin, chains, run)
            sampled = _sample(walk, draws, [], 0.0, digest, run)
    return _checked(sampled, run)


def resume(
    posterior: Posterior,
    draws: int,
    data: Table | Chunks | Any = None,
    *,
    threads: int | None = None,
    time_limit: float | None = None,
    progress: bool = False,
    callback: Callback | None = None,
) -> Posterior:
    """Go on where the chains of a posterior stopped, with the same settings.

    The draws are those that one longer run would have made, to the last one.

    Parameters
    ----------
    posterior : Posterior
    draws : int
        How many more, from each chain.
    data : Table, Chunks or frame, optional
        What it was sampled from; a posterior that was read from a file does not have them.
    threads, time_limit, progress, callback
        As for :func:`dagwright.posterior`.

    Returns
    -------
    Posterior
        With the draws that were there, and more.

    Examples
    --------
    >>> import dagwright as dw
    >>> rows = dw.networks.load("asia").sample(200, seed=1)
    >>> short = dw.posterior(rows, draws=50, warmup=10)
    >>> long = dw.posterior(rows, draws=80, warmup=10)
    >>> bool((dw.resume(short, 30).draws == long.draws).all())
    True
    """
    if not isinstance(posterior, Posterior):
        raise SpecError(f"resume needs a Posterior, not a {type(posterior).__name__}")
    draws = check_whole("draws", draws, 1)
    data = posterior.data if data is None else data
    if data is None:
        raise DataError(
            "resume: the posterior does not have its data: pass them, resume(p, n, table)"
        )
    if posterior.state is None:
        raise DataError(
            "resume: the chains of this posterior cannot go on: it was joined of several"
        )
    info = posterior.info
    sampler = samplers.from_dict(info.sampler)
    state = checked_state(posterior, sampler)
    scorer, constraints, _ = opened(
        data,
        scores.from_dict(info.score),
        Constraints.from_dict(info.constraints),
        structure_priors.from_dict(info.structure_prior),
    )
    digest = scorer.data.digest
    if digest != info.data_digest:
        raise DataError(
            "resume: these are not the data of the posterior: the digests differ "
            f"({digest[:12]}... here, {info.data_digest[:12]}... there)"
        )
    before = Round(posterior.parent_sets, posterior.draws, posterior.scores, posterior.log_weights)
    with (
        start_run(info.seed, threads, time_limit, progress, callback) as run,
        scorer.naming_errors(),
    ):
        walk = _Walk(
            scorer,
            constraints,
            sampler,
            info.warmup,
            info.thin,
            state["candidates"],
            state["states"],
            state["n_done"],
            state["moves"],
        )
        sampled = posterior  # if it is stopped before anything is done
        with _until_stopped(run):
            sampled = _sample(walk, draws, [before], info.seconds, digest, run) or posterior
    return _checked(sampled, run)


@contextmanager
def _until_stopped(run: Run) -> Iterator[None]:
    """Leave off what is done when the run is stopped."""
    try:
        yield
    except (TimeoutError, KeyboardInterrupt):
        if run.reason is None:
            raise  # of the user's own


def _checked(sampled: Posterior | None, run: Run) -> Posterior:
    if sampled is None:
        if run.reason == "interrupted":
            raise KeyboardInterrupt
        raise Unfinished(
            f"stopped by the {run.reason} after {run.seconds:.1f} s, before the first draw: the "
            "search for a start, the tables of parent sets and the warmup come first"
        )
    if run.reason == "interrupted":
        raise Interrupted(sampled)
    sampled.warn(stacklevel=3)
    return sampled


@dataclass(frozen=True)
class _Walk:
    """Chains that can be made, now or again."""

    scorer: Scorer
    constraints: Constraints
    sampler: Sampler
    warmup: int
    thin: int
    candidates: Sequence[Sequence[int]]
    states: Sequence[Sequence[Sequence[int]]]
    n_done: int
    moves: Mapping[str, Sequence[int]]
    """Proposed and accepted before, by the name of the move."""


def _begin(
    scorer: Scorer,
    constraints: Constraints,
    native: _core.Constraints,
    sampler: Sampler,
    warmup: int,
    thin: int,
    chains: int,
    run: Run,
) -> _Walk:
    """Find where chains start, and the candidates."""
    place = {name: i for i, name in enumerate(scorer.source.names)}
    graphs = [
        [[place[parent] for parent in dag.parents(name)] for name in place]
        for dag in start_graphs(scorer, constraints, chains, run)
    ]
    candidates = choose_candidates(scorer, native, graphs, sampler.max_candidates, run)
    states = [
        [sampler.state_of(_within(graph, candidates))] * len(sampler.temperatures)
        for graph in graphs
    ]
    return _Walk(scorer, constraints, sampler, warmup, thin, candidates, states, 0, {})


def _within(parents: Parents, candidates: Sequence[Sequence[int]]) -> Parents:
    """Return the graph without edges from variables that are no candidates."""
    return [
        [parent for parent in own if parent in allowed]
        for own, allowed in zip(parents, candidates, strict=True)
    ]


def _sample(
    walk: _Walk, draws: int, rounds: list[Round], seconds: float, digest: str, run: Run
) -> Posterior | None:
    """Draw as many graphs as the run lets; None, or what ended the run, if there is none at all."""
    scorer, sampler = walk.scorer, walk.sampler
    native = walk.constraints.resolve(scorer.source.names, scorer.source.n_states)
    candidates = [list(own) for own in walk.candidates]
    table = _core.ParentTable(scorer.native, native, candidates, run.native)
    chains = sampler.chains(
        Chains(scorer, native, table, walk.states, walk.thin, run.seed, walk.n_done, run.native)
    )
    _do(chains, walk.warmup - chains.n_done, False, run)
    failed = None
    if chains.n_done >= walk.warmup:
        drawn, failed = _do(chains, draws, True, run)
        rounds = [*rounds, *(named(one, len(walk.states), scorer) for one in drawn)]
    if not rounds:
        return None
    kept = joined(rounds)
    corrected = isinstance(sampler, OrderMCMC) and sampler.correct
    log_weights = kept.log_weights if corrected else None
    over = "orders" if isinstance(sampler, OrderMCMC) and log_weights is None else "dags"
    moves = _added(walk.moves, chains.stats)
    info = SampleInfo(
        sampler=described(sampler),
        score=described(scorer.score_spec),
        structure_prior=described(scorer.structure_prior),
        constraints=walk.constraints.to_dict(),
        seed=run.seed,
        threads=run.threads,
        warmup=walk.warmup,
        thin=walk.thin,
        seconds=seconds + run.seconds,
        reason=run.reason or failed or "done",
        data_digest=digest,
        n_rows=len(scorer.data),
        total_weight=float(scorer.data.total_weight),
        versions=versions(),
        candidates=_left_out(walk, native, kept, _LOOKED_AT if run.reason is None else 5),
        acceptance={name: taken / tried for name, (tried, taken) in moves.items() if tried},
        weights=MEANING[over],
    )
    return Posterior(
        names=scorer.names,
        parent_sets=kept.parent_sets,
        draws=kept.numbers,
        scores=kept.scores,
        log_weights=log_weights,
        info=info,
        state={
            "candidates": candidates,
            "states": chains.states,
            "n_done": chains.n_done,
            "moves": moves,
        },
        data=scorer.data,
    )


def _check_must(scorer: Scorer, native: _core.Constraints) -> None:
    names = scorer.source.names
    for child, name in enumerate(names):
        must = sum(
            v != child
            and native.allowed(v, child)
            and (native.required(v, child) or native.adjacent(v, child))
            for v in range(len(names))
        )
        if must > MOST_CANDIDATES:
            raise SpecError(
                f"{must} variables must be parents of {name!r} or connected to it, and samplers "
                f"take at most {MOST_CANDIDATES}: drop some required or adjacent edges"
            )


def _check_bytes(n: int, sampler: Sampler) -> None:
    most = min(sampler.max_candidates, n - 1)
    needed = _core.ParentTable.bytes([[0] * most] * n)
    if needed > _MAX_BYTES:
        raise SpecError(
            f"the tables of {n} variables with {most} candidates take {needed / 2**30:,.1f} GiB, "
            f"more than {_MAX_BYTES / 2**30:.0f}: give fewer, "
            f"{type(sampler).__name__}(max_candidates=10)"
        )


def _do(
    chains: _core.Sampler, n: int, keep: bool, run: Run
) -> tuple[list[_core.Draws], str | None]:
    """Do so many draws in each chain, in pieces of some tenths of a second, until the run ends.

    Or a family cannot be scored: then there is a reason beside the draws.
    """
    drawn: list[_core.Draws] = []
    done, piece = 0, 1
    while done < n:
        began = run.seconds
        piece = min(piece, n - done)
        try:
            drawn.append(chains.blocks(piece, keep, run.native))
        except (TimeoutError, KeyboardInterrupt):
            if run.reason is None:
                raise  # of the user's own
            break
        except _core.FamilyError:
            if not drawn or not keep:
                raise
            return drawn, FAILED
        done += piece
        if run.seconds - began < 0.1:
            piece *= 2
    return drawn, None


def _added(
    before: Mapping[str, Sequence[int]], stats: Sequence[tuple[str, int, int]]
) -> dict[str, list[int]]:
    none = (0, 0)
    return {
        name: [before.get(name, none)[0] + tried, before.get(name, none)[1] + taken]
        for name, tried, taken in stats
    }


def _left_out(walk: _Walk, native: _core.Constraints, drawn: Round, most: int) -> dict[str, Any]:
    """Say what the candidates leave out, by some of the draws."""
    names = walk.scorer.source.names
    n = len(names)
    all_of_them = all(
        v in own or v == child or not native.allowed(v, child)
        for child, own in enumerate(walk.candidates)
        for v in range(n)
    )
    if all_of_them or isinstance(walk.sampler, StructureMCMC):
        return {}
    flat = drawn.numbers.reshape(-1, n)
    place = [names.index(name) for name in walk.scorer.names]
    graphs: list[Parents] = []
    for row in flat[np.linspace(0, len(flat) - 1, min(most, len(flat))).astype(int)]:
        graph: list[list[int]] = [[] for _ in names]
        for v, k in enumerate(row):
            graph[place[v]] = sorted(place[parent] for parent in drawn.parent_sets[v][k])
        graphs.append(graph)
    edges = edges_left_out(walk.scorer, native, walk.candidates, graphs)
    worst = sorted(edges.items(), key=lambda item: (-item[1], item[0]))[:5]
    return {
        "max_candidates": walk.sampler.max_candidates,
        "edges_left_out": sum(edges.values()),
        "most_probable": [
            {"from": names[a], "to": names[b], "probability": share} for (a, b), share in worst
        ],
    }
