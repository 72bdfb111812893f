"""The answer to a query, averaged over sampled graphs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from dagwright._names import listed, unknown_node
from dagwright.bayes_net import BayesNet
from dagwright.conditional_table import ConditionalTable
from dagwright.errors import DataError
from dagwright.family_tables import Parameters, count_each, table_of
from dagwright.graph import Dag
from dagwright.inference.distribution import Distribution
from dagwright.inference.network import Given
from dagwright.posterior.convergence import standard_errors
from dagwright.posterior.graph_sample import GraphSample
from dagwright.sources import Chunks
from dagwright.table import Table

__all__ = ["AveragedDistribution", "average_query"]

Floats = npt.NDArray[np.float64]

_MOST_NUMBERS = 1 << 23


@dataclass(frozen=True, eq=False, repr=False)
class AveragedDistribution(Distribution):
    """The mean of the answers of many graphs, and how much these differ.

    All of :class:`Distribution` is about the mean; its standard errors say how far that may be off
    because there are not more draws. The spread says how much the graphs differ, which more draws
    do not change.

    Attributes
    ----------
    standard_deviations : array
        Of the answers over the graphs, cell by cell.
    low, high : array
        The quantiles 5 % and 95 % of the answers over the graphs.
    n_graphs : int
        How many different graphs were asked.
    """

    standard_deviations: Floats
    low: Floats
    high: Floats
    n_graphs: int

    def spread(self, state: Any) -> tuple[float, float, float]:
        """Return the standard deviation, 5 % and 95 % quantile of a state's probability.

        Give a tuple of states, one a variable, if there are several.
        """
        parts = (self.standard_deviations, self.low, self.high)
        deviation, low, high = (
            Distribution(self.variables, self.states, own, self.method, None, {})[state]
            for own in parts
        )
        return deviation, low, high


def average_query(
    graphs: GraphSample,
    weights: Floats,
    data: Table | Chunks,
    parameters: Parameters,
    targets: str | Iterable[str],
    given: Given | None,
    do: Given | None,
    max_bytes: float,
    max_operations: float,
) -> AveragedDistribution:
    """Return the weighted mean of what the graphs answer; the weights are chains by draws."""
    asked = _names("targets", targets, graphs.names)
    known = [*_names("given", given or (), graphs.names), *_names("do", do or (), graphs.names)]
    absent = [name for name in graphs.names if name not in data.states]
    if absent:
        raise DataError(f"average_query: the data have no variable [{listed(absent)}]")
    models = _Models(graphs, data, parameters)
    answers: dict[tuple[int, ...], Distribution] = {}
    values: list[Floats] = []
    for first in graphs.distinct[0]:
        row = graphs.draws[first].tolist()
        key = models.what_matters(row, [*asked, *known], do or {})
        if key not in answers:
            try:
                answers[key] = models.of(row).query(
                    targets, given, do=do, max_bytes=max_bytes, max_operations=max_operations
                )
            except DataError as error:
                raise DataError(
                    f"average_query: under one of the {len(graphs.distinct[0]):,} graphs, {error}"
                ) from error
        values.append(answers[key].probabilities)
    return _averaged(next(iter(answers.values())), np.array(values), graphs, weights)


def _averaged(
    one: Distribution, values: Floats, graphs: GraphSample, weights: Floats
) -> AveragedDistribution:
    flat = values.reshape(len(values), -1)
    shares = graphs.distinct[1]
    shares = shares / shares.sum()
    mean = shares @ flat
    deviation = np.sqrt(shares @ (flat - mean) ** 2)
    shape = one.probabilities.shape
    low, high = (_quantiles(flat, shares, at).reshape(shape) for at in (0.05, 0.95))
    return AveragedDistribution(
        one.variables,
        one.states,
        mean.reshape(shape),
        f"average over {len(values):,} graphs",
        _errors(flat, graphs, weights).reshape(shape),
        {},
        standard_deviations=deviation.reshape(shape),
        low=low,
        high=high,
        n_graphs=len(values),
    )


def _errors(values: Floats, graphs: GraphSample, weights: Floats) -> Floats:
    """Return the Monte-Carlo errors, some cells at a time: there is a number a cell and draw."""
    step = max(1, _MOST_NUMBERS // weights.size)
    parts = [
        standard_errors(values[graphs.which, at : at + step].reshape(*weights.shape, -1), weights)
        for at in range(0, values.shape[1], step)
    ]
    return np.concatenate(parts)


def _quantiles(values: Floats, shares: Floats, at: float) -> Floats:
    """Return the smallest answer that, with all below it, has this share; cell by cell."""
    order = np.argsort(values, axis=0, kind="stable")
    sums = np.cumsum(shares[order], axis=0)
    place = (sums < at - 1e-12).sum(axis=0)
    place = np.minimum(place, len(values) - 1)
    every = np.arange(values.shape[1])
    found: Floats = values[order[place, every], every]
    return found


class _Models:
    """The fitted networks of a sample's graphs: each family is counted and made once."""

    def __init__(self, graphs: GraphSample, data: Table | Chunks, parameters: Parameters) -> None:
        self._graphs = graphs
        self._parameters = parameters
        self._states = {name: tuple(data.states[name]) for name in graphs.names}
        if isinstance(data, Table) and len(data.names) > len(graphs.names):
            data = data.select(graphs.names)
        used = list(self._used())
        families = [
            (name, tuple(graphs.names[i] for i in graphs.parent_sets[v][k]))
            for v, name in enumerate(graphs.names)
            for k in used[v]
        ]
        tables = iter(
            table_of(family, self._states, observed, parameters)
            for family, observed in zip(families, count_each(families, data), strict=True)
        )
        self._tables: list[dict[int, ConditionalTable]] = [
            {k: next(tables) for k in own} for own in used
        ]

    def _used(self) -> Iterator[list[int]]:
        """Go through the nodes: which of their parent sets some graph has."""
        numbers = self._graphs.draws[self._graphs.distinct[0]]
        for v in range(len(self._graphs.names)):
            yield np.unique(numbers[:, v]).tolist()

    def of(self, row: list[int]) -> BayesNet:
        """Return the network of the graph with these parent sets."""
        names = self._graphs.names
        tables = {names[v]: self._tables[v][k] for v, k in enumerate(row)}
        dag = Dag._from_numbers(
            names, [own[k] for own, k in zip(self._graphs.parent_sets, row, strict=True)]
        )
        return BayesNet._of(dag, self._states, tables, self._parameters, {})

    def what_matters(self, row: list[int], names: list[str], do: Given) -> tuple[int, ...]:
        """Return the nodes above what is asked and known, and their parent sets.

        Graphs with the same ones give the same answer.
        """
        place = self._graphs.names.index
        done = {place(name) for name in do}
        waiting, reached = [place(name) for name in names], set[int]()
        while waiting:
            v = waiting.pop()
            if v not in reached:
                reached.add(v)
                if v not in done:
                    waiting.extend(self._graphs.parent_sets[v][row[v]])
        return tuple(number for v in sorted(reached) for number in (v, -1 if v in done else row[v]))


def _names(setting: str, given: Any, known: tuple[str, ...]) -> list[str]:
    if not isinstance(given, Iterable):
        raise DataError(f"average_query: {setting} must have names of variables, not {given!r}")
    names = [given] if isinstance(given, str) else list(given)
    for name in names:
        if name not in known:
            raise unknown_node(name, known)
    return names
