"""How often data sets of some number of rows want an edge, by simulation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dagwright.draw.axes import GREY, colour, marker, new_axes
from dagwright.information.rows_needed import RowsNeeded, rows_and_transition
from dagwright.information.transition import check_rows, default_rows, pair_text
from dagwright.specs import check_whole

__all__ = ["PowerCurve", "power_curve"]


@dataclass(frozen=True)
class PowerCurve:
    """What :func:`dagwright.power_curve` returns.

    Attributes
    ----------
    rows : tuple of int
    bic, bdeu : tuple of float
        For each number of rows the share of the data sets that want the edge.
    bic_errors, bdeu_errors : tuple of float
        Standard errors of these shares.
    repeats : int
        How many data sets were drawn for each number of rows.
    seed : int
    needed : RowsNeeded
        The strength of the dependence, and where the shares should be one half.

    Examples
    --------
    >>> import dagwright as dw
    >>> table = dw.networks.load("asia").sample(2000, seed=1)
    >>> print(dw.power_curve(table, "smoke", "lung", rows=[30, 100, 300]))
    Data sets that want an edge between 'smoke' and 'lung' of strength 0.02093 nats a row:
      rows    BIC  error  BDeu(1)  error
        30  0.194  0.013    0.284  0.014
       100  0.522  0.016    0.634  0.015
       300  0.902  0.009    0.927  0.008
    1,000 data sets for each number of rows
    """

    rows: tuple[int, ...]
    bic: tuple[float, ...]
    bic_errors: tuple[float, ...]
    bdeu: tuple[float, ...]
    bdeu_errors: tuple[float, ...]
    repeats: int
    seed: int
    needed: RowsNeeded

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain JSON values."""
        plain = {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in vars(self).items()
        }
        return plain | {"needed": self.needed.to_dict()}

    def plot(self, ax: Any = None) -> Any:
        """Draw the shares over rows, with two standard errors; return the matplotlib axes."""
        ax = new_axes(ax)
        ax.axhline(0.5, color=GREY, linewidth=0.8, zorder=0)
        series = [
            ("BIC", self.bic, self.bic_errors),
            (f"BDeu({self.needed.ess:g})", self.bdeu, self.bdeu_errors),
        ]
        for number, (name, shares, errors) in enumerate(series):
            ax.errorbar(
                self.rows,
                shares,
                yerr=2 * np.asarray(errors),
                color=colour(number),
                marker=marker(number),
                markersize=4,
                capsize=2,
                label=name,
            )
        ax.set_xscale("log")
        ax.set_ylim(-0.02, 1.02)
        ax.set_xlabel("rows")
        ax.set_ylabel("share of the data sets that want the edge")
        pair = pair_text(self.needed.x, self.needed.y, self.needed.given)
        ax.set_title(f"{pair}, {self.needed.strength:.3g} nats a row")
        ax.legend()
        return ax

    def __str__(self) -> str:
        needed = self.needed
        bdeu = f"BDeu({needed.ess:g})"
        width = max(6, *(len(f"{n:,}") for n in self.rows))
        lines = [
            f"Data sets that want an edge between {pair_text(needed.x, needed.y, needed.given)} of "
            f"strength {needed.strength:.4g} nats a row:",
            f"{'rows':>{width}}    BIC  error  {bdeu}  error",
        ]
        for n, *values in zip(
            self.rows, self.bic, self.bic_errors, self.bdeu, self.bdeu_errors, strict=True
        ):
            a, b, c, d = values
            lines.append(f"{n:>{width},}  {a:.3f}  {b:.3f}  {c:>{len(bdeu)}.3f}  {d:.3f}")
        return "\n".join([*lines, f"{self.repeats:,} data sets for each number of rows"])


def power_curve(
    data: Any,
    x: str,
    y: str,
    given: Sequence[str] = (),
    *,
    rows: Sequence[int] | None = None,
    ess: float = 1.0,
    strength: float | None = None,
    repeats: int = 1000,
    seed: int = 0,
) -> PowerCurve:
    """Draw data sets with the estimated dependence, and see how many of them want the edge.

    Parameters
    ----------
    data, x, y, given, ess, strength
        As for :func:`dagwright.rows_needed`. With ``strength=0`` these are the edges by chance.
    rows : sequence of int, optional
        Numbers of rows; by default around the transition.
    repeats : int
        Data sets for each number of rows.
    seed : int
        A number of rows has the same data sets whichever others there are.

    Returns
    -------
    PowerCurve

    Examples
    --------
    >>> import dagwright as dw
    >>> table = dw.networks.load("asia").sample(2000, seed=1)
    >>> curve = dw.power_curve(table, "smoke", "lung", rows=[10_000], strength=0)
    >>> curve.bic[0] < 0.01
    True
    """
    repeats = check_whole("repeats", repeats, 1)
    seed = check_whole("seed", seed, 0)
    needed, transition = rows_and_transition(data, x, y, given, ess, strength)
    if rows is None:
        chosen = default_rows((needed.bic, needed.bdeu), needed.n_rows, 15)
    else:
        chosen = check_rows(rows)
    shares = [
        [
            transition.power(gain, n, repeats, np.random.default_rng([seed, n]))
            for gain in transition.gains
        ]
        for n in chosen
    ]
    bic, bdeu = zip(*shares, strict=True)
    return PowerCurve(
        rows=chosen,
        bic=tuple(share for share, _ in bic),
        bic_errors=tuple(error for _, error in bic),
        bdeu=tuple(share for share, _ in bdeu),
        bdeu_errors=tuple(error for _, error in bdeu),
        repeats=repeats,
        seed=seed,
        needed=needed,
    )
