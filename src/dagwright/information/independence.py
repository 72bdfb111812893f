"""Are two variables independent given others? The p-value, BIC and the Bayes factor together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from math import log, prod
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from dagwright.information.permutation import permutation_p_value
from dagwright.information.strata import count_strata
from dagwright.information.subjects import Rows, check_pair
from dagwright.information.verdicts import SIGNIFICANT, why_they_differ
from dagwright.scorer import Scorer
from dagwright.scores import BIC, BDeu
from dagwright.specs import check_positive, check_whole
from dagwright.structure_priors import Uniform

if TYPE_CHECKING:
    from dagwright.scores import Score
    from dagwright.sources import Chunks
    from dagwright.table import Table

__all__ = ["Independence", "Verdict", "independence"]

Verdict = Literal["dependent", "independent"]


@dataclass(frozen=True)
class Independence:
    """Three tests of whether x and y are independent given other variables, side by side.

    Attributes
    ----------
    x, y : str
    given : tuple of str
    n_rows : float
        N, the total of the row weights.
    mutual_information : float
        I(x; y | given) of the rows, in nats.
    g2, x2 : float
        The likelihood ratio statistic, 2 N I, and Pearson's.
    degrees_of_freedom : int
        (r_x - 1) (r_y - 1) q of the declared states: the parameters that an edge costs.
    testable_degrees_of_freedom : int
        Those that the rows can say something about: strata that do not occur, and in a stratum
        the states that do not, are left out. The p-values use these.
    p_value, x2_p_value : float
        Of G2 and of X2, by the chi-square distribution; 1 if nothing is testable.
    permutation_p_value : float or None
        Of G2, by permuting y within strata; None unless `permutations` were asked for.
    bic_gain : float
        What BIC gains from x as one more parent of y beside `given`: N I - (dof / 2) ln N.
    bic_threshold : float
        The information above which that is positive: dof ln N / (2 N), in nats; 0 for less than
        one row, as BIC charges nothing then.
    log_bayes_factor : float
        ln p(rows | dependent) - ln p(rows | independent), by BDeu.
    ess : float
        The equivalent sample size of BDeu.
    permutations : int
    n_strata, n_observed_strata : int
        How many configurations the given variables have, and how many occur.
    """

    x: str
    y: str
    given: tuple[str, ...]
    n_rows: float
    mutual_information: float
    g2: float
    x2: float
    degrees_of_freedom: int
    testable_degrees_of_freedom: int
    p_value: float
    x2_p_value: float
    permutation_p_value: float | None
    bic_gain: float
    bic_threshold: float
    log_bayes_factor: float
    ess: float
    permutations: int
    n_strata: int
    n_observed_strata: int

    @property
    def verdicts(self) -> dict[str, Verdict]:
        """What each test says: "p-value" (of G2, below 0.05), "BIC" and "Bayes" (gain above 0)."""
        none = 1e-9 + 1e-12 * self.n_rows  # rounding is no gain
        return {
            "p-value": "dependent" if self.p_value < SIGNIFICANT else "independent",
            "BIC": "dependent" if self.bic_gain > none else "independent",
            "Bayes": "dependent" if self.log_bayes_factor > none else "independent",
        }

    @property
    def why(self) -> str:
        """Why the tests differ, and the two p-values if they do, in words; empty if none does."""
        return why_they_differ(self)

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain JSON values."""
        values = asdict(self) | {"given": list(self.given)}
        return values | {"verdicts": self.verdicts, "why": self.why}

    def __str__(self) -> str:
        given = f" given {', '.join(self.given)}" if self.given else ""
        verdicts = self.verdicts
        lines = [
            f"{self.x} and {self.y}{given}: {self.n_rows:,g} rows",
            f"I = {self.mutual_information:.6g} nats, G2 = {self.g2:.6g}, X2 = {self.x2:.6g}",
            f"degrees of freedom: {self.degrees_of_freedom:,}, of which "
            f"{self.testable_degrees_of_freedom:,} can be tested",
            f"p-value           {self.p_value:<12.4g} {verdicts['p-value']}",
            f"BIC gain          {self.bic_gain:<12.4g} {verdicts['BIC']} "
            f"(I against {self.bic_threshold:.4g})",
            f"log Bayes factor  {self.log_bayes_factor:<12.4g} {verdicts['Bayes']} "
            f"(BDeu, ess {self.ess:g})",
        ]
        if self.permutation_p_value is not None:
            lines.insert(
                4,
                f"by permutation    {self.permutation_p_value:<12.4g} "
                f"({self.permutations:,} permutations)",
            )
        return "\n".join([*lines, *([self.why] if self.why else [])])


def independence(
    data: Table | Chunks | Scorer | Any,
    x: str,
    y: str,
    given: str | Iterable[str] = (),
    *,
    ess: float = 1.0,
    permutations: int = 0,
    seed: int = 0,
) -> Independence:
    """Test whether two variables are independent given others, in three ways.

    The p-value asks how often independent variables would look so dependent. BIC and the Bayes
    factor compare the two models: they are what adding the edge gains, and symmetric in x and y.

    Parameters
    ----------
    data : Table, Chunks, a frame that Table takes, or a Scorer
        Row weights count as rows. A Scorer's own score and structure prior are not used.
    x, y : str
    given : name or list of names
    ess : float
        The equivalent sample size of the prior of the Bayes factor (BDeu).
    permutations : int
        How often to permute y within strata, for a p-value that holds for few rows too; 0 is not
        at all.
    seed : int
        Of the permutations: the same seed gives the same p-value.

    Examples
    --------
    >>> import dagwright as dw
    >>> table = dw.networks.load("asia").sample(500, seed=1)
    >>> test = dw.independence(table, "smoke", "lung")
    >>> test.verdicts
    {'p-value': 'dependent', 'BIC': 'dependent', 'Bayes': 'dependent'}
    >>> print(dw.independence(table, "asia", "smoke"))
    asia and smoke: 500 rows
    I = 3.21288e-08 nats, G2 = 3.21288e-05, X2 = 3.2129e-05
    degrees of freedom: 1, of which 1 can be tested
    p-value           0.9955       independent
    BIC gain          -3.107       independent (I against 0.006215)
    log Bayes factor  -1.608       independent (BDeu, ess 1)
    """
    from scipy.special import chdtrc

    rows = Rows(data if isinstance(data, Scorer) else Scorer(data))
    scorer = rows.scorer
    known = check_pair(rows, x, y, given)
    ess = check_positive("ess", ess)
    permutations = check_whole("permutations", permutations, 0)
    seed = check_whole("seed", seed, 0)
    n_states = scorer.data.n_states
    n_strata = prod(n_states[name] for name in known)
    strata = count_strata(scorer, x, y, known)
    n = float(strata.counts.sum())
    g2, x2 = strata.g2(), strata.x2()
    declared = (n_states[x] - 1) * (n_states[y] - 1) * n_strata
    testable = strata.degrees_of_freedom()
    return Independence(
        x=x,
        y=y,
        given=known,
        n_rows=n,
        mutual_information=g2 / (2 * n),
        g2=g2,
        x2=x2,
        degrees_of_freedom=declared,
        testable_degrees_of_freedom=testable,
        p_value=float(chdtrc(testable, g2)) if testable else 1.0,
        x2_p_value=float(chdtrc(testable, x2)) if testable else 1.0,
        permutation_p_value=(
            permutation_p_value(strata, permutations, seed) if permutations else None
        ),
        bic_gain=_gain(scorer, BIC(), x, y, known),
        bic_threshold=declared * max(0.0, log(n)) / (2 * n),
        log_bayes_factor=_gain(scorer, BDeu(ess), x, y, known),
        ess=ess,
        permutations=permutations,
        n_strata=n_strata,
        n_observed_strata=len(strata.totals),
    )


def _gain(scorer: Scorer, score: Score, x: str, y: str, given: tuple[str, ...]) -> float:
    """Return what the score gains from x as one more parent of y."""
    with_x, without = scorer.with_score(score, Uniform()).batch([(y, (x, *given)), (y, given)])
    return float(np.subtract(with_x, without))
