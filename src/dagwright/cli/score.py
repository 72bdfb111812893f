"""``dagwright score``."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click

from dagwright.cli.graphs import read_graph
from dagwright.cli.options import data_options, format_option, read_table, score_options
from dagwright.cli.report import csv_line, print_csv, print_json, print_rows
from dagwright.scorer import Scorer

__all__ = ["score"]

_PARTS = ("fit", "entropy", "complexity", "prior", "score")


@click.command()
@click.argument("graph", type=click.Path(readable=False))
@click.argument("data", type=click.Path(readable=False))
@score_options
@data_options
@format_option
def score(
    graph: str,
    data: str,
    score_spec: Any,
    structure_prior: Any,
    output_format: str,
    **data_settings: Any,
) -> None:
    """Score the graph GRAPH on the table DATA.

    GRAPH is a file (.json, .graphml, .bif ...), the name of a shipped network, or - for JSON from
    stdin.

    Natural log, totals over rows, higher is better. For each family:
    score = fit - entropy + complexity + prior.
    """
    graph_file = read_graph(graph)
    table = read_table(data, graphs=[graph_file], **data_settings)
    parts = Scorer(table, score_spec, structure_prior=structure_prior).decompose(graph_file.dag)
    if output_format == "json":
        print_json(
            {
                "score": score_spec.to_dict(),
                "structure_prior": structure_prior.to_dict(),
                "total": {part: parts.total(part) for part in _PARTS},
                "families": [asdict(family) for family in parts.families],
            }
        )
        return
    header = ["child", *_PARTS, "parents"]
    numbers = [
        [family.child, *(getattr(family, part) for part in _PARTS)] for family in parts.families
    ]
    if output_format == "csv":  # the parents are a line of CSV themselves
        parents = [csv_line(family.parents) for family in parts.families]
        print_csv(header, [[*row, cell] for row, cell in zip(numbers, parents, strict=True)])
        return
    parents = [", ".join(family.parents) for family in parts.families]
    rows = [[*row, cell] for row, cell in zip(numbers, parents, strict=True)]
    print_rows(header, [*rows, ["total", *(parts.total(part) for part in _PARTS), ""]])
