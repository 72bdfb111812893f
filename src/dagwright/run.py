"""A run: seed, threads, time limit, progress. What an algorithm sees of the outside."""

from __future__ import annotations

import math
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from secrets import randbits

from dagwright import _core
from dagwright.errors import SpecError
from dagwright.specs import check_number, check_whole

__all__ = ["Progress", "Run", "start_run", "whole_run"]

Progress = _core.Progress
"""How far a run is: ``step``, ``families_scored``, ``score`` (-inf at first), ``seconds``."""

Callback = Callable[[Progress], object]


if hasattr(os, "register_at_fork"):
    # Threads that wait for the next run would make Python warn of a fork.
    os.register_at_fork(before=_core.end_spare_threads)


class Run:
    """What a search gets beside the scorer: the seed, and a way to report and to be stopped.

    A search in Python sets ``run.progress.step`` and ``run.progress.score`` and asks
    ``run.stopping()`` now and then; it returns its best when the answer is True.
    """

    def __init__(
        self,
        seed: int,
        threads: int,
        time_limit: float | None,
        report: Callback | None,
        interrupts: _Interrupts,
    ) -> None:
        self.interrupts = interrupts
        self.seed = seed
        self.threads = threads
        self.time_limit = time_limit
        self.native = _core.Run(threads, math.inf if time_limit is None else time_limit, report)

    @property
    def progress(self) -> Progress:
        """What is reported."""
        return self.native.progress

    def stopping(self) -> bool:
        """Report if it is time to, and say whether the run is over."""
        self.native.poll()
        return self.native.stopping

    def part(self, time_limit: float) -> Run:
        """Return a run for a part of the work, with less time; it stops when this one does."""
        return Run(self.seed, self.threads, time_limit, lambda _: self.stopping(), self.interrupts)

    def inner(self, seed: int, stopping: Callable[[], bool]) -> Run:
        """Return a run of one thread for a part of the work; `stopping` says when it is over."""
        return Run(seed, 1, None, lambda _: stopping(), self.interrupts)

    @property
    def seconds(self) -> float:
        """Time since the start."""
        return self.native.seconds

    @property
    def reason(self) -> str | None:
        """Why the run was stopped from outside: time limit, callback, interrupted; or None."""
        if self.interrupts.seen:
            return "interrupted"
        reason = self.native.reason
        return None if reason == _core.StopReason.none else reason.name.replace("_", " ")


class _Interrupts:
    """Whether Ctrl-C was pressed during a run."""

    seen = False


@contextmanager
def _interrupts() -> Iterator[_Interrupts]:
    """Take note of the first Ctrl-C instead of raising it, so that the best so far is kept.

    Or else it would end a score or a search in Python wherever that happens to be. The second one
    raises KeyboardInterrupt.
    """
    interrupts = _Interrupts()
    default = signal.default_int_handler
    ours = threading.current_thread() is threading.main_thread()
    if not ours or signal.getsignal(signal.SIGINT) is not default:
        yield interrupts
        return

    def note(number: int, frame: object) -> None:
        interrupts.seen = True
        signal.signal(signal.SIGINT, default)

    signal.signal(signal.SIGINT, note)
    try:
        yield interrupts
    finally:
        signal.signal(signal.SIGINT, default)


@contextmanager
def start_run(
    seed: int | None,
    threads: int | None,
    time_limit: float | None,
    progress: bool,
    callback: Callback | None,
) -> Iterator[Run]:
    """Check the settings of a run and start its clock."""
    if seed is None:
        seed = randbits(63)
    seed = check_whole("seed", seed, 0, 2**64 - 1)
    if threads is None:
        threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
    threads = check_whole("threads", threads, 1, 1024)
    if time_limit is not None:
        time_limit = check_number("time_limit", time_limit, "seconds, 0 or more", lambda x: x >= 0)
    if callback is not None and not callable(callback):
        raise SpecError(f"callback must be a function of the progress, not {callback!r}")
    with _bar(progress) as show, _interrupts() as interrupts:

        def report(now: Progress) -> bool:
            if interrupts.seen:
                raise KeyboardInterrupt
            if show is not None:
                show(now)
            return bool(callback(now)) if callback is not None else False

        yield Run(seed, threads, time_limit, report, interrupts)


@contextmanager
def whole_run(
    threads: int | None,
    *,
    seed: int = 0,
    time_limit: float | None = None,
    progress: bool = False,
    callback: Callback | None = None,
) -> Iterator[Run]:
    """Start a run without half an answer: Ctrl-C is raised at its end, however late it came."""
    with start_run(seed, threads, time_limit, progress, callback) as run:
        yield run
    if run.reason == "interrupted":
        raise KeyboardInterrupt


@contextmanager
def _bar(wanted: bool) -> Iterator[Callable[[Progress], None] | None]:
    """Show a live line on stderr; nothing when that is not a terminal."""
    if not wanted or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress as Bar
    from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

    text = TextColumn("step {task.fields[step]:,}  score {task.fields[score]:,.3f}")
    scored = TextColumn("{task.fields[families]:,} families scored")
    with Bar(
        SpinnerColumn(),
        text,
        scored,
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    ) as bar:
        task = bar.add_task("", total=None, step=0, score=0.0, families=0)
        yield lambda now: bar.update(
            task, step=now.step, score=now.score, families=now.families_scored
        )
