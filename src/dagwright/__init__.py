"""Learn the structure of probabilistic graphical models from tables."""

from dagwright.compare import compare, shd
from dagwright.constraints import Constraints
from dagwright.cpdag import Cpdag
from dagwright.dags import all_dags, n_dags, random_dag
from dagwright.graph import Dag

__all__ = ["Constraints", "Cpdag", "Dag", "all_dags", "compare", "n_dags", "random_dag", "shd"]
