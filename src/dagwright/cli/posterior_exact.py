"""What ``dagwright posterior --exact`` does."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import click

from dagwright.cli.report import counted, print_json
from dagwright.cli.report_edges import print_edges, print_probable, write_edges
from dagwright.io.json import write_json
from dagwright.posterior.exact import ExactPosterior, exact_posterior
from dagwright.posterior.forecast import forecast_exact_posterior
from dagwright.posterior.over import MEANING
from dagwright.table import Table

__all__ = ["sum_over_all"]

_WORTH_SAYING = 3.0  # seconds


def sum_over_all(
    table: Table,
    score: Any,
    output: str | None,
    output_format: str,
    time_limit: float | None,
    **settings: Any,
) -> None:
    """Compute the exact posterior, write and print it."""
    cost = forecast_exact_posterior(table, score, **settings)
    if _WORTH_SAYING < cost.seconds < math.inf:
        click.echo(f"To do: {cost}", err=True)
    found = exact_posterior(table, score, time_limit=time_limit, progress=True, **settings)
    try:
        if output is not None:
            _write(found, output)
    finally:  # what was computed is shown even when it cannot be written
        _show(found, output_format)


def _write(found: ExactPosterior, path: str) -> None:
    if Path(path).suffix.lower() == ".json":
        write_json(found.to_dict(), path)
    else:
        write_edges(found.edge_probabilities(), path)


def _show(found: ExactPosterior, output_format: str) -> None:
    if output_format == "json":
        print_json(found.to_dict())
        return
    if output_format == "csv":
        print_edges(found.edge_probabilities())
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
    print_probable(found.edge_probabilities())
