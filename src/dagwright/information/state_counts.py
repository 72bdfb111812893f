"""Counts of states, as they are given for learning a probability."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagwright.errors import DataError, SpecError
from dagwright.specs import check_number

__all__ = ["check_count", "counts_of_rows", "counts_of_states"]


def check_count(setting: str, value: object) -> float:
    """Return a count: finite, 0 or more; weights make fractions."""
    return float(
        check_number(setting, value, "a finite number, 0 or more", lambda x: 0 <= x < np.inf)
    )


def counts_of_states(
    counts: Any, states: tuple[Any, ...], setting: str = "counts"
) -> NDArray[np.float64]:
    """Return one number a state, from a sequence in their order or a mapping by state."""
    if isinstance(counts, Mapping):
        unknown = [state for state in counts if state not in states]
        if unknown:
            raise DataError(f"there is no state {unknown[0]!r}: the states are {list(states)}")
        counts = [counts.get(state, 0) for state in states]
    try:
        array = np.asarray(counts, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.empty(())
    if array.shape != (len(states),):
        raise SpecError(f"{setting} must be one number for each of {list(states)}, not {counts!r}")
    if not (np.isfinite(array) & (array >= 0)).all():
        raise SpecError(f"{setting} must be finite numbers, 0 or more, not {counts!r}")
    return array


def counts_of_rows(rows: Iterable[Any], states: tuple[Any, ...]) -> NDArray[np.float64]:
    """Return how often each state occurs in rows of one variable."""
    if isinstance(rows, str | Mapping) or not isinstance(rows, Iterable):
        raise SpecError(f"rows must be a list of states, not {rows!r}")
    listed = rows.tolist() if hasattr(rows, "tolist") else rows
    return counts_of_states(Counter(listed), states)
