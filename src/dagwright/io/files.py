"""Writing files: whole or not at all."""

from __future__ import annotations

import os
from contextlib import suppress
from os import PathLike
from pathlib import Path

from dagwright.errors import DataError

__all__ = ["check_writable", "write_text"]


def check_writable(path: str | PathLike[str]) -> None:
    """Refuse a path that cannot be written, before a long run rather than after it."""
    target = Path(path)
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
