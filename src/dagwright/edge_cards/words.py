"""Edge cards in sentences."""

from __future__ import annotations

import math
import textwrap

from dagwright._names import arrow, listed
from dagwright.edge_cards.changes import Change
from dagwright.edge_cards.edge_card import EdgeCard, EdgeShares
from dagwright.edge_cards.evidence import NOTHING

__all__ = ["card_lines", "card_text", "card_title", "p_value_text"]

_WIDTH = 95
_INDENT = 15


def card_title(card: EdgeCard) -> str:
    """Say what the card is about."""
    if card.present:
        return f"{card.parent} -> {card.child}"
    return f"{card.parent} -> {card.child}: no edge"


def card_text(card: EdgeCard) -> str:
    """Write a card for a terminal."""
    lines = [card_title(card)]
    for subject, text in card_lines(card).items():
        indent = " " * _INDENT
        body = textwrap.fill(
            text,
            _WIDTH,
            initial_indent=indent,
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
        lines.append(f"  {subject:<{_INDENT - 2}}{body[_INDENT:]}")
    return "\n".join(lines)


def card_lines(card: EdgeCard) -> dict[str, str]:
    """Write a card by subject, one short paragraph each."""
    lines = {"Evidence": _evidence(card), "Information": _information(card)}
    lines["Tests"] = _tests(card)
    if card.direction == "compelled":
        lines["Direction"] = "Compelled: every graph of the class has it this way."
    elif card.direction == "reversible":
        lines["Direction"] = (
            f"Reversible: some graph of the class has {arrow((card.child, card.parent))}, and no "
            "rows can tell the two apart."
        )
    sure = [
        _shares_text(name, shares, card.present)
        for name, shares in (("Posterior", card.posterior), ("Bootstrap", card.bootstrap))
        if shares is not None
    ]
    if sure:
        lines["How sure"] = " ".join(sure)
    lines["Rows"] = _rows(card)
    lines["If changed"] = " ".join(_change(change) for change in card.changes)
    if card.fixed_by:
        lines["Fixed by"] = "; ".join(card.fixed_by) + "."
    return lines


def p_value_text(p_value: float) -> str:
    """Write a p-value: no more digits than anybody reads."""
    return f"{p_value:.2g}" if p_value >= 1e-300 else "below 1e-300"


def _evidence(card: EdgeCard) -> str:
    split = card.split
    parts = f"fit {split.fit:+z,.2f}, price {split.price:+z,.2f}"
    if split.prior:
        parts += f", structure prior {split.prior:+z,.2f}"
    verb = "gains" if split.gain > -NOTHING else "loses"
    evidence = card.evidence[0].upper() + card.evidence[1:]
    text = f"{evidence}: {card.score} {verb} {abs(split.gain):,.2f} nats by it ({parts})."
    if not card.present and split.gain > NOTHING:
        possible = [c for c in card.changes if c.gain > NOTHING and not c.refused]
        text += (
            " The graph would score higher with it."
            if possible
            else " But it cannot be there: see below."
        )
    return text


def _information(card: EdgeCard) -> str:
    text = f"{card.parent!r} tells {card.information_alone:.4g} nats a row about {card.child!r}"
    if not card.given:
        return text + "."
    text += f"; {card.test.mutual_information:.4g} given {listed(card.given)}."
    alone, beside = (set(test.verdicts.values()) for test in (card.alone, card.test))
    if alone == {"dependent"} and beside == {"independent"}:
        text += " What it tells goes through these."
    return text


def _tests(card: EdgeCard) -> str:
    test = card.test
    degrees = "degree" if test.testable_degrees_of_freedom == 1 else "degrees"
    text = (
        f"p-value {p_value_text(test.p_value)} (G2 {test.g2:,.4g}, "
        f"{test.testable_degrees_of_freedom:,} {degrees} of freedom), "
        f"BIC gain {test.bic_gain:+z,.2f}, log Bayes factor {test.log_bayes_factor:+z,.2f} "
        f"(BDeu, ess {test.ess:g})."
    )
    return f"{text} {test.why}".rstrip()


def _rows(card: EdgeCard) -> str:
    needed = card.rows_needed
    if needed.strength == 0:
        return f"There are {needed.n_rows:,.6g}; they show no dependence beyond chance."

    def text(rows: float) -> str:
        return f"from {rows:,.0f} rows on" if math.isfinite(rows) else "for no number of rows"

    return (
        f"There are {needed.n_rows:,.6g}; a dependence of this strength is wanted by BIC "
        f"{text(needed.bic)}, by BDeu({needed.ess:g}) {text(needed.bdeu)}."
    )


def _shares_text(name: str, shares: EdgeShares, present: bool) -> str:
    what = "probability" if name == "Posterior" else "share"
    if not present:
        return f"{name} {what} of an edge {shares.either:.3f}."
    return f"{name} {what} {shares.directed:.3f}, in either direction {shares.either:.3f}."


def _change(change: Change) -> str:
    done = {
        "remove": "Removed",
        "reverse": "Reversed by itself",
        "add": f"With {arrow((change.parent, change.child))}",
    }[change.kind]
    text = f"{done}: the score changes by {change.gain:+z,.2f}"
    return f"{text}; not possible, {change.refused}." if change.refused else f"{text}."
