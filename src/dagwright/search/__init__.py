"""Searches: one algorithm a file."""

from dagwright.search.anneal import Anneal
from dagwright.search.auto import Auto
from dagwright.search.base import Found, Search, Step, searches
from dagwright.search.ges import GES
from dagwright.search.hill_climb import HillClimb
from dagwright.search.order_search import OrderSearch
from dagwright.search.tabu import Tabu

__all__ = [
    "GES",
    "Anneal",
    "Auto",
    "Found",
    "HillClimb",
    "OrderSearch",
    "Search",
    "Step",
    "Tabu",
    "searches",
]
