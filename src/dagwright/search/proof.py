"""How far the graph that a search found may be from the best of all."""

from __future__ import annotations

import math
from dataclasses import replace
from importlib.util import find_spec

from dagwright import _core
from dagwright.constraints import Constraints
from dagwright.run import Run
from dagwright.scorer import Scorer
from dagwright.search.base import Found, Stage, rounding
from dagwright.search.exact_dp import ExactDP
from dagwright.search.exact_ilp import ExactILP
from dagwright.search.parent_sets import MOST_VARIABLES, ParentSets, find_parent_sets
from dagwright.specs import Spec

__all__ = ["exact_search", "prove", "solver_for", "with_quick_bound"]

_MAX_BYTES = 4 * 2.0**30
_QUICK_BYTES = 2.0**26
"""What dynamic programming takes a fraction of a second for: 20 variables."""


def with_quick_bound(found: Found, scorer: Scorer, constraints: Constraints) -> Found:
    """Bound what any graph can score, if the search did not, for next to no work.

    That is the sum of what each variable can score with any parents, cycles aside. It is far above
    what any graph scores, but it holds; `prove` finds better ones.
    """
    if found.bound < math.inf or not isinstance(scorer.score_spec, Spec):
        return found
    required: dict[str, tuple[str, ...]] = dict.fromkeys(scorer.names, ())
    for parent, child in constraints.required:
        required[child] += (parent,)
    return replace(found, bound=math.fsum(scorer.upper_bounds(required.items())))


def prove(found: Found, scorer: Scorer, constraints: Constraints, run: Run) -> Found:
    """Bound what any graph can score, and find a better one if there is one.

    All parent sets that a better graph may need are found; then dynamic programming or integer
    programming, whichever suits, solves what is left. What the run's time does not suffice for
    leaves a higher bound. Nothing is known of scores in Python, and of more than 64 variables.
    """
    if not isinstance(scorer.score_spec, Spec) or len(scorer.names) > MOST_VARIABLES:
        return found
    score_found = scorer.score(found.dag)
    if found.bound - score_found <= rounding(score_found):
        return found  # the search was exact
    began = run.seconds
    sets = find_parent_sets(scorer, constraints, _MAX_BYTES, run)
    solver = solver_for(sets)
    if solver is None:
        proved = Found(found.dag, reason=run.reason or sets.reason, bound=sets.bound)
    else:
        proved = solver.prove(found.dag, score_found, sets, run)
    score = scorer.score(proved.dag)
    stage = Stage(
        "proof" if solver is None else solver.name, score, run.seconds - began, proved.reason
    )
    better = score > score_found + rounding(score)
    return replace(
        found,
        dag=proved.dag if better else found.dag,
        reason=proved.reason if proved.reason == "optimal" else found.reason,
        bound=min(found.bound, proved.bound),
        stages=(*found.stages, stage),
    )


def exact_search(n_variables: int) -> ExactDP | ExactILP:
    """Return the exact search for so many variables: dynamic programming where that is quick."""
    quick = _core.exact_dp_bytes(n_variables) <= _QUICK_BYTES
    return ExactDP() if quick or find_spec("highspy") is None else ExactILP()


def solver_for(sets: ParentSets) -> ExactDP | ExactILP | None:
    """Return what can solve these: None if the sum of the best scores is all there is."""
    n_variables = len(sets.names)
    if not sets.complete and find_spec("highspy") is not None:
        return ExactILP()  # it can make something of some
    fits = sets.complete and _core.exact_dp_bytes(n_variables) <= _MAX_BYTES
    search = exact_search(n_variables)
    return search if fits or isinstance(search, ExactILP) else None
