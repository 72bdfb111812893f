"""``dagwright convert``."""

from __future__ import annotations

import click

from dagwright.cli.models import model_writer, read_model, read_undirected

__all__ = ["convert"]


@click.command()
@click.argument("source", metavar="IN", type=click.Path(readable=False))
@click.argument("target", metavar="OUT", type=click.Path(readable=False))
def convert(source: str, target: str) -> None:
    """Read the model IN and write it to the file OUT, whose ending says the format.

    Formats are .json (which keeps all), .bif, .xmlbif, .xdsl (GeNIe), .net (Hugin), .uai and .dsc,
    each also with .gz; IN may be the name of a shipped network, or - for JSON from stdin. A
    warning names what the format cannot keep. Undirected models go to .json and .uai.
    """
    undirected = read_undirected(source)
    if undirected is not None:
        undirected.save(target)
        return
    write = model_writer(target)
    write(read_model(source))
