"""Many graphs at once as sets of bits: parents, ancestors, Markov blankets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from dagwright.posterior.graph_sample import GraphSample

__all__ = ["Bits", "ancestors", "blankets", "graph_parts", "set_members", "unpacked"]

Bits = npt.NDArray[np.uint64]
"""Sets of nodes: the last axis has a word for each 64 of them."""

_ONE = np.uint64(1)
_PART_BYTES = 1 << 20  # what stays in the cache while all nodes are gone through


def set_members(
    parent_sets: Sequence[Sequence[Sequence[int]]],
) -> Iterator[npt.NDArray[np.bool_]]:
    """Go through the nodes: which variables (columns) are in each of its parent sets (rows)."""
    for own in parent_sets:
        members = np.zeros((len(own), len(parent_sets)), dtype=np.bool_)
        for row, parents in zip(members, own, strict=True):
            row[list(parents)] = True
        yield members


def graph_parts(sample: GraphSample) -> Iterator[tuple[slice, Bits]]:
    """Go through the different graphs, some at a time: which, and the parents of their nodes.

    The axes are graphs, nodes, words.
    """
    n = len(sample.names)
    words = -(-n // 64)
    tables = [_packed(members, words) for members in set_members(sample.parent_sets)]
    first, _ = sample.distinct
    step = max(1, _PART_BYTES // max(1, n * words * 8))
    for start in range(0, len(first), step):
        part = slice(start, start + step)
        numbers = sample.draws[first[part]]
        parents = np.empty((len(numbers), n, words), dtype=np.uint64)
        for v, table in enumerate(tables):
            parents[:, v] = table[numbers[:, v]]
        yield part, parents


def _packed(members: npt.NDArray[np.bool_], words: int) -> Bits:
    full = np.zeros((len(members), words * 64), dtype=np.bool_)
    full[:, : members.shape[1]] = members
    return np.packbits(full, axis=1, bitorder="little").view("<u8").astype(np.uint64)


def unpacked(sets: Bits, n: int) -> npt.NDArray[np.bool_]:
    """Return whether each of n nodes is in each set."""
    octets = np.ascontiguousarray(sets).astype("<u8").view(np.uint8)
    return np.unpackbits(octets, axis=-1, count=n, bitorder="little").view(np.bool_)


def _has(sets: Bits, node: int) -> Bits:
    """Return 1 where a node is in a set, else 0."""
    bit: Bits = sets[..., node // 64] >> np.uint64(node % 64) & _ONE
    return bit


def ancestors(parents: Bits) -> Bits:
    """Return the ancestors of every node of every graph, by Warshall's algorithm.

    A node that is its own ancestor is on a cycle.
    """
    reached = parents.copy()
    for k in range(parents.shape[1]):
        reached |= _has(reached, k)[..., None] * reached[:, k, None, :]
    return reached


def blankets(parents: Bits, node: int) -> Bits:
    """Return a node's parents, children and children's other parents in every graph."""
    found = parents[:, node].copy()
    for child in range(parents.shape[1]):
        is_child = _has(parents[:, child], node)
        found |= is_child[:, None] * parents[:, child]
        found[:, child // 64] |= is_child << np.uint64(child % 64)
    found[:, node // 64] &= ~(_ONE << np.uint64(node % 64))
    return found
