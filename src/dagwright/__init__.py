"""Learn the structure of probabilistic graphical models from tables."""

from dagwright.discretize import Edges, Quantiles, Uniform
from dagwright.errors import DagwrightError, DataError, GraphError, SpecError
from dagwright.io import read
from dagwright.table import Table

__all__ = [
    "DagwrightError",
    "DataError",
    "Edges",
    "GraphError",
    "Quantiles",
    "SpecError",
    "Table",
    "Uniform",
    "read",
]
