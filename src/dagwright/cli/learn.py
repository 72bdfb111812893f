"""``dagwright learn``."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from dagwright._names import Edge
from dagwright.cli.models import ENDINGS, is_network
from dagwright.cli.options import (
    constraints_option,
    data_options,
    format_option,
    read_table,
    score_options,
    spec_option,
)
from dagwright.cli.portfolio import ALL, run_portfolio
from dagwright.cli.report import counted, print_csv, print_json, print_rows
from dagwright.constraints import Constraints
from dagwright.draw.layout import check_layout_package
from dagwright.errors import Interrupted, SpecError
from dagwright.io.files import check_writable, write_text
from dagwright.io.jkl import is_jkl
from dagwright.learn import learn as learn_graph
from dagwright.result import Result
from dagwright.scorer import Scorer
from dagwright.search import Auto, ParentSets, searches
from dagwright.search.proof import exact_search

__all__ = ["learn", "learn_and_show", "output_option", "run_options", "show_result", "writer_of"]

_PROOFS = {"exact-dp", "exact-ilp", "proof"}
"""Other searches' bounds are too high to be told."""

output_option = click.option(
    "-o",
    "--output",
    type=click.Path(readable=False),
    help="Write the result: .json (all of it), .svg, .graphml or .dot (the graph alone), or as "
    f"a network with fitted parameters {', '.join(ENDINGS)}.",
)


def run_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options of a run that draws nothing at random."""
    limit = click.option(
        "--time-limit", type=float, metavar="SECONDS", help="Then take the best so far."
    )
    return click.option("--threads", type=int, metavar="N", help="[default: all cores]")(
        limit(command)
    )


@click.command()
@click.argument("data", type=click.Path(readable=False))
@output_option
@score_options
@spec_option(
    "--search",
    "search_spec",
    searches,
    Auto(),
    "tabu:tenure=20",
    ALL,
    "; or all of them, side by side",
)
@click.option(
    "--exact",
    is_flag=True,
    help="The best graph of all: exact-dp, or for more variables exact-ilp.",
)
@click.option(
    "--prove",
    is_flag=True,
    help="After the search, prove that no graph is better, or bound how much.",
)
@constraints_option
@click.option(
    "--seed",
    type=int,
    metavar="N",
    default=0,
    show_default=True,
    help="Same seed, same graph, however many threads.",
)
@run_options
@data_options
@format_option
def learn(
    data: str,
    output: str | None,
    score_spec: Any,
    structure_prior: Any,
    search_spec: Any,
    exact: bool,
    prove: bool,
    constraints: Constraints,
    seed: int,
    threads: int | None,
    time_limit: float | None,
    output_format: str,
    **data_settings: Any,
) -> None:
    """Learn a graph from the table DATA (.csv, .tsv, .parquet; - is CSV from stdin).

    A search may have a default score of its own: k2 for k2-search. Settings that are lists are
    written in brackets: --search 'k2-search:order=[age,sex,smoke]'.

    DATA may also be a .jkl file of local scores, as `dagwright parentsets` and other programs
    write: then the best graph is found by exact search.
    """
    write = writer_of(output)
    if exact and (given("search_spec") or prove):
        raise click.UsageError("--exact is a search and a proof: leave out --search and --prove")
    if is_jkl(data):
        for option in "score_spec", "structure_prior", "constraints", "prove", *data_settings:
            if given(option):
                name = option.removesuffix("_spec").replace("_", "-")
                raise click.UsageError(f"{data} has the scores of all sets: leave out --{name}")
        if output is not None and is_network(output):
            raise click.UsageError(
                f"-o {output}: a network has parameters, and {data} has no rows to fit them to; "
                f"a graph alone goes to {', '.join(_WRITERS)}"
            )
        chosen = search_spec if given("search_spec") else None
        learn_from_file(
            data, chosen, write, output_format, seed=seed, threads=threads, time_limit=time_limit
        )
        return
    if search_spec == ALL:
        if prove:
            raise click.UsageError("--prove is for one search, not for all")
        table = read_table(data, **data_settings)
        run_portfolio(
            lambda: Scorer(table, score_spec, structure_prior=structure_prior),
            constraints,
            write,
            output_format,
            time_limit,
            seed=seed,
            threads=threads,
        )
        return
    if not given("score_spec") and search_spec.default_score is not None:
        score_spec = search_spec.default_score
    table = read_table(data, **data_settings)
    if exact:
        search_spec = exact_search(len(table.names))
    learn_and_show(
        Scorer(table, score_spec, structure_prior=structure_prior),
        search_spec,
        write,
        output_format,
        constraints=constraints,
        prove=prove,
        seed=seed,
        threads=threads,
        time_limit=time_limit,
    )


def given(option: str) -> bool:
    """Whether an option of this command was written, rather than left at its default."""
    source = click.get_current_context().get_parameter_source(option)
    return source is not ParameterSource.DEFAULT


def learn_from_file(
    path: str,
    search: Any,
    write: Callable[[Result], None] | None,
    output_format: str,
    **run_settings: Any,
) -> None:
    """Find the best graph by the local scores in a file, write and print it."""
    sets = ParentSets.load(path)
    result, interrupted = _learned(sets, search, run_settings)
    try:
        if write is not None:
            write(result)
    finally:
        _show(result, sets.gains(result.dag), output_format)
    if interrupted:
        raise click.Abort


def _learned(data: Any, search: Any, run_settings: dict[str, Any]) -> tuple[Result, bool]:
    """Learn a graph; Ctrl-C ends with the best so far."""
    try:
        return learn_graph(data, search=search, progress=True, **run_settings), False
    except Interrupted as error:
        click.echo("Interrupted: this is the best so far.", err=True)
        return error.result, True


def learn_and_show(
    scorer: Scorer,
    search: Any,
    write: Callable[[Result], None] | None,
    output_format: str,
    information: Callable[[Scorer, Edge], float] | None = None,
    **run_settings: Any,
) -> None:
    """Learn a graph, write and print it; Ctrl-C ends with the best so far."""
    result, interrupted = _learned(scorer, search, run_settings)
    try:
        if write is not None:
            write(result)
    finally:  # what was learned is shown even when it cannot be written
        show_result(result, scorer, output_format, information)
    if interrupted:
        raise click.Abort


def show_result(
    result: Result,
    scorer: Scorer,
    output_format: str,
    information: Callable[[Scorer, Edge], float] | None = None,
) -> None:
    """Print a result: its edges, what each is worth, and if asked how much its ends share."""
    dag = result.dag
    worth = {
        (parent, child): -loss
        for child in dag.nodes
        for parent, loss in scorer.gains(child, dag.parents(child), dag.parents(child)).items()
    }
    shared = {edge: information(scorer, edge) for edge in dag.edges} if information else None
    _show(result, worth, output_format, shared)


def _show(
    result: Result,
    worth: Mapping[Edge, float],
    output_format: str,
    information: Mapping[Edge, float] | None = None,
) -> None:
    if output_format == "json":
        print_json(result.to_dict())
        return
    dag = result.dag
    rows: list[list[Any]] = [[start, end, worth[start, end]] for start, end in dag.edges]
    rows.sort(key=lambda row: -row[2])
    header = ["from", "to", "gain"]
    if information is not None:
        header.append("information")
        rows = [[*row, information[row[0], row[1]]] for row in rows]
    if output_format == "csv":
        print_csv(header, rows)
        return
    info = result.info
    weight = "" if info.total_weight == info.n_rows else f" of weight {info.total_weight:,g}"
    rows_seen = f", {counted(info.n_rows, 'row')}{weight}" if result.states else ""
    click.echo(
        f"{counted(len(dag.nodes), 'variable')}{rows_seen}: "
        f"{counted(len(dag.edges), 'edge')}, {info.score['name']} {result.score:,.3f}"
    )
    stages = [stage.search for stage in result.stages]
    one_by_one = f" ({', '.join(stages)})" if stages else ""
    scored = counted(info.families_scored, "family", "families")
    click.echo(
        f"{info.search['name']}{one_by_one}: {result.reason} after "
        f"{scored + ', ' if result.states else ''}{info.seconds:.3f} s"
    )
    if result.optimal:
        click.echo("Proved optimal: no graph within the constraints scores higher")
    elif result.bound < math.inf and _PROOFS & {info.search["name"], *stages}:
        share = 100 * result.gap / abs(result.score) if result.score else math.inf
        click.echo(f"No graph scores more than {result.gap:,.3f} nats ({share:.2f} %) higher")
    if result.edges_left_out:
        searched = result.stages[-1].search if result.stages else info.search["name"]
        click.echo(
            f"{searched} did not consider {counted(result.edges_left_out, 'possible edge')}, "
            "whose parents gain little alone"
        )
    if rows:
        click.echo()
        print_rows([*header[:2], *(f"{column} (nats)" for column in header[2:])], rows)


def writer_of(path: str | None) -> Callable[[Result], None] | None:
    """Return what writes to the path; refuse the path now rather than after the run."""
    if path is None:
        return None
    ending = Path(path).suffix.lower()
    if ending not in _WRITERS and not is_network(path):
        raise SpecError(
            f"-o {path}: the ending says the format; known are {', '.join(_WRITERS)}, and "
            f"{', '.join(ENDINGS)}, these also with .gz"
        )
    check_writable(path)
    if ending not in _WRITERS:
        return lambda result: result.fit().save(path)
    if ending == ".svg":
        try:
            check_layout_package()
        except ImportError as error:
            raise click.ClickException(f"-o {path}: {error}") from error
    return lambda result: _WRITERS[ending](result, path)


_WRITERS: dict[str, Callable[[Result, str], None]] = {
    ".json": lambda result, path: result.save(path),
    ".svg": lambda result, path: write_text(result.dag.to_svg(), path),
    ".graphml": lambda result, path: result.dag.to_graphml(path),
    ".dot": lambda result, path: write_text(result.dag.to_dot() + "\n", path),
}
