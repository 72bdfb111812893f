"""Ctrl-C while DuckDB works."""

from collections.abc import Callable
from typing import Any, TypeVar

__all__ = ["interruptible", "was_interrupted"]

T = TypeVar("T")


def interruptible(connection: Any, work: Callable[[], T]) -> T:
    """Do the work on a thread of its own, and tell its connection at once when Ctrl-C comes.

    By itself DuckDB looks for Ctrl-C only between pieces that may take it more than a second.
    """
    from concurrent.futures import ThreadPoolExecutor, wait

    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(work)
        try:
            while not wait([future], timeout=0.1).done:  # a signal need not wake this thread
                pass
        except KeyboardInterrupt:
            while not wait([future], timeout=0.02).done:
                connection.interrupt()
            raise
        return future.result()


def was_interrupted(error: BaseException) -> bool:
    """Say whether the error is DuckDB's word for Ctrl-C."""
    return "Query interrupted" in str(error) or "INTERRUPT Error" in str(error)
