"""The answer to a query: a distribution over one variable or several."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagwright.errors import DataError

__all__ = ["Distribution"]

_SHOWN = 20


@dataclass(frozen=True, eq=False)
class Distribution:
    """Probabilities of the states of one variable, or of the joint states of several.

    Attributes
    ----------
    variables : tuple of str
    states : mapping of str to tuple
        The states of each variable.
    probabilities : array
        One axis a variable; they sum to 1.
    method : str
        How they were computed: "elimination", "junction tree", "belief propagation", ...
    standard_errors : array or None
        Of estimates from samples, cell by cell; None where the numbers are exact.
    report : mapping
        What else is worth knowing: the effective sample size, whether messages converged.

    Examples
    --------
    >>> import dagwright as dw
    >>> model = dw.networks.load("asia")
    >>> answer = model.query("lung", given={"smoke": "yes"})
    >>> round(answer["yes"], 6)
    0.1
    >>> answer.most_probable
    {'lung': 'no'}
    """

    variables: tuple[str, ...]
    states: Mapping[str, tuple[Any, ...]]
    probabilities: NDArray[np.float64]
    method: str
    standard_errors: NDArray[np.float64] | None
    report: Mapping[str, Any]

    def __getitem__(self, state: Any) -> float:
        """Return the probability of a state, or of a tuple of states, one a variable."""
        wanted = state if isinstance(state, tuple) and len(self.variables) > 1 else (state,)
        if len(wanted) != len(self.variables):
            raise DataError(
                f"give one state for each of {list(self.variables)}, as in answer[a, b], "
                f"not {state!r}"
            )
        return float(self.probabilities[tuple(map(self._code, self.variables, wanted))])

    def _code(self, variable: str, state: Any) -> int:
        known = self.states[variable]
        state = state.item() if isinstance(state, np.generic) else state
        for code, own in enumerate(known):
            if type(own) is type(state) and own == state:
                return code
        raise DataError(f"{variable!r} has no state {state!r}: its states are {list(known)}")

    @property
    def most_probable(self) -> dict[str, Any]:
        """The most probable joint state; the first one of those that tie."""
        codes = np.unravel_index(int(self.probabilities.argmax()), self.probabilities.shape)
        return {
            variable: self.states[variable][int(code)]
            for variable, code in zip(self.variables, codes, strict=True)
        }

    def items(self) -> Iterator[tuple[tuple[Any, ...], float]]:
        """Go through the joint states, the last variable fastest, with their probabilities."""
        every = product(*(self.states[variable] for variable in self.variables))
        return zip(every, map(float, self.probabilities.ravel()), strict=True)

    def to_dict(self) -> dict[Any, float]:
        """Return probabilities by state; by tuple of states if there are several variables.

        Examples
        --------
        >>> import dagwright as dw
        >>> dw.networks.load("asia").query("asia").to_dict()
        {'yes': 0.01, 'no': 0.99}
        """
        single = len(self.variables) == 1
        return {states[0] if single else states: value for states, value in self.items()}

    def __repr__(self) -> str:
        errors = None if self.standard_errors is None else self.standard_errors.ravel()
        lines = []
        for at, (states, value) in enumerate(self.items()):
            if at == _SHOWN:
                lines.append(f"... {self.probabilities.size - _SHOWN:,} more")
                break
            error = "" if errors is None else f" +- {errors[at]:.4f}"
            lines.append(f"{', '.join(map(str, states))}: {value:.6f}{error}")
        return f"P({', '.join(self.variables)}) by {self.method}\n" + "\n".join(lines)
