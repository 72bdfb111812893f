"""``dagwright posterior``."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import click

from dagwright.cli.learn import run_options
from dagwright.cli.options import (
    constraints_option,
    data_options,
    format_option,
    read_table,
    spec_option,
)
from dagwright.cli.report import counted, csv_line, print_csv, print_json, print_rows
from dagwright.constraints import Constraints
from dagwright.errors import SpecError
from dagwright.io.files import check_writable, write_text
from dagwright.io.json import write_json
from dagwright.posterior.exact import ExactPosterior, exact_posterior
from dagwright.posterior.forecast import forecast_exact_posterior
from dagwright.posterior.over import MEANING, Over
from dagwright.scores import BDeu, scores
from dagwright.structure_priors import Uniform, structure_priors

__all__ = ["posterior"]

_HEADER = ["from", "to", "probability"]
_WORTH_SAYING = 3.0  # seconds


@click.command()
@click.argument("data", type=click.Path(readable=False))
@click.option(
    "--exact",
    is_flag=True,
    help="Sum over all graphs: up to about 20 variables. Required: there is no other way yet.",
)
@click.option(
    "--over",
    type=click.Choice(["dags", "orders"]),
    default="dags",
    show_default=True,
    help="dags: every DAG counts once. orders: once for each order of the variables that fits it "
    "(its linear extensions), which favours DAGs with many orders, and is much faster.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(readable=False),
    help="Write the probabilities: .json or .csv.",
)
@spec_option("--score", "score_spec", scores, BDeu(1), "bdeu:ess=10")
@spec_option("--structure-prior", "structure_prior", structure_priors, Uniform(), "edges:0.5")
@constraints_option
@click.option(
    "--max-parents",
    type=int,
    metavar="N",
    help="No variable has more parents; goes before that of --constraints.",
)
@run_options
@data_options
@format_option
def posterior(
    data: str,
    exact: bool,
    over: Over,
    output: str | None,
    score_spec: Any,
    structure_prior: Any,
    constraints: Constraints,
    max_parents: int | None,
    threads: int | None,
    time_limit: float | None,
    output_format: str,
    **data_settings: Any,
) -> None:
    """Say how probable each edge is, given the table DATA (.csv, .tsv, .parquet; - is stdin).

    The score stands for the log of the marginal likelihood, which it is for bdeu, bde, k2 and
    dirichlet. A run that is stopped has no answer.
    """
    if not exact:
        raise click.UsageError("Give --exact: posteriors by sampling are not there yet.")
    if output is not None:
        _check_output(output)
    if max_parents is not None:
        constraints = Constraints.from_dict(constraints.to_dict() | {"max_parents": max_parents})
    table = read_table(data, **data_settings)
    settings: dict[str, Any] = {
        "constraints": constraints,
        "structure_prior": structure_prior,
        "over": over,
        "threads": threads,
    }
    cost = forecast_exact_posterior(table, score_spec, **settings)
    if _WORTH_SAYING < cost.seconds < math.inf:
        click.echo(f"To do: {cost}", err=True)
    found = exact_posterior(table, score_spec, time_limit=time_limit, progress=True, **settings)
    try:
        if output is not None:
            _write(found, output)
    finally:  # what was computed is shown even when it cannot be written
        _show(found, output_format)


def _check_output(path: str) -> None:
    if Path(path).suffix.lower() not in (".json", ".csv"):
        raise SpecError(f"-o {path}: the ending says the format; known are .json, .csv")
    check_writable(path)


def _write(found: ExactPosterior, path: str) -> None:
    if Path(path).suffix.lower() == ".json":
        write_json(found.to_dict(), path)
    else:
        write_text("".join(csv_line(row) + "\n" for row in [_HEADER, *_edges(found)]), path)


def _edges(found: ExactPosterior) -> list[list[Any]]:
    """Return all edges, most probable first."""
    edges = found.to_dict()["edges"]
    rows = [[edge["from"], edge["to"], edge["probability"]] for edge in edges]
    return sorted(rows, key=lambda row: -row[2])


def _show(found: ExactPosterior, output_format: str) -> None:
    if output_format == "json":
        print_json(found.to_dict())
        return
    rows = _edges(found)
    if output_format == "csv":
        print_csv(_HEADER, rows)
        return
    info = found.info
    weight = "" if info.total_weight == info.n_rows else f" of weight {info.total_weight:,g}"
    click.echo(
        f"{counted(len(found.names), 'variable')}, {counted(info.n_rows, 'row')}{weight}: "
        f"ln p(data) {found.log_marginal:,.3f} by {info.score['name']}"
    )
    click.echo(
        f"exact, over {found.over}: {counted(info.n_families, 'family', 'families')}, "
        f"{info.seconds:.3f} s"
    )
    click.echo(f"Weights: {MEANING[found.over]}")
    probable = [row for row in rows if row[2] >= 0.0005]
    if probable:
        click.echo()
        print_rows(_HEADER, probable)
    if len(probable) < len(rows):
        click.echo(f"{counted(len(rows) - len(probable), 'edge')} of less than 0.0005")
