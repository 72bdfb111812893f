"""Joining the draws of several runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from dagwright.errors import SpecError
from dagwright.posterior.sample_info import SampleInfo

if TYPE_CHECKING:
    from dagwright.posterior.sampled import Posterior

__all__ = ["Along", "joined"]

Along = Literal["chains", "draws"]

_SAME = ("data_digest", "score", "structure_prior", "constraints", "weights")


def joined(runs: Sequence[Posterior], along: Along) -> dict[str, Any]:
    """Return the fields of the posterior that has the draws of all runs."""
    if along not in get_args(Along):
        raise SpecError(f'along must be "chains" or "draws", not {along!r}')
    first = runs[0]
    for at, other in enumerate(runs[1:], start=2):
        _check_same(first, other, at, along)
    if along == "chains":
        _check_seeds(runs)
    axis = 0 if along == "chains" else 1
    numbers: list[dict[tuple[int, ...], int]] = [{} for _ in first.names]
    draws = np.concatenate([_renumbered(run, numbers) for run in runs], axis=axis)
    logs = [run.log_weights for run in runs if run.log_weights is not None]
    return {
        "names": first.names,
        "parent_sets": tuple(tuple(own) for own in numbers),
        "draws": draws,
        "scores": np.concatenate([run.scores for run in runs], axis=axis),
        "log_weights": np.concatenate(logs, axis=axis) if logs else None,
        "info": _info([(run.info, run.scores.size) for run in runs]),
        "state": runs[-1].state if along == "draws" and _one_walk(runs) else None,
        "data": next((run.data for run in runs if run.data is not None), None),
    }


def _check_same(first: Posterior, other: Posterior, at: int, along: Along) -> None:
    pairs: dict[str, tuple[Any, Any]] = {"variables": (first.names, other.names)}
    pairs |= {what: (getattr(first.info, what), getattr(other.info, what)) for what in _SAME}
    weighted = ["none" if run.log_weights is None else "some" for run in (first, other)]
    pairs["log_weights"] = weighted[0], weighted[1]
    if along == "chains":
        pairs["draws a chain"] = (first.scores.shape[1], other.scores.shape[1])
    else:
        pairs["number of chains"] = (len(first.scores), len(other.scores))
    for what, (one, two) in pairs.items():
        if one != two:
            raise SpecError(
                f"concat: only runs with the same {what.replace('_', ' ')} can be joined, but the "
                f"first has {one!r} and run {at} has {two!r}"
            )


def _one_walk(runs: Sequence[Posterior]) -> bool:
    """Whether each run went on where the one before it ended."""
    first = runs[0].info
    done = first.warmup
    for run in runs:
        done += run.scores.shape[1]
        same = (run.info.sampler, run.info.seed, run.info.thin) == (
            first.sampler,
            first.seed,
            first.thin,
        )
        if not same or not run.state or run.state.get("n_done") != done:
            return False
    return True


def _check_seeds(runs: Sequence[Posterior]) -> None:
    """Refuse a run that is there twice: it would look as if its chains agreed."""
    for one, two in combinations(runs, 2):
        same = (one.info.sampler, one.info.seed) == (two.info.sampler, two.info.seed)
        if same and np.array_equal(one.scores[0], two.scores[0]):
            raise SpecError(
                f"concat: two runs have the same sampler and the same seed={one.info.seed}, and "
                "their first chains are the same: run one of them with another seed"
            )


def _renumbered(
    run: Posterior, numbers: Sequence[dict[tuple[int, ...], int]]
) -> npt.NDArray[np.int32]:
    """Return the draws by the numbers that the parent sets have in the join."""
    draws = np.empty(run.draws.shape, dtype=np.int32)
    for v, own in enumerate(run.parent_sets):
        new = [numbers[v].setdefault(parents, len(numbers[v])) for parents in own]
        draws[..., v] = np.array(new, dtype=np.int32)[run.draws[..., v]]
    return draws


def _info(runs: Sequence[tuple[SampleInfo, int]]) -> SampleInfo:
    """Return the first's, with the sums and means of all, and all of them in `runs`."""
    infos = [info for info, _ in runs]
    moves = dict.fromkeys(move for info in infos for move in info.acceptance)
    acceptance = {
        move: float(
            np.average(
                [info.acceptance[move] for info in infos if move in info.acceptance],
                weights=[size for info, size in runs if move in info.acceptance],
            )
        )
        for move in moves
    }
    reasons = dict.fromkeys(info.reason for info in infos)
    return replace(
        infos[0],
        seconds=sum(info.seconds for info in infos),
        threads=max(info.threads for info in infos),
        reason=", ".join(reasons),
        acceptance=acceptance,
        runs=tuple(own for info in infos for own in (info.runs or [asdict(info) | {"runs": []}])),
    )
