"""Specs: small immutable settings of a score, a search or a prior, known by name."""

from __future__ import annotations

import ast
import math
import numbers
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, fields
from typing import Any, ClassVar, Generic, TypeVar

from dagwright.errors import SpecError, did_you_mean

__all__ = ["Registry", "Spec", "check_number", "check_positive", "check_whole"]


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

    def _keep(self, **settings: Any) -> None:
        """Set what ``__post_init__`` checked, as plain values instead of numpy's."""
        for setting, value in settings.items():
            object.__setattr__(self, setting, value)


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

        A single setting may go without its name: ``bdeu:10``. Lists are in brackets,
        names in them without quotes or with: ``k2-search:order=[age,sex,'blood pressure']``.
        """
        name, _, rest = text.partition(":")
        spec = self[name.strip().lower()]
        known = _settings(spec)
        parts = [part for part in (part.strip() for part in _split(rest)) if part]
        settings: dict[str, Any] = {}
        for part in parts:
            key, equals, value = (piece.strip() for piece in part.partition("="))
            if not equals and len(parts) == 1 and known:
                key, value = known[0], part
            elif not equals:
                raise SpecError(
                    f"{self.kind} {text!r}: {part!r} is not setting=value; {_known(known)}"
                )
            if key in settings:
                raise SpecError(f"{self.kind} {text!r}: {key} is given twice; give it once")
            settings[key] = _literal(value)
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
                    f"{self.kind} {spec.name!r} has no setting {key!r}: {_known(known)}"
                    + did_you_mean(key, known)
                )
        absent = [setting for setting in _required(spec) if setting not in settings]
        if absent:
            example = ",".join(f"{setting}=..." for setting in absent)
            raise SpecError(f"{self.kind} {spec.name!r} needs {spec.name}:{example}")
        return spec(**settings)


def check_number(
    setting: str, value: object, rule: str, holds: Callable[[float], bool]
) -> int | float:
    """Return a number as a plain one; refuse what is none, or breaks the rule."""
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        try:
            number = float(value)
            if holds(number):
                return int(value) if isinstance(value, numbers.Integral) else number
        except OverflowError:
            pass
    raise SpecError(f"{setting} must be {rule}, not {value!r}")


def check_positive(setting: str, value: object) -> int | float:
    """Return a finite number above 0."""
    return check_number(setting, value, "a finite number above 0", lambda x: 0 < x < math.inf)


def check_whole(setting: str, value: object, least: int, most: int | None = None) -> int:
    """Return a whole number from `least` to `most` as an int."""
    if isinstance(value, numbers.Integral) and not isinstance(value, bool):
        whole = int(value)
        if whole >= least and (most is None or whole <= most):
            return whole
    rule = f"{least} or more" if most is None else f"from {least} to {most}"
    raise SpecError(f"{setting} must be a whole number, {rule}, not {value!r}")


def _settings(spec: type[Spec]) -> list[str]:
    return [field.name for field in fields(spec)]  # type: ignore[arg-type]


def _required(spec: type[Spec]) -> list[str]:
    return [
        field.name
        for field in fields(spec)  # type: ignore[arg-type]
        if field.default is MISSING and field.default_factory is MISSING
    ]


def _known(settings: list[str]) -> str:
    return f"known are {', '.join(settings)}" if settings else "it has none"


def _split(text: str, in_list: bool = False) -> list[str]:
    """Split at the commas outside of brackets and, in a list, of quotes."""
    parts, depth, quote = [""], 0, ""
    for character in text:
        if quote:
            quote = "" if character == quote else quote
        elif (in_list or depth > 0) and character in "'\"":
            quote = character
        else:
            depth += (character in "([{") - (character in ")]}")
        if character == "," and depth <= 0 and not quote:
            parts.append("")
        else:
            parts[-1] += character
    return parts


def _literal(text: str) -> Any:
    if text in ("true", "false"):
        return text == "true"
    for read in (ast.literal_eval, float):  # float knows nan and inf
        try:
            return read(text)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            continue
    if text.startswith("[") and text.endswith("]"):  # of names without quotes
        return [_literal(part.strip()) for part in _split(text[1:-1], in_list=True)]
    return {"true": True, "false": False}.get(text.lower(), text)


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
