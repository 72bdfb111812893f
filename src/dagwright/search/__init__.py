"""Searches: one algorithm a file."""

from dagwright.search.base import Found, Search, Step, searches
from dagwright.search.chow_liu import ChowLiu
from dagwright.search.hill_climb import HillClimb
from dagwright.search.k2_search import K2Search
from dagwright.search.tree_augmented_naive_bayes import TreeAugmentedNaiveBayes

__all__ = [
    "ChowLiu",
    "Found",
    "HillClimb",
    "K2Search",
    "Search",
    "Step",
    "TreeAugmentedNaiveBayes",
    "searches",
]
