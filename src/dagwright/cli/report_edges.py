"""Edges by their probability, as tables."""

from __future__ import annotations

from typing import Any

import click

from dagwright.cli.report import counted, print_rows
from dagwright.pairs import PairMatrix

__all__ = ["EDGES", "edge_rows", "print_probable"]

EDGES = ["from", "to", "probability"]
_LEAST = 0.0005


def edge_rows(edges: PairMatrix) -> list[list[Any]]:
    """Return all edges, most probable first."""
    rows = [[a, b, edges[a, b]] for a in edges.names for b in edges.names if a != b]
    return sorted(rows, key=lambda row: -row[2])


def print_probable(rows: list[list[Any]], least: float = _LEAST) -> None:
    """Print the edges that are worth a line, and say how many are not."""
    probable = [row for row in rows if row[2] >= least]
    if probable:
        click.echo()
        print_rows(EDGES, probable)
    if len(probable) < len(rows):
        click.echo(f"{counted(len(rows) - len(probable), 'edge')} of less than {least}")
