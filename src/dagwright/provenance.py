"""How a result was made: its settings and the versions of the programs, ready for JSON."""

from __future__ import annotations

import platform
from functools import cache
from importlib.metadata import version
from typing import Any

from dagwright.specs import Spec

__all__ = ["described", "versions"]


@cache
def _version() -> str:
    return version("dagwright")  # reads a file


def versions() -> dict[str, str]:
    """Return the versions of what made a result."""
    return {"dagwright": _version(), "python": platform.python_version()}


def described(spec: object) -> dict[str, Any]:
    """Return a spec as plain values; of an object of the user's own, its name."""
    return spec.to_dict() if isinstance(spec, Spec) else {"name": type(spec).__name__}
