"""Learn the structure of probabilistic graphical models from tables."""

from dagwright.discretize import Edges, Quantiles, Uniform
from dagwright.io import read
from dagwright.table import Table

__all__ = ["Edges", "Quantiles", "Table", "Uniform", "read"]
