"""Persistent contrastive divergence: moment matching by chains that never start anew."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dagwright import _core
from dagwright.errors import DataError
from dagwright.markov.cells import cell_matrix, core_scopes
from dagwright.markov.curvature import steepest, variances
from dagwright.markov.factors import Factors
from dagwright.markov.features import Features
from dagwright.markov.gap import sampled_gap
from dagwright.markov.gibbs import (
    FEWEST_CHAINS,
    MIXED,
    OTHER_SEED,
    chain_shares,
    counts_refusal,
    sweep,
)
from dagwright.markov.method import (
    MomentStep,
    UndirectedData,
    UndirectedFound,
    UndirectedMethod,
    undirected_methods,
)
from dagwright.markov.moment_matching import check_finite
from dagwright.markov.moments import scope_shares
from dagwright.run import Run
from dagwright.specs import check_number, check_positive, check_whole
from dagwright.undirected_graph import UndirectedGraph

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["PersistentContrastiveDivergence"]

Array = NDArray[np.float64]

_FIRST_STAGE = 500  # steps; each stage is twice as long as the one before
_FIRST_ROWS = 500  # of each chain that looks at the gap; twice as many after each stage
_SURE = 2.0  # errors
_SAME_SIGN = 0.5  # of the averaged steps, those of one sign less those of the other
_CONSTANT_STEPS = 100  # before steps become shorter
_DECAY = 0.6  # between 1/2 and 1, for averages to converge
_WARMUP = 500  # sweeps of the chains that look at the gap


@undirected_methods.add
@dataclass(frozen=True)
class PersistentContrastiveDivergence(UndirectedMethod):
    """Match moments by stochastic gradient descent, with E[f] from chains of Gibbs sampling.

    For models too wide for exact inference. After each step the chains go on from where they are
    (Younes 1999, Tieleman 2008); steps become shorter, and the parameters are the average over the
    second half of a stage (Polyak and Juditsky 1992). At the end of each stage other chains, which
    the parameters never saw, look at the moment gap; stages double until it is small. The log of
    the normalising constant, and with it g and the likelihood, stay unknown.

    Parameters
    ----------
    chains : int
        16 or more.
    sweeps : int
        Over all variables, between two steps.
    step : float, optional
        The length of the first steps, in units of the variance of each feature; by default
        1 / the largest eigenvalue of the features' correlations.
    l1 : float
        Adds l1 times the absolute values of the parameters of two or more variables to g, which
        makes many of them zero.
    l2 : float
        Adds l2 / 2 times the squares of all parameters to g.
    tolerance : float
        Ends when the moment gap (with penalties, the slope) is no larger; or when its Monte-Carlo
        error is no larger and the gap is within two of them.
    max_steps : int

    Examples
    --------
    >>> import dagwright as dw
    >>> truth = dw.Ising([0.2, 0], [[0, 0.7], [0.7, 0]], names=["a", "b"])
    >>> rows = truth.sample(10_000, seed=1)
    >>> result = dw.learn_undirected(rows, method=dw.PersistentContrastiveDivergence())
    >>> round(result.model.coupling("a", "b"), 1)
    0.7
    >>> result.moment_gap <= 2 * 0.01 and result.moment_gap_error <= 0.01
    True
    """

    chains: int = 64
    sweeps: int = 1
    step: float | None = None
    l1: float = 0.0
    l2: float = 0.0
    tolerance: float = 0.01
    max_steps: int = 30_000
    name = "contrastive-divergence"

    def __post_init__(self) -> None:
        self._keep(
            chains=check_whole("chains", self.chains, FEWEST_CHAINS, 1 << 16),
            sweeps=check_whole("sweeps", self.sweeps, 1),
            max_steps=check_whole("max_steps", self.max_steps, 1),
        )
        if self.step is not None:
            check_positive("step", self.step)
        for setting in ("l1", "l2"):
            value = getattr(self, setting)
            check_number(setting, value, "a finite number, 0 or more", lambda x: 0 <= x < np.inf)
        check_positive("tolerance", self.tolerance)

    def learn(self, data: UndirectedData, run: Run) -> UndirectedFound:
        """Learn a model."""
        features = data.all_features()
        shares = scope_shares(data.table, features.factor_scopes)
        notes = check_finite(features, shares, data, l1=self.l1, l2=self.l2)
        matrix = cell_matrix(features)
        refusal = counts_refusal(matrix.shape[1], self.chains)
        if refusal is not None:
            raise DataError(refusal)
        scales = np.sqrt(variances(features, shares) + self.l2)
        step = self.step
        if step is None:
            step = 1 / steepest(features, matrix, data.table.codes, data.weights, scales)
        total = float(data.table.total_weight)
        descent = _Descent(self, features, matrix, features.means(shares), total, run)
        reason = descent.go(step / scales**2)
        seen = descent.seen
        pairs = features.pairs(descent.theta if self.l1 else None)
        return UndirectedFound(
            features,
            descent.theta,
            UndirectedGraph._from_numbers(data.table.names, pairs),
            reason,
            float("nan") if seen is None else seen.gap,
            0.0 if seen is None else seen.error,
            (*notes, descent.words()),
            (),
            tuple(descent.trace),
        )


@dataclass(frozen=True)
class _Seen:
    """What other chains saw of some parameters."""

    gap: float
    error: float
    slope: float
    slope_error: float
    n_rows: int
    r_hat: float


class _Descent:
    """The parameters on their way down.

    `theta` and `seen` are those of the last whole stage; before it, `theta` is that of the last
    step.
    """

    def __init__(
        self,
        spec: PersistentContrastiveDivergence,
        features: Features,
        matrix: csr_array,
        mu: Array,
        total_weight: float,
        run: Run,
    ) -> None:
        self.spec, self.matrix, self.mu, self.run = spec, matrix, mu, run
        self.numbers = matrix.T.tocsr()  # times theta: the numbers of the factors
        self.l1 = spec.l1 * np.array([len(scope) > 1 for scope in features.scopes])
        scopes = core_scopes(features.arities, features.factor_scopes)
        self.chains = _core.GibbsChains(scopes, spec.chains, run.seed)
        self.others = _core.GibbsChains(scopes, spec.chains, run.seed ^ OTHER_SEED)
        self.theta = np.zeros(len(mu))
        self.seen: _Seen | None = None
        uniform = Factors(features.arities, features.factor_scopes, ())
        means = features.means(
            [np.full(uniform.shape(s), 1 / prod(uniform.shape(s))) for s in uniform.scopes]
        )
        g = float(np.log(features.arities).sum())  # log Z of no parameters at all
        gap = float(np.abs(means - mu).max(initial=0.0))
        self.trace = [MomentStep(0, g, gap, -total_weight * g)]

    def go(self, rates: Array) -> str:
        """Go down until the gap is small, or all steps are made, or the run ends; say which."""
        spec = self.spec
        theta, done, length, n_rows = self.theta, 0, _FIRST_STAGE, _FIRST_ROWS
        try:
            while done < spec.max_steps:
                length = min(length, spec.max_steps - done)
                theta, average = self._stage(theta, rates, done, length)
                done += length
                self.seen, self.theta = self._look(average, n_rows), average
                self.trace.append(MomentStep(done, float("nan"), self.seen.gap, float("nan")))
                slope, error = self.seen.slope, self.seen.slope_error
                if slope <= spec.tolerance or slope <= _SURE * error <= _SURE * spec.tolerance:
                    penalised = spec.l1 or spec.l2
                    return "penalised optimum" if penalised else "moments match within their errors"
                length *= 2
                n_rows *= 2
        except (TimeoutError, KeyboardInterrupt):
            if self.run.progress.step == 0:
                self.trace.clear()  # nothing was found
            return "stopped"
        return "max steps"

    def _stage(self, theta: Array, rates: Array, done: int, length: int) -> tuple[Array, Array]:
        """Return the parameters after some steps, and their average over the second half."""
        spec, native = self.spec, self.run.native
        total, signs = np.zeros_like(theta), np.zeros_like(theta)
        half = length // 2
        for t in range(length):
            self.chains.set_log_values(self.numbers @ theta)
            counts = self.chains.count(1, spec.sweeps, False, native)
            gradient = self.matrix @ counts / spec.chains - self.mu + spec.l2 * theta
            rate = rates * (1 + (done + t) / _CONSTANT_STEPS) ** -_DECAY
            theta = theta - rate * gradient
            theta = np.sign(theta) * np.maximum(np.abs(theta) - rate * self.l1, 0.0)
            if t >= half:
                total += theta
                signs += np.sign(theta)
            self.run.progress.step = done + t + 1
            if self.seen is None:
                self.theta = theta
        averaged = length - half
        average = total / averaged
        # What the penalty holds at zero is moved to both sides of it by chance.
        average[(np.abs(signs) < _SAME_SIGN * averaged) & (self.l1 > 0)] = 0.0
        return theta, average

    def _look(self, theta: Array, n_rows: int) -> _Seen:
        """Let chains that the parameters never saw look at the moment gap."""
        spec = self.spec
        self.others.set_log_values(self.numbers @ theta)
        sweep(self.others, _WARMUP, self.run)
        shares, r_hat = chain_shares(self.others, spec.chains, n_rows, self.run)
        means = (self.matrix @ shares.T).T
        mean = means.mean(axis=0)
        wanted = self.mu - spec.l2 * theta - self.l1 * np.sign(theta)
        free = np.clip(mean, self.mu - self.l1, self.mu + self.l1)  # of what the penalty holds at 0
        slope, slope_error = sampled_gap(means, np.where(theta == 0, free, wanted))
        gap, error = sampled_gap(means, self.mu)
        return _Seen(gap, error, slope, slope_error, n_rows * spec.chains, r_hat)

    def words(self) -> str:
        """Say what is approximate."""
        said = f"Parameters by persistent contrastive divergence with {self.spec.chains} chains"
        if self.seen is None:
            return f"{said}, which was stopped before anything looked at the moment gap."
        said += (
            f"; moments by {self.seen.n_rows:,} rows of other chains, R-hat up to "
            f"{self.seen.r_hat:.3f}"
        )
        if self.seen.r_hat <= MIXED:
            return f"{said}."
        return (
            f"{said}: these do not agree, so that neither the gap nor its error can be trusted; "
            "the distribution may have parts that chains do not go between."
        )
