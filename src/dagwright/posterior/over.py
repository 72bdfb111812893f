"""What an exact posterior sums over, and how many variables that takes."""

from __future__ import annotations

from typing import Literal, get_args

from dagwright import _core
from dagwright.errors import SpecError

__all__ = ["MEANING", "MOST_VARIABLES", "Over", "native_over"]

Over = Literal["dags", "orders"]

MEANING: dict[str, str] = {
    "dags": "every DAG counts once",
    "orders": (
        "a DAG counts once for each order of the variables that fits it (its linear extensions), "
        "so that DAGs with many orders are favoured"
    ),
}

# Of DAGs: with more, rounding is no longer proved to stay below 1e-9. Of orders: what fits in a
# few GiB is the bound that matters, this one is of the core.
MOST_VARIABLES = {"dags": 22, "orders": 31}


def native_over(over: object) -> _core.Over:
    """Return what the core calls it."""
    if over not in get_args(Over):
        raise SpecError(f'over must be "dags" or "orders", not {over!r}')
    return _core.Over.dags if over == "dags" else _core.Over.orders
