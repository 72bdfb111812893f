"""DSC, the format of Microsoft's belief networks, which bnlearn also writes."""

from __future__ import annotations

import re
from itertools import product

from dagwright.io.check_network import Draft, Table, check_complete
from dagwright.io.file_network import FileNetwork
from dagwright.io.safe_names import QUOTABLE, kept_names, safe_network
from dagwright.io.scanner import Scanner, shown, to_numbers

__all__ = ["dsc_text", "read_dsc"]

_COMMENT = r"//[^\n]*|/\*.*?(?:\*/|\Z)"
_KEYWORDS = {"belief", "network", "node", "probability", "name", "type"}
_KEYWORDS |= {"discrete", "position", "default", "property", "function", "version"}
_BEGINNINGS = "'belief network', 'node' or 'probability'"
_ROW = re.compile(r"([^;{}]*+);")


def read_dsc(text: str) -> FileNetwork:
    """Read a network in DSC.

    Parameters
    ----------
    text : str
        What the file has. Rows say the parents' states by their numbers, from 0, or by their
        names. A row that is given neither by itself nor by ``default`` is undefined.

    Examples
    --------
    >>> network = read_dsc(
    ...     'belief network "n" node a { type: discrete[2] = {"no", "yes"}; }'
    ...     "probability(a) { 0.25, 0.75; }"
    ... )
    >>> network.states, network.probabilities["a"].tolist()
    ({'a': ('no', 'yes')}, [0.25, 0.75])
    """
    scanner = Scanner(text, comment=_COMMENT, marks="{}[]();|=:", kept="// dagwright_")
    draft = Draft(scanner.fault, by_number=True)
    while not scanner.ended():
        at = scanner.at
        keyword = scanner.word(_BEGINNINGS)
        if keyword in ("belief", "network"):
            if keyword == "belief" and scanner.word("'network'") != "network":
                raise scanner.fault(at, "'network' must come after 'belief'")
            if scanner.next_word() != "node":
                scanner.word("the name of the network")
        elif keyword == "node":
            _read_node(scanner, draft, at)
        elif keyword == "probability":
            draft.add_table(_read_table(scanner, at))
        elif keyword == "properties":
            scanner.expect("{")
            while not scanner.take("}"):
                scanner.until_semicolon()
        else:
            raise scanner.fault(at, f"{_BEGINNINGS} is needed, not {shown(keyword)}")
    return draft.network()


def _read_node(scanner: Scanner, draft: Draft, at: int) -> None:
    name = scanner.word("the name of a node")
    scanner.expect("{")
    states: list[str] = []
    n_states = None
    kept: dict[str, str] = {}
    while not scanner.take("}"):
        item_at = scanner.skip_space()
        keyword = scanner.word("'type' or '}'")
        if keyword != "type":
            kept |= kept_names(keyword + scanner.until_semicolon()[0])
            continue
        scanner.take(":")
        kind = scanner.word("'discrete'")
        if kind != "discrete":
            raise scanner.fault(
                item_at, f"the node {shown(name)} is {shown(kind)}: it must be discrete"
            )
        scanner.expect("[")
        n_states = scanner.word("the number of states")
        scanner.expect("]")
        scanner.take("=")
        scanner.expect("{")
        states = scanner.words("}", "a state or '}'")
        scanner.expect(";")
    draft.add_variable(name, states, at, n_states=n_states, **kept)


def _read_table(scanner: Scanner, at: int) -> Table:
    scanner.expect("(")
    child = scanner.word("the name of a node")
    scanner.take("|")
    table = Table(child, scanner.words(")", "the name of a parent or ')'"), at)
    scanner.expect("{")
    while not scanner.take("}"):
        row_at = scanner.skip_space()
        labels = None
        if scanner.take("("):
            labels = scanner.words(")", "a state or ')'")
            scanner.expect(":")
        is_default = labels is None and scanner.next_word() == "default"
        if is_default:
            scanner.word("'default'")
            scanner.expect(":")
        row = scanner.match(_ROW)
        if not row:
            raise scanner.unexpected("a row such as '(0): 0.5, 0.5;' or '}'")
        numbers = to_numbers(row[1], scanner.fault, row.start(1))
        if labels is not None:
            table.rows.append((labels, numbers, row_at))
        elif (table.default if is_default else table.numbers) is not None:
            raise scanner.fault(row_at, f"the numbers of {shown(child)} are given twice")
        elif is_default:
            table.default = numbers
        else:
            table.numbers = numbers
    if table.numbers is not None and (table.rows or table.default is not None):
        raise scanner.fault(at, f"{shown(child)} has rows with states and one without")
    return table


def dsc_text(network: FileNetwork) -> str:
    """Write a network in DSC.

    Parameters
    ----------
    network : FileNetwork
        The network. Names that DSC cannot write are replaced; comments keep the true ones.

    Examples
    --------
    >>> import numpy as np
    >>> network = FileNetwork({"a b": ("x", "y")}, {"a b": ()}, {"a b": np.array([0.25, 0.75])})
    >>> print(dsc_text(network), end="")
    belief network "unknown"
    node a_b {
      // dagwright_name = a~20~b;
      type : discrete [ 2 ] = { "x", "y" };
    }
    probability ( a_b ) {
      0.25, 0.75;
    }
    """
    check_complete(network)
    safe = safe_network(network, states=QUOTABLE, keywords=_KEYWORDS)
    lines = ['belief network "unknown"']
    for name, states in safe.states.items():
        quoted = ", ".join(f'"{state}"' for state in states)
        lines += [
            f"node {safe.names[name]} {{",
            *(f"  // {key} = {value};" for key, value in safe.kept[name].items()),
            f"  type : discrete [ {len(states)} ] = {{ {quoted} }};",
            "}",
        ]
    for name, parents in network.parents.items():
        given = f" | {', '.join(safe.names[parent] for parent in parents)}" if parents else ""
        lines.append(f"probability ( {safe.names[name]}{given} ) {{")
        rows = network.probabilities[name].reshape(-1, len(network.states[name])).tolist()
        numbers = [range(len(network.states[parent])) for parent in parents]
        for states_of_parents, row in zip(product(*numbers), rows, strict=True):
            label = f"({', '.join(map(str, states_of_parents))}) : " if parents else ""
            lines.append(f"  {label}{', '.join(map(repr, row))};")
        lines.append("}")
    return "\n".join(lines) + "\n"
