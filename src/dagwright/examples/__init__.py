"""Bundled data to try things on.

``asia.csv``: 5,000 rows that we drew ourselves (numpy, seed 1988) from the network published in
S. Lauritzen and D. Spiegelhalter, "Local computations with probabilities on graphical structures
and their application to expert systems", JRSS B 50 (1988); the rows are under dagwright's licence.
"""

from __future__ import annotations

from importlib.resources import as_file, files

from dagwright.graph import Dag
from dagwright.io.read import read
from dagwright.table import Table

__all__ = ["asia", "asia_dag"]


def asia() -> Table:
    """Return 5,000 rows of the chest clinic network.

    Examples
    --------
    >>> from dagwright.examples import asia
    >>> len(asia()), asia().names[:3]
    (5000, ('asia', 'tub', 'smoke'))
    """
    with as_file(files(__name__) / "asia.csv") as path:
        return read(path)


def asia_dag() -> Dag:
    """Return the graph that the rows were drawn from.

    Examples
    --------
    >>> from dagwright.examples import asia_dag
    >>> asia_dag().parents("either")
    ('tub', 'lung')
    """
    edges = (
        "asia-tub smoke-lung smoke-bronc tub-either lung-either either-xray either-dysp bronc-dysp"
    )
    nodes = ["asia", "tub", "smoke", "lung", "bronc", "either", "xray", "dysp"]
    return Dag([edge.split("-") for edge in edges.split()], nodes=nodes)
