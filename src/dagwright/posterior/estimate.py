"""A number estimated from draws."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Estimate"]


@dataclass(frozen=True)
class Estimate:
    """A mean over draws, and how far it may be off because there are not more of them.

    Attributes
    ----------
    value : float
    standard_error : float
        Of the chains' sampling alone; 0 if all draws agree, NaN if there are too few to tell.

    Examples
    --------
    >>> from dagwright.posterior.estimate import Estimate
    >>> print(Estimate(0.25, 0.01))
    0.25 +- 0.01
    """

    value: float
    standard_error: float

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        return f"{self.value:.4g} +- {self.standard_error:.2g}"
