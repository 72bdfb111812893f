"""How a sample of graphs was made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dagwright.posterior.over import MEANING

__all__ = ["SampleInfo"]


@dataclass(frozen=True, kw_only=True)
class SampleInfo:
    """How a sampled posterior was made: plain JSON values, specs as dictionaries.

    Attributes
    ----------
    sampler, score, structure_prior : mapping
        Name and settings of each.
    constraints : mapping
        What was given.
    seed, threads : int
        Of the run.
    warmup, thin : int
        Draws of each chain that were left out at first, and steps from one draw to the next.
    seconds : float
        How long it took.
    reason : str
        Why it ended: "done", "time limit", "callback", ...
    data_digest, n_rows, total_weight
        Of the data.
    versions : mapping
        Of dagwright and Python.
    candidates : mapping
        What is known of the parents that were not considered; empty if all were.
    acceptance : mapping of str to float
        The share of the moves of each kind that were taken.
    weights : str
        What the draws are worth, in plain words.
    runs : sequence of mappings
        How each run was made, where several were joined.
    """

    sampler: Mapping[str, Any]
    score: Mapping[str, Any]
    structure_prior: Mapping[str, Any]
    constraints: Mapping[str, Any]
    seed: int
    threads: int
    warmup: int
    thin: int
    seconds: float
    reason: str
    data_digest: str
    n_rows: int
    total_weight: float
    versions: Mapping[str, str]
    candidates: Mapping[str, Any] = field(default_factory=dict)
    acceptance: Mapping[str, float] = field(default_factory=dict)
    weights: str = MEANING["dags"]
    runs: Sequence[Mapping[str, Any]] = ()
