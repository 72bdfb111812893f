"""Models for commands: from files, by name, from a pipe; and to files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from dagwright.bayes_net import BayesNet
from dagwright.cli.stdin import STDIN, spooled_stdin
from dagwright.errors import DataError, SpecError, did_you_mean
from dagwright.io.files import check_writable
from dagwright.io.json import is_json
from dagwright.load import Loaded, load
from dagwright.markov.ising import Ising
from dagwright.markov.log_linear import LogLinear
from dagwright.markov.result import UndirectedResult
from dagwright.networks import load as load_shipped
from dagwright.networks import names as shipped
from dagwright.posterior.sampled import Posterior
from dagwright.result import Result
from dagwright.undirected_graph import UndirectedGraph

__all__ = ["ENDINGS", "is_network", "load_any", "model_writer", "read_model", "read_undirected"]

ENDINGS = (".bif", ".xmlbif", ".xml", ".xdsl", ".net", ".uai", ".dsc")
"""Files of other programs' networks, each also with .gz."""


def is_network(path: str) -> bool:
    """Say whether the ending is that of another program's network, packed or not."""
    return Path(path).name.lower().removesuffix(".gz").endswith(ENDINGS)


def load_any(source: str, what: str, more_endings: str = "") -> BayesNet | Result:
    """Load a file, a shipped network by its name, or JSON from stdin.

    A file wins over a shipped network of the same name.
    """
    if source == STDIN:
        with spooled_stdin(".json") as path:
            return _one_graph(load(path), "stdin")
    if is_json(source) or is_network(source):
        return _one_graph(load(source), source)
    if source in shipped and not Path(source).is_file():
        return load_shipped(source)
    raise DataError(
        f"cannot read {what} from {source}: known endings are .json, {more_endings}"
        f"{', '.join(ENDINGS)}, each also with .gz; known networks are {', '.join(shipped)}"
        + did_you_mean(source, shipped)
    )


def _one_graph(model: Loaded, subject: str) -> BayesNet | Result:
    if isinstance(model, BayesNet | Result):
        return model
    if isinstance(model, UndirectedResult | Ising | LogLinear | UndirectedGraph):
        raise DataError(
            f"{subject} is undirected, not a Bayesian network: take dw.load(file) in Python"
        )
    if isinstance(model, Posterior):
        raise DataError(
            f"{subject} has the {model.scores.size:,} draws of a posterior, not one graph: take "
            "dw.load(file).median_graph or .map_graph in Python"
        )
    raise DataError(
        f"{subject} has the {len(model.sample)} graphs of a bootstrap: write the averaged one by "
        "dagwright bootstrap -o graph.graphml, and take that"
    )


def read_undirected(source: str) -> Ising | LogLinear | None:
    """Read an undirected model from a file; None if there is another one in it."""
    if not (is_json(source) or is_network(source)):
        return None
    model = load(source)
    if isinstance(model, UndirectedResult):
        return model.model
    return model if isinstance(model, Ising | LogLinear) else None


def read_model(source: str) -> BayesNet:
    """Read a Bayesian network; a graph without parameters is none."""
    model = load_any(source, "a model")
    if isinstance(model, BayesNet):
        return model
    subject = "stdin" if source == STDIN else source
    raise DataError(
        f"{subject} has a graph, but no parameters: fit it to rows first, as in "
        f"dagwright fit {source} rows.csv -o model.json"
    )


def model_writer(path: str) -> Callable[[BayesNet], None]:
    """Return what writes to the path; refuse the path now rather than after the run."""
    if not (is_json(path) or is_network(path)):
        raise SpecError(
            f"cannot write a model to {path}: the ending says the format; known are .json, "
            f"{', '.join(ENDINGS)}, each also with .gz"
        )
    check_writable(path)
    return lambda model: model.save(path)
