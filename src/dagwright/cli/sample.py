"""``dagwright sample``."""

from __future__ import annotations

import click

from dagwright.cli.evidence import evidence_options, read_evidence
from dagwright.cli.models import read_model
from dagwright.cli.options import seed_option
from dagwright.cli.rows import Values, row_writer, rows_option

__all__ = ["sample"]


@click.command()
@click.argument("model", type=click.Path(readable=False))
@click.option("-n", "n_rows", type=int, metavar="N", required=True, help="How many rows.")
@seed_option
@evidence_options
@rows_option
def sample(
    model: str,
    n_rows: int,
    seed: int,
    evidence: tuple[str, ...],
    do: tuple[str, ...],
    output: str | None,
) -> None:
    """Draw rows from MODEL, given evidence exactly from the posterior, and print them as CSV.

    MODEL is a file (.json, .bif ...), the name of a shipped network, or - for JSON from stdin.
    """
    write = row_writer(output)
    net = read_model(model)
    given = read_evidence(net, "-e", evidence, soft=True)
    table = net.sample(n_rows, seed, given=given, do=read_evidence(net, "--do", do))
    write(
        {
            name: Values(codes, table.states[name])
            for name, codes in zip(table.names, table.codes, strict=True)
        }
    )
