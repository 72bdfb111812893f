"""``dagwright tree``."""

from __future__ import annotations

from typing import Any

import click

from dagwright._names import Edge
from dagwright.cli.learn import learn_and_show, output_option, run_options, writer_of
from dagwright.cli.options import (
    constraints_option,
    data_options,
    format_option,
    read_table,
    score_options,
)
from dagwright.constraints import Constraints
from dagwright.scorer import Scorer
from dagwright.search import ChowLiu, TreeAugmentedNaiveBayes

__all__ = ["tree"]


@click.command()
@click.argument("data", type=click.Path(readable=False))
@output_option
@click.option("--root", metavar="VARIABLE", help="Let the edges point away from this one.")
@click.option("--forest", is_flag=True, help="Only edges that gain by the score and the prior.")
@click.option(
    "--target",
    metavar="VARIABLE",
    help="Tree-augmented naive Bayes: this one is a parent of all, the others make a tree.",
)
@score_options
@constraints_option
@run_options
@data_options
@format_option
def tree(
    data: str,
    output: str | None,
    root: str | None,
    forest: bool,
    target: str | None,
    score_spec: Any,
    structure_prior: Any,
    constraints: Constraints,
    threads: int | None,
    time_limit: float | None,
    output_format: str,
    **data_settings: Any,
) -> None:
    """Learn the best tree from the table DATA (.csv, .tsv, .parquet; - is CSV from stdin).

    That is the tree of greatest likelihood (Chow and Liu), or with --forest the forest of greatest
    score. Each edge is printed with its gain by the score and with the mutual information of its
    ends, for the edges of a tree with a target given that.
    """
    if target is not None and (root is not None or forest):
        raise click.UsageError("--target makes a tree of its own: leave out --root and --forest")
    search = ChowLiu(root, forest) if target is None else TreeAugmentedNaiveBayes(target)

    def information(scorer: Scorer, edge: Edge) -> float:
        given = [] if target is None or target in edge else [target]
        first, second = edge
        return (
            scorer.entropy([first, *given])
            + scorer.entropy([second, *given])
            - scorer.entropy([*edge, *given])
            - scorer.entropy(given)
        )

    write = writer_of(output)
    table = read_table(data, **data_settings)
    learn_and_show(
        Scorer(table, score_spec, structure_prior=structure_prior),
        search,
        write,
        output_format,
        information,
        constraints=constraints,
        threads=threads,
        time_limit=time_limit,
    )
