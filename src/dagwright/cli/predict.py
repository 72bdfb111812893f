"""``dagwright predict``."""

from __future__ import annotations

from typing import Any

import click
import numpy as np

from dagwright.cli.graphs import graph_of
from dagwright.cli.models import read_model
from dagwright.cli.options import data_options, read_table
from dagwright.cli.rows import Values, row_writer, rows_option

__all__ = ["predict"]


@click.command()
@click.argument("model", type=click.Path(readable=False))
@click.argument("data", type=click.Path(readable=False))
@click.argument("target")
@rows_option
@click.option("--proba", is_flag=True, help="The probability of each state, not the best one.")
@data_options
def predict(
    model: str, data: str, target: str, output: str | None, proba: bool, **data_settings: Any
) -> None:
    """Predict the variable TARGET by MODEL for each row of the table DATA.

    Prints CSV, one row a row of DATA. MODEL is a file (.json, .bif ...), the name of a shipped
    network, or - for JSON from stdin; DATA may be - for CSV from stdin. Variables that DATA does
    not have are summed out. TARGET itself is not looked at.
    """
    write = row_writer(output)
    net = read_model(model)
    net.table(target)  # says what is wrong with the name
    seen = [name for name in net.names if name != target]
    table = read_table(data, graphs=[graph_of(net)], only=seen, **data_settings)
    values = net.predict_proba(table, target)
    states = net.states[target]
    if proba:
        write({str(state): Values(values[:, code]) for code, state in enumerate(states)})
        return
    possible = ~np.isnan(values[:, 0])
    codes = np.full(len(values), -1)
    codes[possible] = values[possible].argmax(axis=1)
    write({target: Values(codes, states)})
