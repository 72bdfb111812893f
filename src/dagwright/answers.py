"""What a Bayesian network answers: queries, predictions, rows."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from math import exp
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagwright import _core
from dagwright.conditional_table import ConditionalTable
from dagwright.conform import conform
from dagwright.encode import in_width
from dagwright.errors import DataError
from dagwright.graph import Dag
from dagwright.inference.approximate import check_no_undefined
from dagwright.inference.distribution import Distribution
from dagwright.inference.exact import (
    best_joint_state,
    log_probability,
    make_tree,
    naming_impossible_evidence,
    propagation,
)
from dagwright.inference.forecast import (
    MAX_BYTES,
    MAX_OPERATIONS,
    Forecast,
    check_cost,
    forecast_of,
    n_threads,
    start,
)
from dagwright.inference.junction_tree import JunctionTree
from dagwright.inference.network import Given, TableNetwork, is_soft
from dagwright.inference.predict import posterior_rows
from dagwright.inference.query import query
from dagwright.sparse_tables import sample_with_sparse_tables, tables_for
from dagwright.specs import check_whole
from dagwright.table import Table

__all__ = ["Answers"]

_MOST_CODES = 10**10


class Answers:
    """The part of :class:`dagwright.BayesNet` that answers questions."""

    _dag: Dag
    _states: Mapping[str, tuple[Any, ...]]
    _cuts: Mapping[str, tuple[float, ...]]
    _tables: Mapping[str, ConditionalTable]

    @cached_property
    def network(self) -> TableNetwork:
        """The full tables, as inference takes them."""
        return TableNetwork(
            self._states,
            {name: table.parents for name, table in self._tables.items()},
            {name: table.probabilities for name, table in self._tables.items()},
        )

    def _network_for(
        self, targets: Iterable[str], given: Given | None, do: Given | None = None
    ) -> TableNetwork:
        """Return full tables for a question."""
        if not self._has_sparse:
            return self.network
        return tables_for(self._dag, self._states, self._tables, targets, given, do)

    @cached_property
    def _has_sparse(self) -> bool:
        return any(table.is_sparse for table in self._tables.values())

    def query(
        self,
        targets: str | Iterable[str],
        given: Given | None = None,
        *,
        do: Given | None = None,
        method: str = "auto",
        n_samples: int = 100_000,
        seed: int = 0,
        damping: float = 0.0,
        max_bytes: float = MAX_BYTES,
        max_operations: float = MAX_OPERATIONS,
    ) -> Distribution:
        """Return the distribution of one variable, or of several together, given what is known.

        Parameters
        ----------
        targets : str or iterable of str
        given : mapping, optional
            Hard evidence ``{"smoke": "yes"}``, or soft: likelihoods by state,
            ``{"smoke": {"yes": 0.9, "no": 0.2}}``, of which only the ratios matter.
        do : mapping, optional
            Variables that are set from outside: their own families do not hold any more.
        method : str
            "auto" and "elimination" are exact. "belief propagation" is exact on trees, else an
            approximation that says whether it converged. "likelihood weighting" and "gibbs" are
            estimates from `n_samples` rows, with standard errors.
        n_samples, seed : int
            Of the methods that sample.
        damping : float
            Of belief propagation: the share of the old message in the new one.
        max_bytes, max_operations : float
            Refuse exact inference beyond this, before the work, with the forecast.

        Examples
        --------
        >>> import dagwright as dw
        >>> model = dw.networks.load("asia")
        >>> round(model.query("lung", given={"xray": "yes", "smoke": "yes"})["yes"], 4)
        0.646
        >>> round(model.query("smoke", do={"lung": "yes"})["yes"], 4)
        0.5
        """
        asked = targets if isinstance(targets, Iterable) else [targets]  # which `query` refuses
        asked = [asked] if isinstance(asked, str) else list(asked)
        return query(
            self._network_for(asked, given, do),
            asked,
            given,
            do,
            method,
            n_samples,
            seed,
            damping,
            max_bytes,
            max_operations,
        )

    def marginals(
        self,
        given: Given | None = None,
        variables: Iterable[str] | None = None,
        *,
        do: Given | None = None,
    ) -> dict[str, Distribution]:
        """Return the posterior of each variable, of all by default, in one sweep of a tree.

        Examples
        --------
        >>> import dagwright as dw
        >>> found = dw.networks.load("asia").marginals({"xray": "yes"})
        >>> round(found["lung"]["yes"], 4)
        0.4887
        """
        return self.junction_tree(given, do=do).marginals(variables)

    def junction_tree(
        self,
        given: Given | None = None,
        *,
        do: Given | None = None,
        max_bytes: float = MAX_BYTES,
        max_operations: float = MAX_OPERATIONS,
    ) -> JunctionTree:
        """Return a junction tree, to be asked again and again while the evidence changes."""
        return JunctionTree(
            self.network, given, do, max_bytes=max_bytes, max_operations=max_operations
        )

    def forecast(
        self,
        targets: str | Iterable[str] = (),
        given: Given | None = None,
        *,
        do: Given | None = None,
    ) -> Forecast:
        """Return what an exact query would cost; of the whole junction tree without targets.

        Examples
        --------
        >>> import dagwright as dw
        >>> dw.networks.load("asia").forecast().largest_clique
        8.0
        """
        asked = [targets] if isinstance(targets, str) else list(targets)
        network = self._network_for(asked or self._dag.nodes, given, do)
        evidence = network.evidence(given, do)
        return forecast_of(make_tree(network, network.numbers(asked), evidence, every=not asked))

    def log_probability(
        self,
        given: Given,
        *,
        do: Given | None = None,
        max_bytes: float = MAX_BYTES,
        max_operations: float = MAX_OPERATIONS,
    ) -> float:
        """Return the log of the probability of evidence; -inf if it cannot be."""
        network = self._network_for((), given, do)
        return log_probability(network, network.evidence(given, do), max_bytes, max_operations)

    def probability(self, given: Given, *, do: Given | None = None) -> float:
        """Return the probability of evidence.

        Examples
        --------
        >>> import dagwright as dw
        >>> round(dw.networks.load("asia").probability({"smoke": "yes", "lung": "yes"}), 6)
        0.05
        """
        return exp(self.log_probability(given, do=do))

    def most_probable(
        self,
        targets: str | Iterable[str] | None = None,
        given: Given | None = None,
        *,
        do: Given | None = None,
        max_bytes: float = MAX_BYTES,
        max_operations: float = MAX_OPERATIONS,
    ) -> tuple[dict[str, Any], float]:
        """Return the most probable joint state of the targets, and its posterior probability.

        Without targets, of all variables that are not known: the most probable explanation. With
        targets the other variables are summed out first, which can cost far more. The most
        probable states one by one may be impossible together: this is not the same.

        Examples
        --------
        >>> import dagwright as dw
        >>> state, probability = dw.networks.load("asia").most_probable(given={"xray": "yes"})
        >>> state["lung"], state["either"], round(probability, 4)
        ('yes', 'yes', 0.2351)
        """
        known = {*(given or {}), *(do or {})}
        if targets is None:
            soft = {name for name, value in (given or {}).items() if is_soft(value)}
            wanted = [name for name in self._dag.nodes if name not in known or name in soft]
        else:
            wanted = [targets] if isinstance(targets, str) else list(targets)
        network = self._network_for(wanted, given, do)
        evidence = network.evidence(given, do)
        numbers = [v for v in network.numbers(wanted) if v not in evidence.observed]
        if not numbers:
            raise DataError("most_probable: nothing is asked that is not known already")
        best, log_posterior = best_joint_state(
            network, numbers, evidence, max_bytes, max_operations
        )
        names = [network.names[v] for v in numbers]
        return {
            name: self._states[name][best[v]] for name, v in zip(names, numbers, strict=True)
        }, exp(log_posterior)

    def d_separated(
        self, first: str | Iterable[str], second: str | Iterable[str], given: Iterable[str] = ()
    ) -> bool:
        """Say whether the graph makes two sets of variables independent given a third.

        Examples
        --------
        >>> import dagwright as dw
        >>> model = dw.networks.load("asia")
        >>> model.d_separated("asia", "smoke"), model.d_separated("asia", "smoke", given=["dysp"])
        (True, False)
        """
        return self._dag.d_separated(first, second, given)

    def predict_proba(
        self,
        data: Table | Any,
        target: str,
        *,
        max_bytes: float = MAX_BYTES,
        max_operations: float = MAX_OPERATIONS,
    ) -> NDArray[np.float64]:
        """Return the posterior of one variable for each row, one number a state.

        Variables that the data do not have are summed out; the target itself is not looked at. A
        row that the model finds impossible, in what matters to the target, gets NaN, and a warning
        says how many there are.

        Examples
        --------
        >>> import dagwright as dw
        >>> rows = dw.Table({"smoke": ["yes", "no"], "xray": ["yes", "yes"]})
        >>> dw.networks.load("asia").predict_proba(rows, "lung").round(4).tolist()
        [[0.646, 0.354], [0.1423, 0.8577]]
        """
        if target not in self._tables:
            self._dag.parents(target)  # says what is wrong with the name
        others = {name: own for name, own in self._states.items() if name != target}
        rows = conform(data, others, self._cuts, all_variables=False)
        if self._has_sparse:
            values = self._predict_one_by_one(rows, target, max_bytes, max_operations)
        else:
            network = self.network
            values = posterior_rows(
                network, network.number(target), rows, max_bytes, max_operations
            )
        impossible = int(np.isnan(values[:, 0]).sum())
        if impossible:
            at = int(np.isnan(values[:, 0]).argmax())
            warnings.warn(
                f"{impossible:,} of {len(rows):,} rows, the first of them row {at}, are impossible "
                "under the model or meet undefined parameters: their predictions are missing. Fit "
                "with a prior, or take model.smoothed(1e-6)",
                stacklevel=2,
            )
        return values

    def _predict_one_by_one(
        self, rows: Table, target: str, max_bytes: float, max_operations: float
    ) -> NDArray[np.float64]:
        """Fill sparse tables for each row anew: slow, but it fits."""
        values = np.full((len(rows), len(self._states[target])), np.nan)
        for at in range(len(rows)):
            given = {
                name: rows.states[name][codes[at]]
                for name, codes in zip(rows.names, rows.codes, strict=True)
            }
            network = self._network_for([target], given)
            one = rows.take([at])
            values[at] = posterior_rows(
                network, network.number(target), one, max_bytes, max_operations
            )
        return values

    def predict(self, data: Table | Any, target: str) -> list[Any]:
        """Return the most probable state of one variable for each row; None if a row cannot be.

        Examples
        --------
        >>> import dagwright as dw
        >>> rows = dw.Table({"smoke": ["yes", "no"], "xray": ["yes", "yes"]})
        >>> dw.networks.load("asia").predict(rows, "lung")
        ['yes', 'no']
        """
        values = self.predict_proba(data, target)
        missing = np.isnan(values[:, 0])
        codes = np.where(missing, -1, np.where(np.isnan(values), -1, values).argmax(axis=1))
        states: list[Any] = [*self._states[target], None]
        return [states[code] for code in codes]

    def sample(
        self,
        n: int,
        seed: int = 0,
        *,
        given: Given | None = None,
        do: Given | None = None,
        max_bytes: float = MAX_BYTES,
        max_operations: float = MAX_OPERATIONS,
    ) -> Table:
        """Return rows drawn from the network, given evidence exactly from the posterior.

        The same seed gives the same rows, for any number of threads.

        Examples
        --------
        >>> import dagwright as dw
        >>> rows = dw.networks.load("asia").sample(1000, seed=1)
        >>> rows.names[:3], len(rows)
        (('asia', 'tub', 'smoke'), 1000)
        """
        n = check_whole("sample: n", n, 1)
        seed = check_whole("seed", seed, 0, 2**64 - 1)
        if n * len(self._dag.nodes) > _MOST_CODES:
            raise DataError(
                f"sample: {n:,} rows of {len(self._dag.nodes):,} variables are more than "
                f"{_MOST_CODES:,} codes: draw them in parts, each with its own seed"
            )
        codes: Sequence[NDArray[Any]]
        if self._has_sparse and not given:
            self._network_for((), None, do).evidence(None, do)  # says what is wrong with it
            codes = sample_with_sparse_tables(self._dag, self._states, self._tables, n, seed, do)
        else:
            codes = self._sampled(n, seed, given, do, (max_bytes, max_operations))
        narrow = [
            in_width(own, len(self._states[name]))
            for name, own in zip(self._dag.nodes, codes, strict=True)
        ]
        return Table._of(dict(self._states), narrow, None, dict(self._cuts), 0)

    def _sampled(
        self,
        n: int,
        seed: int,
        given: Given | None,
        do: Given | None,
        limits: tuple[float, float],
    ) -> Sequence[NDArray[Any]]:
        network = self._network_for(self._dag.nodes, given, do)
        evidence = network.evidence(given, do)
        every = list(range(len(self._dag.nodes)))
        check_no_undefined(network, [v for v in every if v not in evidence.observed], evidence)
        if given:
            tree = make_tree(network, [], evidence, every=True)
            check_cost(tree, *limits, own_tables=2 * n_threads())
            with naming_impossible_evidence(network, evidence):
                drawn: list[NDArray[Any]] = propagation(tree, evidence).sample(
                    n, seed, every, start()
                )
            return drawn
        codes, _ = _core.sample_rows(
            network.native,
            n,
            seed,
            list(evidence.states),
            [],
            list(evidence.intervened),
            every,
            start(),
        )
        return codes
