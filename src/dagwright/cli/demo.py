"""``dagwright demo``."""

from __future__ import annotations

import click

from dagwright.cli.learn import show_result
from dagwright.cli.options import load_reader
from dagwright.compare import compare
from dagwright.examples import asia, asia_dag
from dagwright.learn import learn
from dagwright.scorer import Scorer

__all__ = ["demo"]


@click.command()
def demo() -> None:
    """Learn a graph from bundled data and show it."""
    load_reader()
    table, truth = asia(), asia_dag()
    click.echo(
        "Asia (Lauritzen & Spiegelhalter 1988): patients of a chest clinic. Their habits,\n"
        "illnesses and findings are in the table; which depends on which is to be learned.\n"
    )
    scorer = Scorer(table)
    result = learn(scorer)
    show_result(result, scorer, "table")
    click.echo("\nThe graph, parents before children:\n")
    for node in result.dag.topological_order():
        children = ", ".join(result.dag.children(node))
        click.echo(f"  {node:<6} -> {children}" if children else f"  {node}")
    report = compare(truth, result.dag)
    found = len(truth.edges) - len(report.missing)
    click.echo(
        f"\nThe rows were drawn from a graph of {len(truth.edges)} edges: {found} of them were "
        f"found, directions\naside. Structural Hamming distance of the classes: {report.shd}."
    )
    click.echo("\nYour own data:  dagwright learn data.csv -o graph.json")
