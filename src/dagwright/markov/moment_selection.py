"""A graph out of matched moments: by a threshold on the full model, or along an L1 path."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import inf, log
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dagwright.errors import SpecError
from dagwright.markov.dual import Dual, Minimum, Penalty, minimise
from dagwright.markov.exact import expectation_of
from dagwright.markov.features import Features
from dagwright.markov.method import (
    UndirectedData,
    UndirectedFound,
    UndirectedMethod,
    undirected_methods,
)
from dagwright.markov.moment_matching import MomentMatching, check_finite
from dagwright.markov.moments import scope_shares
from dagwright.markov.spins import SpinRows, check_spins
from dagwright.markov.symmetrisation import edges_above
from dagwright.markov.threshold import (
    below_threshold,
    check_threshold,
    threshold_by_extended_bic,
)
from dagwright.run import Run
from dagwright.specs import check_number
from dagwright.undirected_graph import UndirectedGraph

__all__ = ["MomentMatchingSelection"]

_N_PENALTIES = 20
_SMALLEST = 0.02  # penalty, as a share of the largest
_PATIENCE = 4  # supports in a row that are worse than the best


@undirected_methods.add
@dataclass(frozen=True)
class MomentMatchingSelection(UndirectedMethod):
    """Match the moments of all pairs, keep the strongest couplings, and match those again.

    Inference must be exact, and that of the full model: up to 20 variables of two states. Beyond,
    take :class:`NeighbourhoodSelection`.

    Parameters
    ----------
    by : {"threshold", "l1"}
        Keep the couplings of the full model that are larger than a threshold, or those that are
        not zero along a path of falling L1 penalties, where the support of the best extended BIC
        is kept. The path takes any features, the threshold couplings of an Ising model only.
    threshold : float or "ebic"
        In the coding -1/+1. "ebic" takes the one whose graph has the best extended BIC of the
        pseudo-likelihood.
    gamma : float
        Of extended BIC: a parameter of two or more variables costs log N / 2 + 2 gamma log n.
    l2 : float
        Of :class:`MomentMatching`, for all that is fitted.

    Examples
    --------
    >>> import dagwright as dw
    >>> ring = dw.UndirectedGraph([("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")])
    >>> truth = dw.Ising([0] * 4, 0.5 * ring.to_adjacency(), names=ring.nodes)
    >>> rows = truth.sample(20_000, seed=1)
    >>> for by in ("threshold", "l1"):
    ...     result = dw.learn_undirected(rows, method=dw.MomentMatchingSelection(by=by))
    ...     print(result.graph == ring, result.moment_gap < 1e-8)
    True True
    True True
    """

    by: Literal["threshold", "l1"] = "threshold"
    threshold: float | Literal["ebic"] = "ebic"
    gamma: float = 0.5
    l2: float = 0.0
    name = "moment-matching-selection"

    def __post_init__(self) -> None:
        if self.by not in ("threshold", "l1"):
            raise SpecError(f'by must be "threshold" or "l1", not {self.by!r}')
        if self.by == "l1" and self.threshold != "ebic":
            raise SpecError('threshold is for by="threshold": leave it out')
        self._keep(
            threshold=check_threshold(self.threshold),
            gamma=check_number("gamma", self.gamma, "from 0 to 1", lambda x: 0 <= x <= 1),
            l2=check_number("l2", self.l2, "a finite number, 0 or more", lambda x: 0 <= x < inf),
        )

    def learn(self, data: UndirectedData, run: Run) -> UndirectedFound:
        """Learn a model."""
        return self._by_threshold(data, run) if self.by == "threshold" else self._by_l1(data, run)

    def _by_threshold(self, data: UndirectedData, run: Run) -> UndirectedFound:
        check_spins(data)
        matching = MomentMatching(l2=self.l2)
        full = matching.learn(replace(data, coding="-1/+1"), run)
        if full.reason == "stopped":
            return full
        n = len(data.table.names)
        strength = np.zeros((n, n))
        for scope, own in zip(full.features.scopes, full.theta, strict=True):
            if len(scope) == 2:
                strength[scope] = strength[scope[::-1]] = abs(own)
        threshold = self.threshold
        if isinstance(threshold, str):
            rows = SpinRows.of(data.table)
            threshold = threshold_by_extended_bic(rows, strength, 2 * self.gamma, run).threshold
        edges = edges_above(strength, threshold)
        graph = UndirectedGraph._from_numbers(data.table.names, edges)
        left_out = below_threshold(strength, threshold, self.threshold == "ebic", run)
        found = matching.learn(replace(data, graph=graph), run)
        return replace(found, left_out=left_out)

    def _by_l1(self, data: UndirectedData, run: Run) -> UndirectedFound:
        features = data.all_features()
        several = np.array([len(scope) > 1 for scope in features.scopes], dtype=bool)
        n_rows = float(data.table.total_weight)
        price = 0.5 * log(n_rows) + 2 * self.gamma * log(len(data.table.names))
        best, best_criterion, best_penalty, worse = None, -inf, inf, 0
        last: NDArray[np.bool_] | None = None
        for penalty, theta in self._path(data, features, several, run):
            support = ~several | (theta != 0)
            if last is not None and np.array_equal(support, last):
                continue
            last = support
            kept = features.select(np.flatnonzero(support))
            found = MomentMatching(l2=self.l2).learn(
                UndirectedData(data.table, None, data.coding, kept), run
            )
            if found.reason == "stopped":
                break
            n_several = int((support & several).sum())
            criterion = found.trace[-1].log_likelihood - price * n_several
            worse = 0 if criterion > best_criterion else worse + 1
            if criterion > best_criterion:
                best, best_criterion, best_penalty = found, criterion, penalty
            if worse == _PATIENCE:
                break
        if best is None:
            return MomentMatching(l2=self.l2).learn(data, run)
        dropped = len(features) - len(best.features)
        said = (
            f"{dropped:,} parameters that are 0 at the penalty {best_penalty:.3g}, chosen by "
            "extended BIC along a path",
        )
        return replace(best, left_out=said if dropped else ())

    def _path(
        self, data: UndirectedData, features: Features, several: NDArray[np.bool_], run: Run
    ) -> Iterator[tuple[float, NDArray[np.float64]]]:
        """Go from the smallest penalty without parameters of several variables to a fiftieth."""
        shares = scope_shares(data.table, features.factor_scopes)
        check_finite(features, shares, data, l1=1.0, l2=self.l2)
        mu = features.means(shares)
        expectation = expectation_of("auto", features.factors(np.zeros(len(features))))
        l2 = np.full(len(features), self.l2)

        def at(penalty: float, start: NDArray[np.float64]) -> Minimum:
            dual = Dual(
                features, mu, expectation, Penalty(np.where(several, penalty, 0.0), l2), run
            )
            return minimise(dual, start, float(data.table.total_weight))

        alone = at(1e6, np.zeros(len(features))).point
        largest = float(np.abs(alone.gap[several]).max(initial=0.0))
        theta = alone.theta
        yield largest, theta
        for k in range(1, _N_PENALTIES + 1):
            penalty = largest * _SMALLEST ** (k / _N_PENALTIES)
            found = at(penalty, theta)
            if found.reason == "stopped":
                return
            theta = found.point.theta
            yield penalty, theta
