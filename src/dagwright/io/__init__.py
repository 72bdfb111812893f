"""Files in and out."""

from dagwright.io.read import read

__all__ = ["read"]
