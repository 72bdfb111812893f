"""Writing files: whole or not at all."""

from __future__ import annotations

import os
from contextlib import suppress
from os import PathLike
from pathlib import Path

from dagwright.errors import DataError

__all__ = ["check_n_variables", "check_path", "check_writable", "read_text", "write_text"]


def check_path(path: object) -> Path:
    """Return the path if it can be one."""
    if not isinstance(path, str | PathLike):
        raise DataError(f"the path of a file is needed, not {path!r} of type {type(path).__name__}")
    if "\0" in str(path):
        raise DataError(f"{str(path)!r} is no path: it has a NUL character")
    try:
        Path(path).is_dir()
    except OSError as error:
        raise DataError(f"{str(path)[:100]}...: {error.strerror}") from None
    return Path(path)


def check_n_variables(subject: str, n_variables: int, max_variables: int) -> None:
    """Refuse a file of more variables."""
    if n_variables > max_variables:
        raise DataError(
            f"{subject}: there are {n_variables} variables, more than max_variables="
            f"{max_variables}: write those that you need to a file of their own, or pass "
            f"max_variables={n_variables}"
        )


def read_text(path: str | PathLike[str]) -> str:
    """Read a file of UTF-8."""
    file = check_path(path)
    try:
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise DataError(f"{path} is not text in UTF-8: {error}") from error


def check_writable(path: str | PathLike[str]) -> None:
    """Refuse a path that cannot be written, before a long run rather than after it."""
    target = check_path(path)
    if target.is_dir():
        raise DataError(f"cannot write {target}: it is a directory; give a file")
    if not target.parent.is_dir():
        raise DataError(f"cannot write {target}: there is no directory {target.parent}; make it")
    if not os.access(target if target.exists() else target.parent, os.W_OK):
        raise DataError(f"cannot write {target}: permission denied; choose another place")


def write_text(text: str, path: str | PathLike[str]) -> None:
    """Write a file of UTF-8; an old one is replaced only once the new one is complete."""
    check_writable(path)
    target = Path(path).resolve()
    in_place = target.exists() and not target.is_file()  # a device or a pipe
    written = target if in_place else target.with_name(target.name + ".part")
    try:
        written.write_text(text, encoding="utf-8")
        if not in_place:
            written.replace(target)
    except (OSError, UnicodeEncodeError) as error:
        if not in_place:
            with suppress(OSError):
                written.unlink()
        reason = error.strerror if isinstance(error, OSError) else "a name has half a character"
        raise DataError(f"cannot write {path}: {reason}") from error
