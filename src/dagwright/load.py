"""Models from files."""

from __future__ import annotations

from os import PathLike
from typing import Any

from dagwright.bayes_net import BayesNet
from dagwright.errors import DagwrightError, DataError
from dagwright.io.files import read_text
from dagwright.io.json import is_json, read_json
from dagwright.io.uai_markov import is_markov
from dagwright.markov.ising import KIND as ISING
from dagwright.markov.ising import Ising
from dagwright.markov.log_linear import KIND as LOG_LINEAR
from dagwright.markov.log_linear import LogLinear, is_uai
from dagwright.markov.result import KIND as UNDIRECTED
from dagwright.markov.result import UndirectedResult
from dagwright.model_file import KIND
from dagwright.posterior.bootstrap import KIND as BOOTSTRAP
from dagwright.posterior.bootstrap import Bootstrap
from dagwright.posterior.posterior_file import KIND as POSTERIOR
from dagwright.posterior.sampled import Posterior
from dagwright.result import Result
from dagwright.undirected_graph import KIND as UNDIRECTED_GRAPH
from dagwright.undirected_graph import UndirectedGraph

__all__ = ["Loaded", "load"]


Loaded = (
    BayesNet
    | Result
    | Bootstrap
    | Posterior
    | Ising
    | LogLinear
    | UndirectedGraph
    | UndirectedResult
)
"""What a file may have."""

_KINDS: dict[str, type[Any]] = {
    KIND: BayesNet,
    BOOTSTRAP: Bootstrap,
    POSTERIOR: Posterior,
    ISING: Ising,
    LOG_LINEAR: LogLinear,
    UNDIRECTED_GRAPH: UndirectedGraph,
    UNDIRECTED: UndirectedResult,
}


def load(path: str | PathLike[str]) -> Loaded:
    """Read a model from a file; the ending says the format, .gz after it unpacks it.

    Parameters
    ----------
    path : path
        .json of dagwright, .bif, .xmlbif, .xml, .xdsl (GeNIe), .net (Hugin), .uai or .dsc.

    Returns
    -------
    BayesNet, Result, Bootstrap, Posterior, UndirectedResult, Ising, LogLinear or UndirectedGraph
        A Result if the file has one: a graph without parameters, as `dagwright learn` writes it;
        a Bootstrap as `dagwright bootstrap`, a Posterior as `dagwright posterior`, an
        UndirectedResult as `dagwright ising` writes it. A .uai file with MARKOV is a LogLinear.

    Examples
    --------
    >>> import dagwright as dw, pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "asia.bif.gz"
    >>> dw.networks.load("asia").save(path)
    >>> dw.load(path) == dw.networks.load("asia")
    True
    """
    if not is_json(path):
        if is_uai(path) and is_markov(read_text(path)):
            return LogLinear.load(path)
        return BayesNet.load(path)
    values = read_json(path)
    kind = values.get("kind") if isinstance(values, dict) else None
    try:
        loaded: Loaded = _KINDS.get(str(kind), Result).from_dict(values)
        return loaded
    except DagwrightError as error:
        raise DataError(f"{path}: {error}") from error
