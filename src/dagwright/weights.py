"""Row weights: checked once, at the door."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagwright.errors import DataError

__all__ = ["Weights", "check_weights"]

Weights = NDArray[np.int64] | NDArray[np.float64]

_EXACT = 2**53  # counts are doubles: sums of integers stay exact up to here


def check_weights(weights: Any, n_rows: int, subject: str = "weights") -> Weights:
    """Return a copy as int64 or float64; refuse what cannot weigh rows."""
    try:
        array = np.array(weights)
    except ValueError as error:
        raise DataError(f"{subject} must be one number a row: {error}") from error
    if array.ndim != 1 or len(array) != n_rows:
        raise DataError(f"{subject} of shape {array.shape} do not fit {n_rows} rows: one a row")
    if array.dtype.kind not in "iuf":
        raise DataError(f"{subject} are of the type {array.dtype}: pass integers or floats")
    for bad, word in ((np.isnan, "NaN"), (np.isinf, "infinite"), (_is_negative, "negative")):
        found = bad(array)
        if found.any():
            row = int(found.argmax())
            raise DataError(
                f"{subject} are {word} in row {row} (counted from 0): {array[row]}; "
                "a weight is a finite number that is not negative"
            )
    with np.errstate(over="ignore"):
        total = float(array.sum(dtype=np.float64))
    if total == 0 or not np.isfinite(total):
        raise DataError(f"{subject} add up to {total:g}: their sum must be positive and finite")
    if array.dtype.kind == "f":
        return array.astype(np.float64, copy=False)
    if total >= _EXACT:
        raise DataError(f"{subject} add up to 2**53 or more: divide them, or pass floats")
    return array.astype(np.int64, copy=False)


def _is_negative(array: NDArray[Any]) -> NDArray[np.bool_]:
    return np.asarray(array < 0)
