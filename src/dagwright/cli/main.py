"""The command ``dagwright``: subcommands are imported when they are called."""

from __future__ import annotations

import io
import os
import re
import sys
import warnings
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from dagwright.cli import leaving_at_once
from dagwright.errors import DagwrightError, SpecError, did_you_mean

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

__all__ = ["cli", "main"]

_COMMANDS = {
    "demo": "Learn a graph from bundled data and show it.",
    "learn": "Learn a graph from a table.",
    "parentsets": "Score the parent sets that an optimal graph may need.",
    "tree": "Learn the best tree or forest from a table.",
    "score": "Score a graph on a table, family by family.",
    "compare": "Compare two graphs.",
    "explain": "Explain why each edge of a graph is there, or is not.",
    "info": "Say what variables tell about each other.",
    "test": "Test whether two variables are independent, given others.",
    "searches": "List the searches and their settings.",
    "posterior": "Say how probable each edge is, given a table.",
    "ising": "Learn an undirected model of variables with two states: fields and couplings.",
    "bootstrap": "Say how sure each edge is, by learning from resampled rows.",
    "cv": "Compare scores, searches and priors by how well they predict held-out rows.",
    "fit": "Fit the parameters of a graph to a table.",
    "query": "Ask a model how probable something is.",
    "predict": "Predict a variable for each row of a table.",
    "sample": "Draw rows from a model.",
    "update": "Add rows to a fitted model, or take them away.",
    "convert": "Convert a model to another file format.",
}


class _LazyGroup(click.Group):
    """Lists all commands without importing them, so that --help is instant."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        with leaving_at_once():
            module = import_module(f"dagwright.cli.{cmd_name}")
        command: click.Command = getattr(module, cmd_name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if not (args[0] in _COMMANDS or args[0].startswith("-") or ctx.resilient_parsing):
            ctx.fail(
                f"There is no command {args[0]!r}: there are {', '.join(_COMMANDS)}"
                + did_you_mean(args[0], _COMMANDS)
            )
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:  # the reader, such as `head`, has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            ctx.exit(0)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        fitting = [name for name in _COMMANDS if name.startswith(incomplete)]
        return [
            *(CompletionItem(name, help=_COMMANDS[name]) for name in fitting),
            *click.Command.shell_complete(self, ctx, incomplete),
        ]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="dagwright")
def cli() -> None:
    """Learn the structure of graphical models from tables, and use the models.

    Results go to stdout, progress and messages to stderr. Exit status: 0 done, 1 the data or the
    run failed, 2 wrong usage, 130 interrupted (the best so far is printed and written).
    """


def main() -> None:
    """Run the command line; errors are messages, never tracebacks."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal may not know every character
            stream.reconfigure(errors="backslashreplace")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("default", UserWarning)  # once, even if they are to be errors
            warnings.showwarning = _show_warning
            cli.main(prog_name="dagwright", standalone_mode=False)
    except click.exceptions.Exit as error:
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(130)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except DagwrightError as error:
        click.echo(f"Error: {as_options(str(error))}", err=True)
        sys.exit(2 if isinstance(error, SpecError) else 1)
    except MemoryError:
        click.echo("Error: not enough memory; leave out variables or rows", err=True)
        sys.exit(1)
    except OSError as error:  # such as a full disk behind stdout
        click.echo(f"Error: {error.strerror or error}", err=True)
        sys.exit(1)


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    click.echo(f"Warning: {as_options(str(message))}", err=True)


def as_options(message: str) -> str:
    """Say what to do in options of the command line, where a message says it in Python."""
    for python, option in _OPTIONS.items():
        message = re.sub(python, option, message)
    return message


_OPTIONS: dict[str, Any] = {
    r'missing="drop"': "--missing drop",
    r"leave out coding for a dw.LogLinear": "take dw.learn_undirected in Python for a LogLinear",
    r"discretize=\{'(.*?)': dw.Quantiles\(4\)\} \(or dw.EqualWidth, dw.Cuts\)": (
        r"--discretize '\1=quantiles:4' (or equal-width, cuts)"
    ),
    r"pass max_states=(\d+)": r"pass --max-states \1",
    r"max_variables=(\d+)": r"--max-variables \1",
    r"header=False": "--no-header",
    r"leave (it|them|the variable) out": r"leave \1 out (--leave-out)",
    r"leave out ": "leave out (--leave-out) ",
    r"Constraints\((\w+)=\.\.\.\)": r"\1 in the file of --constraints",
    r'pass unseen="extend"': "add it to a model by dagwright update --unseen extend",
    r'kind="bayesian"': "--kind bayesian",
    r"^(replicates|threshold|ess|permutations|seed|folds) must": r"--\1 must",
    r"^given=": "--given ",
    r"^ess=(\S+) is for estimate=.dirichlet., not for '(.*)'": (
        r"--ess \1 is for --estimate dirichlet, not for \2"
    ),
    r"set permutations=0(, or round the weights)?(, as in .*)?": r"take no --permutations\1",
    r'^parameters="ml" finds': "--parameters ml finds",
    r"take fewer folds": "take fewer --folds",
    r"sample: n must": "-n must",
    r"is in given and in do": "is in -e and in --do",
    r'method="belief propagation", "likelihood weighting" or "gibbs"': (
        "--method belief-propagation, likelihood-weighting or gibbs"
    ),
    r'method="(\w+) ?(\w*)"': lambda found: "--method " + "-".join(filter(None, found.groups())),
    r"a penalty, l2=0.01": "a penalty, --method moment-matching:l2=0.01",
    r"\(n_samples=\)": "(--samples)",
    r"n_samples must": "--samples must",
    r"; the limits are max_bytes=\S+ and max_operations=\S+ Raise them, give": ". Give",
    r"; try damping=0.5 or another method": "; try another method",
    r", as in fit\(dag, table, parameters=dw.BDeu\(1\)\)": ", --parameters bdeu:ess=1",
    r', or take over="orders"': ", or take --over orders",
    r"give it more time_limit": "give it more --time-limit",
    r"select fewer variables": "leave out variables (--leave-out)",
    r", or raise max_bytes$": "",
    r",? or take model\.smoothed\(1e-6\)": "",
}
