"""How many rows it takes until scores want an edge."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dagwright.information.chance import information_by_chance
from dagwright.information.dependence import Dependence, Floats, Gain
from dagwright.information.subjects import Rows, check_pair
from dagwright.information.transition import Transition, pair_text, transition_in
from dagwright.scorer import Scorer
from dagwright.specs import check_number
from dagwright.table import Table

__all__ = ["RowsNeeded", "rows_needed"]

_SPREAD = 1.6448536269514722  # 90 % of a normal distribution are within so many deviations

Interval = tuple[float, float]


@dataclass(frozen=True)
class RowsNeeded:
    """What :func:`dagwright.rows_needed` returns. Rows are inf where no number is enough.

    Attributes
    ----------
    x, y : str
    given : tuple of str
    n_rows : float
        The rows there are: the sum of their weights.
    mutual_information : float
        I(x; y | given) in the data, in nats a row.
    strength : float
        The dependence that is counted on: `mutual_information` less what these rows show on
        average after permuting y within strata, not below 0; or as it was given.
    strength_interval : tuple of float, or None
        What the strength may be as well, with probability 0.9; None if it was given.
    degrees_of_freedom : float
        What the edge adds to the number of parameters.
    ess : float
    bic, bdeu : float
        The number of rows from which on at least half of the data sets want the edge.
    bic_interval, bdeu_interval : tuple of float, or None
        The same at the upper and the lower end of `strength_interval`.

    Examples
    --------
    >>> import dagwright as dw
    >>> table = dw.networks.load("asia").sample(2000, seed=1)
    >>> print(dw.rows_needed(table, "smoke", "lung"))
    An edge between 'smoke' and 'lung' of strength 0.02093 nats a row (0.01429 to 0.02943):
    BIC wants it from 94 rows on (64 to 170)
    BDeu(1) wants it from 56 rows on (43 to 127)
    That is where half of the data sets do; there are 2,000 rows.
    """

    x: str
    y: str
    given: tuple[str, ...]
    n_rows: float
    mutual_information: float
    strength: float
    strength_interval: Interval | None
    degrees_of_freedom: float
    ess: float
    bic: float
    bdeu: float
    bic_interval: Interval | None
    bdeu_interval: Interval | None

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain JSON values; null stands for rows that no number is enough for."""

        def plain(value: Any) -> Any:
            if isinstance(value, tuple):
                return [plain(item) for item in value]
            return None if isinstance(value, float) and math.isinf(value) else value

        return {name: plain(value) for name, value in vars(self).items()}

    def __str__(self) -> str:
        pair = pair_text(self.x, self.y, self.given)
        likely = ""
        if self.strength_interval is not None:
            low, high = self.strength_interval
            likely = f" ({low:.4g} to {high:.4g})"
        head = f"An edge between {pair} of strength {self.strength:.4g} nats a row{likely}:"
        lines = [
            _line("BIC", self.bic, self.bic_interval),
            _line(f"BDeu({self.ess:g})", self.bdeu, self.bdeu_interval),
        ]
        there = f"there are {self.n_rows:,.6g} rows."
        if self.strength == 0:
            end = f"The data show no dependence beyond chance; {there}"
        else:
            end = f"That is where half of the data sets do; {there}"
        return "\n".join([head, *lines, end])


def _line(name: str, rows: float, interval: Interval | None) -> str:
    likely = ""
    if interval is not None:
        first, last = interval
        last_text = f"{last:,.0f}" if math.isfinite(last) else "never"
        likely = f" ({first:,.0f} to {last_text})" if math.isfinite(first) else ""
    if math.isfinite(rows):
        return f"{name} wants it from {rows:,.0f} rows on{likely}"
    return f"{name} wants it for no number of rows{likely}"


def rows_needed(
    data: Table | Scorer | Any,
    x: str,
    y: str,
    given: Sequence[str] = (),
    *,
    ess: float = 1.0,
    strength: float | None = None,
) -> RowsNeeded:
    """Return the number of rows from which on BIC and BDeu want an edge between two variables.

    With few rows a score prefers no edge, with more rows the edge, and the weaker the dependence
    the later. The answer is the number of rows from which on at least half of the data sets with
    this dependence gain by the edge. It is found from the mean gain, which is computed exactly,
    and for less than 200 rows from drawn data sets.

    Parameters
    ----------
    data : Table, Chunks, a frame that Table takes, or a Scorer
        The score of a Scorer does not matter.
    x, y : str
        The two variables; which is the parent makes no difference.
    given : sequence of str
        The other parents.
    ess : float
        Equivalent sample size of BDeu.
    strength : float, optional
        I(x; y | given) in nats a row. By default what the data show, less what is chance; see
        :class:`RowsNeeded`. The pattern of the dependence, and the shares of the states, are those
        of the data in any case.

    Returns
    -------
    RowsNeeded
        ``bic`` and ``bdeu`` are inf where the data show no dependence beyond chance, or where it is
        so weak that 2**40 rows are not enough.

    Examples
    --------
    >>> import dagwright as dw
    >>> table = dw.networks.load("asia").sample(2000, seed=1)
    >>> dw.rows_needed(table, "smoke", "lung", strength=0.001).bic
    4156.0
    >>> dw.rows_needed(table, "asia", "bronc").bic
    inf
    """
    return rows_and_transition(data, x, y, given, ess, strength)[0]


def rows_and_transition(
    data: Any, x: str, y: str, given: Sequence[str], ess: float, strength: float | None
) -> tuple[RowsNeeded, Transition]:
    """Return the rows that are needed, and the transition at the strength that is counted on."""
    scorer = data if isinstance(data, Scorer) else Scorer(data)
    known = check_pair(Rows(scorer), x, y, given)
    counts, seen = transition_in(scorer, x, y, known, ess)
    n_rows = float(counts.sum())
    dependence = seen.dependence
    interval: Interval | None = None
    if strength is None:
        strength, interval = _strength(counts, dependence)
    else:
        rule = "nats a row, 0 or more"
        strength = float(check_number("strength", strength, rule, lambda s: 0 <= s < math.inf))
    transition = Transition(dependence.of_strength(strength), seen.gains)
    bic, bdeu = seen.gains

    def between(gain: Gain, rows: float) -> Interval | None:
        if interval is None:
            return None
        ends = [Transition(dependence.of_strength(end), seen.gains) for end in interval]
        last, first = (own.rows_needed(gain) for own in ends)
        return min(first, rows), max(last, rows)

    rows_bic, rows_bdeu = transition.rows_needed(bic), transition.rows_needed(bdeu)
    needed = RowsNeeded(
        x=x,
        y=y,
        given=known,
        n_rows=n_rows,
        mutual_information=dependence.information,
        strength=strength,
        strength_interval=interval,
        degrees_of_freedom=dependence.degrees_of_freedom,
        ess=float(ess),
        bic=rows_bic,
        bdeu=rows_bdeu,
        bic_interval=between(bic, rows_bic),
        bdeu_interval=between(bdeu, rows_bdeu),
    )
    return needed, transition


def _strength(counts: Floats, dependence: Dependence) -> tuple[float, Interval]:
    """Return the information without what is chance, and 90 % of what it may be.

    2 N I is about noncentral chi-square, whose degrees of freedom are 2 N bias; the root of it,
    less half of those but one, has about the deviation 1 whatever the strength.
    """
    n_rows = float(counts.sum())
    bias = information_by_chance(counts)
    half = n_rows * bias - 0.5
    root = math.sqrt(max(0.0, 2 * n_rows * dependence.information - half))

    def end(moved: float) -> float:
        own = max(0.0, max(0.0, moved) ** 2 - half) / (2 * n_rows)
        return min(own, dependence.strongest.information)

    strength = max(0.0, dependence.information - bias)
    low, high = end(root - _SPREAD), end(root + _SPREAD)
    return strength, (min(low, strength), max(high, strength))
