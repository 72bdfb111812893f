"""Names that any format can write, and the true ones kept beside them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from dagwright.errors import DataError
from dagwright.io.file_network import FileNetwork

__all__ = [
    "IDENTIFIER",
    "QUOTABLE",
    "SafeNames",
    "decoded",
    "encoded",
    "kept_names",
    "safe_names",
    "safe_network",
]

IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# Between quotes: no quote, no backslash, nothing that ends a line or does not print.
QUOTABLE = re.compile('[^"\\\\\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]+')


def safe_names(
    names: Iterable[str],
    *,
    allowed: re.Pattern[str] = IDENTIFIER,
    keywords: Collection[str] = (),
) -> dict[str, str]:
    """Return a different safe name for each name; a safe one stays as it is.

    Parameters
    ----------
    names : iterable of str
        The names, all different.
    allowed : pattern
        What the format can write; it must allow identifiers.
    keywords : collection of str
        The words that the format keeps for itself, in small letters.

    Returns
    -------
    dict of str to str
        The safe name of each.

    Examples
    --------
    >>> safe_names(["low risk", "low_risk", "2nd", "", "node"], keywords=["node"]).values()
    dict_values(['low_risk_2', 'low_risk', 'x2nd', 'x', 'xnode'])
    """
    names = list(names)
    safe = {
        name: name for name in names if allowed.fullmatch(name) and name.lower() not in keywords
    }
    taken = set(safe)
    counts: dict[str, int] = {}
    for name in names:
        if name in safe:
            continue
        base = re.sub(r"[^A-Za-z0-9_]", "_", name)
        if not IDENTIFIER.fullmatch(base) or base.lower() in keywords:
            base = "x" + base
        number = counts.get(base, 1)
        new = base
        while new in taken or new.lower() in keywords:
            number += 1
            new = f"{base}_{number}"
        counts[base] = number
        taken.add(new)
        safe[name] = new
    return {name: safe[name] for name in names}


@dataclass(frozen=True)
class SafeNames:
    """The safe names of a network, and for each variable what must be kept to restore it."""

    names: dict[str, str]
    states: dict[str, list[str]]
    kept: dict[str, dict[str, str]]


def safe_network(
    network: FileNetwork,
    *,
    names: re.Pattern[str] = IDENTIFIER,
    states: re.Pattern[str] = IDENTIFIER,
    keywords: Collection[str] = (),
) -> SafeNames:
    """Return safe names of the variables and states.

    Parameters
    ----------
    network : FileNetwork
        The network.
    names, states : pattern
        What the format can write as the name of a variable, and of a state.
    keywords : collection of str
        The words that the format keeps for itself, in small letters.

    Examples
    --------
    >>> import numpy as np
    >>> network = FileNetwork({"a b": ("x", "y")}, {"a b": ()}, {"a b": np.array([0.5, 0.5])})
    >>> safe_network(network)  # doctest: +ELLIPSIS
    SafeNames(names={'a b': 'a_b'}, states={'a b': ['x', 'y']}, kept={'a b': {...}})
    """
    safe = safe_names(network.states, allowed=names, keywords=keywords)
    safe_states = {
        name: list(safe_names(of, allowed=states, keywords=keywords).values())
        for name, of in network.states.items()
    }
    kept: dict[str, dict[str, str]] = {}
    for name, of in network.states.items():
        kept[name] = {}
        if safe[name] != name:
            kept[name]["dagwright_name"] = encoded(name)
        if safe_states[name] != list(of):
            kept[name]["dagwright_states"] = " ".join(map(encoded, of))
    return SafeNames(safe, safe_states, kept)


def kept_names(text: str) -> dict[str, str]:
    """Return what a property of ours keeps, for `Draft.add_variable`; nothing if it is not ours.

    Examples
    --------
    >>> kept_names("dagwright_name = a~20~b"), kept_names("position = (1, 2)")
    ({'true_name': 'a~20~b'}, {})
    """
    key, equals, value = text.strip().strip('"').partition("=")
    key = key.strip()
    if not equals or key not in ("dagwright_name", "dagwright_states"):
        return {}
    return {key.replace("dagwright", "true"): value.strip().strip('"')}


def encoded(text: str) -> str:
    """Return the text in letters, digits and ``_.~-``, which every format can hold.

    Examples
    --------
    >>> encoded("low risk"), encoded(""), decoded("low~20~risk")
    ('low~20~risk', '~~', 'low risk')
    """
    return re.sub(r"[^A-Za-z0-9_.-]", lambda found: f"~{ord(found[0]):x}~", text) or "~~"


def decoded(text: str) -> str:
    """Return the text that was encoded."""
    if not re.fullmatch(r"(?:[A-Za-z0-9_.-]|~[0-9a-f]{1,6}~)++|~~", text):
        raise DataError(f"{text[:60]!r} is no encoded name: correct it, or remove its line")
    if text == "~~":
        return ""

    def character(found: re.Match[str]) -> str:
        number = int(found[1], 16)
        if number > 0x10FFFF:
            raise DataError(f"{found[0]!r} is no encoded character: correct it, or remove its line")
        return chr(number)

    return re.sub(r"~([0-9a-f]+)~", character, text)
