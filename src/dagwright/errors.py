"""The errors of dagwright: each message names the subject, the rule, the value and the fix."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

__all__ = ["DagwrightError", "DataError", "GraphError", "Interrupted", "SpecError", "Unfinished"]


class DagwrightError(Exception):
    """Base of all errors that dagwright raises on purpose."""


class DataError(DagwrightError, ValueError):
    """The data cannot be used as they are: missing values, floats, unknown states, bad files."""


class GraphError(DagwrightError, ValueError):
    """A graph or a constraint is impossible: a cycle, an unknown node, a contradiction."""


class SpecError(DagwrightError, ValueError):
    """A setting is out of its range or not of its kind."""


class Unfinished(DagwrightError, TimeoutError):
    """A run was stopped, by its time limit or its callback, before it had any answer."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C ended a run; ``result`` is the best that was found until then."""

    def __init__(self, result: object) -> None:
        super().__init__("interrupted; the best result so far is in the exception's `result`")
        self.result: Any = result


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a hint at the known name that is most like the given one, or nothing.

    Examples
    --------
    >>> did_you_mean("smok", ["smoke", "cancer"])
    "; did you mean 'smoke'?"
    """
    from difflib import get_close_matches

    close = get_close_matches(name, list(known), n=1)
    return f"; did you mean {close[0]!r}?" if close else ""
