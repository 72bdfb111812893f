"""What exact inference will cost, before it is done."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace

from dagwright import _core
from dagwright.errors import DataError
from dagwright.specs import check_number

__all__ = [
    "MAX_BYTES",
    "MAX_OPERATIONS",
    "Forecast",
    "check_cost",
    "forecast_of",
    "n_threads",
    "start",
]

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
        Memory of the messages and of the answer.
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
            f"{self.bytes / 2**20:,.1f} MiB of messages and answers, about {self.operations:.3g} "
            "operations"
        )


def forecast_of(tree: _core.CliqueTree) -> Forecast:
    """Return what a tree costs."""
    return Forecast(tree.cells, tree.largest, tree.bytes, tree.operations)


def check_cost(
    tree: _core.CliqueTree, max_bytes: float, max_operations: float, own_tables: int = 0
) -> None:
    """Refuse a tree that is too large, with its numbers and what to do instead.

    `own_tables` is how many tables of a clique over what it eliminates are kept on top.
    """
    for setting, value in (("max_bytes", max_bytes), ("max_operations", max_operations)):
        check_number(setting, value, "a number above 0", lambda x: x > 0)
    cost = forecast_of(tree)
    cost = replace(cost, bytes=cost.bytes + own_tables * tree.own_bytes)
    if cost.bytes <= max_bytes and cost.operations <= max_operations:
        return
    raise DataError(
        f"exact inference is too large here: {cost}; the limits are max_bytes={max_bytes:.3g} and "
        f"max_operations={max_operations:.3g}. Raise them, give more evidence, ask for fewer "
        'targets at once, or use method="belief propagation", "likelihood weighting" or "gibbs"'
    )


def n_threads() -> int:
    """Return how many threads inference may take."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1


def start(tree: _core.CliqueTree | None = None) -> _core.Run:
    """Return a run for inference: on all cores where the tables are worth it."""
    return _core.Run(n_threads() if tree is None or tree.cells >= _WORTH_THREADS else 1)
