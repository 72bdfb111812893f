"""``dagwright learn``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from dagwright.cli.options import (
    SpecType,
    constraints_option,
    data_options,
    format_option,
    read_table,
    score_options,
)
from dagwright.cli.report import print_csv, print_json, print_rows
from dagwright.constraints import Constraints
from dagwright.errors import Interrupted
from dagwright.learn import learn as learn_graph
from dagwright.result import Result
from dagwright.scorer import Scorer
from dagwright.search import HillClimb, searches

__all__ = ["learn", "show_result"]


@click.command()
@click.argument("data", type=click.Path())
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False),
    help="Write the graph: .json (all of it), .graphml or .dot (the graph alone).",
)
@score_options
@click.option(
    "--search",
    "search_spec",
    type=SpecType(searches),
    default=HillClimb(),
    help=f"One of {', '.join(spec.name for spec in searches)}; settings as in "
    "hill-climb:start=complete,step=first.  [default: hill-climb]",
)
@constraints_option
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@click.option("--threads", type=click.IntRange(min=1), help="[default: all cores]")
@click.option("--time-limit", type=click.FloatRange(min=0), help="Seconds.")
@data_options
@format_option
def learn(
    data: str,
    output: str | None,
    score_spec: Any,
    structure_prior: Any,
    search_spec: Any,
    constraints: Constraints,
    seed: int,
    threads: int | None,
    time_limit: float | None,
    output_format: str,
    **data_settings: Any,
) -> None:
    """Learn a graph from the table DATA (.csv, .tsv, .parquet)."""
    if output is not None and Path(output).suffix not in _WRITERS:
        raise click.UsageError(
            f"-o {output}: the ending says the format; known are {', '.join(_WRITERS)}"
        )
    table = read_table(data, **data_settings)
    scorer = Scorer(table, score_spec, structure_prior=structure_prior)
    interrupted = False
    try:
        result = learn_graph(
            scorer,
            search=search_spec,
            constraints=constraints,
            seed=seed,
            threads=threads,
            time_limit=time_limit,
            progress=True,
        )
    except Interrupted as error:
        result, interrupted = error.result, True
        click.echo("Interrupted: this is the best so far.", err=True)
    if output is not None:
        _WRITERS[Path(output).suffix](result, output)
    show_result(result, scorer, output_format)
    if interrupted:
        raise click.Abort


def show_result(result: Result, scorer: Scorer, output_format: str) -> None:
    """Print a result: its edges, and what each is worth."""
    if output_format == "json":
        print_json(result.to_dict())
        return
    dag = result.dag
    worth = {
        (parent, child): -loss
        for child in dag.nodes
        for parent, loss in scorer.gains(child, dag.parents(child), dag.parents(child)).items()
    }
    rows: list[list[Any]] = [[start, end, worth[start, end]] for start, end in dag.edges]
    rows.sort(key=lambda row: -row[2])
    if output_format == "csv":
        print_csv(["from", "to", "gain"], rows)
        return
    info = result.info
    click.echo(
        f"{len(dag.nodes)} variables, {info.n_rows:,} rows: {len(dag.edges)} edges, "
        f"{info.score['name']} {result.score:,.3f}"
    )
    click.echo(
        f"{info.search['name']}: {result.reason} after {len(result.trace)} steps, "
        f"{info.families_scored:,} families, {info.seconds:.3g} s"
    )
    if rows:
        click.echo()
        print_rows(["from", "to", "gain (nats)"], rows)


def _write_graphml(result: Result, path: str) -> None:
    result.dag.to_graphml(path)


def _write_dot(result: Result, path: str) -> None:
    Path(path).write_text(result.dag.to_dot(), encoding="utf-8")


_WRITERS = {".json": Result.save, ".graphml": _write_graphml, ".dot": _write_dot}
