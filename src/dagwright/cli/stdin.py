"""What is piped in: read once, kept in a file while it is needed."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryDirectory

import click

from dagwright.errors import DagwrightError, DataError

__all__ = ["STDIN", "spooled_stdin"]

STDIN = "-"
_READ = "dagwright.stdin"


@contextmanager
def spooled_stdin(ending: str) -> Iterator[str]:
    """Write stdin to a file with this ending, which is removed afterwards; errors name stdin.

    The readers go through a file more than once, a pipe can be read only once.
    """
    context = click.get_current_context()
    if context.meta.get(_READ):
        raise click.UsageError("stdin can be read only once: give - for one argument")
    context.meta[_READ] = True
    with TemporaryDirectory(prefix="dagwright-") as folder:
        path = Path(folder) / f"stdin{ending}"
        with path.open("wb") as file:
            if sys.stdin is not None:
                copyfileobj(sys.stdin.buffer, file)
        if not path.stat().st_size:
            raise DataError("stdin is empty: pipe something into it, or give a file instead of -")
        try:
            yield str(path)
        except DagwrightError as error:
            raise type(error)(str(error).replace(str(path), "stdin")) from error
