"""Which edges of many graphs are taken for real: a threshold found from the strengths."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["inclusion_threshold"]


def inclusion_threshold(strengths: npt.ArrayLike) -> float:
    """Return the strength that an edge has to exceed, after Scutari and Nagarajan (2013).

    With data without end every strength would be 0 or 1, and their distribution function F would
    be flat between: at the share t of the pairs without an edge. The t is taken for which that is
    nearest to the F that was observed, in L1 distance, and the threshold is the least strength x
    with F(x) >= t, where x = 0 counts as observed.

    The distance is the integral of abs(F(x) - t) over x from 0 to 1, and is least when t is the
    median of F(x). F never falls, so that is F(1/2), and the threshold is the largest strength
    that is not above 1/2: what exceeds it is in most graphs. (Where F jumps at 1/2 the best t is
    not unique, and the largest is taken.) R's bnlearn finds the least distance numerically, so
    that its t may lie a hair above F(1/2): then its threshold is the next higher strength.

    References
    ----------
    Scutari, M. and Nagarajan, R. (2013). Identifying significant edges in graphical models of
    molecular networks. Artificial Intelligence in Medicine 57.

    Examples
    --------
    >>> from dagwright.posterior.inclusion_threshold import inclusion_threshold
    >>> inclusion_threshold([0.0, 0.1, 0.3, 0.9, 1.0])
    0.3
    """
    known = np.asarray(strengths, dtype=np.float64)
    return float(known[known <= 0.5].max(initial=0.0))
