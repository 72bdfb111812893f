"""Which score, search or prior predicts rows best that it has not seen."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from dagwright.constraints import Constraints
from dagwright.draw.axes import GREY, colour, marker, new_axes
from dagwright.errors import DagwrightError, Interrupted, SpecError
from dagwright.experiments.candidates import Candidate, candidates_of
from dagwright.experiments.check_any import check_any
from dagwright.experiments.held_out import Folds, HeldOutRows, mean_and_error
from dagwright.family_tables import Parameters
from dagwright.graph import Dag
from dagwright.posterior.replicates import find_whole
from dagwright.posterior.resample import stream_of
from dagwright.provenance import versions
from dagwright.run import Callback, Run, start_run
from dagwright.scorer import Scorer
from dagwright.scores import Score
from dagwright.search.base import Search
from dagwright.side_by_side import Done, run_side_by_side
from dagwright.specs import check_whole

if TYPE_CHECKING:
    from dagwright.structure_priors import StructurePrior

__all__ = ["CrossValidated", "CrossValidation", "cross_validate"]

Floats = npt.NDArray[np.float64]

_WITHIN = 2.0  # standard errors


@dataclass(frozen=True)
class CrossValidated:
    """How well one way to learn predicts rows it has not seen, in nats a row.

    ``difference`` is to the best, 0 or less, and ``difference_error`` its standard error; that
    is much smaller than ``error``, because both were tried on the same rows.
    """

    label: str
    mean: float
    error: float
    difference: float
    difference_error: float
    edges: float
    """The mean number of edges of the graphs, one a fold."""
    settings: Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class CrossValidation:
    """What :func:`dagwright.cross_validate` returns.

    Attributes
    ----------
    candidates : tuple of CrossValidated
        In the order in which they were given.
    by_row : numpy array
        The held-out log probability of each row by each candidate: (candidates, rows); read-only.
    weights : numpy array
        Of these rows.
    dags : tuple of tuple of Dag
        For each candidate its graphs, one a fold.
    folds : int
        How many were asked for; `dags` has those that were done.
    reason : str
        Why it ended: "done", "time limit", "callback" or "interrupted".
    info : mapping
        Seed, threads, seconds, the digest of the data, versions.

    Examples
    --------
    >>> import dagwright as dw
    >>> table = dw.networks.load("asia").sample(500, seed=1)
    >>> print(dw.cross_validate(table, score=[dw.BIC(), dw.BDeu(100)]))
    Held-out log-likelihood in nats a row, 500 rows, 10 of 10 folds: done
    candidate         mean   error  difference   error  edges
    bic            -2.2316  0.0546      0.0000  0.0000    7.0
    bdeu:ess=100   -2.4038  0.0511     -0.1722  0.0054   20.0
    bic predicts best, by more than 2 standard errors.
    """

    candidates: tuple[CrossValidated, ...]
    by_row: Floats
    weights: Floats
    dags: tuple[tuple[Dag, ...], ...]
    folds: int
    reason: str
    info: Mapping[str, Any]

    @property
    def best(self) -> CrossValidated:
        """The candidate of the highest mean; the first of those that tie."""
        return max(self.candidates, key=lambda own: own.mean)

    def compare(self, first: str, second: str) -> tuple[float, float]:
        """Return how many nats a row the first predicts better, and the standard error of that.

        Examples
        --------
        >>> import dagwright as dw
        >>> table = dw.networks.load("asia").sample(500, seed=1)
        >>> found = dw.cross_validate(table, score=[dw.BIC(), dw.BDeu(100)])
        >>> gain, error = found.compare("bic", "bdeu:ess=100")
        >>> gain > 2 * error
        True
        """
        rows = [self.by_row[self._place(label)] for label in (first, second)]
        return mean_and_error(rows[0] - rows[1], self.weights)

    def _place(self, label: str) -> int:
        labels = [own.label for own in self.candidates]
        if label not in labels:
            raise SpecError(f"there is no candidate {label!r}: there are {', '.join(labels)}")
        return labels.index(label)

    @property
    def verdict(self) -> str:
        """What to take, in words, and what cannot be told apart from it."""
        best = self.best
        others = [own for own in self.candidates if own is not best]
        if not others:
            return f"{best.label} predicts a held-out row with {best.mean:.4f} nats."
        near = [own for own in others if -own.difference <= _WITHIN * own.difference_error]
        if not near:
            return f"{best.label} predicts best, by more than {_WITHIN:g} standard errors."
        tied = ", ".join(
            f"{own.label} ({own.difference:+.4f} +- {own.difference_error:.4f})" for own in near
        )
        return (
            f"{best.label} is highest, but these rows do not tell it apart from {tied}: a "
            f"difference below {_WITHIN:g} standard errors may be chance."
        )

    def plot(self, ax: Any = None) -> Any:
        """Draw each candidate's difference to the best, with two standard errors.

        Returns the matplotlib axes.
        """
        ax = new_axes(ax)
        ordered = sorted(self.candidates, key=lambda own: -own.mean)
        ax.axvline(0, color=GREY, linewidth=0.8, zorder=0)
        ax.errorbar(
            [own.difference for own in ordered],
            range(len(ordered)),
            xerr=[_WITHIN * own.difference_error for own in ordered],
            color=colour(0),
            marker=marker(0),
            linestyle="none",
            capsize=3,
        )
        ax.set_yticks(range(len(ordered)), [own.label for own in ordered])
        ax.invert_yaxis()
        ax.set_xlabel("held-out log-likelihood less the best (nats a row)")
        ax.set_title(f"Cross-validation, {len(self.dags[0])} folds, {_WITHIN:g} standard errors")
        return ax

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain JSON values, without the single rows."""
        return {
            "candidates": [
                {
                    **own.settings,
                    "mean": own.mean,
                    "error": own.error,
                    "difference": own.difference,
                    "difference_error": own.difference_error,
                    "edges": own.edges,
                }
                for own in self.candidates
            ],
            "best": self.best.label,
            "verdict": self.verdict,
            "folds": self.folds,
            "folds_done": len(self.dags[0]),
            "reason": self.reason,
            "info": dict(self.info),
        }

    def __str__(self) -> str:
        width = max(9, *(len(own.label) for own in self.candidates))
        done = len(self.dags[0])
        lines = [
            f"Held-out log-likelihood in nats a row, {len(self.weights):,} rows, {done} of "
            f"{self.folds} folds: {self.reason}",
            f"{'candidate':<{width}}      mean   error  difference   error  edges",
        ]
        for own in sorted(self.candidates, key=lambda own: -own.mean):
            lines.append(
                f"{own.label:<{width}}  {own.mean:>8.4f}  {own.error:.4f}  {own.difference:>10.4f}"
                f"  {own.difference_error:.4f}  {own.edges:>5.1f}"
            )
        return "\n".join([*lines, self.verdict])


def cross_validate(
    data: Any,
    *,
    score: Score | Sequence[Score] | None = None,
    search: Search | Sequence[Search] | None = None,
    structure_prior: StructurePrior | Sequence[StructurePrior] | None = None,
    constraints: Constraints | None = None,
    parameters: Parameters | None = None,
    folds: int = 10,
    seed: int | None = 0,
    threads: int | None = None,
    time_limit: float | None = None,
    progress: bool = False,
    callback: Callback | None = None,
) -> CrossValidation:
    """Learn from all rows but those of one fold, predict those, and so on for each fold.

    Give several scores, searches or structure priors to compare all combinations on the same rows.
    What is measured is the log probability of a row by a model that has not seen it, which is what
    a model is for; it need not choose the graph that is nearest to the truth, and where two differ
    by less than their error these rows cannot tell them apart.

    Parameters
    ----------
    data : Table, Chunks, a frame that Table takes, or a Scorer
        A Scorer brings its score and structure prior if none are given. A row belongs to one fold
        whatever its weight; a weight of 3 counts as three rows in means and errors.
    score : Score or list of Score, default BIC()
    search : Search or list of Search, default HillClimb()
    structure_prior : StructurePrior or list of StructurePrior, default Uniform()
    constraints : Constraints, optional
    parameters : Score, optional
        The prior of the parameters: rows are predicted with posterior means. By default that of
        the score; BDeu(ess=1) if it has none, as BIC.
    folds : int
        From 2 to the number of rows.
    seed : int or None
        Of the folds, and of searches that draw. None draws one; it is recorded.
    threads : int or None
        None means all cores. Folds are done side by side; the answer is the same for any number.
    time_limit : float, optional
        Seconds; then the folds that are done are returned.
    progress : bool
        Show a live line on stderr, when that is a terminal.
    callback : function, optional
        Called with the Progress, whose ``step`` is the number of folds done; the run stops when
        it returns True.

    Returns
    -------
    CrossValidation

    Raises
    ------
    Interrupted
        On Ctrl-C; its ``result`` has the folds that were done.
    Unfinished
        If the time limit or the callback stopped it before the first was.

    Examples
    --------
    >>> import dagwright as dw
    >>> table = dw.networks.load("asia").sample(500, seed=1)
    >>> found = dw.cross_validate(table, score=[dw.BDeu(1), dw.BDeu(100)], folds=5)
    >>> found.best.label
    'bdeu:ess=1'
    """
    if isinstance(data, Scorer):
        score = data.score_spec if score is None else score
        structure_prior = data.structure_prior if structure_prior is None else structure_prior
    scorer = data if isinstance(data, Scorer) else Scorer(data)
    constraints = Constraints() if constraints is None else constraints
    if not isinstance(constraints, Constraints):
        raise SpecError(f"constraints must be Constraints(...), not {constraints!r}")
    constraints.resolve(scorer.source.names, scorer.source.n_states)
    candidates = candidates_of(score, search, structure_prior, parameters, scorer, constraints)
    folds = check_whole("folds", folds, 2)
    digest = scorer.data.digest
    with start_run(seed, threads, time_limit, progress, callback) as run:
        parts = Folds(scorer.data, folds, stream_of(run.seed, 0))
        done = _run_folds(parts, folds, candidates, scorer, constraints, run)
    check_any(done, run, "the cross-validation", "fold")
    info = {
        "seed": run.seed,
        "threads": run.threads,
        "seconds": run.seconds,
        "time_limit": run.time_limit,
        "n_rows": len(scorer.data),
        "total_weight": float(scorer.data.total_weight),
        "data_digest": digest,
        "constraints": constraints.to_dict(),
        "versions": versions() | {"numpy": np.__version__},  # which draws the folds
    }
    reason = (run.reason if len(done) < folds else None) or "done"
    result = _result(done, parts, candidates, folds, reason, info)
    if run.reason == "interrupted":
        raise Interrupted(result)
    return result


@dataclass(frozen=True)
class _Fold:
    dags: list[Dag]
    by_row: Floats
    """The held-out log probabilities: (candidates, rows of the fold)."""


def _run_folds(
    parts: Folds,
    folds: int,
    candidates: Sequence[Candidate],
    scorer: Scorer,
    constraints: Constraints,
    run: Run,
) -> dict[int, _Fold]:
    def one_fold(fold: int, stopping: Callable[[], bool]) -> Done[_Fold] | None:
        seed = int(stream_of(run.seed, fold + 1).integers(2**63))
        weighted = scorer.reweighted(parts.training_weights(fold))
        held_out = HeldOutRows(scorer.data, parts.rows(fold))
        dags, by_row, families_scored = [], [], 0
        for candidate in candidates:
            training = weighted.with_score(candidate.score, candidate.structure_prior)
            inner = run.inner(seed, stopping)
            try:
                found = find_whole(candidate.search, training, constraints, inner)
            except DagwrightError as error:
                raise type(error)(f"{candidate.label}: {error}") from error
            if found is None:
                return None
            dags.append(found.value)
            families_scored += found.families_scored
            families = [(child, found.value.parents(child)) for child in found.value.nodes]
            by_row.append(held_out.log_likelihoods(families, training, candidate.parameters))
        fold_ = _Fold(dags, np.array(by_row))
        return Done(fold_, families_scored, float(fold_.by_row.mean(axis=1).max()))

    return run_side_by_side(folds, one_fold, run)


def _result(
    done: Mapping[int, _Fold],
    parts: Folds,
    candidates: Sequence[Candidate],
    folds: int,
    reason: str,
    info: Mapping[str, Any],
) -> CrossValidation:
    rows = np.concatenate([parts.rows(fold) for fold in done])
    by_row = np.concatenate([own.by_row for own in done.values()], axis=1)
    order = np.argsort(rows)
    by_row, weights = by_row[:, order], parts.weights[rows[order]]
    by_row.flags.writeable = weights.flags.writeable = False
    dags = tuple(zip(*(own.dags for own in done.values()), strict=True))
    means = [mean_and_error(values, weights) for values in by_row]
    best = int(np.argmax([mean for mean, _ in means]))
    differences = [mean_and_error(values - by_row[best], weights) for values in by_row]
    return CrossValidation(
        candidates=tuple(
            CrossValidated(
                label=candidate.label,
                mean=mean,
                error=error,
                difference=difference,
                difference_error=difference_error,
                edges=float(np.mean([len(dag.edges) for dag in own])),
                settings=candidate.to_dict(),
            )
            for candidate, (mean, error), (difference, difference_error), own in zip(
                candidates, means, differences, dags, strict=True
            )
        ),
        by_row=by_row,
        weights=weights,
        dags=dags,
        folds=folds,
        reason=reason,
        info=info,
    )
