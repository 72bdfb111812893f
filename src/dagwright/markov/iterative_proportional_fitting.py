"""Iterative proportional fitting: one table after the other is made to agree with the data."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dagwright.errors import DataError
from dagwright.markov.exact import expectation_of
from dagwright.markov.factors import Factors
from dagwright.markov.features import Features, clique_features
from dagwright.markov.method import (
    MomentStep,
    UndirectedData,
    UndirectedFound,
    UndirectedMethod,
    undirected_methods,
)
from dagwright.markov.moment_matching import check_finite
from dagwright.markov.moments import scope_shares
from dagwright.markov.parameters import theta_of
from dagwright.run import Run
from dagwright.specs import check_positive, check_whole
from dagwright.undirected_graph import UndirectedGraph

__all__ = ["IterativeProportionalFitting"]


@undirected_methods.add
@dataclass(frozen=True)
class IterativeProportionalFitting(UndirectedMethod):
    """Multiply each factor by the share of the data over its probability, again and again.

    Each such step makes the table over one clique agree and raises the likelihood as far as one
    factor can: descent of the dual by blocks (Deming and Stephan 1940). It comes to the same model
    as :class:`MomentMatching` and takes no step size; on a decomposable graph, with the cliques in
    the right order, it is there after one round. Expectations are exact.

    Parameters
    ----------
    tolerance : float
        Ends when no cell of a clique's table differs by more.
    max_rounds : int

    Examples
    --------
    >>> import dagwright as dw
    >>> rows = dw.networks.load("asia").sample(5000, seed=1).select(["smoke", "lung", "bronc"])
    >>> result = dw.learn_undirected(rows, method=dw.IterativeProportionalFitting())
    >>> result.reason, result.moment_gap < 1e-8
    ('moments match', True)
    """

    tolerance: float = 1e-10
    max_rounds: int = 10_000
    name = "iterative-proportional-fitting"

    def __post_init__(self) -> None:
        check_positive("tolerance", self.tolerance)
        self._keep(max_rounds=check_whole("max_rounds", self.max_rounds, 1))

    def learn(self, data: UndirectedData, run: Run) -> UndirectedFound:
        """Learn a model."""
        features = data.all_features()
        if data.features is not None:
            _check_whole_tables(features)
        shares = scope_shares(data.table, features.factor_scopes)
        check_finite(features, shares, data)
        mu = features.means(shares)
        of = dict(zip(features.factor_scopes, shares, strict=True))
        # What is within a larger scope is so with one variable less, since all such are scopes.
        within = {own[:at] + own[at + 1 :] for own in of for at in range(len(own))}
        cliques = [own for own in of if own not in within]
        tables = [np.zeros(of[own].shape) for own in cliques]
        weight = float(data.table.total_weight)
        trace: list[MomentStep] = []
        gap, reason = float("nan"), "max rounds"
        for step in range(self.max_rounds + 1):
            factors = Factors(data.arities, tuple(cliques), tuple(tables))
            if step == 0:
                expectation = expectation_of("auto", factors)
            found = expectation.marginals(factors, features.factor_scopes, run)
            g = found.log_z - factors.mean_log_value([of[own] for own in cliques])
            gap = float(np.abs(features.means(found.tables) - mu).max(initial=0.0))
            trace.append(MomentStep(step, g, gap, -weight * g))
            run.progress.step, run.progress.score = step, -weight * g
            if (
                max(
                    float(np.abs(table - of[own]).max())
                    for own, table in zip(features.factor_scopes, found.tables, strict=True)
                )
                <= self.tolerance
            ):
                reason = "moments match"
                break
            if run.stopping() or step == self.max_rounds:
                break
            for at, own in enumerate(cliques):
                now = Factors(data.arities, tuple(cliques), tuple(tables))
                (table,) = expectation.marginals(now, [own], run).tables
                tables[at] = tables[at] + np.log(of[own] / table)
                if run.stopping():
                    break
        return UndirectedFound(
            features,
            theta_of(features, Factors(data.arities, tuple(cliques), tuple(tables)), data.coding),
            UndirectedGraph._from_numbers(data.table.names, features.pairs()),
            reason,
            gap,
            trace=tuple(trace),
        )


def _check_whole_tables(features: Features) -> None:
    """Refuse features that are not those of cliques: only whole tables can be made to agree."""
    made = clique_features(features.arities, features.factor_scopes, singles=False)
    if made.scopes != features.scopes or not all(map(np.array_equal, made.values, features.values)):
        raise DataError(
            "iterative-proportional-fitting matches whole tables: give cliques instead of "
            "dw.Feature(...), or use dw.MomentMatching()"
        )
