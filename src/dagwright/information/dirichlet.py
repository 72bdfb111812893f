"""What is known of the probabilities of several states: the Dirichlet distribution."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagwright.errors import SpecError
from dagwright.information.state_counts import counts_of_rows, counts_of_states
from dagwright.specs import check_number, check_whole
from dagwright.states import check_states

__all__ = ["DirichletPosterior"]


class DirichletPosterior:
    """The Dirichlet distribution of the probabilities of a variable's states; it never changes.

    Its density is proportional to the product of p_k^(alpha_k - 1). A row with state k adds 1 to
    alpha_k: the posterior is again such a distribution, and rows in any order or in batches give
    the same one. With two states it is :class:`BetaPosterior`.

    Parameters
    ----------
    alpha : sequence, or mapping by state
        One number above 0 a state: 1 each is uniform, K2's prior; ess / r each is BDeu's, for a
        variable without parents.
    states : sequence, optional
        By default the keys of a mapping, else 0, 1, ...

    Examples
    --------
    >>> import dagwright as dw
    >>> prior = dw.DirichletPosterior({"low": 1, "mid": 1, "high": 1})
    >>> posterior = prior.update({"low": 2, "high": 5})
    >>> posterior
    DirichletPosterior({'low': 3, 'mid': 1, 'high': 6})
    >>> posterior.mean.tolist()
    [0.3, 0.1, 0.6]
    >>> posterior == prior.update(rows=["high"] * 5).update(rows=["low", "low"])
    True
    """

    def __init__(
        self,
        alpha: Sequence[float] | Mapping[Any, float] | NDArray[np.float64],
        states: Iterable[Any] | None = None,
    ) -> None:
        if states is None:
            states = alpha if isinstance(alpha, Mapping) else range(np.size(alpha))
        self._states = check_states("alpha", states)
        if len(self._states) < 2:
            raise SpecError(f"alpha must have two states or more, not {alpha!r}")
        self._alpha = counts_of_states(alpha, self._states, "alpha")
        if not (self._alpha > 0).all():
            raise SpecError(f"alpha must be one finite number above 0 a state, not {alpha!r}")
        self._alpha.flags.writeable = False

    @property
    def states(self) -> tuple[Any, ...]:
        """The states, in the order of all arrays."""
        return self._states

    @property
    def alpha(self) -> NDArray[np.float64]:
        """The parameters, one a state; read-only."""
        return self._alpha

    @property
    def mean(self) -> NDArray[np.float64]:
        """The means, which are also how probable each state is for the next row."""
        return np.asarray(self._alpha / self._alpha.sum())

    @property
    def mode(self) -> NDArray[np.float64] | None:
        """Where the density is highest; None if it is flat, or infinite where some alpha < 1."""
        above = self._alpha - 1
        if (above < 0).any() or not above.any():
            return None
        return np.asarray(above / above.sum())

    @property
    def variance(self) -> NDArray[np.float64]:
        """The variance of each probability."""
        return np.asarray(self.mean * (1 - self.mean) / (self._alpha.sum() + 1))

    def interval(self, mass: float = 0.95) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the ends of the central credible interval of each probability.

        Each one's own distribution is a Beta distribution, of alpha_k and the rest of alpha.
        """
        from scipy.special import betaincinv

        check_number("interval: mass", mass, "between 0 and 1", lambda x: 0 < x < 1)
        rest = self._alpha.sum() - self._alpha
        low, high = (betaincinv(self._alpha, rest, (1 + side * mass) / 2) for side in (-1, 1))
        return np.asarray(low), np.asarray(high)

    def update(self, counts: Any = None, *, rows: Iterable[Any] = ()) -> DirichletPosterior:
        """Return the posterior after these counts, or these rows of states.

        Parameters
        ----------
        counts : sequence in the order of the states, or mapping by state, optional
        rows : iterable of states
        """
        alpha = self._alpha + counts_of_rows(rows, self._states)
        if counts is not None:
            alpha = alpha + counts_of_states(counts, self._states)
        return DirichletPosterior(alpha, self._states)

    def predictive(self, counts: Any = None) -> Any:
        """Return how probable each state is for the next row, or counts for the next rows.

        Parameters
        ----------
        counts : sequence in the order of the states, or mapping by state, optional
            With these: the probability that the next rows, as many as the counts add up to, have
            exactly these counts (the Dirichlet-multinomial distribution).

        Examples
        --------
        >>> import dagwright as dw
        >>> posterior = dw.DirichletPosterior([2, 1, 1])
        >>> posterior.predictive().tolist()
        [0.5, 0.25, 0.25]
        >>> round(posterior.predictive([1, 1, 0]), 6)
        0.2
        """
        from scipy.special import gammaln

        if counts is None:
            return self.mean
        n = counts_of_states(counts, self._states)
        orders = gammaln(n.sum() + 1) - gammaln(n + 1).sum()
        return float(np.exp(orders + self.log_marginal_likelihood(n)))

    def log_marginal_likelihood(self, counts: Any) -> float:
        """Return the log probability of rows in their order, the probabilities integrated out.

        It is ln B(alpha + n) - ln B(alpha) with B(a) = prod Gamma(a_k) / Gamma(sum a_k): the score
        of a variable without parents.

        Examples
        --------
        >>> import dagwright as dw
        >>> table = dw.Table({"a": ["x", "y", "y"]})
        >>> round(dw.DirichletPosterior([1, 1]).log_marginal_likelihood([1, 2]), 6)
        -2.484907
        >>> round(dw.Scorer(table, dw.K2()).local("a"), 6)
        -2.484907
        """
        from scipy.special import gammaln

        n, alpha = counts_of_states(counts, self._states), self._alpha
        total = gammaln(alpha.sum()) - gammaln((alpha + n).sum())
        return float(total + (gammaln(alpha + n) - gammaln(alpha)).sum())

    def sample(self, n: int = 1, seed: int = 0) -> NDArray[np.float64]:
        """Return distributions that are drawn, one row each."""
        rng = np.random.default_rng(check_whole("seed", seed, 0))
        return rng.dirichlet(self._alpha, check_whole("sample: n", n, 1))

    def plot(self, ax: Any = None, *, mass: float = 0.95) -> Any:
        """Draw what is known of each state's probability, with means and intervals, by matplotlib.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; by default on a new figure.
        mass : float
            Of the intervals.

        Returns
        -------
        matplotlib axes
        """
        from dagwright.information.pictures import plot_dirichlet

        return plot_dirichlet(self, ax, mass)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, DirichletPosterior):
            return NotImplemented
        return self._states == other._states and bool((self._alpha == other._alpha).all())

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        shown = (f"{state!r}: {a:g}" for state, a in zip(self._states, self._alpha, strict=True))
        return f"DirichletPosterior({{{', '.join(shown)}}})"
