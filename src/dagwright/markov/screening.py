"""Candidates: which pairs are worth a coupling, where there are too many of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dagwright.markov.method import UndirectedData
from dagwright.run import Run
from dagwright.scorer import Scorer
from dagwright.table import Table

__all__ = ["Candidates", "all_candidates", "screened"]


@dataclass(frozen=True, eq=False)
class Candidates:
    """The possible neighbours of each variable.

    Attributes
    ----------
    lists : list of arrays
        The candidates of each variable by number, rising; the relation is symmetric.
    n_left_out : int
        Pairs that were screened out.
    most_information : float
        Of those the largest mutual information, in nats a row; 0 where there are none.
    """

    lists: list[NDArray[np.uint32]]
    n_left_out: int = 0
    most_information: float = 0.0

    def left_out(self, most: int) -> tuple[str, ...]:
        """Say what was screened out."""
        if not self.n_left_out:
            return ()
        return (
            f"{self.n_left_out:,} pairs were screened out: each variable has "
            f"the {most} others that tell most of it as candidates, and is one of theirs; the "
            f"largest mutual information left out is {self.most_information:.3g} nats",
        )


def all_candidates(data: UndirectedData) -> Candidates:
    """Return all pairs, or those of the graph that was given."""
    n = len(data.table.names)
    if data.graph is None:
        return _lists(~np.eye(n, dtype=bool))
    allowed = np.zeros((n, n), dtype=bool)
    number = {name: v for v, name in enumerate(data.table.names)}
    for first, second in data.graph.edges:
        allowed[number[first], number[second]] = allowed[number[second], number[first]] = True
    return _lists(allowed)


def screened(data: UndirectedData, most: int, run: Run) -> Candidates:
    """Return for each variable the `most` others that tell most of it, and those it is one of.

    Ties go to the variable that comes first in the table.
    """
    every = all_candidates(data)
    if max(map(len, every.lists)) <= most:
        return every
    information = pair_information(data.table, run)
    n = len(information)
    kept = np.zeros((n, n), dtype=bool)
    for v, own in enumerate(every.lists):
        kept[v, own[np.argsort(-information[v, own], kind="stable")[:most]]] = True
    kept |= kept.T
    dropped = np.zeros((n, n), dtype=bool)
    for v, own in enumerate(every.lists):
        dropped[v, own] = ~kept[v, own]
    left_out = int(dropped.sum()) // 2
    largest = float(information[dropped].max()) if left_out else 0.0
    return Candidates(_lists(kept).lists, left_out, largest)


def pair_information(table: Table, run: Run) -> NDArray[np.float64]:
    """Return the mutual information of all pairs in nats a row, by the order of the table."""
    scorer = Scorer(table)
    names = scorer.source.names
    n = len(names)
    with scorer.naming_errors():
        upper = scorer.native.pair_information(0, n, None, run.native).reshape(n, n)
    place = [names.index(name) for name in table.names]
    values: NDArray[np.float64] = (upper + upper.T)[np.ix_(place, place)]
    return values / float(table.total_weight)


def _lists(allowed: NDArray[np.bool_]) -> Candidates:
    return Candidates([np.flatnonzero(own).astype(np.uint32) for own in allowed])
