"""What draws must be, checked once when a posterior is made."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from operator import index
from typing import Any

import numpy as np
import numpy.typing as npt

from dagwright.errors import DataError

__all__ = ["ParentSets", "check_numbers", "check_parent_sets", "check_places"]

ParentSets = tuple[tuple[tuple[int, ...], ...], ...]
"""For each node its different sets of parents, each as ascending places."""


def check_parent_sets(names: Sequence[str], parent_sets: Any) -> ParentSets:
    """Return parent sets if they are those of these nodes."""
    if len(parent_sets) != len(names):
        raise DataError(
            f"parent_sets must have one list for each of the {len(names)} variables, "
            f"not {len(parent_sets)}"
        )
    checked = []
    for v, (name, own) in enumerate(zip(names, parent_sets, strict=True)):
        sets = tuple(_check_places_of(name, v, parents, len(names)) for parents in own)
        if len(set(sets)) != len(sets):
            raise DataError(f"parent_sets of {name!r} has the same set twice")
        checked.append(sets)
    return tuple(checked)


def _check_places_of(name: str, v: int, parents: Any, n: int) -> tuple[int, ...]:
    try:
        places = tuple(map(index, parents))
    except TypeError:  # no whole numbers
        places = (v,)
    ascending = all(first < second for first, second in pairwise(places))
    if not ascending or v in places or (places and not 0 <= places[0] <= places[-1] < n):
        raise DataError(
            f"a parent set of {name!r} must be ascending places of other variables, from 0 "
            f"to {n - 1}, not {parents!r}"
        )
    return places


def check_places(
    names: Sequence[str], parent_sets: Sequence[Sequence[Any]], draws: Any
) -> npt.NDArray[np.int32]:
    """Return draws, chains by draws by nodes, if they are numbers of the parent sets."""
    array = np.asarray(draws)
    if array.ndim != 3 or array.shape[2] != len(names) or array.size == 0:
        raise DataError(
            f"draws must be chains by draws by {len(names)} nodes, at least one of each, not of "
            f"shape {array.shape}"
        )
    if array.dtype.kind not in "iu":
        raise DataError(f"draws must be whole numbers, not {array.dtype}")
    for v, name in enumerate(names):
        own = array[..., v]
        if own.min() < 0 or own.max() >= len(parent_sets[v]):
            raise DataError(
                f"the draws of {name!r} must be numbers of its {len(parent_sets[v])} parent sets, "
                f"from 0, not {own.min()} to {own.max()}"
            )
    return _read_only(array.astype(np.int32, copy=False))


def check_numbers(what: str, values: Any, shape: tuple[int, ...]) -> npt.NDArray[np.float64]:
    """Return numbers, chains by draws, if they are finite."""
    array = np.asarray(values, dtype=np.float64)
    if array.shape != shape:
        raise DataError(
            f"{what} must have one number for each draw, {shape[0]} chains by {shape[1]} draws, "
            f"not the shape {array.shape}"
        )
    if not np.isfinite(array).all():
        chain, draw = np.argwhere(~np.isfinite(array))[0]
        raise DataError(
            f"{what} must be finite, not {array[chain, draw]} in draw {draw} of chain {chain}"
        )
    return _read_only(array)


def _read_only(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return an array that nobody can change."""
    if array.flags.writeable:
        array = array.copy()
        array.flags.writeable = False
    return array
