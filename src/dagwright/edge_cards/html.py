"""Edge cards as HTML, in light and dark: nothing is loaded from elsewhere."""

from __future__ import annotations

from html import escape

from dagwright.edge_cards.edge_card import EdgeCard
from dagwright.edge_cards.explanation import HEADER, Explanation
from dagwright.edge_cards.words import card_lines, card_title
from dagwright.errors import DagwrightError

__all__ = ["card_html", "page_html"]

_STYLE = """
:root { color-scheme: light dark; }
.dagwright { font: 14px/1.45 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; }
.dagwright table { border-collapse: collapse; width: 100%; }
.dagwright th, .dagwright td { text-align: left; padding: .2em .8em .2em 0; vertical-align: top; }
.dagwright td.number { text-align: right; font-variant-numeric: tabular-nums; }
.dagwright tr + tr { border-top: 1px solid color-mix(in srgb, currentColor 15%, transparent); }
.dagwright .card { margin: .6em 0; padding: .5em 1em; border-radius: .4em;
  border: 1px solid color-mix(in srgb, currentColor 25%, transparent); }
.dagwright .card th { width: 7em; font-weight: normal; opacity: .7; }
.dagwright summary { font-weight: 600; cursor: pointer; }
""".strip()


def card_html(card: EdgeCard) -> str:
    """Return one card, with its style."""
    return f'<style>{_STYLE}</style>\n<div class="dagwright">\n{_card(card)}\n</div>'


def page_html(explanation: Explanation) -> str:
    """Return a page: the graph, a table of its edges, and their cards."""
    title = f"{len(explanation.edges):,} edges, {explanation.score} {explanation.total:,.3f}"
    parts = [
        "<!DOCTYPE html>",
        '<html lang="en"><head><meta charset="utf-8">',
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head>",
        f'<body class="dagwright"><h1>{escape(title)}</h1>',
        _picture(explanation),
        _table(explanation, explanation.edges),
        *map(_card, explanation.edges),
    ]
    if explanation.nearly:
        parts += ["<h2>Nearest to being edges</h2>", _table(explanation, explanation.nearly)]
        parts += map(_card, explanation.nearly)
    return "\n".join([*parts, "</body></html>", ""])


def _picture(explanation: Explanation) -> str:
    try:
        return f"<figure>{explanation.dag.to_svg()}</figure>"
    except DagwrightError as error:  # drawing is an extra
        return f"<p>{escape(str(error))}</p>"


def _table(explanation: Explanation, cards: tuple[EdgeCard, ...]) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in HEADER)
    lines = [
        "<tr>"
        + "".join(
            f'<td class="number">{cell:+,.2f}</td>'
            if isinstance(cell, float)
            else f"<td>{escape(cell)}</td>"
            for cell in row
        )
        + "</tr>"
        for row in explanation.rows(cards)
    ]
    return "\n".join(["<table>", f"<tr>{head}</tr>", *lines, "</table>"])


def _card(card: EdgeCard) -> str:
    rows = [
        f"<tr><th>{escape(subject)}</th><td>{escape(text)}</td></tr>"
        for subject, text in card_lines(card).items()
    ]
    title = escape(card_title(card))
    return "\n".join(
        [
            f'<details class="card" open><summary>{title}</summary><table>',
            *rows,
            "</table></details>",
        ]
    )
