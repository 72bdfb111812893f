"""Graphs that chains start from."""

from __future__ import annotations

from copy import copy

from dagwright.constraints import Constraints
from dagwright.graph import Dag
from dagwright.run import Run
from dagwright.scorer import Scorer
from dagwright.search import HillClimb, OrderSearch

__all__ = ["start_graphs"]


def start_graphs(scorer: Scorer, constraints: Constraints, n_chains: int, run: Run) -> list[Dag]:
    """Return a graph for each chain: the best one known, then others far from it.

    Chains that start at one graph agree at once, whether or not there are others like it. So all
    but the first start where hill climbing ends from a random graph.
    """
    graphs = [OrderSearch().find(scorer, constraints, run).dag]
    for chain in range(1, n_chains):
        own = copy(run)
        own.seed = (run.seed + chain) % 2**64
        graphs.append(HillClimb(start="random").find(scorer, constraints, own).dag)
    return graphs
