"""One question, one answer: which method computes it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagwright.errors import DataError, SpecError, did_you_mean
from dagwright.inference.approximate import belief_propagation, gibbs, likelihood_weighting
from dagwright.inference.distribution import Distribution
from dagwright.inference.exact import joint
from dagwright.inference.network import Given, TableNetwork
from dagwright.specs import check_number, check_whole

__all__ = ["METHODS", "query"]

METHODS = ("auto", "elimination", "belief propagation", "likelihood weighting", "gibbs")


def query(
    network: TableNetwork,
    targets: str | Iterable[str],
    given: Given | None,
    do: Given | None,
    method: str,
    n_samples: int,
    seed: int,
    damping: float,
    max_bytes: float,
    max_operations: float,
) -> Distribution:
    """Return the distribution of the targets, together, given what is known."""
    if method not in METHODS:
        raise SpecError(
            f"method={method!r} is not known: there are {', '.join(METHODS)}"
            + did_you_mean(str(method), METHODS)
        )
    check_number("damping", damping, "from 0 up to but not 1", lambda x: 0 <= x < 1)
    n_samples = check_whole("n_samples", n_samples, 100)
    seed = check_whole("seed", seed, 0, 2**64 - 1)
    wanted = network.numbers(targets)
    if not wanted:
        raise DataError("a query needs at least one target")
    evidence = network.evidence(given, do)
    known = {network.names[v] for v in evidence.observed}
    both = [network.names[v] for v in wanted if network.names[v] in known]
    if both:
        raise DataError(f"{both[0]!r} is a target and in the evidence: its state is known")
    errors: NDArray[np.float64] | None = None
    report: dict[str, Any] = {}
    match method:
        case "auto" | "elimination":
            values = joint(network, wanted, evidence, max_bytes, max_operations)
            method = "elimination"
        case "belief propagation":
            values, errors, report = belief_propagation(network, wanted, evidence, damping)
        case "likelihood weighting":
            values, errors, report = likelihood_weighting(
                network, wanted, evidence, n_samples, seed
            )
        case _:
            values, errors, report = gibbs(network, wanted, evidence, n_samples, seed)
    if "warning" in report:
        import warnings

        warnings.warn(f"query by {method}: {report['warning']}", stacklevel=3)
    names = tuple(network.names[v] for v in wanted)
    states = {name: network.states[name] for name in names}
    return Distribution(names, states, values, method, errors, report)
