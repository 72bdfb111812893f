"""The command ``dagwright``: subcommands are imported when they are called."""

from __future__ import annotations

import sys
from importlib import import_module

import click

__all__ = ["cli", "main"]

_COMMANDS = {
    "demo": "Learn a graph from bundled data and show it.",
    "learn": "Learn a graph from a table.",
    "score": "Score a graph on a table, family by family.",
    "compare": "Compare two graphs.",
}


class _LazyGroup(click.Group):
    """Lists all commands without importing them, so that --help is instant."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        command: click.Command = getattr(import_module(f"dagwright.cli.{cmd_name}"), cmd_name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="dagwright")
def cli() -> None:
    """Learn the structure of graphical models from tables.

    Results go to stdout, progress and messages to stderr. Exit status: 0 done, 1 the data or the
    run failed, 2 wrong usage, 130 interrupted (the best so far is printed and written).
    """


def main() -> None:
    """Run the command line; errors are messages, never tracebacks."""
    from dagwright.errors import DagwrightError

    try:
        cli.main(standalone_mode=False)
    except click.exceptions.Exit as error:
        sys.exit(error.exit_code)
    except click.Abort:
        sys.exit(130)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except DagwrightError as error:
        click.echo(f"Error: {error}", err=True)
        sys.exit(1)
    except MemoryError:
        click.echo("Error: not enough memory; select fewer variables or rows", err=True)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        sys.stderr.close()
        sys.exit(0)
