"""From a frame to encoded variables: distinct values, and codes into them.

Two encoders give the same result: the native one reads Arrow streams, the other reads Python
sequences. What becomes a state, and in which order, is decided in `dagwright.states`.
"""

import datetime as dt
import math
import sys
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

from dagwright import _core
from dagwright.errors import DataError

__all__ = [
    "MAX_STATES",
    "EncodedVariable",
    "SelfEncoding",
    "State",
    "check_names",
    "encode_frame",
    "encode_stream",
    "in_width",
    "plain",
    "recode",
]

State = bool | int | str | dt.date | dt.datetime
Codes = NDArray[np.uint8 | np.uint16]
Numbers = NDArray[np.int64] | NDArray[np.float64]

MAX_STATES = 65536  # codes are at most 16 bits wide

_EPOCH = dt.datetime(1970, 1, 1)
_UNITS = {"s": 1, "m": 10**3, "u": 10**6, "n": 10**9}


@dataclass(frozen=True, eq=False)
class EncodedVariable:
    """One variable as an encoder leaves it: states are not yet chosen.

    `codes` point into `values` (0 where missing); floats, and integers that were asked for as
    numbers, come as `numbers` instead. `missing` are the rows without a value. A frame that
    declares its states sets `keeps_unused`, and `keeps_order` when it declares their order too.
    `problem` says why the variable cannot be used.
    """

    name: str
    values: tuple[State, ...] = ()
    codes: Codes | None = None
    numbers: Numbers | None = None
    missing: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    keeps_unused: bool = False
    keeps_order: bool = False
    too_many: bool = False
    problem: str | None = None


class SelfEncoding(ABC):
    """A frame that knows a better way than to hand out all its values."""

    @abstractmethod
    def encode(self, gathered: Collection[str]) -> tuple[int, list[EncodedVariable]]:
        """Do what `encode_frame` does."""


def encode_frame(
    frame: Any, gathered: Collection[str] = (), size: tuple[int, int] = (0, 0)
) -> tuple[int, list[EncodedVariable]]:
    """Return the number of rows and the variables; those named in `gathered` come as numbers.

    `size` says how many variables and rows there will be, where that is known: memory for all of
    them at once takes much less time to get.
    """
    if isinstance(frame, SelfEncoding):
        return frame.encode(gathered)
    if isinstance(frame, Mapping):
        return _encode_mapping(frame, gathered)
    if _is_pandas(frame):
        # Or else pandas exports the index as a variable, and warns of names that are no strings.
        frame = frame.set_axis(list(check_names(frame.columns)), axis=1).reset_index(drop=True)
    if type(frame).__name__ == "Series":
        raise DataError("a Series is one variable: pass a frame, such as series.to_frame()")
    if not hasattr(frame, "__arrow_c_stream__"):
        return _encode_by_narwhals(frame, gathered)
    try:
        stream = frame.__arrow_c_stream__()
    except Exception as error:  # each library has its own: no pyarrow, mixed types, a failed query
        if _is_pandas(frame):
            return _encode_by_narwhals(frame, gathered)
        raise DataError(f"the frame cannot be exported as an Arrow stream: {error}") from error
    return encode_stream(stream, gathered, size=size)


def check_names(names: Iterable[object]) -> tuple[str, ...]:
    """Return the names as strings, and refuse two equal ones."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise DataError(f"the names must be a list of names, not {names!r}")
    texts = tuple(str(name) for name in names)
    twice = [name for name, count in Counter(texts).items() if count > 1]
    if twice:
        raise DataError(
            f"the name {twice[0]!r} belongs to {texts.count(twice[0])} variables "
            "(names are compared as strings): rename all but one"
        )
    return texts


def _is_pandas(frame: object) -> bool:
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(frame, pandas.DataFrame)


# ---------------------------------------------------------------- the native encoder's results


def encode_stream(
    stream: Any,
    gathered: Collection[str] = (),
    *,
    until_too_many: bool = False,
    size: tuple[int, int] = (0, 0),
) -> tuple[int, list[EncodedVariable]]:
    """Encode an Arrow stream; if so asked, only until a variable has too many values."""
    room = np.empty(size, np.uint8)
    try:
        n_rows, variables = _core.encode_stream(stream, list(gathered), until_too_many, room)
    except (RuntimeError, TypeError, ValueError) as error:
        raise DataError(f"the frame cannot be read as an Arrow stream: {error}") from error
    check_names(variable.name for variable in variables)
    return n_rows, [
        _from_native(variable, room[place, :n_rows] if variable.in_room else None)
        for place, variable in enumerate(variables)
    ]


def _from_native(native: _core.EncodedVariable, codes: Codes | None) -> EncodedVariable:
    kind = _core.ValueKind
    name = native.name
    if native.kind is kind.UNSUPPORTED:
        return EncodedVariable(name, problem=f"has the Arrow type {native.format!r}")
    if native.too_many:
        return EncodedVariable(name, too_many=True)
    missing = native.take_missing()
    if native.kind is kind.FLOAT:
        return EncodedVariable(name, numbers=native.take_floats(), missing=missing)
    wholes = native.take_wholes()
    if len(wholes):
        if native.kind is kind.UNSIGNED and wholes.min() < 0:  # beyond the range of int64
            return EncodedVariable(
                name, numbers=wholes.view(np.uint64).astype(np.float64), missing=missing
            )
        return EncodedVariable(name, numbers=wholes, missing=missing)
    try:
        values = _native_values(native)
    except (ValueError, OverflowError) as error:
        return EncodedVariable(name, problem=f"has {error}")
    return EncodedVariable(
        name,
        values,
        native.take_codes() if codes is None else codes,
        missing=missing,
        keeps_unused=native.keeps_unused,
        keeps_order=native.keeps_order,
    )


def _native_values(native: _core.EncodedVariable) -> tuple[State, ...]:
    kind = _core.ValueKind
    integers = native.integers
    if native.kind is kind.TEXT:
        return tuple(text.decode() for text in native.texts)
    if native.kind is kind.BOOLEAN:
        return tuple(bool(value) for value in integers)
    if native.kind is kind.UNSIGNED:
        return tuple(value % 2**64 for value in integers)
    if native.kind is kind.DATE:
        return tuple(_EPOCH.date() + dt.timedelta(days=days) for days in integers)
    if native.kind is kind.TIMESTAMP:
        unit, _, zone = native.format[2:].partition(":")
        tz = _time_zone(zone) if zone else None
        return tuple(_timestamp(value, _UNITS[unit], tz) for value in integers)
    return tuple(integers)


def _timestamp(value: int, per_second: int, tz: dt.tzinfo | None) -> dt.datetime:
    microseconds, rest = divmod(value * 10**6, per_second)
    if rest:
        raise ValueError("times finer than a microsecond (round them)")
    moment = _EPOCH + dt.timedelta(microseconds=microseconds)
    return moment if tz is None else moment.replace(tzinfo=dt.UTC).astimezone(tz)


def _time_zone(name: str) -> dt.tzinfo:
    if name[0] in "+-":
        hours, minutes = name[1:].split(":")
        offset = dt.timedelta(hours=int(hours), minutes=int(minutes))
        return dt.timezone(offset if name[0] == "+" else -offset)
    try:
        return ZoneInfo(name)
    except KeyError as error:
        raise ValueError(f"the unknown time zone {name!r}") from error


# ---------------------------------------------------------------- the encoder of Python sequences


def _encode_mapping(
    frame: Mapping[Any, Any], gathered: Collection[str]
) -> tuple[int, list[EncodedVariable]]:
    variables = []
    lengths: dict[str, int] = {}
    for name, values in zip(check_names(frame), frame.values(), strict=True):
        elements, declared = _elements(name, values)
        lengths[name] = len(elements)
        variables.append(encode_values(name, elements, declared, gather=name in gathered))
    if len(set(lengths.values())) > 1:
        raise DataError(f"the variables have different numbers of rows: {lengths}")
    return next(iter(lengths.values()), 0), variables


def _elements(name: str, values: Any) -> tuple[Sequence[Any], Sequence[Any] | None]:
    if isinstance(values, (list, tuple, range)):
        return values, None
    if isinstance(values, np.ndarray):
        if values.ndim != 1:
            raise DataError(f"variable {name!r} is an array of shape {values.shape}: pass one of 1")
        return _array_elements(values), None
    try:
        import narwhals as nw

        return _series_elements(nw.from_native(values, series_only=True))
    except TypeError as error:
        raise DataError(
            f"variable {name!r} is a {type(values).__name__}: pass a list, an array or a series"
        ) from error


def _array_elements(values: NDArray[Any]) -> Sequence[Any]:
    if values.dtype.kind == "M":
        exact = values.astype("datetime64[us]")
        if values.dtype.str[3:] == "[D]":
            return values.tolist()  # type: ignore[no-any-return]
        if np.array_equal(exact.astype(values.dtype), values, equal_nan=True):
            return exact.tolist()  # type: ignore[no-any-return]
    return values.tolist() if values.dtype.kind in "biuU" else list(values)


def _encode_by_narwhals(frame: Any, gathered: Collection[str]) -> tuple[int, list[EncodedVariable]]:
    import narwhals as nw

    try:
        wide = nw.from_native(frame, eager_only=True)
    except TypeError as error:
        hint = "collect or convert it"
        if isinstance(frame, np.ndarray):
            hint = "use Table.from_codes"
        elif isinstance(frame, str | PathLike):
            hint = f"to read a file use dw.read({str(frame)!r})"
        raise DataError(
            f"a {type(frame).__name__} is not a frame that dagwright can read ({hint}): pass a "
            "pandas, polars or pyarrow frame, a DuckDB relation, or a dict of sequences"
        ) from error
    variables = []
    for name, text in zip(wide.columns, check_names(wide.columns), strict=True):
        elements, declared = _series_elements(wide[name])
        variables.append(encode_values(text, elements, declared, gather=text in gathered))
    return len(wide), variables


def _series_elements(series: Any) -> tuple[Sequence[Any], Sequence[Any] | None]:
    import narwhals as nw

    if series.dtype not in (nw.Categorical, nw.Enum):
        return series.to_list(), None
    if series.implementation.is_pandas_like():
        return series.to_list(), series.to_native().cat.categories.tolist()
    # Elsewhere a Categorical numbers its values by first sight: an encoding, not a declaration.
    return series.to_list(), getattr(series.dtype, "categories", None)


def encode_values(
    name: str, values: Sequence[Any], declared: Sequence[Any] | None = None, gather: bool = False
) -> EncodedVariable:
    """Encode one variable given as Python values; `declared` are its states if it has such."""
    try:
        elements = [plain(value) for value in values]
        entries = [plain(value) for value in declared or ()]
    except TypeError as error:
        return EncodedVariable(name, problem=f"has {error}")
    kinds = {type(value) for value in (*elements, *entries) if value is not None}
    missing = np.array([row for row, value in enumerate(elements) if value is None], np.int64)
    if kinds <= {int, float} and (float in kinds or (gather and kinds)):
        return EncodedVariable(name, numbers=_numbers(elements, kinds), missing=missing)
    if len(kinds) > 1:
        words = " and ".join(sorted(kind.__name__ for kind in kinds))
        return EncodedVariable(name, problem=f"mixes values of the types {words}")
    code_of: dict[Any, int] = {}
    for entry in entries:
        code_of.setdefault(entry, len(code_of))
    codes = np.zeros(len(elements), np.uint32)
    for row, value in enumerate(elements):
        if value is not None:
            codes[row] = code_of.setdefault(value, len(code_of))
    if len(code_of) > MAX_STATES:
        return EncodedVariable(name, too_many=True)
    return EncodedVariable(
        name,
        tuple(code_of),
        in_width(codes, len(code_of)),
        missing=missing,
        keeps_unused=declared is not None,
        keeps_order=declared is not None,
    )


def in_width(codes: NDArray[Any], n_states: int) -> Codes:
    """Return a copy of the codes in the width of the table: uint8, beyond 256 states uint16."""
    return codes.astype(np.uint8) if n_states <= 256 else codes.astype(np.uint16)


def recode(codes: Codes, new_code: list[int], n_states: int) -> Codes:
    """Return the codes in another numbering of the states; those that were given are gone."""
    if codes.dtype != (np.uint8 if n_states <= 256 else np.uint16):
        return in_width(np.array(new_code)[codes], n_states)
    own: Any = codes
    _core.recode(own, new_code)
    return codes


def _numbers(elements: Sequence[Any], kinds: set[type]) -> Numbers:
    if float not in kinds:
        try:
            return np.array([0 if value is None else value for value in elements], np.int64)
        except OverflowError:
            pass
    return np.array([math.nan if value is None else value for value in elements], np.float64)


def plain(value: Any) -> State | float | None:
    """Return the value as a plain Python one, None if missing; TypeError if it is of no use."""
    kind = type(value)
    if kind is str or kind is int or kind is bool or value is None:
        return value  # type: ignore[no-any-return]
    if kind.__name__ in ("NAType", "NaTType"):  # of pandas
        return None
    if isinstance(value, np.datetime64):
        if np.isnat(value):
            return None
        if value.dtype.str[3:] == "[D]":
            return value.item()  # type: ignore[no-any-return]
        exact = value.astype("datetime64[us]")
        if exact.astype(value.dtype) != value:
            raise TypeError("times finer than a microsecond (round them)")
        return exact.item()  # type: ignore[no-any-return]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return None if math.isnan(value) else float(value)
    if getattr(value, "nanosecond", 0):
        raise TypeError("times finer than a microsecond (round them)")
    if hasattr(value, "to_pydatetime"):  # a pandas Timestamp
        value = value.to_pydatetime()
    if isinstance(value, (bool, int)):
        return value if kind is bool else int(value)
    if isinstance(value, str):
        return str(value)
    if isinstance(value, dt.date):  # a datetime is a date
        return value
    raise TypeError(f"values of the type {kind.__name__}")
