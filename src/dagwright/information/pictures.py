"""Pictures of information and of what is known of probabilities, by matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from dagwright.draw.axes import colour, label_nodes, new_axes

if TYPE_CHECKING:
    from dagwright.information.beta import BetaPosterior
    from dagwright.information.dirichlet import DirichletPosterior
    from dagwright.information.matrix import InformationMatrix

__all__ = ["plot_beta", "plot_dirichlet", "plot_information"]

_LINES = ("-", "--", "-.", ":")
_HEIGHT = 0.8  # of the highest density, where densities stand one above the other


def plot_information(matrix: InformationMatrix, ax: Any) -> Any:
    """Draw the matrix of the mutual information; the diagonal is blank."""
    ax = new_axes(ax, "pictures of information")
    values = np.ma.masked_array(matrix.values, np.eye(len(matrix.names), dtype=bool))
    image = ax.imshow(values, vmin=0, cmap="cividis")  # light is much
    given = f" given {', '.join(matrix.given)}" if matrix.given else ""
    ax.set_title(f"Mutual information{given}")
    ax.set_xlabel("variable")
    ax.set_ylabel("variable")
    label_nodes(ax, matrix.names)
    ax.figure.colorbar(image, ax=ax, label=f"mutual information ({matrix.unit})")
    return ax


def plot_beta(posterior: BetaPosterior, ax: Any, label: str | None, mass: float) -> Any:
    """Draw the density, its mean, and the central interval shaded; more of them side by side."""
    ax = new_axes(ax, "pictures of posteriors")
    number = len(ax.collections)  # one a density that was drawn before
    x = _grid(posterior.a, posterior.b)
    y = posterior.density(x)
    low, high = posterior.interval(mass)
    style = {"color": colour(number), "linestyle": _LINES[number % len(_LINES)]}
    ax.plot(x, y, label=label or f"Beta({posterior.a:g}, {posterior.b:g})", **style)
    ax.fill_between(x, y, where=(x >= low) & (x <= high), color=style["color"], alpha=0.2)
    ax.axvline(posterior.mean, linewidth=0.8, **style)
    ax.set_xlim(0, 1)
    ax.autoscale(axis="y")  # an earlier density may be lower
    ax.set_ylim(bottom=0)
    ax.set_xlabel("probability")
    ax.set_ylabel("density")
    ax.set_title(f"What is known of a probability; mean and central {mass:g} interval")
    ax.legend()
    return ax


def plot_dirichlet(posterior: DirichletPosterior, ax: Any, mass: float) -> Any:
    """Draw the density of each state's probability, one above the other, mean and interval."""
    from scipy.stats import beta

    ax = new_axes(ax, "pictures of posteriors")
    rest = posterior.alpha.sum() - posterior.alpha
    low, high = posterior.interval(mass)
    places = range(len(posterior.states))[::-1]  # the first state is on top
    for k, place in enumerate(places):
        x = _grid(posterior.alpha[k], rest[k])
        y = beta.pdf(x, posterior.alpha[k], rest[k])
        top = place + _HEIGHT * y / y.max()
        ax.fill_between(x, place, top, color=colour(0), alpha=0.3, linewidth=0)
        ax.plot([low[k], high[k]], [place, place], color=colour(0), linewidth=2)
        ax.plot([posterior.mean[k]], [place], marker="o", color=colour(6))
    ax.set_yticks(places, [str(state) for state in posterior.states])
    ax.set_xlim(0, 1)
    ax.set_ylim(-0.3, len(places))
    ax.set_xlabel("probability")
    ax.set_ylabel("state")
    ax.set_title(f"What is known of each probability; mean and central {mass:g} interval")
    return ax


def _grid(a: float, b: float) -> Any:
    """Return where to draw a density: everywhere, and closer where it is; not at infinite ends."""
    from scipy.special import betaincinv

    even = np.linspace(0, 1, 401)[1:-1]
    close = betaincinv(a, b, np.linspace(0, 1, 201)[1:-1])
    return np.union1d(even, close[(close > 1e-4) & (close < 1 - 1e-4)])
