"""With what chains go on: checked, as it may come from a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dagwright.errors import DataError
from dagwright.mcmc import Sampler

if TYPE_CHECKING:
    from dagwright.posterior.sampled import Posterior

__all__ = ["checked_state"]


def checked_state(posterior: Posterior, sampler: Sampler) -> Mapping[str, Any]:
    """Return the state of a posterior's chains, or say why they cannot go on from it."""
    state = posterior.state
    n = len(posterior.names)
    wrong = None
    if not isinstance(state, Mapping) or not {"candidates", "states", "n_done", "moves"} <= set(
        state
    ):
        wrong = "candidates, states, n_done and moves are needed"
    elif state["n_done"] != posterior.info.warmup + posterior.n_draws:
        wrong = (
            f"n_done={state['n_done']!r}, but the warmup and the draws are "
            f"{posterior.info.warmup + posterior.n_draws}"
        )
    elif not _are_candidates(state["candidates"], n):
        wrong = "the candidates are not variables other than the child, for each child"
    elif not _are_moves(state["moves"]):
        wrong = "the moves are not two whole numbers each"
    else:
        shape = (posterior.n_chains, len(sampler.temperatures))
        if not _are_states(state["states"], shape, sampler, n):
            wrong = f"the states are not {shape[0]} times {shape[1]} states of {sampler.name}"
    if wrong is not None:
        raise DataError(f"resume: the chains cannot go on from this state: {wrong}")
    assert state is not None
    return state


def _are_whole(values: object) -> bool:
    return (
        isinstance(values, Sequence)
        and not isinstance(values, str)
        and all(isinstance(value, int) and not isinstance(value, bool) for value in values)
    )


def _are_candidates(candidates: object, n: int) -> bool:
    return (
        isinstance(candidates, Sequence)
        and len(candidates) == n
        and all(
            _are_whole(own)
            and len(set(own)) == len(own) <= n
            and all(0 <= v < n and v != child for v in own)
            for child, own in enumerate(candidates)
        )
    )


def _are_moves(moves: object) -> bool:
    return isinstance(moves, Mapping) and all(
        _are_whole(counts) and len(counts) == 2 for counts in moves.values()
    )


def _are_states(states: object, shape: tuple[int, int], sampler: Sampler, n: int) -> bool:
    return (
        isinstance(states, Sequence)
        and len(states) == shape[0]
        and all(
            isinstance(ladder, Sequence)
            and len(ladder) == shape[1]
            and all(_are_whole(own) and len(own) > 0 and sampler.is_state(own, n) for own in ladder)
            for ladder in states
        )
    )
