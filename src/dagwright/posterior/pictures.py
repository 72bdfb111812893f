"""Pictures of a sampled posterior, by matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from dagwright.draw.axes import GREY, colour, label_nodes, marker, new_axes

if TYPE_CHECKING:
    from dagwright.posterior.features import EdgeKind
    from dagwright.posterior.sampled import Posterior

__all__ = ["plot_chains", "plot_edges", "plot_trace"]

_WHAT = "pictures of a posterior"


def plot_edges(posterior: Posterior, kind: EdgeKind, ax: Any) -> Any:
    """Draw the matrix of the probabilities of edges: parents are rows, children columns."""
    values = posterior.edge_probabilities(kind).values
    ax = new_axes(ax, _WHAT)
    image = ax.imshow(values, vmin=0, vmax=1, cmap="cividis")  # light is probable
    joined = kind == "undirected"
    ax.set_xlabel("node" if joined else "child")
    ax.set_ylabel("node" if joined else "parent")
    ax.set_title(f"Probabilities of edges ({kind})")
    label_nodes(ax, posterior.names)
    ax.figure.colorbar(image, ax=ax, label="probability")
    return ax


def plot_trace(posterior: Posterior, ax: Any) -> Any:
    """Draw the scores of the draws, one line a chain."""
    ax = new_axes(ax, _WHAT)
    for chain, scores in enumerate(posterior.scores):
        ax.plot(scores, color=colour(chain), linewidth=0.8, label=f"chain {chain + 1}")
    ax.set_xlabel("draw")
    ax.set_ylabel("score (nats)")
    ax.set_title("Scores of the draws")
    ax.legend()
    return ax


def plot_chains(posterior: Posterior, ax: Any) -> Any:
    """Draw the probabilities of edges by each later chain against those by the first."""
    ax = new_axes(ax, _WHAT)
    off_diagonal = ~np.eye(len(posterior.names), dtype=bool)
    first, *others = (own.values[off_diagonal] for own in posterior.chain_edge_probabilities())
    ax.plot([0, 1], [0, 1], color=GREY, linewidth=0.8, zorder=0)
    for chain, values in enumerate(others, start=1):
        ax.scatter(
            first,
            values,
            s=14,
            color=colour(chain),
            marker=marker(chain),
            alpha=0.7,
            label=f"chain {chain + 1}",
        )
    ax.set_aspect("equal")
    ax.set_xlabel("probability of the edge by chain 1")
    ax.set_ylabel("by the other chain")
    ax.set_title("Probabilities of edges by chain")
    if others:
        ax.legend()
    return ax
