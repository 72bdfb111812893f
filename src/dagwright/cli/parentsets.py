"""``dagwright parentsets``."""

from __future__ import annotations

import math
from typing import Any

import click

from dagwright.cli.learn import run_options
from dagwright.cli.options import (
    constraints_option,
    data_options,
    format_option,
    read_table,
    score_options,
)
from dagwright.cli.report import counted, print_csv, print_json, print_rows
from dagwright.constraints import Constraints
from dagwright.errors import SpecError
from dagwright.io.files import check_writable
from dagwright.io.jkl import is_jkl
from dagwright.parent_sets import parent_sets
from dagwright.search import ParentSets

__all__ = ["parentsets"]


@click.command()
@click.argument("data", type=click.Path(readable=False))
@click.option(
    "-o",
    "--output",
    type=click.Path(readable=False),
    help="Write the sets for a solver: a .jkl file, which `dagwright learn` reads too.",
)
@score_options
@constraints_option
@run_options
@data_options
@format_option
def parentsets(
    data: str,
    output: str | None,
    score_spec: Any,
    structure_prior: Any,
    constraints: Constraints,
    threads: int | None,
    time_limit: float | None,
    output_format: str,
    **data_settings: Any,
) -> None:
    """Score the parent sets in the table DATA that an optimal graph may need.

    A set is left out when a subset of it scores as high. Shown are the number of sets of each
    variable, and its best one.
    """
    if output is not None:
        if not is_jkl(output):
            raise SpecError(f"-o {output}: parent sets are written as .jkl, also with .gz")
        check_writable(output)
    sets = parent_sets(
        read_table(data, **data_settings),
        score=score_spec,
        structure_prior=structure_prior,
        constraints=constraints,
        threads=threads,
        time_limit=time_limit,
        progress=True,
    )
    try:
        if output is not None:
            sets.save(output)
    finally:  # what was found is shown even when it cannot be written
        _show(sets, output_format)


def _show(sets: ParentSets, output_format: str) -> None:
    nothing: tuple[tuple[str, ...], float | None] = ((), None)
    best = [next(iter(sets[name].items()), nothing) for name in sets.names]
    rows: list[list[Any]] = [
        [name, len(child.scores), int(child.members.sum(axis=1).max(initial=0)), score]
        for name, child, (_, score) in zip(sets.names, sets.children, best, strict=True)
    ]
    if output_format == "json":
        print_json(
            {
                "n_sets": sets.n_sets,
                "n_scored": sets.n_scored,
                "complete": sets.complete,
                "reason": sets.reason,
                "bound": sets.bound if math.isfinite(sets.bound) else None,
                "variables": [
                    dict(zip(("name", "n_sets", "largest", "best_score"), row, strict=True))
                    | {"best_parents": list(parents)}
                    for row, (parents, _) in zip(rows, best, strict=True)
                ],
            }
        )
        return
    header = ["variable", "sets", "largest", "best score", "best parents"]
    rows = [
        [*row[:3], math.nan if row[3] is None else row[3], ", ".join(parents)]
        for row, (parents, _) in zip(rows, best, strict=True)
    ]
    if output_format == "csv":
        print_csv(header, rows)
        return
    click.echo(
        f"{counted(len(sets.names), 'variable')}: {counted(sets.n_sets, 'parent set')} kept of "
        f"{sets.n_scored:,} scored"
    )
    if not sets.complete:
        click.echo(f"Not all that an optimal graph may need: {sets.reason}")
    click.echo(f"No graph scores more than {sets.bound:,.3f}, the sum of the best scores")
    click.echo()
    print_rows(header, rows)
