"""What every undirected model answers, whatever its parameters look like."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from math import exp
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagwright._names import listed
from dagwright.conform import conform
from dagwright.encode import in_width
from dagwright.errors import DataError, GraphError, SpecError, did_you_mean
from dagwright.inference.distribution import Distribution
from dagwright.inference.forecast import Forecast
from dagwright.inference.network import is_soft
from dagwright.markov.enumeration import joint_distribution
from dagwright.markov.exact import expectation_of
from dagwright.markov.expectations import Expectation, Marginals
from dagwright.markov.factors import Factors, ImpossibleFactors, Scope
from dagwright.markov.features import Features
from dagwright.markov.junction_tree import JunctionTreeExpectation, forecast
from dagwright.run import whole_run
from dagwright.specs import check_whole
from dagwright.table import Table
from dagwright.undirected_graph import UndirectedGraph

__all__ = ["MarkovModel"]

Given = Mapping[str, Any]
Method = str | Expectation


class MarkovModel:
    """The part of :class:`dagwright.Ising` and :class:`dagwright.LogLinear` that answers.

    ``method`` is "auto" for exact inference, which is refused where it would cost too much; a name
    such as "gibbs"; or a spec.
    """

    _states: Mapping[str, tuple[Any, ...]]

    @property
    def features(self) -> Features:
        """What the parameters multiply, in numbers."""
        raise NotImplementedError

    @property
    def theta(self) -> NDArray[np.float64]:
        """One parameter a feature."""
        raise NotImplementedError

    @property
    def names(self) -> tuple[str, ...]:
        """The variables, in order."""
        return tuple(self._states)

    @property
    def states(self) -> Mapping[str, tuple[Any, ...]]:
        """The states of each variable."""
        return self._states

    @cached_property
    def factors(self) -> Factors:
        """The model as tables of logs over scopes: what inference works on."""
        return self.features.factors(self.theta)

    @cached_property
    def graph(self) -> UndirectedGraph:
        """The pairs of variables that share a feature whose parameter is not zero."""
        return UndirectedGraph._from_numbers(self.names, self.features.pairs(self.theta))

    @cached_property
    def log_z(self) -> float:
        """The log of the normalising constant, exact."""
        return self._marginals(self.factors, [], "auto", 0).log_z

    def estimate_log_z(self, method: Method = "tree-reweighted") -> tuple[float, str]:
        """Return log Z by an approximate method, and what it is in words; empty if it is exact.

        Examples
        --------
        >>> import dagwright as dw
        >>> triangle = dw.Ising([0, 0, 0], [[0, 1, 1], [1, 0, 1], [1, 1, 0]])
        >>> value, words = triangle.estimate_log_z()
        >>> value > triangle.log_z, "upper bound" in words
        (True, True)
        """
        found = self._marginals(self.factors, [], method, 0)
        return found.log_z, found.approximation

    def forecast(self) -> Forecast:
        """Return what exact inference in a junction tree costs."""
        return forecast(self.factors)

    def marginals(
        self,
        given: Given | None = None,
        variables: Iterable[str] | None = None,
        *,
        method: Method = "auto",
        seed: int = 0,
    ) -> dict[str, Distribution]:
        """Return the distribution of each variable, of all by default, given states of others.

        Examples
        --------
        >>> import dagwright as dw
        >>> model = dw.Ising([0.5, 0], [[0, 1], [1, 0]], names=["a", "b"])
        >>> round(model.marginals()["b"][1], 4), round(model.marginals({"a": -1})["b"][1], 4)
        (0.676, 0.1192)
        """
        known = self._known(given)
        wanted = self._numbers(self.names if variables is None else variables)
        asked = [v for v in wanted if v not in known]
        scopes = [(v,) for v in asked]
        with self._possible(known):
            found = self._marginals(self.factors.given(known), scopes, method, seed)
        return {
            self.names[v]: self._distribution((v,), found, at, method) for at, v in enumerate(asked)
        }

    def query(
        self,
        targets: str | Iterable[str],
        given: Given | None = None,
        *,
        method: Method = "auto",
        seed: int = 0,
    ) -> Distribution:
        """Return the distribution of one variable, or of several together, given states of others.

        Examples
        --------
        >>> import dagwright as dw
        >>> model = dw.Ising([0, 0], [[0, 1], [1, 0]], names=["a", "b"])
        >>> round(model.query(["a", "b"])[1, 1], 4)
        0.4404
        """
        known = self._known(given)
        wanted = self._numbers(targets)
        if not wanted:
            raise DataError("a query needs at least one target")
        for v in wanted:
            if v in known:
                raise DataError(
                    f"{self.names[v]!r} is a target and in the evidence: its state is known"
                )
        scope = tuple(sorted(wanted))
        with self._possible(known):
            found = self._marginals(self.factors.given(known), [scope], method, seed)
        answer = self._distribution(scope, found, 0, method)
        axes = [scope.index(v) for v in wanted]
        errors = answer.standard_errors
        return Distribution(
            tuple(self.names[v] for v in wanted),
            answer.states,
            answer.probabilities.transpose(axes),
            answer.method,
            None if errors is None else errors.transpose(axes),
            answer.report,
        )

    def expectations(self, *, method: Method = "auto", seed: int = 0) -> dict[str, float]:
        """Return the mean of each feature, by its name; a second f has the name f (2).

        Examples
        --------
        >>> import dagwright as dw
        >>> model = dw.Ising([0, 0], [[0, 1], [1, 0]], names=["a", "b"])
        >>> {name: round(mean, 4) for name, mean in model.expectations().items()}
        {'a': 0.0, 'b': 0.0, 'a * b': 0.7616}
        """
        how = expectation_of(method, self.factors)
        with whole_run(None, seed=seed) as run:
            means = how.expect(self.features, self.theta, run).means
        return dict(zip(_different(self.features.names), map(float, means), strict=True))

    @cached_property
    def entropy(self) -> float:
        """The entropy of the joint distribution, in nats; exact.

        Examples
        --------
        >>> import dagwright as dw
        >>> round(dw.Ising([0, 0], [[0, 0], [0, 0]]).entropy, 4)  # 2 ln 2
        1.3863
        """
        found = self._marginals(self.factors, self.factors.scopes, "auto", 0)
        return max(0.0, found.log_z - self.factors.mean_log_value(found.tables))

    def probabilities(self) -> NDArray[np.float64]:
        """Return the probabilities of all joint states, one axis a variable; up to 2^20 of them.

        Examples
        --------
        >>> import dagwright as dw
        >>> dw.Ising([0, 0], [[0, 1], [1, 0]]).probabilities().round(4).tolist()
        [[0.4404, 0.0596], [0.0596, 0.4404]]
        """
        return joint_distribution(self.factors)[1]

    def most_probable(self, given: Given | None = None) -> tuple[dict[str, Any], float]:
        """Return the most probable joint state of what is not known (MAP), and its probability.

        Examples
        --------
        >>> import dagwright as dw
        >>> state, probability = dw.Ising([0.1, 0], [[0, 1], [1, 0]]).most_probable()
        >>> state, round(probability, 4)
        ({'x1': 1, 'x2': 1}, 0.4843)
        """
        known = self._known(given)
        factors = self.factors.given(known)
        with self._possible(known):
            codes = JunctionTreeExpectation().most_probable(factors)
        log_best = float(factors.log_value([np.array([code]) for code in codes])[0])
        log_z = self._marginals(factors, [], "auto", 0).log_z
        state = {
            name: self._states[name][code]
            for v, (name, code) in enumerate(zip(self.names, codes, strict=True))
            if v not in known
        }
        return state, exp(min(0.0, log_best - log_z))

    def sample(
        self,
        n: int,
        seed: int = 0,
        *,
        given: Given | None = None,
        method: Method = "auto",
    ) -> Table:
        """Return rows drawn from the model; "auto" draws them exactly, in a junction tree.

        The same seed gives the same rows, for any number of threads.

        Examples
        --------
        >>> import dagwright as dw
        >>> rows = dw.Ising([0, 0], [[0, 1], [1, 0]], names=["a", "b"]).sample(1000, seed=1)
        >>> rows
        Table(1000 rows, 2 variables: a (2 states), b (2))
        """
        n = check_whole("sample: n", n, 1)
        seed = check_whole("seed", seed, 0, 2**64 - 1)
        known = self._known(given)
        factors = self.factors.given(known)
        how = JunctionTreeExpectation() if method == "auto" else expectation_of(method, factors)
        with self._possible(known), whole_run(None, seed=seed) as run:
            drawn = how.sample(factors, n, run)
        codes = [
            in_width(
                np.full(n, known[v], np.uint16) if v in known else own,
                len(self._states[name]),
            )
            for v, (name, own) in enumerate(zip(self.names, drawn, strict=True))
        ]
        return Table._of(dict(self._states), codes, None, {}, 0)

    def log_probability(self, row: Mapping[str, Any]) -> float:
        """Return the log of the probability of one joint state of all variables.

        Examples
        --------
        >>> import dagwright as dw
        >>> model = dw.Ising([0, 0], [[0, 1], [1, 0]], names=["a", "b"])
        >>> round(model.log_probability({"a": 1, "b": -1}), 4)
        -2.8201
        """
        known = self._known(row)
        if len(known) < len(self.names):
            absent = [name for v, name in enumerate(self.names) if v not in known]
            raise DataError(
                f"log_probability needs a state of every variable, but [{listed(absent)}] has "
                "none: for some of them, ask query"
            )
        codes = [np.array([known[v]]) for v in range(len(self.names))]
        return float(self.factors.log_value(codes)[0]) - self.log_z

    def log_likelihood(self, data: Table | Any) -> float:
        """Return the log-likelihood of rows, a total with their weights.

        Examples
        --------
        >>> import dagwright as dw
        >>> model = dw.Ising([0, 0], [[0, 1], [1, 0]], names=["a", "b"])
        >>> round(model.log_likelihood({"a": [1, -1], "b": [1, 1]}), 4)
        -3.6402
        """
        rows = conform(data, self._states, {})
        logs = self.factors.log_value(rows.codes) - self.log_z
        return float(logs.sum() if rows.weights is None else rows.weights @ logs)

    def _marginals(
        self, factors: Factors, scopes: Sequence[Scope], method: Method, seed: int
    ) -> Marginals:
        how = expectation_of(method, factors, scopes)
        with whole_run(None, seed=check_whole("seed", seed, 0, 2**64 - 1)) as run:
            return how.marginals(factors, list(scopes), run)

    def _distribution(
        self, scope: Scope, found: Marginals, at: int, method: Method
    ) -> Distribution:
        names = tuple(self.names[v] for v in scope)
        how = found.approximation or "exact inference"
        report = {} if not found.approximation else {"converged": found.converged}
        return Distribution(
            names,
            {name: self._states[name] for name in names},
            found.tables[at],
            how,
            None if found.errors is None else found.errors[at],
            report,
        )

    @contextmanager
    def _possible(self, known: Mapping[int, int]) -> Iterator[None]:
        """Blame what is known, if anything is, where no joint state is possible."""
        try:
            yield
        except ImpossibleFactors:
            if not known:
                raise
            states = ", ".join(
                f"{self.names[v]!r} = {self._states[self.names[v]][code]!r}"
                for v, code in known.items()
            )
            raise DataError(
                f"the evidence cannot be: its probability is zero ({states}). Correct it"
            ) from None

    def _numbers(self, names: str | Iterable[str]) -> list[int]:
        if not isinstance(names, Iterable):
            raise SpecError(f"targets must be a name or a list of names, not {names!r}")
        asked = [names] if isinstance(names, str) else list(names)
        known = {name: v for v, name in enumerate(self.names)}
        for name in asked:
            if not isinstance(name, str) or name not in known:
                raise GraphError(
                    f"the model has no variable {name!r}" + did_you_mean(str(name), self.names)
                )
        numbers = [known[name] for name in asked]
        if len(set(numbers)) != len(numbers):
            raise GraphError(f"a variable is given twice in [{listed(asked)}]")
        return numbers

    def _known(self, given: Given | None) -> dict[int, int]:
        if given is None:
            return {}
        if not isinstance(given, Mapping):
            raise DataError(f"given must be a mapping like {{'smoke': 'yes'}}, not {given!r}")
        known = {}
        for (name, state), v in zip(given.items(), self._numbers(given), strict=True):
            if is_soft(state):
                raise DataError(f"given: {name!r} needs one state, not {state!r}")
            plain = state.item() if isinstance(state, np.generic) else state
            own = self._states[name]
            codes = [c for c, s in enumerate(own) if type(s) is type(plain) and s == plain]
            if not codes:
                raise DataError(
                    f"{name!r} has no state {state!r}: its states are [{listed(map(str, own))}]"
                )
            known[v] = codes[0]
        return known


def _different(names: Sequence[str]) -> tuple[str, ...]:
    """Return names of which no two are equal: a second f(a, b) is f(a, b) (2)."""
    taken, found = set(names), []
    seen: set[str] = set()
    for name in names:
        own, number = name, 2
        while own in seen or (own != name and own in taken):
            own, number = f"{name} ({number})", number + 1
        seen.add(own)
        found.append(own)
    return tuple(found)
