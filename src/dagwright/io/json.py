"""Our own file format: JSON, versioned, lossless. The schema is in ``docs/schema.md``."""

from __future__ import annotations

import datetime
import json
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from dagwright.errors import DataError

__all__ = ["check_header", "json_text", "read_json", "state_from_json", "state_to_json", "write_json", "write_text"]

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
    """Return JSON with one line for each key, and one for each item of a list of objects.

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
        if not isinstance(value, list | tuple) or not value:
            return line(value)
        return "[\n" + ",\n".join(f"  {line(item)}" for item in value) + "\n ]"

    try:
        lines = [f" {line(key)}: {block(value)}" for key, value in values.items()]
    except ValueError as error:
        raise DataError(f"JSON has no infinity and no NaN: {error}") from error
    return "{\n" + ",\n".join(lines) + "\n}"


def write_json(values: Mapping[str, Any], path: str | PathLike[str]) -> None:
    """Write a file of JSON."""
    write_text(json_text(values) + "\n", path)


def write_text(text: str, path: str | PathLike[str]) -> None:
    """Write a file of UTF-8; an old one is replaced only once the new one is complete."""
    target = Path(path)
    if target.exists() and not target.is_file():  # such as /dev/stdout; or a directory
        partial = target
    else:
        partial = target.with_name(target.name + ".part")
    try:
        partial.write_text(text, encoding="utf-8")
        partial.replace(target)
    except OSError as error:
        if partial != target:
            partial.unlink(missing_ok=True)
        raise DataError(f"cannot write {target}: {error.strerror}") from error
    except UnicodeEncodeError as error:
        partial.unlink(missing_ok=True)
        raise DataError(f"cannot write {target}: a name is no text that UTF-8 has") from error


def read_json(path: str | PathLike[str]) -> Any:
    """Read a file."""
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path} is not JSON: {error}") from error


def state_to_json(state: Any) -> Any:
    """Return a state as JSON: text, whole numbers and truth values as they are, dates tagged."""
    if isinstance(state, datetime.datetime):
        return {"datetime": state.isoformat()}
    if isinstance(state, datetime.date):
        return {"date": state.isoformat()}
    return state


def state_from_json(state: Any) -> Any:
    """Return the state that ``state_to_json`` wrote."""
    match state:
        case {"datetime": str(text)}:
            return datetime.datetime.fromisoformat(text)
        case {"date": str(text)}:
            return datetime.date.fromisoformat(text)
        case str() | int() | bool():
            return state
    raise DataError(f"{state!r} is not a state: text, whole number, true, false, date or datetime")
