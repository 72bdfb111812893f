"""From a table's states and codes back to frames of other libraries."""

import importlib
from collections.abc import Mapping, Sequence
from typing import Any

from dagwright.encode import Codes, State
from dagwright.errors import DagwrightError, SpecError

__all__ = ["make_frame"]


def make_frame(
    states: Mapping[str, tuple[State, ...]], codes: Sequence[Codes], backend: str
) -> Any:
    """Return a frame of the library `backend`."""
    makers = {"pandas": _pandas, "polars": _polars, "pyarrow": _pyarrow}
    if not isinstance(backend, str) or backend not in makers:
        raise SpecError(f"backend must be one of {', '.join(makers)}, not {backend!r}")
    try:
        library = importlib.import_module(backend)
    except ImportError as error:
        raise DagwrightError(f"{backend} is not installed: pip install {backend}") from error
    return makers[backend](library, states, codes)


def _pandas(pd: Any, states: Mapping[str, tuple[State, ...]], codes: Sequence[Codes]) -> Any:
    return pd.DataFrame(
        {
            name: pd.Categorical.from_codes(array, categories=list(own))
            for (name, own), array in zip(states.items(), codes, strict=True)
        }
    )


def _polars(pl: Any, states: Mapping[str, tuple[State, ...]], codes: Sequence[Codes]) -> Any:
    frame = {}
    for (name, own), array in zip(states.items(), codes, strict=True):
        rows = pl.Series(name, list(own)).gather(array)
        frame[name] = rows.cast(pl.Enum(list(own))) if isinstance(own[0], str) else rows
    return pl.DataFrame(frame)


def _pyarrow(pa: Any, states: Mapping[str, tuple[State, ...]], codes: Sequence[Codes]) -> Any:
    return pa.table(
        {
            name: pa.DictionaryArray.from_arrays(pa.array(array), pa.array(list(own)))
            for (name, own), array in zip(states.items(), codes, strict=True)
        }
    )
