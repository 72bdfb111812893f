"""What draws must be, checked once when a posterior is made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from dagwright.errors import DataError

__all__ = ["check_numbers", "check_parent_sets", "check_places"]


def check_parent_sets(names: Sequence[str], parent_sets: Sequence[Sequence[Sequence[int]]]) -> None:
    """Refuse parent sets that are not those of these nodes."""
    if len(parent_sets) != len(names):
        raise DataError(
            f"parent_sets must have one list for each of the {len(names)} variables, "
            f"not {len(parent_sets)}"
        )
    for v, (name, own) in enumerate(zip(names, parent_sets, strict=True)):
        for parents in own:
            whole = all(isinstance(i, int) and not isinstance(i, bool) for i in parents)
            if (
                not whole
                or v in parents
                or list(parents) != sorted({*parents} & {*range(len(names))})
            ):
                raise DataError(
                    f"a parent set of {name!r} must be ascending places of other variables, from 0 "
                    f"to {len(names) - 1}, not {list(parents)}"
                )
        if len(set(own)) != len(own):
            raise DataError(f"parent_sets of {name!r} has the same set twice")


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
