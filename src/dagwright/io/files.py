"""Reading files up to a bound, and writing them whole or not at all."""

from __future__ import annotations

import gzip
import os
import zlib
from contextlib import suppress
from os import PathLike
from pathlib import Path
from typing import IO

from dagwright.errors import DataError

__all__ = [
    "check_n_variables",
    "check_path",
    "check_writable",
    "read_bytes",
    "read_text",
    "write_text",
]

MAX_BYTES = 1_000_000_000


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


def read_bytes(path: str | PathLike[str]) -> bytes:
    """Read a file, unzipped if it ends in .gz; one of more than 1 GB is refused."""
    file = check_path(path)
    chunks = []
    n_bytes = 0
    try:
        with _opened(file) as source:
            while chunk := source.read(1 << 20):
                n_bytes += len(chunk)
                if n_bytes > MAX_BYTES:  # a few bytes can unzip to any number
                    raise DataError(f"{path} has more than {MAX_BYTES:,} bytes, the most to read")
                chunks.append(chunk)
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror or error}") from error
    except (EOFError, zlib.error) as error:
        raise DataError(f"cannot read {path}: {error}") from error
    return b"".join(chunks)


def _opened(file: Path) -> IO[bytes]:
    if file.suffix.lower() == ".gz":
        return gzip.open(file, "rb")  # type: ignore[return-value]
    return file.open("rb")


def read_text(path: str | PathLike[str]) -> str:
    """Read a file of UTF-8."""
    data = read_bytes(path)
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise DataError(f"{path} is not text in UTF-8: {error}") from error
    return text.replace("\r\n", "\n").replace("\r", "\n")


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
    """Write a file of UTF-8, zipped if it ends in .gz.

    An old file is replaced only once the new one is complete.
    """
    check_writable(path)
    target = Path(path).resolve()
    in_place = target.exists() and not target.is_file()  # a device or a pipe
    written = target if in_place else target.with_name(target.name + ".part")
    try:
        data = text.encode()
        if Path(path).suffix.lower() == ".gz":
            data = gzip.compress(data, mtime=0)  # the same text makes the same file
        written.write_bytes(data)
        if not in_place:
            written.replace(target)
    except (OSError, UnicodeEncodeError) as error:
        if not in_place:
            with suppress(OSError):
                written.unlink()
        reason = error.strerror if isinstance(error, OSError) else "a name has half a character"
        raise DataError(f"cannot write {path}: {reason}") from error
