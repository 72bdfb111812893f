"""One DuckDB for all files: opening one takes longer than reading many a file."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["duck_connection"]

_SETTINGS = {
    "enable_external_file_cache": "false",
    "enable_object_cache": "false",
    "produce_arrow_string_view": "true",  # texts are handed on without being copied
}
_lock = threading.Lock()
_opened: list[Any] = []


@contextmanager
def duck_connection() -> Iterator[Any]:
    """Give a connection to the one DuckDB of this process, and close it afterwards.

    It keeps no file in memory: each file is read once.
    """
    import duckdb

    with _lock:
        if not _opened:
            database = duckdb.connect()
            _opened.append(database)
            for setting, value in _SETTINGS.items():
                try:
                    database.execute(f"SET {setting} = {value}")
                except duckdb.Error:  # other versions have other settings
                    continue
        connection = _opened[0].cursor()
    try:
        yield connection
    finally:
        connection.close()


def _close() -> None:
    """Close DuckDB before the process is forked.

    A child that was born with one open, but without its threads, crashes when it ends. The lock is
    held until the fork is done, so that nobody opens it again in between.
    """
    _lock.acquire()
    while _opened:
        _opened.pop().close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_close, after_in_parent=_lock.release, after_in_child=_lock.release)
