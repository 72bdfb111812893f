"""Cross entropy and Kullback-Leibler divergence of rows, distributions and models."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np

from dagwright._names import listed
from dagwright.bayes_net import BayesNet
from dagwright.divergence import check_same, expected_log
from dagwright.errors import DataError, SpecError
from dagwright.information.cells import Cells, Name
from dagwright.information.estimates import Estimator, Unit, nats_per
from dagwright.information.subjects import Joint, Model, Rows, Subject, chosen, open_subject

if TYPE_CHECKING:
    from dagwright.inference.distribution import Distribution
    from dagwright.information.entropy import Variables
    from dagwright.scorer import Scorer
    from dagwright.sources import Chunks
    from dagwright.table import Table

__all__ = ["cross_entropy", "kl_divergence"]

_PLUG_IN = Estimator()


def kl_divergence(
    first: Table | Chunks | Scorer | BayesNet | Distribution | Any,
    second: Table | Chunks | Scorer | BayesNet | Distribution | Any,
    variables: Variables | None = None,
    *,
    unit: Unit = "nats",
) -> float:
    """Return D(p || q), the sum of p ln (p / q): how far the second is from the first.

    It is 0 where they are equal, else above 0, and infinite where the second gives no probability
    to what the first gives some. It is not symmetric.

    Parameters
    ----------
    first, second : data, BayesNet, or distribution
        As :func:`entropy` takes them; data are the shares of their rows. Variables are matched by
        name and states by what they are. An array, which has neither, takes them from the other.
    variables : name or list of names, optional
        By default all; then both must have the same.
    unit : {"nats", "bits"}

    Notes
    -----
    Of two models that are too large for exact inference ``model.kl_divergence(other)`` gives an
    estimate, with its error.

    Examples
    --------
    >>> import dagwright as dw
    >>> round(dw.kl_divergence([0.5, 0.5], [0.75, 0.25]), 4)
    0.1438
    >>> dw.kl_divergence([0.5, 0.5], [1, 0])
    inf
    >>> model = dw.networks.load("asia")
    >>> round(dw.kl_divergence(model.sample(10_000, seed=1), model), 4)
    0.004
    """
    p, q, names = _open_both(first, second, variables)
    if isinstance(q, Model) and _by_families(p, q, names):
        value = _cross_by_families(p, q) - p.entropy(names, _PLUG_IN)
    else:
        own, other = p.cells(names), q.cells(names)
        shares = own.probabilities_in(other)
        value = inf if not shares.all() else _mean(own, np.log(own.probabilities / shares))
    return max(0.0, value) / nats_per(unit)


def cross_entropy(
    first: Table | Chunks | Scorer | BayesNet | Distribution | Any,
    second: Table | Chunks | Scorer | BayesNet | Distribution | Any,
    variables: Variables | None = None,
    *,
    unit: Unit = "nats",
) -> float:
    """Return H(p, q) = - sum of p ln q: the entropy of the first plus D(first || second).

    For rows and a model it is the mean log loss of a row, ``model.log_loss(rows)``.

    Parameters
    ----------
    first, second, variables, unit
        As for :func:`kl_divergence`.

    Examples
    --------
    >>> import dagwright as dw
    >>> round(dw.cross_entropy([0.5, 0.5], [0.75, 0.25], unit="bits"), 4)
    1.2075
    >>> dw.cross_entropy({"n": 1.0}, {"y": 0.5, "n": 0.5}, unit="bits")
    1.0
    """
    p, q, names = _open_both(first, second, variables)
    if isinstance(q, Model) and _by_families(p, q, names):
        value = _cross_by_families(p, q)
    else:
        own, other = p.cells(names), q.cells(names)
        shares = own.probabilities_in(other)
        value = inf if not shares.all() else -_mean(own, np.log(shares))
    return max(0.0, value) / nats_per(unit)


def _mean(cells: Cells, values: np.ndarray) -> float:
    return float((cells.probabilities * values).sum())


def _by_families(p: Subject, q: Model, names: tuple[Name, ...]) -> bool:
    """Say whether all of a model is asked for: then no joint distribution is needed."""
    if set(names) != set(q.names):
        return False
    return isinstance(p, Rows) or (isinstance(p, Model) and set(p.names) == set(names))


def _cross_by_families(p: Subject, q: Model) -> float:
    if isinstance(p, Rows):
        return q.model.log_loss(p.scorer.data)
    assert isinstance(p, Model)
    check_same(p.model, q.model)
    mean_log = expected_log(p.model, q.model)
    if mean_log is None:
        raise DataError(
            "these models are too large for exact inference: first.cross_entropy(second) and "
            "first.kl_divergence(second) estimate from rows, with an error"
        )
    return -mean_log


def _open_both(
    first: Any, second: Any, variables: Any
) -> tuple[Subject, Subject, tuple[Name, ...]]:
    p, q = open_subject(first), open_subject(second)
    if _is_array(p) and not (_is_array(q) and p.has_states):
        p = _named_after(p, q, variables)
    elif _is_array(q):
        q = _named_after(q, p, variables)
    names = chosen(p, variables, "variables")
    if not names:
        raise SpecError("variables must name at least one variable to compare, or be left out")
    if variables is None and set(names) != set(q.names):
        different = sorted(map(str, set(names) ^ set(q.names)))
        raise DataError(
            f"only one of the two has [{listed(different)}]: name those to compare with "
            "variables=[...]"
        )
    return p, q, chosen(q, names, "variables")  # says which it does not have


def _is_array(subject: Subject) -> TypeGuard[Joint]:
    return isinstance(subject, Joint) and not subject.is_named


def _named_after(array: Joint, other: Subject, variables: Any) -> Joint:
    """Return an array with the names of the other, of those variables that are asked for."""
    names = other.names if _is_array(other) else chosen(other, variables, "variables")
    return array.like(names, other.states)
