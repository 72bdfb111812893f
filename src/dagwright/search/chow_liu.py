"""Chow and Liu's algorithm: the best tree, or the best forest."""

from __future__ import annotations

from dataclasses import dataclass

from dagwright import _core
from dagwright._names import arrow, listed
from dagwright.constraints import Constraints
from dagwright.errors import SpecError
from dagwright.run import Run
from dagwright.scorer import Scorer
from dagwright.search.base import Found, from_native, searches
from dagwright.search.narrowing import NarrowingSearch, narrowed, variable_number

__all__ = ["ChowLiu", "check_tree_memory"]

_MOST_TREE_BYTES = 4 << 30


@searches.add
@dataclass(frozen=True)
class ChowLiu(NarrowingSearch):
    """Find the best tree, in which every variable but one has one parent, or the best forest.

    The tree is the one of greatest likelihood: the maximum spanning tree on the mutual information
    of all pairs (Chow and Liu 1968), the score and the structure prior aside. The forest is the one
    of greatest score, prior included: it has only edges that gain, which for BIC are those whose
    mutual information is above (r - 1)(s - 1) ln N / (2N) for r and s states. Both are optima, not
    approximations, and take time for the pairs of variables only: for as many as 10,000 of them.

    All constraints are honoured. Where they, the score or the prior care for the direction of
    edges, the best branching is found instead (Chu and Liu 1965, Edmonds 1967), which takes memory
    for all pairs. If there is no tree that satisfies them, ``forest=False`` gives the forest of the
    fewest trees, and of those the one of greatest likelihood. Constraints that demand two parents
    for a variable, or edges in a ring, are refused.

    Parameters
    ----------
    root : str, optional
        The variable that has no parent; all edges of its tree point away from it. By default the
        first in the canonical order, that of highest entropy; where directions matter, the best.
    forest : bool
        Find the forest of greatest score instead of the tree of greatest likelihood.

    Notes
    -----
    Weights that differ by rounding only are ties, which go to the pair that is first in the
    canonical order of the variables; edges of no mutual information at all join the last parts of
    a tree. The trace has the edges, those that add most to the score first. The mutual information
    of all pairs is :func:`dagwright.mutual_information_matrix`.

    References
    ----------
    Chow, C. K. and Liu, C. N. (1968). Approximating discrete probability distributions with
    dependence trees. IEEE Transactions on Information Theory 14.

    Edmonds, J. (1967). Optimum branchings. Journal of Research of the National Bureau of Standards
    71B.

    Examples
    --------
    >>> import dagwright as dw
    >>> table = dw.Table({
    ...     "a": ["n", "n", "y", "y"] * 9,
    ...     "b": ["n", "n", "y", "y"] * 9,
    ...     "c": ["n", "y", "n", "y"] * 9,
    ... })
    >>> dw.learn(table, search=dw.ChowLiu(root="b")).dag.edges
    (('a', 'c'), ('b', 'a'))
    >>> dw.learn(table, search=dw.ChowLiu(root="b", forest=True)).dag.edges
    (('b', 'a'),)
    """

    root: str | None = None
    forest: bool = False
    name = "chow-liu"

    def __post_init__(self) -> None:
        if self.root is not None and not isinstance(self.root, str):
            raise SpecError(f"ChowLiu: root must be the name of a variable, not {self.root!r}")
        if not isinstance(self.forest, bool):
            raise SpecError(f"ChowLiu: forest must be True or False, not {self.forest!r}")

    def find(self, scorer: Scorer, constraints: Constraints, run: Run) -> Found:
        """Weigh all pairs and join the best."""
        root = None
        if self.root is not None:
            root = variable_number("ChowLiu: root", self.root, scorer)
        native = self._narrowed(scorer, constraints)
        if (self.forest and not scorer.score_equivalent) or _core.tree_is_directed(
            native, root, None
        ):
            check_tree_memory("ChowLiu", scorer)
        with scorer.naming_errors():
            found = _core.chow_liu(scorer.native, native, root, self.forest, run.native)
        return from_native(found, scorer, run)

    def _narrowed(self, scorer: Scorer, constraints: Constraints) -> _core.Constraints:
        one_parent = "ChowLiu: in a tree a variable has at most one parent"
        for child in sorted({child for _, child in constraints.required}):
            parents = [parent for parent, end in constraints.required if end == child]
            if len(parents) > 1:
                raise SpecError(
                    f"{one_parent}, but {listed(parents)} are required parents of {child!r}; "
                    "drop all but one of them"
                )
            if child == self.root:
                raise SpecError(
                    f"ChowLiu: root={self.root!r} has no parent, but "
                    f"{arrow((parents[0], child))} is required; choose another root or drop it"
                )
        if self.root is None or not constraints.names:
            return narrowed(one_parent, constraints, scorer, max_parents=1)
        into_root = [(name, self.root) for name in scorer.names if name != self.root]
        why = f"{one_parent}, and root={self.root!r} has none"
        return narrowed(why, constraints, scorer, max_parents=1, forbidden=into_root)


def check_tree_memory(search: str, scorer: Scorer) -> None:
    """Refuse so many variables that the weights of all directed pairs do not fit in memory."""
    n = len(scorer.names)
    needed = 12 * n**2
    if needed > _MOST_TREE_BYTES:
        raise SpecError(
            f"{search}: where directions matter, one weight for each pair of variables is kept: "
            f"{needed / 2**30:.1f} GiB for {n:,} variables, more than {_MOST_TREE_BYTES >> 30}: "
            "select fewer variables, or drop what makes directions matter (required and forbidden "
            "edges, tiers, max_parameters; a score or prior that is not score-equivalent)"
        )
