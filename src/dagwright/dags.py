"""All graphs of a few nodes, how many there are of many, and random ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from math import comb, log10

import numpy as np

from dagwright import _core
from dagwright._names import checked_nodes
from dagwright.errors import GraphError, SpecError
from dagwright.graph import Dag
from dagwright.specs import check_number, check_whole

__all__ = ["all_dags", "n_dags", "random_dag"]

_MAX_ENUMERATED = 5
_MAX_UNIFORM = 150  # the numbers get long: 150 nodes take two seconds


def n_dags(n: int) -> int:
    """Return the number of directed acyclic graphs over `n` named nodes.

    Parameters
    ----------
    n : int
        The number of nodes.

    Returns
    -------
    int
        The exact number, by Robinson's recursion (1973).

    Examples
    --------
    >>> import dagwright as dw
    >>> [dw.n_dags(n) for n in range(7)]
    [1, 1, 3, 25, 543, 29281, 3781503]
    """
    n = check_whole("n", n, 0)
    counts = [1]
    for m in range(1, n + 1):
        # Inclusion and exclusion over the sets of k nodes that have no parents.
        counts.append(
            sum(
                (-1) ** (k + 1) * comb(m, k) * (counts[m - k] << (k * (m - k)))
                for k in range(1, m + 1)
            )
        )
    return counts[n]


def all_dags(nodes: Iterable[str]) -> Iterator[Dag]:
    """Return every directed acyclic graph over up to five nodes, one after the other.

    Parameters
    ----------
    nodes : iterable of str
        The names of the nodes, at most 5.

    Returns
    -------
    iterator of Dag
        1, 3, 25, 543, 29281 graphs for 1 to 5 nodes, the empty one first.

    Examples
    --------
    >>> import dagwright as dw
    >>> for dag in dw.all_dags(["a", "b"]):
    ...     print(dag)
    <Dag: 2 nodes, 0 edges>
    <Dag: 2 nodes, 1 edge: a -> b>
    <Dag: 2 nodes, 1 edge: b -> a>
    """
    names = checked_nodes(nodes)
    if len(names) > _MAX_ENUMERATED:
        raise GraphError(
            f"{len(names)} nodes have {_n_dags_text(len(names))} DAGs; "
            f"all_dags lists those of at most {_MAX_ENUMERATED} nodes, use random_dag instead"
        )
    return (
        Dag._from_numbers(names, [_members(mask) for mask in masks[: len(names)]])
        for masks in _core.all_dags(len(names))
    )


def random_dag(
    nodes: Iterable[str],
    *,
    mean_parents: float | None = None,
    max_parents: int | None = None,
    seed: int | np.random.Generator | None = 0,
) -> Dag:
    """Return a random graph: uniform over all of them, or sparse.

    Without `mean_parents` every graph over the nodes is equally likely (Kuipers & Moffa 2015,
    exact); such graphs are dense, about a quarter of all ordered pairs are edges. With it, the
    nodes are put in a random order and each earlier node is a parent of each later one with the
    same probability.

    Parameters
    ----------
    nodes : iterable of str
        The names of the nodes.
    mean_parents : float, optional
        The expected number of parents of a node, at most (n - 1) / 2.
    max_parents : int, optional
        With `mean_parents`: no node gets more parents. Nodes that would get more get this many, so
        that the mean comes out a little lower.
    seed : int, numpy.random.Generator or None
        The same seed gives the same graph; None draws a new one each time.

    Returns
    -------
    Dag
        A graph with the nodes in the given order.

    Examples
    --------
    >>> import dagwright as dw
    >>> dag = dw.random_dag(["a", "b", "c", "d"], mean_parents=1, max_parents=2, seed=1)
    >>> dag == dw.random_dag(["a", "b", "c", "d"], mean_parents=1, max_parents=2, seed=1)
    True
    >>> max(len(dag.parents(node)) for node in dag.nodes) <= 2
    True
    """
    names = checked_nodes(nodes)
    if seed is not None and not isinstance(seed, np.random.Generator):
        seed = check_whole("seed", seed, 0)
    rng = np.random.default_rng(seed)
    if mean_parents is not None:
        return _sparse(names, mean_parents, max_parents, rng)
    if max_parents is not None:
        raise SpecError(
            f"max_parents={max_parents} bounds sparse graphs only; give mean_parents=... too"
        )
    if len(names) > _MAX_UNIFORM:
        raise SpecError(
            f"a uniform random DAG can have at most {_MAX_UNIFORM} nodes, not {len(names)}; "
            "give mean_parents=... for a sparse one"
        )
    return _uniform(names, rng)


def _sparse(
    names: tuple[str, ...],
    mean_parents: float,
    max_parents: int | None,
    rng: np.random.Generator,
) -> Dag:
    n = len(names)
    largest_mean = (n - 1) / 2 if n else 0.0
    rule = f"between 0 and (n - 1) / 2 = {largest_mean:g} for {n} nodes"
    check_number("mean_parents", mean_parents, rule, lambda x: 0 <= x <= largest_mean)
    if max_parents is not None:
        max_parents = check_whole("max_parents", max_parents, 0)
    probability = mean_parents / largest_mean if largest_mean else 0.0
    order = rng.permutation(n).tolist()
    parents: list[list[int]] = [[] for _ in names]
    for position, child in enumerate(order):
        size = int(rng.binomial(position, probability))
        if max_parents is not None:
            size = min(size, max_parents)
        chosen = rng.choice(position, size, replace=False)
        parents[child] = [order[earlier] for earlier in chosen.tolist()]
    return Dag._from_numbers(names, parents)


def _uniform(names: tuple[str, ...], rng: np.random.Generator) -> Dag:
    """Draw the sizes of the layers by their exact weights, then the edges between layers.

    The first layer has all nodes without parents; each later one has the nodes without parents
    once the layers before are gone. So a node has at least one parent in the layer just before
    its own, and any of the nodes of the layers before that.
    """
    counts = _counts_by_roots(len(names))
    order = [int(number) for number in rng.permutation(len(names))]
    parents: list[list[int]] = [[] for _ in names]
    weights = counts[len(names)]
    earlier: list[int] = []
    layer: list[int] = []
    while order:
        size = _weighted(weights, rng)
        next_layer, order = order[:size], order[size:]
        for child in next_layer:
            if layer:
                near = _below((1 << len(layer)) - 1, rng) + 1
                parents[child] += [layer[bit] for bit in _members(near)]
            far = _below(1 << len(earlier), rng)
            parents[child] += [earlier[bit] for bit in _members(far)]
        earlier += layer
        layer = next_layer
        weights = _next_layer_weights(size, len(order), counts[len(order)])
    return Dag._from_numbers(names, parents)


@lru_cache(maxsize=4)
def _counts_by_roots(n: int) -> list[list[int]]:
    """Entry ``[m][k]``: the number of graphs over m <= n nodes of which k have no parents."""
    counts: list[list[int]] = [[1]]
    for m in range(1, n + 1):
        row = [0]
        for k in range(1, m):
            weights = _next_layer_weights(k, m - k, counts[m - k])
            row.append(comb(m, k) * sum(weights))
        counts.append([*row, 1])
    return counts


def _next_layer_weights(size: int, n_left: int, counts: list[int]) -> list[int]:
    """Entry ``s``: the ways in which s of the nodes left come next, after a layer of this size.

    Each of the s has a parent in the layer; each of the others may have any parents there.
    """
    weights = []
    joined = 1  # ((1 << size) - 1) ** s
    for s, count in enumerate(counts):
        weights.append((joined * count) << (size * (n_left - s)))
        joined = (joined << size) - joined
    return weights


def _weighted(weights: list[int], rng: np.random.Generator) -> int:
    rest = _below(sum(weights), rng)
    for choice, weight in enumerate(weights):
        if rest < weight:
            return choice
        rest -= weight
    raise AssertionError("a number below the sum of the weights falls into one of them")


def _below(bound: int, rng: np.random.Generator) -> int:
    """Draw an integer of any size from 0 to bound - 1, all equally likely."""
    n_bits = (bound - 1).bit_length()
    n_bytes = (n_bits + 7) // 8
    while True:
        drawn = int.from_bytes(rng.bytes(n_bytes), "little") >> (8 * n_bytes - n_bits)
        if drawn < bound:
            return drawn


def _members(mask: int) -> list[int]:
    return [bit for bit in range(mask.bit_length()) if mask >> bit & 1]


def _n_dags_text(n: int) -> str:
    """All digits as long as they can be read, and never a long computation for a message."""
    if n > 100:
        digits = int(n * (n - 1) / 2 * log10(2))  # the subgraphs of one complete graph alone
        return f"more than 10^{digits}"
    number = n_dags(n)
    return f"{number:,}" if number < 10**20 else f"about 10^{len(str(number)) - 1}"
