"""``dagwright update``."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import click

from dagwright.cli.fit import estimated_by
from dagwright.cli.graphs import graph_of
from dagwright.cli.models import model_writer, read_model
from dagwright.cli.options import data_options, read_table
from dagwright.cli.report import counted
from dagwright.errors import DataError
from dagwright.io.json import is_json

__all__ = ["update"]


@click.command()
@click.argument("model", type=click.Path(readable=False))
@click.argument("data", type=click.Path(readable=False))
@click.option(
    "-o", "--output", type=click.Path(readable=False), help="Write the new model: .json, .bif ..."
)
@click.option("--in-place", is_flag=True, help="Write the new model over the old one, a .json.")
@click.option("--forget", is_flag=True, help="Take the rows away instead of adding them.")
@click.option(
    "--unseen",
    type=click.Choice(["error", "extend"]),
    default="error",
    show_default=True,
    help="What to do with states that the model does not know.",
)
@data_options
def update(
    model: str,
    data: str,
    output: str | None,
    in_place: bool,
    forget: bool,
    unseen: Literal["error", "extend"],
    **data_settings: Any,
) -> None:
    """Add the rows of the table DATA to the fitted model MODEL: what fitting to all would give.

    MODEL is a .json that dagwright fit wrote, or - for JSON from stdin; DATA may be - for CSV from
    stdin.
    """
    if in_place == (output is not None):
        raise click.UsageError("say where to write the new model: either -o or --in-place")
    if forget and unseen == "extend":
        raise click.UsageError("--forget adds no states: leave out --unseen extend")
    if in_place and not (is_json(model) and Path(model).is_file()):
        raise click.UsageError(f"--in-place needs a .json as MODEL, not {model}: use -o")
    write = model_writer(model if output is None else output)
    net = read_model(model)
    if not net.is_fitted:
        raise DataError(
            f"{model} was not fitted: it has probabilities, but no counts that rows could change. "
            f"Fit its graph to rows: dagwright fit {model} rows.csv -o model.json"
        )
    table = read_table(data, graphs=[graph_of(net)], only=net.names, unseen=unseen, **data_settings)
    changed = net.forget(table) if forget else net.update(table, unseen=unseen)
    write(changed)
    click.echo(
        f"{counted(len(table), 'row')} {'taken away' if forget else 'added'}: "
        f"{changed.total_weight:,g} in all, "
        f"{counted(changed.n_parameters, 'free parameter')} by {estimated_by(changed)}"
    )
