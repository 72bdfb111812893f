"""The parameters of one family: the child's distribution for each configuration of its parents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagwright._names import listed
from dagwright.errors import DataError

__all__ = ["MOST_CELLS", "ConditionalTable"]

Array = NDArray[np.float64]

MOST_CELLS = 50_000_000
"""A table of more cells is never filled."""


@dataclass(frozen=True, eq=False)
class ConditionalTable:
    """The conditional distributions of a child given its parents, and where they come from.

    A fitted table has the counts of the data and the hyperparameters alpha of the Dirichlet prior;
    its probabilities are the posterior means (n + alpha) / (N + sum of alpha), without a prior the
    maximum likelihood n / N. A table of a network that was not fitted has its probabilities alone.

    Attributes
    ----------
    child : str
    parents : tuple of str
    states : mapping of str to tuple
        The states of the parents and the child.
    counts : array or None
        N_ijk, one row a configuration that is stored and one number a state of the child.
    alpha : array or None
        The hyperparameters: one number for every cell, or rows as `counts` has them; None for
        maximum likelihood.
    configs : array or None
        The parents' states in each row that is stored, sorted; None if all configurations are,
        the last parent fastest. A configuration without a row has counts of zero.

    Examples
    --------
    >>> import dagwright as dw
    >>> rows = dw.Table({"smoke": ["no", "no", "yes"], "cough": ["no", "yes", "yes"]})
    >>> table = dw.fit(dw.Dag([("smoke", "cough")]), rows, parameters=dw.K2()).table("cough")
    >>> table.probabilities.round(3).tolist()
    [[0.5, 0.5], [0.333, 0.667]]
    >>> low, high = table.interval(0.9)
    >>> low.round(3).tolist()
    [[0.135, 0.135], [0.025, 0.224]]
    """

    child: str
    parents: tuple[str, ...]
    states: Mapping[str, tuple[Any, ...]]
    counts: Array | None = None
    alpha: Array | None = None
    configs: NDArray[np.uint16] | None = None
    given: Array | None = None  # the rows of a table that was not fitted

    @property
    def shape(self) -> tuple[int, ...]:
        """How many states the parents and the child have."""
        return tuple(len(self.states[name]) for name in (*self.parents, self.child))

    @property
    def n_states(self) -> int:
        """How many states the child has."""
        return len(self.states[self.child])

    @property
    def n_configs(self) -> int:
        """How many configurations the parents have, stored or not."""
        return prod(self.shape[:-1])

    @property
    def n_parameters(self) -> int:
        """The number of free parameters, q (r - 1)."""
        return self.n_configs * (self.n_states - 1)

    @property
    def is_sparse(self) -> bool:
        """Whether only some configurations are stored."""
        return self.configs is not None

    def _full(self, rows: Array, other: Array | None = None) -> Array:
        """Give rows the shape of the table; in a sparse one those not stored are `other`."""
        if self.configs is None:
            return rows.reshape(self.shape)
        if prod(self.shape) > MOST_CELLS:
            raise DataError(
                f"the table of {self.child!r} has {float(prod(self.shape)):.3g} cells, too many to "
                f"fill: its {len(self.configs):,} observed configurations are in `configs`, each "
                "one's probabilities come from `row(config)`"
            )
        table = np.empty(self.shape)
        table[...] = np.nan if other is None else other
        table[tuple(self.configs.T)] = rows
        return table

    @cached_property
    def _posterior(self) -> Array:
        """The stored rows of n + alpha."""
        if self.counts is None:
            raise DataError(
                f"the table of {self.child!r} was not fitted: it has probabilities, but no counts "
                "and no prior"
            )
        return self.counts if self.alpha is None else self.counts + self.alpha

    @property
    def _prior_row(self) -> Array | None:
        """N + alpha of a configuration that is not stored."""
        return None if self.alpha is None else np.full(self.n_states, float(self.alpha))

    @cached_property
    def rows(self) -> Array:
        """The probabilities of the stored configurations, one row each; NaN if undefined."""
        if self.given is not None:
            return self.given
        posterior = self._posterior
        totals = posterior.sum(axis=1, keepdims=True)
        rows = np.full(posterior.shape, np.nan)
        np.divide(posterior, totals, out=rows, where=totals > 0)
        rows.flags.writeable = False
        return rows

    @cached_property
    def other_row(self) -> Array:
        """The probabilities of a configuration that is not stored: the prior's, or undefined."""
        prior = self._prior_row
        return np.full(self.n_states, np.nan) if prior is None else prior / prior.sum()

    @cached_property
    def probabilities(self) -> Array:
        """One axis a parent, the last for the child: posterior means; NaN where undefined."""
        table = self._full(self.rows, self.other_row if self.is_sparse else None)
        table.flags.writeable = False
        return table

    def row(self, config: Mapping[str, Any]) -> dict[Any, float]:
        """Return the child's distribution for one configuration of the parents.

        Examples
        --------
        >>> import dagwright as dw
        >>> dw.networks.load("asia").table("lung").row({"smoke": "yes"})
        {'yes': 0.1, 'no': 0.9}
        """
        if set(config) != set(self.parents):
            raise DataError(
                f"a configuration of {self.child!r} has a state for each of its parents "
                f"[{listed(self.parents)}], not for [{listed(config)}]"
            )
        codes = []
        for parent in self.parents:
            if config[parent] not in self.states[parent]:
                raise DataError(
                    f"{parent!r} has no state {config[parent]!r}: "
                    f"its states are {list(self.states[parent])}"
                )
            codes.append(self.states[parent].index(config[parent]))
        values = self.rows_of(np.array([codes], dtype=np.int64).reshape(1, len(codes)))[0]
        return dict(zip(self.states[self.child], map(float, values), strict=True))

    def rows_of(self, configs: NDArray[np.integer[Any]]) -> Array:
        """Return the probabilities of configurations, given as codes of the parents."""
        place = self.places(configs)
        rows = np.vstack([self.rows, self.other_row]) if self.is_sparse else self.rows
        return rows[place]

    def places(self, configs: NDArray[np.integer[Any]]) -> NDArray[np.intp]:
        """Return where the rows of configurations are stored; -1 for those that are not."""
        if self.configs is None:
            place = np.zeros(len(configs), dtype=np.intp)
            for axis, n in enumerate(self.shape[:-1]):
                place = place * n + configs[:, axis]
            return place
        both = np.concatenate([self.configs.astype(np.int64), configs.astype(np.int64)])
        keys = np.zeros(len(both), dtype=np.int64)
        for axis, n in enumerate(self.shape[:-1]):  # numbered anew each time: no product overflows
            keys = np.unique(keys * n + both[:, axis], return_inverse=True)[1]
        stored, asked = keys[: len(self.configs)], keys[len(self.configs) :]
        place_of = np.full(int(keys.max(initial=0)) + 1, -1, dtype=np.intp)
        place_of[stored] = np.arange(len(stored))
        return place_of[asked]

    def undefined(self) -> Iterator[dict[str, Any]]:
        """Go through the stored configurations whose distribution is not known.

        In a sparse table fitted by maximum likelihood those that are not stored are undefined too.
        """
        configs = self.configs
        for place in np.isnan(self.rows[:, 0]).nonzero()[0]:
            codes = (
                np.unravel_index(int(place), self.shape[:-1]) if configs is None else configs[place]
            )
            yield {
                parent: self.states[parent][int(code)]
                for parent, code in zip(self.parents, codes, strict=True)
            }

    def mean(self) -> Array:
        """Return the posterior means, which are the probabilities."""
        return self.probabilities

    def mode(self) -> Array:
        """Return the posterior modes, (n + alpha - 1) / (sum - r); NaN where there is none.

        There is none where some n + alpha is below 1: the density has no highest point. Without a
        prior the mode is the maximum of the likelihood.
        """
        if self.alpha is None:
            return self.probabilities

        def modes(posterior: Array) -> Array:
            total = posterior.sum(axis=-1, keepdims=True) - self.n_states
            has_one = (posterior >= 1).all(axis=-1, keepdims=True) & (total > 0)
            rows = np.full(posterior.shape, np.nan)
            np.divide(posterior - 1, total, out=rows, where=has_one)
            return rows

        prior = self._prior_row if self.is_sparse else None
        return self._full(modes(self._posterior), None if prior is None else modes(prior[None])[0])

    def variance(self) -> Array:
        """Return the posterior variance of each probability; NaN without a prior where N is 0."""

        def variances(posterior: Array) -> Array:
            total = posterior.sum(axis=-1, keepdims=True)
            with np.errstate(invalid="ignore", divide="ignore"):
                mean = posterior / total
                return np.asarray(mean * (1 - mean) / (total + 1))

        prior = self._prior_row if self.is_sparse else None
        return self._full(
            variances(self._posterior), None if prior is None else variances(prior[None])[0]
        )

    def interval(self, mass: float = 0.95) -> tuple[Array, Array]:
        """Return the ends of the central credible interval of each probability.

        The marginal of one probability under a Dirichlet distribution is a Beta distribution.

        Parameters
        ----------
        mass : float
            The posterior probability that the interval has, between 0 and 1.
        """
        from scipy.stats import beta

        if not 0 < mass < 1:
            raise DataError(f"interval: mass must be between 0 and 1, not {mass!r}")
        if self.alpha is None:
            raise DataError(
                f"the table of {self.child!r} was fitted without a prior, so it has no posterior: "
                "fit with parameters=dw.BDeu(1), say"
            )

        def ends(posterior: Array, tail: float) -> Array:
            total = posterior.sum(axis=-1, keepdims=True)
            if self.n_states == 1:
                return np.ones(posterior.shape)
            return np.asarray(beta.ppf(tail, posterior, total - posterior))

        tails = ((1 - mass) / 2, (1 + mass) / 2)
        prior = self._prior_row if self.is_sparse else None
        low, high = (
            self._full(
                ends(self._posterior, tail), None if prior is None else ends(prior[None], tail)[0]
            )
            for tail in tails
        )
        return low, high

    def sampled(self, rng: np.random.Generator) -> ConditionalTable:
        """Return a table whose rows are drawn from the posterior."""
        posterior = self._posterior  # says so if it was not fitted
        if self.alpha is None:
            raise DataError(
                f"the table of {self.child!r} was fitted without a prior, so it has no posterior: "
                "fit with parameters=dw.BDeu(1), say"
            )
        if self.is_sparse:
            raise DataError(
                f"the table of {self.child!r} is sparse: draws of all its "
                f"{float(self.n_configs):.3g} configurations would fill it"
            )
        rows = rng.standard_gamma(posterior)
        # With tiny alphas all draws of a row may underflow; then one state has all the mass.
        empty = rows.sum(axis=1) == 0
        if empty.any():
            chances = posterior[empty] / posterior[empty].sum(axis=1, keepdims=True)
            picked = (chances.cumsum(axis=1) < rng.random((len(chances), 1))).sum(axis=1)
            rows[empty] = np.eye(self.n_states)[np.minimum(picked, self.n_states - 1)]
        rows /= rows.sum(axis=1, keepdims=True)
        rows.flags.writeable = False
        return ConditionalTable(self.child, self.parents, self.states, given=rows)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ConditionalTable):
            return NotImplemented
        return (
            (self.child, self.parents) == (other.child, other.parents)
            and dict(self.states) == dict(other.states)
            and all(
                _same(getattr(self, field), getattr(other, field))
                for field in ("counts", "alpha", "configs", "given")
            )
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        given = f" | {', '.join(self.parents)}" if self.parents else ""
        stored = f", {len(self.configs):,} stored" if self.configs is not None else ""
        return f"ConditionalTable({self.child}{given}: {self.n_configs:,} configurations{stored})"


def _same(first: Any, second: Any) -> bool:
    if first is None or second is None:
        return first is second
    return np.shape(first) == np.shape(second) and bool(
        np.array_equal(first, second, equal_nan=np.asarray(first).dtype.kind == "f")
    )
