"""``dagwright explain``."""

from __future__ import annotations

from typing import Any

import click

from dagwright.cli.graphs import GraphFile, read_graph
from dagwright.cli.options import data_options, format_option, read_table
from dagwright.cli.report import one_line, print_csv, print_json, print_rows
from dagwright.constraints import Constraints
from dagwright.edge_cards.edge_card import EdgeCard
from dagwright.edge_cards.explain import explain as explain_graph
from dagwright.edge_cards.explanation import HEADER, Explanation
from dagwright.errors import SpecError
from dagwright.io.files import write_text
from dagwright.load import load
from dagwright.posterior.bootstrap import Bootstrap
from dagwright.posterior.sampled import Posterior
from dagwright.scores import scores
from dagwright.structure_priors import structure_priors

__all__ = ["explain"]


@click.command()
@click.argument("graph", type=click.Path(readable=False))
@click.argument("data", type=click.Path(readable=False))
@click.argument("a", required=False)
@click.argument("b", required=False)
@click.option(
    "--score",
    "score_text",
    metavar="SPEC",
    help="The score, as in bdeu:ess=10.  [default: that of GRAPH if it was learned, else bic]",
)
@click.option(
    "--posterior",
    "posterior_file",
    type=click.Path(),
    help="Probabilities of edges from a file of `dagwright posterior`.",
)
@click.option(
    "--bootstrap",
    "bootstrap_file",
    type=click.Path(),
    help="Shares of edges from a file of `dagwright bootstrap`.",
)
@click.option("-o", "--output", type=click.Path(), help="Write the cards to this .html file.")
@data_options
@format_option
def explain(
    graph: str,
    data: str,
    a: str | None,
    b: str | None,
    score_text: str | None,
    posterior_file: str | None,
    bootstrap_file: str | None,
    output: str | None,
    output_format: str,
    **data_settings: Any,
) -> None:
    """Explain the edges of GRAPH by the table DATA; with two nodes A and B what is between them.

    GRAPH is a file (.json, .graphml, .bif ...), the name of a shipped network, or - for JSON from
    stdin. A learned graph brings its score, structure prior and constraints.
    """
    if a is not None and b is None:
        raise click.UsageError(f"name two nodes, or none for the whole graph: {a!r} is one")
    if output is not None and not output.lower().endswith((".html", ".htm")):
        raise click.BadParameter(f"{output!r} must end in .html", param_hint="--output")
    graph_file = read_graph(graph)
    posterior = _sample(posterior_file, Posterior, "posterior")
    bootstrap = _sample(bootstrap_file, Bootstrap, "bootstrap")
    table = read_table(data, graphs=[graph_file], **data_settings)
    found = explain_graph(
        graph_file.dag,
        table,
        a,
        b,
        posterior=posterior,
        bootstrap=bootstrap,
        **_made_with(graph_file, score_text),
    )
    if output is not None:
        write_text(found.to_html(), output)
    if output_format == "json":
        print_json(found.to_dict())
    elif isinstance(found, EdgeCard):
        if output_format == "csv":
            print_csv(["subject", "text"], found.lines().items())
        else:
            click.echo("\n".join(map(one_line, str(found).splitlines())))
    else:
        _print_graph(found, output_format)


def _print_graph(found: Explanation, output_format: str) -> None:
    if output_format == "csv":
        cards = (*found.edges, *found.nearly)
        place = HEADER.index("p-value")  # which has a few digits in tables
        rows = zip(found.rows(cards), cards, strict=True)
        print_csv(HEADER, ([*r[:place], c.test.p_value, *r[place + 1 :]] for r, c in rows))
        return
    click.echo(f"{len(found.edges):,} edges, {found.score} {found.total:,.3f}\n")
    print_rows(HEADER, found.rows(found.edges), digits=2)
    if found.nearly:
        click.echo("\nNearest to being edges:\n")
        print_rows(HEADER, found.rows(found.nearly), digits=2)


def _made_with(graph: GraphFile, score_text: str | None) -> dict[str, Any]:
    """Return the score, prior and constraints of a learned graph; those of BIC for another."""
    settings: dict[str, Any] = {}
    if graph.result is not None:
        info = graph.result.info
        settings["structure_prior"] = structure_priors.from_dict(info.structure_prior)
        settings["constraints"] = Constraints.from_dict(info.constraints)
        if score_text is None:
            settings["score"] = scores.from_dict(info.score)
    if score_text is not None:
        settings["score"] = scores.parse(score_text)
    return settings


def _sample(path: str | None, kind: type[Any], word: str) -> Any:
    if path is None:
        return None
    found = load(path)
    if not isinstance(found, kind):
        raise SpecError(f"{path} has no {word}: make one with `dagwright {word} DATA -o FILE`")
    return found
