"""What all pictures by matplotlib share: axes to draw on, colours, a place for names."""

from __future__ import annotations

from typing import Any

__all__ = ["COLOURS", "GREY", "MARKERS", "colour", "marker", "new_axes"]

COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#000000")
"""Of Okabe and Ito: they differ for all common kinds of colour blindness."""

GREY = "#999999"
"""For what is there to compare with: a line at zero, a diagonal."""

MARKERS = "osD^vPX"


def colour(number: int) -> str:
    """Return the colour of the series of this number, from 0."""
    return COLOURS[number % len(COLOURS)]


def marker(number: int) -> str:
    """Return the marker of the series of this number, so that colour is not all that differs."""
    return MARKERS[number % len(MARKERS)]


def new_axes(ax: Any, what: str = "pictures") -> Any:
    """Return the axes that were given, or new ones; `what` needs matplotlib if that is absent."""
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError(
            f"{what} need matplotlib; install it with: pip install 'dagwright[plot]'"
        ) from error
    return pyplot.subplots(layout="constrained")[1]
