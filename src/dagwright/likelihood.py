"""How probable a model finds rows."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from dagwright.conditional_table import ConditionalTable
from dagwright.errors import DataError
from dagwright.family_tables import Observed
from dagwright.table import Table

__all__ = ["log_likelihood_of_counts", "log_likelihood_of_rows"]


def log_likelihood_of_counts(
    tables: Mapping[str, ConditionalTable], observed: Mapping[str, Observed]
) -> float:
    """Return the log probability of all rows from the counts of the families."""
    total = 0.0
    for child, (configs, counts) in observed.items():
        rows = tables[child].rows_of(configs)
        seen = counts > 0
        _check_defined(tables[child], rows[seen])
        with np.errstate(divide="ignore"):
            total += float((counts[seen] * np.log(rows[seen])).sum())
    return total


def log_likelihood_of_rows(
    tables: Mapping[str, ConditionalTable], table: Table
) -> NDArray[np.float64]:
    """Return the log probability of each row, whatever its weight."""
    codes = dict(zip(table.names, table.codes, strict=True))
    total = np.zeros(len(table))
    for child, own in tables.items():
        configs = (
            np.stack([codes[parent] for parent in own.parents], axis=1)
            if own.parents
            else (np.empty((len(table), 0), dtype=np.uint8))
        )
        with np.errstate(divide="ignore"):
            logs = np.log(np.vstack([own.rows, own.other_row]) if own.is_sparse else own.rows)
        values = logs[own.places(configs), codes[child]]
        _check_defined(own, values)
        total += values
    return total


def _check_defined(table: ConditionalTable, values: NDArray[np.float64]) -> None:
    if np.isnan(values).any():
        raise DataError(
            f"some rows have a configuration of the parents of {table.child!r} that the model was "
            "fitted without: its probabilities are undefined there; fit with a prior, as in "
            "fit(dag, table, parameters=dw.BDeu(1))"
        )
