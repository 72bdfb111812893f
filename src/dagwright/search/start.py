"""Where a walk over graphs starts, and how much memory it may take."""

from __future__ import annotations

from collections.abc import Mapping

from dagwright import _core
from dagwright._names import listed
from dagwright.constraints import Constraints
from dagwright.errors import GraphError, SpecError
from dagwright.graph import Dag
from dagwright.run import Run
from dagwright.scorer import Scorer

__all__ = [
    "CLASS_BYTES",
    "GAIN_BYTES",
    "check_start",
    "check_walk_memory",
    "start_of",
    "too_many_pairs",
]

_STARTS = ("empty", "complete", "tree", "random")
_MOST_PAIR_BYTES = 4 << 30

GAIN_BYTES = 8
"""That a walk over graphs keeps for each pair of variables."""

CLASS_BYTES = 32
"""That a walk over classes may keep for each pair of variables."""


def check_start(search: str, start: object) -> str | Dag:
    """Return the start setting of a search; files have a Dag as a mapping."""
    if isinstance(start, Mapping):
        start = Dag.from_dict(start)
    if isinstance(start, Dag) or (isinstance(start, str) and start in _STARTS):
        return start
    raise SpecError(f"{search}: start must be one of {', '.join(_STARTS)}, or a Dag, not {start!r}")


def too_many_pairs(
    search: str, keeps: str, pair_bytes: int, n: int, at_once: int = 1, instead: str = ""
) -> str | None:
    """Say that what a search keeps for each pair of variables does not fit; None when it does."""
    needed = pair_bytes * n**2 * at_once
    if needed <= _MOST_PAIR_BYTES:
        return None
    fewer = " or threads" if at_once > 1 else ""
    return (
        f"{search} {keeps} for each pair of variables: {needed / 2**30:.1f} GiB for {n:,} "
        f"variables, more than {_MOST_PAIR_BYTES >> 30}: select fewer variables{fewer}{instead}"
    )


def check_walk_memory(
    search: str, scorer: Scorer, run: Run, restarts: int = 0, *, sideways: bool = False
) -> None:
    """Refuse data with so many variables that the gains of all moves do not fit in memory."""
    reason = too_many_pairs(
        search,
        "keeps gains",
        GAIN_BYTES + (CLASS_BYTES if sideways else 0),
        len(scorer.names),
        min(run.threads, restarts + 1),
        ", or take sideways=False" if sideways else "",
    )
    if reason is not None:
        raise SpecError(reason)


def start_of(
    search: str,
    start: str | Dag,
    scorer: Scorer,
    constraints: Constraints,
    native: _core.Constraints,
    run: Run,
) -> _core.Dag:
    """Return the start graph, in the numbers of the core."""
    if start == "empty":
        return _core.empty_start(native)
    if start == "complete":
        return _core.complete_start(native)
    if start == "tree":
        return _core.tree_start(scorer.native, native, run.native)
    if start == "random":
        return _core.random_start(native, run.seed)
    assert isinstance(start, Dag)
    if set(start.nodes) != set(scorer.names):
        different = sorted(set(start.nodes) ^ set(scorer.names))
        raise GraphError(f"{search}: the start graph and the data differ in [{listed(different)}]")
    by_name = scorer.data.n_states
    broken = constraints.violations(start, [by_name[node] for node in start.nodes])
    if broken:
        raise GraphError(f"{search}: the start graph breaks a constraint: {broken[0]}")
    number = scorer.source.number()
    return _core.Dag(
        [[number[parent] for parent in start.parents(node)] for node in scorer.source.names]
    )
