"""``dagwright fit``."""

from __future__ import annotations

from typing import Any

import click

from dagwright.bayes_net import BayesNet
from dagwright.cli.graphs import read_graph
from dagwright.cli.models import model_writer
from dagwright.cli.options import data_options, format_option, parameters_option, read_table
from dagwright.cli.report import counted, csv_line, print_csv, print_json, print_rows
from dagwright.fit import fit as fit_graph
from dagwright.table import Table

__all__ = ["estimated_by", "fit"]


@click.command()
@click.argument("graph", type=click.Path(readable=False))
@click.argument("data", type=click.Path(readable=False))
@click.option(
    "-o",
    "--output",
    type=click.Path(readable=False),
    help="Write the model: .json (all of it), or .bif, .xdsl and other programs' formats.",
)
@parameters_option
@data_options
@format_option
def fit(
    graph: str,
    data: str,
    output: str | None,
    parameters: Any,
    output_format: str,
    **data_settings: Any,
) -> None:
    """Fit the parameters of the graph GRAPH to the table DATA.

    GRAPH is a file (.json, .graphml, .bif ...), the name of a shipped network, or - for JSON from
    stdin; DATA may be - for CSV from stdin. Variables that the graph does not have are left out.
    --format json prints the model.
    """
    write = None if output is None else model_writer(output)
    graph_file = read_graph(graph)
    table = read_table(data, graphs=[graph_file], only=graph_file.dag.nodes, **data_settings)
    if graph_file.result is None:
        model = fit_graph(graph_file.dag, table, parameters)
    else:  # it knows the prior of the score that chose the graph
        model = graph_file.result.fit(table, parameters)
    try:
        if write is not None:
            write(model)
    finally:  # what was fitted is shown even when it cannot be written
        _show(model, table, output_format)


def estimated_by(model: BayesNet) -> str:
    """Return what the parameters were estimated by, as the option is written."""
    by = model.parameters
    if by is None or isinstance(by, str):
        return str(by)
    settings = by.to_dict()
    plain = [f"{key}={value}" for key, value in settings.items() if isinstance(value, int | float)]
    return f"{by.name}{':' if plain else ''}{','.join(plain)}"


def _show(model: BayesNet, table: Table, output_format: str) -> None:
    if output_format == "json":
        print_json(model.to_dict())
        return
    header = ["child", "parameters", "configurations", "unseen"]
    numbers: list[list[Any]] = []
    for name in model.names:
        own = model.table(name)
        assert own.counts is not None
        unseen = own.n_configs - int(own.counts.any(axis=1).sum())
        numbers.append([name, own.n_parameters, own.n_configs, unseen])
    parents = [model.dag.parents(name) for name in model.names]
    if output_format == "csv":  # the parents are a line of CSV themselves
        lines = [csv_line(own) for own in parents]
        print_csv(
            [*header, "parents"], [[*row, own] for row, own in zip(numbers, lines, strict=True)]
        )
        return
    weight = "" if table.weights is None else f" of weight {table.total_weight:,g}"
    click.echo(
        f"{counted(len(model.names), 'variable')}, {counted(len(table), 'row')}{weight}: "
        f"{counted(model.n_parameters, 'free parameter')} by {estimated_by(model)}"
    )
    click.echo(f"log-likelihood {model.log_likelihood(table):,.3f} nats")
    click.echo()
    rows = [[*row, ", ".join(own)] for row, own in zip(numbers, parents, strict=True)]
    totals = [sum(row[at] for row in numbers) for at in range(1, len(header))]
    print_rows([*header, "parents"], [*rows, ["total", *totals, ""]])
