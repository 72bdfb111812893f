"""Numbers for all pairs of variables at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dagwright._names import unknown_node

__all__ = ["PairMatrix"]


@dataclass(frozen=True, eq=False)
class PairMatrix:
    """A number for each pair of variables.

    Attributes
    ----------
    names : tuple of str
        The variables, in the order of the data.
    values : numpy array
        Row i and column j are ``names[i]`` and ``names[j]``; read-only.

    Examples
    --------
    >>> import dagwright as dw
    >>> matrix = dw.mutual_information_matrix({"a": [0, 0, 1, 1], "b": [0, 0, 1, 1]})
    >>> round(matrix["a", "b"], 4)
    0.6931
    """

    names: tuple[str, ...]
    values: npt.NDArray[np.float64]

    def __getitem__(self, pair: tuple[str, str]) -> float:
        first, second = pair
        for name in pair:
            if name not in self.names:
                raise unknown_node(name, self.names)
        return float(self.values[self.names.index(first), self.names.index(second)])
