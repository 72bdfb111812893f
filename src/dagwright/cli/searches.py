"""``dagwright searches``."""

from __future__ import annotations

import inspect
from dataclasses import MISSING, fields
from typing import Any

import click

from dagwright.cli.options import format_option
from dagwright.cli.report import print_csv, print_json
from dagwright.search import searches as registry

__all__ = ["searches"]


@click.command()
@format_option
def searches(output_format: str) -> None:
    """List the searches and their settings with the defaults."""
    found = [(kind.name, _settings(kind), _what(kind)) for kind in registry]
    if output_format == "json":
        print_json({name: {"settings": settings, "what": what} for name, settings, what in found})
        return
    rows = [
        [name, ",".join(f"{key}={_text(value)}" for key, value in settings.items()), what]
        for name, settings, what in found
    ]
    if output_format == "csv":
        print_csv(["search", "settings", "what"], rows)
        return
    for name, settings, what in rows:
        click.echo(f"{name}: {what}")
        click.echo(f"    --search {name}{':' if settings else ''}{settings}")


def _settings(kind: type[Any]) -> dict[str, Any]:
    return {
        field.name: None if field.default is MISSING else field.default for field in fields(kind)
    }


def _what(kind: type[Any]) -> str:
    return (inspect.getdoc(kind) or "").splitlines()[0].rstrip(".:").replace("``", "")


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
