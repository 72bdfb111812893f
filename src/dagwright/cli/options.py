"""Options that several commands share."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Collection, Sequence
from contextlib import nullcontext
from importlib import import_module
from typing import Any, Literal, TypeVar

import click

from dagwright._names import listed
from dagwright.cli import leaving_at_once
from dagwright.cli.graphs import GraphFile
from dagwright.cli.names_in_file import names_in_file
from dagwright.cli.report import counted
from dagwright.cli.stdin import STDIN, spooled_stdin
from dagwright.constraints import Constraints
from dagwright.discretize import discretizers
from dagwright.errors import DagwrightError, DataError, SpecError, did_you_mean
from dagwright.family_tables import Parameters, check_parameters
from dagwright.io.read import read
from dagwright.scores import BIC, scores
from dagwright.specs import Registry
from dagwright.structure_priors import Uniform, structure_priors
from dagwright.table import Table

__all__ = [
    "constraints_option",
    "data_options",
    "format_option",
    "given_option",
    "load_reader",
    "parameters_option",
    "read_table",
    "score_options",
    "seed_option",
    "spec_option",
]

F = TypeVar("F", bound=Callable[..., Any])


class _Parsed(click.ParamType[Any]):
    """A value that is read from text; what is wrong with it is a usage error."""

    def __init__(self, name: str, read: Callable[[str], Any]) -> None:
        self.name = name
        self.read = read

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Read the text; a default comes as it is."""
        if not isinstance(value, str):
            return value
        try:
            return self.read(value)
        except DagwrightError as error:
            self.fail(str(error), param, ctx)


def spec_option(
    option: str,
    name: str,
    registry: Registry[Any],
    default: Any,
    example: str,
    word: str | None = None,
    meaning: str = "",
    multiple: bool = False,
) -> Callable[[F], F]:
    """Make an option whose value is a spec as text: ``bdeu:ess=10``; or one word as it is.

    If it is `multiple` the value is a tuple, which is empty if the option is not there.
    """
    known = ", ".join(spec.name for spec in registry)
    return click.option(
        option,
        name,
        type=_Parsed("spec", lambda text: text if text == word else registry.parse(text)),
        default=None if multiple else default,
        multiple=multiple,
        help=f"The {registry.kind}: {known}; settings as in {example}{meaning}."
        f"  [default: {default.name}]",
    )


def _variable_and_how(text: str) -> tuple[str, Any]:
    match = re.fullmatch(r"(.+)=([A-Za-z-]+(:.*)?)", text)  # a name may have = and : too
    if match is None:
        raise SpecError(f"{text!r} is not variable=how, as in age=quantiles:4")
    return match[1], discretizers.parse(match[2])


def _apply(options: list[Callable[[F], F]]) -> Callable[[F], F]:
    def decorate(command: F) -> F:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


data_options = _apply(
    [
        click.option(
            "--missing",
            type=click.Choice(["error", "drop"]),
            default="error",
            show_default=True,
            help="What to do with rows that have missing values.",
        ),
        click.option(
            "--discretize",
            type=_Parsed("variable=how", _variable_and_how),
            multiple=True,
            help="How to cut a numeric variable: age=quantiles:4, age=equal-width:5 or "
            "age=cuts:[18,65]. May be repeated.",
        ),
        click.option("--weights", metavar="VARIABLE", help="The variable with the rows' weights."),
        click.option(
            "--leave-out",
            metavar="VARIABLE",
            multiple=True,
            help="A variable that is not to be used. May be repeated.",
        ),
        click.option(
            "--max-states",
            type=int,
            metavar="N",
            default=256,
            show_default=True,
            help="Refuse variables with more states.",
        ),
        click.option(
            "--max-variables",
            type=int,
            metavar="N",
            default=20_000,
            show_default=True,
            help="Refuse files with more variables.",
        ),
        click.option("--no-header", is_flag=True, help="The first line of a CSV is a row."),
    ]
)

score_options = _apply(
    [
        spec_option("--score", "score_spec", scores, BIC(), "bdeu:ess=10"),
        spec_option(
            "--structure-prior",
            "structure_prior",
            structure_priors,
            Uniform(),
            "edges:0.5",
        ),
    ]
)

format_option = click.option(
    "--format",
    "output_format",
    type=click.Choice(["table", "json", "csv"]),
    default="table",
    show_default=True,
    help="How to print the result.",
)


def _parameters(text: str) -> Parameters:
    if text.strip().lower() == "ml":
        return "ml"
    score = scores.parse(text)
    try:
        return check_parameters(score)
    except SpecError:
        raise SpecError(
            f"the score {score.name!r} has no prior of parameters: give ml, bdeu:ess=1 or k2"
        ) from None


given_option = click.option(
    "--given",
    type=_Parsed("variables", lambda text: next(csv.reader([text], skipinitialspace=True))),
    multiple=True,
    help="Variables that are known, with commas between them; a name with a comma in double "
    "quotes. May be repeated.",
)

parameters_option = click.option(
    "--parameters",
    type=_Parsed("spec", _parameters),
    help="How to estimate: ml (maximum likelihood), or by the prior of a score, such as "
    "bdeu:ess=1, k2 or dirichlet:0.5.  [default: the prior of the score that chose the graph, "
    "else bdeu:ess=1]",
)

seed_option = click.option(
    "--seed",
    type=int,
    metavar="N",
    default=0,
    show_default=True,
    help="Same seed, same rows, however many threads.",
)

constraints_option = click.option(
    "--constraints",
    type=_Parsed("file.toml", Constraints.from_toml),
    default=Constraints(),
    help="What the graph must and must not have: required, forbidden, adjacent, tiers, "
    "max_parents, max_parameters.",
)


def load_reader() -> None:
    """Load what `read` loads when it is called."""
    with leaving_at_once():
        import_module("duckdb")


def read_table(
    path: str,
    *,
    missing: Literal["error", "drop"],
    discretize: tuple[tuple[str, Any], ...],
    weights: str | None,
    leave_out: tuple[str, ...],
    max_states: int,
    max_variables: int,
    no_header: bool,
    graphs: Sequence[GraphFile] = (),
    only: Collection[str] | None = None,
    must_have: bool = False,
    unseen: Literal["error", "extend"] = "error",
) -> Table:
    """Read a table with the options of the command line, and the states that graphs declare.

    The path - stands for CSV from stdin. With `only`, variables that are not among these are left
    out; the file need not have all of them, unless it `must_have` them.
    """
    cut = {name: cuts for graph in graphs for name, cuts in graph.cuts.items()}
    declared = {name: own for graph in graphs for name, own in graph.states.items()}
    load_reader()
    with spooled_stdin(".csv") if path == STDIN else nullcontext(path) as file:
        if only is not None:
            names = names_in_file(file, not no_header, max_variables)
            used = {name for name in names if name in only and name not in leave_out}
            absent = [name for name in only if names and must_have and name not in used]
            if absent:
                hint = did_you_mean(absent[0], names)
                raise DataError(f"{file}: there is no variable {absent[0]!r}{hint}")
            if names and not used:
                raise DataError(f"{file}: it has none of the variables [{listed(only)}]")
            cut = {name: cuts for name, cuts in cut.items() if name in used}
            declared = {name: own for name, own in declared.items() if name in used}
            asked = {*used, *leave_out, *dict(discretize), weights}  # what is no name is refused
            leave_out = (*leave_out, *(name for name in names if name not in asked))
        cut |= dict(discretize)
        table = read(
            file,
            header=not no_header,
            states={name: own for name, own in declared.items() if name not in cut},
            missing=missing,
            unseen=unseen,
            discretize=cut,
            weights=weights,
            leave_out=leave_out,
            max_states=max_states,
            max_variables=max_variables,
        )
    if table.n_dropped:
        click.echo(
            f"Dropped {counted(table.n_dropped, 'row')} with missing values; "
            f"{counted(len(table), 'row')} left.",
            err=True,
        )
    return table
