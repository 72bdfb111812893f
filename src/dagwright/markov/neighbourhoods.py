"""Neighbourhood selection: the graph of an Ising model, variable by variable."""

from __future__ import annotations

from dataclasses import dataclass
from math import log, sqrt
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dagwright.errors import SpecError, Unfinished
from dagwright.markov.method import (
    UndirectedData,
    UndirectedFound,
    UndirectedMethod,
    undirected_methods,
)
from dagwright.markov.neighbourhood_fits import (
    Loss,
    NeighbourhoodFits,
    check_loss,
    fit_along,
    fit_by_extended_bic,
    n_wanted,
)
from dagwright.markov.pseudo_likelihood_fit import ENOUGH
from dagwright.markov.refit import found_ising, refitted
from dagwright.markov.screening import Candidates, all_candidates, screened
from dagwright.markov.spins import SpinRows, check_spins
from dagwright.markov.stability import stable_penalty
from dagwright.markov.symmetrisation import (
    Symmetrisation,
    check_symmetrisation,
    edges_above,
    strengths,
)
from dagwright.markov.threshold import (
    below_threshold,
    check_threshold,
    threshold_by_extended_bic,
)
from dagwright.run import Run
from dagwright.specs import check_number, check_whole

__all__ = ["NeighbourhoodSelection", "scaled_penalty"]

PenaltyChoice = Literal["ebic", "stability", "scaled"]

_PENALTIES = ("ebic", "stability", "scaled")
_SCALES = {"logistic": 0.2, "rise": 0.4, "log-rise": 0.8}  # of Lokhov et al. 2018
_ERROR = 0.05
_MANY = 500  # variables, from which on candidates are screened
_CANDIDATES = 64


@undirected_methods.add
@dataclass(frozen=True)
class NeighbourhoodSelection(UndirectedMethod):
    """Find the neighbours of each variable by a convex problem of its own with an L1 penalty.

    Each variable, as a spin x of -1 or +1, has the lean m = h + sum of J x over the others. With
    the logistic loss log(1 + exp(-2 x m)) this is L1 logistic regression of each variable on all
    others (Ravikumar, Wainwright and Lafferty 2010); with the loss exp(-x m) it is the
    interaction screening estimator RISE (Vuffray et al. 2016), and with the log of the mean of
    that log-RISE (Lokhov et al. 2018).

    Parameters
    ----------
    loss : {"logistic", "rise", "log-rise"}
    penalty : float or {"ebic", "stability", "scaled"}
        What the sum of the sizes of a variable's couplings costs beside the mean loss. "ebic"
        takes the penalty of each variable by extended BIC, "stability" one for all by
        the likeness of the graphs of halves of the rows, "scaled" takes
        c sqrt(log(n^2 / 0.05) / N), with c = 0.2, 0.4 or 0.8 for the three losses, as Lokhov et
        al. do; it lets weak couplings in, so give it a threshold.
    gamma : float
        Of extended BIC, wherever it is asked: a neighbour costs log N / 2 + gamma log (n - 1).
        There are about n times as many pairs as variables: at 0.5 some of hundreds of variables
        are joined by chance.
    symmetrisation : {"and", "or", "mean"}
        A coupling is as strong as the weaker, the stronger or the mean of what both variables
        say.
    threshold : float or "ebic"
        Edges are pairs that are stronger than this. "ebic" takes the one whose graph has the best
        extended BIC.
    refit : bool
        Give the couplings of the chosen edges by their joint pseudo-likelihood without a penalty;
        otherwise they are the means of what both variables say.
    candidates : int or "auto"
        The number of candidates of each variable, those with most mutual information; the result
        says what was left out. "auto" takes all up to 500 variables, and 64 of more.

    Examples
    --------
    >>> import dagwright as dw
    >>> ring = dw.UndirectedGraph([("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")])
    >>> truth = dw.Ising([0] * 4, 0.5 * ring.to_adjacency(), names=ring.nodes)
    >>> rows = truth.sample(20_000, seed=1)
    >>> result = dw.learn_undirected(rows, method=dw.NeighbourhoodSelection(loss="rise"))
    >>> result.graph == ring, round(result.model.coupling("a", "b"), 2)
    (True, 0.5)
    """

    loss: Loss = "logistic"
    penalty: float | PenaltyChoice = "ebic"
    gamma: float = 1.0
    symmetrisation: Symmetrisation = "and"
    threshold: float | Literal["ebic"] = 0.0
    refit: bool = True
    candidates: int | Literal["auto"] = "auto"
    name = "neighbourhood-selection"

    def __post_init__(self) -> None:
        check_loss(self.loss)
        check_symmetrisation(self.symmetrisation)
        if isinstance(self.penalty, str):
            if self.penalty not in _PENALTIES:
                raise SpecError(
                    f"penalty must be a number above 0 or one of "
                    f"{', '.join(map(repr, _PENALTIES))}, not {self.penalty!r}"
                )
        else:
            rule = "a finite number above 0: without a penalty every pair is an edge"
            penalty = check_number("penalty", self.penalty, rule, lambda x: 0 < x < np.inf)
            self._keep(penalty=penalty)
        gamma = check_number("gamma", self.gamma, "from 0 to 1", lambda x: 0 <= x <= 1)
        self._keep(gamma=gamma, threshold=check_threshold(self.threshold))
        if not isinstance(self.refit, bool):
            raise SpecError(f"refit must be True or False, not {self.refit!r}")
        if self.candidates != "auto":
            self._keep(candidates=check_whole("candidates", self.candidates, 1))

    def learn(self, data: UndirectedData, run: Run) -> UndirectedFound:
        """Learn a model."""
        check_spins(data)
        rows = SpinRows.of(data.table)
        candidates, left_out = self._candidates(data, run)
        fits = self._fits(data, rows, candidates, run)
        if fits.n_done == 0:
            raise Unfinished(f"{self.name} was stopped ({run.reason}) before it had any answer")
        left_out += _unfinished(fits) + _penalties(fits, self.penalty)
        if candidates.n_left_out:
            left_out += self._checked(data, rows, fits, run)
        strength = strengths(fits.couplings, self.symmetrisation)
        threshold = self.threshold
        if isinstance(threshold, str):
            threshold = threshold_by_extended_bic(rows, strength, self.gamma, run).threshold
        edges = edges_above(strength, threshold)
        left_out += below_threshold(strength, threshold, self.threshold == "ebic", run)
        fields, couplings = fits.fields, _means(fits.couplings, edges)
        notes = _far_from_minimum(fits)
        if self.refit:
            fields, couplings, said = refitted(data, rows, edges, fields, couplings, run)
            notes += said
        return found_ising(data, edges, fields, couplings, "minimum found", notes, left_out)

    def _candidates(self, data: UndirectedData, run: Run) -> tuple[Candidates, tuple[str, ...]]:
        if self.candidates != "auto":
            most = self.candidates
        elif len(data.table.names) > _MANY:
            most = _CANDIDATES
        else:
            return all_candidates(data), ()
        candidates = screened(data, most, run)
        return candidates, candidates.left_out(most)

    def _fits(
        self, data: UndirectedData, rows: SpinRows, candidates: Candidates, run: Run
    ) -> NeighbourhoodFits:
        if self.penalty == "ebic":
            return fit_by_extended_bic(rows, candidates, self.loss, self.gamma, run)
        if self.penalty == "stability":
            penalty = stable_penalty(data, rows, candidates, self.loss, self.symmetrisation, run)
        elif self.penalty == "scaled":
            penalty = scaled_penalty(self.loss, rows.n_variables, rows.total_weight)
        else:
            penalty = float(self.penalty)
        return fit_along(rows, candidates, self.loss, [penalty], run)[0]

    def _checked(
        self, data: UndirectedData, rows: SpinRows, fits: NeighbourhoodFits, run: Run
    ) -> tuple[str, ...]:
        wanted = n_wanted(rows, fits, all_candidates(data), self.loss, run)
        if run.stopping():
            return ("the pairs that were screened out were not checked: the run was stopped",)
        return (
            f"checked in the end: {wanted:,} of the couplings that were screened out (two a pair) "
            "would not stay 0 at these penalties, were they candidates",
        )


def scaled_penalty(loss: Loss, n_variables: int, n_rows: float) -> float:
    """Return c sqrt(log(n^2 / 0.05) / N), the penalty that is taken in the paper of Lokhov et al.

    Examples
    --------
    >>> round(scaled_penalty("rise", 16, 10_000), 5)
    0.01169
    """
    return _SCALES[loss] * sqrt(log(n_variables**2 / _ERROR) / n_rows)


def _means(couplings: NDArray[np.float64], edges: list[tuple[int, int]]) -> NDArray[np.float64]:
    return np.array([(couplings[a, b] + couplings[b, a]) / 2 for a, b in edges])


def _far_from_minimum(fits: NeighbourhoodFits) -> tuple[str, ...]:
    if fits.residual <= ENOUGH:
        return ()
    return (
        f"Not every variable's minimum was reached: a slope of {fits.residual:.2g} is left; with "
        "so few rows there may be none.",
    )


def _unfinished(fits: NeighbourhoodFits) -> tuple[str, ...]:
    n = len(fits.fields)
    if fits.n_done == n:
        return ()
    return (
        f"{n - fits.n_done} of {n} variables were not fitted before the run was stopped, and say "
        "nothing of their couplings",
    )


def _penalties(fits: NeighbourhoodFits, choice: float | str) -> tuple[str, ...]:
    known = fits.penalties[~np.isnan(fits.penalties)]
    low, high = float(known.min()), float(known.max())
    how = {
        "ebic": "by extended BIC, one a variable",
        "stability": "by stability",
        "scaled": "by the number of rows and variables",
    }.get(str(choice), "as given")
    size = f"{low:.3g}" if low == high else f"from {low:.3g} to {high:.3g}"
    return (f"couplings that are not worth the penalty, {size} {how}",)
