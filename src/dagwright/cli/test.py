"""``dagwright test``."""

from __future__ import annotations

from typing import Any

import click

from dagwright.cli.options import data_options, format_option, given_option, read_table
from dagwright.cli.report import csv_line, one_line, print_csv, print_json
from dagwright.information.independence import independence

__all__ = ["test"]


@click.command()
@click.argument("data", type=click.Path(readable=False))
@click.argument("x")
@click.argument("y")
@given_option
@click.option(
    "--permutations",
    type=int,
    metavar="N",
    default=0,
    show_default=True,
    help="Also a p-value by permuting Y within strata, so many times: it holds for few rows too.",
)
@click.option(
    "--ess",
    type=float,
    metavar="NUMBER",
    default=1.0,
    show_default=True,
    help="The equivalent sample size of the prior of the Bayes factor (BDeu).",
)
@click.option(
    "--seed",
    type=int,
    metavar="N",
    default=0,
    show_default=True,
    help="Same seed, same p-value by permutation.",
)
@data_options
@format_option
def test(
    data: str,
    x: str,
    y: str,
    given: tuple[list[str], ...],
    permutations: int,
    ess: float,
    seed: int,
    output_format: str,
    **data_settings: Any,
) -> None:
    """Test whether X and Y of the table DATA (- is stdin) are independent.

    By the p-value of G2, by BIC and by the Bayes factor, and why these differ if they do. Only the
    variables that are named are read.
    """
    known = [name for names in given for name in names]
    table = read_table(data, only=[x, y, *known], must_have=True, **data_settings)
    found = independence(table, x, y, known, ess=ess, permutations=permutations, seed=seed)
    if output_format == "json":
        print_json(found.to_dict())
    elif output_format == "csv":  # what is given is a line of CSV itself
        values = found.to_dict()
        verdicts = {f"verdict_{name}": verdict for name, verdict in values.pop("verdicts").items()}
        row = values | {"given": csv_line(found.given)} | verdicts
        print_csv(list(row), [list(row.values())])
    else:
        click.echo("\n".join(map(one_line, str(found).splitlines())))
