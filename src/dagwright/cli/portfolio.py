"""``dagwright learn --search all``: every search on the same data, side by side."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import click

from dagwright.cli.report import print_csv, print_json, print_rows
from dagwright.compare import shd
from dagwright.constraints import Constraints
from dagwright.errors import Interrupted
from dagwright.learn import learn
from dagwright.result import Result
from dagwright.scorer import Scorer
from dagwright.search import searches

__all__ = ["ALL", "run_portfolio"]

ALL = "all"


@dataclass(frozen=True)
class _Line:
    search: str
    score: float
    seconds: float
    edges: int
    shd_to_best: int
    reason: str


def run_portfolio(
    new_scorer: Callable[[], Scorer],
    constraints: Constraints,
    write: Callable[[Result], None] | None,
    output_format: str,
    time_limit: float | None,
    **run_settings: Any,
) -> None:
    """Run all searches that can be run without settings; print what each found, the best first.

    Each has a cache of its own, so that none lives on what another scored. A time limit is for all
    of them together: what one leaves over goes to the next.
    """
    able: list[Any] = []
    unable: list[str] = []
    for kind in searches:
        try:
            search = kind()
        except TypeError:  # it has a setting without a default
            unable.append(f"{kind.name} needs settings")
            continue
        refusal = search.refusal(new_scorer(), constraints)
        if refusal is None:
            able.append(search)
        else:
            unable.append(refusal)
    results: dict[str, Result] = {}
    interrupted = False
    left = time_limit
    for i, search in enumerate(able):
        limit = None if left is None else max(0.0, left) / (len(able) - i)
        try:
            result = learn(
                new_scorer(),
                search=search,
                constraints=constraints,
                time_limit=limit,
                progress=True,
                **run_settings,
            )
        except Interrupted as error:
            result, interrupted = error.result, True
        results[search.name] = result
        left = None if left is None else left - result.info.seconds
        if interrupted:
            click.echo("Interrupted: these are the searches so far.", err=True)
            break
    for reason in unable:
        click.echo(f"Left out: {reason}", err=True)
    best = max(results.values(), key=lambda result: result.score)
    try:
        if write is not None:
            write(best)
    finally:
        _show(results, best, output_format)
    if interrupted:
        raise click.Abort


def _show(results: dict[str, Result], best: Result, output_format: str) -> None:
    lines = [
        _Line(
            name,
            result.score,
            result.info.seconds,
            len(result.dag.edges),
            shd(best.dag, result.dag),
            result.reason,
        )
        for name, result in results.items()
    ]
    lines.sort(key=lambda line: -line.score)
    if output_format == "json":
        print_json({"searches": [asdict(line) for line in lines], "best": best.to_dict()})
        return
    header = list(asdict(lines[0]))
    rows = [list(asdict(line).values()) for line in lines]
    if output_format == "csv":
        print_csv(header, rows)
    else:
        print_rows([name.replace("_", " ") for name in header], rows)
