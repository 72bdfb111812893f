"""What ``dagwright posterior`` does without ``--exact``."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import click

from dagwright.cli.report import counted, one_line, print_json
from dagwright.cli.report_edges import print_edges, print_probable, write_edges
from dagwright.errors import Interrupted
from dagwright.posterior.sample import FAILED, posterior, resume
from dagwright.posterior.sampled import Posterior
from dagwright.table import Table

__all__ = ["sample_graphs"]

_LEAST = 0.01


def sample_graphs(
    table: Table,
    earlier: str | None,
    draws: int,
    output: str | None,
    output_format: str,
    run_settings: dict[str, Any],
    **settings: Any,
) -> None:
    """Sample graphs, or go on with a saved posterior; write and print what they say."""
    interrupted = False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # they are printed below
        try:
            if earlier is None:
                found = posterior(table, draws=draws, progress=True, **settings, **run_settings)
            else:
                saved = Posterior.load(earlier)
                found = resume(saved, draws, table, progress=True, **run_settings)
        except Interrupted as error:
            found, interrupted = error.result, True
    try:
        if output is not None:
            _write(found, output)
    finally:  # what was drawn is shown even when it cannot be written
        _show(found, output_format)
    if interrupted:
        raise click.Abort
    if found.info.reason == FAILED:
        raise click.ClickException(
            f"stopped at {FAILED}: it has too many states or parents. Bound the number of parents "
            "with --max-parents; the draws so far are kept"
        )


def _write(found: Posterior, path: str) -> None:
    if Path(path).suffix.lower() == ".csv":
        write_edges(found.edge_probabilities(), path)
    else:
        found.save(path)


def _show(found: Posterior, output_format: str) -> None:
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
        f"{counted(found.n_chains, 'chain')} of {counted(found.n_draws, 'draw')} by "
        f"{info.sampler['name']} and {info.score['name']}, {info.reason} after {info.seconds:.3f} s"
    )
    click.echo(
        f"R-hat of the score {found.r_hat():.3f}, worth "
        f"{counted(round(found.effective_sample_size()), 'draw')}; chains differ by at most "
        f"{found.max_edge_difference():.3f} in the probability of an edge"
    )
    click.echo(f"Weights: {info.weights}")
    if info.candidates:
        click.echo(
            f"Variables had at most {info.candidates['max_candidates']} candidate parents: about "
            f"{info.candidates['edges_left_out']:.2f} edges a graph are left out"
        )
    for message in found.warnings:
        click.echo(one_line(f"Warning: {message}"))
    print_probable(found.edge_probabilities(), _LEAST)
