"""Counts by walking the rows, and the plain rows that every other oracle starts from."""

from dataclasses import dataclass
from itertools import product


@dataclass(frozen=True)
class Rows:
    """Rows of state numbers by name, the declared number of states, and one weight a row."""

    n_states: dict[str, int]
    rows: list[dict[str, int]]
    weights: list[float]

    @property
    def total(self):
        return sum(self.weights)


def rows_of(*tables):
    """The rows of one table, or of the chunks of one."""
    rows, weights = [], []
    for table in tables:
        rows += [
            dict(zip(table.names, map(int, row), strict=True))
            for row in zip(*table.codes, strict=True)
        ]
        weights += [1.0] * len(table) if table.weights is None else map(float, table.weights)
    return Rows(dict(tables[0].n_states), rows, weights)


def configurations(data, variables):
    """All combinations of the declared states."""
    return product(*(range(data.n_states[name]) for name in variables))


def set_counts(data, variables):
    """The weight of each combination of states, those that no row has too."""
    counts = dict.fromkeys(configurations(data, variables), 0.0)
    for row, weight in zip(data.rows, data.weights, strict=True):
        counts[tuple(row[name] for name in variables)] += weight
    return counts


def family_counts(data, child, parents):
    """N_ijk as ``{states of the parents: [count of each state of the child]}``."""
    counts = {config: [0.0] * data.n_states[child] for config in configurations(data, parents)}
    for row, weight in zip(data.rows, data.weights, strict=True):
        counts[tuple(row[name] for name in parents)][row[child]] += weight
    return counts
