"""Draws as they come from the core, in rounds, put together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dagwright import _core
from dagwright.scorer import Scorer

__all__ = ["Round", "joined", "named"]


@dataclass(frozen=True)
class Round:
    """Draws of all chains, their parent sets by place in the data."""

    parent_sets: tuple[tuple[tuple[int, ...], ...], ...]
    numbers: npt.NDArray[np.int32]
    scores: npt.NDArray[np.float64]
    log_weights: npt.NDArray[np.float64] | None


def named(drawn: _core.Draws, n_chains: int, scorer: Scorer) -> Round:
    """Put the core's numbers of variables in the order of the data."""
    names = scorer.source.names
    order = [names.index(name) for name in scorer.names]
    place = {number: i for i, number in enumerate(order)}
    sets = tuple(
        tuple(tuple(sorted(place[parent] for parent in own)) for own in drawn.parent_sets[v])
        for v in order
    )
    return Round(
        sets,
        drawn.numbers.reshape(n_chains, -1, len(names))[:, :, order],
        drawn.scores.reshape(n_chains, -1),
        drawn.log_corrections.reshape(n_chains, -1),
    )


def joined(rounds: Sequence[Round]) -> Round:
    """Put draws behind each other, with one number for each parent set.

    Sets are numbered small ones first, so that the numbers do not depend on the rounds.
    """
    sets = [
        sorted({tuple(own) for one in rounds for own in one.parent_sets[v]}, key=_small_first)
        for v in range(len(rounds[0].parent_sets))
    ]
    places = [{own: i for i, own in enumerate(known)} for known in sets]
    parts = []
    for one in rounds:
        part = np.empty_like(one.numbers)
        for v, (own, place) in enumerate(zip(one.parent_sets, places, strict=True)):
            number = np.array([place[tuple(parents)] for parents in own], dtype=np.int32)
            part[:, :, v] = number[one.numbers[:, :, v]]
        parts.append(part)
    weights = [one.log_weights for one in rounds]
    log_weights = None
    if all(own is not None for own in weights):
        log_weights = np.concatenate([own for own in weights if own is not None], axis=1)
        if not np.isfinite(log_weights).all():
            log_weights = None
    return Round(
        tuple(tuple(known) for known in sets),
        np.concatenate(parts, axis=1),
        np.concatenate([one.scores for one in rounds], axis=1),
        log_weights,
    )


def _small_first(parents: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
    return len(parents), parents
