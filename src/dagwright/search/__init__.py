"""Searches: one algorithm a file."""

from dagwright.search.base import Found, Search, Step, searches
from dagwright.search.ges import GES
from dagwright.search.hill_climb import HillClimb

__all__ = ["GES", "Found", "HillClimb", "Search", "Step", "searches"]
