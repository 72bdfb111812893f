"""Small reference networks, by name.

The numbers are those of the publications that :func:`source` names, written into our own JSON;
`student` has numbers of our own.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from json import loads

from dagwright.bayes_net import BayesNet
from dagwright.errors import DataError, did_you_mean

__all__ = ["load", "names", "source"]

names: tuple[str, ...] = (
    "student",
    "asia",
    "cancer",
    "earthquake",
    "survey",
    "sachs",
    "child",
    "insurance",
    "alarm",
)
"""The networks there are, small ones first."""


@cache
def load(name: str) -> BayesNet:
    """Return a reference network.

    Parameters
    ----------
    name : str
        One of `networks.names`.

    Examples
    --------
    >>> import dagwright as dw
    >>> dw.networks.load("student")
    BayesNet(3 nodes, 2 edges, 10 parameters)
    >>> dw.networks.source("asia")[:32]
    'S. Lauritzen and D. Spiegelhalte'
    """
    return BayesNet.from_dict(_values(name))


def source(name: str) -> str:
    """Return where a network was published."""
    return str(_values(name)["source"])


def _values(name: str) -> dict[str, object]:
    if name not in names:
        raise DataError(
            f"there is no network {name!r}: there are {', '.join(names)}"
            + did_you_mean(str(name), names)
        )
    text = (files(__name__) / f"{name}.json").read_text(encoding="utf-8")
    values: dict[str, object] = loads(text)
    return values
