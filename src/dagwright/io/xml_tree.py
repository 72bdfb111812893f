"""XML as a tree whose elements know their line and column, safe from what a stranger sends."""

from __future__ import annotations

from dataclasses import dataclass, field
from xml.parsers import expat

from dagwright.errors import DataError
from dagwright.io.scanner import place, shown, to_numbers

__all__ = ["Element", "XmlTree", "element_numbers"]

MAX_DEPTH = 100


@dataclass(slots=True)
class Element:
    """An element, and the text that is directly in it."""

    tag: str
    attributes: dict[str, str]
    at: int
    parts: list[str] = field(default_factory=list)
    children: list[Element] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The text without the space around it."""
        return "".join(self.parts).strip()

    def all(self, *tags: str) -> list[Element]:
        """Return the children with one of the tags."""
        return [child for child in self.children if child.tag in tags]


class XmlTree:
    r"""The tree of a text; a document type is skipped, but entities are refused.

    Examples
    --------
    >>> tree = XmlTree("<a>\n <b c='1'>text</b></a>")
    >>> tree.root.all("b")[0].text
    'text'
    >>> tree.fault(tree.root.all("b")[0].at, "no good")
    DataError('line 2, column 2: no good')
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._open: list[Element] = []
        self._parser = parser = expat.ParserCreate()
        parser.buffer_text = True
        # A default for attributes would be copied into every element.
        parser.specified_attributes = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        parser.CommentHandler = lambda comment: self._characters(" ")
        parser.EntityDeclHandler = self._entity
        parser.SkippedEntityHandler = self._skipped
        self._roots: list[Element] = []
        try:
            parser.Parse(text, True)
        except expat.ExpatError as error:
            reason = expat.ErrorString(error.code)
            raise DataError(
                f"line {error.lineno}, column {error.offset + 1}: not XML: {reason}"
            ) from None
        except UnicodeEncodeError:
            raise DataError("not XML: it has half a character") from None
        self.root = self._roots[0]

    def fault(self, at: int, message: str) -> DataError:
        """Return the error at an offset, which expat counts in bytes."""
        before = self._text.encode()[:at].decode()
        return DataError(f"{place(before, len(before))}: {message}")

    def _here(self, message: str) -> DataError:
        return self.fault(self._parser.CurrentByteIndex, message)

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if len(self._open) == MAX_DEPTH:
            raise self._here(f"elements are nested more than {MAX_DEPTH} deep")
        element = Element(tag, attributes, self._parser.CurrentByteIndex)
        (self._open[-1].children if self._open else self._roots).append(element)
        self._open.append(element)

    def _end(self, tag: str) -> None:
        self._open.pop()

    def _characters(self, text: str) -> None:
        if self._open:
            self._open[-1].parts.append(text)

    def _entity(self, name: str, *rest: object) -> None:
        raise self._here(f"the entity {shown(name)} is declared, which is not safe: remove it")

    def _skipped(self, name: str, is_parameter: bool) -> None:
        raise self._here(f"the entity {shown(name)} is not known")


def element_numbers(tree: XmlTree, element: Element) -> list[float]:
    """Return the numbers that are the text of an element."""
    return to_numbers(element.text, lambda at, message: tree.fault(element.at, message), 0)
