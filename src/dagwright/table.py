"""The table: rows as codes of states. The only place where data are encoded."""

import hashlib
import html
import json
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dagwright._names import listed
from dagwright.discretize import Discretizer
from dagwright.encode import (
    MAX_STATES,
    Codes,
    EncodedVariable,
    State,
    check_names,
    encode_frame,
    in_width,
)
from dagwright.errors import DataError, SpecError, did_you_mean
from dagwright.frames import make_frame
from dagwright.specs import check_whole
from dagwright.states import check_states, settle
from dagwright.weights import Weights, check_weights

__all__ = ["Table", "check_known"]


class Table:
    """Rows of discrete variables: names, states and codes; it never changes.

    Parameters
    ----------
    frame : frame or mapping
        A pandas, polars or pyarrow frame, a DuckDB relation, anything else with
        ``__arrow_c_stream__`` or known to narwhals, or a mapping from names to sequences.
    states : mapping, optional
        Declared states by variable, in this order; they stay even if no row has them. Other
        variables keep the states that the frame declares (a pandas category, an Enum), or else
        have the states that occur, sorted.
    weights : str or array, optional
        One weight a row, or the name of the variable that holds them (it is then no variable of
        the table). Integers stay integers.
    missing : {"error", "drop"}
        Refuse rows with missing values, or drop them (see `n_dropped`).
    unseen : {"error", "extend"}
        Refuse values outside the declared states, or append them, sorted.
    discretize : mapping, optional
        How to cut numeric variables: `Quantiles`, `EqualWidth` or `Cuts` by name.
    max_states : int
        Refuse variables with more states than this.

    Raises
    ------
    DataError
        If the data cannot be used as they are; the message names the variable and the fix.

    Examples
    --------
    >>> import dagwright as dw
    >>> table = dw.Table({"smoke": ["yes", "no", "no"], "age": [30, 50, 30]})
    >>> table
    Table(3 rows, 2 variables: smoke (2 states), age (2))
    >>> table.states["smoke"]
    ('no', 'yes')
    >>> dw.Table({"smoke": ["yes"]}, states={"smoke": ["yes", "no"]}).states["smoke"]
    ('yes', 'no')
    """

    __slots__ = (
        "_codes",
        "_cuts",
        "_digest",
        "_n_dropped",
        "_names",
        "_source",
        "_states",
        "_weights",
    )

    _names: tuple[str, ...]
    _states: Mapping[str, tuple[State, ...]]
    _codes: tuple[Codes, ...]
    _weights: Weights | None
    _cuts: Mapping[str, tuple[float, ...]]
    _n_dropped: int
    _digest: str | None
    _source: Any  # a dagwright.sources.Source, once it was needed

    def __init__(
        self,
        frame: Any,
        *,
        states: Mapping[str, Sequence[Any]] | None = None,
        weights: str | ArrayLike | None = None,
        missing: Literal["error", "drop"] = "error",
        unseen: Literal["error", "extend"] = "error",
        discretize: Mapping[str, Discretizer] | None = None,
        max_states: int = 256,
    ) -> None:
        states = _by_name("states", states)
        discretize = _by_name("discretize", discretize)
        _check_options(missing, unseen, discretize, max_states)
        weights_name = weights if isinstance(weights, str) else None
        gathered = {*discretize, *([weights_name] if weights_name is not None else [])}
        n_rows, variables = encode_frame(frame, gathered)
        if weights_name is not None:
            variables, weights = _take_weights(variables, weights_name)
        _check_frame(n_rows, variables, states, discretize)
        kept = _rows_without_missing(n_rows, variables, missing)
        row_weights: Weights | None = None
        if weights is not None:
            subject = "weights" if weights_name is None else f"weights (variable {weights_name!r})"
            row_weights = check_weights(weights, n_rows, subject)
            if kept is not None:  # what is left may add up to zero
                row_weights = check_weights(row_weights[kept], len(kept), subject)
        settled = {
            variable.name: settle(
                variable,
                kept,
                states.get(variable.name),
                unseen,
                discretize.get(variable.name),
                max_states,
            )
            for variable in variables
        }
        self._fill(
            {name: chosen.states for name, chosen in settled.items()},
            [chosen.codes for chosen in settled.values()],
            row_weights,
            {name: chosen.cuts for name, chosen in settled.items() if chosen.cuts is not None},
            0 if kept is None else n_rows - len(kept),
        )

    def _fill(
        self,
        states: Mapping[str, tuple[State, ...]],
        codes: Sequence[Codes],
        weights: Weights | None,
        cuts: Mapping[str, tuple[float, ...]],
        n_dropped: int,
    ) -> None:
        """Set all attributes; the arrays belong to the table from here on and become read-only."""
        own = tuple(np.ascontiguousarray(array) for array in codes)
        for array in (*own, *([] if weights is None else [weights])):
            array.flags.writeable = False
        for name, value in (
            ("_names", tuple(states)),
            ("_states", MappingProxyType(dict(states))),
            ("_codes", own),
            ("_weights", weights),
            ("_cuts", MappingProxyType(dict(cuts))),
            ("_n_dropped", n_dropped),
            ("_digest", None),
            ("_source", None),
        ):
            object.__setattr__(self, name, value)

    @classmethod
    def _of(cls, *parts: Any) -> Self:
        table = cls.__new__(cls)
        table._fill(*parts)
        return table

    @classmethod
    def from_codes(
        cls,
        codes: Any,
        *,
        names: Iterable[object] | None = None,
        states: Mapping[str, Sequence[Any]] | Sequence[Sequence[Any]] | None = None,
        weights: ArrayLike | None = None,
    ) -> Self:
        """Make a table of integer codes that count the states of each variable from 0.

        Parameters
        ----------
        codes : array of integers, rows x variables, or sequence of 1-D arrays
            A sequence has one array a variable. The codes are copied.
        names : iterable of str, optional
            By default x1, x2, ...
        states : mapping or sequence, optional
            The states by name, or one sequence a variable. By default 0, 1, ... up to the
            largest code.
        weights : array, optional
            One weight a row.

        Examples
        --------
        >>> import dagwright as dw
        >>> import numpy as np
        >>> table = dw.Table.from_codes(np.array([[0, 1], [1, 2]]), names=["a", "b"])
        >>> table.states["b"]
        (0, 1, 2)
        """
        columns = _code_columns(codes)
        if names is None:
            names = [f"x{at}" for at in range(1, len(columns) + 1)]
        texts = check_names(names)
        if len(texts) != len(columns):
            raise DataError(f"{len(texts)} names do not fit {len(columns)} variables: one each")
        declared = _states_by_name(texts, states)
        n_rows = len(columns[0])
        chosen: dict[str, tuple[State, ...]] = {}
        checked: list[Codes] = []
        for name, column in zip(texts, columns, strict=True):
            own_states = check_states(name, declared[name]) if name in declared else None
            chosen[name], own = _check_codes(name, column, own_states)
            checked.append(own)
        row_weights = None if weights is None else check_weights(weights, n_rows)
        return cls._of(chosen, checked, row_weights, {}, 0)

    @property
    def names(self) -> tuple[str, ...]:
        """The variables' names, in order."""
        return self._names

    @property
    def states(self) -> Mapping[str, tuple[State, ...]]:
        """The states of each variable, in order; read-only."""
        return self._states

    @property
    def n_states(self) -> dict[str, int]:
        """How many states each variable has."""
        return {name: len(states) for name, states in self._states.items()}

    @property
    def codes(self) -> tuple[Codes, ...]:
        """One array a variable: the state's number in each row; uint8, beyond 256 states uint16."""
        return self._codes

    @property
    def weights(self) -> Weights | None:
        """The row weights, int64 or float64; None if every row counts once."""
        return self._weights

    @property
    def total_weight(self) -> int | float:
        """The sum of the weights; without weights the number of rows."""
        if self._weights is None:
            return len(self)
        return self._weights.sum().item()  # type: ignore[no-any-return]

    @property
    def cuts(self) -> Mapping[str, tuple[float, ...]]:
        """The inner cuts of the variables that were discretized; read-only."""
        return self._cuts

    @property
    def n_dropped(self) -> int:
        """How many rows of the frame were dropped for missing values."""
        return self._n_dropped

    @property
    def digest(self) -> str:
        """SHA-256 of names, states with their types, codes and weights, in hexadecimal."""
        if self._digest is None:
            object.__setattr__(self, "_digest", self._compute_digest())
        assert self._digest is not None
        return self._digest

    def _compute_digest(self) -> str:
        described = [
            [name, type(states[0]).__name__, [str(state) for state in states]]
            for name, states in self._states.items()
        ]
        content = hashlib.sha256(json.dumps([len(self), described]).encode())
        for codes in self._codes:
            content.update(codes.astype(codes.dtype.newbyteorder("<"), copy=False).data)
        if self._weights is not None:
            content.update(self._weights.dtype.kind.encode())
            little = self._weights.dtype.newbyteorder("<")
            content.update(self._weights.astype(little, copy=False).data)
        return content.hexdigest()

    def select(self, names: Iterable[str]) -> Self:
        """Return the table of these variables, in this order.

        Examples
        --------
        >>> import dagwright as dw
        >>> dw.Table({"a": [0, 1], "b": [1, 1]}).select(["b"]).names
        ('b',)
        """
        if isinstance(names, str):
            raise DataError(f"select needs a list of names: write select([{names!r}])")
        chosen = check_names(names)
        if not chosen:
            raise DataError("select needs at least one name")
        check_known("select", chosen, self.names)
        codes_of = dict(zip(self.names, self._codes, strict=True))
        codes = [codes_of[name] for name in chosen]
        if 2 * len(chosen) < len(self.names):  # or they keep the memory of all, where that is one
            codes = [own.copy() if isinstance(own.base, np.ndarray) else own for own in codes]
        return self._of(
            {name: self._states[name] for name in chosen},
            codes,
            self._weights,
            {name: self._cuts[name] for name in chosen if name in self._cuts},
            self._n_dropped,
        )

    def with_weights(self, weights: ArrayLike | None) -> Self:
        """Return the table with other row weights; None takes them away.

        Examples
        --------
        >>> import dagwright as dw
        >>> dw.Table({"a": [0, 1]}).with_weights([3, 1]).total_weight
        4
        """
        return self._with_checked_weights(
            None if weights is None else check_weights(weights, len(self))
        )

    def _with_checked_weights(self, weights: Weights | None) -> Self:
        return self._of(self._states, self._codes, weights, self._cuts, self._n_dropped)

    def take(self, rows: ArrayLike) -> Self:
        """Return the table of these rows (numbers from 0, repetition allowed); states stay.

        Examples
        --------
        >>> import dagwright as dw
        >>> len(dw.Table({"a": [0, 1, 2]}).take([2, 0]))
        2
        """
        chosen = np.asarray(rows)
        if chosen.ndim != 1 or not len(chosen) or chosen.dtype.kind not in "iu":
            raise DataError(f"take needs a sequence of one or more row numbers, not {rows!r}")
        if chosen.min() < 0 or chosen.max() >= len(self):
            raise DataError(f"take needs row numbers from 0 to {len(self) - 1}")
        return self._of(
            self._states,
            [codes[chosen] for codes in self._codes],
            None if self._weights is None else check_weights(self._weights[chosen], len(chosen)),
            self._cuts,
            self._n_dropped,
        )

    def head(self, n: int = 5) -> Self:
        """Return the table of the first `n` rows; states stay.

        Examples
        --------
        >>> import dagwright as dw
        >>> len(dw.Table({"a": [0, 1, 2]}).head(2))
        2
        """
        return self.take(np.arange(min(check_whole("head: n", n, 1), len(self))))

    def to_frame(self, backend: Literal["pandas", "polars", "pyarrow"] = "pandas") -> Any:
        """Return the rows as a frame that keeps the states and their order; weights stay behind.

        States of a polars frame are an Enum if they are strings; polars knows no order of other
        types, so these come as they are.

        Examples
        --------
        >>> import dagwright as dw
        >>> dw.Table({"a": ["x", "y"]}).to_frame()["a"].tolist()
        ['x', 'y']
        """
        return make_frame(self._states, self._codes, backend)

    def __len__(self) -> int:
        return len(self._codes[0])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Table):
            return NotImplemented
        return len(self) == len(other) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Table never changes, so {name!r} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a Table never changes, so {name!r} cannot be deleted")

    def __reduce__(self) -> tuple[Any, ...]:
        parts = (dict(self._states), self._codes, self._weights, dict(self._cuts))
        return type(self)._of, (*parts, self._n_dropped)

    def __repr__(self) -> str:
        shown = [f"{name} ({len(states)})" for name, states in list(self._states.items())[:6]]
        shown[0] = f"{shown[0][:-1]} states)"
        more = ", ..." if len(self._states) > len(shown) else ""
        weighted = "" if self._weights is None else f", weight {self.total_weight:g}"
        return (
            f"Table({len(self)} rows{weighted}, {len(self._states)} variables: "
            f"{', '.join(shown)}{more})"
        )

    def _repr_html_(self) -> str:
        def row(name: str, states: tuple[State, ...]) -> str:
            shown = ", ".join(str(state) for state in states[:8]) + (", ..." * (len(states) > 8))
            return f"<tr><td>{html.escape(name)}</td><td>{html.escape(shown)}</td></tr>"

        rows = [row(name, states) for name, states in list(self._states.items())[:50]]
        if len(self._states) > len(rows):
            rows.append(f"<tr><td colspan=2>and {len(self._states) - len(rows)} more</td></tr>")
        head = f"<caption>{len(self)} rows, {len(self._states)} variables</caption>"
        return f"<table>{head}<tr><th>variable</th><th>states</th></tr>{''.join(rows)}</table>"


def _by_name(option: str, given: Mapping[str, Any] | None) -> dict[str, Any]:
    if given is not None and not isinstance(given, Mapping):
        raise SpecError(f"{option} must be a mapping from names of variables, not {given!r}")
    return dict(given or {})


def _check_options(
    missing: str, unseen: str, discretize: Mapping[str, object], max_states: object
) -> None:
    if missing not in ("error", "drop"):
        raise SpecError(f'missing must be "error" or "drop", not {missing!r}')
    if unseen not in ("error", "extend"):
        raise SpecError(f'unseen must be "error" or "extend", not {unseen!r}')
    check_whole("max_states", max_states, 1, MAX_STATES)
    for name, spec in discretize.items():
        if not isinstance(spec, Discretizer):
            raise SpecError(
                f"discretize[{name!r}] must be dw.Quantiles, dw.EqualWidth or dw.Cuts, not {spec!r}"
            )


def _take_weights(
    variables: list[EncodedVariable], name: str
) -> tuple[list[EncodedVariable], NDArray[Any]]:
    check_known("weights", [name], [variable.name for variable in variables])
    (chosen,) = (variable for variable in variables if variable.name == name)
    if len(chosen.missing):
        raise DataError(
            f"weights (variable {name!r}) are missing in {len(chosen.missing)} rows, first in row "
            f"{chosen.missing[0]} (counted from 0): fill them in or leave the rows out"
        )
    if chosen.numbers is None:
        raise DataError(f"weights (variable {name!r}) are no numbers: pass integers or floats")
    return [variable for variable in variables if variable is not chosen], chosen.numbers


def _check_frame(
    n_rows: int,
    variables: Sequence[EncodedVariable],
    states: Mapping[str, object],
    discretize: Mapping[str, object],
) -> None:
    names = [variable.name for variable in variables]
    if not names:
        raise DataError("the frame has no variables: pass at least one")
    check_known("states", states, names)
    check_known("discretize", discretize, names)
    for name in states:
        if name in discretize:
            raise SpecError(f"variable {name!r} is in states and in discretize: choose one")
    if n_rows == 0:
        raise DataError("the frame has no rows: pass at least one")
    for variable in variables:
        if variable.problem is not None:
            raise DataError(
                f"variable {variable.name!r} {variable.problem}, which has no states: cast it to "
                "strings, integers, booleans, dates or (to discretize it) floats, or leave it out"
            )


def check_known(option: str, wanted: Iterable[str], names: Sequence[str]) -> None:
    """Refuse names that are no variables."""
    present = set(names)
    for name in wanted:
        if name not in present:
            known = ", ".join(repr(known) for known in names[:10]) + ", ..." * (len(names) > 10)
            raise DataError(
                f"{option}: {name!r} is no variable of the table; it has {known}"
                + did_you_mean(str(name), names)
            )


def _rows_without_missing(
    n_rows: int, variables: Sequence[EncodedVariable], missing: str
) -> NDArray[np.int64] | None:
    """Return the rows to keep; None for all of them."""
    counts = {variable.name: len(variable.missing) for variable in variables}
    counts = {name: count for name, count in counts.items() if count}
    if not counts:
        return None
    empty = [name for name, count in counts.items() if count == n_rows]
    if missing == "error" or empty:
        fix = 'pass missing="drop" to drop these rows, or fill them in'
        if empty:
            fix = f"leave out {listed(empty)}, which no row has"
        raise DataError(f"values are missing ({_by_count(counts)} of {n_rows} rows): {fix}")
    present = np.ones(n_rows, np.bool_)
    for variable in variables:
        present[variable.missing] = False
    kept = np.flatnonzero(present)
    if not len(kept):
        raise DataError(
            'missing="drop" leaves no row, since every row lacks a value: leave out variables with '
            f"many missing values; by count: {_by_count(counts)}"
        )
    return kept


def _by_count(counts: Mapping[str, int]) -> str:
    shown = [f"{name!r}: {count}" for name, count in list(counts.items())[:10]]
    more = [f"and {len(counts) - 10} more variables"] if len(counts) > 10 else []
    return ", ".join(shown + more)


def _code_columns(codes: Any) -> list[NDArray[Any]]:
    is_array = hasattr(codes, "ndim")
    if is_array and codes.ndim != 2:
        raise DataError(f"codes of shape {codes.shape} are no rows x variables")
    try:
        columns = [np.asarray(column) for column in (np.asarray(codes).T if is_array else codes)]
    except (TypeError, ValueError) as error:
        raise DataError(f"codes must be an array, rows x variables, not {codes!r}") from error
    if not columns:
        raise DataError("the codes have no variables: pass at least one")
    lengths = sorted({column.shape for column in columns})
    if len(lengths) > 1 or len(lengths[0]) != 1:
        raise DataError(f"codes must be 1-D arrays of one length, not of the shapes {lengths}")
    if lengths[0][0] == 0:
        raise DataError("the codes have no rows: pass at least one")
    return columns


def _states_by_name(
    names: Sequence[str], states: Mapping[str, Sequence[Any]] | Sequence[Sequence[Any]] | None
) -> dict[str, Sequence[Any]]:
    if states is None:
        return {}
    if isinstance(states, Mapping):
        check_known("states", states, names)
        return dict(states)
    if isinstance(states, str) or not isinstance(states, Sequence):
        raise DataError(f"states must be a mapping, or one sequence a variable, not {states!r}")
    if len(states) != len(names):
        raise DataError(f"states for {len(states)} variables do not fit {len(names)} variables")
    return dict(zip(names, states, strict=True))


def _check_codes(
    name: str, column: NDArray[Any], states: tuple[State, ...] | None
) -> tuple[tuple[State, ...], Codes]:
    if column.dtype.kind not in "iu":
        raise DataError(f"the codes of {name!r} are of the type {column.dtype}: pass integers")
    low, high = int(column.min()), int(column.max())
    n_states = high + 1 if states is None else len(states)
    if low < 0 or high >= min(n_states, MAX_STATES):
        bad = low if low < 0 else high
        row = int((column == bad).argmax())
        raise DataError(
            f"variable {name!r} has the code {bad} in row {row} (counted from 0): codes go from 0 "
            f"to {min(n_states, MAX_STATES) - 1}, so correct it or declare more states"
        )
    return states or tuple(range(n_states)), in_width(column, n_states)
