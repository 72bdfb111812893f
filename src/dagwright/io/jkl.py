"""``.jkl`` files: the scores of parent sets, as GOBNILP and other exact solvers have them.

The number of variables; for each its name and the number of its parent sets; for each of these a
line with its score, the number of parents and their names.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from os import PathLike
from typing import NoReturn

from dagwright.errors import DataError
from dagwright.io.files import read_text, write_text

__all__ = ["LocalScores", "is_jkl", "read_jkl", "write_jkl"]


_MOST = 1e300  # so that no sum of some overflows


@dataclass(frozen=True)
class LocalScores:
    """What the file says: for each variable its parent sets and their scores."""

    names: tuple[str, ...]
    scores: Mapping[str, Mapping[tuple[str, ...], float]]


def is_jkl(path: str) -> bool:
    """Say whether a file is one of local scores, by its ending."""
    return path.lower().removesuffix(".gz").endswith(".jkl")


def write_jkl(local: LocalScores, path: str | PathLike[str]) -> None:
    """Write local scores; a name with a space in it is refused."""
    for name in local.names:
        if not name or re.search(r"\s", name):
            raise DataError(
                f"{path}: the name {name!r} has a space in it, or is empty, which a .jkl file "
                "cannot have: rename the variable"
            )
    lines = [str(len(local.names))]
    for name in local.names:
        sets = local.scores[name]
        lines.append(f"{name} {len(sets)}")
        lines += [
            " ".join([repr(float(score)), str(len(parents)), *parents])
            for parents, score in sets.items()
        ]
    write_text("\n".join(lines) + "\n", path)


def read_jkl(path: str | PathLike[str]) -> LocalScores:
    """Read local scores; what is wrong is said with its line."""
    reader = _Reader(str(path), read_text(path).removeprefix("\ufeff"))
    n_variables = reader.whole("the number of variables", reader.line(1)[0])
    names: list[str] = []
    scores: dict[str, dict[tuple[str, ...], float]] = {}
    asked: list[tuple[int, str]] = []
    for _ in range(n_variables):
        name, count = reader.line(2)
        if name in scores:
            reader.refuse(f"the variable {name!r} is there twice")
        names.append(name)
        sets = scores[name] = {}
        n_sets = reader.whole(f"the number of parent sets of {name!r}", count)
        if n_sets == 0:
            reader.refuse(f"{name!r} has no parent set, not even the empty one")
        for _ in range(n_sets):
            score_text, size_text, *parents = reader.line(None)
            score = reader.number(score_text)
            size = reader.whole("the number of parents", size_text)
            if size != len(parents):
                reader.refuse(f"{size} parents are announced, {len(parents)} follow")
            own = tuple(sorted(parents))
            if len(set(own)) < size or name in own:
                reader.refuse(f"the parents of {name!r} must be distinct, and others than itself")
            if own in sets:
                reader.refuse(f"this parent set of {name!r} is there twice")
            sets[own] = score
            asked += [(reader.number_of_line, parent) for parent in parents]
    reader.end()
    if not names:
        raise DataError(f"{path}: there are no variables")
    for line, parent in asked:
        if parent not in scores:
            raise DataError(f"{path}, line {line}: {parent!r} is a parent, but no variable")
    return LocalScores(tuple(names), scores)


class _Reader:
    """The lines of a file, empty ones left out."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.number_of_line = 0
        self.lines: Iterator[tuple[int, list[str]]] = (
            (number, words)
            for number, line in enumerate(text.splitlines(), 1)
            if (words := line.split())
        )

    def refuse(self, what: str) -> NoReturn:
        raise DataError(f"{self.path}, line {self.number_of_line}: {what}")

    def line(self, n_words: int | None) -> list[str]:
        """Return the words of the next line; without a number, at least two."""
        try:
            self.number_of_line, words = next(self.lines)
        except StopIteration:
            raise DataError(
                f"{self.path} ends after line {self.number_of_line}, but more was announced"
            ) from None
        if len(words) < 2 if n_words is None else len(words) != n_words:
            wanted = (
                "a score, a number of parents, and these"
                if n_words is None
                else (
                    "a name and a number of parent sets"
                    if n_words == 2
                    else "a number of variables"
                )
            )
            self.refuse(f"{wanted} should be here, not {' '.join(words)[:60]!r}")
        return words

    def end(self) -> None:
        for number_of_line, words in self.lines:
            self.number_of_line = number_of_line
            self.refuse(f"nothing more was announced, but there is {' '.join(words)[:60]!r}")

    def whole(self, what: str, word: str) -> int:
        if not re.fullmatch(r"[0-9]{1,9}", word):
            self.refuse(f"{what} must be a whole number, not {word[:60]!r}")
        return int(word)

    def number(self, word: str) -> float:
        try:
            value = float(word)
        except ValueError:
            value = math.nan
        if "_" in word or not abs(value) <= _MOST:
            self.refuse(f"a score must be a number from -1e300 to 1e300, not {word[:60]!r}")
        return value
