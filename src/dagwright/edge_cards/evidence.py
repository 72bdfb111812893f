"""How strong evidence is, in words."""

from __future__ import annotations

__all__ = ["NOTHING", "evidence_in_words"]

NOTHING = 1e-6
"""Nats: a gain as small as this may be rounding."""

# Kass and Raftery (1995), who give twice the log: 2, 6 and 10.
_SCALE = ((5.0, "very strong"), (3.0, "strong"), (1.0, "some"), (0.0, "hardly any"))


def evidence_in_words(gain: float) -> str:
    """Say how strongly the rows speak for an edge, or against it, that gains so many nats.

    The scale is that of Kass and Raftery for log Bayes factors.

    Examples
    --------
    >>> evidence_in_words(12.3), evidence_in_words(-2.0)
    ('very strong evidence for it', 'some evidence against it')
    """
    if abs(gain) < NOTHING:
        return "no evidence for it or against it"
    side = "for" if gain > 0 else "against"
    return next(f"{word} evidence {side} it" for least, word in _SCALE if abs(gain) >= least)
