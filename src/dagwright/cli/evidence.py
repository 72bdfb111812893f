"""Evidence as text: ``smoke=yes``, or with a likelihood for each state ``smoke=yes:0.9,no:0.2``."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from dagwright._names import listed
from dagwright.bayes_net import BayesNet
from dagwright.errors import DataError, SpecError, did_you_mean

__all__ = ["evidence_options", "known_states", "read_evidence"]

F = TypeVar("F", bound=Callable[..., Any])


def evidence_options(command: F) -> F:
    """Give a command what is seen and what is set."""
    do = click.option(
        "--do",
        metavar="VAR=STATE",
        multiple=True,
        help="What is set from outside: its own causes do not act any more. May be repeated.",
    )
    seen = click.option(
        "-e",
        "--evidence",
        metavar="VAR=STATE",
        multiple=True,
        help="What is seen; or how likely each state makes it: smoke=yes:0.9,no:0.2. "
        "May be repeated.",
    )
    return seen(do(command))


def read_evidence(
    model: BayesNet, option: str, texts: Sequence[str], *, soft: bool = False
) -> dict[str, Any]:
    """Return states by variable, or for soft evidence likelihoods by state."""
    given: dict[str, Any] = {}
    for text in texts:
        name, value = _split(model, option, text)
        if name in given:
            raise SpecError(f"{option} {text}: {name!r} is given twice; give it once")
        states = {str(state): state for state in model.states[name]}
        if value in states:  # also one that looks like soft evidence
            given[name] = states[value]
        elif soft and ":" in value:
            given[name] = _likelihoods(f"{option} {text}", name, value, states)
        else:
            raise _no_state(f"{option} {text}", name, value, states)
    return given


def known_states(given: dict[str, Any], do: dict[str, Any]) -> set[str]:
    """Return the variables whose state is known."""
    return {name for name, value in given.items() if not isinstance(value, dict)} | set(do)


def _split(model: BayesNet, option: str, text: str) -> tuple[str, str]:
    """Split at the = after the longest name that fits: names and states may have one too."""
    if "=" not in text:
        raise SpecError(f"{option} {text}: this is not variable=state, as in smoke=yes")
    fitting = [name for name in model.names if text.startswith(f"{name}=")]
    if not fitting:
        name = text.partition("=")[0]
        raise DataError(
            f"{option} {text}: the model has no variable {name!r}" + did_you_mean(name, model.names)
        )
    name = max(fitting, key=len)
    return name, text[len(name) + 1 :]


def _likelihoods(subject: str, name: str, text: str, states: dict[str, Any]) -> dict[Any, float]:
    # States are looked for by name: those of a variable that was cut have commas.
    known = "|".join(re.escape(state) for state in sorted(states, key=len, reverse=True))
    one = re.compile(rf"({known}):([^,]*)(?:,|$)", re.DOTALL)
    found: dict[Any, float] = {}
    at = 0
    while at < len(text):
        match = one.match(text, at)
        if match is None:
            raise _no_state(subject, name, text[at:].partition(":")[0], states)
        state, number = states[match[1]], match[2]
        if state in found:
            raise SpecError(f"{subject}: the state {match[1]!r} is given twice; give it once")
        try:
            found[state] = float(number)
        except ValueError:
            raise SpecError(
                f"{subject}: the likelihood of {match[1]!r} must be a number, not {number!r}"
            ) from None
        at = match.end()
    return found


def _no_state(subject: str, name: str, state: str, states: dict[str, Any]) -> DataError:
    return DataError(
        f"{subject}: {name!r} has no state {state!r}: its states are [{listed(states)}]"
        + did_you_mean(state, states)
    )
