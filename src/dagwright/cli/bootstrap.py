"""``dagwright bootstrap``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from dagwright.cli.learn import given, run_options
from dagwright.cli.options import (
    constraints_option,
    data_options,
    format_option,
    read_table,
    score_options,
    spec_option,
)
from dagwright.cli.report import counted, csv_line, one_line, print_csv, print_json, print_rows
from dagwright.constraints import Constraints
from dagwright.draw.layout import check_layout_package
from dagwright.errors import Interrupted, SpecError
from dagwright.graph import Dag
from dagwright.io.files import check_writable, write_text
from dagwright.learn import learn
from dagwright.posterior.averaged_graph import AveragedGraph
from dagwright.posterior.bootstrap import Bootstrap
from dagwright.posterior.bootstrap import bootstrap as run_bootstrap
from dagwright.posterior.resample import ResampleKind
from dagwright.scorer import Scorer
from dagwright.search import HillClimb, searches
from dagwright.specs import check_number

__all__ = ["bootstrap"]

_HEADER = ["from", "to", "strength", "direction", "compelled", "averaged"]
_WORTH_SHOWING = 0.05


@click.command()
@click.argument("data", type=click.Path(readable=False))
@click.option(
    "--replicates",
    type=int,
    metavar="N",
    default=200,
    show_default=True,
    help="How many times to learn from resampled rows.",
)
@click.option(
    "--kind",
    type=click.Choice(["rows", "bayesian"]),
    default="rows",
    show_default=True,
    help="rows: drawn again with replacement. bayesian: all rows, with weights from a Dirichlet "
    "distribution.",
)
@click.option(
    "--threshold",
    type=float,
    metavar="SHARE",
    help="The averaged graph has the edges of more than this share of the graphs.  "
    "[default: found from the strengths]",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(readable=False),
    help="Write .json (all of it), .csv (the edges), or the averaged graph as .svg, .graphml or "
    ".dot.",
)
@spec_option("--search", "search_spec", searches, HillClimb(), "tabu:tenure=20")
@score_options
@constraints_option
@click.option(
    "--seed",
    type=int,
    metavar="N",
    default=0,
    show_default=True,
    help="Same seed, same graphs, however many threads.",
)
@run_options
@data_options
@format_option
def bootstrap(
    data: str,
    replicates: int,
    kind: ResampleKind,
    threshold: float | None,
    output: str | None,
    search_spec: Any,
    score_spec: Any,
    structure_prior: Any,
    constraints: Constraints,
    seed: int,
    threads: int | None,
    time_limit: float | None,
    output_format: str,
    **data_settings: Any,
) -> None:
    """Say how sure each edge is, given the table DATA (.csv, .tsv, .parquet; - is CSV from stdin).

    A graph is learned from resampled rows, many times. strength: the share of the graphs that have
    an edge in either direction; direction: of these, the share with the direction that is shown;
    compelled: the share of all graphs where data can tell that direction. averaged: whether the
    edge is in the graph made of the strong ones. What is done when it is stopped is kept.
    """
    if threshold is not None:
        rule = "a share of the graphs, from 0 to 1"
        check_number("threshold", threshold, rule, lambda x: 0 <= x <= 1)
    write = _writer_of(output)
    if not given("score_spec") and search_spec.default_score is not None:
        score_spec = search_spec.default_score
    table = read_table(data, **data_settings)
    scorer = Scorer(table, score_spec, structure_prior=structure_prior)
    interrupted = False
    try:
        found = run_bootstrap(
            scorer,
            search=search_spec,
            constraints=constraints,
            replicates=replicates,
            kind=kind,
            seed=seed,
            threads=threads,
            time_limit=time_limit,
            progress=True,
        )
    except Interrupted as error:
        found, interrupted = error.result, True
    if len(found.sample) < replicates:
        click.echo(
            f"Stopped ({found.reason}): these are {len(found.sample):,} of "
            f"{counted(replicates, 'replicate')}.",
            err=True,
        )
    averaged = found.averaged_graph(threshold)
    try:
        if write is not None:
            write(found, averaged)
    finally:  # what was learned is shown even when it cannot be written
        learned = None
        if output_format == "table" and found.reason == "done" and not interrupted:
            settings: dict[str, Any] = {"constraints": constraints, "seed": seed}
            learned = learn(scorer, search=search_spec, threads=threads, **settings).dag
        _show(found, averaged, learned, output_format)
    if interrupted:
        raise click.Abort


def _rows(found: Bootstrap, averaged: AveragedGraph) -> list[list[Any]]:
    """Return the edges, the strongest first."""
    return [
        [
            edge.start,
            edge.end,
            edge.strength,
            edge.direction,
            edge.compelled,
            "yes" if averaged.dag.has_edge(edge.start, edge.end) else "no",
        ]
        for edge in found.edges
    ]


def _show(
    found: Bootstrap, averaged: AveragedGraph, learned: Dag | None, output_format: str
) -> None:
    if output_format == "json":
        print_json(found.to_dict())
        return
    rows = _rows(found, averaged)
    if output_format == "csv":
        print_csv(_HEADER, rows)
        return
    info = found.info
    weight = "" if info.total_weight == info.n_rows else f" of weight {info.total_weight:,g}"
    click.echo(
        f"{counted(len(found.names), 'variable')}, {counted(info.n_rows, 'row')}{weight}: "
        f"{counted(len(found.sample), 'replicate')} ({info.kind}) by {info.search['name']} and "
        f"{info.score['name']}, {info.seconds:.3f} s"
    )
    click.echo(
        f"Averaged graph: {counted(len(averaged.dag.edges), 'edge')}, of strength above "
        f"{averaged.threshold:.3f}"
    )
    for edge in averaged.skipped:
        skipped = f"Skipped: {edge.start} -> {edge.end}, of strength {edge.strength:.3f}: "
        click.echo(one_line(skipped + edge.reason))
    if learned is not None:
        for line in _differences(averaged.dag, learned):
            click.echo(one_line(line))
    shown = [row for row in rows if row[2] >= _WORTH_SHOWING]
    if shown:
        click.echo()
        print_rows(_HEADER, shown)
    if len(shown) < len(rows):
        click.echo(f"{counted(len(rows) - len(shown), 'edge')} of strength below {_WORTH_SHOWING}")


def _differences(averaged: Dag, learned: Dag) -> list[str]:
    """Say how the averaged graph differs from the one that is learned from the rows as they are."""
    pairs = {frozenset(edge): edge for edge in averaged.edges}
    others = {frozenset(edge): edge for edge in learned.edges}
    kinds = {
        "has in addition": [edge for pair, edge in pairs.items() if pair not in others],
        "does not have": [edge for pair, edge in others.items() if pair not in pairs],
        "has the other way round": [
            edge for pair, edge in others.items() if pairs.get(pair, edge) != edge
        ],
    }
    than = "Unlike the graph of all rows it"
    lines = [
        f"{than} {kind}: {', '.join(f'{start} -> {end}' for start, end in edges)}"
        for kind, edges in kinds.items()
        if edges
    ]
    return lines or ["It is the graph that is learned from all rows"]


def _writer_of(path: str | None) -> Callable[[Bootstrap, AveragedGraph], None] | None:
    """Return what writes to the path; refuse the path now rather than after the run."""
    if path is None:
        return None
    ending = Path(path).suffix.lower()
    if ending not in _WRITERS:
        raise SpecError(f"-o {path}: the ending says the format; known are {', '.join(_WRITERS)}")
    check_writable(path)
    if ending == ".svg":
        try:
            check_layout_package()
        except ImportError as error:
            raise click.ClickException(f"-o {path}: {error}") from error
    return lambda found, averaged: _WRITERS[ending](found, averaged, path)


def _write_csv(found: Bootstrap, averaged: AveragedGraph, path: str) -> None:
    write_text("".join(csv_line(row) + "\n" for row in [_HEADER, *_rows(found, averaged)]), path)


_WRITERS: dict[str, Callable[[Bootstrap, AveragedGraph, str], None]] = {
    ".json": lambda found, averaged, path: found.save(path),
    ".csv": _write_csv,
    ".svg": lambda found, averaged, path: write_text(averaged.dag.to_svg(), path),
    ".graphml": lambda found, averaged, path: averaged.dag.to_graphml(path),
    ".dot": lambda found, averaged, path: write_text(averaged.dag.to_dot() + "\n", path),
}
