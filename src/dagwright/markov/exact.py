"""Which exact method is the cheaper one, and what to say when none will do."""

from __future__ import annotations

from collections.abc import Sequence

from dagwright.errors import DataError, SpecError
from dagwright.markov.enumeration import MOST_JOINT_STATES, Enumeration
from dagwright.markov.expectations import Expectation, expectation_kinds
from dagwright.markov.factors import Factors, Scope
from dagwright.markov.junction_tree import JunctionTreeExpectation, forecast, n_of_several

__all__ = ["exact_expectation", "expectation_of"]

_FEW_JOINT_STATES = 1 << 12
_PRODUCTS_A_STATE = 50


def exact_expectation(
    factors: Factors, scopes: Sequence[Scope] | None = None
) -> Expectation | None:
    """Return the cheaper exact way to the distributions of scopes; None if there is none.

    By default they are those of the factors, as learning needs them.
    """
    if factors.n_joint_states <= _FEW_JOINT_STATES:
        return Enumeration()
    n_scopes = n_of_several(factors.scopes if scopes is None else scopes)
    cost = forecast(factors, n_scopes)
    if factors.n_joint_states <= MOST_JOINT_STATES:
        # Cells are walked about as fast; of all joint states all scopes are summed out at once.
        per_state = _PRODUCTS_A_STATE * factors.n_joint_states
        return JunctionTreeExpectation() if cost.operations <= per_state else Enumeration()
    tree = JunctionTreeExpectation()
    return tree if tree.affords(cost) else None


def expectation_of(
    method: str | Expectation, factors: Factors, scopes: Sequence[Scope] | None = None
) -> Expectation:
    """Return what computes expectations: a spec, one by name, or with "auto" an exact one."""
    if isinstance(method, Expectation):
        return method
    if not isinstance(method, str):
        raise SpecError(f'method must be a name such as "gibbs", or a spec, not {method!r}')
    if method != "auto":
        return expectation_kinds.parse(method)
    exact = exact_expectation(factors, scopes)
    if exact is None:
        reason = JunctionTreeExpectation().refusal(factors)
        names = sorted(kind.name for kind in expectation_kinds if not kind.exact)
        others = ", ".join(f'"{name}"' for name in names)
        raise DataError(
            f"exact inference is too large here: {len(factors.arities)} variables, and {reason}. "
            f"Use a sparser graph, or an approximate method: {others}; to learn a model, "
            '"contrastive-divergence"'
        )
    return exact
