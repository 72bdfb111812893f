"""A joint distribution as the joint states that have probability."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Cells", "Name", "numbered"]

Name = str | int
"""A variable's name, or the number of an axis of an array that names none."""


@dataclass(frozen=True, eq=False)
class Cells:
    """The joint states with probability, one row of codes each, and their probabilities."""

    variables: tuple[Name, ...]
    states: Mapping[Any, tuple[Any, ...]]
    codes: NDArray[np.int64]
    probabilities: NDArray[np.float64]

    def probabilities_in(self, other: Cells) -> NDArray[np.float64]:
        """Return what the other distribution gives to each of these joint states.

        States are matched by what they are, not by their place: tables may list them differently.
        """
        both = np.concatenate([self.codes, self._codes_of(other)])
        place = numbered(both, [int(own.max(initial=0)) + 1 for own in both.T])
        found = np.zeros(int(place.max(initial=0)) + 1)
        found[place[len(self.codes) :]] = other.probabilities
        return found[place[: len(self.codes)]]

    def _codes_of(self, other: Cells) -> NDArray[np.int64]:
        """Return the other's codes in the numbering of these; states of its own come after."""
        codes = np.empty_like(other.codes)
        for axis, variable in enumerate(self.variables):
            known = {(type(state), state): code for code, state in enumerate(self.states[variable])}
            other_axis = other.variables.index(variable)
            translated = [
                known.setdefault((type(state), state), len(known))
                for state in other.states[variable]
            ]
            codes[:, axis] = np.array(translated)[other.codes[:, other_axis]]
        return codes


def numbered(codes: NDArray[np.int64], n_states: list[int]) -> NDArray[np.int64]:
    """Return a number for each row of codes, the same for equal rows: 0, 1, ... without gaps.

    Examples
    --------
    >>> numbered(np.array([[1, 0], [0, 3], [1, 0]]), [2, 4]).tolist()
    [1, 0, 1]
    """
    place = np.zeros(len(codes), dtype=np.int64)
    for axis, n in enumerate(n_states):  # numbered anew each time: no product overflows
        place = np.unique(place * n + codes[:, axis], return_inverse=True)[1].reshape(-1)
    return place
