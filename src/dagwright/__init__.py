"""Learn the structure of probabilistic graphical models from tables."""

from dagwright.compare import compare, shd
from dagwright.constraints import Constraints
from dagwright.cpdag import Cpdag
from dagwright.dags import all_dags, n_dags, random_dag
from dagwright.discretize import Cuts, EqualWidth, Quantiles
from dagwright.errors import DagwrightError, DataError, GraphError, Interrupted, SpecError
from dagwright.graph import Dag
from dagwright.io.read import read
from dagwright.learn import learn, replay
from dagwright.pairs import PairMatrix, mutual_information_matrix
from dagwright.result import Result
from dagwright.scorer import Scorer, score
from dagwright.scores import AIC, BIC, K2, MDL, BDe, BDeu, Dirichlet, LogLikelihood, Penalized
from dagwright.search import (
    GES,
    Anneal,
    Auto,
    ChowLiu,
    Found,
    HillClimb,
    K2Search,
    OrderSearch,
    Perturb,
    Tabu,
    TreeAugmentedNaiveBayes,
)
from dagwright.sources import Chunks
from dagwright.structure_priors import EdgeBeliefs, EdgePenalty, Modular, ParentCount, Uniform
from dagwright.table import Table

__all__ = [
    "AIC",
    "BIC",
    "GES",
    "K2",
    "MDL",
    "Anneal",
    "Auto",
    "BDe",
    "BDeu",
    "ChowLiu",
    "Chunks",
    "Constraints",
    "Cpdag",
    "Cuts",
    "Dag",
    "DagwrightError",
    "DataError",
    "Dirichlet",
    "EdgeBeliefs",
    "EdgePenalty",
    "EqualWidth",
    "Found",
    "GraphError",
    "HillClimb",
    "Interrupted",
    "K2Search",
    "LogLikelihood",
    "Modular",
    "OrderSearch",
    "PairMatrix",
    "ParentCount",
    "Penalized",
    "Perturb",
    "Quantiles",
    "Result",
    "Scorer",
    "SpecError",
    "Table",
    "Tabu",
    "TreeAugmentedNaiveBayes",
    "Uniform",
    "all_dags",
    "compare",
    "learn",
    "mutual_information_matrix",
    "n_dags",
    "random_dag",
    "read",
    "replay",
    "score",
    "shd",
]
