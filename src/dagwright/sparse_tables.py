"""Full tables for one question where some families are too large to fill."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagwright.conditional_table import MOST_CELLS, ConditionalTable
from dagwright.errors import DataError
from dagwright.graph import Dag
from dagwright.inference.network import Given, TableNetwork, is_soft

__all__ = ["sample_with_sparse_tables", "tables_for"]

States = Mapping[str, tuple[Any, ...]]
Tables = Mapping[str, ConditionalTable]


def tables_for(
    dag: Dag,
    states: States,
    tables: Tables,
    targets: Iterable[str],
    given: Given | None,
    do: Given | None,
) -> TableNetwork:
    """Return full tables for a question: sparse ones are filled only as far as it needs them."""
    done = {name: state for name, state in (do or {}).items() if name in tables}
    seen = {name: state for name, state in (given or {}).items() if name in tables}
    known = done | {name: state for name, state in seen.items() if not is_soft(state)}
    asked = [name for name in targets if name in tables]
    needed = _relevant(dag, asked, set(seen), set(done), set(known))
    sparse = [name for name, table in tables.items() if table.is_sparse]
    _check_size([tables[name] for name in sparse if name in needed], states, known)
    parents = {name: table.parents for name, table in tables.items()}
    full = {name: table.probabilities for name, table in tables.items() if not table.is_sparse}
    for name in sparse:
        if name in needed:
            parents[name], full[name] = _filled(tables[name], states, known)
        else:  # the answer does not depend on it: any table will do
            n_states = tables[name].n_states
            parents[name], full[name] = (), np.full(n_states, 1 / n_states)
    return TableNetwork(states, parents, full)


def _relevant(
    dag: Dag, targets: list[str], seen: set[str], done: set[str], known: set[str]
) -> set[str]:
    """Return the nodes whose families matter to the targets; without targets, to the evidence.

    Those below all that is asked or seen do not, nor do those that what is known cuts off.
    """
    wanted: set[str] = set()
    waiting = [*targets, *seen]
    while waiting:
        node = waiting.pop()
        if node not in wanted and node not in done:
            wanted.add(node)
            waiting.extend(dag.parents(node))
    if not targets:
        return wanted
    families_with: dict[str, list[str]] = {}
    for child in wanted:
        for node in (child, *dag.parents(child)):
            if node not in known:
                families_with.setdefault(node, []).append(child)
    reached, relevant = set(targets), set[str]()
    waiting = list(targets)
    while waiting:
        for child in families_with.get(waiting.pop(), ()):
            if child in relevant:
                continue
            relevant.add(child)
            new = {node for node in (child, *dag.parents(child)) if node not in known} - reached
            reached |= new
            waiting.extend(new)
    return relevant


def _check_size(tables: list[ConditionalTable], states: States, known: Mapping[str, Any]) -> None:
    """Refuse tables that would be too large, before any of them is filled."""
    total = 0
    for table in tables:
        free = [parent for parent in table.parents if parent not in known]
        cells = table.n_states * prod(len(states[parent]) for parent in free)
        total += cells
        if total > MOST_CELLS:
            raise DataError(
                f"with what is known, the table of {table.child!r} given {len(free)} parents would "
                f"have {float(cells):.3g} cells, and all tables that are needed more than "
                f"{MOST_CELLS:,} ({MOST_CELLS * 8 / 2**20:,.0f} MiB). Give evidence on more of its "
                "parents"
            )


def _filled(
    table: ConditionalTable, states: States, known: Mapping[str, Any]
) -> tuple[tuple[str, ...], NDArray[np.float64]]:
    """Return the parents that are not known, and the table given them."""
    free = tuple(name for name in table.parents if name not in known)
    shape = tuple(len(states[name]) for name in (*free, table.child))
    lookup = TableNetwork(states, {}, {})
    codes = np.zeros((prod(shape[:-1]), len(table.parents)), dtype=np.int64)
    grid = np.indices(shape[:-1]).reshape(len(free), len(codes))
    for axis, name in enumerate(table.parents):
        codes[:, axis] = lookup.code(name, known[name]) if name in known else grid[free.index(name)]
    return free, table.rows_of(codes).reshape(shape)


def sample_with_sparse_tables(
    dag: Dag, states: States, tables: Tables, n: int, seed: int, do: Given | None
) -> list[NDArray[np.intp]]:
    """Draw rows parents first, looking up the rows of tables that are met."""
    rng = np.random.default_rng(seed)
    codes: dict[str, NDArray[np.intp]] = {}
    lookup = TableNetwork(states, {}, {})
    for name in dag.topological_order():
        if do and name in do:
            codes[name] = np.full(n, lookup.code(name, do[name]))
            continue
        table = tables[name]
        configs = np.empty((n, len(table.parents)), dtype=np.intp)
        for axis, parent in enumerate(table.parents):
            configs[:, axis] = codes[parent]
        rows = table.rows_of(configs)
        if np.isnan(rows).any():
            raise DataError(
                f"the table of {name!r} has rows that no data define, so rows cannot be drawn: "
                "fit with a prior, as in fit(dag, table, parameters=dw.BDeu(1))"
            )
        sums = rows.cumsum(axis=1)
        draws = rng.random(n)[:, None] * sums[:, -1:]
        codes[name] = (draws >= sums).sum(axis=1)
    return [codes[name] for name in dag.nodes]
