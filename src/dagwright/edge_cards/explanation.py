"""The cards of all edges of a graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

from dagwright.edge_cards.edge_card import EdgeCard
from dagwright.edge_cards.words import p_value_text
from dagwright.graph import Dag
from dagwright.io.files import write_text

__all__ = ["Explanation"]

HEADER = ("edge", "gain", "fit", "price", "p-value", "direction", "evidence")


@dataclass(frozen=True)
class Explanation:
    """Why each edge of a graph is there: what :meth:`Result.explain` returns without nodes.

    Attributes
    ----------
    dag : Dag
    total : float
        The graph's score.
    score : str
        Which score.
    edges : tuple of EdgeCard
        Of all edges, those that gain most first.
    nearly : tuple of EdgeCard
        Of the few absent edges that lack least, of those that could be there.
    """

    dag: Dag
    total: float
    score: str
    edges: tuple[EdgeCard, ...]
    nearly: tuple[EdgeCard, ...]

    def rows(self, cards: Sequence[EdgeCard]) -> list[list[Any]]:
        """Return some cards as the rows of a table: see ``HEADER``."""
        return [
            [
                f"{card.parent} -> {card.child}",
                card.gain,
                card.split.fit,
                card.split.price + card.split.prior,
                p_value_text(card.test.p_value),
                card.direction or "absent",
                card.evidence,
            ]
            for card in cards
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return all cards as plain JSON values; that takes some tenths of a second a card."""
        return {
            "score": self.score,
            "total": self.total,
            "edges": [card.to_dict() for card in self.edges],
            "nearly": [card.to_dict() for card in self.nearly],
        }

    def to_html(self, path: str | PathLike[str] | None = None) -> str:
        """Return a page with the graph and all cards; write it to a file if one is named.

        Takes some tenths of a second a card. The picture needs ``pip install 'dagwright[draw]'``.
        """
        from dagwright.edge_cards.html import page_html

        text = page_html(self)
        if path is not None:
            write_text(text, path)
        return text

    def __str__(self) -> str:
        lines = [f"{len(self.edges):,} edges, {self.score} {self.total:,.3f}"]
        for cards in (self.edges, self.nearly):
            if cards is self.nearly and cards:
                lines += ["", "Nearest to being edges:"]
            names = [row[0] for row in self.rows(cards)]
            width = max(map(len, names), default=0)
            lines += [
                f"{row[0]:<{width}} {row[1]:>12,.2f} nats  {row[6]}" for row in self.rows(cards)
            ]
        return "\n".join(lines)
