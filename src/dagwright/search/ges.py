"""Greedy equivalence search: from class to class of equivalent graphs, while the score rises."""

from __future__ import annotations

from dataclasses import dataclass

from dagwright import _core
from dagwright.constraints import Constraints
from dagwright.errors import SpecError
from dagwright.run import Run
from dagwright.scorer import Scorer
from dagwright.search.base import (
    Found,
    NativeSearch,
    check_equivalent,
    from_native,
    searches,
)
from dagwright.search.start import CLASS_BYTES, too_many_pairs
from dagwright.specs import Spec

__all__ = ["GES"]


@searches.add
@dataclass(frozen=True)
class GES(NativeSearch):
    """Greedy equivalence search: go from class to class of equivalent graphs while the score rises.

    Graphs that state the same independences are one place in this search, so that it cannot be
    stuck among them as hill climbing over graphs can. A forward phase adds edges, a backward phase
    removes them, a turning phase reverses them; each takes the best move over all members of the
    class, until none gains. If the independences in the population are exactly those of some graph,
    and the score is consistent (BIC, BDeu, BDe), the first two phases find its class as the number
    of rows grows without bound (Chickering 2002). For the rows at hand the result is a local
    optimum. Nothing is drawn at random, and ties are settled the same way for any order of rows and
    of variables.

    It takes scores and structure priors that are score-equivalent: the others have no one number
    for a class. All constraints are honoured: a class is visited if one of its members satisfies
    them, and such a member is the graph returned.

    Parameters
    ----------
    turning : bool
        Whether there is a turning phase (Hauser and Buhlmann 2012).
    repeat : bool
        Go through the phases again until none of them gains; False is one pass through each.

    Notes
    -----
    A step of the trace adds, removes or reverses its edge in some members of the class, which need
    not be those the step before led to, nor the graph returned. ``reason`` is "local optimum" when
    no addition, removal or reversal of an edge in any member of the last class gains, and "phases
    done" when turning or repeat is off, so that such moves were not all tried.

    The moves at a node are as many as the cliques among its neighbours by reversible edges, which
    double with each member of the largest one. At most 4,096 cliques a node are tried, the smaller
    first, and at most a GiB of moves that gain is kept; ``reason`` is "subset limit" when there may
    be more. It happens where a score has next to no price for edges;
    ``Constraints(max_parents=...)`` bounds the cliques.

    References
    ----------
    Chickering, D. M. (2002). Optimal structure identification with greedy search. Journal of
    Machine Learning Research 3.

    Hauser, A. and Buhlmann, P. (2012). Characterization and greedy learning of interventional
    Markov equivalence classes of directed acyclic graphs. Journal of Machine Learning Research 13.

    Examples
    --------
    Rain and a sprinkler make the grass wet: the only class in which these two are independent.

    >>> import dagwright as dw
    >>> table = dw.Table({
    ...     "rain": ["n", "n", "y", "y"] * 9,
    ...     "sprinkler": ["n", "y", "n", "y"] * 9,
    ...     "wet": ["n", "y", "y", "y"] * 9,
    ... })
    >>> result = dw.learn(table, search=dw.GES())
    >>> result.dag.cpdag().compelled, result.reason
    ((('rain', 'wet'), ('sprinkler', 'wet')), 'local optimum')
    """

    turning: bool = True
    repeat: bool = True
    name = "ges"

    def __post_init__(self) -> None:
        for setting in ("turning", "repeat"):
            if not isinstance(getattr(self, setting), bool):
                raise SpecError(
                    f"GES: {setting} must be True or False, not {getattr(self, setting)!r}"
                )

    def refusal(self, scorer: Scorer, constraints: Constraints) -> str | None:
        """Say that the score or the prior is not score-equivalent, or the variables too many."""
        if not scorer.score_equivalent:
            return _not_equivalent(scorer)
        return too_many_pairs("GES", "may keep a move", CLASS_BYTES, len(scorer.names))

    def find(self, scorer: Scorer, constraints: Constraints, run: Run) -> Found:
        """Go from class to class up to a local optimum."""
        if (reason := self.refusal(scorer, constraints)) is not None:
            raise SpecError(reason)
        native = constraints.resolve(scorer.source.names, scorer.source.n_states)
        with scorer.naming_errors():
            found = _core.ges(scorer.native, native, self.turning, self.repeat, run.native)
        instead = "take a search over graphs, such as HillClimb()"
        check_equivalent("GES", found, scorer, instead)
        return from_native(found, scorer, run)


def _not_equivalent(scorer: Scorer) -> str:
    if getattr(scorer.score_spec, "score_equivalent", False):
        culprit = f"structure prior {type(scorer.structure_prior).__name__}"
        instead = "EdgePenalty(...) or Uniform()"
    else:
        culprit = f"score {type(scorer.score_spec).__name__}"
        instead = "BIC(), AIC(), BDeu() or BDe(...)"
        if not isinstance(scorer.score_spec, Spec):
            instead = f"{instead}, say score_equivalent = True in your own if it is"
    return (
        "GES searches classes of equivalent graphs and needs one number for each, but the "
        f"{culprit} is not score-equivalent: take {instead}, or take a search over graphs, such as "
        "HillClimb()"
    )
