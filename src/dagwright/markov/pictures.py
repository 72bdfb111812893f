"""Pictures of learning: the dual view, step by step. By matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dagwright.draw.axes import colour, new_axes
from dagwright.errors import DataError
from dagwright.markov.method import MomentStep

__all__ = ["plot_trace"]

_WHAT = "pictures of learning"


def plot_trace(trace: Sequence[MomentStep], axes: Any) -> Any:
    """Draw g, the moment gap and the log-likelihood by step."""
    if not trace:
        raise DataError("there is no trace to draw: the method takes no steps")
    if axes is None:
        figure = new_axes(None, _WHAT).figure
        figure.clear()
        figure.set_size_inches(10, 3.2)
        axes = figure.subplots(1, 3)
    steps = [own.step for own in trace]
    shown = (
        ("g = log Z - theta . mu (nats)", [own.g for own in trace]),
        ("moment gap", [own.moment_gap for own in trace]),
        ("log-likelihood (nats)", [own.log_likelihood for own in trace]),
    )
    mark = "o" if len(trace) < 50 else None
    for number, (ax, (label, values)) in enumerate(zip(axes, shown, strict=True)):
        ax.plot(steps, values, color=colour(number), marker=mark, markersize=3)
        ax.set_xlabel("step")
        ax.set_ylabel(label)
    if any(own.moment_gap > 0 for own in trace):
        axes[1].set_yscale("log")
    return axes
