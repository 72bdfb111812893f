"""The posterior of one variable for each row of a table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dagwright import _core
from dagwright.inference.exact import make_tree
from dagwright.inference.forecast import check_cost, start
from dagwright.inference.network import Evidence, TableNetwork
from dagwright.table import Table

__all__ = ["posterior_rows"]

_MOST_KEYS = 2**62


def posterior_rows(
    network: TableNetwork, target: int, rows: Table, max_bytes: float, max_operations: float
) -> NDArray[np.float64]:
    """Return one row of probabilities for each row of evidence; NaN where that cannot be.

    The elimination is planned once. Rows that agree in all that matters to the target are
    computed once.
    """
    given = [network.number(name) for name in rows.names]
    tree = make_tree(network, [target], Evidence(tuple((v, 0) for v in given)))
    check_cost(tree, max_bytes, max_operations)
    matter = set(tree.families).union(
        *([network.number(p) for p in network.parents[network.names[v]]] for v in tree.families)
    )
    kept = [at for at, v in enumerate(given) if v in matter]
    used = [given[at] for at in kept]
    codes = [rows.codes[at] for at in kept]
    n_states = network.n_states(used)
    chosen, place = _distinct(codes, n_states, len(rows))
    arrays = [np.ascontiguousarray(own[chosen]) for own in codes]
    native = _core.Table(arrays, n_states, len(chosen), np.empty(0))
    values, logs = _core.predict(tree, target, used, native, start())
    if not set(network.undefined).isdisjoint(tree.families):
        # The evidence is less probable when undefined rows cannot be: then they matter.
        evidence = Evidence(tuple((v, 0) for v in given))
        other = make_tree(network, [target], evidence, native=network.native_without_undefined)
        _, without = _core.predict(other, target, used, native, start())
        same = (logs == without) | (abs(logs - without) <= 1e-9)
        values = np.where(np.repeat(same, len(values) // len(same)), values, np.nan)
    return values.reshape(len(chosen), -1)[place]


def _distinct(
    codes: Sequence[NDArray[np.uint8 | np.uint16]], n_states: list[int], n_rows: int
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return rows that stand for all others, and for each row the place of its own."""
    n_keys = 1
    for n in n_states:
        n_keys *= n
    if n_keys > _MOST_KEYS:  # too many to number; then most rows differ anyway
        return np.arange(n_rows), np.arange(n_rows)
    keys = np.zeros(n_rows, dtype=np.int64)
    for own, n in zip(codes, n_states, strict=True):
        keys = keys * n + own
    _, chosen, place = np.unique(keys, return_index=True, return_inverse=True)
    return chosen, place
