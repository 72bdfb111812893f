"""``dagwright cv``."""

from __future__ import annotations

from typing import Any

import click

from dagwright.cli.learn import run_options
from dagwright.cli.options import (
    constraints_option,
    data_options,
    format_option,
    parameters_option,
    read_table,
    spec_option,
)
from dagwright.cli.report import counted, one_line, print_csv, print_json, print_rows
from dagwright.constraints import Constraints
from dagwright.errors import Interrupted
from dagwright.experiments.cross_validate import CrossValidation, cross_validate
from dagwright.scores import BIC, scores
from dagwright.search import HillClimb, searches
from dagwright.structure_priors import Uniform, structure_priors

__all__ = ["cv"]

_HEADER = ["candidate", "mean", "error", "difference", "difference_error", "edges"]
_MANY = ". May be repeated, to compare"


@click.command()
@click.argument("data", type=click.Path(readable=False))
@spec_option("--score", "score", scores, BIC(), "bdeu:ess=10", meaning=_MANY, multiple=True)
@spec_option(
    "--search", "search", searches, HillClimb(), "tabu:tenure=20", meaning=_MANY, multiple=True
)
@spec_option(
    "--structure-prior",
    "structure_prior",
    structure_priors,
    Uniform(),
    "edges:0.5",
    meaning=_MANY,
    multiple=True,
)
@parameters_option
@click.option(
    "--folds",
    type=int,
    metavar="N",
    default=10,
    show_default=True,
    help="Into how many parts to divide the rows.",
)
@constraints_option
@click.option(
    "--seed",
    type=int,
    metavar="N",
    default=0,
    show_default=True,
    help="Same seed, same folds, however many threads.",
)
@run_options
@data_options
@format_option
def cv(
    data: str,
    score: tuple[Any, ...],
    search: tuple[Any, ...],
    structure_prior: tuple[Any, ...],
    parameters: Any,
    folds: int,
    constraints: Constraints,
    seed: int,
    threads: int | None,
    time_limit: float | None,
    output_format: str,
    **data_settings: Any,
) -> None:
    """Compare scores, searches and priors on the table DATA (- is CSV from stdin).

    Each learns from all rows but those of one fold and predicts these, for every fold. mean: the
    log probability of a held-out row, in nats, higher is better; difference: to the best, with the
    standard error of that; edges: the mean number of edges. All combinations of what is repeated
    are tried on the same rows. What is done when it is stopped is kept.
    """
    table = read_table(data, **data_settings)
    interrupted = False
    try:
        found = cross_validate(
            table,
            score=score or None,
            search=search or None,
            structure_prior=structure_prior or None,
            constraints=constraints,
            parameters=parameters,
            folds=folds,
            seed=seed,
            threads=threads,
            time_limit=time_limit,
            progress=True,
        )
    except Interrupted as error:
        found, interrupted = error.result, True
    done = len(found.dags[0])
    if done < folds:
        click.echo(
            f"Stopped ({found.reason}): these are {done:,} of {counted(folds, 'fold')}.", err=True
        )
    _show(found, output_format)
    if interrupted:
        raise click.Abort


def _show(found: CrossValidation, output_format: str) -> None:
    if output_format == "json":
        print_json(found.to_dict())
        return
    rows = [
        [own.label, own.mean, own.error, own.difference, own.difference_error, own.edges]
        for own in sorted(found.candidates, key=lambda own: -own.mean)
    ]
    if output_format == "csv":
        print_csv(_HEADER, rows)
        return
    info = found.info
    weight = (
        "" if info["total_weight"] == info["n_rows"] else f" of weight {info['total_weight']:,g}"
    )
    click.echo(
        f"{counted(info['n_rows'], 'row')}{weight}, {counted(len(found.dags[0]), 'fold')}: "
        f"held-out log-likelihood in nats a row, {info['seconds']:.3f} s"
    )
    click.echo()
    print_rows([name.replace("_", " ") for name in _HEADER], rows, digits=4)
    click.echo()
    click.echo(one_line(found.verdict))
