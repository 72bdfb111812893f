"""Which edges hang on a setting: graphs over a path of equivalent sample sizes or of prices."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from dagwright.constraints import Constraints
from dagwright.draw.axes import colour, marker, new_axes
from dagwright.errors import Interrupted, SpecError
from dagwright.experiments.check_any import check_any
from dagwright.graph import Dag
from dagwright.posterior.replicates import find_whole
from dagwright.provenance import described, versions
from dagwright.run import Callback, start_run
from dagwright.scorer import Scorer
from dagwright.scores import BDeu, Penalized, Score
from dagwright.search import HillClimb
from dagwright.search.base import Search, check_search
from dagwright.side_by_side import Done, run_side_by_side
from dagwright.specs import check_number, check_positive

if TYPE_CHECKING:
    from dagwright.structure_priors import StructurePrior

__all__ = ["PathEdge", "PathGraph", "Sensitivity", "sensitivity"]

_ESS = (0.1, 0.5, 1, 2, 5, 10, 20, 50, 100)
_MOST_DRAWN = 60


@dataclass(frozen=True)
class PathGraph:
    """The graph at one point of a path."""

    setting: str
    """What varies: "ess" or "penalty"."""
    value: float
    dag: Dag
    score: float


@dataclass(frozen=True)
class PathEdge:
    """A pair of nodes that some graph joins, and how each graph of the path has it.

    ``there`` has one word a graph: "->" where start -> end is in every graph of the class, "<-"
    where the other direction is, "--" where the direction does not matter to the data, and ""
    where the pair is not joined.
    """

    start: str
    end: str
    there: tuple[str, ...]

    @property
    def count(self) -> int:
        """How many graphs join the pair."""
        return sum(map(bool, self.there))

    def __str__(self) -> str:
        directions = {own for own in self.there if own}
        if len(directions) > 1:
            return f"{self.start} - {self.end}"
        return f"{self.start} {directions.pop()} {self.end}"


@dataclass(frozen=True)
class Sensitivity:
    """What :func:`dagwright.sensitivity` returns.

    Attributes
    ----------
    graphs : tuple of PathGraph
        By setting, then by rising value.
    reason : str
        Why it ended: "done", "time limit", "callback" or "interrupted"; then some are not there.
    info : mapping
        The search, constraints, structure prior, seed, digest of the data, versions.

    Examples
    --------
    >>> import dagwright as dw
    >>> table = dw.networks.load("asia").sample(500, seed=1)
    >>> print(dw.sensitivity(table.select(["smoke", "lung", "bronc", "dysp"]), ess=[1, 10, 100]))
    setting        value  edges           score
    ess                1      4      -1,004.905
    ess               10      4      -1,005.291
    ess              100      6      -1,069.193
    In all 3 graphs: smoke -- lung, smoke -- bronc, lung - dysp, bronc - dysp
    In some: smoke -- dysp (1), lung -- bronc (1)
    """

    graphs: tuple[PathGraph, ...]
    reason: str
    info: Mapping[str, Any]

    @cached_property
    def edges(self) -> tuple[PathEdge, ...]:
        """The pairs that some graph joins, those that most graphs join first."""
        classes = [own.dag.cpdag() for own in self.graphs]
        directed = [set(own.compelled) for own in classes]
        joined = [{frozenset(edge) for edge in own.skeleton()} for own in classes]
        place = {name: number for number, name in enumerate(self.graphs[0].dag.nodes)}
        pairs = sorted(
            (sorted(pair, key=place.__getitem__) for pair in frozenset().union(*joined)),
            key=lambda pair: [place[name] for name in pair],
        )

        def word(number: int, start: str, end: str) -> str:
            if frozenset((start, end)) not in joined[number]:
                return ""
            if (start, end) in directed[number]:
                return "->"
            return "<-" if (end, start) in directed[number] else "--"

        numbers = range(len(classes))
        found = [PathEdge(a, b, tuple(word(number, a, b) for number in numbers)) for a, b in pairs]
        return tuple(sorted(found, key=lambda edge: -edge.count))

    @property
    def stable(self) -> tuple[PathEdge, ...]:
        """The pairs that every graph joins."""
        return tuple(edge for edge in self.edges if edge.count == len(self.graphs))

    def at(self, setting: str, value: float) -> Dag:
        """Return the graph at one point of a path.

        Examples
        --------
        >>> import dagwright as dw
        >>> table = dw.networks.load("asia").sample(500, seed=1)
        >>> found = dw.sensitivity(table, ess=[1, 100])
        >>> len(found.at("ess", 1).edges) < len(found.at("ess", 100).edges)
        True
        """
        for own in self.graphs:
            if (own.setting, own.value) == (setting, value):
                return own.dag
        known = ", ".join(f"{own.setting}={own.value:g}" for own in self.graphs)
        raise SpecError(f"there is no graph of {setting}={value!r}: there are {known}")

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain JSON values."""
        return {
            "graphs": [
                {
                    "setting": own.setting,
                    "value": own.value,
                    "score": own.score,
                    "edges": [list(edge) for edge in own.dag.edges],
                }
                for own in self.graphs
            ],
            "edges": [[edge.start, edge.end, list(edge.there)] for edge in self.edges],
            "stable": [[edge.start, edge.end] for edge in self.stable],
            "reason": self.reason,
            "info": dict(self.info),
        }

    def plot(self, setting: str | None = None, ax: Any = None) -> Any:
        """Draw which pairs are joined along one path, a line a pair; return the matplotlib axes.

        Parameters
        ----------
        setting : {"ess", "penalty"}, optional
            By default that of the first graph.
        ax : matplotlib axes, optional
        """
        setting = self.graphs[0].setting if setting is None else setting
        places = [n for n, own in enumerate(self.graphs) if own.setting == setting]
        if not places:
            raise SpecError(f"there is no path of {setting!r}")
        ax = new_axes(ax)
        shown = [edge for edge in self.edges if any(edge.there[n] for n in places)][:_MOST_DRAWN]
        kinds = {"direction by the data": ("->", "<-"), "direction open": ("--",)}
        for number, (label, words) in enumerate(kinds.items()):
            dots = [
                (self.graphs[n].value, height)
                for height, edge in enumerate(shown)
                for n in places
                if edge.there[n] in words
            ]
            x, y = zip(*dots, strict=True) if dots else ((), ())
            ax.scatter(x, y, s=18, color=colour(number), marker=marker(number), label=label)
        values = [self.graphs[n].value for n in places]
        if min(values) > 0:
            ax.set_xscale("log")
        names = [f"{edge.start} - {edge.end}" for edge in shown] or [""]
        ax.set_yticks(range(len(names)), names, fontsize=min(10.0, 300 / len(names)))
        ax.invert_yaxis()
        ax.set_xlabel("equivalent sample size" if setting == "ess" else "price of a parameter")
        ax.set_ylabel("edge")
        always = sum(all(edge.there[n] for n in places) for edge in self.edges)
        ax.set_title(f"Edges over {setting}: {always} in every graph")
        ax.legend(loc="lower left", framealpha=0.7)
        return ax

    def __str__(self) -> str:
        lines = [f"{'setting':<10}{'value':>10}{'edges':>7}{'score':>16}"]
        lines += [
            f"{own.setting:<10}{own.value:>10g}{len(own.dag.edges):>7}{own.score:>16,.3f}"
            for own in self.graphs
        ]
        always = ", ".join(map(str, self.stable)) or "none"
        lines.append(f"In all {len(self.graphs)} graphs: {always}")
        some = [edge for edge in self.edges if edge.count < len(self.graphs)]
        if some:
            texts = ", ".join(f"{edge} ({edge.count})" for edge in some)
            lines.append(f"In some: {texts}")
        return "\n".join(lines)


def sensitivity(
    data: Any,
    *,
    ess: Sequence[float] | None = None,
    penalty: Sequence[float] | None = None,
    search: Search | None = None,
    structure_prior: StructurePrior | None = None,
    constraints: Constraints | None = None,
    seed: int | None = 0,
    threads: int | None = None,
    time_limit: float | None = None,
    progress: bool = False,
    callback: Callback | None = None,
) -> Sensitivity:
    """Learn a graph at each point of a path of settings, and see which edges hang on them.

    Edges that are there along the whole path do not depend on the choice; of the others it is good
    to know that they do.

    Parameters
    ----------
    data : Table, Chunks, a frame that Table takes, or a Scorer
        The score of a Scorer does not matter; its structure prior counts if none is given.
    ess : sequence of float, optional
        Equivalent sample sizes of BDeu. By default nine from 0.1 to 100, if no penalty is given.
    penalty : sequence of float, optional
        Prices of a parameter in nats, for Penalized: 1 is AIC, ln(N) / 2 is BIC.
    search : Search, default HillClimb()
    structure_prior : StructurePrior, default Uniform()
    constraints : Constraints, optional
    seed, threads, time_limit, progress, callback
        As for :func:`dagwright.learn`; the points are done side by side, and when it is stopped
        those that are done are returned.

    Returns
    -------
    Sensitivity

    Examples
    --------
    >>> import dagwright as dw
    >>> table = dw.networks.load("asia").sample(500, seed=1)
    >>> [str(edge) for edge in dw.sensitivity(table, ess=[1, 5, 25]).stable][:2]
    ['tub -> either', 'smoke - lung']
    """
    scores = _path(ess, penalty)
    scorer = data if isinstance(data, Scorer) else Scorer(data)
    if structure_prior is not None:
        scorer = scorer.with_score(scorer.score_spec, structure_prior)
    search = HillClimb() if search is None else search
    check_search(search)
    constraints = Constraints() if constraints is None else constraints
    if not isinstance(constraints, Constraints):
        raise SpecError(f"constraints must be Constraints(...), not {constraints!r}")
    constraints.resolve(scorer.source.names, scorer.source.n_states)
    digest = scorer.data.digest
    with start_run(seed, threads, time_limit, progress, callback) as run:

        def one_point(number: int, stopping: Callable[[], bool]) -> Done[PathGraph] | None:
            setting, value, score = scores[number]
            own = scorer.with_score(score)
            found = find_whole(search, own, constraints, run.inner(run.seed, stopping))
            if found is None:
                return None
            total = own.score(found.value)
            point = PathGraph(setting, value, found.value, total)
            return Done(point, found.families_scored, total)

        done = run_side_by_side(len(scores), one_point, run)
    check_any(done, run, "the path", "graph")
    info = {
        "search": described(search),
        "structure_prior": described(scorer.structure_prior),
        "constraints": constraints.to_dict(),
        "seed": run.seed,
        "threads": run.threads,
        "seconds": run.seconds,
        "n_rows": len(scorer.data),
        "total_weight": float(scorer.data.total_weight),
        "data_digest": digest,
        "versions": versions(),
    }
    reason = (run.reason if len(done) < len(scores) else None) or "done"
    result = Sensitivity(tuple(done.values()), reason, info)
    if run.reason == "interrupted":
        raise Interrupted(result)
    return result


def _path(
    ess: Sequence[float] | None, penalty: Sequence[float] | None
) -> list[tuple[str, float, Score]]:
    """Return the points: which setting, its value, the score."""
    if ess is None and penalty is None:
        ess = _ESS
    points: list[tuple[str, float, Score]] = []
    for value in _values("ess", ess):
        points.append(("ess", float(check_positive("ess", value)), BDeu(value)))
    rule = "nats, 0 or more"
    for value in _values("penalty", penalty):
        price = float(check_number("penalty", value, rule, lambda x: 0 <= x < float("inf")))
        points.append(("penalty", price, Penalized(price)))
    return sorted(points, key=lambda point: point[:2])


def _values(setting: str, given: Sequence[float] | None) -> list[float]:
    if given is None:
        return []
    if isinstance(given, str) or not hasattr(given, "__iter__"):
        raise SpecError(f"{setting} must be a list of numbers such as [1, 10], not {given!r}")
    values = list(given)
    if not values or len(set(values)) < len(values):
        raise SpecError(f"{setting} must have at least one number, and each once, not {values}")
    return values
