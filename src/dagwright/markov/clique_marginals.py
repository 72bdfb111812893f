"""Decomposable graphs: the maximum of the likelihood in closed form, by marginals of cliques."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dagwright.errors import DataError
from dagwright.markov.factors import Factors, Scope
from dagwright.markov.features import clique_features, ising_features
from dagwright.markov.method import (
    UndirectedData,
    UndirectedFound,
    UndirectedMethod,
    undirected_methods,
)
from dagwright.markov.moment_matching import check_finite
from dagwright.markov.moments import scope_shares
from dagwright.markov.parameters import theta_of
from dagwright.run import Run

__all__ = ["CliqueMarginals"]


@undirected_methods.add
@dataclass(frozen=True)
class CliqueMarginals(UndirectedMethod):
    """Take the shares of the cliques as they are: the closed form of decomposable graphs.

    p(x) is the product of the shares of all cliques over the product of the shares of what they
    have in common. It matches all tables over cliques; for a tree it is the distribution of Chow
    and Liu's tree. A graph with rings of four or more without a chord is refused: for these there
    is :class:`IterativeProportionalFitting`. Variables of two states make an Ising model on a
    forest; on other graphs a LogLinear, since a table over three spins says more than their pairs.

    Examples
    --------
    >>> import dagwright as dw
    >>> rows = dw.networks.load("asia").sample(5000, seed=1).select(["smoke", "bronc", "dysp"])
    >>> tree = dw.learn(rows, search=dw.ChowLiu()).dag.moral_graph()
    >>> result = dw.learn_undirected(rows, graph=tree, method=dw.CliqueMarginals())
    >>> result.model, result.moment_gap < 1e-12
    (<Ising: 3 variables, 2 couplings, -1/+1>, True)
    """

    name = "clique-marginals"

    def learn(self, data: UndirectedData, run: Run) -> UndirectedFound:
        """Learn a model."""
        graph = data.graph
        if graph is None or data.features is not None:
            raise DataError(
                "clique-marginals needs graph=...: for one, dw.learn(table, search=dw.ChowLiu())"
                ".dag.moral_graph()"
            )
        order = graph._perfect_order()
        if order is None:
            raise DataError(
                "the graph is not decomposable: it has a ring of four or more nodes without a "
                "chord. Add edges, or use dw.MomentMatching() or dw.IterativeProportionalFitting()"
            )
        names = data.table.names
        if data.coding is not None and graph.is_forest():
            features = ising_features(len(names), graph._pairs, data.coding, names)
        else:
            features = clique_features(data.arities, graph._cliques(), names, data.table.states)
        check_finite(features, scope_shares(data.table, features.factor_scopes), data)
        # p(x) is the product over the nodes of p(node | those before it that are joined to it).
        signs: dict[Scope, int] = {}
        for node, before in order:
            for scope, sign in ((tuple(sorted((*before, node))), 1), (before, -1)):
                if scope:
                    signs[scope] = signs.get(scope, 0) + sign
        scopes = [scope for scope, sign in signs.items() if sign]
        shares = scope_shares(data.table, scopes)
        tables = tuple(
            signs[scope] * np.log(share) for scope, share in zip(scopes, shares, strict=True)
        )
        factors = Factors(data.arities, tuple(scopes), tables)
        return UndirectedFound(
            features, theta_of(features, factors, data.coding), graph, "closed form"
        )
