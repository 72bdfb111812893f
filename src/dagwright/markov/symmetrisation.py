"""One graph of what two variables say of their coupling."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dagwright.errors import SpecError

__all__ = ["Symmetrisation", "check_symmetrisation", "edges_above", "strengths"]

Symmetrisation = Literal["and", "or", "mean"]

_KINDS = ("and", "or", "mean")


def check_symmetrisation(kind: object) -> None:
    """Refuse what is no symmetrisation."""
    if kind not in _KINDS:
        raise SpecError(
            f"symmetrisation must be one of {', '.join(map(repr, _KINDS))}, not {kind!r}"
        )


def strengths(couplings: NDArray[np.float64], kind: Symmetrisation) -> NDArray[np.float64]:
    """Return how strong each pair is: the weaker, the stronger or the mean of both couplings.

    Examples
    --------
    >>> import numpy as np
    >>> both = np.array([[0.0, 0.4], [0.2, 0.0]])
    >>> [float(strengths(both, kind)[0, 1].round(3)) for kind in ("and", "or", "mean")]
    [0.2, 0.4, 0.3]
    """
    if kind == "mean":
        return np.abs(couplings + couplings.T) / 2
    sizes = np.abs(couplings)
    return np.minimum(sizes, sizes.T) if kind == "and" else np.maximum(sizes, sizes.T)


def edges_above(strength: NDArray[np.float64], threshold: float) -> list[tuple[int, int]]:
    """Return the pairs that are stronger than the threshold."""
    first, second = np.nonzero(np.triu(strength > threshold, k=1))
    return list(zip(first.tolist(), second.tolist(), strict=True))
