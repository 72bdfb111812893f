"""Which variables are candidates to be parents of which, and what the others would have added."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from dagwright import _core
from dagwright.mcmc.base import Parents
from dagwright.run import Run
from dagwright.scorer import Scorer

__all__ = ["choose_candidates", "edges_left_out"]


def choose_candidates(
    scorer: Scorer,
    constraints: _core.Constraints,
    graphs: Sequence[Parents],
    most: int,
    run: Run,
) -> list[list[int]]:
    """Return at most so many candidates for each variable, and those that must be.

    First come neighbours in the graphs, the first of which is the best. Then, in turn, what gains
    most beside the parents in that graph, and what gains most alone: which is a parent when they
    come after.
    """
    best = graphs[0]
    neighbours: list[Counter[int]] = [Counter() for _ in best]
    for graph in graphs:
        for child, parents in enumerate(graph):
            for parent in parents:
                neighbours[child][parent] += 1
                neighbours[parent][child] += 1
    chosen = []
    for child, parents in enumerate(best):
        possible = [v for v in range(len(best)) if v != child and constraints.allowed(v, child)]
        must = [
            v for v in possible if constraints.required(v, child) or constraints.adjacent(v, child)
        ]
        if len(possible) <= most:
            chosen.append(possible)
            continue
        near = [v for v, _ in neighbours[child].most_common() if v in set(possible)]
        in_best = [v for v in near if v in parents or child in best[v]]
        beside = _by_gain(scorer, child, parents, possible, run)
        alone = _by_gain(scorer, child, (), possible, run)
        wanted = iter([*must, *in_best, *near, *_in_turn(beside, alone)])
        own = dict.fromkeys(must)
        while len(own) < most:
            own[next(wanted)] = None
        chosen.append(sorted(own))
    return chosen


def _by_gain(
    scorer: Scorer, child: int, parents: Sequence[int], possible: Sequence[int], run: Run
) -> list[int]:
    others = [v for v in possible if v not in parents]
    with scorer.naming_errors():
        gains = scorer.native.gains((child, sorted(parents)), others, run.native)
    return [v for _, v in sorted(zip(gains, others, strict=True), key=lambda pair: -pair[0])]


def _in_turn(first: Sequence[int], second: Sequence[int]) -> Iterator[int]:
    for a, b in zip(first, second, strict=False):
        yield a
        yield b
    yield from [*first, *second]


def edges_left_out(
    scorer: Scorer,
    constraints: _core.Constraints,
    candidates: Sequence[Sequence[int]],
    draws: Sequence[Parents],
) -> dict[tuple[int, int], float]:
    """Estimate the probabilities of edges from variables that are no candidates, beside others.

    In each of the drawn graphs, a variable that is no candidate is offered as one more parent: how
    likely would it be taken, all else as it is?
    """
    out: dict[tuple[int, int], float] = {}
    for parents in draws:
        after = _descendants(parents)
        for child, own in enumerate(parents):
            if not own:
                continue  # a single parent need not be a candidate
            known = {child, *candidates[child], *own, *after[child]}
            others = [
                v
                for v in range(len(parents))
                if v not in known
                and constraints.allowed(v, child)
                and constraints.fits_with(child, sorted(own), v)
            ]
            if not others:
                continue
            with scorer.naming_errors():
                gains = np.asarray(scorer.native.gains((child, sorted(own)), others, _core.Run()))
            taken = 1 / (1 + np.exp(-np.clip(gains, -700, 700)))
            for v, share in zip(others, taken.tolist(), strict=True):
                out[v, child] = out.get((v, child), 0.0) + share / len(draws)
    return out


def _descendants(parents: Parents) -> list[set[int]]:
    after: list[set[int]] = [set() for _ in parents]
    for v in reversed(_core.topological_order([list(own) for own in parents])):
        for parent in parents[v]:
            after[parent] |= {v} | after[v]
    return after
