"""How results are printed: a table for people, JSON and CSV for programs."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import click

from dagwright.io.json import json_text

__all__ = ["counted", "csv_line", "one_line", "print_csv", "print_json", "print_rows"]


def print_rows(header: Sequence[str], rows: Sequence[Sequence[Any]], digits: int = 3) -> None:
    """Print an aligned table, plain text; numbers to the right."""
    from rich.cells import cell_len  # some characters are two cells wide

    lines = [list(header), *([_text(cell, digits) for cell in row] for row in rows)]
    widths = [max(map(cell_len, column)) for column in zip(*lines, strict=True)]
    right = [
        all(isinstance(cell, int | float) for cell in column) for column in zip(*rows, strict=True)
    ] or [False] * len(header)
    for line in lines:
        cells = []
        for cell, width, to_right in zip(line, widths, right, strict=True):
            space = " " * (width - cell_len(cell))
            cells.append(space + cell if to_right else cell + space)
        click.echo("  ".join(cells).rstrip())


def print_csv(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Print comma separated values with a header."""
    for row in (header, *rows):
        click.echo(csv_line(row), color=True)  # an escape sequence in a name stays


def csv_line(cells: Sequence[Any]) -> str:
    """Return one line of CSV."""
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerow(cells)
    return buffer.getvalue().removesuffix("\n")


def print_json(values: Mapping[str, Any]) -> None:
    """Print JSON."""
    click.echo(json_text(values))


def counted(count: int, noun: str, plural: str | None = None) -> str:
    """Return "1 edge", "2 edges"."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def one_line(text: str) -> str:
    """Return a text without line breaks and escape sequences, which a name may have."""
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in text
    )


def _text(cell: Any, digits: int) -> str:
    return f"{cell:z,.{digits}f}" if isinstance(cell, float) else one_line(str(cell))
