"""Pseudo-likelihood: all couplings at once, each variable given all others."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dagwright.errors import DataError, Unfinished
from dagwright.markov.method import (
    UndirectedData,
    UndirectedFound,
    UndirectedMethod,
    undirected_methods,
)
from dagwright.markov.pseudo_likelihood_fit import fit_pseudo_likelihood
from dagwright.markov.refit import (
    BY_PSEUDO_LIKELIHOOD,
    empty_cells_of,
    found_ising,
    too_large,
)
from dagwright.markov.spins import SpinRows, check_spins
from dagwright.markov.threshold import (
    below_threshold,
    check_threshold,
    threshold_by_extended_bic,
)
from dagwright.run import Run
from dagwright.specs import check_number

__all__ = ["PseudoLikelihood"]


@undirected_methods.add
@dataclass(frozen=True)
class PseudoLikelihood(UndirectedMethod):
    """Maximise the product, over variables, of the probability of each given all others.

    It needs no log Z: its cost grows with edges and rows, not with the width of the graph. The
    answer is consistent, as that of moment matching is, and different from it on finite data.

    Parameters
    ----------
    l1 : float
        Adds l1 times the sizes of the couplings to minus the log-pseudo-likelihood a row, which
        makes many of them zero.
    l2 : float
        Adds l2 / 2 times their squares.
    threshold : float or "ebic"
        Edges are pairs with a coupling larger than this, and "ebic" takes the one whose graph has
        the best extended BIC; the others go, and the rest is fitted again without l1.
    gamma : float
        Of extended BIC: an edge costs log N + 2 gamma log (n - 1).

    Examples
    --------
    >>> import dagwright as dw
    >>> ring = dw.UndirectedGraph([("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")])
    >>> truth = dw.Ising([0] * 4, 0.5 * ring.to_adjacency(), names=ring.nodes)
    >>> rows = truth.sample(20_000, seed=1)
    >>> result = dw.learn_undirected(rows, method=dw.PseudoLikelihood(threshold="ebic"))
    >>> result.graph == ring, round(result.model.coupling("a", "b"), 2)
    (True, 0.5)
    """

    l1: float = 0.0
    l2: float = 0.0
    threshold: float | Literal["ebic"] = 0.0
    gamma: float = 1.0
    name = "pseudo-likelihood"

    def __post_init__(self) -> None:
        for setting in ("l1", "l2"):
            rule = "a finite number, 0 or more"
            value = check_number(setting, getattr(self, setting), rule, lambda x: 0 <= x < np.inf)
            self._keep(**{setting: value})
        gamma = check_number("gamma", self.gamma, "from 0 to 1", lambda x: 0 <= x <= 1)
        self._keep(threshold=check_threshold(self.threshold), gamma=gamma)

    def learn(self, data: UndirectedData, run: Run) -> UndirectedFound:
        """Learn a model."""
        check_spins(data)
        rows = SpinRows.of(data.table)
        n = rows.n_variables
        pairs = list(combinations(range(n), 2) if data.graph is None else data.graph._pairs)
        fit = fit_pseudo_likelihood(rows, pairs, run, l1=self.l1, l2=self.l2)
        if np.isnan(fit.residual) and fit.steps == 0:
            raise Unfinished(f"{self.name} was stopped ({run.reason}) before it had any answer")
        notes = [BY_PSEUDO_LIKELIHOOD, *self._infinite(data, pairs, fit.couplings)]
        strength = np.zeros((n, n))
        for (a, b), own in zip(pairs, fit.couplings, strict=True):
            strength[a, b] = strength[b, a] = abs(own)
        threshold = self.threshold
        if isinstance(threshold, str):
            threshold = threshold_by_extended_bic(rows, strength, self.gamma, run).threshold
        stays = np.array([strength[a, b] > threshold for a, b in pairs], dtype=bool)
        if self.l1 == 0 and threshold == 0:
            stays[:] = True
        edges = [pair for pair, own in zip(pairs, stays, strict=True) if own]
        left_out = below_threshold(strength, threshold, self.threshold == "ebic", run)
        if left_out and not run.stopping():
            start = np.concatenate([fit.fields, fit.couplings[stays]])
            fit = fit_pseudo_likelihood(rows, edges, run, l2=self.l2, start=start)
            notes = [BY_PSEUDO_LIKELIHOOD, *self._infinite(data, edges, fit.couplings)]
            couplings = fit.couplings
        else:
            couplings = fit.couplings[stays]
        notes += fit.shortcoming()
        return found_ising(
            data, edges, fit.fields, couplings, "minimum found", tuple(notes), left_out
        )

    def _infinite(
        self, data: UndirectedData, pairs: list[tuple[int, int]], couplings: NDArray[np.float64]
    ) -> list[str]:
        """Refuse couplings without end, or say that they seem so or that a penalty holds them."""
        empty = empty_cells_of(data, pairs, couplings)
        if not empty:
            large = too_large(data, pairs, couplings)
            return [f"{large}; give one, l2=0.01."] if large else []
        if self.l1 == 0 and self.l2 == 0:
            raise DataError(
                f"no row has {empty}, so that these couplings are infinite: give a penalty, "
                "l2=0.01, or leave out one of two variables that always agree"
            )
        return [
            f"No row has {empty}: without the penalty the couplings there would be infinite, and "
            "how large they are is the penalty's doing."
        ]
