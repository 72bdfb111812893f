"""Rows to CSV and Parquet: a million of them in seconds."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from dagwright.cli.options import load_reader
from dagwright.errors import DataError, SpecError
from dagwright.io.duck import duck_connection
from dagwright.io.files import check_writable
from dagwright.io.sql import identifier

__all__ = ["Values", "row_writer", "rows_option"]

_NO_BYTE = 0xFF  # no text in UTF-8 has it
_BLOCK_BYTES = 1 << 24

rows_option = click.option(
    "-o",
    "--output",
    type=click.Path(readable=False),
    help="Write the rows to a file, .csv or .parquet, not to stdout.",
)


@dataclass(frozen=True, eq=False)
class Values:
    """What the rows have of one variable: codes of states, -1 if missing; or numbers."""

    array: NDArray[Any]
    states: Sequence[Any] | None = None

    def coded(self) -> tuple[list[str], NDArray[Any]]:
        """Return texts, and for each row the place of its own."""
        if self.states is not None:
            texts = [_field(str(state)) for state in self.states]
            return [*texts, ""], self.array  # -1 is the last one
        distinct, place = np.unique(self.array, return_inverse=True)
        return ["" if np.isnan(x) else repr(x) for x in distinct.tolist()], place


def row_writer(path: str | None) -> Callable[[Mapping[str, Values]], None]:
    """Return what writes rows to the path, or as CSV to stdout; refuse the path before the run."""
    if path is None:
        return _print_csv
    ending = Path(path).suffix.lower()
    if ending not in _WRITERS:
        raise SpecError(f"-o {path}: the ending says the format; known are {', '.join(_WRITERS)}")
    check_writable(path)

    def write(rows: Mapping[str, Values]) -> None:
        with _replacing(Path(path)) as file:
            _WRITERS[ending](rows, file)

    return write


def _print_csv(rows: Mapping[str, Values]) -> None:
    sys.stdout.flush()
    sys.stdout.buffer.writelines(_csv(rows))  # in UTF-8, as `read` takes it, on any terminal
    sys.stdout.buffer.flush()


def _write_csv(rows: Mapping[str, Values], file: Path) -> None:
    with file.open("wb") as out:
        out.writelines(_csv(rows))


def _csv(rows: Mapping[str, Values]) -> Iterator[bytes]:
    """Make blocks of CSV: fields of fixed width side by side, then without what fills them up."""
    yield (",".join(map(_field, rows)) + "\n").encode(errors="backslashreplace")
    fields = []
    for at, values in enumerate(rows.values(), start=1):
        texts, codes = values.coded()
        fields.append((_padded(texts, b"," if at < len(rows) else b"\n"), codes))
    width = sum(table.shape[1] for table, _ in fields)
    n_rows = len(fields[0][1])
    step = max(1, _BLOCK_BYTES // width)
    for start in range(0, n_rows, step):
        block = np.empty((min(step, n_rows - start), width), dtype=np.uint8)
        at = 0
        for table, codes in fields:
            block[:, at : at + table.shape[1]] = table[codes[start : start + step]]
            at += table.shape[1]
        yield block[block != _NO_BYTE].tobytes()


def _field(text: str) -> str:
    # The csv module leaves a lone carriage return without quotes, which readers take for a line.
    if text and not any(character in text for character in ',"\r\n'):
        return text
    return '"' + text.replace('"', '""') + '"'


def _padded(texts: Sequence[str], end: bytes) -> NDArray[np.uint8]:
    fields = [text.encode(errors="backslashreplace") + end for text in texts]
    table = np.full((len(fields), max(map(len, fields))), _NO_BYTE, dtype=np.uint8)
    for row, field in zip(table, fields, strict=True):
        row[: len(field)] = np.frombuffer(field, dtype=np.uint8)
    return table


def _write_parquet(rows: Mapping[str, Values], file: Path) -> None:
    load_reader()
    import duckdb

    chosen, lists = [], []
    for at, (name, values) in enumerate(rows.items()):
        value = f"v{at}"
        if values.states is not None:
            lists.append(list(values.states))
            value = f"(${len(lists)})[v{at}::INTEGER + 1]"  # counted from 1; 0 is missing
        chosen.append(f"{value} AS {identifier(name)}")
    with duck_connection() as connection:
        try:
            connection.register(
                "rows", {f"v{at}": own.array for at, own in enumerate(rows.values())}
            )
            query = f"SELECT {', '.join(chosen)} FROM rows"
            connection.sql(query, params=lists).write_parquet(str(file))
        except duckdb.Error as error:
            raise DataError(f"cannot write Parquet: {error}") from error


_WRITERS: dict[str, Callable[[Mapping[str, Values], Path], None]] = {
    ".csv": _write_csv,
    ".parquet": _write_parquet,
}


@contextmanager
def _replacing(path: Path) -> Iterator[Path]:
    """Give a file beside the old one, which is replaced only once the new one is complete."""
    target = path.resolve()
    if target.exists() and not target.is_file():  # a device or a pipe
        yield target
        return
    part = target.with_name(target.name + ".part")
    try:
        yield part
        part.replace(target)
    except BaseException as error:
        with suppress(OSError):
            part.unlink()
        if isinstance(error, OSError):
            raise DataError(f"cannot write {path}: {error.strerror}") from error
        raise
