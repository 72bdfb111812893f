"""The transition: with few rows a score wants no edge, with more it does."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from dagwright._names import listed
from dagwright.draw.axes import GREY, colour, marker, new_axes
from dagwright.errors import SpecError
from dagwright.information.dependence import (
    Dependence,
    Gain,
    bdeu_gain,
    bic_gain,
    dependence_in,
)
from dagwright.information.strata import pair_counts
from dagwright.scorer import Scorer
from dagwright.specs import check_number, check_positive

__all__ = ["Transition", "geometric_rows", "transition_in", "transition_plot"]

Floats = npt.NDArray[np.float64]

MOST_ROWS = 2**40
"""Where the search for the transition ends: beyond it sums of logs have no digits left."""

_FEW_ROWS = 200  # below, gains have few values, and no formula for their median is close
_DRAWS = 3000
_LEAST_DRAWS = 300
_NEAR = 0.15  # five standard errors of the least draws: what is nearer to half takes more of them
_FEW_CELLS = 60_000  # of all draws together: the more cells, the less hangs on a single count
_MOST_CELLS = 4_000_000
_CLEAR = 3.0  # nats: the formula's sign is right, however few the rows
_TIE = 1e-9
_ONE_BY_ONE = 20


@dataclass(frozen=True, eq=False)
class Transition:
    """A dependence of known strength, and what scores gain by its edge in samples of it."""

    dependence: Dependence
    gains: tuple[Gain, ...]

    def typical_gain(self, gain: Gain, rows: int) -> float:
        """Return the median of the gain over samples of so many rows.

        Of few rows it is that of some thousand samples, always the same ones. Else it is the mean,
        which is exact, less the distance of the median of a noncentral chi-square distribution
        from its mean (half of it, since 2 N I has that distribution and gains have N I).
        """
        if not self._has_few_values(rows):
            return self._gain_by_formula(gain, rows)
        return float(np.median(self._drawn_gains(gain, rows, self._draws)))

    def _has_few_values(self, rows: int) -> bool:
        cells = self.dependence.shares.size
        return rows < _FEW_ROWS and cells * _LEAST_DRAWS <= _MOST_CELLS

    @property
    def _draws(self) -> int:
        return max(_LEAST_DRAWS, min(_DRAWS, _FEW_CELLS // self.dependence.shares.size))

    def _drawn_gains(self, gain: Gain, rows: int, draws: int) -> Floats:
        counts = sampled_counts(self.dependence, rows, draws, np.random.default_rng([rows]))
        return gain.of(counts)

    def _gain_by_formula(self, gain: Gain, rows: int) -> float:
        dependence = self.dependence
        freedom = 2 * rows * dependence.bias(rows)
        excess = 2 * rows * dependence.information
        if freedom + excess <= 0:  # a variable of one state
            return gain.mean(dependence, rows)
        skew = (freedom + 3 * excess) / (3 * (freedom + 2 * excess))
        return gain.mean(dependence, rows) - skew

    def rows_needed(self, gain: Gain) -> float:
        """Return the number of rows from which on half of the samples gain by the edge, or inf."""
        information = self.dependence.information
        if information == 0:
            return math.inf
        # N I - (ln N / 2) dof rises from here on: what is wanted then is wanted with more rows
        rising = self.dependence.degrees_of_freedom / (2 * information)
        enough = max(_FEW_ROWS, math.ceil(min(rising, MOST_ROWS)))
        too_few = 1
        while not self._wants(gain, enough):
            too_few, enough = enough, 2 * enough
            if enough > MOST_ROWS:
                return math.inf
        while enough // 2 > too_few and self._gain_by_formula(gain, enough // 2) > _CLEAR:
            enough //= 2
        for rows in _falling(enough, too_few):
            if not self._wants(gain, rows):
                too_few = rows
                break
            enough = rows
        while enough - too_few > 1:
            middle = (enough + too_few) // 2
            if self._wants(gain, middle):
                enough = middle
            else:
                too_few = middle
        return float(enough)

    def _wants(self, gain: Gain, rows: int) -> bool:
        if not self._has_few_values(rows):
            return self._gain_by_formula(gain, rows) > _TIE
        share = float((self._drawn_gains(gain, rows, _LEAST_DRAWS) > _TIE).mean())
        if abs(share - 0.5) < _NEAR:
            share = float((self._drawn_gains(gain, rows, self._draws) > _TIE).mean())
        return share >= 0.5

    def power(
        self, gain: Gain, rows: int, repeats: int, rng: np.random.Generator
    ) -> tuple[float, float]:
        """Return the share of samples of so many rows that gain by the edge, and its error."""
        left, found = repeats, 0
        while left:
            now = min(left, max(1, _MOST_CELLS // self.dependence.shares.size))
            found += int((gain.of(sampled_counts(self.dependence, rows, now, rng)) > _TIE).sum())
            left -= now
        near = (found + 2) / (repeats + 4)  # as of Agresti and Coull: no share is without error
        return found / repeats, math.sqrt(near * (1 - near) / (repeats + 4))


def _falling(rows: int, least: int) -> Iterator[int]:
    """Go down from many rows: by halves; where gains have few values, by tenths, then one by one.

    With few rows the power may rise, fall and rise again.
    """
    while rows > least + 1:
        if rows >= 2 * _FEW_ROWS:
            rows = max(rows // 2, least + 1)
        else:
            rows = max(rows - max(1, (rows - _ONE_BY_ONE) // 10), least + 1)
        yield rows


def sampled_counts(
    dependence: Dependence, rows: int, draws: int, rng: np.random.Generator
) -> npt.NDArray[np.int64]:
    """Draw tables of counts: (draws, strata, r_x, r_y)."""
    shares = dependence.shares
    counts = rng.multinomial(rows, shares.ravel() / shares.sum(), size=draws)
    return counts.reshape(draws, *shares.shape)


def transition_in(
    scorer: Scorer, x: str, y: str, given: Sequence[str], ess: float
) -> tuple[Floats, Transition]:
    """Return the counts of a pair, and the transition at the strength that they show as it is."""
    ess = check_positive("ess", ess)
    counts = pair_counts(scorer, x, y, given)
    by_name = scorer.data.n_states
    n_strata = math.prod(float(by_name[name]) for name in given)
    dependence = dependence_in(counts, n_strata)
    gains = (
        bic_gain(dependence.degrees_of_freedom),
        bdeu_gain(ess, by_name[x], by_name[y], n_strata),
    )
    return counts, Transition(dependence, gains)


def geometric_rows(first: float, last: float, n: int) -> tuple[int, ...]:
    """Return up to so many numbers of rows, each the same factor above the one before."""
    return tuple(sorted({max(2, round(rows)) for rows in np.geomspace(first, last, n)}))


def check_rows(rows: Sequence[int]) -> tuple[int, ...]:
    """Return numbers of rows, sorted, as ints."""
    if isinstance(rows, str | bytes) or not hasattr(rows, "__iter__"):
        raise SpecError(f"rows must be a list of whole numbers such as [100, 1000], not {rows!r}")
    rule = f"whole numbers from 2 to {MOST_ROWS:,}"
    checked = {
        int(check_number("rows", n, rule, lambda n: 2 <= n <= MOST_ROWS and n == int(n)))
        for n in rows
    }
    if not checked:
        raise SpecError("rows must have at least one number, such as [100, 1000]")
    return tuple(sorted(checked))


def pair_text(x: str, y: str, given: Sequence[str]) -> str:
    """Write a pair and what is given: ``'a' and 'b' given 'c'``."""
    return f"{x!r} and {y!r}" + (f" given {listed(given)}" if given else "")


def plot_gains(
    transition: Transition, rows: Sequence[int], needed: Sequence[float], title: str, ax: Any
) -> Any:
    """Draw the typical gain of each score over rows, with the number of rows from which it is > 0.

    Returns the axes.
    """
    ax = new_axes(ax)
    ax.axhline(0, color=GREY, linewidth=0.8, zorder=0)
    for number, (gain, enough) in enumerate(zip(transition.gains, needed, strict=True)):
        values = [transition.typical_gain(gain, n) for n in rows]
        text = (
            f"{gain.name}: {enough:,.0f} rows" if math.isfinite(enough) else f"{gain.name}: never"
        )
        ax.plot(rows, values, color=colour(number), label=text)
        if rows[0] <= enough <= rows[-1]:
            ax.plot([enough], [0], marker=marker(number), color=colour(number), linestyle="none")
    ax.set_xscale("log")
    ax.set_xlabel("rows")
    ax.set_ylabel("typical gain of the edge (nats)")
    ax.set_title(title)
    ax.legend(title="wants the edge from")
    return ax


def transition_plot(
    data: Any,
    x: str,
    y: str,
    given: Sequence[str] = (),
    *,
    ess: float = 1.0,
    strength: float | None = None,
    rows: Sequence[int] | None = None,
    ax: Any = None,
) -> Any:
    """Draw what an edge typically gains over the number of rows: below 0 at first, above 0 later.

    The lines are medians over data sets with the estimated dependence; where one crosses 0, half
    of the data sets want the edge, which is what :func:`dagwright.rows_needed` finds.

    Parameters
    ----------
    data, x, y, given, ess, strength
        As for :func:`dagwright.rows_needed`.
    rows : sequence of int, optional
        Where to compute; by default around the transition.
    ax : matplotlib axes, optional

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> import dagwright as dw
    >>> table = dw.networks.load("asia").sample(2000, seed=1)
    >>> ax = dw.transition_plot(table, "smoke", "lung")  # doctest: +SKIP
    >>> ax.figure.savefig("transition.svg")  # doctest: +SKIP
    """
    from dagwright.information.rows_needed import rows_and_transition

    needed, transition = rows_and_transition(data, x, y, given, ess, strength)
    ends = (needed.bic, needed.bdeu)
    chosen = default_rows(ends, needed.n_rows) if rows is None else check_rows(rows)
    title = f"What an edge gains: {pair_text(x, y, needed.given)}"
    return plot_gains(transition, chosen, ends, title, ax)


def default_rows(needed: Sequence[float], n_rows: float, n: int = 40) -> tuple[int, ...]:
    """Return numbers of rows around the transition; around those there are if there is none."""
    finite = [rows for rows in needed if math.isfinite(rows)] or [n_rows]
    return geometric_rows(max(2.0, min(finite) / 10), min(max(finite) * 4, MOST_ROWS), n)
