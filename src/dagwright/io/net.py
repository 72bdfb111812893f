"""NET, the format of Hugin, in its old style and its new one."""

from __future__ import annotations

import re
from math import prod

from dagwright.io.check_network import Draft, Table, check_complete
from dagwright.io.file_network import FileNetwork
from dagwright.io.safe_names import QUOTABLE, kept_names, safe_network
from dagwright.io.scanner import Scanner, shown, to_numbers

__all__ = ["net_text", "read_net"]

_KEYWORDS = {"net", "class", "node", "discrete", "continuous", "decision", "utility"}
_KEYWORDS |= {"function", "potential", "states", "label", "data", "position", "inputs", "outputs"}
_BEGINNINGS = "'net', 'class', 'node' or 'potential'"


def read_net(text: str) -> FileNetwork:
    """Read a network in NET.

    Parameters
    ----------
    text : str
        What the file has. Decisions, utilities and continuous variables are refused.

    Examples
    --------
    >>> network = read_net(
    ...     'net { } node a { states = ("no" "yes"); } potential (a) { data = (0.25 0.75); }'
    ... )
    >>> network.states, network.probabilities["a"].tolist()
    ({'a': ('no', 'yes')}, [0.25, 0.75])
    """
    scanner = Scanner(text, comment=r"%[^\n]*", marks="{}();|=")
    draft = Draft(scanner.fault)
    in_class = False
    while not scanner.ended():
        at = scanner.at
        if in_class and scanner.take("}"):
            in_class = False
            continue
        keyword = scanner.word(_BEGINNINGS)
        if keyword == "net":
            scanner.expect("{")
            while not scanner.take("}"):
                scanner.until_semicolon()
        elif keyword == "class" and not in_class:
            scanner.word("the name of the class")
            scanner.expect("{")
            in_class = True
        elif keyword in ("node", "discrete"):
            if keyword == "discrete" and scanner.word("'node'") != "node":
                raise scanner.fault(at, "'discrete' must come before 'node'")
            _read_node(scanner, draft, at)
        elif keyword == "potential":
            draft.add_table(_read_potential(scanner, at))
        elif scanner.take("="):
            scanner.until_semicolon()  # an attribute of the class
        elif keyword in ("continuous", "decision", "utility", "function"):
            name = scanner.word("a name")
            if name == "node":
                name = scanner.word("a name")
            raise scanner.fault(
                at, f"the node {shown(name)} is a {keyword} node: only discrete ones can be read"
            )
        else:
            raise scanner.fault(at, f"{_BEGINNINGS} is needed, not {shown(keyword)}")
    if in_class:
        raise scanner.unexpected("the '}' of the class")
    return draft.network()


def _key(scanner: Scanner, seen: set[str]) -> str:
    """Read the name of an attribute and its '='."""
    at = scanner.skip_space()
    key = scanner.word("an attribute or '}'")
    scanner.expect("=")
    if key in seen:
        raise scanner.fault(at, f"the attribute {shown(key)} is given twice")
    seen.add(key)
    return key


def _read_node(scanner: Scanner, draft: Draft, at: int) -> None:
    name = scanner.word("the name of a node")
    scanner.expect("{")
    states: list[str] = []
    kept: dict[str, str] = {}
    seen: set[str] = set()
    while not scanner.take("}"):
        key = _key(scanner, seen)
        if key == "states":
            scanner.expect("(")
            states = scanner.words(")", "a state or ')'")
            scanner.expect(";")
        else:
            kept |= kept_names(f"{key} = {scanner.until_semicolon()[0]}")
    draft.add_variable(name, states, at, **kept)


def _read_potential(scanner: Scanner, at: int) -> Table:
    scanner.expect("(")
    child = scanner.word("the name of a node")
    parents = []
    if scanner.take("|"):
        parents = scanner.words(")", "the name of a parent or ')'")
    elif not scanner.take(")"):
        raise scanner.unexpected("'|' or ')' (the potential of more than one node is not read)")
    scanner.expect("{")
    data = None
    seen: set[str] = set()
    while not scanner.take("}"):
        key = _key(scanner, seen)
        value, value_at = scanner.until_semicolon()
        if key == "model_data":
            raise scanner.fault(at, f"the data of {shown(child)} are a formula, which is not read")
        if key == "data":
            data, data_at = value, value_at
    if data is None:
        raise scanner.fault(at, f"the potential of {shown(child)} has no data")
    # The shape is in the parents: parentheses need only match.
    depth = 0
    for found in re.finditer(r"[()]", data):
        depth += 1 if found[0] == "(" else -1
        if depth < 0:
            raise scanner.fault(data_at + found.start(), "no '(' belongs to this ')'")
    if depth:
        raise scanner.fault(data_at, f"{depth} ')' are missing in the data of {shown(child)}")
    numbers = to_numbers(data.replace("(", " ").replace(")", " "), scanner.fault, data_at)
    return Table(child, parents, at, numbers=numbers)


def net_text(network: FileNetwork) -> str:
    """Write a network in NET.

    Parameters
    ----------
    network : FileNetwork
        The network. Names that NET cannot write are replaced; attributes keep the true ones.

    Examples
    --------
    >>> import numpy as np
    >>> network = FileNetwork({"a b": ("x", "y")}, {"a b": ()}, {"a b": np.array([0.25, 0.75])})
    >>> print(net_text(network), end="")
    net
    {
    }
    node a_b
    {
      states = ("x" "y");
      dagwright_name = "a~20~b";
    }
    potential (a_b)
    {
      data = (0.25 0.75);
    }
    """
    check_complete(network)
    safe = safe_network(network, states=QUOTABLE, keywords=_KEYWORDS)
    lines = ["net", "{", "}"]
    for name, states in safe.states.items():
        quoted = " ".join(f'"{state}"' for state in states)
        kept = [f'  {key} = "{value}";' for key, value in safe.kept[name].items()]
        lines += [f"node {safe.names[name]}", "{", f"  states = ({quoted});", *kept, "}"]
    for name, parents in network.parents.items():
        given = f" | {' '.join(safe.names[parent] for parent in parents)}" if parents else ""
        shape = [len(network.states[parent]) for parent in parents]
        rows = network.probabilities[name].reshape(-1, len(network.states[name])).tolist()
        texts = [f"({' '.join(map(repr, row))})" for row in rows]
        for axis in range(len(shape) - 1, -1, -1):
            step = shape[axis]
            between = " " if axis == len(shape) - 1 else "\n    "
            texts = [
                f"({between.join(texts[start : start + step])})"
                for start in range(0, prod(shape[: axis + 1]), step)
            ]
        lines += [f"potential ({safe.names[name]}{given})", "{", f"  data = {texts[0]};", "}"]
    return "\n".join(lines) + "\n"
