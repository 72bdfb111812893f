"""Models from files."""

from __future__ import annotations

from os import PathLike

from dagwright.bayes_net import BayesNet
from dagwright.errors import DagwrightError, DataError
from dagwright.io.json import is_json, read_json
from dagwright.model_file import KIND
from dagwright.posterior.bootstrap import KIND as BOOTSTRAP
from dagwright.posterior.bootstrap import Bootstrap
from dagwright.posterior.posterior_file import KIND as POSTERIOR
from dagwright.posterior.sampled import Posterior
from dagwright.result import Result

__all__ = ["load"]


def load(path: str | PathLike[str]) -> BayesNet | Result | Bootstrap | Posterior:
    """Read a model from a file; the ending says the format, .gz after it unpacks it.

    Parameters
    ----------
    path : path
        .json of dagwright, .bif, .xmlbif, .xml, .xdsl (GeNIe), .net (Hugin), .uai or .dsc.

    Returns
    -------
    BayesNet, Result, Bootstrap or Posterior
        A Result if the file has one: a graph without parameters, as `dagwright learn` writes it;
        a Bootstrap as `dagwright bootstrap`, a Posterior as `dagwright posterior` writes it.

    Examples
    --------
    >>> import dagwright as dw, pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "asia.bif.gz"
    >>> dw.networks.load("asia").save(path)
    >>> dw.load(path) == dw.networks.load("asia")
    True
    """
    if not is_json(path):
        return BayesNet.load(path)
    values = read_json(path)
    kind = values.get("kind") if isinstance(values, dict) else None
    try:
        if kind == BOOTSTRAP:
            return Bootstrap.from_dict(values)
        if kind == POSTERIOR:
            return Posterior.from_dict(values)
        return (BayesNet if kind == KIND else Result).from_dict(values)
    except DagwrightError as error:
        raise DataError(f"{path}: {error}") from error
