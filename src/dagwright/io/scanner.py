"""Words, quoted text and numbers of a text, and the line and column of each."""

from __future__ import annotations

import re
from collections.abc import Callable

from dagwright.errors import DataError

__all__ = ["Scanner", "place", "shown", "to_numbers"]

# The quantifiers are possessive: a text that nobody closed is read once, not once for each start.
_QUOTED = r'"(?P<quoted>[^"\\]*+(?:\\.[^"\\]*+)*+)'
_SPACE = re.compile(r"[\s,]*+")
_ESCAPED = re.compile(r'\\(["\\])')
_NUMBER = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_OTHER_THAN_NUMBERS = re.compile(r"[^-+.0-9eE,\s]")


def place(text: str, at: int) -> str:
    """Return the line and column of an offset, both from 1."""
    start = text.rfind("\n", 0, at) + 1
    return f"line {text.count(chr(10), 0, at) + 1}, column {at - start + 1}"


def shown(word: str) -> str:
    """Return the word in quotes, cut if it is long, so that no message floods a screen."""
    return repr(word if len(word) <= 60 else word[:57] + "...")


def to_numbers(text: str, fault: Callable[[int, str], DataError], at: int) -> list[float]:
    """Return the numbers of a text; commas and spaces part them.

    Parameters
    ----------
    text : str
        The numbers, and nothing else.
    fault : function
        Makes the error of an offset and a message.
    at : int
        The offset of the text.

    Examples
    --------
    >>> to_numbers(" 1., .5 1e-3", lambda at, message: DataError(message), 0)
    [1.0, 0.5, 0.001]
    """
    if not _OTHER_THAN_NUMBERS.search(text):
        try:
            return [float(word) for word in text.replace(",", " ").split()]
        except ValueError:
            pass
    words = re.finditer(r"[^\s,]+", text)
    bad = next(word for word in words if not _NUMBER.fullmatch(word[0]))
    raise fault(at + bad.start(), f"{shown(bad[0])} is not a finite number")


class Scanner:
    r"""A text that is read word by word, from the left to the right.

    Parameters
    ----------
    text : str
        The text.
    comment : str
        The pattern of a comment; what it matches counts as space.
    marks : str
        The characters that are a word of their own, beside quotes.
    kept : str
        A comment that begins so is no comment: what follows the two first characters is read.

    Examples
    --------
    >>> scanner = Scanner('node "a b" { % a comment\n x; }', comment="%[^\n]*", marks="{};")
    >>> scanner.word("a keyword"), scanner.word("a name"), scanner.take("{")
    ('node', 'a b', True)
    >>> scanner.word("a name"), scanner.take("}")
    ('x', False)
    """

    def __init__(self, text: str, *, comment: str, marks: str, kept: str = "") -> None:
        self.at = 0
        self.text = text
        self.text = self._without_comments(comment, kept)
        self._word = re.compile(rf'{_QUOTED}"|[^\s,"{re.escape(marks)}]+')
        self._item = re.compile(rf'{_QUOTED}"|[^\s,"{re.escape(marks)}]+|[^\s,]')

    def fault(self, at: int, message: str) -> DataError:
        """Return the error at an offset."""
        return DataError(f"{place(self.text, at)}: {message}")

    def _without_comments(self, comment: str, kept: str) -> str:
        """Return the text with spaces for comments: offsets stay as they are."""

        def spaces(found: re.Match[str]) -> str:
            part = found[0]
            if found["quoted"] is not None:
                if not part.endswith('"') or len(part) == 1:
                    raise self.fault(found.start(), "the quote is never closed")
                return part
            if part.startswith("/*") and not (part.endswith("*/") and len(part) > 3):
                raise self.fault(found.start(), "the comment is never closed")
            if kept and part.startswith(kept):
                return "  " + part[2:]
            return re.sub(r"[^\n]", " ", part)

        pattern = re.compile(rf'{_QUOTED}(?:"|\\?\Z)|{comment}', re.DOTALL)
        return pattern.sub(spaces, self.text)

    def skip_space(self) -> int:
        """Go to the next word or mark and return its offset; commas are space."""
        match = _SPACE.match(self.text, self.at)
        assert match is not None
        self.at = match.end()
        return self.at

    def ended(self) -> bool:
        """Say whether nothing is left."""
        return self.skip_space() == len(self.text)

    def next_word(self) -> str:
        """Return the next word or mark, but stay before it; nothing at the end."""
        match = self._item.match(self.text, self.skip_space())
        return match[0] if match else ""

    def match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Read what a pattern matches here, or nothing."""
        match = pattern.match(self.text, self.skip_space())
        if match:
            self.at = match.end()
        return match

    def take(self, mark: str) -> bool:
        """Read the mark if it comes next."""
        if not self.text.startswith(mark, self.skip_space()):
            return False
        self.at += len(mark)
        return True

    def expect(self, mark: str) -> None:
        """Read the mark, which must come next."""
        if not self.take(mark):
            raise self.unexpected(repr(mark))

    def word(self, what: str) -> str:
        """Read a word or a quoted text, which must come next."""
        match = self.match(self._word)
        if not match:
            raise self.unexpected(what)
        return match[0] if match["quoted"] is None else _ESCAPED.sub(r"\1", match["quoted"])

    def unexpected(self, what: str) -> DataError:
        """Return the error that something else was needed here."""
        found = self.next_word()
        return self.fault(
            self.at, f"{what} is needed, not {shown(found)}" if found else f"{what} is missing"
        )

    def words(self, end: str, what: str) -> list[str]:
        """Read words until a mark, and the mark."""
        found = []
        while not self.take(end):
            found.append(self.word(what))
        return found

    def until_semicolon(self) -> tuple[str, int]:
        """Read until a semicolon that is not in quotes; return what is before it, and where."""
        at = self.skip_space()
        match = self.match(_UNTIL_SEMICOLON)
        if not match:
            raise self.fault(at, "no ';' ends this")
        return match[1], at


_UNTIL_SEMICOLON = re.compile(r'((?:[^";]++|"[^"\\]*+(?:\\.[^"\\]*+)*+")*+);', re.DOTALL)
