"""Specs: small immutable settings of a score, a search or a prior, known by name."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from typing import Any, ClassVar, Generic, TypeVar

from dagwright.errors import SpecError, did_you_mean

__all__ = ["Registry", "Spec", "check_positive"]


class Spec:
    """Base of all specs: a frozen dataclass whose fields are plain values."""

    name: ClassVar[str] = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the spec as plain JSON values; functions are named, not kept.

        Examples
        --------
        >>> from dagwright import BDeu
        >>> BDeu(ess=10).to_dict()
        {'name': 'bdeu', 'ess': 10}
        """
        return {"name": self.name} | {
            setting: _plain(getattr(self, setting)) for setting in _settings(type(self))
        }


T = TypeVar("T", bound=Spec)


class Registry(Generic[T]):
    """The specs of one kind by name: what the command line, files and conformance tests know."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._specs: dict[str, type[T]] = {}

    def add(self, spec: type[T]) -> type[T]:
        """Register a spec class under its ``name``; used as a decorator."""
        self._specs[spec.name] = spec
        return spec

    def __iter__(self) -> Iterator[type[T]]:
        return iter(self._specs.values())

    def __getitem__(self, name: str) -> type[T]:
        try:
            return self._specs[name]
        except KeyError:
            raise SpecError(
                f"unknown {self.kind} {name!r}: known are {', '.join(self._specs)}"
                + did_you_mean(name, self._specs)
            ) from None

    def parse(self, text: str) -> T:
        """Read a spec as the command line writes it: ``bdeu:ess=10``.

        A single setting may go without its name: ``bdeu:10``.
        """
        name, _, rest = text.partition(":")
        spec = self[name.strip().lower()]
        known = _settings(spec)
        settings: dict[str, Any] = {}
        for part in filter(None, (part.strip() for part in rest.split(","))):
            key, equals, value = part.partition("=")
            if not equals:
                if len(rest.split(",")) > 1 or not known:
                    raise SpecError(f"{self.kind} {text!r}: {part!r} is not a setting=value")
                key, value = known[0], part
            settings[key.strip()] = _literal(value.strip())
        return self._make(spec, settings)

    def from_dict(self, values: Mapping[str, Any]) -> T:
        """Make the spec that ``to_dict`` wrote."""
        spec = self[str(values.get("name"))]
        settings = {key: value for key, value in values.items() if key != "name"}
        for key, value in settings.items():
            if isinstance(value, Mapping) and "function" in value:
                raise SpecError(
                    f"{self.kind} {spec.name!r}: {key} was the function {value['function']!r}, "
                    "which a file cannot keep; make the spec in Python"
                )
        return self._make(spec, settings)

    def _make(self, spec: type[T], settings: dict[str, Any]) -> T:
        known = _settings(spec)
        for key in settings:
            if key not in known:
                raise SpecError(
                    f"{self.kind} {spec.name!r} has no setting {key!r}: "
                    + (f"known are {', '.join(known)}" if known else "it has none")
                    + did_you_mean(key, known)
                )
        try:
            return spec(**settings)
        except TypeError as error:
            raise SpecError(f"{self.kind} {spec.name!r}: {error}") from error


def check_positive(spec: str, setting: str, value: object) -> None:
    """Refuse what is not a finite number above 0."""
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or not 0 < value < float("inf")
    ):
        raise SpecError(f"{spec}: {setting} must be a finite number above 0, not {value!r}")


def _settings(spec: type[Spec]) -> list[str]:
    return [field.name for field in fields(spec)]  # type: ignore[arg-type]


def _literal(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def _plain(value: Any) -> Any:
    match value:
        case None | bool() | int() | float() | str():
            return value
        case Mapping():
            return [[_plain(key), _plain(item)] for key, item in value.items()]
        case list() | tuple() | set() | frozenset():
            return [_plain(item) for item in value]
    if hasattr(value, "tolist"):
        return value.tolist()
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if isinstance(value, Callable):  # type: ignore[arg-type]
        return {"function": getattr(value, "__qualname__", repr(value))}
    raise SpecError(f"a setting of type {type(value).__name__} cannot be written to a file")
