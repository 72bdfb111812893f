"""Exact answers by elimination of variables, without those that a question does not need."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

import numpy as np
from numpy.typing import NDArray

from dagwright import _core
from dagwright.errors import DataError
from dagwright.inference.forecast import MAX_BYTES, check_cost, start
from dagwright.inference.network import Evidence, TableNetwork

__all__ = [
    "best_joint_state",
    "check_defined",
    "joint",
    "log_probability",
    "make_tree",
    "naming_impossible_evidence",
    "propagation",
    "relevant_families",
]

_FEW_OPERATIONS = 1e9
"""What may be spent on saying more about an error, about a second."""

_SHOWN = 5


def make_tree(
    network: TableNetwork,
    targets: Sequence[int],
    evidence: Evidence,
    *,
    every: bool = False,
    maximize: bool = False,
    probability: bool = False,
    native: _core.Network | None = None,
    also: Sequence[int] = (),
) -> _core.CliqueTree:
    """Plan the elimination for a question: its cost is known then, and nothing is computed.

    With `every`, all variables are asked, each alone; or else the targets together. The families
    that `also` depends on matter as well.
    """
    return _core.CliqueTree(
        network.native if native is None else native,
        list(targets),
        evidence.seen,
        list(evidence.intervened),
        [*evidence.soft, *(v for v in also if v not in evidence.observed)],
        every,
        maximize,
        probability,
    )


def relevant_families(
    network: TableNetwork, targets: Sequence[int], evidence: Evidence, *, probability: bool
) -> set[int]:
    """Return the variables whose tables matter to a question."""
    return set(
        _core.relevant_families(
            network.native,
            list(targets),
            evidence.seen,
            list(evidence.intervened),
            evidence.soft,
            probability,
        )
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
    check_defined(network, evidence, run, targets)
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
    left_out = relevant_families(network, targets, evidence, probability=True) - set(tree.families)
    if left_out.isdisjoint(network.with_zeros):
        return
    whole = make_tree(network, targets, evidence, probability=True)
    if whole.operations > min(max_operations, _FEW_OPERATIONS):
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
    check_defined(network, evidence, run)
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
    check_cost(tree, max_bytes, max_operations, own_tables=1)
    run = start(tree)
    with naming_impossible_evidence(network, evidence):
        made = propagation(tree, evidence)
        best = dict(made.most_probable(False, run))
    check_defined(network, evidence, run, also=targets)
    log_best = made.log_probability(run)
    log_evidence = log_probability(network, evidence, max_bytes, max_operations)
    return best, min(0.0, log_best - log_evidence)


@contextmanager
def naming_impossible_evidence(network: TableNetwork, evidence: Evidence) -> Iterator[None]:
    """Turn the core's error into one that says which finding contradicts the others."""
    try:
        yield
    except _core.ImpossibleEvidence:
        raise DataError(_impossible(network, evidence)) from None


def _impossible(network: TableNetwork, evidence: Evidence) -> str:
    def shown(pairs: Sequence[tuple[int, int]]) -> str:
        named = [(network.names[v], network.states[network.names[v]][code]) for v, code in pairs]
        texts = [f"{name!r} = {state!r}" for name, state in named[:_SHOWN]]
        more = [f"{len(named) - _SHOWN} more"] if len(named) > _SHOWN else []
        return ", ".join([*texts, *more])

    seen = [pair for pair in evidence.states if pair[0] not in evidence.intervened]
    done = [pair for pair in evidence.states if pair[0] in evidence.intervened]

    def possible(n: int) -> bool:
        part = Evidence((*done, *seen[:n]), (), evidence.intervened)
        tree = make_tree(network, [], part, probability=True)
        check_cost(tree, MAX_BYTES, _FEW_OPERATIONS)
        return propagation(tree, part).log_probability(start(tree)) > -np.inf

    message = "the evidence cannot be: its probability is zero"
    with suppress(DataError):  # to say more would cost too much
        # The first of the findings that contradicts those before it, by halving.
        low, high = 0, len(seen)
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if possible(middle) else (low, middle)
        if low > 0 and not possible(low):
            beside = shown([*done, *seen[: low - 1]])
            last = shown([seen[low - 1]])
            message += f" ({last} contradicts {beside})" if beside else f" ({last})"
    return (
        f"{message}. Correct it, or smooth the tables: fit with a prior, "
        "or take model.smoothed(1e-6)"
    )


def check_defined(
    network: TableNetwork,
    evidence: Evidence,
    run: _core.Run,
    targets: Sequence[int] = (),
    also: Sequence[int] = (),
) -> None:
    """Refuse an answer that depends on rows of tables that are not known.

    Such rows count as uniform; if they count as impossible and that changes the probability of
    the evidence, then they matter. Rows that no possible configuration meets do not. The answer is
    about the targets, together, or about each of `also`.
    """
    if not network.undefined:
        return
    probability = not targets
    tree = make_tree(network, targets, evidence, probability=probability, also=also)
    needed = set(tree.families).intersection(network.undefined)
    if not needed:
        return
    without = make_tree(
        network,
        targets,
        evidence,
        probability=probability,
        also=also,
        native=network.native_without_undefined,
    )
    first, second = (propagation(own, evidence).log_probability(run) for own in (tree, without))
    if first == second or abs(first - second) <= 1e-9:
        return
    child = network.names[min(needed)]
    at = np.argwhere(np.isnan(network.tables[child][..., 0]))[0]
    config = {
        parent: network.states[parent][int(code)]
        for parent, code in zip(network.parents[child], at, strict=True)
    }
    raise DataError(
        f"the answer needs P({child} | parents) where no row of the data says what it is, for "
        f"example at {config}: fit with a prior, as in fit(dag, table, parameters=dw.BDeu(1))"
    )
