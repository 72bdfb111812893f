"""Exact answers by elimination of variables, without those that a question does not need."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from dagwright import _core
from dagwright.errors import DataError
from dagwright.inference.forecast import check_cost, start
from dagwright.inference.network import Evidence, TableNetwork

__all__ = [
    "best_joint_state",
    "check_defined",
    "joint",
    "log_probability",
    "make_tree",
    "naming_impossible_evidence",
    "propagation",
]


def make_tree(
    network: TableNetwork,
    targets: Sequence[int],
    evidence: Evidence,
    *,
    every: bool = False,
    maximize: bool = False,
    probability: bool = False,
    native: _core.Network | None = None,
) -> _core.CliqueTree:
    """Plan the elimination for a question: its cost is known then, and nothing is computed.

    With `every`, all variables are asked, each alone; or else the targets together.
    """
    return _core.CliqueTree(
        network.native if native is None else native,
        list(targets),
        [v for v in evidence.observed if v not in evidence.intervened],
        list(evidence.intervened),
        [v for v, _ in evidence.likelihoods if v not in evidence.observed],
        every,
        maximize,
        probability,
    )


def propagation(tree: _core.CliqueTree, evidence: Evidence) -> _core.Propagation:
    """Return a tree with evidence."""
    made = _core.Propagation(tree)
    made.set(list(evidence.states), list(evidence.likelihoods))
    return made


def joint(
    network: TableNetwork,
    targets: Sequence[int],
    evidence: Evidence,
    max_bytes: float,
    max_operations: float,
) -> NDArray[np.float64]:
    """Return the posterior of the targets together."""
    tree = make_tree(network, targets, evidence)
    check_cost(tree, max_bytes, max_operations)
    run = start(tree)
    with naming_impossible_evidence(network, evidence):
        values = propagation(tree, evidence).joint(list(targets), run)
        _check_the_rest(network, tree, targets, evidence, run, max_operations)
    check_defined(network, tree, targets, evidence, run)
    return values.reshape(network.n_states(targets))


def _check_the_rest(
    network: TableNetwork,
    tree: _core.CliqueTree,
    targets: Sequence[int],
    evidence: Evidence,
    run: _core.Run,
    max_operations: float,
) -> None:
    """Refuse evidence that cannot be also where it does not matter to the targets.

    Only families with zeros make it so. Where the rest alone costs too much it is believed.
    """
    if not evidence.states and not evidence.likelihoods:
        return
    whole = make_tree(network, targets, evidence, probability=True)
    left_out = set(whole.families) - set(tree.families)
    if left_out.isdisjoint(network.with_zeros) or whole.operations > max_operations:
        return
    if propagation(whole, evidence).log_probability(run) == -np.inf:
        raise _core.ImpossibleEvidence


def log_probability(
    network: TableNetwork, evidence: Evidence, max_bytes: float, max_operations: float
) -> float:
    """Return the log of the probability of the evidence, -inf if it cannot be."""
    tree = make_tree(network, [], evidence, probability=True)
    check_cost(tree, max_bytes, max_operations)
    run = start(tree)
    check_defined(network, tree, [], evidence, run, probability=True)
    return propagation(tree, evidence).log_probability(run)


def best_joint_state(
    network: TableNetwork,
    targets: Sequence[int],
    evidence: Evidence,
    max_bytes: float,
    max_operations: float,
) -> tuple[dict[int, int], float]:
    """Return the most probable joint state of the targets, and the log of its posterior."""
    tree = make_tree(network, targets, evidence, maximize=True, probability=True)
    check_cost(tree, max_bytes, max_operations)
    run = start(tree)
    with naming_impossible_evidence(network, evidence):
        made = propagation(tree, evidence)
        best = dict(made.most_probable(False, run))
    check_defined(network, tree, targets, evidence, run, probability=True)
    log_best = made.log_probability(run)
    return best, log_best - log_probability(network, evidence, max_bytes, max_operations)


@contextmanager
def naming_impossible_evidence(network: TableNetwork, evidence: Evidence) -> Iterator[None]:
    """Turn the core's error into one that says which finding contradicts the others."""
    try:
        yield
    except _core.ImpossibleEvidence:
        raise DataError(_impossible(network, evidence)) from None


def _impossible(network: TableNetwork, evidence: Evidence) -> str:
    def shown(pairs: Sequence[tuple[int, int]]) -> str:
        names = [network.names[v] for v, _ in pairs]
        states = [network.states[network.names[v]][code] for v, code in pairs]
        return ", ".join(f"{n!r} = {s!r}" for n, s in zip(names, states, strict=True))

    seen = [pair for pair in evidence.states if pair[0] not in evidence.intervened]
    done = [pair for pair in evidence.states if pair[0] in evidence.intervened]
    message = "the evidence cannot be: its probability is zero"
    for n in range(1, len(seen) + 1):
        part = Evidence((*done, *seen[:n]), (), evidence.intervened)
        if log_probability(network, part, np.inf, np.inf) == -np.inf:
            beside = shown([*done, *seen[: n - 1]])
            alone = f"{shown([seen[n - 1]])} contradicts {beside}" if beside else shown([seen[0]])
            message += f" ({alone})"
            break
    return (
        f"{message}. Correct it, or smooth the tables: fit with a prior, "
        "or take model.smoothed(1e-6)"
    )


def check_defined(
    network: TableNetwork,
    tree: _core.CliqueTree,
    targets: Sequence[int],
    evidence: Evidence,
    run: _core.Run,
    *,
    every: bool = False,
    probability: bool = False,
) -> None:
    """Refuse an answer that depends on rows of tables that are not known.

    Such rows count as uniform; if they count as impossible and that changes the probability of
    the evidence, then they matter. Rows that no possible configuration meets do not.
    """
    needed = [v for v in network.undefined if v in set(tree.families)]
    if not needed:
        return
    totals = []
    for native in (network.native, network.native_without_undefined):
        same = make_tree(
            network, targets, evidence, every=every, probability=probability, native=native
        )
        totals.append(propagation(same, evidence).log_probability(run))
    if totals[0] != totals[1] and not abs(totals[0] - totals[1]) <= 1e-9:
        child = network.names[needed[0]]
        table = network.tables[child]
        at = np.argwhere(np.isnan(table[..., 0]))[0]
        config = {
            parent: network.states[parent][int(code)]
            for parent, code in zip(network.parents[child], at, strict=True)
        }
        raise DataError(
            f"the answer needs P({child} | parents) where no row of the data says what it is, for "
            f"example at {config}: fit with a prior, as in fit(dag, table, "
            "parameters=dw.BDeu(1))"
        )
