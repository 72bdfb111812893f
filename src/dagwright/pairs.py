"""Numbers for all pairs of variables at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from dagwright._names import unknown_node
from dagwright.errors import SpecError, did_you_mean
from dagwright.run import whole_run
from dagwright.scorer import Scorer

if TYPE_CHECKING:
    from typing import Any

    from dagwright.sources import Chunks
    from dagwright.table import Table

__all__ = ["PairMatrix", "mutual_information_matrix"]


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


def mutual_information_matrix(
    data: Table | Chunks | Scorer | Any,
    *,
    given: str | None = None,
    threads: int | None = None,
) -> PairMatrix:
    """Return the empirical mutual information of all pairs of variables, in nats.

    These are the weights of :class:`ChowLiu`, and with ``given`` those of
    :class:`TreeAugmentedNaiveBayes`. They are computed here, when asked for: the searches do not
    keep them, because a matrix of 10,000 variables takes 800 MB.

    Parameters
    ----------
    data : Table, Chunks, a frame that Table takes, or a Scorer
    given : str, optional
        The information given this variable: I(X; Y | given).
    threads : int or None
        None means all cores.

    Returns
    -------
    PairMatrix
        The diagonal is the entropy H(X), or H(X | given). The given variable's own row and column
        are 0.

    Examples
    --------
    >>> import dagwright as dw
    >>> table = dw.Table({"a": [0, 0, 1, 1], "b": [0, 0, 1, 1], "c": [0, 1, 0, 1]})
    >>> dw.mutual_information_matrix(table).values.round(3)
    array([[0.693, 0.693, 0.   ],
           [0.693, 0.693, 0.   ],
           [0.   , 0.   , 0.693]])
    """
    scorer = data if isinstance(data, Scorer) else Scorer(data)
    names = scorer.source.names
    if given is not None and given not in names:
        raise SpecError(
            f"given={given!r} is no variable of the data" + did_you_mean(str(given), names)
        )
    number = None if given is None else names.index(given)
    n = len(names)
    with whole_run(threads) as run, scorer.naming_errors():
        upper = scorer.native.pair_information(0, n, number, run.native).reshape(n, n)
    place = [names.index(name) for name in scorer.names]  # of the core's canonical order
    values = upper[np.ix_(place, place)]
    del upper
    values += values.T
    values /= float(scorer.data.total_weight)
    base = [] if given is None else [given]
    for i, name in enumerate(scorer.names):
        values[i, i] = max(0.0, scorer.entropy([name, *base]) - scorer.entropy(base))
    values.flags.writeable = False
    return PairMatrix(scorer.names, values)
