"""``dagwright compare``."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click

from dagwright.cli.graphs import read_graph
from dagwright.cli.options import data_options, format_option, read_table, score_options
from dagwright.cli.report import print_csv, print_json, print_rows
from dagwright.compare import compare as compare_graphs
from dagwright.scorer import Scorer

__all__ = ["compare"]

_EDGES = ("missing", "extra", "reversed")


@click.command()
@click.argument("truth", type=click.Path(readable=False))
@click.argument("learned", type=click.Path(readable=False))
@click.option("--data", type=click.Path(readable=False), help="A table to score both graphs on.")
@score_options
@data_options
@format_option
def compare(
    truth: str,
    learned: str,
    data: str | None,
    score_spec: Any,
    structure_prior: Any,
    output_format: str,
    **data_settings: Any,
) -> None:
    """Compare the graphs TRUTH and LEARNED.

    Each is a file (.json, .graphml, .bif ...), the name of a shipped network, or - for JSON from
    stdin.

    The SHD is between equivalence classes; a reversal counts 1. With --data also the difference
    of their scores, LEARNED minus TRUTH: above 0 the data prefer LEARNED.
    """
    graphs = [read_graph(truth), read_graph(learned)]
    true_dag, learned_dag = (graph.dag for graph in graphs)
    measures = asdict(compare_graphs(true_dag, learned_dag))
    if data is not None:
        table = read_table(data, graphs=graphs, **data_settings)
        scorer = Scorer(table, score_spec, structure_prior=structure_prior)
        measures["truth_score"] = scorer.score(true_dag)
        measures["learned_score"] = scorer.score(learned_dag)
        measures["score_difference"] = measures["learned_score"] - measures["truth_score"]
    if output_format == "json":
        print_json(measures)
        return
    edges = {name: measures[name] for name in _EDGES}
    numbers = measures | {name: len(group) for name, group in edges.items()}
    rows = [[name, number] for name, number in numbers.items()]
    if output_format == "csv":
        print_csv(["measure", "result"], rows)
        return
    print_rows(["measure", "result"], [[name.replace("_", " "), value] for name, value in rows])
    differing = [[name, *edge] for name, group in edges.items() for edge in group]
    if differing:
        click.echo()
        print_rows(["edge", "from", "to"], differing)
