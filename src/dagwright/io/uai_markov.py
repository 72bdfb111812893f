"""UAI files of Markov networks: factors over variables, numbers only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod

import numpy as np
from numpy.typing import NDArray

from dagwright.errors import DataError
from dagwright.io.uai import UaiReader

__all__ = ["FileFactors", "is_markov", "markov_text", "read_markov"]


@dataclass(frozen=True, eq=False)
class FileFactors:
    """Factors as a file has them: tables that are multiplied.

    Attributes
    ----------
    arities : tuple of int
    scopes : tuple of tuple of int
        The variables of each table, in the order of its axes.
    values : tuple of arrays
        0 or more, each of the shape of its scope.
    """

    arities: tuple[int, ...]
    scopes: tuple[tuple[int, ...], ...]
    values: tuple[NDArray[np.float64], ...] = field(repr=False)


def is_markov(text: str) -> bool:
    """Say whether a UAI file has a Markov network."""
    reader = UaiReader(text)
    return reader.words[:1] == ["MARKOV"]


def read_markov(text: str) -> FileFactors:
    """Read a Markov network in UAI.

    Parameters
    ----------
    text : str
        What the file has; the last variable of each table changes fastest.

    Examples
    --------
    >>> factors = read_markov("MARKOV 2 2 2 1 2 0 1 4 1 2 3 4")
    >>> factors.scopes, factors.values[0].tolist()
    (((0, 1),), [[1.0, 2.0], [3.0, 4.0]])
    """
    reader = UaiReader(text)
    if reader.words[:1] != ["MARKOV"]:
        raise reader.fault(0, "'MARKOV' must be the first word")
    arities = reader.arities()
    left = len(reader.words)
    n_tables = reader.whole("the number of tables", 1, left)
    scopes = reader.scopes(n_tables, len(arities))
    for scope, at in scopes:
        if len(set(scope)) != len(scope):
            raise reader.fault(at, f"a variable is twice in the table of {scope}")
    values = []
    for scope, _ in scopes:
        at = reader.next
        shape = [arities[v] for v in scope]
        size = reader.whole(f"the number of numbers of {scope}", 0, left)
        if size != prod(shape):
            raise reader.fault(at, f"{size} numbers do not fit the table of {scope}: {prod(shape)}")
        if size > left - reader.next:
            raise reader.fault(left, f"the table of {scope} is not complete")
        table = np.array(reader.numbers(size)).reshape(shape)
        if not np.isfinite(table).all():
            raise reader.fault(at, f"the table of {scope} has a number too large to be kept")
        if (table < 0).any() or not table.any():
            raise reader.fault(at, f"the table of {scope} must be 0 or more, and not all 0")
        values.append(table)
    if reader.next != len(reader.words):
        raise reader.fault(reader.next, "more follows after the last table")
    return FileFactors(tuple(arities), tuple(tuple(own) for own, _ in scopes), tuple(values))


def markov_text(
    arities: Sequence[int],
    scopes: Sequence[Sequence[int]],
    values: Sequence[NDArray[np.float64]],
) -> str:
    """Write factors in UAI.

    Examples
    --------
    >>> import numpy as np
    >>> print(markov_text([2], [[0]], [np.array([0.25, 0.75])]), end="")
    MARKOV
    1
    2
    1
    1 0
    <BLANKLINE>
    2
    0.25 0.75
    """
    lines = ["MARKOV", str(len(arities)), " ".join(map(str, arities)), str(len(scopes))]
    lines += [" ".join(map(str, [len(scope), *scope])) for scope in scopes]
    for table in values:
        if not np.isfinite(table).all():
            raise DataError("UAI cannot keep a factor that is not finite")
        lines += ["", str(table.size)]
        lines += [" ".join(map(repr, row)) for row in table.reshape(-1, table.shape[-1]).tolist()]
    return "\n".join(lines) + "\n"
