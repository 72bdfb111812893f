"""What is known of one probability: the Beta distribution."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dagwright.information.state_counts import check_count, counts_of_rows
from dagwright.specs import check_number, check_positive, check_whole

__all__ = ["BetaPosterior"]


@dataclass(frozen=True)
class BetaPosterior:
    """The Beta distribution of the probability of a success, before rows or after them.

    Its density is proportional to p^(a-1) (1-p)^(b-1). Beta(1, 1) is uniform. A row of success
    adds 1 to `a`, one of failure 1 to `b`: the posterior is again such a distribution, and rows in
    any order or in batches give the same one.

    Parameters
    ----------
    a, b : float
        Above 0; of successes and of failures.

    Examples
    --------
    >>> import dagwright as dw
    >>> posterior = dw.BetaPosterior(1, 1).update(successes=7, failures=3)
    >>> posterior
    BetaPosterior(a=8.0, b=4.0)
    >>> round(posterior.mean, 4), posterior.mode
    (0.6667, 0.7)
    >>> [round(end, 3) for end in posterior.interval(0.95)]
    [0.39, 0.891]
    >>> posterior.update(rows=[True, True, False]).a
    10.0
    """

    a: float = 1.0
    b: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "a", float(check_positive("a", self.a)))
        object.__setattr__(self, "b", float(check_positive("b", self.b)))

    @property
    def mean(self) -> float:
        """The mean, which is also the probability that the next row is a success."""
        return self.a / (self.a + self.b)

    @property
    def mode(self) -> float | None:
        """Where the density is highest; None if it is flat, or infinite at an end (a or b < 1)."""
        above, below = self.a - 1, self.b - 1  # not a + b - 2, which rounds to modes beyond 1
        if min(above, below) < 0 or above + below == 0:
            return None
        return above / (above + below)

    @property
    def variance(self) -> float:
        """The variance."""
        return self.mean * (1 - self.mean) / (self.a + self.b + 1)

    def density(self, probability: ArrayLike) -> NDArray[np.float64]:
        """Return the density at a probability, or at each of several."""
        from scipy.stats import beta

        return np.asarray(beta.pdf(probability, self.a, self.b))

    def interval(self, mass: float = 0.95) -> tuple[float, float]:
        """Return the ends of the central credible interval that has this much probability."""
        from scipy.special import betaincinv

        check_number("interval: mass", mass, "between 0 and 1", lambda x: 0 < x < 1)
        low, high = betaincinv(self.a, self.b, [(1 - mass) / 2, (1 + mass) / 2])
        return float(low), float(high)

    def update(
        self,
        successes: float = 0,
        failures: float = 0,
        *,
        rows: Iterable[Any] = (),
    ) -> BetaPosterior:
        """Return the posterior after these counts, or these rows of True and False (or 1 and 0)."""
        failed, succeeded = counts_of_rows(rows, (False, True))
        return BetaPosterior(
            self.a + check_count("successes", successes) + float(succeeded),
            self.b + check_count("failures", failures) + float(failed),
        )

    def predictive(self, n: int = 1) -> NDArray[np.float64]:
        """Return how probable 0, 1, ..., n successes are among the next n rows: beta-binomial.

        Examples
        --------
        >>> import dagwright as dw
        >>> dw.BetaPosterior(2, 1).predictive(2).round(4).tolist()
        [0.1667, 0.3333, 0.5]
        """
        from scipy.special import betaln, gammaln

        n = check_whole("predictive: n", n, 0)
        k = np.arange(n + 1)
        orders = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
        log_mass = orders + betaln(self.a + k, self.b + n - k) - betaln(self.a, self.b)
        return np.asarray(np.exp(log_mass))

    def log_marginal_likelihood(self, successes: float, failures: float) -> float:
        """Return the log probability of rows in their order, the probability integrated out.

        The ratio of two such numbers, for two priors or two models, is a Bayes factor.

        Examples
        --------
        >>> import dagwright as dw
        >>> round(dw.BetaPosterior(1, 1).log_marginal_likelihood(1, 1), 4)  # ln(1/6)
        -1.7918
        """
        from scipy.special import betaln

        s, f = check_count("successes", successes), check_count("failures", failures)
        return float(betaln(self.a + s, self.b + f) - betaln(self.a, self.b))

    def sample(self, n: int = 1, seed: int = 0) -> NDArray[np.float64]:
        """Return probabilities that are drawn from the distribution."""
        rng = np.random.default_rng(check_whole("seed", seed, 0))
        return rng.beta(self.a, self.b, check_whole("sample: n", n, 1))

    def plot(self, ax: Any = None, *, label: str | None = None, mass: float = 0.95) -> Any:
        """Draw the density with its mean and central interval, by matplotlib.

        Prior and posterior go into one picture with ``posterior.plot(prior.plot())``.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; by default on a new figure.
        label : str, optional
            In the legend; by default ``Beta(a, b)``.
        mass : float
            Of the interval.

        Returns
        -------
        matplotlib axes
        """
        from dagwright.information.pictures import plot_beta

        return plot_beta(self, ax, label, mass)
