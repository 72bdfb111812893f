"""What exact inference will cost, before it is done."""

from __future__ import annotations

from dataclasses import dataclass

from dagwright import _core
from dagwright.errors import DataError

__all__ = ["MAX_BYTES", "MAX_OPERATIONS", "Forecast", "check_cost", "forecast_of", "start"]

MAX_BYTES = 4 << 30
MAX_OPERATIONS = 2e11

_WORTH_THREADS = 1 << 18


@dataclass(frozen=True)
class Forecast:
    """The cost of exact inference for one question.

    Attributes
    ----------
    cells : float
        Cells of all cliques, each walked once for every message it sends.
    largest_clique : float
        Cells of the largest one. Cliques are walked in blocks and never stored.
    bytes : float
        Memory of the messages.
    operations : float
        Multiplications and additions, about 1e9 a second.
    """

    cells: float
    largest_clique: float
    bytes: float
    operations: float

    def __str__(self) -> str:
        return (
            f"{self.cells:.3g} cells in all cliques, the largest {self.largest_clique:.3g}; "
            f"{self.bytes / 2**20:,.1f} MiB of messages, about {self.operations:.3g} operations"
        )


def forecast_of(tree: _core.CliqueTree) -> Forecast:
    """Return what a tree costs."""
    return Forecast(tree.cells, tree.largest, tree.bytes, tree.operations)


def check_cost(tree: _core.CliqueTree, max_bytes: float, max_operations: float) -> None:
    """Refuse a tree that is too large, with its numbers and what to do instead."""
    cost = forecast_of(tree)
    if cost.bytes <= max_bytes and cost.operations <= max_operations:
        return
    raise DataError(
        f"exact inference is too large here: {cost}; the limits are max_bytes={max_bytes:.3g} and "
        f"max_operations={max_operations:.3g}. Raise them, give more evidence, ask for fewer "
        'targets at once, or use method="belief propagation", "likelihood weighting" or "gibbs"'
    )


def start(tree: _core.CliqueTree | None = None) -> _core.Run:
    """Return a run for inference: on all cores where the tables are worth it."""
    import os

    if tree is None or tree.cells >= _WORTH_THREADS:
        return _core.Run(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1)
    return _core.Run()
