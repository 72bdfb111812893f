"""``dagwright demo``."""

from __future__ import annotations

import click

from dagwright.cli.learn import show_result
from dagwright.compare import compare
from dagwright.examples import asia, asia_dag
from dagwright.learn import learn
from dagwright.scorer import Scorer

__all__ = ["demo"]


@click.command()
def demo() -> None:
    """Learn a graph from bundled data and show it."""
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
        children = result.dag.children(node)
        click.echo(f"  {node:<8}" + (f" -> {', '.join(children)}" if children else ""))
    report = compare(truth, result.dag)
    found = len(truth.edges) - len(report.missing)
    click.echo(
        f"\nOf the {len(truth.edges)} edges of the graph that the rows were drawn from, {found} "
        f"were found;\nstructural Hamming distance {report.shd}."
    )
    click.echo("\nYour own data:  dagwright learn data.csv -o graph.json")
