"""Learning from resampled rows again and again, side by side."""

from __future__ import annotations

from collections.abc import Callable

from dagwright.constraints import Constraints
from dagwright.errors import Unfinished
from dagwright.graph import Dag
from dagwright.posterior.resample import Resample, stream_of
from dagwright.run import Run
from dagwright.scorer import Scorer
from dagwright.search.base import Search, check_found
from dagwright.side_by_side import Done, run_side_by_side

__all__ = ["find_whole", "run_replicates"]


def run_replicates(
    n: int,
    scorer: Scorer,
    search: Search,
    constraints: Constraints,
    resample: Resample,
    run: Run,
) -> list[Dag]:
    """Return the graphs of the replicates that were done when the run ended, in their order."""

    def learned(replicate: int, stopping: Callable[[], bool]) -> Done[Dag] | None:
        rng = stream_of(run.seed, replicate)
        inner = run.inner(int(rng.integers(2**63)), stopping)
        return find_whole(search, scorer.reweighted(resample.draw(rng)), constraints, inner)

    return list(run_side_by_side(n, learned, run).values())


def find_whole(
    search: Search, scorer: Scorer, constraints: Constraints, inner: Run
) -> Done[Dag] | None:
    """Return what a search finds; None if it was stopped on its way: its graph is an early one."""
    try:
        found = search.find(scorer, constraints, inner)
    except Unfinished:
        if inner.native.stopping:
            return None
        raise
    if inner.native.stopping:
        return None
    check_found(found, search, scorer, constraints)
    return Done(found.dag, inner.progress.families_scored, inner.progress.score)
