"""The best choice of parent sets without a cycle, by integer programming with cluster rules.

One variable of the program for each parent set; each child takes one. Clusters (see cluster_cuts)
are added as they are violated: first to the linear relaxation, whose duals give a bound, then to
the integer program, until its answer has no cycle. The bound of the relaxation is computed from its
duals, and holds whatever the solver's tolerances are; the integer program's answer is the solver's
word, with scores scaled so that its tolerance is within 1e-9 of the score.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from dagwright.run import Run
from dagwright.search.base import rounding
from dagwright.search.cluster_cuts import Bools, Chosen, Floats, outside, violated_clusters
from dagwright.search.parent_sets import ParentSets

__all__ = ["Solved", "check_solver", "solve"]

_PATIENCE = 25
"""Rounds of the relaxation without progress, then the integer program."""


@dataclass(frozen=True)
class Solved:
    """The best choice found, if any, and what no choice exceeds."""

    parents: tuple[tuple[int, ...], ...] | None
    score: float
    bound: float


def check_solver() -> Any:
    """Return the package of the solver, or say how to get it."""
    try:
        import highspy
    except ImportError:
        raise ImportError(
            "integer programming needs highspy: pip install 'dagwright[ilp]'"
        ) from None
    return highspy


def solve(
    sets: ParentSets, start: tuple[tuple[int, ...], ...] | None, start_score: float, run: Run
) -> Solved:
    """Improve on a start, if there is one, until it is proved best or the run ends."""
    return _Search(sets, start, start_score, run).solve()


class _Search:
    def __init__(
        self,
        sets: ParentSets,
        start: tuple[tuple[int, ...], ...] | None,
        start_score: float,
        run: Run,
    ) -> None:
        self.n_variables = len(sets.names)
        self.run = run
        self.best = start
        self.best_score = start_score if start is not None else -math.inf
        self.bound = sets.bound
        children = list(sets.children)
        self.child = np.repeat(np.arange(self.n_variables), [len(own.scores) for own in children])
        self.members = np.concatenate([own.members for own in children])
        self.scores = np.concatenate([own.scores for own in children])
        # Sets that were not found stand as one that breaks no rule, with the score they may have.
        rest = np.array([own.rest for own in children])
        unknown = np.flatnonzero(rest > -math.inf)
        self.known = np.arange(len(self.scores) + len(unknown)) < len(self.scores)
        self.child = np.concatenate([self.child, unknown])
        self.members = np.concatenate(
            [self.members, np.zeros((len(unknown), self.n_variables), dtype=bool)]
        )
        self.scores = np.concatenate([self.scores, rest[unknown]])
        # The solver sees what is lost against the best: numbers of a size it is made for.
        self.top = np.full(self.n_variables, -np.inf)
        np.maximum.at(self.top, self.child, self.scores)
        self.active = np.ones(len(self.scores), dtype=bool)
        place = {name: i for i, name in enumerate(sets.names)}
        self.rules: list[Bools] = [
            self._connecting(place[start], place[end]) for start, end in sets.adjacent
        ]

    def _connecting(self, one: int, other: int) -> Bools:
        """Say which sets connect two variables; of these one at least is chosen."""
        one_way: Bools = (self.child == one) & self.members[:, other]
        other_way: Bools = (self.child == other) & self.members[:, one]
        return one_way | other_way | ~self.known

    def solve(self) -> Solved:
        if math.isinf(self.bound):  # of some child nothing is known
            return Solved(self.best, self.best_score, self.bound)
        highs = self._program()
        if self._relaxation(highs):
            self._integers(highs)
        return Solved(self.best, self.best_score, max(self.bound, self.best_score))

    def _program(self) -> Any:
        highspy = check_solver()
        highs = highspy.Highs()
        highs.silent()
        highs.setOptionValue("threads", 1)  # whatever the number, the answer is the same
        none: npt.NDArray[np.int32] = np.array([], dtype=np.int32)
        m = len(self.scores)
        self.scale = max(1.0, 1e4 / (1 + abs(math.fsum(self.top))))
        loss = self.scale * (self.top[self.child] - self.scores)
        highs.addCols(m, loss, np.zeros(m), np.ones(m), 0, none, none, np.array([]))
        for v in range(self.n_variables):
            own = np.flatnonzero(self.child == v)
            highs.addRow(1.0, 1.0, len(own), own, np.ones(len(own)))
        for rule in self.rules:
            self._add_row(highs, rule)

        def look(event: Any) -> None:
            if self.run.stopping():
                event.interrupt()

        highs.cbSimplexInterrupt += look
        highs.cbMipInterrupt += look
        return highs

    def _run(self, highs: Any) -> None:
        """Let the solver work as long as the run may; it looks at its own clock most often."""
        if self.run.time_limit is not None:
            left = max(0.0, self.run.time_limit - self.run.seconds)
            highs.setOptionValue("time_limit", highs.getRunTime() + left)
        highs.run()

    @staticmethod
    def _add_row(highs: Any, rule: Bools) -> None:
        at = np.flatnonzero(rule)
        highs.addRow(1.0, math.inf, len(at), at, np.ones(len(at)))

    def _add_cluster(self, highs: Any, cluster: Bools) -> None:
        rule = outside(self.child, self.members, cluster)
        self.rules.append(rule)
        self._add_row(highs, rule)

    def _relaxation(self, highs: Any) -> bool:
        """Add clusters to the relaxation; say whether the integer program has anything to do."""
        highspy = check_solver()
        without_progress = 0
        while not self.run.stopping():
            self._run(highs)
            status = highs.getModelStatus()
            if status == highspy.HighsModelStatus.kInfeasible:
                self.bound = self.best_score
                return False
            if status != highspy.HighsModelStatus.kOptimal:
                return not self.run.stopping()
            before = self.bound
            solution = highs.getSolution()
            weight = np.array(solution.col_value)
            self._tighten(highs, np.array(solution.row_dual)[self.n_variables :])
            self._try_order_of(weight)
            if self.bound <= self.best_score + rounding(self.best_score):
                return False
            clusters = violated_clusters(self._chosen(weight))
            if not clusters:
                clusters = self._most_violated(weight)
            if not clusters:
                return True
            for cluster in clusters:
                self._add_cluster(highs, cluster)
            without_progress = 0 if self.bound < before - 1e-4 else without_progress + 1
            if without_progress > _PATIENCE:
                return True
            self._report()
        return False

    def _chosen(self, weight: Floats) -> Chosen:
        at = np.flatnonzero((weight > 1e-9) & self.active)
        return Chosen(self.child[at], self.members[at], weight[at], self.n_variables)

    def _tighten(self, highs: Any, duals: Floats) -> None:
        """Lower the bound by the prices of the rules; drop sets that cannot be in a better graph.

        With prices >= 0 for the rules, each child's best set counting what it pays, minus all
        prices: a bound for any prices.
        """
        prices = np.maximum(duals, 0.0) / self.scale
        used = np.flatnonzero(prices)
        paid = self.scores.copy()
        for i in used:
            paid[self.rules[i]] += prices[i]
        paid[~self.active] = -np.inf
        tops = np.full(self.n_variables, -np.inf)
        np.maximum.at(tops, self.child, paid)
        bound = math.fsum(tops) - math.fsum(prices[used])
        self.bound = min(self.bound, bound)
        too_low = self.best_score - rounding(self.best_score)
        drop = np.flatnonzero(self.active & (bound + paid - tops[self.child] < too_low))
        if len(drop):
            self.active[drop] = False
            zeros = np.zeros(len(drop))
            highs.changeColsBounds(len(drop), drop.astype(np.int32), zeros, zeros)

    def _try_order_of(self, weight: Floats) -> None:
        """Make a graph of a fractional choice: first comes what can have most of its choice."""
        placed = np.zeros(self.n_variables, dtype=bool)
        possible = ~self.members.any(axis=1) & self.known
        chosen: dict[int, int] = {}
        while not placed.all():
            mass = np.zeros(self.n_variables)
            np.add.at(mass, self.child[possible], weight[possible] + 1e-12)
            mass[placed] = -1.0
            v = int(np.argmax(mass))
            own = np.flatnonzero(possible & (self.child == v))
            if mass[v] <= 0 or not len(own):
                return
            chosen[v] = int(own[np.argmax(self.scores[own])])
            placed[v] = True
            possible = ~(self.members & ~placed).any(axis=1) & self.known
        self._offer([chosen[v] for v in range(self.n_variables)])

    def _offer(self, choice: list[int]) -> None:
        score = math.fsum(self.scores[choice])
        better = score > self.best_score + (rounding(score) if self.best is not None else 0.0)
        if not better or not self.known[choice].all():
            return
        taken = np.zeros(len(self.scores), dtype=bool)
        taken[choice] = True
        if not all((rule & taken).any() for rule in self.rules):
            return  # two that must be connected are not
        self.best_score = score
        self.best = tuple(tuple(np.flatnonzero(self.members[i]).tolist()) for i in choice)
        self._report()

    def _most_violated(self, weight: Floats) -> list[Bools]:
        """Find a violated cluster if there is one: an integer program of its own."""
        highspy = check_solver()
        chosen = self._chosen(weight)
        n, m = self.n_variables, len(chosen.child)
        highs = highspy.Highs()
        highs.silent()
        highs.setOptionValue("threads", 1)
        none: npt.NDArray[np.int32] = np.array([], dtype=np.int32)
        # The members of the cluster, then the sets of members that have a parent in it.
        cost = np.concatenate([np.ones(n), -chosen.weight])
        highs.addCols(n + m, cost, np.zeros(n + m), np.ones(n + m), 0, none, none, np.array([]))
        for v in range(n):
            highs.changeColIntegrality(v, highspy.HighsVarType.kInteger)
        highs.addRow(2.0, math.inf, n, np.arange(n), np.ones(n))
        for i in range(m):
            own = [n + i, int(chosen.child[i])]
            highs.addRow(-math.inf, 0.0, 2, own, [1.0, -1.0])
            parents = np.flatnonzero(chosen.members[i])
            at = np.concatenate([[n + i], parents])
            ones = np.concatenate([[1.0], -np.ones(len(parents))])
            highs.addRow(-math.inf, 0.0, len(at), at, ones)
        highs.cbMipInterrupt += lambda event: event.interrupt() if self.run.stopping() else None
        self._run(highs)
        solution = np.array(highs.getSolution().col_value)
        if len(solution) < n or highs.getInfo().objective_function_value > 1 - 1e-6:
            return []
        return [solution[:n] > 0.5]

    def _integers(self, highs: Any) -> None:
        """Solve with integers, and again with the clusters that the answer violates."""
        highspy = check_solver()
        status = highspy.HighsModelStatus
        at = np.flatnonzero(self.active).astype(np.int32)
        integer = np.full(len(at), highspy.HighsVarType.kInteger)
        highs.changeColsIntegrality(len(at), at, integer)
        highs.setOptionValue("mip_rel_gap", 0.0)
        highs.setOptionValue("mip_abs_gap", 1e-7)
        highs.setOptionValue("mip_feasibility_tolerance", 1e-9)
        while not self.run.stopping():
            self._run(highs)
            ended = highs.getModelStatus()
            if ended == status.kInfeasible:
                self.bound = self.best_score
                return
            lost = highs.getInfo().mip_dual_bound / self.scale
            self.bound = min(self.bound, math.fsum(self.top) - lost)
            if ended != status.kOptimal:
                return
            if self.bound <= self.best_score + rounding(self.best_score):
                return
            choice = self._choice(np.round(np.array(highs.getSolution().col_value)))
            cyclic = _on_cycles(self.members[choice])
            if not cyclic.any():
                self._offer(choice)
                if self.known[choice].all():  # a graph, and no choice is better
                    self.bound = self.best_score
                return
            whole = np.zeros(len(self.scores))
            whole[choice] = 1.0
            for cluster in [cyclic, *violated_clusters(self._chosen(whole))]:
                self._add_cluster(highs, cluster)
            self._report()

    def _choice(self, weight: Floats) -> list[int]:
        chosen = np.flatnonzero(weight)
        return chosen[np.argsort(self.child[chosen])].tolist()  # type: ignore[no-any-return]

    def _report(self) -> None:
        self.run.progress.step += 1
        self.run.progress.score = max(self.run.progress.score, self.best_score)


def _on_cycles(parents: Bools) -> Bools:
    """Say which variables are left when those without a parent among the rest are taken away."""
    left = np.ones(len(parents), dtype=bool)
    while (sources := left & ~parents[:, left].any(axis=1)).any():
        left &= ~sources
    return left
