"""Searches: one algorithm a file."""

from dagwright.search.anneal import Anneal
from dagwright.search.base import Found, Search, Step, searches
from dagwright.search.hill_climb import HillClimb
from dagwright.search.perturb import Perturb
from dagwright.search.tabu import Tabu

__all__ = ["Anneal", "Found", "HillClimb", "Perturb", "Search", "Step", "Tabu", "searches"]
