"""What all pictures by matplotlib share: axes to draw on, colours, a place for names."""

from __future__ import annotations

from typing import Any

__all__ = ["COLOURS", "GREY", "MARKERS", "colour", "label_nodes", "marker", "new_axes"]

COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#000000")
"""Of Okabe and Ito: they differ for all common kinds of colour blindness."""

GREY = "#999999"
"""For what is there to compare with: a line at zero, a diagonal."""

MARKERS = "osD^vPX"

_MOST_LABELS = 60


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


def label_nodes(ax: Any, names: tuple[str, ...]) -> None:
    """Write the names beside the rows and below the columns of a matrix, if they can be read."""
    if len(names) <= _MOST_LABELS:
        size = min(10.0, 300 / len(names))
        ax.set_xticks(range(len(names)), names, rotation=90, fontsize=size)
        ax.set_yticks(range(len(names)), names, fontsize=size)
