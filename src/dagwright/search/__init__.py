"""Searches: one algorithm a file."""

from dagwright.search.anneal import Anneal
from dagwright.search.auto import Auto
from dagwright.search.base import Found, Search, Step, searches
from dagwright.search.chow_liu import ChowLiu
from dagwright.search.exact_dp import ExactDP
from dagwright.search.exact_ilp import ExactILP
from dagwright.search.exhaustive import Exhaustive
from dagwright.search.ges import GES
from dagwright.search.hill_climb import HillClimb
from dagwright.search.k2_search import K2Search
from dagwright.search.order_search import OrderSearch
from dagwright.search.parent_sets import ParentSets
from dagwright.search.perturb import Perturb
from dagwright.search.tabu import Tabu
from dagwright.search.tree_augmented_naive_bayes import TreeAugmentedNaiveBayes

__all__ = [
    "GES",
    "Anneal",
    "Auto",
    "ChowLiu",
    "ExactDP",
    "ExactILP",
    "Exhaustive",
    "Found",
    "HillClimb",
    "K2Search",
    "OrderSearch",
    "ParentSets",
    "Perturb",
    "Search",
    "Step",
    "Tabu",
    "TreeAugmentedNaiveBayes",
    "searches",
]
