"""What an experiment says that was stopped before it had anything."""

from __future__ import annotations

from collections.abc import Sized

from dagwright.errors import Unfinished
from dagwright.run import Run

__all__ = ["check_any"]


def check_any(done: Sized, run: Run, what: str, piece: str) -> None:
    """Raise what a run without a single piece of its work raises."""
    if len(done):
        return
    if run.reason == "interrupted":
        raise KeyboardInterrupt
    raise Unfinished(
        f"{what} was stopped ({run.reason}) after {run.seconds:.2f} s, before the first {piece} "
        "was done: give it more time_limit, or a faster search"
    )
