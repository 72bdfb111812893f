"""UAI, the format of the UAI competitions: numbers only."""

from __future__ import annotations

import re
from itertools import islice

from dagwright.errors import DataError
from dagwright.io.check_network import Draft, Table, check_complete
from dagwright.io.file_network import FileNetwork
from dagwright.io.scanner import place, shown, to_numbers

__all__ = ["UaiReader", "read_uai", "uai_text"]


def read_uai(text: str) -> FileNetwork:
    """Read a Bayesian network in UAI.

    Parameters
    ----------
    text : str
        What the file has; ``#`` begins a comment. The last variable of each table is the child,
        and its states change fastest.

    Returns
    -------
    FileNetwork
        Its variables are x0, x1 and so on, their states 0, 1 and so on.

    Examples
    --------
    >>> network = read_uai("BAYES 1 2 1 1 0 2 0.25 0.75")
    >>> network.states, network.probabilities["x0"].tolist()
    ({'x0': ('0', '1')}, [0.25, 0.75])
    """
    return UaiReader(text).network()


class UaiReader:
    """The words of a file, one after the other; errors say where they are."""

    def __init__(self, text: str) -> None:
        self.text = re.sub(r"#[^\n]*", lambda found: " " * len(found[0]), text)
        self.words = self.text.split()
        self.next = 0

    def fault(self, word: int, message: str) -> DataError:
        """Return the error at a word."""
        found = next(islice(re.finditer(r"\S+", self.text), word, None), None)
        return DataError(
            f"{place(self.text, found.start() if found else len(self.text))}: {message}"
        )

    def whole(self, what: str, at_least: int, most: int) -> int:
        """Read a whole number; no number is trusted beyond what the text has room for."""
        at = self.next
        if at == len(self.words):
            raise self.fault(at, f"{what} is missing")
        word = self.words[at]
        if not re.fullmatch(r"[0-9]{1,18}", word) or not at_least <= int(word) <= most:
            raise self.fault(at, f"{what} must be from {at_least} to {most}, not {shown(word)}")
        self.next += 1
        return int(word)

    def numbers(self, size: int) -> list[float]:
        """Read so many numbers."""
        first = self.next
        self.next += size
        text = " ".join(self.words[first : self.next])
        return to_numbers(
            text, lambda at, message: self.fault(first + text.count(" ", 0, at), message), 0
        )

    def arities(self) -> list[int]:
        """Read how many states each variable has, after the first word."""
        self.next = 1
        left = len(self.words)
        n_variables = self.whole("the number of variables", 1, left)
        return [
            self.whole(f"the number of states of variable {variable}", 1, left)
            for variable in range(n_variables)
        ]

    def scopes(self, n_tables: int, n_variables: int) -> list[tuple[list[int], int]]:
        """Read the variables of each table, with where that begins."""
        scopes = []
        for table in range(n_tables):
            at = self.next
            size = self.whole(f"the number of variables of table {table}", 1, len(self.words))
            what = f"a variable of table {table}"
            scopes.append(([self.whole(what, 0, n_variables - 1) for _ in range(size)], at))
        return scopes

    def network(self) -> FileNetwork:
        """Read a Bayesian network."""
        kind = self.words[0] if self.words else ""
        if kind != "BAYES":
            raise self.fault(
                0,
                "a Markov network (MARKOV) is no Bayesian network: read it with dw.load"
                if kind == "MARKOV"
                else f"'BAYES' must be the first word, not {shown(kind)}",
            )
        n_states = self.arities()
        n_variables, left = len(n_states), len(self.words)
        # A variable has a number for each state in its own table at least.
        if sum(n_states) > left:
            raise self.fault(
                self.next, f"{sum(n_states)} states need as many numbers: the file has fewer"
            )
        draft = Draft(self.fault)
        for variable, number in enumerate(n_states):
            draft.add_variable(
                f"x{variable}", [str(state) for state in range(number)], variable + 2
            )
        n_tables = self.whole("the number of tables", n_variables, n_variables)
        for numbers, at in self.scopes(n_tables, n_variables):
            *parents, child = [f"x{variable}" for variable in numbers]
            size = self.whole(f"the number of numbers for {child}", 0, left - self.next - 1)
            draft.add_table(Table(child, parents, at, numbers=self.numbers(size)))
        if self.next != len(self.words):
            raise self.fault(self.next, "more follows after the last table")
        return draft.network()


def uai_text(network: FileNetwork) -> str:
    """Write a network in UAI, which has numbers only: names and states are lost.

    Parameters
    ----------
    network : FileNetwork
        The network.

    Examples
    --------
    >>> import numpy as np
    >>> network = FileNetwork({"a b": ("x", "y")}, {"a b": ()}, {"a b": np.array([0.25, 0.75])})
    >>> print(uai_text(network), end="")
    BAYES
    1
    2
    1
    1 0
    <BLANKLINE>
    2
    0.25 0.75
    """
    check_complete(network)
    number = {name: str(index) for index, name in enumerate(network.states)}
    lines = [
        "BAYES",
        str(len(number)),
        " ".join(str(len(states)) for states in network.states.values()),
        str(len(number)),
    ]
    for name in network.states:
        scope = [number[variable] for variable in (*network.parents[name], name)]
        lines.append(f"{len(scope)} {' '.join(scope)}")
    for name, states in network.states.items():
        probabilities = network.probabilities[name]
        lines += ["", str(probabilities.size)]
        rows = probabilities.reshape(-1, len(states)).tolist()
        lines += [" ".join(map(repr, row)) for row in rows]
    return "\n".join(lines) + "\n"
