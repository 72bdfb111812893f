"""How far one network is from another: cross entropy and Kullback-Leibler divergence."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt
from typing import TYPE_CHECKING

import numpy as np

from dagwright import _core
from dagwright.errors import DataError
from dagwright.inference.exact import check_defined, make_tree, propagation
from dagwright.inference.forecast import MAX_BYTES, MAX_OPERATIONS, start
from dagwright.inference.network import Evidence

if TYPE_CHECKING:
    from dagwright.bayes_net import BayesNet

__all__ = ["Divergence", "check_same", "cross_entropy", "expected_log", "kl_divergence"]


@dataclass(frozen=True)
class Divergence:
    """A divergence or cross entropy in nats: exact, or estimated from rows with its error."""

    value: float
    standard_error: float = 0.0
    exact: bool = True

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        return f"{self.value:.6g}" + ("" if self.exact else f" +- {self.standard_error:.2g}")


def cross_entropy(first: BayesNet, second: BayesNet, n_samples: int, seed: int) -> Divergence:
    """Return the mean of -log of the second's probability under the first."""
    check_same(first, second)
    exact = expected_log(first, second)
    if exact is not None:
        return Divergence(-exact)
    logs = second.log_likelihoods(first.sample(n_samples, seed=seed))
    return _mean(-logs)


def kl_divergence(first: BayesNet, second: BayesNet, n_samples: int, seed: int) -> Divergence:
    """Return the mean of log(first / second) under the first; 0 for equal distributions."""
    check_same(first, second)
    own, other = expected_log(first, first), expected_log(first, second)
    if own is not None and other is not None:
        return Divergence(max(0.0, own - other))
    rows = first.sample(n_samples, seed=seed)
    return _mean(first.log_likelihoods(rows) - second.log_likelihoods(rows))


def _mean(values: np.ndarray) -> Divergence:
    if np.isinf(values).any():
        return Divergence(inf)  # the other gives such a row no probability at all: that is exact
    error = float(values.std(ddof=1)) / sqrt(len(values))
    return Divergence(float(values.mean()), error, False)


def expected_log(under: BayesNet, of: BayesNet) -> float | None:
    """Return the mean of log `of` under the other network; None if that does not fit."""
    models = {id(under): under, id(of): of}.values()
    if any(model.table(name).is_sparse for model in models for name in model.names):
        return None
    network, nothing = under.network, Evidence()
    whole = make_tree(network, [], nothing, every=True)
    if not _fits(whole, 1):
        return None
    run = start(whole)
    check_defined(network, nothing, run, also=range(len(network.names)))
    made = propagation(whole, nothing)
    total = 0.0
    for child in of.dag.nodes:
        table = of.table(child)
        scope = [network.number(name) for name in (*table.parents, child)]
        if made.in_one_clique(scope):
            weights = made.joint(scope, run).reshape(table.rows.shape)
        else:
            tree = make_tree(network, scope, nothing)
            if not _fits(tree, len(of.dag.nodes)):
                return None
            weights = propagation(tree, nothing).joint(scope, run).reshape(table.rows.shape)
        seen = weights > 0
        rows = table.rows[seen]
        if np.isnan(rows).any():
            raise DataError(
                f"the table of {child!r} is undefined where the other network gives probability: "
                "fit with a prior"
            )
        if (rows == 0).any():
            return -inf
        total += float((weights[seen] * np.log(rows)).sum())
    return total


def _fits(tree: _core.CliqueTree, times: int) -> bool:
    return tree.bytes <= MAX_BYTES and tree.operations <= MAX_OPERATIONS / times


def check_same(first: BayesNet, second: BayesNet) -> None:
    """Refuse networks of different variables or states."""
    different = sorted(set(first.dag.nodes) ^ set(second.dag.nodes))
    if different:
        raise DataError(f"the networks have different variables: only one has {different}")
    for name in first.dag.nodes:
        if first.states[name] != second.states[name]:
            raise DataError(
                f"the networks have different states for {name!r}: {list(first.states[name])} and "
                f"{list(second.states[name])}"
            )
