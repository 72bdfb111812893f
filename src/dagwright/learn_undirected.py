"""From a table to an undirected model in one call."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from dagwright._names import listed
from dagwright.errors import DataError, GraphError, Interrupted, SpecError, Unfinished
from dagwright.markov.exact import exact_expectation
from dagwright.markov.features import is_ising
from dagwright.markov.ising import Ising, check_coding
from dagwright.markov.log_linear import Feature, LogLinear, resolve_features
from dagwright.markov.method import (
    UndirectedData,
    UndirectedFound,
    UndirectedMethod,
    undirected_methods,
)
from dagwright.markov.methods import AutoUndirected
from dagwright.markov.moments import moments
from dagwright.markov.result import UndirectedInfo, UndirectedResult
from dagwright.provenance import described, versions
from dagwright.run import Callback, Run, start_run
from dagwright.sources import Chunks
from dagwright.table import Table
from dagwright.undirected_graph import UndirectedGraph

__all__ = ["learn_undirected", "learn_undirected_again"]


def learn_undirected(
    data: Table | Any,
    *,
    method: UndirectedMethod | str = "auto",
    graph: UndirectedGraph | None = None,
    features: Iterable[Feature | Iterable[str]] | None = None,
    coding: str | None = None,
    seed: int | None = 0,
    threads: int | None = None,
    time_limit: float | None = None,
    progress: bool = False,
    callback: Callback | None = None,
) -> UndirectedResult:
    """Learn an undirected model: an Ising model where all variables have two states.

    Two calls with the same arguments give the same answer, for any number of threads, unless the
    clock stopped one.

    Parameters
    ----------
    data : Table, or a frame that Table takes
    method : UndirectedMethod or str, default "auto"
        A spec, or as the command line writes it: ``"moment-matching:l2=0.01"``.
    graph : UndirectedGraph, optional
        The edges that the model may have; by default all pairs, from which a method may choose.
        An Ising model has one coupling an edge; any other all tables over cliques.
    features : iterable of Feature or of cliques, optional
        What to match instead of a graph's features, as in :class:`LogLinear`.
    coding : {"-1/+1", "0/1"}, optional
        Ask for an Ising model, and say which numbers the two states of a variable are. By default
        it is "-1/+1" where all variables have two states; else the model is a LogLinear.
    seed, threads, time_limit, progress, callback
        As in :func:`dagwright.learn`.

    Returns
    -------
    UndirectedResult

    Raises
    ------
    Interrupted
        On Ctrl-C; its ``result`` is the best so far.

    Examples
    --------
    >>> import dagwright as dw
    >>> ring = dw.UndirectedGraph([("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")])
    >>> truth = dw.Ising([0] * 4, 0.5 * ring.to_adjacency(), names=ring.nodes)
    >>> result = dw.learn_undirected(truth.sample(20_000, seed=1), graph=ring)
    >>> result.reason, result.moment_gap < 1e-8
    ('moments match', True)
    >>> round(result.model.coupling("a", "b"), 1)
    0.5
    """
    chosen = _method(method)
    if isinstance(data, Chunks):
        raise DataError("learn_undirected needs the rows in memory: make one dw.Table of them")
    table = data if isinstance(data, Table) else Table(data)
    learned = _data(table, graph, features, coding)
    digest = table.digest
    with start_run(seed, threads, time_limit, progress, callback) as run:
        try:
            found = chosen.learn(learned, run)
            if not np.isfinite(found.theta).all() or (
                found.reason == "stopped" and not found.trace
            ):
                raise Unfinished(
                    f"{chosen.name} was stopped ({run.reason}) before it had any answer"
                )
        except Unfinished:
            if run.reason == "interrupted":
                raise KeyboardInterrupt from None
            raise
        found = _with_gap(found, learned, run)
    result = _result(found, learned, chosen, run, digest)
    if run.reason == "interrupted":
        raise Interrupted(result)
    return result


def _method(method: UndirectedMethod | str) -> UndirectedMethod:
    if isinstance(method, UndirectedMethod):
        return method
    if method == "auto":
        return AutoUndirected()
    if isinstance(method, str):
        return undirected_methods.parse(method)
    if isinstance(method, type) and issubclass(method, UndirectedMethod):
        raise SpecError(f"method must be {method.__name__}(...), not the class itself")
    raise SpecError(f"method must be a spec such as dw.MomentMatching(), not {method!r}")


def _data(
    table: Table,
    graph: UndirectedGraph | None,
    features: Iterable[Feature | Iterable[str]] | None,
    coding: str | None,
) -> UndirectedData:
    if coding is not None:
        check_coding(coding)
        for name, n in table.n_states.items():
            if n > 2:
                raise DataError(
                    f"{name!r} has {n} states, but a variable of an Ising model has two: leave out "
                    "coding for a dw.LogLinear, merge states, or leave the variable out"
                )
        if features is not None:
            raise SpecError("coding is of an Ising model, which has no features of its own")
    single = [name for name, n in table.n_states.items() if n < 2]
    if single:
        raise DataError(
            f"[{listed(single)}] have one state only, which tells nothing: leave them out"
        )
    if features is not None:
        if graph is not None:
            raise SpecError("give graph or features, not both: cliques are features too")
        resolved = resolve_features(table.states, features)
        if not len(resolved):
            raise SpecError("features is empty: give at least one feature or clique")
        return UndirectedData(table, None, None, resolved)
    if graph is not None:
        if not isinstance(graph, UndirectedGraph):
            fix = "graph.moral_graph()" if hasattr(graph, "moral_graph") else "one"
            raise GraphError(f"graph must be an UndirectedGraph: give {fix}, not {graph!r}")
        if set(graph.nodes) != set(table.names):
            odd = listed(sorted(set(graph.nodes) ^ set(table.names)))
            raise GraphError(
                f"the nodes of the graph must be the variables of the table, but [{odd}] are in "
                "one of them only"
            )
        graph = UndirectedGraph(graph.edges, nodes=table.names)
    binary = all(n == 2 for n in table.n_states.values())
    return UndirectedData(table, graph, (coding or "-1/+1") if binary else None)


def _with_gap(found: UndirectedFound, data: UndirectedData, run: Run) -> UndirectedFound:
    """Add the moment gap where the method does not know it and exact inference does."""
    if not np.isnan(found.moment_gap) or run.stopping():
        return found
    exact = exact_expectation(found.features.factors(found.theta))
    if exact is None or run.stopping():
        return found
    means = exact.expect(found.features, found.theta, run).means
    gap = float(np.abs(means - moments(found.features, data.table)).max(initial=0.0))
    return replace(found, moment_gap=gap)


def _result(
    found: UndirectedFound, data: UndirectedData, method: UndirectedMethod, run: Run, digest: str
) -> UndirectedResult:
    table = data.table
    model: Ising | LogLinear
    if data.coding is not None and is_ising(found.features, data.coding):
        model = Ising.from_theta(
            found.features, found.theta, table.names, data.coding, table.states
        )
    else:
        model = LogLinear._of(dict(table.states), found.features, found.theta)
    info = UndirectedInfo(
        method=described(method),
        coding=data.coding,
        edges=None if data.graph is None else [list(edge) for edge in data.graph.edges],
        features_given=data.features is not None,
        seed=run.seed,
        threads=run.threads,
        time_limit=run.time_limit,
        seconds=run.seconds,
        data_digest=digest,
        n_rows=len(table),
        total_weight=float(table.total_weight),
        versions=versions(),
    )
    return UndirectedResult(
        model=model,
        graph=found.graph,
        moment_gap=found.moment_gap,
        moment_gap_error=found.moment_gap_error,
        reason=run.reason or found.reason,
        approximations=found.approximations,
        left_out=found.left_out,
        trace=found.trace,
        info=info,
        data=table,
    )


def learn_undirected_again(result: UndirectedResult, data: Table | Chunks) -> UndirectedResult:
    """Learn as a result was learned; the data are known to be the same."""
    info = result.info
    features = graph = None
    if info.features_given:
        names, made = result.model.names, result.model.features
        features = [
            Feature([names[v] for v in scope], values, name)
            for scope, values, name in zip(made.scopes, made.values, made.names, strict=True)
        ]
    if info.edges is not None:
        graph = UndirectedGraph(info.edges, nodes=data.names)
    return learn_undirected(
        data,
        method=undirected_methods.from_dict(info.method),
        graph=graph,
        features=features,
        coding=info.coding,
        seed=info.seed,
        threads=info.threads,
        time_limit=info.time_limit,
    )
