"""Which exact method is the cheaper one, and what to say when none will do."""

from __future__ import annotations

from dagwright.errors import DataError
from dagwright.markov.enumeration import MOST_JOINT_STATES, Enumeration
from dagwright.markov.expectations import Expectation, expectation_kinds
from dagwright.markov.factors import Factors
from dagwright.markov.junction_tree import JunctionTreeExpectation, forecast

__all__ = ["exact_expectation", "expectation_of"]

_FEW_JOINT_STATES = 1 << 12


def exact_expectation(factors: Factors) -> Expectation | None:
    """Return the cheaper exact way; None if there is none."""
    if factors.n_joint_states <= _FEW_JOINT_STATES:
        return Enumeration()
    tree = JunctionTreeExpectation()
    cost = forecast(factors)
    if factors.n_joint_states <= MOST_JOINT_STATES:
        # Every scope is summed out of its clique; of all joint states they are all at once.
        narrow = cost.largest_clique * max(1, len(factors.scopes)) <= factors.n_joint_states
        return tree if narrow else Enumeration()
    return tree if tree._refusal(cost) is None else None


def expectation_of(method: str | Expectation, factors: Factors) -> Expectation:
    """Return what computes expectations: a spec, one by name, or with "auto" an exact one."""
    if isinstance(method, Expectation):
        return method
    if method != "auto":
        return expectation_kinds.parse(method)
    exact = exact_expectation(factors)
    if exact is None:
        reason = JunctionTreeExpectation().refusal(factors)
        others = ", ".join(f'"{kind.name}"' for kind in expectation_kinds if not kind.exact)
        raise DataError(
            f"exact inference is too large here: {len(factors.arities)} variables, and {reason}. "
            f"Use a sparser graph, or an approximate method: {others}"
        )
    return exact
