"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeVar

import click

from dagwright.constraints import Constraints
from dagwright.discretize import discretizers
from dagwright.errors import DagwrightError
from dagwright.io.read import read
from dagwright.scores import BIC, scores
from dagwright.specs import Registry
from dagwright.structure_priors import Uniform, structure_priors
from dagwright.table import Table

__all__ = ["SpecType", "data_options", "format_option", "read_table", "score_options"]

F = TypeVar("F", bound=Callable[..., Any])


class SpecType(click.ParamType[Any]):
    """A spec as text: ``bdeu:ess=10``."""

    def __init__(self, registry: Registry[Any]) -> None:
        self.registry = registry
        self.name = registry.kind

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Parse the text; what is wrong is a usage error."""
        if not isinstance(value, str):
            return value
        try:
            return self.registry.parse(value)
        except DagwrightError as error:
            self.fail(str(error), param, ctx)


class _ConstraintsType(click.ParamType[Any]):
    name = "toml file"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if isinstance(value, Constraints):
            return value
        try:
            return Constraints.from_toml(value)
        except (DagwrightError, OSError) as error:
            self.fail(str(error), param, ctx)


class _DiscretizeType(click.ParamType[Any]):
    name = "variable=how"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        variable, equals, how = str(value).partition("=")
        if not equals:
            self.fail(f"{value!r} is not variable=how, as in age=quantiles:4", param, ctx)
        try:
            return variable, discretizers.parse(how)
        except DagwrightError as error:
            self.fail(str(error), param, ctx)


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
            type=_DiscretizeType(),
            multiple=True,
            help="How to bin a numeric variable: age=quantiles:4, age=equal-width:5, "
            "age=cuts:[18,65]. May be repeated.",
        ),
        click.option("--weights", metavar="VARIABLE", help="The variable with the rows' weights."),
        click.option(
            "--max-states",
            type=click.IntRange(min=1),
            default=256,
            show_default=True,
            help="Refuse variables with more states.",
        ),
        click.option("--no-header", is_flag=True, help="The first line of a CSV is data."),
    ]
)

score_options = _apply(
    [
        click.option(
            "--score",
            "score_spec",
            type=SpecType(scores),
            default=BIC(),
            help=f"One of {', '.join(spec.name for spec in scores)}; settings as in "
            "bdeu:ess=10.  [default: bic]",
        ),
        click.option(
            "--structure-prior",
            type=SpecType(structure_priors),
            default=Uniform(),
            help=f"One of {', '.join(spec.name for spec in structure_priors)}, as in "
            "edges:0.5.  [default: uniform]",
        ),
    ]
)

format_option = click.option(
    "--format",
    "output_format",
    type=click.Choice(["table", "json", "csv"]),
    default="table",
    show_default=True,
    help="What to print.",
)

constraints_option = click.option(
    "--constraints",
    type=_ConstraintsType(),
    default=Constraints(),
    help="Required, forbidden and adjacent edges, tiers, max_parents, max_parameters.",
)


def read_table(
    path: str,
    *,
    missing: Literal["error", "drop"],
    discretize: tuple[tuple[str, Any], ...],
    weights: str | None,
    max_states: int,
    no_header: bool,
    states: Mapping[str, Any] | None = None,
) -> Table:
    """Read a table with the options of the command line."""
    return read(
        path,
        header=not no_header,
        states=states,
        missing=missing,
        discretize=dict(discretize),
        weights=weights,
        max_states=max_states,
    )
