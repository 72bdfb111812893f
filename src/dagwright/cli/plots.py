"""Pictures by matplotlib, written to files."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from dagwright.errors import DataError, SpecError
from dagwright.io.files import check_writable

__all__ = ["check_picture", "write_picture"]

_ENDINGS = (".svg", ".png", ".pdf")


def check_picture(path: str) -> None:
    """Refuse a file that cannot become a picture, before the work rather than after it."""
    if Path(path).suffix.lower() not in _ENDINGS:
        raise SpecError(f"{path}: a picture ends in one of {', '.join(_ENDINGS)}")
    check_writable(path)
    if find_spec("matplotlib") is None:
        raise DataError(
            f"{path}: pictures need matplotlib; install it with: pip install 'dagwright[plot]'"
        )


def write_picture(path: str, draw: Callable[[Any], object], size: tuple[float, float]) -> None:
    """Write what `draw` draws on axes; the size is in inches."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    draw(figure.subplots())
    figure.savefig(path, dpi=150)
