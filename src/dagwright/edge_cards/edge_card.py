"""All that is known about one edge, or about one that is not there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, Literal

from dagwright.edge_cards.changes import Change, Split
from dagwright.edge_cards.evidence import evidence_in_words
from dagwright.information.independence import Independence
from dagwright.information.rows_needed import RowsNeeded, rows_needed
from dagwright.scorer import Scorer

__all__ = ["EdgeCard", "EdgeShares"]


@dataclass(frozen=True)
class EdgeShares:
    """How probable an edge is, or in what share of resampled data it is found."""

    directed: float
    reversed: float

    @property
    def either(self) -> float:
        """In one direction or the other."""
        return self.directed + self.reversed


@dataclass(frozen=True)
class EdgeCard:
    """Why an edge is there, or why it is not: what :meth:`Result.explain` returns for two nodes.

    Attributes
    ----------
    parent, child : str
        The edge. Of one that is not there, the direction that would score higher among those that
        are possible.
    present : bool
    given : tuple of str
        The other parents of the child: all numbers are beside them.
    score : str
        The score that `split` is of.
    split : Split
        What the score gains by the edge, in nats, taken apart: ``gain = fit + price + prior``.
    test : Independence
        The tests of independence given the other parents: p-value, BIC, Bayes factor.
    alone : Independence
        The same with nothing given.
    direction : {"compelled", "reversible"} or None
        Whether all graphs of the class have this direction; None if there is no edge.
    changes : tuple of Change
        What removing, reversing or adding it would do.
    fixed_by : tuple of str
        The constraints that decided on it.
    posterior, bootstrap : EdgeShares or None
        Of the ones that were given.
    """

    parent: str
    child: str
    present: bool
    given: tuple[str, ...]
    score: str
    split: Split
    test: Independence
    alone: Independence
    direction: Literal["compelled", "reversible"] | None
    changes: tuple[Change, ...]
    fixed_by: tuple[str, ...]
    posterior: EdgeShares | None
    bootstrap: EdgeShares | None
    _scorer: Scorer = field(repr=False, compare=False)

    @property
    def gain(self) -> float:
        """What the score gains by the edge, in nats: negative where it would lose."""
        return self.split.gain

    @property
    def evidence(self) -> str:
        """How strongly the score speaks for the edge or against it, in words."""
        return evidence_in_words(self.gain)

    @property
    def information_alone(self) -> float:
        """I(parent; child) in nats a row, nothing given; `test` has that beside other parents."""
        return self.alone.mutual_information

    @cached_property
    def rows_needed(self) -> RowsNeeded:
        """From how many rows on scores want the edge; takes some tenths of a second at first."""
        return rows_needed(self._scorer, self.parent, self.child, self.given, ess=self.test.ess)

    def to_dict(self) -> dict[str, Any]:
        """Return the card as plain JSON values."""
        return {
            "parent": self.parent,
            "child": self.child,
            "present": self.present,
            "given": list(self.given),
            "score": self.score,
            **asdict(self.split),
            "evidence": self.evidence,
            "information_alone": self.information_alone,
            "test": self.test.to_dict(),
            "direction": self.direction,
            "rows_needed": self.rows_needed.to_dict(),
            "changes": [asdict(change) for change in self.changes],
            "fixed_by": list(self.fixed_by),
            "posterior": _shares(self.posterior),
            "bootstrap": _shares(self.bootstrap),
        }

    def lines(self) -> Mapping[str, str]:
        """Return the card in words, by subject."""
        from dagwright.edge_cards.words import card_lines

        return card_lines(self)

    def to_html(self) -> str:
        """Return the card as a piece of HTML."""
        from dagwright.edge_cards.html import card_html

        return card_html(self)

    def _repr_html_(self) -> str:
        return self.to_html()

    def __str__(self) -> str:
        from dagwright.edge_cards.words import card_text

        return card_text(self)


def _shares(shares: EdgeShares | None) -> dict[str, float] | None:
    return None if shares is None else asdict(shares) | {"either": shares.either}
