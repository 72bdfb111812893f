"""Consistency shown: with more and more rows of a known network, its class is what is learned."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from dagwright.bayes_net import BayesNet
from dagwright.compare import shd
from dagwright.constraints import Constraints
from dagwright.draw.axes import GREY, colour, marker, new_axes
from dagwright.errors import Interrupted, SpecError
from dagwright.experiments.candidates import spec_text
from dagwright.experiments.check_any import check_any
from dagwright.graph import Dag
from dagwright.posterior.replicates import find_whole
from dagwright.posterior.resample import stream_of
from dagwright.provenance import described, versions
from dagwright.run import Callback, start_run
from dagwright.scorer import Scorer
from dagwright.scores import AIC, BIC, BDeu, LogLikelihood, Score
from dagwright.search import Auto
from dagwright.search.base import Search, check_search
from dagwright.side_by_side import Done, run_side_by_side
from dagwright.specs import check_whole

__all__ = ["Consistency", "ConsistencyPoint", "consistency"]

_ROWS = (100, 300, 1000, 3000, 10_000)
_LABELS = {
    "shd": "structural Hamming distance to the truth",
    "gap": "score of the learned graph - of the true (nats)",
    "margin": "score of the true graph - of its best rival (nats)",
}


@dataclass(frozen=True)
class ConsistencyPoint:
    """One score at one number of rows: means over the repeats, with their standard errors.

    ``shd`` is the structural Hamming distance between the classes of the learned and of the true
    graph; ``found`` the share of the repeats where it is 0; ``gap`` the score of the learned graph
    less that of the true one; ``margin`` that of the true graph less that of its best rival: the
    best of the learned graph and of all graphs one edge away, without those of its own class.
    """

    score: str
    rows: int
    repeats: int
    found: float
    shd: float
    shd_error: float
    gap: float
    gap_error: float
    margin: float
    margin_error: float


@dataclass(frozen=True)
class Consistency:
    """What :func:`dagwright.consistency` returns.

    Attributes
    ----------
    points : tuple of ConsistencyPoint
        By score, then by rows.
    reason : str
        Why it ended: "done", "time limit", "callback" or "interrupted"; then repeats are missing.
    info : mapping
        Scores, search, repeats, seed, seconds, versions.

    Examples
    --------
    >>> import dagwright as dw
    >>> model = dw.networks.load("cancer")
    >>> print(dw.consistency(model, scores=[dw.BIC(), dw.LogLikelihood()], rows=[100, 10_000]))
    score               rows  found     SHD  error       gap   error    margin   error
    bic                  100   0.00    4.20   0.13      7.81    0.99     -7.81    0.99
    bic               10,000   1.00    0.00   0.00      0.00    0.00      3.79    0.27
    log-likelihood       100   0.00    9.50   0.22      6.07    0.83     -6.07    0.83
    log-likelihood    10,000   0.00   10.00   0.00     10.68    1.10    -10.68    1.10
    """

    points: tuple[ConsistencyPoint, ...]
    reason: str
    info: Mapping[str, Any]

    def of(self, score: str) -> tuple[ConsistencyPoint, ...]:
        """Return the points of one score, by its name in the table."""
        own = tuple(point for point in self.points if point.score == score)
        if not own:
            known = ", ".join(dict.fromkeys(point.score for point in self.points))
            raise SpecError(f"there is no score {score!r}: there are {known}")
        return own

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain JSON values; null for an error of a single repeat."""
        points = [
            {key: None if value != value else value for key, value in asdict(point).items()}
            for point in self.points
        ]
        return {"points": points, "reason": self.reason, "info": dict(self.info)}

    def plot(self, what: str = "shd", ax: Any = None) -> Any:
        """Draw one of the quantities over rows, a line a score; return the matplotlib axes.

        Parameters
        ----------
        what : {"shd", "gap", "margin"}
        ax : matplotlib axes, optional
        """
        if what not in _LABELS:
            raise SpecError(f"what must be one of {', '.join(_LABELS)}, not {what!r}")
        ax = new_axes(ax)
        ax.axhline(0, color=GREY, linewidth=0.8, zorder=0)
        for number, score in enumerate(dict.fromkeys(point.score for point in self.points)):
            own = self.of(score)
            ax.errorbar(
                [point.rows for point in own],
                [getattr(point, what) for point in own],
                yerr=np.nan_to_num([2 * getattr(point, f"{what}_error") for point in own]),
                color=colour(number),
                marker=marker(number),
                markersize=4,
                capsize=2,
                label=score,
            )
        ax.set_xscale("log")
        if what != "shd":
            ax.set_yscale("symlog", linthresh=1)
        ax.set_xlabel("rows")
        ax.set_ylabel(_LABELS[what])
        ax.set_title("Learning a known network from more and more rows")
        ax.legend()
        return ax

    def __str__(self) -> str:
        width = max(5, *(len(point.score) for point in self.points))
        lines = [
            f"{'score':<{width}}{'rows':>10}{'found':>7}{'SHD':>8}{'error':>7}{'gap':>10}"
            f"{'error':>8}{'margin':>10}{'error':>8}"
        ]
        lines += [
            f"{own.score:<{width}}{own.rows:>10,}{own.found:>7.2f}{own.shd:>8.2f}"
            f"{own.shd_error:>7.2f}{own.gap:>10.2f}{own.gap_error:>8.2f}{own.margin:>10.2f}"
            f"{own.margin_error:>8.2f}"
            for own in self.points
        ]
        return "\n".join(lines)


def consistency(
    model: BayesNet,
    *,
    scores: Sequence[Score] | None = None,
    rows: Sequence[int] = _ROWS,
    repeats: int = 10,
    search: Search | None = None,
    seed: int | None = 0,
    threads: int | None = None,
    time_limit: float | None = None,
    progress: bool = False,
    callback: Callback | None = None,
) -> Consistency:
    """Draw more and more rows from a known network, and see whether its graph is learned.

    A consistent score gives the true class of graphs the highest score once there are enough rows:
    its distance goes to 0 and its margin grows, like N against graphs that lack an edge, like ln N
    against graphs that have one too many. The likelihood is not consistent; AIC neither.

    Parameters
    ----------
    model : BayesNet
        The truth. Dependences as weak as chance need many rows: see :func:`dagwright.rows_needed`.
    scores : sequence of Score, default LogLikelihood(), AIC(), BIC(), BDeu(1) and BDeu(10)
    rows : sequence of int
        Numbers of rows; of one repeat the larger samples contain the smaller ones.
    repeats : int
        Samples for each number of rows.
    search : Search, default Auto()
        Exact for up to ten variables. A search that stops at a local optimum has negative gaps.
    seed, threads, time_limit, progress, callback
        As for :func:`dagwright.learn`; repeats are done side by side, and when it is stopped those
        that are done are returned.

    Returns
    -------
    Consistency

    Examples
    --------
    >>> import dagwright as dw
    >>> found = dw.consistency(dw.networks.load("cancer"), rows=[100, 30_000], repeats=4)
    >>> few, many = found.of("bic")
    >>> many.shd < few.shd, many.margin > few.margin
    (True, True)
    """
    if not isinstance(model, BayesNet):
        raise SpecError(f"model must be a BayesNet, not a {type(model).__name__}")
    if len(model.names) < 2:
        raise SpecError("model must have at least two variables, or no graph is a rival")
    chosen = _scores(scores)
    sizes = sorted({check_whole("rows", n, 1) for n in _listed("rows", rows)})
    repeats = check_whole("repeats", repeats, 1)
    search = Auto() if search is None else search
    check_search(search)
    with start_run(seed, threads, time_limit, progress, callback) as run:

        def one_repeat(repeat: int, stopping: Callable[[], bool]) -> Done[_Repeat] | None:
            rng = stream_of(run.seed, repeat)
            table = model.sample(sizes[-1], seed=int(rng.integers(2**32)))
            measured, families_scored = {}, 0
            for n in sizes:
                scorer = Scorer(table.take(range(n)))
                for label, score in chosen.items():
                    own = scorer.with_score(score)
                    inner = run.inner(int(rng.integers(2**32)), stopping)
                    found = find_whole(search, own, Constraints(), inner)
                    if found is None:
                        return None
                    families_scored += found.families_scored
                    measured[label, n] = _measure(model.dag, found.value, own)
            return Done(measured, families_scored, -math.inf)

        done = run_side_by_side(repeats, one_repeat, run)
    check_any(done, run, "the experiment", "repeat")
    points = tuple(
        _point(label, n, np.array([own[label, n] for own in done.values()]))
        for label in chosen
        for n in sizes
    )
    info = {
        "scores": [described(score) for score in chosen.values()],
        "search": described(search),
        "repeats": repeats,
        "seed": run.seed,
        "threads": run.threads,
        "seconds": run.seconds,
        "versions": versions() | {"numpy": np.__version__},
    }
    reason = (run.reason if len(done) < repeats else None) or "done"
    result = Consistency(points, reason, info)
    if run.reason == "interrupted":
        raise Interrupted(result)
    return result


_Repeat = dict[tuple[str, int], tuple[float, float, float]]
"""By score and rows: the distance, the gap, the margin."""


def _scores(scores: Sequence[Score] | None) -> dict[str, Score]:
    if scores is None:
        scores = [LogLikelihood(), AIC(), BIC(), BDeu(1), BDeu(10)]
    listed = _listed("scores", scores)
    chosen = {spec_text(score): score for score in listed}
    if len(chosen) < len(listed):
        raise SpecError(f"scores must be different ones, not {[spec_text(own) for own in listed]}")
    return chosen


def _listed(setting: str, given: Any) -> list[Any]:
    listed = [] if isinstance(given, str) or not hasattr(given, "__iter__") else list(given)
    if not listed:
        raise SpecError(f"{setting} must be a list with at least one item, not {given!r}")
    return listed


def _measure(truth: Dag, learned: Dag, scorer: Scorer) -> tuple[float, float, float]:
    """Return the distance, the gap and the margin."""
    of_truth = scorer.score(truth)
    gap = scorer.score(learned) - of_truth
    distance = shd(truth, learned)
    rival = best_one_edge_away(truth, scorer)
    if distance > 0:
        rival = max(rival, gap)
    return float(distance), gap, -rival


def best_one_edge_away(truth: Dag, scorer: Scorer) -> float:
    """Return the highest gain of adding, removing or reversing one edge that leaves the class."""
    gains = {node: scorer.gains(node, truth.parents(node)) for node in truth.nodes}
    best = -math.inf
    for child in truth.nodes:
        below = set(truth.descendants(child))
        for parent, gain in gains[child].items():
            if parent not in below:  # an edge that is there is removed
                best = max(best, gain)
    own_class = truth.cpdag()
    for parent, child in truth.edges:
        without = truth.remove(parent, child)
        if child in without.ancestors(parent) or parent in without.ancestors(child):
            continue
        turned = without.add(child, parent)
        if turned.cpdag() != own_class:
            best = max(best, gains[child][parent] + gains[parent][child])
    return best


def _point(label: str, rows: int, values: Any) -> ConsistencyPoint:
    """Return means over repeats and their errors; an error of one repeat is not known."""
    n = len(values)
    means = values.mean(axis=0)
    errors = values.std(axis=0, ddof=1) / math.sqrt(n) if n > 1 else np.full(3, math.nan)
    distance, gap, margin = map(float, means)
    return ConsistencyPoint(
        score=label,
        rows=rows,
        repeats=n,
        found=float((values[:, 0] == 0).mean()),
        shd=distance,
        shd_error=float(errors[0]),
        gap=gap,
        gap_error=float(errors[1]),
        margin=margin,
        margin_error=float(errors[2]),
    )
