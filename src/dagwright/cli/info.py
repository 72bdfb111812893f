"""``dagwright info``."""

from __future__ import annotations

from typing import Any

import click

from dagwright.cli.options import data_options, format_option, given_option, read_table
from dagwright.cli.plots import check_picture, write_picture
from dagwright.cli.report import counted, one_line, print_csv, print_json, print_rows
from dagwright.information.estimates import ESTIMATES, UNITS, Estimate, Estimator, Unit
from dagwright.information.matrix import InformationMatrix, mutual_information_matrix
from dagwright.table import Table

__all__ = ["info"]

_SHOWN = 20
_DIGITS = 6


@click.command()
@click.argument("data", type=click.Path(readable=False))
@given_option
@click.option(
    "--estimate",
    type=click.Choice(ESTIMATES),
    default="plug-in",
    show_default=True,
    help="plug-in: of the rows themselves. miller-madow: corrected for few rows. dirichlet: the "
    "posterior mean under the prior of --ess.",
)
@click.option(
    "--ess",
    type=float,
    metavar="NUMBER",
    help="The equivalent sample size of the prior of --estimate dirichlet.  [default: 1]",
)
@click.option("--unit", type=click.Choice(UNITS), default="nats", show_default=True)
@click.option(
    "-o",
    "--output",
    type=click.Path(readable=False),
    help="Draw the matrix of the mutual information to .svg, .png or .pdf.",
)
@data_options
@format_option
def info(
    data: str,
    given: tuple[list[str], ...],
    estimate: Estimate,
    ess: float | None,
    unit: Unit,
    output: str | None,
    output_format: str,
    **data_settings: Any,
) -> None:
    """Say what the variables of the table DATA (- is stdin) tell about each other.

    The entropy of each variable, and the mutual information of each pair, the strongest first. The
    table shows the first pairs; JSON and CSV have all of them.
    """
    Estimator(estimate, ess)  # says what is wrong with them before the file is read
    if output is not None:
        check_picture(output)
    table = read_table(data, **data_settings)
    known = [name for names in given for name in names]
    matrix = mutual_information_matrix(table, given=known, estimate=estimate, ess=ess, unit=unit)
    if output is not None:
        side = max(5.0, 0.25 * len(matrix.names))
        write_picture(output, matrix.plot, (side + 1, side))
    if output_format == "json":
        print_json({"n_rows": float(table.total_weight)} | matrix.to_dict())
    elif output_format == "csv":
        entropies = matrix.entropies()
        print_csv(
            ["x", "y", "mutual_information", "entropy_x", "entropy_y"],
            ([x, y, value, entropies[x], entropies[y]] for x, y, value in matrix.pairs()),
        )
    else:
        _show(matrix, table)


def _show(matrix: InformationMatrix, table: Table) -> None:
    given = f", given {one_line(', '.join(matrix.given))}" if matrix.given else ""
    click.echo(
        f"{counted(len(matrix.names), 'variable')}, {table.total_weight:,g} rows: "
        f"{matrix.unit} by the {matrix.estimate} estimate{given}\n"
    )
    entropies = sorted(matrix.entropies().items(), key=lambda item: -item[1])
    print_rows(
        ["variable", "states", "entropy"],
        [[name, table.n_states[name], value] for name, value in entropies],
        _DIGITS,
    )
    pairs = matrix.pairs()
    if pairs:
        click.echo()
        print_rows(["x", "y", "mutual information"], pairs[:_SHOWN], _DIGITS)
    if len(pairs) > _SHOWN:
        click.echo(f"{counted(len(pairs) - _SHOWN, 'more pair')}: --format csv has all")
