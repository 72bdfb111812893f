"""How answers of a query are printed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

from dagwright.cli.report import one_line, print_csv, print_json, print_rows
from dagwright.inference.distribution import Distribution
from dagwright.io.json import state_to_json

__all__ = ["show_best", "show_joint", "show_marginals"]

_DIGITS = 6


def show_joint(answer: Distribution, condition: Sequence[str], output_format: str) -> None:
    """Print the distribution of one variable, or of several together."""
    if output_format == "json":
        print_json({"given": list(condition)} | _as_dict(answer))
        return
    header = [*answer.variables, *_numbers(answer)]
    _print(header, _rows(answer), _summary([answer], answer.variables, condition), output_format)


def show_marginals(
    answers: Sequence[Distribution], condition: Sequence[str], output_format: str
) -> None:
    """Print the distribution of each variable alone."""
    if output_format == "json":
        marginals = [_as_dict(answer) for answer in answers]
        print_json({"given": list(condition), "marginals": marginals})
        return
    header = ["variable", "state", *_numbers(answers[0])]
    rows = [[answer.variables[0], *row] for answer in answers for row in _rows(answer)]
    _print(header, rows, _summary(answers, ["each variable"], condition), output_format)


def show_best(
    best: Mapping[str, Any], probability: float, condition: Sequence[str], output_format: str
) -> None:
    """Print the most probable joint state."""
    if output_format == "json":
        states = {name: state_to_json(state) for name, state in best.items()}
        print_json({"given": list(condition), "probability": probability, "states": states})
    elif output_format == "csv":  # as a joint distribution, of which it is one row
        print_csv([*best, "probability"], [[*best.values(), probability]])
    else:
        given = f" given {', '.join(condition)}" if condition else ""
        click.echo(one_line(f"most probable{given}: probability {probability:.{_DIGITS}g}"))
        click.echo()
        print_rows(["variable", "state"], [[name, str(state)] for name, state in best.items()])


def _numbers(answer: Distribution) -> list[str]:
    return ["probability", *([] if answer.standard_errors is None else ["standard error"])]


def _rows(answer: Distribution) -> list[list[Any]]:
    rows: list[list[Any]] = [[*map(str, states), value] for states, value in answer.items()]
    if answer.standard_errors is not None:
        for row, error in zip(rows, answer.standard_errors.ravel().tolist(), strict=True):
            row.append(error)
    return rows


def _as_dict(answer: Distribution) -> dict[str, Any]:
    errors = answer.standard_errors
    cells: list[dict[str, Any]] = [
        {"states": [state_to_json(state) for state in states], "probability": value}
        for states, value in answer.items()
    ]
    if errors is not None:
        for cell, error in zip(cells, errors.ravel().tolist(), strict=True):
            cell["standard_error"] = error
    return {
        "variables": list(answer.variables),
        "method": answer.method,
        "report": dict(answer.report),
        "distribution": cells,
    }


def _summary(
    answers: Sequence[Distribution], asked: Sequence[str], condition: Sequence[str]
) -> str:
    """Say what was asked and how it was answered; of several the first stands for all."""
    first = answers[0]
    given = f" | {', '.join(condition)}" if condition else ""
    report = ", ".join(
        f"{key.replace('_', ' ')} {_shown(value)}"
        for key, value in first.report.items()
        if key != "warning"  # which is a message of its own
    )
    return f"P({', '.join(asked)}{given}) by {first.method}{': ' if report else ''}{report}"


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,.1f}" if value >= 1 else f"{value:.2g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _print(
    header: Sequence[str], rows: Sequence[Sequence[Any]], summary: str, output_format: str
) -> None:
    if output_format == "csv":
        print_csv([name.replace("standard error", "standard_error") for name in header], rows)
        return
    click.echo(one_line(summary))
    click.echo()
    print_rows([one_line(name) for name in header], rows, _DIGITS)
