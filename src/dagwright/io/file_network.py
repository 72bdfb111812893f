"""A Bayesian network as files of other programs have it: names, states and full tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

__all__ = ["FileNetwork"]


@dataclass(frozen=True)
class FileNetwork:
    """What every format can say of a network, in one shape; readers make it, writers take it.

    Attributes
    ----------
    states : mapping of str to tuple of str
        The variables in the order of the file, each with its states; all are text here.
    parents : mapping of str to tuple of str
        The parents of each variable, in the order in which its table has them.
    probabilities : mapping of str to array
        One axis a parent, in that order, and the last for the variable's own states; rows sum to 1.
        A row of NaN is undefined: nothing is known of that configuration.
    """

    states: Mapping[str, tuple[str, ...]]
    parents: Mapping[str, tuple[str, ...]]
    probabilities: Mapping[str, NDArray[np.float64]] = field(repr=False)
