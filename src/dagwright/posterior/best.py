"""The most probable graphs of a posterior."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dagwright.graph import Dag

__all__ = ["BestDags"]


@dataclass(frozen=True)
class BestDags:
    """The k most probable DAGs, best first.

    Attributes
    ----------
    dags : tuple of Dag
    scores : tuple of float
        Their scores, structure prior included.
    probabilities : tuple of float
        Their probabilities, given the data.

    Examples
    --------
    >>> import dagwright as dw
    >>> rows = dw.Table({"rain": ["n", "n", "y", "y"] * 9, "wet": ["n", "n", "y", "y"] * 9})
    >>> best = dw.exact_posterior(rows).best(2)
    >>> [dag.edges for dag in best.dags]
    [(('rain', 'wet'),), (('wet', 'rain'),)]
    >>> round(best.mass, 3)
    1.0
    """

    dags: tuple[Dag, ...]
    scores: tuple[float, ...]
    probabilities: tuple[float, ...]

    @property
    def mass(self) -> float:
        """How much of the posterior they cover."""
        return min(1.0, sum(self.probabilities))

    def __len__(self) -> int:
        return len(self.dags)

    def __iter__(self) -> Iterator[tuple[Dag, float]]:
        """Each graph with its probability."""
        return zip(self.dags, self.probabilities, strict=True)
