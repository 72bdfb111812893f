"""A run without half an answer: Ctrl-C ends it for good."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from dagwright.run import Callback, Run, start_run

__all__ = ["whole_run"]


@contextmanager
def whole_run(
    threads: int | None,
    *,
    seed: int = 0,
    time_limit: float | None = None,
    progress: bool = False,
    callback: Callback | None = None,
) -> Iterator[Run]:
    """Start a run; raise KeyboardInterrupt at its end if Ctrl-C came too late to stop it."""
    with start_run(seed, threads, time_limit, progress, callback) as run:
        yield run
    if run.reason == "interrupted":
        raise KeyboardInterrupt
