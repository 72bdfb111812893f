"""The mutual information of all pairs of variables."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from dagwright.information.entropy import information
from dagwright.information.estimates import Estimate, Estimator, Unit, nats_per
from dagwright.information.subjects import Rows, chosen
from dagwright.pairs import PairMatrix
from dagwright.run import whole_run
from dagwright.scorer import Scorer

if TYPE_CHECKING:
    from dagwright.sources import Chunks
    from dagwright.table import Table

__all__ = ["InformationMatrix", "mutual_information_matrix"]


@dataclass(frozen=True, eq=False)
class InformationMatrix(PairMatrix):
    """The mutual information of all pairs; on the diagonal the entropies.

    Attributes
    ----------
    names, values
        As in :class:`PairMatrix`.
    given : tuple of str
        What all of it is given.
    estimate, unit : str
        As in :func:`entropy`.

    Examples
    --------
    >>> import dagwright as dw
    >>> table = dw.Table({"a": [0, 0, 1, 1], "b": [0, 0, 1, 1], "c": [0, 1, 0, 1]})
    >>> matrix = dw.mutual_information_matrix(table, unit="bits")
    >>> matrix.entropies()
    {'a': 1.0, 'b': 1.0, 'c': 1.0}
    >>> x, y, value = matrix.pairs()[0]
    >>> x, y, round(value, 6)
    ('a', 'b', 1.0)
    """

    given: tuple[str, ...] = ()
    estimate: Estimate = "plug-in"
    unit: Unit = "nats"

    def entropies(self) -> dict[str, float]:
        """Return the entropy of each variable that is not given."""
        return {
            name: float(self.values[i, i])
            for i, name in enumerate(self.names)
            if name not in self.given
        }

    def pairs(self) -> list[tuple[str, str, float]]:
        """Return the pairs that are not given with their information, the strongest first."""
        free = [i for i, name in enumerate(self.names) if name not in self.given]
        first, second = np.triu_indices(len(free), k=1)
        rows, columns = np.array(free, dtype=np.intp)[[first, second]]
        values = self.values[rows, columns]
        order = np.argsort(-values, kind="stable")
        return [
            (self.names[rows[k]], self.names[columns[k]], float(values[k])) for k in order.tolist()
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain JSON values, the strongest pairs first."""
        return {
            "unit": self.unit,
            "estimate": self.estimate,
            "given": list(self.given),
            "entropies": self.entropies(),
            "pairs": [
                {"x": x, "y": y, "mutual_information": value} for x, y, value in self.pairs()
            ],
        }

    def plot(self, ax: Any = None) -> Any:
        """Draw the matrix by matplotlib, light where variables tell much of each other.

        The diagonal is left blank: entropies are so much larger that they would set the scale.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; by default on a new figure.

        Returns
        -------
        matplotlib axes
        """
        from dagwright.information.pictures import plot_information

        return plot_information(self, ax)


def mutual_information_matrix(
    data: Table | Chunks | Scorer | Any,
    *,
    given: str | Iterable[str] | None = None,
    estimate: Estimate = "plug-in",
    ess: float | None = None,
    unit: Unit = "nats",
    threads: int | None = None,
) -> InformationMatrix:
    """Return the mutual information of all pairs of variables.

    These are the weights of :class:`ChowLiu`, and with ``given`` those of
    :class:`TreeAugmentedNaiveBayes`. They are computed here, when asked for: the searches do not
    keep them, because a matrix of 10,000 variables takes 800 MB.

    The plug-in estimates given nothing or one variable come from one pass for all pairs. The
    other estimates, and those given several variables, are counted pair by pair.

    Parameters
    ----------
    data : Table, Chunks, a frame that Table takes, or a Scorer
    given : name or list of names, optional
        The information given these variables: I(X; Y | given).
    estimate, ess, unit
        As for :func:`entropy`.
    threads : int or None
        None means all cores; of the pass for all pairs.

    Returns
    -------
    InformationMatrix
        The diagonal is the entropy H(X), or H(X | given). The given variables' own rows and
        columns are 0.

    Examples
    --------
    >>> import dagwright as dw
    >>> table = dw.Table({"a": [0, 0, 1, 1], "b": [0, 0, 1, 1], "c": [0, 1, 0, 1]})
    >>> dw.mutual_information_matrix(table).values.round(3)
    array([[0.693, 0.693, 0.   ],
           [0.693, 0.693, 0.   ],
           [0.   , 0.   , 0.693]])
    """
    estimator = Estimator(estimate, ess)
    per_unit = nats_per(unit)
    rows = Rows(data if isinstance(data, Scorer) else Scorer(data))
    known = chosen(rows, given, "given")
    if estimate == "plug-in" and len(known) <= 1:
        values = _all_at_once(rows.scorer, *map(str, known), threads=threads)
    else:
        values = _pair_by_pair(rows, known, estimator)
    base = rows.entropy(known, estimator)
    for i, name in enumerate(rows.names):
        own = tuple(dict.fromkeys([name, *known]))
        values[i, i] = max(0.0, rows.entropy(own, estimator) - base)
    values /= per_unit
    values.flags.writeable = False
    return InformationMatrix(rows.scorer.names, values, tuple(map(str, known)), estimate, unit)


def _all_at_once(
    scorer: Scorer, given: str | None = None, *, threads: int | None
) -> npt.NDArray[np.float64]:
    names = scorer.source.names
    number = None if given is None else names.index(given)
    n = len(names)
    with whole_run(threads) as run, scorer.naming_errors():
        upper = scorer.native.pair_information(0, n, number, run.native).reshape(n, n)
    place = [names.index(name) for name in scorer.names]  # of the core's canonical order
    values: npt.NDArray[np.float64] = upper[np.ix_(place, place)]
    del upper
    values += values.T
    values /= float(scorer.data.total_weight)
    return values


def _pair_by_pair(
    rows: Rows, given: tuple[Any, ...], estimator: Estimator
) -> npt.NDArray[np.float64]:
    values = np.zeros((len(rows.names), len(rows.names)))
    free = [i for i, name in enumerate(rows.names) if name not in given]
    for k, i in enumerate(free):
        for j in free[:k]:
            x, y = (rows.names[i],), (rows.names[j],)
            values[i, j] = values[j, i] = information(rows, x, y, given, estimator)
    return values
