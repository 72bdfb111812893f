"""Jobs side by side on threads of Python: the core holds no GIL while it works."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from math import inf
from threading import Event, Lock
from typing import Generic, TypeVar

from dagwright.run import Run

__all__ = ["Done", "Job", "run_side_by_side"]

_POLL_SECONDS = 0.02

T = TypeVar("T")


@dataclass(frozen=True)
class Done(Generic[T]):
    """What a job made, and what the run is told of it."""

    value: T
    families_scored: int
    score: float


Job = Callable[[int, Callable[[], bool]], Done[T] | None]
"""Of its number and of what says whether to stop; None if it was stopped on its way."""


def run_side_by_side(n: int, job: Job[T], run: Run) -> dict[int, T]:
    """Return what the jobs made that were done when the run ended, by number.

    The calling thread looks at clock, callback and Ctrl-C; the run's step is the number of jobs
    that are done.
    """
    done: _AllDone[T] = _AllDone(run)
    if run.stopping():
        return {}
    if min(run.threads, n) == 1:
        _one_by_one(n, job, done, run)
    else:
        _on_threads(n, job, done, run)
    done.report()
    return {number: done.values[number] for number in sorted(done.values)}


class _AllDone(Generic[T]):
    """What is done so far, and what the run is told of it."""

    def __init__(self, run: Run) -> None:
        self.values: dict[int, T] = {}
        self._run = run
        self._families_scored = 0
        self._score = -inf
        self._adding = Lock()

    def add(self, number: int, done: Done[T] | None) -> None:
        if done is None:
            return
        with self._adding:
            self.values[number] = done.value
            self._families_scored += done.families_scored
            self._score = done.score

    def report(self) -> None:
        progress = self._run.progress
        progress.step = len(self.values)
        progress.families_scored = self._families_scored
        progress.score = self._score


def _one_by_one(n: int, job: Job[T], done: _AllDone[T], run: Run) -> None:
    for number in range(n):
        done.add(number, job(number, run.stopping))
        done.report()
        if run.stopping():
            return


def _on_threads(n: int, job: Job[T], done: _AllDone[T], run: Run) -> None:
    """Workers take the next job each; this thread looks at clock, callback and Ctrl-C."""
    stopped = Event()
    numbers = iter(range(n))
    taking = Lock()

    def work() -> None:
        try:
            while not stopped.is_set():
                with taking:
                    number = next(numbers, None)
                if number is None:
                    return
                done.add(number, job(number, stopped.is_set))
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
