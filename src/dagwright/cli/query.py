"""``dagwright query``."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click

from dagwright.bayes_net import BayesNet
from dagwright.cli.distributions import show_best, show_joint, show_marginals
from dagwright.cli.evidence import evidence_options, known_states, read_evidence
from dagwright.cli.models import read_model
from dagwright.cli.options import format_option, seed_option
from dagwright.cli.report import print_csv, print_json, print_rows
from dagwright.errors import DataError
from dagwright.inference.query import METHODS

__all__ = ["query"]

_BY_NAME = {method.replace(" ", "-"): method for method in METHODS}
_EXACT = ("auto", "elimination")


@click.command()
@click.argument("model", type=click.Path(readable=False))
@click.argument("targets", nargs=-1, metavar="[TARGET]...")
@evidence_options
@click.option(
    "--method",
    type=click.Choice(list(_BY_NAME)),
    default="auto",
    show_default=True,
    help="auto and elimination are exact; the others estimate.",
)
@click.option(
    "--samples",
    type=int,
    metavar="N",
    default=100_000,
    show_default=True,
    help="Rows of the methods that sample.",
)
@seed_option
@click.option(
    "--most-probable", is_flag=True, help="The most probable joint state of the targets, or of all."
)
@click.option("--forecast", is_flag=True, help="Only say what exact inference would cost.")
@format_option
def query(
    model: str,
    targets: tuple[str, ...],
    evidence: tuple[str, ...],
    do: tuple[str, ...],
    method: str,
    samples: int,
    seed: int,
    most_probable: bool,
    forecast: bool,
    output_format: str,
) -> None:
    """Ask MODEL for the distribution of the TARGETs together; without any, of each variable.

    MODEL is a file (.json, .bif ...), the name of a shipped network, or - for JSON from stdin.
    """
    if most_probable and forecast:
        raise click.UsageError("--forecast is of a distribution: leave out --most-probable")
    if (most_probable or forecast) and method not in _EXACT:
        chosen = "--most-probable" if most_probable else "--forecast"
        raise click.UsageError(f"{chosen} is of exact inference: leave out --method {method}")
    if forecast and do:
        raise click.UsageError("--forecast does not know what is set: leave out --do")
    net = read_model(model)
    given = read_evidence(net, "-e", evidence, soft=True)
    done = read_evidence(net, "--do", do)
    condition = [*evidence, *(f"do({text})" for text in do)]
    if forecast:
        _show_forecast(net, targets, given, output_format)
    elif most_probable:
        best, probability = net.most_probable(targets or None, given, do=done)
        show_best(best, probability, condition, output_format)
    else:
        settings: dict[str, Any] = {"method": _BY_NAME[method], "n_samples": samples, "seed": seed}
        if targets:
            answer = net.query(targets, given, do=done, **settings)
            show_joint(answer, condition, output_format)
            return
        known = known_states(given, done)
        wanted = [name for name in net.names if name not in known]
        if not wanted:
            raise DataError("the evidence has all variables: nothing is left to ask for")
        if method == "auto" and not done:  # all in one sweep
            answers = net.marginals(given, wanted)
        else:
            answers = {name: net.query(name, given, do=done, **settings) for name in wanted}
        show_marginals(list(answers.values()), condition, output_format)


def _show_forecast(
    net: BayesNet, targets: tuple[str, ...], given: dict[str, Any], output_format: str
) -> None:
    cost = net.forecast(targets, given)
    measures = asdict(cost)
    if output_format == "json":
        print_json(measures)
    elif output_format == "csv":
        print_csv(["measure", "result"], measures.items())
    else:
        rows = [
            [name.replace("_", " "), f"{value:,.0f}" if value < 1e15 else f"{value:.3g}"]
            for name, value in measures.items()
        ]
        print_rows(["measure", "result"], rows)
