"""From an encoded variable to its states: declared, sorted or cut, and checked."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagwright.discretize import Discretizer, interval_names
from dagwright.encode import MAX_STATES, Codes, EncodedVariable, State, in_width, plain, recode
from dagwright.errors import DataError

__all__ = ["StatesOfVariable", "check_states", "settle"]

_SHOWN = 10


@dataclass(frozen=True, eq=False)
class StatesOfVariable:
    """The states of a variable, its codes (still writable), and the cuts if it was cut."""

    states: tuple[State, ...]
    codes: Codes
    cuts: tuple[float, ...] | None = None


def settle(
    variable: EncodedVariable,
    kept: NDArray[np.int64] | None,
    declared: Sequence[Any] | None,
    unseen: str,
    spec: Discretizer | None,
    max_states: int,
) -> StatesOfVariable:
    """Choose the states of one variable over the rows `kept` (None: all of them)."""
    name = variable.name
    if spec is not None:
        settled = _cut(variable, kept, spec)
    elif variable.numbers is not None:
        raise DataError(_float_message(variable))
    elif variable.too_many:
        raise DataError(_too_many_message(name, f"more than {MAX_STATES}", None))
    else:
        settled = _choose(variable, kept, declared, unseen)
    n_states = len(settled.states)
    if n_states > max_states:
        raise DataError(_too_many_message(name, str(n_states), max_states))
    return settled


def check_states(name: str, states: Iterable[Any]) -> tuple[State, ...]:
    """Return declared states as plain Python values of one type, without repetition."""
    if isinstance(states, str) or not isinstance(states, Iterable):
        raise DataError(f"the states of {name!r} must be a sequence of states, not {states!r}")
    try:
        plains = [plain(state) for state in states]
    except TypeError as error:
        raise DataError(f"the declared states of {name!r} have {error}") from error
    if any(state is None or isinstance(state, float) for state in plains):
        raise DataError(
            f"the declared states of {name!r} contain a float or a missing value: "
            "states are strings, integers, booleans, dates or datetimes"
        )
    result: tuple[Any, ...] = tuple(plains)
    if not result:
        raise DataError(f"variable {name!r} is declared without states: declare at least one")
    if len({type(state) for state in result}) > 1:
        raise DataError(f"the declared states of {name!r} mix types: {_some(result)}")
    twice = [state for state, count in Counter(result).items() if count > 1]
    if twice:
        raise DataError(f"variable {name!r} declares the state {twice[0]!r} twice: keep one")
    if len(result) > MAX_STATES:
        raise DataError(f"variable {name!r} declares more than {MAX_STATES} states")
    return result


def _choose(
    variable: EncodedVariable,
    kept: NDArray[np.int64] | None,
    declared: Sequence[Any] | None,
    unseen: str,
) -> StatesOfVariable:
    assert variable.codes is not None
    codes: Codes = variable.codes if kept is None else variable.codes[kept]
    values = variable.values
    observed: Sequence[int] = range(len(values))
    if kept is not None or (declared is not None and variable.keeps_unused):
        observed = np.bincount(codes, minlength=len(values)).nonzero()[0].tolist()
    if declared is not None:
        states = check_states(variable.name, declared)
        states += _unseen_states(variable, codes, kept, observed, states, unseen)
    elif variable.keeps_order:
        states = values
    else:
        chosen = values if variable.keeps_unused else [values[code] for code in observed]
        states = tuple(sorted(chosen))
    if states == values:
        return StatesOfVariable(states, codes)
    code_of = {state: code for code, state in enumerate(states)}
    new_code = [code_of.get(value, 0) for value in values]
    return StatesOfVariable(states, recode(codes, new_code, len(states)))


def _unseen_states(
    variable: EncodedVariable,
    codes: Codes,
    kept: NDArray[np.int64] | None,
    observed: Iterable[int],
    states: tuple[State, ...],
    unseen: str,
) -> tuple[State, ...]:
    """Return the observed values that are not declared, sorted; refuse them if so asked."""
    known = {(type(state), state) for state in states}
    values = variable.values
    new = [code for code in observed if (type(values[code]), values[code]) not in known]
    if not new:
        return ()
    if type(values[new[0]]) is not type(states[0]):
        raise DataError(
            f"variable {variable.name!r} has values of the type {type(values[new[0]]).__name__}, "
            f"but its declared states are of the type {type(states[0]).__name__}: {_some(states)}"
        )
    if unseen == "error":
        first = int(np.isin(codes, new).argmax())
        row = first if kept is None else int(kept[first])
        raise DataError(
            f"variable {variable.name!r} has {values[codes[first]]!r} in row {row} (counted from "
            f"0), which is not among its declared states {_some(states)}: correct the row, declare "
            'the state, or pass unseen="extend"'
        )
    return tuple(sorted(values[code] for code in new))


def _cut(
    variable: EncodedVariable, kept: NDArray[np.int64] | None, spec: Discretizer
) -> StatesOfVariable:
    if variable.numbers is None:
        raise DataError(
            f"variable {variable.name!r} cannot be discretized, since its values are no numbers: "
            "take it out of discretize="
        )
    numbers = variable.numbers.astype(np.float64)
    if kept is not None:
        numbers = numbers[kept]
    infinite = ~np.isfinite(numbers)
    if infinite.any():
        at = int(infinite.argmax())
        row = at if kept is None else int(kept[at])
        raise DataError(
            f"variable {variable.name!r} has {numbers[at]} in row {row} (counted from 0): only "
            "finite numbers can be discretized, so correct or remove the row"
        )
    cuts = spec.cuts(numbers)
    states = interval_names(cuts)
    codes = np.searchsorted(np.array(cuts), numbers, side="left")
    return StatesOfVariable(states, in_width(codes, len(states)), cuts)


def _float_message(variable: EncodedVariable) -> str:
    numbers = variable.numbers
    assert numbers is not None
    present = np.delete(numbers, variable.missing)
    whole = bool(np.isfinite(present).all() and (present == np.floor(present)).all())
    cast = "; all its values are whole, so casting it to integers helps as well" if whole else ""
    return (
        f"variable {variable.name!r} holds floats, which have no states: pass "
        f"discretize={{{variable.name!r}: dw.Quantiles(4)}} (or dw.EqualWidth, dw.Cuts), or leave "
        f"the variable out{cast}"
    )


def _too_many_message(name: str, n_states: str, max_states: int | None) -> str:
    more = "" if max_states is None else f", or pass max_states={n_states}"
    limit = MAX_STATES if max_states is None else f"max_states={max_states}"
    return (
        f"variable {name!r} has {n_states} states, beyond {limit}: leave the variable out, "
        f"merge its states or discretize it{more}"
    )


def _some(states: Sequence[object]) -> str:
    shown = ", ".join(repr(state) for state in states[:_SHOWN])
    return f"[{shown}{', ...' if len(states) > _SHOWN else ''}]"
