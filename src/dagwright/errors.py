"""The errors of dagwright: each message names the subject, the rule, the value and the fix."""

__all__ = ["DagwrightError", "DataError", "GraphError", "SpecError"]


class DagwrightError(Exception):
    """Base of all errors that dagwright raises on purpose."""


class DataError(DagwrightError, ValueError):
    """The data cannot be used as they are: missing values, floats, unknown states, bad files."""


class GraphError(DagwrightError, ValueError):
    """A graph or a constraint is impossible: a cycle, an unknown node, a contradiction."""


class SpecError(DagwrightError, ValueError):
    """A setting is out of its range or not of its kind."""
