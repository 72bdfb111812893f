"""The K2 algorithm: given an order, each variable takes parents greedily from those before it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from dagwright import _core
from dagwright._names import arrow, listed
from dagwright.constraints import Constraints
from dagwright.errors import SpecError, did_you_mean
from dagwright.graph import Dag
from dagwright.run import Run
from dagwright.scorer import Scorer
from dagwright.scores import K2, Score
from dagwright.search.base import Found, Step, from_native, rounding, searches
from dagwright.search.narrowing import NarrowingSearch, narrowed
from dagwright.specs import check_whole

__all__ = ["K2Search"]

_ORDERS = ("chow-liu", "random")
_RESTARTS = 20
_AT_ONCE = 256  # orders; enough for any number of threads


@searches.add
@dataclass(frozen=True)
class K2Search(NarrowingSearch):
    """Let each variable take parents greedily from those before it in an order.

    The algorithm of Cooper and Herskovits (1992): the variable before it that adds most to the
    score becomes a parent, again and again, while that adds anything. The graph is as good as the
    order. The score is free; ``dw.learn`` takes :class:`K2` when none is given.

    All constraints are honoured. Orders that are drawn or come from the tree follow required edges,
    and tiers wherever those leave a choice.

    Parameters
    ----------
    order : "chow-liu", "random" or a list of names
        The topological order of the Chow-Liu tree; orders drawn at random, of which the best is
        kept; or all variables in an order of your own, along which the constraints can be
        satisfied.
    restarts : int, optional
        Random orders after the first one; 20 by default. Several are tried at a time on several
        threads; with the same seed the answer is the same for any number of threads.
    max_parents : int, optional
        No variable takes more parents; ``Constraints(max_parents=...)`` says the same.

    Notes
    -----
    The trace has the additions along the best order, variable by variable. With several orders it
    begins with one step for each, whose operator is ``order``, whose score is what that order led
    to, and which names no edge.

    References
    ----------
    Cooper, G. F. and Herskovits, E. (1992). A Bayesian method for the induction of probabilistic
    networks from data. Machine Learning 9.

    Examples
    --------
    >>> import dagwright as dw
    >>> table = dw.Table({"a": ["n", "n", "y", "y"] * 9, "b": ["n", "n", "y", "y"] * 9})
    >>> result = dw.learn(table, search=dw.K2Search(order=["b", "a"]))
    >>> result.dag.edges, result.info.score
    ((('b', 'a'),), {'name': 'k2'})
    """

    order: str | tuple[str, ...] = "chow-liu"
    restarts: int | None = None
    max_parents: int | None = None
    name = "k2-search"
    default_score: ClassVar[Score | None] = K2()

    def __post_init__(self) -> None:
        self._keep(order=_checked_order(self.order))
        if self.restarts is not None:
            self._keep(restarts=check_whole("K2Search: restarts", self.restarts, 0, 2**31))
            if self.order != "random":
                raise SpecError(
                    f"K2Search: restarts={self.restarts} is for random orders: give order='random'"
                    " too, or leave it out"
                )
        if self.max_parents is not None:
            self._keep(max_parents=check_whole("K2Search: max_parents", self.max_parents, 0))

    def find(self, scorer: Scorer, constraints: Constraints, run: Run) -> Found:
        """Follow the order, or each of several."""
        native = self._narrowed(scorer, constraints)
        with scorer.naming_errors():
            if self.order == "random":
                return self._along_random_orders(scorer, native, run)
            if self.order == "chow-liu":
                order = _core.chow_liu_order(scorer.native, native, run.native)
            else:
                number = scorer.source.number()
                order = [number[name] for name in self.order]
            found = _core.k2_search(scorer.native, native, [order], run.native)
        return from_native(found.best, scorer, run)

    def _along_random_orders(self, scorer: Scorer, native: _core.Constraints, run: Run) -> Found:
        """Draw some orders at a time: there may be more than fit into memory, or into the time."""
        n_orders = 1 + (_RESTARTS if self.restarts is None else self.restarts)
        best: _core.Found | None = None
        least = -math.inf
        tried: list[Step] = []
        for first in range(0, n_orders, _AT_ONCE):
            count = min(_AT_ONCE, n_orders - first)
            orders = _core.random_orders(native, count, run.seed, first)
            found = _core.k2_search(scorer.native, native, orders, run.native)
            if best is None or (found.scores and found.best.score > least):
                best = found.best
                least = best.score + rounding(best.score)  # ties go to the first
            run.progress.score = best.score
            tried += [Step("order", "", "", 0.0, score) for score in found.scores]
            if run.stopping():
                break
        assert best is not None  # there is at least one order
        named = from_native(best, scorer, run)
        return named if n_orders == 1 else Found(named.dag, (*tried, *named.trace), named.reason)

    def _narrowed(self, scorer: Scorer, constraints: Constraints) -> _core.Constraints:
        own_bound = f"K2Search: max_parents={self.max_parents}"
        native = narrowed(own_bound, constraints, scorer, max_parents=self.max_parents)
        if not isinstance(self.order, str):
            _check_names(self.order, scorer.names)
            self._check_along(self.order, scorer, constraints)
        return native

    def _check_along(
        self, order: tuple[str, ...], scorer: Scorer, constraints: Constraints
    ) -> None:
        """Refuse constraints that cannot be satisfied along the order."""
        place = {name: i for i, name in enumerate(order)}
        for edge in constraints.required:
            if place[edge[0]] > place[edge[1]]:
                raise SpecError(
                    f"K2Search: the edge {arrow(edge)} is required, but in the order "
                    f"{edge[1]!r} comes before {edge[0]!r}; swap them or drop the edge"
                )
        pairs = [sorted(pair, key=place.__getitem__) for pair in constraints.adjacent]
        demanded = Dag([*constraints.required, *map(tuple, pairs)], nodes=scorer.names)
        bounds = [b for b in (self.max_parents, constraints.max_parents) if b is not None]
        values = {**vars(constraints), "max_parents": min(bounds, default=None)}
        n_states = [scorer.data.n_states[name] for name in scorer.names]
        broken = Constraints(**values).violations(demanded, n_states)
        if broken:
            raise SpecError(
                f"K2Search: the required and adjacent edges cannot all be there along the order: "
                f"{broken[0]}; change the order or the constraints"
            )


def _checked_order(order: object) -> str | tuple[str, ...]:
    if isinstance(order, str) and order in _ORDERS:
        return order
    if isinstance(order, str) or not isinstance(order, Iterable):
        raise SpecError(
            f"K2Search: order must be {', '.join(_ORDERS)}, or a list of names, not {order!r}"
        )
    names = tuple(order)
    for name in names:
        if not isinstance(name, str):
            raise SpecError(
                f"K2Search: order must have the names of variables, which are text, not {name!r}; "
                f"write {str(name)!r}"
            )
    return names


def _check_names(order: tuple[str, ...], names: tuple[str, ...]) -> None:
    """Refuse an order that does not have every variable exactly once."""
    known = set(names)
    unknown = [name for name in order if name not in known]
    if unknown:
        raise SpecError(
            f"K2Search: the order has {listed(unknown)}, which the data have not"
            + (did_you_mean(unknown[0], names) or f"; there are {listed(names)}")
        )
    repeated = [name for name, count in Counter(order).items() if count > 1]
    if repeated:
        raise SpecError(f"K2Search: the order has {listed(repeated)} more than once; name it once")
    missing = [name for name in names if name not in set(order)]
    if missing:
        raise SpecError(f"K2Search: the order lacks {listed(missing)}; it must name every variable")
