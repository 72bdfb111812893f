"""Expectations under an undirected model: what every way to compute them gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from dagwright.errors import DataError, SpecError
from dagwright.markov.factors import Factors, Scope
from dagwright.markov.features import Features
from dagwright.run import Run
from dagwright.specs import Registry, Spec

__all__ = ["Expectation", "Expected", "Marginals", "expectation_kinds"]


@dataclass(frozen=True, eq=False)
class Marginals:
    """The distributions of some scopes under a model.

    Attributes
    ----------
    log_z : float
        The log of the normalising constant; NaN where it is not known.
    tables : tuple of arrays
        One for each scope that was asked for, of its shape; each sums to 1.
    errors : tuple of arrays or None
        Monte-Carlo standard errors, cell by cell; None where nothing was drawn.
    approximation : str
        What is approximate, in words; empty if nothing is.
    iterations : int
        Of methods that iterate.
    converged : bool
    """

    log_z: float
    tables: tuple[NDArray[np.float64], ...]
    errors: tuple[NDArray[np.float64], ...] | None = None
    approximation: str = ""
    iterations: int = 0
    converged: bool = True


@dataclass(frozen=True, eq=False)
class Expected:
    """The means of features under a model; the rest as in :class:`Marginals`."""

    log_z: float
    means: NDArray[np.float64]
    errors: NDArray[np.float64] | None = None
    approximation: str = ""
    iterations: int = 0
    converged: bool = True


class Expectation(Spec):
    """Base of the ways to compute expectations: exact, sampled or by messages."""

    exact: ClassVar[bool] = False

    def refusal(self, factors: Factors) -> str | None:
        """Say why this cannot be done for these factors, with the forecast; None if it can."""
        return None

    def marginals(self, factors: Factors, scopes: Sequence[Scope], run: Run) -> Marginals:
        """Return the distributions of scopes; of those of the factors at least."""
        raise NotImplementedError

    def expect(self, features: Features, theta: NDArray[np.float64], run: Run) -> Expected:
        """Return the means of features."""
        found = self.marginals(features.factors(theta), features.factor_scopes, run)
        return Expected(
            found.log_z,
            features.means(found.tables),
            None,
            found.approximation,
            found.iterations,
            found.converged,
        )

    def gap(
        self,
        features: Features,
        theta: NDArray[np.float64],
        mu: NDArray[np.float64],
        run: Run,
    ) -> tuple[float, float]:
        """Return the largest difference of a mean from mu, and its Monte-Carlo error."""
        means = self.expect(features, theta, run).means
        return float(np.abs(means - mu).max(initial=0.0)), 0.0

    def sample(self, factors: Factors, n: int, run: Run) -> Sequence[NDArray[np.uint16]]:
        """Return rows drawn from the model by ``run.seed``, the codes of each variable."""
        raise SpecError(f"{self.name} draws no rows: use a method that does")

    def check(self, factors: Factors) -> None:
        """Refuse what this cannot do."""
        reason = self.refusal(factors)
        if reason is not None:
            raise DataError(reason)


expectation_kinds: Registry[Expectation] = Registry("expectations")
