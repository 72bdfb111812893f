"""``dagwright ising``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from dagwright.cli.learn import run_options
from dagwright.cli.options import data_options, format_option, read_table, seed_option, spec_option
from dagwright.cli.report import counted, csv_line, one_line, print_csv, print_json, print_rows
from dagwright.draw.layout import check_layout_package
from dagwright.errors import DataError, Interrupted, SpecError
from dagwright.io.files import check_writable, write_text
from dagwright.learn_undirected import learn_undirected
from dagwright.load import load
from dagwright.markov.features import CODINGS
from dagwright.markov.ising import Ising
from dagwright.markov.method import undirected_methods
from dagwright.markov.methods import AutoUndirected
from dagwright.markov.result import UndirectedResult
from dagwright.result import Result
from dagwright.undirected_graph import UndirectedGraph

__all__ = ["ising"]

_HEADER = ["variable", "other", "parameter"]
_SHOWN = 40
_STATES = 10


@click.command()
@click.argument("data", type=click.Path(readable=False))
@click.option(
    "-o",
    "--output",
    type=click.Path(readable=False),
    help="Write .json (all of it), .csv (fields and couplings), .uai (the model as factors), or "
    "the graph as .svg or .dot.",
)
@spec_option("--method", "method", undirected_methods, AutoUndirected(), "moment-matching:l1=0.02")
@click.option(
    "--graph",
    type=click.Path(readable=False),
    help="A file with the edges that the model may have: an undirected graph, or a learned one, "
    "whose moral graph is taken.",
)
@click.option(
    "--coding",
    type=click.Choice(CODINGS),
    default=CODINGS[0],
    show_default=True,
    help="Which numbers the two states of a variable are.",
)
@seed_option
@run_options
@data_options
@format_option
def ising(
    data: str,
    output: str | None,
    method: Any,
    graph: str | None,
    coding: str,
    seed: int,
    threads: int | None,
    time_limit: float | None,
    output_format: str,
    **data_settings: Any,
) -> None:
    """Learn an Ising model from the table DATA (.csv, .tsv, .parquet; - is CSV from stdin).

    Every variable has two states; the second one counts as 1, the first as -1 or 0. Printed are
    the couplings, the strongest first, and the moment gap: the largest difference of a mean under
    the model from the mean in the data.
    """
    write = _writer_of(output)
    edges = None if graph is None else _read_graph(graph)
    table = read_table(data, **data_settings)
    interrupted = False
    try:
        found = learn_undirected(
            table,
            method=method,
            graph=edges,
            coding=coding,
            seed=seed,
            threads=threads,
            time_limit=time_limit,
            progress=True,
        )
    except Interrupted as error:
        found, interrupted = error.result, True
    try:
        if write is not None:
            write(found)
    finally:  # what was learned is shown even when it cannot be written
        _show(found, output_format)
    if interrupted:
        raise click.Abort


def _read_graph(path: str) -> UndirectedGraph:
    loaded = load(path)
    if isinstance(loaded, UndirectedGraph):
        return loaded
    if isinstance(loaded, UndirectedResult):
        return loaded.graph
    if isinstance(loaded, Result):
        return loaded.dag.moral_graph()
    raise DataError(f"--graph {path}: it has no graph alone; write one by dagwright learn or ising")


def _rows(found: UndirectedResult) -> list[list[Any]]:
    """Return the fields, then the couplings, the strongest first."""
    model = found.model
    if not isinstance(model, Ising):
        names = model.features.names
        return [[name, "", value] for name, value in zip(names, model.theta.tolist(), strict=True)]
    fields = [
        [name, "", value] for name, value in zip(model.names, model.fields.tolist(), strict=True)
    ]
    couplings = [(a, b, model.coupling(a, b)) for a, b in found.graph.edges]
    return [*fields, *map(list, sorted(couplings, key=lambda own: -abs(own[2])))]


def _show(found: UndirectedResult, output_format: str) -> None:
    if output_format == "json":
        print_json(found.to_dict())
        return
    rows = _rows(found)
    if output_format == "csv":
        print_csv(_HEADER, rows)
        return
    info = found.info
    weight = "" if info.total_weight == info.n_rows else f" of weight {info.total_weight:,g}"
    click.echo(
        f"{counted(len(found.model.names), 'variable')}, {counted(info.n_rows, 'row')}{weight}: "
        f"{counted(len(found.graph.edges), 'edge')} by {info.method['name']}, {found.reason}, "
        f"{info.seconds:.3f} s"
    )
    error = f" +- {found.moment_gap_error:.2g}" if found.moment_gap_error else ""
    click.echo(f"Moment gap: {found.moment_gap:.3g}{error}")
    if isinstance(found.model, Ising):
        click.echo(one_line(f"Counted as 1: {_second_states(found.model)}"))
    for text in found.approximations:
        click.echo(one_line(f"Approximate: {text}"))
    for text in found.left_out:
        click.echo(one_line(f"Left out: {text}"))
    click.echo()
    print_rows(_HEADER, rows[:_SHOWN], digits=4)
    if len(rows) > _SHOWN:
        click.echo(f"{counted(len(rows) - _SHOWN, 'parameter')} more: --format csv has all")


def _second_states(model: Ising) -> str:
    """Return which states are +1 or 1: without these no sign says anything."""
    texts = [f"{name} = {own[1]}" for name, own in model.states.items()]
    more = f", and {len(texts) - _STATES:,} more in --format json" if len(texts) > _STATES else ""
    return ", ".join(texts[:_STATES]) + more


def _writer_of(path: str | None) -> Callable[[UndirectedResult], None] | None:
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
    return lambda found: _WRITERS[ending](found, path)


def _write_csv(found: UndirectedResult, path: str) -> None:
    write_text("".join(csv_line(row) + "\n" for row in [_HEADER, *_rows(found)]), path)


_WRITERS: dict[str, Callable[[UndirectedResult, str], None]] = {
    ".json": lambda found, path: found.save(path),
    ".csv": _write_csv,
    ".uai": lambda found, path: found.model.save(path),
    ".svg": lambda found, path: write_text(found.graph.to_svg(), path),
    ".dot": lambda found, path: write_text(found.graph.to_dot() + "\n", path),
}
