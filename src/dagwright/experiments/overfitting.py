"""Overfitting shown: the likelihood climbs to the complete graph, and what else is there turns."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from dagwright._names import Edge
from dagwright.draw.axes import colour, marker, new_axes
from dagwright.errors import SpecError
from dagwright.experiments.held_out import HeldOutRows, mean_and_error, split_rows
from dagwright.graph import Dag
from dagwright.posterior.resample import stream_of
from dagwright.scorer import Scorer
from dagwright.scores import BIC, BDeu, LogLikelihood
from dagwright.specs import check_number, check_positive, check_whole
from dagwright.structure_priors import Uniform

__all__ = ["Overfitting", "OverfittingStep", "overfitting"]

_SMALL = 12  # variables, up to which the path leads to the complete graph
_CRITERIA = ("log_likelihood", "bic", "bdeu", "held_out")
_TIE = 1e-9


@dataclass(frozen=True)
class OverfittingStep:
    """One graph of the path; all numbers in nats a row, higher is better.

    ``held_out`` is that of rows that neither graph nor parameters have seen, with its standard
    error; the others are of the training rows.
    """

    n_edges: int
    added: Edge | None
    """The edge that was added last."""
    log_likelihood: float
    bic: float
    bdeu: float
    held_out: float
    held_out_error: float


@dataclass(frozen=True)
class Overfitting:
    """What :func:`dagwright.overfitting` returns.

    Attributes
    ----------
    steps : tuple of OverfittingStep
        From the graph without edges on.
    nodes : tuple of str
    n_training, n_held_out : float
        The weight of the rows.
    ess : float
    seed : int

    Examples
    --------
    >>> import dagwright as dw
    >>> table = dw.networks.load("asia").sample(300, seed=1)
    >>> table = table.select(["smoke", "lung", "bronc", "dysp"])
    >>> print(dw.overfitting(table))  # doctest: +ELLIPSIS
    210 training rows, 90 held out; nats a row
    edges  likelihood       BIC      BDeu  held out   error  added
        0     -2.2182   -2.2691   -2.2735   -2.1373  0.0622
        1     -1.9428   -2.0065   -2.0117   -1.8567  0.0835  dysp -> bronc
        2     -1.9129   -1.9893   -1.9900   -1.8806  0.0989  lung -> smoke
        3     -1.8832   -1.9850   -1.9809   -1.8743  0.1046  bronc -> smoke
        4     -1.8709   -1.9982   -1.9869   -1.8882  0.1120  lung -> bronc
        5     -1.8619   -2.0020   -1.9884   -1.8725  0.1072  lung -> dysp
        6     -1.8547   -2.0456   -2.0183   -1.9115  0.1169  dysp -> smoke
    The likelihood of the training rows climbs to the complete graph, 6 edges; ...
    """

    steps: tuple[OverfittingStep, ...]
    nodes: tuple[str, ...]
    n_training: float
    n_held_out: float
    ess: float
    seed: int

    def best(self, criterion: str) -> OverfittingStep:
        """Return the step where log_likelihood, bic, bdeu or held_out is highest, the first one."""
        if criterion not in _CRITERIA:
            raise SpecError(f"criterion must be one of {', '.join(_CRITERIA)}, not {criterion!r}")
        return max(self.steps, key=lambda step: getattr(step, criterion))

    def dag(self, n_edges: int) -> Dag:
        """Return the graph of the path with so many edges."""
        n_edges = check_whole("n_edges", n_edges, 0, len(self.steps) - 1)
        edges = [step.added for step in self.steps[1 : n_edges + 1] if step.added is not None]
        return Dag(edges, nodes=self.nodes)

    @property
    def verdict(self) -> str:
        """Where each criterion is highest, in words."""
        last = self.steps[-1].n_edges
        n = len(self.nodes)
        whole = "the complete graph" if last == n * (n - 1) // 2 else "the end of the path"
        return (
            f"The likelihood of the training rows climbs to {whole}, {last} edges; held-out rows "
            f"are predicted best with {self.best('held_out').n_edges}, BIC is highest with "
            f"{self.best('bic').n_edges}, BDeu({self.ess:g}) with {self.best('bdeu').n_edges}."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain JSON values."""
        return vars(self) | {
            "nodes": list(self.nodes),
            "steps": [
                vars(step) | {"added": None if step.added is None else list(step.added)}
                for step in self.steps
            ],
            "verdict": self.verdict,
        }

    def plot(self, ax: Any = None) -> Any:
        """Draw all criteria over the number of edges, a mark where each is highest.

        Returns the matplotlib axes.
        """
        ax = new_axes(ax)
        edges = [step.n_edges for step in self.steps]
        labels = ["log-likelihood", "BIC", f"BDeu({self.ess:g})", "held-out rows"]
        for number, (criterion, label) in enumerate(zip(_CRITERIA, labels, strict=True)):
            own = [getattr(step, criterion) for step in self.steps]
            ax.plot(edges, own, color=colour(number), label=label)
            top = self.best(criterion)
            ax.plot(
                [top.n_edges],
                [getattr(top, criterion)],
                color=colour(number),
                marker=marker(number),
                linestyle="none",
            )
        errors = np.array([step.held_out_error for step in self.steps])
        held_out = np.array([step.held_out for step in self.steps])
        ax.fill_between(
            edges, held_out - errors, held_out + errors, color=colour(3), alpha=0.2, linewidth=0
        )
        # BIC of many parameters falls so far that nothing else could be seen
        highest = max(step.log_likelihood for step in self.steps)
        lowest = min(self.steps[0].bic, self.steps[0].bdeu, float((held_out - errors).min()))
        margin = 0.05 * (highest - lowest)
        ax.set_ylim(lowest - 3 * margin, highest + margin)
        ax.set_xlabel("edges")
        ax.set_ylabel("nats a row")
        ax.set_title("Overfitting: edges added by likelihood")
        ax.legend()
        return ax

    def __str__(self) -> str:
        lines = [
            f"{self.n_training:,.6g} training rows, {self.n_held_out:,.6g} held out; nats a row",
            f"{'edges':>5}{'likelihood':>12}{'BIC':>10}{'BDeu':>10}{'held out':>10}{'error':>8}"
            "  added",
        ]
        for step in self.steps:
            added = "" if step.added is None else f"{step.added[0]} -> {step.added[1]}"
            lines.append(
                f"{step.n_edges:>5}{step.log_likelihood:>12.4f}{step.bic:>10.4f}{step.bdeu:>10.4f}"
                f"{step.held_out:>10.4f}{step.held_out_error:>8.4f}  {added}".rstrip()
            )
        return "\n".join([*lines, self.verdict])


def overfitting(
    data: Any,
    *,
    ess: float = 1.0,
    held_out: float = 0.3,
    max_edges: int | None = None,
    seed: int = 0,
) -> Overfitting:
    """Add the edge that raises the likelihood most, again and again, and see what that is worth.

    The likelihood of the rows that are learned from never falls, so by itself it leads to the
    complete graph. BIC, BDeu and the likelihood of rows that were held out rise at first and then
    fall: from there on the edges fit what is chance in the training rows.

    Parameters
    ----------
    data : Table, Chunks, a frame that Table takes, or a Scorer
        Row weights count. The score of a Scorer does not matter.
    ess : float
        Equivalent sample size of BDeu, also of the parameters that predict the held-out rows.
    held_out : float
        The share of the rows that are held out, drawn by chance.
    max_edges : int, optional
        Where the path ends; by default at the complete graph for up to 12 variables, else at three
        edges a variable.
    seed : int

    Returns
    -------
    Overfitting

    Examples
    --------
    >>> import dagwright as dw
    >>> table = dw.networks.load("asia").sample(500, seed=1)
    >>> path = dw.overfitting(table)
    >>> len(path.steps) - 1, path.best("bic").n_edges, path.best("held_out").n_edges
    (28, 7, 7)
    """
    ess = check_positive("ess", ess)
    rule = "a share of the rows, above 0 and below 1"
    share = float(check_number("held_out", held_out, rule, lambda x: 0 < x < 1))
    seed = check_whole("seed", seed, 0, 2**64 - 1)
    scorer = data if isinstance(data, Scorer) else Scorer(data)
    n = len(scorer.names)
    most = n * (n - 1) // 2
    if max_edges is None:
        max_edges = most if n <= _SMALL else min(most, 3 * n)
    max_edges = min(most, check_whole("max_edges", max_edges, 0))
    weights, rows = split_rows(scorer.data, share, stream_of(seed, 0))
    walk = _Walk(scorer.reweighted(weights), HeldOutRows(scorer.data, rows), ess)
    steps = [walk.step(None)]
    while len(steps) <= max_edges:
        steps.append(walk.step(walk.add_best()))
    return Overfitting(
        steps=tuple(steps),
        nodes=scorer.names,
        n_training=walk.n_rows,
        n_held_out=float(walk.held_out.weights.sum()),
        ess=float(ess),
        seed=seed,
    )


class _Walk:
    """A graph that grows by the edge of the highest gain; what changes with it is one family."""

    def __init__(self, training: Scorer, held_out: HeldOutRows, ess: float) -> None:
        self.training = training
        self.held_out = held_out
        self.prior = BDeu(ess)
        self.n_rows = float(training.data.total_weight)
        scores = {"log_likelihood": LogLikelihood(), "bic": BIC(), "bdeu": self.prior}
        self.scorers = {name: training.with_score(own, Uniform()) for name, own in scores.items()}
        self.names = training.source.names  # in canonical order, by which ties are settled
        self.dag = Dag(nodes=training.names)
        self.families = {name: self._family(name) for name in self.names}
        self.gains = {name: self._gains(name) for name in self.names}

    def _family(self, child: str) -> tuple[dict[str, float], npt.NDArray[np.float64]]:
        """Return the scores of a family, and the held-out log probabilities of the child."""
        parents = self.dag.parents(child)
        scores = {name: own.local(child, parents) for name, own in self.scorers.items()}
        rows = self.held_out.log_likelihoods([(child, parents)], self.training, self.prior)
        return scores, rows

    def _gains(self, child: str) -> dict[str, float]:
        parents = self.dag.parents(child)
        candidates = [name for name in self.names if name != child and name not in parents]
        return self.scorers["log_likelihood"].gains(child, parents, candidates)

    def add_best(self) -> Edge:
        """Add the edge that raises the likelihood most."""
        best, chosen = -math.inf, ("", "")
        for child in self.names:
            below = set(self.dag.descendants(child))
            for parent, gain in self.gains[child].items():
                if parent not in below and gain > best + _TIE:
                    best, chosen = gain, (parent, child)
        self.dag = self.dag.add(*chosen)
        self.families[chosen[1]] = self._family(chosen[1])
        self.gains[chosen[1]] = self._gains(chosen[1])
        return chosen

    def step(self, added: Edge | None) -> OverfittingStep:
        """Add up the families."""
        rows = np.sum([rows for _, rows in self.families.values()], axis=0)
        mean, error = mean_and_error(rows, self.held_out.weights)
        a_row = {
            name: sum(scores[name] for scores, _ in self.families.values()) / self.n_rows
            for name in self.scorers
        }
        return OverfittingStep(
            n_edges=len(self.dag.edges),
            added=added,
            held_out=mean,
            held_out_error=error,
            **a_row,
        )
