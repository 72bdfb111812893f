"""A sampled posterior as plain JSON values. The schema is in ``docs/schema.md``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, asdict, fields
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from dagwright._names import checked_nodes
from dagwright.errors import DagwrightError, DataError
from dagwright.io.json import FORMAT, VERSION, check_header
from dagwright.posterior.check_draws import check_parent_sets
from dagwright.posterior.graph_bits import ancestors, graph_parts, unpacked
from dagwright.posterior.graph_sample import GraphSample
from dagwright.posterior.sample_info import SampleInfo

if TYPE_CHECKING:
    from dagwright.posterior.sampled import Posterior

__all__ = ["KIND", "check_acyclic", "posterior_from_dict", "posterior_to_dict"]

KIND = "posterior"


def posterior_to_dict(posterior: Posterior) -> dict[str, Any]:
    """Return a posterior as plain JSON values: its different graphs, and which each draw is."""
    n_chains, n_draws, n = posterior.draws.shape
    flat = posterior.draws.reshape(-1, n)
    _, first, which = np.unique(flat, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)  # as they were drawn
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    values: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "kind": KIND,
        "variables": [{"name": name} for name in posterior.names],
        "parent_sets": [[list(parents) for parents in own] for own in posterior.parent_sets],
        "graphs": flat[first[order]].tolist(),
        "draws": rank[which.ravel()].reshape(n_chains, n_draws).tolist(),
        "scores": posterior.scores.tolist(),
    }
    if posterior.log_weights is not None:
        values["log_weights"] = posterior.log_weights.tolist()
    info = asdict(posterior.info)
    values["info"] = info | {"runs": list(info["runs"])}
    if posterior.state is not None:
        values["state"] = posterior.state
    return values


def posterior_from_dict(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of the posterior that ``posterior_to_dict`` wrote."""
    check_header(values, KIND)
    try:
        names = checked_nodes(variable["name"] for variable in values["variables"])
        graphs = _array("graphs", values["graphs"], np.int32, 2)
        which = _array("draws", values["draws"], np.int64, 2)
        if which.size and not 0 <= which.min() <= which.max() < len(graphs):
            raise DataError(
                f"draws must be numbers of the {len(graphs)} graphs, from 0, not "
                f"{which.min()} to {which.max()}"
            )
        logs = values.get("log_weights")
        state = values.get("state")
        if not isinstance(state, Mapping | None):
            raise DataError(f"state must be an object, not {state!r}")
        found = {
            "names": names,
            "parent_sets": check_parent_sets(names, values["parent_sets"]),
            "draws": graphs[which],
            "scores": _array("scores", values["scores"], np.float64, 2),
            "log_weights": None if logs is None else _array("log_weights", logs, np.float64, 2),
            "info": _info(values["info"]),
            "state": state,
        }
    except DagwrightError:
        raise
    except KeyError as error:
        raise DataError(f"not a posterior of dagwright: {error} is missing") from error
    except (TypeError, ValueError, AttributeError, OverflowError) as error:
        raise DataError(f"not a posterior of dagwright: {error}") from error
    return found


def _array(what: str, values: Any, dtype: Any, n_axes: int) -> npt.NDArray[Any]:
    try:
        array = np.array(values)
    except ValueError:
        array = np.empty(0)
    kinds = "iu" if np.dtype(dtype).kind == "i" else "iuf"
    if array.ndim != n_axes or array.size == 0 or array.dtype.kind not in kinds:
        number = "whole numbers" if kinds == "iu" else "numbers"
        raise DataError(f"{what} must be lists of {number}, all of one length")
    return array.astype(dtype)


def _info(values: Mapping[str, Any]) -> SampleInfo:
    """Make the record; keys that a later dagwright added are left out."""
    if not isinstance(values, Mapping):
        raise DataError(f"info must be an object, not {values!r}")
    known = {field.name: field for field in fields(SampleInfo)}
    for name, field in known.items():
        optional = field.default is not MISSING or field.default_factory is not MISSING
        if name not in values and not optional:
            raise DataError(f"info has no {name!r}")
    return SampleInfo(
        **{name: values[name] for name in known if name in values}
        | {"runs": tuple(values.get("runs", ()))}
    )


def check_acyclic(graphs: GraphSample) -> None:
    """Refuse graphs with a cycle."""
    n = len(graphs.names)
    for part, parents in graph_parts(graphs):
        above = unpacked(ancestors(parents), n)
        on_cycle = above[:, np.arange(n), np.arange(n)]
        if on_cycle.any():
            at, v = np.argwhere(on_cycle)[0]
            raise DataError(
                f"a drawn graph has a cycle through {graphs.names[v]!r}: draw number "
                f"{graphs.distinct[0][part][at]} of all chains, counted from 0"
            )
