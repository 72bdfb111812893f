"""``dagwright posterior``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from dagwright.cli.learn import given, run_options
from dagwright.cli.options import (
    constraints_option,
    data_options,
    format_option,
    read_table,
    spec_option,
)
from dagwright.cli.posterior_exact import sum_over_all
from dagwright.cli.posterior_sampled import sample_graphs
from dagwright.constraints import Constraints
from dagwright.errors import SpecError
from dagwright.io.files import check_writable
from dagwright.mcmc import PartitionMCMC, samplers
from dagwright.posterior.over import Over
from dagwright.scores import BDeu, scores
from dagwright.structure_priors import Uniform, structure_priors

__all__ = ["posterior"]

_OF_SAMPLES = {
    "sampler": "--sampler",
    "draws": "--draws",
    "chains": "--chains",
    "warmup": "--warmup",
    "thin": "--thin",
    "seed": "--seed",
    "earlier": "--resume",
}
_OF_WHAT = {
    "score_spec": "--score",
    "structure_prior": "--structure-prior",
    "constraints": "--constraints",
    "max_parents": "--max-parents",
}


@click.command()
@click.argument("data", type=click.Path(readable=False))
@click.option("--exact", is_flag=True, help="Sum over all graphs: up to about 20 variables.")
@click.option(
    "--over",
    type=click.Choice(["dags", "orders"]),
    default="dags",
    show_default=True,
    help="With --exact. dags: every DAG counts once. orders: once for each order of the variables "
    "that fits it (its linear extensions), which favours DAGs with many orders, and is much "
    "faster.",
)
@spec_option("--sampler", "sampler", samplers, PartitionMCMC(), "order-mcmc:correct=False")
@click.option(
    "--draws",
    type=int,
    metavar="N",
    default=1000,
    show_default=True,
    help="Graphs to keep, from each chain.",
)
@click.option(
    "--chains", type=int, metavar="N", default=4, show_default=True, help="Chains side by side."
)
@click.option(
    "--warmup",
    type=int,
    metavar="N",
    default=200,
    show_default=True,
    help="Draws from each chain that are thrown away first.",
)
@click.option(
    "--thin",
    type=int,
    metavar="N",
    help="Steps from one draw to the next.  [default: half the number of pairs of variables]",
)
@click.option(
    "--seed",
    type=int,
    metavar="N",
    default=0,
    show_default=True,
    help="Same seed, same draws, however many threads.",
)
@click.option(
    "--resume",
    "earlier",
    type=click.Path(readable=False),
    metavar="FILE",
    help="Go on with the chains of a .json that -o wrote, as set there; --draws says "
    "how many more.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(readable=False),
    help="Write .json (all draws; with --exact the probabilities) or .csv (the probabilities).",
)
@spec_option("--score", "score_spec", scores, BDeu(1), "bdeu:ess=10")
@spec_option("--structure-prior", "structure_prior", structure_priors, Uniform(), "edges:0.5")
@constraints_option
@click.option(
    "--max-parents",
    type=int,
    metavar="N",
    help="No variable has more parents; goes before that of --constraints.",
)
@run_options
@data_options
@format_option
def posterior(
    data: str,
    exact: bool,
    over: Over,
    sampler: Any,
    draws: int,
    chains: int,
    warmup: int,
    thin: int | None,
    seed: int,
    earlier: str | None,
    output: str | None,
    score_spec: Any,
    structure_prior: Any,
    constraints: Constraints,
    max_parents: int | None,
    threads: int | None,
    time_limit: float | None,
    output_format: str,
    **data_settings: Any,
) -> None:
    """Say how probable each edge is, given the table DATA (.csv, .tsv, .parquet; - is stdin).

    Graphs are sampled by Markov chains, or with --exact all of them are summed over. The score
    stands for the log of the marginal likelihood, which it is for bdeu, bde, k2 and dirichlet. A
    run that is stopped keeps its draws; one over all graphs has no answer then.
    """
    _check_options(exact, earlier)
    if output is not None:
        _check_output(output, exact)
    if max_parents is not None:
        constraints = Constraints.from_dict(constraints.to_dict() | {"max_parents": max_parents})
    table = read_table(data, **data_settings)
    model = {"constraints": constraints, "structure_prior": structure_prior}
    if exact:
        sum_over_all(
            table,
            score_spec,
            output,
            output_format,
            time_limit,
            over=over,
            threads=threads,
            **model,
        )
        return
    sample_graphs(
        table,
        earlier,
        draws,
        output,
        output_format,
        {"threads": threads, "time_limit": time_limit},
        sampler=sampler,
        score=score_spec,
        chains=chains,
        warmup=warmup,
        thin=thin,
        seed=seed,
        **model,
    )


def _check_options(exact: bool, earlier: str | None) -> None:
    if exact:
        wrong = [option for name, option in _OF_SAMPLES.items() if given(name)]
        if wrong:
            raise click.UsageError(f"--exact draws nothing: leave out {', '.join(wrong)}")
    elif given("over"):
        raise click.UsageError("--over is for --exact; to sample orders: --sampler order-mcmc")
    if earlier is not None:
        settings = {
            name: option for name, option in _OF_SAMPLES.items() if name not in ("draws", "earlier")
        }
        wrong = [option for name, option in (settings | _OF_WHAT).items() if given(name)]
        if wrong:
            raise click.UsageError(f"--resume has settings: leave out {', '.join(wrong)}")


def _check_output(path: str, exact: bool) -> None:
    name = Path(path).name.lower()
    known = (".json", ".csv") if exact else (".json", ".json.gz", ".csv")
    if not name.endswith(known):
        raise SpecError(f"-o {path}: the ending says the format; known are {', '.join(known)}")
    check_writable(path)
