"""Tree-augmented naive Bayes: a target that is a parent of all, and a tree over the others."""

from __future__ import annotations

from dataclasses import dataclass

from dagwright import _contradictions, _core
from dagwright._names import arrow
from dagwright.constraints import Constraints
from dagwright.errors import SpecError
from dagwright.run import Run
from dagwright.scorer import Scorer
from dagwright.search.base import Found, from_native, searches
from dagwright.search.chow_liu import check_tree_memory
from dagwright.search.narrowing import NarrowingSearch, narrowed, variable_number

__all__ = ["TreeAugmentedNaiveBayes"]

_NAME = "TreeAugmentedNaiveBayes"


@searches.add
@dataclass(frozen=True)
class TreeAugmentedNaiveBayes(NarrowingSearch):
    """Find the best graph in which a target is a parent of all variables, and these make a tree.

    A model to predict the target: every other variable has the target and at most one more of the
    others as its parents. The tree is the maximum spanning tree on the mutual information of all
    pairs given the target, so that the graph is the one of greatest likelihood of its kind
    (Friedman, Geiger and Goldszmidt 1997). The score and the structure prior have no say in it.

    All constraints are honoured, as in :class:`ChowLiu`: where no whole tree satisfies them, the
    graph has the forest of the fewest trees; with ``max_parents=1`` it is plain naive Bayes. What
    does not allow the target to be a parent of every variable, or demands more parents, is refused.

    Parameters
    ----------
    target : str
        The variable that is a parent of all others.

    Notes
    -----
    The weights are ``dagwright.mutual_information_matrix(data, given=target)``. The trace has the
    edges from the target, then those of the tree, each of these groups with the edges that add most
    to the score first.

    References
    ----------
    Friedman, N., Geiger, D. and Goldszmidt, M. (1997). Bayesian network classifiers. Machine
    Learning 29.

    Examples
    --------
    >>> import dagwright as dw
    >>> table = dw.Table({
    ...     "flu": ["n", "n", "y", "y"] * 9,
    ...     "fever": ["n", "y", "n", "y"] * 9,
    ...     "chills": ["n", "y", "n", "y"] * 9,
    ... })
    >>> dw.learn(table, search=dw.TreeAugmentedNaiveBayes("flu")).dag.edges
    (('flu', 'fever'), ('flu', 'chills'), ('chills', 'fever'))
    """

    target: str
    name = "tree-augmented-naive-bayes"

    def __post_init__(self) -> None:
        if not isinstance(self.target, str):
            raise SpecError(f"{_NAME}: target must be the name of a variable, not {self.target!r}")

    def find(self, scorer: Scorer, constraints: Constraints, run: Run) -> Found:
        """Weigh all pairs given the target and join the best."""
        target = variable_number(f"{_NAME}: target", self.target, scorer)
        native = self._narrowed(scorer, constraints)
        if _core.tree_is_directed(native, None, target):
            check_tree_memory(_NAME, scorer)
        with scorer.naming_errors():
            found = _core.tree_augmented_naive_bayes(scorer.native, native, target, run.native)
        return from_native(found, scorer, run)

    def _narrowed(self, scorer: Scorer, constraints: Constraints) -> _core.Constraints:
        others = [name for name in scorer.names if name != self.target]
        rules = _contradictions.Rules(constraints)
        required = set(constraints.required)
        for name in others:
            reason = rules.ruled_out((self.target, name))
            if (name, self.target) in required:
                reason = f"{arrow((name, self.target))} is required"
            if reason is not None:
                raise SpecError(
                    f"{_NAME}: the target {self.target!r} is a parent of every variable, but "
                    f"{reason}; drop that, leave {name!r} out, or choose another target"
                )
        if constraints.max_parents == 0 and others:
            raise SpecError(
                f"{_NAME}: the target {self.target!r} is a parent of every variable, but "
                "max_parents=0; allow one parent, or two for a tree"
            )
        return narrowed(
            f"{_NAME}: a variable has the target {self.target!r} and at most one more parent",
            constraints,
            scorer,
            max_parents=2,
            required=[(self.target, name) for name in others],
        )
