"""How to write names, texts and paths in SQL."""

import re
from pathlib import Path

__all__ = ["identifier", "literal", "path_literal"]


def path_literal(file: Path) -> str:
    """Return the path of one file: a file that is there is meant, never a pattern."""
    return literal(re.sub(r"([*?\[])", r"[\1]", str(file.absolute())))


def literal(text: str) -> str:
    """Return a text in quotes."""
    return "'" + text.replace("'", "''") + "'"


def identifier(text: str) -> str:
    """Return a name in quotes."""
    return '"' + text.replace('"', '""') + '"'
