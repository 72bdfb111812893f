"""A network as plain values: our own JSON, which loses nothing, and the shape of other formats."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from dagwright._names import listed
from dagwright.conditional_table import ConditionalTable
from dagwright.errors import DagwrightError, DataError
from dagwright.family_tables import Parameters
from dagwright.graph import Dag
from dagwright.io.file_network import FileNetwork
from dagwright.io.json import FORMAT, VERSION, check_header, state_from_json, state_to_json
from dagwright.scores import scores
from dagwright.states import check_states

__all__ = ["KIND", "from_file_network", "model_from_dict", "model_to_dict", "to_file_network"]

KIND = "bayesnet"

States = Mapping[str, tuple[Any, ...]]
Cuts = Mapping[str, tuple[float, ...]]
Parts = tuple[Dag, States, dict[str, ConditionalTable], Parameters | None, Cuts]


def model_to_dict(
    dag: Dag,
    states: States,
    cuts: Cuts,
    tables: Iterable[ConditionalTable],
    parameters: Parameters | None,
) -> dict[str, Any]:
    """Return a network as plain JSON values."""
    values: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "kind": KIND,
        "variables": [
            {"name": name, "states": [state_to_json(state) for state in states[name]]}
            | ({"cuts": list(cuts[name])} if name in cuts else {})
            for name in dag.nodes
        ],
        "edges": [list(edge) for edge in dag.edges],
    }
    if parameters is not None:
        values["parameters"] = parameters if isinstance(parameters, str) else parameters.to_dict()
    values["tables"] = [_table_to_dict(table) for table in tables]
    return values


def _table_to_dict(table: ConditionalTable) -> dict[str, Any]:
    out: dict[str, Any] = {"child": table.child, "parents": list(table.parents)}
    if table.given is not None:
        out["probabilities"] = [
            None if np.isnan(row[0]) else row for row in np.asarray(table.given).tolist()
        ]
        return out
    assert table.counts is not None
    out["counts"] = table.counts.tolist()
    if table.configs is not None:
        out["configs"] = table.configs.tolist()
    if table.alpha is not None:
        out["alpha"] = table.alpha.tolist()
    return out


def model_from_dict(values: Mapping[str, Any]) -> Parts:
    """Return the parts of the network that ``model_to_dict`` wrote."""
    check_header(values, KIND)
    try:
        states = {
            variable["name"]: check_states(
                variable["name"], map(state_from_json, variable["states"])
            )
            for variable in values["variables"]
        }
        cuts = {
            variable["name"]: tuple(float(cut) for cut in variable["cuts"])
            for variable in values["variables"]
            if "cuts" in variable
        }
        dag = Dag(values["edges"], nodes=list(states))
        parameters: Any = values.get("parameters")
        if isinstance(parameters, Mapping):
            parameters = scores.from_dict(parameters)
        elif parameters not in (None, "ml"):
            raise DataError(f'parameters are {parameters!r}, but must be a score or "ml"')
        tables = {}
        for entry in values["tables"]:
            table = _table_from_dict(entry, states)
            if set(table.parents) != set(dag.parents(table.child)):
                raise DataError(
                    f"the table of {table.child!r} is given [{listed(table.parents)}], but the "
                    f"edges say [{listed(dag.parents(table.child))}]"
                )
            if (table.counts is None) != (parameters is None):
                raise DataError(
                    f"the table of {table.child!r} must have counts if, and only if, the network "
                    "says how its parameters were estimated"
                )
            if table.child in tables:
                raise DataError(f"there are two tables of {table.child!r}")
            tables[table.child] = table
        absent = [name for name in states if name not in tables]
        if absent:
            raise DataError(f"there is no table of [{listed(absent)}]")
    except DagwrightError:
        raise
    except KeyError as error:
        raise DataError(f"not a Bayesian network of dagwright: {error} is missing") from error
    except (TypeError, ValueError, AttributeError, OverflowError, IndexError) as error:
        raise DataError(f"not a Bayesian network of dagwright: {error}") from error
    return dag, states, {name: tables[name] for name in dag.nodes}, parameters, cuts


def _table_from_dict(entry: Mapping[str, Any], states: States) -> ConditionalTable:
    child, parents = entry["child"], tuple(entry["parents"])
    own = {name: states[name] for name in (*parents, child)}
    n_states = len(own[child])
    n_configs = 1
    for parent in parents:
        n_configs *= len(own[parent])
    if "probabilities" in entry:
        undefined = [float("nan")] * n_states
        rows = [undefined if row is None else row for row in entry["probabilities"]]
        given = _numbers(rows, child, "probabilities", (n_configs, n_states))
        known = given[~np.isnan(given[:, 0])]
        if (abs(known.sum(axis=1) - 1) > 1e-6).any():
            raise DataError(f"the probabilities of {child!r} do not sum to 1 in each row")
        return ConditionalTable(child, parents, own, given=given)
    configs = None
    n_rows = n_configs
    if "configs" in entry:
        codes = np.asarray(entry["configs"], dtype=np.int64).reshape(-1, len(parents))
        for axis, parent in enumerate(parents):
            if len(codes) and not 0 <= codes[:, axis].min() <= codes[:, axis].max() < len(
                own[parent]
            ):
                raise DataError(f"the table of {child!r} has a state of {parent!r} that is not one")
        configs = codes.astype(np.uint16)
        if len(np.unique(configs, axis=0)) != len(configs):
            raise DataError(f"the table of {child!r} has a configuration twice")
        n_rows = len(configs)
    counts = _numbers(entry["counts"], child, "counts", (n_rows, n_states))
    alpha = None
    if "alpha" in entry:
        plain = entry["alpha"]
        shape = (n_configs, n_states) if isinstance(plain, list) else ()
        if shape and configs is not None:
            raise DataError(f"the table of {child!r} has configs, so its alpha is one number")
        alpha = _numbers(plain, child, "alpha", shape)
    return ConditionalTable(child, parents, own, counts, alpha, configs)


def _numbers(values: Any, child: str, what: str, shape: tuple[int, ...]) -> Any:
    array = np.asarray(values, dtype=np.float64)
    if array.size == 0:
        array = array.reshape(shape)
    if array.shape != shape:
        raise DataError(f"the {what} of {child!r} have the shape {array.shape}, not {shape}")
    undefined = np.isnan(array) if what == "probabilities" else np.zeros(array.shape, dtype=bool)
    if array.ndim:
        undefined &= undefined.all(axis=-1, keepdims=True)  # whole rows only
    if not ((array >= 0) & np.isfinite(array) | undefined).all():
        raise DataError(f"the {what} of {child!r} must be finite and 0 or more")
    array.flags.writeable = False
    return array


def to_file_network(
    tables: Mapping[str, ConditionalTable],
    states: States,
    cuts: Cuts,
    parameters: Parameters | None,
    path: str | PathLike[str],
) -> FileNetwork:
    """Return what other formats keep; a warning names what they do not."""
    texts = {name: tuple(str(state) for state in own) for name, own in states.items()}
    for name, own in texts.items():
        if len(set(own)) != len(own):
            raise DataError(f"{path}: two states of {name!r} are the same as text: {list(own)}")
    lost = []
    if parameters is not None:
        lost.append("the counts and the prior, so that it cannot be updated")
    if cuts:
        lost.append(f"the cuts of [{listed(cuts)}]")
    typed = [name for name, own in states.items() if not isinstance(own[0], str)]
    if typed:
        lost.append(f"that the states of [{listed(typed)}] are no text")
    suffixes = Path(path).suffixes
    if ".uai" in (suffix.lower() for suffix in suffixes[-2:]):
        lost.append("the names of all variables and states")
    if lost:
        warnings.warn(
            f"{path}: the format cannot keep {'; nor '.join(lost)}. Save as .json too",
            stacklevel=3,
        )
    return FileNetwork(
        texts,
        {name: table.parents for name, table in tables.items()},
        {name: table.probabilities for name, table in tables.items()},
    )


def from_file_network(network: FileNetwork, path: str | PathLike[str]) -> Parts:
    """Return the parts of a network that was read from another format."""
    try:
        dag = Dag.from_parents(network.parents, nodes=network.states)
        states = {name: check_states(name, own) for name, own in network.states.items()}
    except DagwrightError as error:
        raise DataError(f"{path}: {error}") from error
    tables = {}
    for name in dag.nodes:
        parents = tuple(network.parents[name])
        rows = np.ascontiguousarray(network.probabilities[name]).reshape(-1, len(states[name]))
        rows.flags.writeable = False
        own = {node: states[node] for node in (*parents, name)}
        tables[name] = ConditionalTable(name, parents, own, given=rows)
    return dag, states, tables, None, {}
