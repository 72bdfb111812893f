"""Edges by their probability, as tables."""

from __future__ import annotations

from typing import Any

import click

from dagwright.cli.report import counted, csv_line, print_csv, print_rows
from dagwright.io.files import write_text
from dagwright.pairs import PairMatrix

__all__ = ["print_edges", "print_probable", "write_edges"]

_HEADER = ["from", "to", "probability"]
_LEAST = 0.0005


def write_edges(edges: PairMatrix, path: str) -> None:
    """Write all edges as CSV, most probable first."""
    write_text("".join(csv_line(row) + "\n" for row in [_HEADER, *_rows(edges)]), path)


def print_edges(edges: PairMatrix) -> None:
    """Print all edges as CSV, most probable first."""
    print_csv(_HEADER, _rows(edges))


def _rows(edges: PairMatrix) -> list[list[Any]]:
    rows = [[a, b, edges[a, b]] for a in edges.names for b in edges.names if a != b]
    return sorted(rows, key=lambda row: -row[2])


def print_probable(edges: PairMatrix, least: float = _LEAST) -> None:
    """Print the edges that are worth a line, and say how many are not."""
    rows = _rows(edges)
    probable = [row for row in rows if row[2] >= least]
    if probable:
        click.echo()
        print_rows(_HEADER, probable)
    if len(probable) < len(rows):
        click.echo(f"{counted(len(rows) - len(probable), 'edge')} of less than {least}")
