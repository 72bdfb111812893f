"""Bayesian networks: a graph, and for each node its distribution given the parents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dagwright._names import listed
from dagwright.answers import Answers
from dagwright.conditional_table import ConditionalTable
from dagwright.conform import conform
from dagwright.divergence import Divergence, cross_entropy, kl_divergence
from dagwright.errors import DagwrightError, DataError, GraphError
from dagwright.family_tables import (
    Observed,
    Parameters,
    count_families,
    merged,
    observed_in,
    tables_of,
)
from dagwright.graph import Dag
from dagwright.io.json import is_json, read_json, write_json
from dagwright.io.networks_files import read_network, write_network
from dagwright.likelihood import log_likelihood_of_counts, log_likelihood_of_rows
from dagwright.model_file import from_file_network, model_from_dict, model_to_dict, to_file_network
from dagwright.sources import Chunks
from dagwright.specs import check_number, check_whole
from dagwright.states import check_states
from dagwright.table import Table

__all__ = ["BayesNet"]

_TOLERANCE = 1e-9


class BayesNet(Answers):
    """A Bayesian network over discrete variables; it never changes.

    :func:`dagwright.fit` makes one from a graph and rows, :func:`dagwright.load` from a file. A
    fitted network has the counts of its rows and the prior, so that it can be updated with new
    rows and knows how sure each parameter is (:meth:`table`).

    Parameters
    ----------
    dag : Dag
        The graph.
    probabilities : mapping of str to array
        For each node its distribution given the parents: one axis a parent, in the order of
        ``dag.parents(node)``, and the last for the node's own states. Each row sums to 1.
    states : mapping of str to sequence, optional
        The states of each node; by default 0, 1, ...

    Examples
    --------
    >>> import dagwright as dw
    >>> model = dw.BayesNet(
    ...     dw.Dag([("rain", "wet")]),
    ...     {"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.1, 0.9]]},
    ...     states={"rain": ["no", "yes"], "wet": ["no", "yes"]},
    ... )
    >>> round(model.query("rain", given={"wet": "yes"})["yes"], 4)
    0.6923
    """

    def __init__(
        self,
        dag: Dag,
        probabilities: Mapping[str, ArrayLike],
        states: Mapping[str, Iterable[Any]] | None = None,
    ) -> None:
        if not isinstance(dag, Dag):
            raise GraphError(f"dag must be a Dag, not a {type(dag).__name__}")
        for given, what in ((probabilities, "probabilities"), (states, "states")):
            if given is None:
                continue
            different = sorted(set(given) ^ set(dag.nodes))
            if different:
                raise DataError(
                    f"{what} must have each node of the graph; [{listed(different)}] is only in one"
                )
        if not dag.nodes:
            raise DataError("a Bayesian network needs at least one node")
        arrays = {name: _array(name, probabilities[name]) for name in dag.nodes}
        if states is None:
            states = {name: range(arrays[name].shape[-1]) for name in dag.nodes}
        own = {name: check_states(name, states[name]) for name in dag.nodes}
        tables = {}
        for name in dag.nodes:
            parents = dag.parents(name)
            shape = tuple(len(own[node]) for node in (*parents, name))
            if arrays[name].shape != shape:
                raise DataError(
                    f"the probabilities of {name!r} have the shape {arrays[name].shape}, but its "
                    f"parents [{listed(parents)}] and its own states need {shape}"
                )
            rows = _check_rows(name, arrays[name].reshape(-1, shape[-1]))
            scope = {node: own[node] for node in (*parents, name)}
            tables[name] = ConditionalTable(name, parents, scope, given=rows)
        self._fill(dag, own, tables, None, {})

    def _fill(
        self,
        dag: Dag,
        states: Mapping[str, tuple[Any, ...]],
        tables: Mapping[str, ConditionalTable],
        parameters: Parameters | None,
        cuts: Mapping[str, tuple[float, ...]],
    ) -> None:
        self._dag = dag
        self._states = MappingProxyType(dict(states))
        self._tables = MappingProxyType(dict(tables))
        self._parameters = parameters
        self._cuts = MappingProxyType(dict(cuts))

    @classmethod
    def _of(cls, *parts: Any) -> BayesNet:
        model = cls.__new__(cls)
        model._fill(*parts)
        return model

    @classmethod
    def _fitted(
        cls,
        dag: Dag,
        states: Mapping[str, tuple[Any, ...]],
        observed: Mapping[str, Observed],
        parameters: Parameters,
        cuts: Mapping[str, tuple[float, ...]],
    ) -> BayesNet:
        return cls._of(dag, states, tables_of(dag, states, observed, parameters), parameters, cuts)

    @property
    def dag(self) -> Dag:
        """The graph."""
        return self._dag

    @property
    def names(self) -> tuple[str, ...]:
        """The variables, in the order of the graph's nodes."""
        return self._dag.nodes

    @property
    def states(self) -> Mapping[str, tuple[Any, ...]]:
        """The states of each variable; read-only."""
        return self._states

    @property
    def cuts(self) -> Mapping[str, tuple[float, ...]]:
        """The inner cuts of the variables that were discretized; read-only."""
        return self._cuts

    @property
    def parameters(self) -> Parameters | None:
        """What the parameters were estimated by: "ml" or a score's prior; None if not fitted."""
        return self._parameters

    @property
    def is_fitted(self) -> bool:
        """Whether the network has counts, and so can be updated."""
        return self._parameters is not None

    @property
    def n_parameters(self) -> int:
        """The number of free parameters."""
        return sum(table.n_parameters for table in self._tables.values())

    @property
    def total_weight(self) -> float:
        """Sum of the weights of the rows that it was fitted to; 0 if it was not."""
        counts = next(iter(self._tables.values())).counts
        return 0.0 if counts is None else float(counts.sum())

    def table(self, node: str) -> ConditionalTable:
        """Return a node's distribution given its parents, and how it was estimated.

        Examples
        --------
        >>> import dagwright as dw
        >>> dw.networks.load("asia").table("dysp")
        ConditionalTable(dysp | bronc, either: 4 configurations)
        """
        if node not in self._tables:
            self._dag.parents(node)  # says what is wrong with the name
        return self._tables[node]

    # --- Parameters ---------------------------------------------------------------------------

    def update(
        self, rows: Table | Chunks | Any, *, unseen: Literal["error", "extend"] = "error"
    ) -> BayesNet:
        """Return the network fitted to these rows as well: what fitting to all would give.

        Parameters
        ----------
        rows : Table, Chunks or frame
            With all variables of the network; weights count. Chunks are read one at a time.
        unseen : {"error", "extend"}
            Refuse states that the network does not know, or add them after those it has.

        Examples
        --------
        >>> import dagwright as dw
        >>> dag = dw.Dag([("a", "b")])
        >>> first = dw.Table({"a": ["n", "y"], "b": ["n", "y"]})
        >>> more = dw.Table({"a": ["n", "n"], "b": ["n", "y"]})
        >>> model = dw.fit(dag, first, parameters="ml").update(more)
        >>> model.table("a").counts.tolist()
        [[3.0, 1.0]]

        A file of any size, piece by piece (here with pyarrow)::

            def pieces():
                for batch in pyarrow.parquet.ParquetFile("rows.parquet").iter_batches():
                    yield dw.Table(batch, states=model.states)

            model = model.update(dw.Chunks(pieces))
        """
        return self._changed(rows, 1, unseen)

    def forget(self, rows: Table | Chunks | Any) -> BayesNet:
        """Return the network as if it had not been fitted to these rows.

        Refused when a count would become negative: then some of the rows were never counted.

        Examples
        --------
        >>> import dagwright as dw
        >>> rows = dw.Table({"a": ["n", "y", "y"]})
        >>> dag = dw.Dag(nodes=["a"])
        >>> model = dw.fit(dag, rows, parameters=dw.K2()).forget(rows.take([2]))
        >>> model == dw.fit(dag, rows.take([0, 1]), parameters=dw.K2())
        True
        """
        return self._changed(rows, -1, "error")

    def _changed(self, rows: Any, sign: int, unseen: Literal["error", "extend"]) -> BayesNet:
        before = {child: observed_in(table) for child, table in self._tables.items()}
        assert self._parameters is not None
        if isinstance(rows, Chunks):
            model = self
            for chunk in rows:
                model = model._changed(chunk, sign, unseen)
            return model
        table = conform(rows, self._states, self._cuts, unseen=unseen)
        states = {name: table.states[name] for name in self.names}
        counted = count_families(self._dag, table)
        after = {
            child: merged(before[child], counted[child], sign, len(states[child]), child)
            for child in self.names
        }
        return BayesNet._fitted(self._dag, states, after, self._parameters, self._cuts)

    def smoothed(self, weight: float) -> BayesNet:
        """Return the network with each row mixed with the uniform one, which leaves no zero.

        Parameters
        ----------
        weight : float
            The share of the uniform distribution, above 0 and up to 1. Rows that are undefined
            become uniform.

        Examples
        --------
        >>> import dagwright as dw
        >>> dw.networks.load("asia").smoothed(0.01).table("either").row(
        ...     {"lung": "no", "tub": "no"})
        {'yes': 0.005, 'no': 0.995}
        """
        check_number("smoothed: weight", weight, "above 0 and up to 1", lambda x: 0 < x <= 1)
        tables = {}
        for name, table in self._tables.items():
            uniform = 1 / table.n_states
            rows = table.probabilities.reshape(-1, table.n_states)
            mixed = (1 - weight) * np.where(np.isnan(rows), uniform, rows) + weight * uniform
            mixed.flags.writeable = False
            tables[name] = ConditionalTable(name, table.parents, table.states, given=mixed)
        return BayesNet._of(self._dag, self._states, tables, None, self._cuts)

    def sample_parameters(self, n: int = 1, seed: int = 0) -> list[BayesNet]:
        """Return networks whose parameters are drawn from their posterior.

        Examples
        --------
        >>> import dagwright as dw
        >>> rows = dw.Table({"a": ["n", "y", "y"]})
        >>> model = dw.fit(dw.Dag(nodes=["a"]), rows, parameters=dw.K2())
        >>> draws = model.sample_parameters(1000)
        >>> mean = sum(draw.table("a").probabilities for draw in draws) / 1000
        >>> bool(abs(mean - model.table("a").mean()).max() < 0.02)
        True
        """
        rng = np.random.default_rng(check_whole("seed", seed, 0))
        return [
            BayesNet._of(
                self._dag,
                self._states,
                {name: table.sampled(rng) for name, table in self._tables.items()},
                None,
                self._cuts,
            )
            for _ in range(check_whole("sample_parameters: n", n, 1))
        ]

    # --- How well it fits ---------------------------------------------------------------------

    def log_likelihood(self, data: Table | Chunks | Any) -> float:
        """Return the log probability of all rows, each times its weight.

        Examples
        --------
        >>> import dagwright as dw
        >>> model = dw.BayesNet(dw.Dag(nodes=["a"]), {"a": [0.5, 0.5]})
        >>> round(model.log_likelihood(dw.Table({"a": [0, 1, 1]})), 4)
        -2.0794
        """
        chunks = data if isinstance(data, Chunks) else [data]
        total = 0.0
        for chunk in chunks:
            table = conform(chunk, self._states, self._cuts)
            total += log_likelihood_of_counts(self._tables, self._count(table))
        return total

    def _count(self, table: Table) -> dict[str, Observed]:
        counted = count_families(self._dag, table)
        for child, (configs, counts) in counted.items():  # in the order that the table has
            parents = self._dag.parents(child)
            axes = [parents.index(parent) for parent in self._tables[child].parents]
            counted[child] = (configs[:, axes], counts)
        return counted

    def log_likelihoods(self, data: Table | Any) -> NDArray[np.float64]:
        """Return the log probability of each row, whatever its weight.

        Examples
        --------
        >>> import dagwright as dw
        >>> model = dw.BayesNet(dw.Dag(nodes=["a"]), {"a": [0.25, 0.75]})
        >>> model.log_likelihoods(dw.Table({"a": [0, 1, 1]})).round(3).tolist()
        [-1.386, -0.288, -0.288]
        """
        return log_likelihood_of_rows(self._tables, conform(data, self._states, self._cuts))

    def log_loss(self, data: Table | Chunks | Any) -> float:
        """Return minus the mean log probability of a row, in nats: lower is better here."""
        if not isinstance(data, Chunks):
            data = conform(data, self._states, self._cuts)
        return -self.log_likelihood(data) / float(data.total_weight)

    def cross_entropy(
        self, other: BayesNet, *, n_samples: int = 100_000, seed: int = 0
    ) -> Divergence:
        """Return the mean of -log of the other's probability when rows come from this network.

        With the network itself as the other it is the entropy. Exact by inference where that fits,
        else estimated from `n_samples` rows, with its error.

        Examples
        --------
        >>> import dagwright as dw
        >>> fair = dw.BayesNet(dw.Dag(nodes=["a"]), {"a": [0.5, 0.5]})
        >>> round(float(fair.cross_entropy(fair)), 4)
        0.6931
        """
        return cross_entropy(self, other, n_samples, seed)

    def kl_divergence(
        self, other: BayesNet, *, n_samples: int = 100_000, seed: int = 0
    ) -> Divergence:
        """Return the Kullback-Leibler divergence from the other network to this one, in nats.

        Exact by inference where that fits, else estimated from `n_samples` rows, with its error.

        Examples
        --------
        >>> import dagwright as dw
        >>> asia = dw.networks.load("asia")
        >>> float(asia.kl_divergence(asia))
        0.0
        """
        return kl_divergence(self, other, n_samples, seed)

    # --- Files and other programs -------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Return the network as plain JSON values, in the schema of ``docs/schema.md``."""
        return model_to_dict(
            self._dag, self._states, self._cuts, self._tables.values(), self._parameters
        )

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> BayesNet:
        """Make the network that ``to_dict`` wrote."""
        return cls._of(*model_from_dict(values))

    def save(self, path: str | PathLike[str]) -> None:
        """Write the network to a file; the ending says the format, .gz after it packs it.

        .json keeps all of it. .bif, .xmlbif, .xdsl (GeNIe), .net (Hugin), .uai and .dsc keep the
        graph, the states as text and the probabilities; a warning names what is lost.
        """
        if is_json(path):
            write_json(self.to_dict(), path)
        else:
            write_network(
                to_file_network(self._tables, self._states, self._cuts, self._parameters, path),
                path,
            )

    @classmethod
    def load(cls, path: str | PathLike[str]) -> BayesNet:
        """Read a network from a file; the ending says the format, as for :meth:`save`."""
        if not is_json(path):
            return cls._of(*from_file_network(read_network(path), path))
        values = read_json(path)
        try:
            return cls.from_dict(values)
        except DagwrightError as error:
            raise DataError(f"{path}: {error}") from error

    def to_pgmpy(self) -> Any:
        """Return the network as pgmpy's DiscreteBayesianNetwork (the package must be there)."""
        from dagwright.convert import to_pgmpy

        return to_pgmpy(self)

    @classmethod
    def from_pgmpy(cls, model: Any) -> BayesNet:
        """Make a network from pgmpy's."""
        from dagwright.convert import from_pgmpy

        return cls(*from_pgmpy(model))

    def to_pyagrum(self) -> Any:
        """Return the network as pyAgrum's BayesNet (the package must be there)."""
        from dagwright.convert import to_pyagrum

        return to_pyagrum(self)

    @classmethod
    def from_pyagrum(cls, model: Any) -> BayesNet:
        """Make a network from pyAgrum's."""
        from dagwright.convert import from_pyagrum

        return cls(*from_pyagrum(model))

    def to_networkx(self) -> Any:
        """Return the graph for networkx; nodes have `states`, `parents` and `probabilities`."""
        from dagwright.convert import to_networkx

        return to_networkx(self)

    @classmethod
    def from_networkx(cls, graph: Any) -> BayesNet:
        """Make a network from a networkx graph with the attributes of :meth:`to_networkx`."""
        from dagwright.convert import from_networkx

        return cls(*from_networkx(graph))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BayesNet):
            return NotImplemented
        return (
            self._dag == other._dag
            and dict(self._states) == dict(other._states)
            and dict(self._cuts) == dict(other._cuts)
            and self._parameters_dict() == other._parameters_dict()
            and dict(self._tables) == dict(other._tables)
        )

    def _parameters_dict(self) -> Any:
        own = self._parameters
        return own if own is None or isinstance(own, str) else own.to_dict()

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        parts = (dict(self._states), dict(self._tables), self._parameters, dict(self._cuts))
        return type(self)._of, (self._dag, *parts)

    def __repr__(self) -> str:
        fitted = ""
        if self._parameters is not None:
            by = self._parameters if isinstance(self._parameters, str) else self._parameters.name
            fitted = f", fitted by {by} to {self.total_weight:g} rows"
        return (
            f"BayesNet({len(self.names)} nodes, {len(self._dag.edges)} edges, "
            f"{self.n_parameters:,} parameters{fitted})"
        )


def _array(name: str, values: ArrayLike) -> NDArray[np.float64]:
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.empty(())
    if array.ndim == 0:
        raise DataError(
            f"the probabilities of {name!r} must be an array of numbers, not {values!r}"
        )
    return array


def _check_rows(name: str, rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return rows that sum to 1; those of NaN stay undefined."""
    undefined = np.isnan(rows).all(axis=1)
    known = rows[~undefined]
    if not (np.isfinite(known) & (known >= 0)).all():
        raise DataError(f"the probabilities of {name!r} must be finite and 0 or more")
    sums = known.sum(axis=1, keepdims=True)
    if (abs(sums - 1) > 1e-6).any():
        at = int(abs(sums - 1).argmax())
        raise DataError(
            f"the probabilities of {name!r} in row {at} sum to {sums[at, 0]:.6g}, but must sum to 1"
        )
    out = rows.copy()
    off = abs(sums[:, 0] - 1) > _TOLERANCE
    known = known.copy()
    known[off] /= sums[off]
    out[~undefined] = known
    out.flags.writeable = False
    return out
