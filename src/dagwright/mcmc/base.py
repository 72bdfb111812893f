"""What every sampler is: settings, a state made of a graph, and chains in the core."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from dagwright import _core
from dagwright.errors import SpecError
from dagwright.scorer import Scorer
from dagwright.specs import Registry, Spec, check_number, check_whole

__all__ = [
    "MOST_CANDIDATES",
    "Chains",
    "Parents",
    "Sampler",
    "check_share",
    "samplers",
]

MOST_CANDIDATES = 20
"""Of one variable: a table has a number for each set of them."""

Parents = Sequence[Sequence[int]]
"""The parents of each variable, by the core's numbers."""


@dataclass(frozen=True)
class Chains:
    """What chains in the core are made of, but for the sampler's own settings."""

    scorer: Scorer
    constraints: _core.Constraints
    table: _core.ParentTable
    states: Sequence[Sequence[Sequence[int]]]
    """By chain and by temperature."""
    thin: int
    seed: int
    n_done: int
    """Draws that were made before, those of the warmup too."""
    run: _core.Run


class Sampler(Spec, ABC):
    """Base of the samplers.

    ``max_candidates``: how many possible parents a variable has whose sets are all in a table;
    ``temperatures``: 1, then rising, for parallel tempering.
    """

    max_candidates: int
    temperatures: tuple[float, ...]

    def __post_init__(self) -> None:
        name = type(self).__name__
        self._keep(
            max_candidates=check_whole(
                f"{name}: max_candidates", self.max_candidates, 0, MOST_CANDIDATES
            ),
            temperatures=_check_temperatures(name, self.temperatures),
        )

    @abstractmethod
    def state_of(self, parents: Parents) -> list[int]:
        """Return where a chain begins that begins with this graph."""

    @abstractmethod
    def is_state(self, state: Sequence[int], n: int) -> bool:
        """Say whether a chain over so many variables can be there."""

    @abstractmethod
    def chains(self, chains: Chains) -> _core.Sampler:
        """Make the chains."""

    @property
    def betas(self) -> list[float]:
        """The inverse temperatures."""
        return [1 / temperature for temperature in self.temperatures]


samplers: Registry[Sampler] = Registry("sampler")


def check_share(setting: str, value: object) -> float:
    """Return a share of the moves, which may not be all of them."""
    return check_number(setting, value, "at least 0 and less than 1", lambda x: 0 <= x < 1)


def _check_temperatures(sampler: str, temperatures: object) -> tuple[float, ...]:
    """Return temperatures that begin with 1 and rise."""
    rule = f"{sampler}: temperatures must be numbers that begin with 1 and rise"
    if isinstance(temperatures, str) or not isinstance(temperatures, Iterable):
        raise SpecError(f"{rule}, such as (1, 2, 4), not {temperatures!r}")
    values = [
        check_number(f"{sampler}: a temperature", value, "a finite number", math.isfinite)
        for value in temperatures
    ]
    rising = all(low < high for low, high in pairwise(values))
    if not values or values[0] != 1 or not rising or len(values) > 64:
        raise SpecError(f"{rule}, at most 64 of them, such as (1, 2, 4), not {temperatures!r}")
    return tuple(values)
