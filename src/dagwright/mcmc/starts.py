"""Graphs that chains start from."""

from __future__ import annotations

from copy import copy

from dagwright.constraints import Constraints
from dagwright.graph import Dag
from dagwright.run import Run
from dagwright.scorer import Scorer
from dagwright.search import HillClimb, OrderSearch
from dagwright.specs import Spec

__all__ = ["start_graphs"]

_MANY_VARIABLES = 100
"""Beyond, and for scores in Python, searching over orders takes longer than chains do."""

_SHARE = 0.25
"""Of the time limit, for the first graph."""


def start_graphs(scorer: Scorer, constraints: Constraints, n_chains: int, run: Run) -> list[Dag]:
    """Return a graph for each chain: the best one known, then others far from it.

    Chains that start at one graph agree at once, whether or not there are others like it. So all
    but the first start where hill climbing ends from a random graph.
    """
    quick = len(scorer.names) > _MANY_VARIABLES or not isinstance(scorer.score_spec, Spec)
    first = HillClimb() if quick else OrderSearch()
    limited = run if run.time_limit is None else run.part(_SHARE * run.time_limit)
    graphs = [first.find(scorer, constraints, limited).dag]
    for chain in range(1, n_chains):
        own = copy(run)
        own.seed = (run.seed + chain) % 2**64
        climb = HillClimb(start="random", sideways=False)
        graphs.append(climb.find(scorer, constraints, own).dag)
    return graphs
