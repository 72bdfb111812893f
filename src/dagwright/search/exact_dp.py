"""The best graph of all, with a proof: dynamic programming over sets of variables."""

from __future__ import annotations

from dataclasses import dataclass

from dagwright import _core
from dagwright.constraints import Constraints
from dagwright.errors import SpecError
from dagwright.graph import Dag
from dagwright.run import Run
from dagwright.scorer import Scorer
from dagwright.search.base import Found, NativeSearch, searches
from dagwright.search.hill_climb import HillClimb
from dagwright.specs import check_positive

__all__ = ["ExactDP"]

_MOST_VARIABLES = 31


@searches.add
@dataclass(frozen=True)
class ExactDP(NativeSearch):
    """The best graph of all that satisfy the constraints, by dynamic programming.

    First the parent sets of each variable that may be in an optimal graph are found: sets are
    scored by size, and dropped, with all that contain them, when a subset scores as high and a
    bound says that more parents cannot make up for it. Then, for every set of variables, the best
    graph over it is the best choice of a last variable (a sink) and the best graph over the rest
    (Silander and Myllymaki 2006). Memory doubles with each variable, and a little more: 25
    variables take 1.1 GiB. With BIC and 1,000 rows that is a matter of seconds. The bound for BDeu,
    K2 and the like is weak, so that nearly all sets are scored: up to about 16 variables, or with
    ``Constraints(max_parents=...)``, that is quick; 20 take minutes.

    ``result.bound`` is the score itself. A run that is stopped returns the graph of a hill climb,
    and a bound that no graph exceeds.

    Parameters
    ----------
    max_bytes : float
        Refuse, before the work, what needs more memory than this.

    References
    ----------
    Silander, T. and Myllymaki, P. (2006). A simple approach for finding the globally optimal
    Bayesian network structure. Uncertainty in Artificial Intelligence 22.

    Examples
    --------
    >>> import dagwright as dw
    >>> result = dw.learn(dw.networks.load("asia").sample(500, seed=1), search=dw.ExactDP())
    >>> result.reason, result.gap
    ('optimal', 0.0)
    """

    max_bytes: float = 4 * 2.0**30
    name = "exact-dp"

    def __post_init__(self) -> None:
        self._keep(max_bytes=check_positive("ExactDP: max_bytes", self.max_bytes))

    def refusal(self, scorer: Scorer, constraints: Constraints) -> str | None:
        """Say that there are too many variables for the memory."""
        n = len(scorer.names)
        needed = _core.exact_dp_bytes(n)
        if n <= _MOST_VARIABLES and needed <= self.max_bytes:
            return None
        return (
            f"ExactDP keeps numbers for every set of variables: {needed / 2**30:,.1f} GiB for {n} "
            f"variables, more than max_bytes={self.max_bytes / 2**30:,.1f} GiB (and it takes at "
            f"most {_MOST_VARIABLES} variables): select fewer variables, or take a search without "
            "a proof, such as Auto()"
        )

    def find(self, scorer: Scorer, constraints: Constraints, run: Run) -> Found:
        """Find the optimum; if stopped, the best that hill climbing found, and a bound."""
        if (reason := self.refusal(scorer, constraints)) is not None:
            raise SpecError(reason)
        climbed = HillClimb().find(scorer, constraints, run)
        native = constraints.resolve(scorer.source.names, scorer.source.n_states)
        with scorer.naming_errors():
            optimum = _core.exact_dp(scorer.native, native, self.max_bytes, run.native)
        run.progress.score = max(run.progress.score, optimum.score)
        if optimum.parents is None:
            return Found(climbed.dag, reason=run.reason or "memory", bound=optimum.bound)
        names = scorer.source.names
        parents = {names[i]: [names[p] for p in own] for i, own in enumerate(optimum.parents)}
        dag = Dag.from_parents({name: parents[name] for name in scorer.names})
        return Found(dag, reason="optimal", bound=optimum.bound)
