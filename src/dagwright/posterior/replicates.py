"""Learning from resampled rows again and again, side by side."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from math import inf
from threading import Event, Lock

from dagwright.constraints import Constraints
from dagwright.errors import Unfinished
from dagwright.graph import Dag
from dagwright.posterior.resample import Resample, stream_of
from dagwright.run import Run
from dagwright.scorer import Scorer
from dagwright.search.base import Search, check_found

__all__ = ["run_replicates"]

_POLL_SECONDS = 0.02


def run_replicates(
    n: int,
    scorer: Scorer,
    search: Search,
    constraints: Constraints,
    resample: Resample,
    run: Run,
) -> list[Dag]:
    """Return the graphs of the replicates that were done when the run ended, in their order.

    A search that was stopped on its way has no part in it: its graph would be an early one.
    """

    def learned(replicate: int, stopping: Callable[[], bool]) -> _Learned | None:
        rng = stream_of(run.seed, replicate)
        inner = run.inner(int(rng.integers(2**63)), stopping)
        resampled = scorer.reweighted(resample.draw(rng))
        try:
            found = search.find(resampled, constraints, inner)
        except Unfinished:
            if inner.native.stopping:
                return None
            raise
        if inner.native.stopping:
            return None
        check_found(found, search, resampled, constraints)
        return _Learned(found.dag, inner.progress.families_scored, inner.progress.score)

    done = _Done(run)
    if run.stopping():
        return []
    if min(run.threads, n) == 1:
        _one_by_one(n, learned, done, run)
    else:
        _side_by_side(n, learned, done, run)
    done.report()
    return [done.dags[replicate] for replicate in sorted(done.dags)]


@dataclass(frozen=True)
class _Learned:
    dag: Dag
    families_scored: int
    score: float


_Learn = Callable[[int, Callable[[], bool]], _Learned | None]


class _Done:
    """The graphs so far by replicate, and what the run is told of them."""

    def __init__(self, run: Run) -> None:
        self.dags: dict[int, Dag] = {}
        self._run = run
        self._families_scored = 0
        self._score = -inf
        self._adding = Lock()

    def add(self, replicate: int, learned: _Learned | None) -> None:
        if learned is None:
            return
        with self._adding:
            self.dags[replicate] = learned.dag
            self._families_scored += learned.families_scored
            self._score = learned.score

    def report(self) -> None:
        progress = self._run.progress
        progress.step = len(self.dags)
        progress.families_scored = self._families_scored
        progress.score = self._score


def _one_by_one(n: int, learned: _Learn, done: _Done, run: Run) -> None:
    for replicate in range(n):
        done.add(replicate, learned(replicate, run.stopping))
        done.report()
        if run.stopping():
            return


def _side_by_side(n: int, learned: _Learn, done: _Done, run: Run) -> None:
    """Workers take the next replicate each; this thread looks at clock, callback and Ctrl-C."""
    stopped = Event()
    replicates = iter(range(n))
    taking = Lock()

    def work() -> None:
        try:
            while not stopped.is_set():
                with taking:
                    replicate = next(replicates, None)
                if replicate is None:
                    return
                done.add(replicate, learned(replicate, stopped.is_set))
        except BaseException:
            stopped.set()  # the others need not go on
            raise

    workers = min(run.threads, n)
    with ThreadPoolExecutor(workers) as pool:
        working = [pool.submit(work) for _ in range(workers)]
        try:
            while wait(working, timeout=_POLL_SECONDS).not_done:
                done.report()
                if run.stopping():
                    stopped.set()
        finally:
            stopped.set()
    for worker in working:
        worker.result()
