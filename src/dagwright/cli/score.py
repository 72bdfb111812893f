"""``dagwright score``."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click

from dagwright.cli.graphs import read_graph
from dagwright.cli.options import data_options, format_option, read_table, score_options
from dagwright.cli.report import print_csv, print_json, print_rows
from dagwright.scorer import Scorer

__all__ = ["score"]

_PARTS = ("fit", "entropy", "complexity", "prior", "score")


@click.command()
@click.argument("graph", type=click.Path())
@click.argument("data", type=click.Path())
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
    """Score the graph in the file GRAPH (.json, .graphml) on the table DATA.

    Natural log, totals over rows, higher is better. For each family:
    score = fit - entropy + complexity + prior.
    """
    dag, states = read_graph(graph)
    table = read_table(data, states=states, **data_settings)
    parts = Scorer(table, score_spec, structure_prior=structure_prior).decompose(dag)
    if output_format == "json":
        families = [asdict(family) for family in parts.families]
        totals = {part: parts.total(part) for part in _PARTS}
        print_json({"score": score_spec.to_dict(), "total": totals, "families": families})
        return
    rows: list[list[Any]] = [
        [family.child, *(getattr(family, part) for part in _PARTS), " ".join(family.parents)]
        for family in parts.families
    ]
    header = ["child", *_PARTS, "parents"]
    if output_format == "csv":
        print_csv(header, rows)
        return
    rows.append(["total", *(parts.total(part) for part in _PARTS), ""])
    print_rows(header, rows)
