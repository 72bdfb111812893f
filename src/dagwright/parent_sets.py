"""From a table to the parent sets that an optimal graph may need."""

from __future__ import annotations

from typing import Any

from dagwright.constraints import Constraints
from dagwright.errors import SpecError
from dagwright.run import Callback, whole_run
from dagwright.scorer import Scorer, open_scorer
from dagwright.scores import Score
from dagwright.search.parent_sets import ParentSets, find_parent_sets
from dagwright.sources import Chunks
from dagwright.specs import check_positive
from dagwright.structure_priors import StructurePrior
from dagwright.table import Table

__all__ = ["parent_sets"]


def parent_sets(
    data: Table | Chunks | Scorer | Any,
    *,
    score: Score | None = None,
    constraints: Constraints | None = None,
    structure_prior: StructurePrior | None = None,
    max_bytes: float = 4 * 2.0**30,
    threads: int | None = None,
    time_limit: float | None = None,
    progress: bool = False,
    callback: Callback | None = None,
) -> ParentSets:
    """Score all parent sets that an optimal graph may need.

    Parameters
    ----------
    data, score, constraints, structure_prior, threads, time_limit, progress, callback
        As in :func:`dagwright.learn`.
    max_bytes : float
        Memory for sets in the making.

    Returns
    -------
    ParentSets
        If time or memory did not suffice, ``complete`` is False.

    Examples
    --------
    >>> import dagwright as dw
    >>> sets = dw.parent_sets(dw.networks.load("asia").sample(500, seed=1), score=dw.BDeu(1))
    >>> next(iter(sets["xray"]))
    ('either',)
    """
    scorer = open_scorer(data, score, structure_prior)
    constraints = Constraints() if constraints is None else constraints
    if not isinstance(constraints, Constraints):
        raise SpecError(f"constraints must be Constraints(...), not {constraints!r}")
    max_bytes = check_positive("max_bytes", max_bytes)
    with whole_run(threads, time_limit=time_limit, progress=progress, callback=callback) as run:
        return find_parent_sets(scorer, constraints, max_bytes, run)
