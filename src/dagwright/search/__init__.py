"""Searches: one algorithm a file."""

from dagwright.search.anneal import Anneal
from dagwright.search.base import Found, Search, Step, searches
from dagwright.search.hill_climb import HillClimb
from dagwright.search.order_search import OrderSearch
from dagwright.search.tabu import Tabu

__all__ = [
    "Anneal",
    "Found",
    "HillClimb",
    "OrderSearch",
    "Search",
    "Step",
    "Tabu",
    "searches",
]
