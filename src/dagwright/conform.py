"""Rows for a model: its variables, with its states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from dagwright._names import listed
from dagwright.discretize import Cuts
from dagwright.encode import recode
from dagwright.errors import DataError, SpecError
from dagwright.table import Table

__all__ = ["conform"]

States = Mapping[str, tuple[Any, ...]]


def conform(
    data: Any,
    states: States,
    cuts: Mapping[str, tuple[float, ...]],
    *,
    unseen: Literal["error", "extend"] = "error",
    all_variables: bool = True,
) -> Table:
    """Return the rows of a table or frame with a model's variables and states.

    Variables that the model does not have are left out; those that the rows do not have are an
    error, unless `all_variables` is False.
    """
    if unseen not in ("error", "extend"):
        raise SpecError(f'unseen must be "error" or "extend", not {unseen!r}')
    if not isinstance(data, Table):
        data = _chosen(data, states)
        names = set(_names(data))
        data = Table(
            data,
            states={name: own for name, own in states.items() if name in names - set(cuts)},
            discretize={name: Cuts(own) for name, own in cuts.items() if name in names},
            unseen=unseen,
            max_states=65536,
        )
    kept = [name for name in states if name in data.states]
    absent = [name for name in states if name not in data.states]
    if all_variables and absent:
        raise DataError(f"the rows have no variable [{listed(absent)}], but the model has")
    if not kept:
        raise DataError("the rows have none of the model's variables")
    table: Table = data.select(kept)
    if all(table.states[name] == states[name] for name in kept):
        return table
    settled = {
        name: _settled(name, table.states[name], codes, states[name], unseen)
        for name, codes in zip(kept, table.codes, strict=True)
    }
    return Table._of(
        {name: own for name, (own, _) in settled.items()},
        [codes for _, codes in settled.values()],
        table.weights,
        {name: own for name, own in cuts.items() if name in kept},
        table.n_dropped,
    )


def _settled(
    name: str, own: Sequence[Any], codes: Any, declared: tuple[Any, ...], unseen: str
) -> tuple[tuple[Any, ...], Any]:
    """Return the model's states, with new ones at the end if they may come, and codes for them."""
    known = {(type(state), state) for state in declared}
    used = np.bincount(codes, minlength=len(own)).nonzero()[0]
    new = sorted(own[code] for code in used.tolist() if (type(own[code]), own[code]) not in known)
    if new and (unseen == "error" or type(new[0]) is not type(declared[0])):
        raise DataError(
            f"variable {name!r} has the state {new[0]!r}, which is not among the model's "
            f"[{listed(map(str, declared))}]: correct the rows"
            + (', or pass unseen="extend"' if unseen == "error" else "")
        )
    states = (*declared, *new)
    code_of = {state: code for code, state in enumerate(states)}
    return states, recode(codes.copy(), [code_of.get(state, 0) for state in own], len(states))


def _names(frame: Any) -> list[str]:
    if isinstance(frame, Mapping):
        return list(frame)
    import narwhals as nw

    try:
        return list(nw.from_native(frame).columns)
    except TypeError:
        raise DataError(
            f"rows must be a Table, a frame or a mapping of names, not {type(frame).__name__}"
        ) from None


def _chosen(frame: Any, states: States) -> Any:
    """Leave out what is no variable of the model: it need not even be discrete."""
    names = [name for name in _names(frame) if name in states]
    if isinstance(frame, Mapping):
        return {name: frame[name] for name in names}
    import narwhals as nw

    return nw.from_native(frame).select(names).to_native()
