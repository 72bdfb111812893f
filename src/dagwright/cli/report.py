"""How results are printed: a table for people, JSON and CSV for programs."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from typing import Any

import click

__all__ = ["print_csv", "print_json", "print_rows"]


def print_rows(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Print an aligned table, plain text; numbers to the right."""
    cells = [[_text(cell) for cell in row] for row in rows]
    numeric = [
        all(isinstance(row[i], int | float) for row in rows) if isinstance(rows, list) else False
        for i in range(len(header))
    ]
    widths = [max(len(row[i]) for row in [list(header), *cells]) for i in range(len(header))]
    for row in [list(header), *cells]:
        line = "  ".join(
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(row, widths, numeric, strict=True)
        )
        click.echo(line.rstrip())


def print_csv(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Print comma separated values with a header."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    click.echo(buffer.getvalue(), nl=False)


def print_json(values: Any) -> None:
    """Print JSON; numbers that JSON does not have (infinities) become null."""
    click.echo(json.dumps(values, indent=1, ensure_ascii=False))


def _text(cell: Any) -> str:
    return f"{cell:,.3f}" if isinstance(cell, float) else str(cell)
