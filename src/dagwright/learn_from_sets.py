"""From parent sets with their scores, such as a ``.jkl`` file has, to the best graph."""

from __future__ import annotations

import hashlib
import math

from dagwright.constraints import Constraints
from dagwright.errors import Interrupted, SpecError
from dagwright.provenance import versions
from dagwright.result import Result, RunInfo
from dagwright.run import Callback, start_run
from dagwright.search import ExactDP, ExactILP, ParentSets
from dagwright.search.parent_sets import quick_graph
from dagwright.search.proof import solver_for
from dagwright.structure_priors import Uniform

__all__ = ["learn_from_sets"]


def learn_from_sets(
    sets: ParentSets,
    search: object,
    seed: int | None,
    threads: int | None,
    time_limit: float | None,
    progress: bool,
    callback: Callback | None,
) -> Result:
    """Find the best graph whose families are all among these."""
    solver = solver_for(sets) if search is None else search
    if solver is None:
        raise SpecError(
            f"{len(sets.names)} variables are too many for ExactDP: install the solver of "
            "ExactILP, pip install 'dagwright[ilp]'"
        )
    if not isinstance(solver, ExactDP | ExactILP):
        raise SpecError(f"parent sets are solved by ExactDP() or ExactILP(), not by {search!r}")
    with start_run(seed, threads, time_limit, progress, callback) as run:
        start = quick_graph(sets)
        start_score = -math.inf if start is None else sets.score(start)
        found = solver.prove(start, start_score, sets, run)
    score = sets.score(found.dag)
    digest = hashlib.sha256(repr(sets.names).encode())
    for child in sets.children:
        digest.update(child.members.tobytes())
        digest.update(child.scores.tobytes())
    info = RunInfo(
        score={"name": "local scores"},
        structure_prior=Uniform().to_dict(),
        search=solver.to_dict(),
        constraints=Constraints().to_dict(),
        seed=run.seed,
        threads=run.threads,
        time_limit=run.time_limit,
        seconds=run.seconds,
        families_scored=sets.n_scored,
        families_counted=0,
        data_digest=digest.hexdigest(),
        n_rows=0,
        total_weight=0.0,
        versions=versions(),
    )
    result = Result(
        dag=found.dag,
        score=score,
        reason=run.reason or found.reason,
        trace=(),
        states={},
        info=info,
        bound=score if found.reason == "optimal" else found.bound,
    )
    if run.reason == "interrupted":
        raise Interrupted(result)
    return result
