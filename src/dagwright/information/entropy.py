"""Entropy, conditional entropy and mutual information of rows, distributions and models."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from dagwright.information.cells import Name
from dagwright.information.estimates import Estimate, Estimator, Unit, nats_per
from dagwright.information.subjects import Subject, chosen, open_subject

if TYPE_CHECKING:
    from dagwright.bayes_net import BayesNet
    from dagwright.inference.distribution import Distribution
    from dagwright.scorer import Scorer
    from dagwright.sources import Chunks
    from dagwright.table import Table

__all__ = ["conditional_entropy", "entropy", "mutual_information"]

Variables = Name | Iterable[Name]


def entropy(
    what: Table | Chunks | Scorer | BayesNet | Distribution | Any,
    variables: Variables | None = None,
    *,
    estimate: Estimate = "plug-in",
    ess: float | None = None,
    unit: Unit = "nats",
) -> float:
    """Return the joint entropy of variables: H(X) = - sum of p(x) ln p(x), where 0 ln 0 is 0.

    Parameters
    ----------
    what : data, BayesNet, or distribution
        Data are a Table, Chunks, a frame that Table takes, or a Scorer; row weights count. A
        distribution is a :class:`Distribution`, an array with one axis a variable, or
        probabilities by state, ``{"yes": 0.2, "no": 0.8}``, with tuples of states for several
        variables. The axes of arrays are the variables 0, 1, ...
    variables : name or list of names, optional
        By default all.
    estimate : {"plug-in", "miller-madow", "dirichlet"}
        How to estimate it from rows. The shares of the rows themselves have less entropy than
        what the rows come from. Miller and Madow add (observed joint states - 1) / (2 N).
        "dirichlet" is the posterior mean under a Dirichlet prior of the joint distribution, with
        alpha = ess / (number of joint states).
    ess : float, optional
        The equivalent sample size of that prior; by default 1.
    unit : {"nats", "bits"}

    Examples
    --------
    >>> import dagwright as dw
    >>> dw.entropy([0.5, 0.25, 0.25], unit="bits")
    1.5
    >>> table = dw.Table({"a": ["n", "n", "y", "y"], "b": ["n", "n", "y", "y"]})
    >>> dw.entropy(table, ["a", "b"], unit="bits")
    1.0
    >>> round(dw.entropy(dw.networks.load("asia"), "lung"), 4)
    0.213
    """
    estimator = Estimator(estimate, ess)
    subject = open_subject(what, estimator)
    return subject.entropy(chosen(subject, variables, "variables"), estimator) / nats_per(unit)


def conditional_entropy(
    what: Table | Chunks | Scorer | BayesNet | Distribution | Any,
    variables: Variables,
    given: Variables,
    *,
    estimate: Estimate = "plug-in",
    ess: float | None = None,
    unit: Unit = "nats",
) -> float:
    """Return H(X | Z) = H(X, Z) - H(Z): what is left to know of X when Z is known.

    Parameters
    ----------
    what, estimate, ess, unit
        As for :func:`entropy`.
    variables, given : name or list of names
        They may have variables in common: H(X | X) is 0.

    Examples
    --------
    >>> import dagwright as dw
    >>> table = dw.Table({"a": [0, 0, 1, 1], "b": [0, 0, 0, 1]})
    >>> round(dw.conditional_entropy(table, "b", "a", unit="bits"), 6)
    0.5
    """
    estimator = Estimator(estimate, ess)
    subject = open_subject(what, estimator)
    x, z = chosen(subject, variables, "variables"), chosen(subject, given, "given")
    value = subject.entropy(_union(x, z), estimator) - subject.entropy(z, estimator)
    return max(0.0, value) / nats_per(unit)


def mutual_information(
    what: Table | Chunks | Scorer | BayesNet | Distribution | Any,
    x: Variables,
    y: Variables,
    *,
    given: Variables = (),
    estimate: Estimate = "plug-in",
    ess: float | None = None,
    unit: Unit = "nats",
) -> float:
    """Return I(X; Y | Z) = H(X, Z) + H(Y, Z) - H(X, Y, Z) - H(Z): what X and Y tell of each other.

    For rows, 2 N times this is the statistic G2 of :func:`independence`, and N times this is
    what an edge adds to the log-likelihood.

    Parameters
    ----------
    what, estimate, ess, unit
        As for :func:`entropy`. The estimate of Miller and Madow takes each of the four entropies
        as it estimates it, so it may be below 0.
    x, y, given : name or list of names
        They may have variables in common: I(X; X) is H(X).

    Examples
    --------
    >>> import dagwright as dw
    >>> table = dw.Table({"a": [0, 0, 1, 1], "b": [0, 1, 0, 1], "c": [0, 1, 1, 0]})
    >>> dw.mutual_information(table, "a", "c", unit="bits")
    0.0
    >>> dw.mutual_information(table, "a", "c", given="b", unit="bits")
    1.0
    >>> round(dw.mutual_information(dw.networks.load("asia"), "smoke", ["lung", "bronc"]), 4)
    0.0669
    """
    estimator = Estimator(estimate, ess)
    subject = open_subject(what, estimator)
    first, second = chosen(subject, x, "x"), chosen(subject, y, "y")
    base = chosen(subject, given, "given")
    return information(subject, first, second, base, estimator) / nats_per(unit)


def information(
    subject: Subject,
    x: tuple[Name, ...],
    y: tuple[Name, ...],
    z: tuple[Name, ...],
    estimator: Estimator,
) -> float:
    """Return I(X; Y | Z) in nats."""
    value = (
        subject.entropy(_union(x, z), estimator)
        + subject.entropy(_union(y, z), estimator)
        - subject.entropy(_union(x, y, z), estimator)
        - subject.entropy(z, estimator)
    )
    return value if estimator.estimate == "miller-madow" else max(0.0, value)


def _union(*sets: tuple[Name, ...]) -> tuple[Name, ...]:
    return tuple(dict.fromkeys(name for names in sets for name in names))
