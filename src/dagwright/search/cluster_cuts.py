"""Clusters that a fractional choice of parent sets violates.

In an acyclic graph every set of variables, a cluster, has a member without a parent in it. So over
the members of a cluster, the chosen sets without a parent in it sum to 1 at least. There are 2^n
such rules; those that a solution of the others violates are looked for and added.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["Chosen", "outside", "violated_clusters"]

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]

_LEAST_VIOLATION = 1e-4
_MOST_CLUSTERS = 200


class Chosen:
    """The sets of a solution that have some weight."""

    def __init__(
        self, child: npt.NDArray[np.int64], members: Bools, weight: Floats, n_variables: int
    ) -> None:
        self.child = child
        self.members = members
        self.weight = weight
        self.own = np.zeros((n_variables, len(child)))
        """A row a variable: the weights of its own sets."""
        self.own[child, np.arange(len(child))] = weight


def outside(child: npt.NDArray[np.int64], members: Bools, cluster: Bools) -> Bools:
    """Say which sets belong to a member of the cluster and have no parent in it."""
    return cluster[child] & ~members[:, cluster].any(axis=1)


def violated_clusters(chosen: Chosen) -> list[Bools]:
    """Return clusters whose rule the solution violates, the most violated first.

    From every variable, the one is added that leaves least weight outside, as long as the cluster
    can still be violated. That finds one in nearly all solutions that violate any.
    """
    n_variables = len(chosen.own)
    found: dict[bytes, tuple[float, Bools]] = {}
    parents_of = chosen.own @ chosen.members  # weight of each possible parent, a row a child
    starts = [[v] for v in range(n_variables)]
    both_ways = (parents_of > 0.01) & (parents_of.T > 0.01)
    starts += [[v, parent] for v, parent in np.argwhere(both_ways).tolist() if v < parent]
    for start in starts:
        cluster = np.zeros(n_variables, dtype=bool)
        cluster[start] = True
        hit: Bools = np.logical_or.reduce(chosen.members[:, start], axis=1)
        best_excess, best_cluster = _LEAST_VIOLATION, None
        while True:
            inside = chosen.weight * cluster[chosen.child]
            if cluster.sum() > 1:
                excess = float(inside @ hit) - cluster.sum() + 1
                if excess > best_excess:
                    best_excess, best_cluster = excess, cluster.copy()
            # What each further variable would add: sets that it hits, and its own that are hit.
            gain = inside @ (chosen.members & ~hit[:, None]) + chosen.own @ hit
            gain[cluster] = -np.inf
            added = int(np.argmax(gain))
            if gain[added] <= 0 or cluster.all():
                break
            cluster[added] = True
            hit |= chosen.members[:, added]
        if best_cluster is not None:
            found[best_cluster.tobytes()] = (best_excess, best_cluster)
    ordered = sorted(found.values(), key=lambda pair: -pair[0])
    return [cluster for _, cluster in ordered[:_MOST_CLUSTERS]]
