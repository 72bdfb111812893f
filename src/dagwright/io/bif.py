"""BIF, the interchange format of the bnlearn repository, JavaBayes and pgmpy."""

from __future__ import annotations

import re
from itertools import product

from dagwright.errors import DataError
from dagwright.io.check_network import Draft, Table, check_complete
from dagwright.io.file_network import FileNetwork
from dagwright.io.safe_names import kept_names, safe_network
from dagwright.io.scanner import Scanner, shown, to_numbers

__all__ = ["bif_text", "read_bif"]

_COMMENT = r"//[^\n]*|/\*.*?(?:\*/|\Z)"
_KEYWORDS = frozenset(
    ["network", "variable", "probability", "property", "type", "discrete", "default", "table"]
)
_STATE = re.compile(r"[A-Za-z0-9_]+")
_STATES = re.compile(r"([^{}]*+)\}")
_ROW = re.compile(r"\(([^()]*+)\)([^;(){}]*+);")


def read_bif(text: str) -> FileNetwork:
    """Read a network in BIF.

    Parameters
    ----------
    text : str
        What the file has. A ``table`` with parents begins with all numbers of the child's first
        state, as the standard says. A row that is given neither by itself nor by ``default`` is
        undefined.

    Examples
    --------
    >>> network = read_bif(
    ...     "network n { } variable a { type discrete [ 2 ] { no, yes }; }"
    ...     "probability ( a ) { table 0.25, 0.75; }"
    ... )
    >>> network.states, network.probabilities["a"].tolist()
    ({'a': ('no', 'yes')}, [0.25, 0.75])
    """
    scanner = Scanner(text, comment=_COMMENT, marks="{}[]();|")
    draft = Draft(scanner.fault)
    while not scanner.ended():
        at = scanner.at
        keyword = scanner.word("'network', 'variable' or 'probability'")
        if keyword == "network":
            _skip_network(scanner)
        elif keyword == "variable":
            _read_variable(scanner, draft, at)
        elif keyword == "probability":
            draft.add_table(_read_table(scanner, at))
        else:
            raise scanner.fault(
                at, f"'network', 'variable' or 'probability' is needed, not {shown(keyword)}"
            )
    return draft.network()


def _skip_network(scanner: Scanner) -> None:
    if not scanner.take("{"):
        scanner.word("the name of the network")
        scanner.expect("{")
    while not scanner.take("}"):
        scanner.until_semicolon()


def _read_variable(scanner: Scanner, draft: Draft, at: int) -> None:
    name = scanner.word("the name of a variable")
    scanner.expect("{")
    states: list[str] = []
    n_states = None
    kept: dict[str, str] = {}
    while not scanner.take("}"):
        item_at = scanner.skip_space()
        keyword = scanner.word("'type', 'property' or '}'")
        if keyword == "property":
            kept |= kept_names(scanner.until_semicolon()[0])
        elif keyword == "type":
            kind = scanner.word("'discrete'")
            if kind != "discrete":
                raise scanner.fault(
                    item_at, f"the variable {shown(name)} is {shown(kind)}: it must be discrete"
                )
            if scanner.take("["):
                n_states = scanner.word("the number of states")
                scanner.expect("]")
            scanner.expect("{")
            listed = scanner.match(_STATES)
            if not listed:
                raise scanner.unexpected("a list of states with '}' at its end")
            states = _labels(listed[1], None if n_states is None else n_states.lstrip("0"))
            scanner.take(";")
        else:
            raise scanner.fault(item_at, f"'type' or 'property' is needed, not {shown(keyword)}")
    draft.add_variable(name, states, at, n_states=n_states, **kept)


def _labels(text: str, n_labels: str | None) -> list[str]:
    """Return the labels, which commas part or, in some files, only spaces."""
    if '"' in text:
        return [label.strip('"') for label in re.findall(r'"[^"]*"|[^\s,"]+', text)]
    labels = [label.strip() for label in text.split(",")]
    if n_labels is not None and str(len(labels)) != n_labels:
        labels = text.replace(",", " ").split()
    return labels


def _read_table(scanner: Scanner, at: int) -> Table:
    scanner.expect("(")
    child = scanner.word("the name of a variable")
    scanner.take("|")
    table = Table(child, scanner.words(")", "the name of a parent or ')'"), at)
    n_parents = str(len(table.parents))
    scanner.expect("{")
    while not scanner.take("}"):
        row_at = scanner.skip_space()
        row = scanner.match(_ROW)
        if row:
            labels = _labels(row[1], n_parents)
            table.rows.append((labels, to_numbers(row[2], scanner.fault, row.start(2)), row_at))
            continue
        keyword = scanner.word("a row such as '(state) 0.5, 0.5;', 'table', 'default' or '}'")
        values, values_at = scanner.until_semicolon()
        if keyword == "table":
            if table.numbers is not None:
                raise _twice(scanner, row_at, child)
            table.numbers = to_numbers(values, scanner.fault, values_at)
            table.child_first = True
        elif keyword == "default":
            if table.default is not None:
                raise _twice(scanner, row_at, child)
            table.default = to_numbers(values, scanner.fault, values_at)
        elif keyword != "property":
            raise scanner.fault(
                row_at, f"a row, 'table' or 'default' is needed, not {shown(keyword)}"
            )
    if table.numbers is not None and (table.rows or table.default is not None):
        raise scanner.fault(at, f"{shown(child)} has both a 'table' and rows")
    return table


def _twice(scanner: Scanner, at: int, child: str) -> DataError:
    return scanner.fault(at, f"the numbers of {shown(child)} are given twice")


def bif_text(network: FileNetwork) -> str:
    """Write a network in BIF.

    Parameters
    ----------
    network : FileNetwork
        The network. Names that BIF cannot write are replaced; properties keep the true ones.

    Examples
    --------
    >>> import numpy as np
    >>> network = FileNetwork({"a b": ("x", "y")}, {"a b": ()}, {"a b": np.array([0.25, 0.75])})
    >>> print(bif_text(network), end="")
    network unknown {
    }
    variable a_b {
      type discrete [ 2 ] { x, y };
      property dagwright_name = a~20~b;
    }
    probability ( a_b ) {
      table 0.25, 0.75;
    }
    """
    check_complete(network)
    safe = safe_network(network, states=_STATE, keywords=_KEYWORDS)
    lines = ["network unknown {", "}"]
    for name, states in safe.states.items():
        lines += [
            f"variable {safe.names[name]} {{",
            f"  type discrete [ {len(states)} ] {{ {', '.join(states)} }};",
            *(f"  property {key} = {value};" for key, value in safe.kept[name].items()),
            "}",
        ]
    for name, parents in network.parents.items():
        rows = network.probabilities[name].reshape(-1, len(network.states[name])).tolist()
        texts = [", ".join(map(repr, row)) for row in rows]
        if parents:
            given = f" | {', '.join(safe.names[parent] for parent in parents)}"
            labels = [
                f"({', '.join(states)})"
                for states in product(*(safe.states[parent] for parent in parents))
            ]
        else:
            given = ""
            labels = ["table"]
        lines.append(f"probability ( {safe.names[name]}{given} ) {{")
        lines += [f"  {label} {text};" for label, text in zip(labels, texts, strict=True)]
        lines.append("}")
    return "\n".join(lines) + "\n"
