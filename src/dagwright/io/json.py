"""Our own file format: JSON, versioned, lossless. The schema is in ``docs/schema.md``."""

from __future__ import annotations

import datetime
import json
from collections.abc import Mapping
from os import PathLike
from typing import Any

from dagwright.errors import DataError
from dagwright.io.files import check_path, read_text, write_text

__all__ = [
    "check_header",
    "is_json",
    "json_text",
    "read_json",
    "state_from_json",
    "state_to_json",
    "write_json",
]

FORMAT = "dagwright"
VERSION = 1


def check_header(values: object, kind: str) -> None:
    """Refuse what is not our format, or of another version or kind."""
    if not isinstance(values, Mapping) or values.get("format") != FORMAT:
        raise DataError('not a dagwright file: "format": "dagwright" is missing')
    if values.get("version") != VERSION:
        raise DataError(
            f"the file has version {values.get('version')!r} of the format, this dagwright reads "
            f"version {VERSION}: use the dagwright that wrote it, or a newer one"
        )
    if values.get("kind") != kind:
        raise DataError(f"the file is of kind {values.get('kind')!r}, but {kind!r} is needed")


def json_text(values: Mapping[str, Any]) -> str:
    """Return JSON with a line for each key, and for each item of what a key has.

    Examples
    --------
    >>> print(json_text({"score": -1.5, "edges": [["a", "b"], ["b", "c"]]}))
    {
     "score": -1.5,
     "edges": [
      ["a", "b"],
      ["b", "c"]
     ]
    }
    """

    def line(value: object) -> str:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)

    def block(value: object) -> str:
        if isinstance(value, Mapping) and value:
            lines = [f"  {line(key)}: {line(item)}" for key, item in value.items()]
            return "{\n" + ",\n".join(lines) + "\n }"
        if isinstance(value, list | tuple) and value:
            return "[\n" + ",\n".join(f"  {line(item)}" for item in value) + "\n ]"
        return line(value)

    try:
        lines = [f" {line(key)}: {block(value)}" for key, value in values.items()]
    except ValueError as error:
        raise DataError(f"JSON has no infinity and no NaN: {error}") from error
    return "{\n" + ",\n".join(lines) + "\n}"


def is_json(path: str | PathLike[str]) -> bool:
    """Say whether the ending is that of JSON, packed or not."""
    name = check_path(path).name.lower()
    return name.endswith((".json", ".json.gz"))


def write_json(values: Mapping[str, Any], path: str | PathLike[str]) -> None:
    """Write a file of JSON."""
    write_text(json_text(values) + "\n", path)


def read_json(path: str | PathLike[str]) -> Any:
    """Read a file."""
    text = read_text(path)
    try:
        return json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path} is not JSON: {error}") from error


def _refuse(constant: str) -> None:
    raise ValueError(f"it has {constant}")


def state_to_json(state: Any) -> Any:
    """Return a state as JSON: text, whole numbers and truth values as they are, dates tagged."""
    if isinstance(state, datetime.datetime):
        return {"datetime": state.isoformat()}
    if isinstance(state, datetime.date):
        return {"date": state.isoformat()}
    return state


def state_from_json(state: Any) -> Any:
    """Return the state that ``state_to_json`` wrote."""
    try:
        match state:
            case {"datetime": str(text)}:
                return datetime.datetime.fromisoformat(text)
            case {"date": str(text)}:
                return datetime.date.fromisoformat(text)
            case str() | int() | bool():
                return state
    except ValueError:
        pass
    raise DataError(f"{state!r} is not a state: text, whole number, true, false, date or datetime")
