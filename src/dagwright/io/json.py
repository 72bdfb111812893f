"""Our own file format: JSON, versioned, lossless. The schema is in ``docs/schema.md``."""

from __future__ import annotations

import datetime
import json
from collections.abc import Mapping
from dataclasses import asdict
from os import PathLike
from pathlib import Path
from typing import Any

from dagwright.errors import DataError
from dagwright.graph import Dag
from dagwright.result import Result, RunInfo
from dagwright.search.base import Step

__all__ = ["load", "result_from_dict", "result_to_dict", "save"]

FORMAT = "dagwright"
VERSION = 1


def result_to_dict(result: Result) -> dict[str, Any]:
    """Return a result as plain JSON values."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "kind": "graph",
        "variables": [
            {"name": name, "states": [_state_to_json(state) for state in result.states[name]]}
            for name in result.dag.nodes
        ],
        "edges": [list(edge) for edge in result.dag.edges],
        "score": result.score,
        "reason": result.reason,
        "trace": [asdict(step) for step in result.trace],
        "info": asdict(result.info),
    }


def result_from_dict(values: Mapping[str, Any]) -> Result:
    """Make a result from plain JSON values."""
    if not isinstance(values, Mapping) or values.get("format") != FORMAT:
        raise DataError('not a dagwright file: "format": "dagwright" is missing')
    if values.get("version") != VERSION:
        raise DataError(
            f"the file has version {values.get('version')!r} of the format, this dagwright reads "
            f"version {VERSION}: install the dagwright that wrote it, or a newer one"
        )
    if values.get("kind") != "graph":
        raise DataError(f"the file is of kind {values.get('kind')!r}, not a graph")
    try:
        states = {
            variable["name"]: tuple(_state_from_json(state) for state in variable["states"])
            for variable in values["variables"]
        }
        return Result(
            dag=Dag([tuple(edge) for edge in values["edges"]], nodes=list(states)),
            score=float(values["score"]),
            reason=values["reason"],
            trace=tuple(Step(**step) for step in values["trace"]),
            states=states,
            info=RunInfo(**values["info"]),
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise DataError(f"the file does not follow the schema of a graph: {error!r}") from error


def save(result: Result, path: str | PathLike[str]) -> None:
    """Write a result to a file; an old file is replaced only once the new one is complete."""
    target = Path(path)
    text = json.dumps(result_to_dict(result), indent=1, ensure_ascii=False, allow_nan=False)
    partial = target.with_name(target.name + ".part")
    try:
        partial.write_text(text + "\n", encoding="utf-8")
        partial.replace(target)
    except OSError as error:
        raise DataError(f"cannot write {target}: {error.strerror}") from error


def load(path: str | PathLike[str]) -> Result:
    """Read a result from a file."""
    try:
        values = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror}") from error
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise DataError(f"{path} is not JSON: {error}") from error
    try:
        return result_from_dict(values)
    except DataError as error:
        raise DataError(f"{path}: {error}") from error


def _state_to_json(state: Any) -> Any:
    # bool before int: True is an int. JSON keeps str, int and bool apart by itself.
    if isinstance(state, datetime.datetime):
        return {"datetime": state.isoformat()}
    if isinstance(state, datetime.date):
        return {"date": state.isoformat()}
    return state


def _state_from_json(state: Any) -> Any:
    match state:
        case {"datetime": str(text)}:
            return datetime.datetime.fromisoformat(text)
        case {"date": str(text)}:
            return datetime.date.fromisoformat(text)
        case str() | int() | bool():
            return state
    raise DataError(f"{state!r} is not a state: text, whole number, true, false, date or datetime")
