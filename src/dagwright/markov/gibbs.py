"""Expectations by Gibbs sampling: one variable after the other is drawn given all others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dagwright import _core
from dagwright.markov.cells import cell_matrix, core_scopes, first_cells, flat_values
from dagwright.markov.expectations import Expectation, Expected, Marginals, expectation_kinds
from dagwright.markov.factors import Factors, Scope
from dagwright.markov.features import Features
from dagwright.markov.gap import sampled_gap, standard_errors
from dagwright.run import Run
from dagwright.specs import check_whole

__all__ = [
    "FEWEST_CHAINS",
    "MIXED",
    "OTHER_SEED",
    "GibbsExpectation",
    "chain_shares",
    "counts_refusal",
    "start_chains",
    "sweep",
]

FEWEST_CHAINS = 16  # errors come from how much chains differ
MIXED = 1.1  # R-hat up to which chains are said to agree
OTHER_SEED = 0x9E3779B97F4A7C15  # changes the seed, for chains that only look at what others chose
_SWEEPS_BETWEEN_ROWS = 10  # of a sample, whose rows shall hardly depend on each other
_MOST_BYTES = 2 << 30
_CHUNK = 1 << 14


@expectation_kinds.add
@dataclass(frozen=True)
class GibbsExpectation(Expectation):
    """Means over rows of several chains of Gibbs sampling, with their Monte-Carlo errors.

    Chains are independent and start anywhere, so the errors come from how much their means
    differ, however slowly each of them moves. They do not know of states that no chain reached:
    where chains stay in different places, R-hat is far above 1 and that is said.

    Parameters
    ----------
    chains : int
        16 or more.
    n_rows : int
        Rows that each chain keeps, one a sweep over all variables.
    warmup : int
        Sweeps of each chain before that.

    Examples
    --------
    >>> import dagwright as dw
    >>> model = dw.Ising([0.5, 0], [[0, 1], [1, 0]], names=["a", "b"])
    >>> answer = model.query("b", method=dw.GibbsExpectation(n_rows=1000))
    >>> bool(abs(answer[1] - model.query("b")[1]) < 4 * answer.standard_errors[1])
    True
    """

    chains: int = 64
    n_rows: int = 500
    warmup: int = 500
    name = "gibbs"

    def __post_init__(self) -> None:
        self._keep(
            chains=check_whole("chains", self.chains, FEWEST_CHAINS, 1 << 16),
            n_rows=check_whole("n_rows", self.n_rows, 4, 1 << 30),
            warmup=check_whole("warmup", self.warmup, 0),
        )

    def refusal(self, factors: Factors) -> str | None:
        """Refuse parameters that are infinite, and more counts than memory."""
        if not all(np.isfinite(values).all() for values in factors.log_values):
            return (
                "Gibbs sampling needs finite factors, and some make states impossible: a chain "
                'may never leave where it starts. Use "junction-tree" or "belief-propagation"'
            )
        return counts_refusal(int(first_cells(factors.arities, factors.scopes)[-1]), self.chains)

    def marginals(self, factors: Factors, scopes: Sequence[Scope], run: Run) -> Marginals:
        """Return the distributions of scopes, of any at all."""
        self.check(factors)
        every = tuple(dict.fromkeys((*factors.scopes, *scopes)))  # those of the factors first
        begin = first_cells(factors.arities, every)
        values = np.zeros(int(begin[-1]))
        given = flat_values(factors)
        values[: given.size] = given
        shares, mixing = self._run(core_scopes(factors.arities, every), values, run)
        place = {scope: slice(begin[k], begin[k + 1]) for k, scope in enumerate(every)}
        means, errors = shares.mean(axis=0), standard_errors(shares)
        return Marginals(
            float("nan"),
            tuple(means[place[scope]].reshape(factors.shape(scope)) for scope in scopes),
            tuple(errors[place[scope]].reshape(factors.shape(scope)) for scope in scopes),
            self._words(mixing),
            self.warmup + self.n_rows,
            mixing <= MIXED,
        )

    def expect(self, features: Features, theta: NDArray[np.float64], run: Run) -> Expected:
        """Return the means of features, with their Monte-Carlo errors."""
        factors = features.factors(theta)
        self.check(factors)
        scopes = core_scopes(factors.arities, factors.scopes)
        shares, mixing = self._run(scopes, flat_values(factors), run)
        chain_means = (cell_matrix(features) @ shares.T).T
        return Expected(
            float("nan"),
            chain_means.mean(axis=0),
            standard_errors(chain_means),
            self._words(mixing),
            self.warmup + self.n_rows,
            mixing <= MIXED,
        )

    def gap(
        self,
        features: Features,
        theta: NDArray[np.float64],
        mu: NDArray[np.float64],
        run: Run,
    ) -> tuple[float, float]:
        """Return the moment gap and its Monte-Carlo error, by chains that `expect` does not have.

        Parameters that were chosen by chains fit what chance did in these.
        """
        factors = features.factors(theta)
        self.check(factors)
        chains = start_chains(
            core_scopes(factors.arities, factors.scopes),
            flat_values(factors),
            self.chains,
            self.warmup,
            run.seed ^ OTHER_SEED,
            run,
        )
        shares, _ = chain_shares(chains, self.chains, self.n_rows, run)
        return sampled_gap((cell_matrix(features) @ shares.T).T, mu)

    def sample(self, factors: Factors, n: int, run: Run) -> Sequence[NDArray[np.uint16]]:
        """Return rows, ten sweeps apart in the same chain."""
        self.check(factors)
        scopes = core_scopes(factors.arities, factors.scopes)
        values = flat_values(factors)
        chains = start_chains(scopes, values, self.chains, self.warmup, run.seed, run)
        n_rows = -(-n // self.chains)
        codes: list[NDArray[np.uint16]] = chains.rows(n_rows, _SWEEPS_BETWEEN_ROWS, run.native)
        # Row after row of all chains, so that the last chains are not cut off as a whole.
        return [own.reshape(self.chains, n_rows).T.ravel()[:n].copy() for own in codes]

    def _run(
        self, scopes: _core.FactorScopes, log_values: NDArray[np.float64], run: Run
    ) -> tuple[NDArray[np.float64], float]:
        """Return the share of rows in each cell by chain, and the largest R-hat."""
        chains = start_chains(scopes, log_values, self.chains, self.warmup, run.seed, run)
        return chain_shares(chains, self.chains, self.n_rows, run)

    def _words(self, mixing: float) -> str:
        said = (
            f"means over {self.chains * self.n_rows:,} rows of {self.chains} chains of Gibbs "
            f"sampling, R-hat up to {mixing:.3f}"
        )
        if mixing <= MIXED:
            return said
        return (
            f"{said}: the chains do not agree, so that neither means nor errors can be trusted; "
            "take a longer warmup, more rows, or another method"
        )


def counts_refusal(n_cells: int, chains: int) -> str | None:
    """Say why counts of all cells by chain do not fit, with the forecast; None if they do."""
    needed = 16 * n_cells * chains
    if needed <= _MOST_BYTES:
        return None
    return (
        f"{chains} chains and {n_cells:,} cells of factors need {needed / 2**30:,.1f} GiB of "
        f"counts, more than {_MOST_BYTES >> 30}: take fewer chains or a sparser graph"
    )


def start_chains(
    scopes: _core.FactorScopes,
    log_values: NDArray[np.float64],
    chains: int,
    warmup: int,
    seed: int,
    run: Run,
) -> _core.GibbsChains:
    """Return chains that made some sweeps."""
    started = _core.GibbsChains(scopes, chains, seed)
    started.set_log_values(log_values)
    sweep(started, warmup, run)
    return started


def sweep(chains: _core.GibbsChains, n_sweeps: int, run: Run) -> None:
    """Let chains go on without counting."""
    if n_sweeps > 0:
        chains.count(1, n_sweeps, False, run.native)


def chain_shares(
    chains: _core.GibbsChains, n_chains: int, n_rows: int, run: Run
) -> tuple[NDArray[np.float64], float]:
    """Let chains go on for `n_rows` rows each; return the share of them in each cell by chain.

    And the largest R-hat of any cell.
    """
    half = n_rows // 2
    first, second = (
        chains.count(rows, 1, True, run.native).reshape(n_chains, -1)
        for rows in (half, n_rows - half)
    )
    mixing = max(
        (
            _largest_r_hat(np.concatenate([first[:, part], second[:, part]]), half)
            for part in _parts(first.shape[1])
        ),
        default=1.0,
    )
    return (first + second) / n_rows, mixing


def _parts(n: int) -> list[slice]:
    return [slice(begin, begin + _CHUNK) for begin in range(0, n, _CHUNK)]


def _largest_r_hat(counts: NDArray[np.uint32], n_rows: int) -> float:
    """Return the largest classic R-hat of cells, from their counts by half of a chain."""
    shares = np.minimum(counts / n_rows, 1.0)  # the second half of an odd number has one row more
    within = (shares * (1 - shares)).mean(axis=0) * n_rows / (n_rows - 1)
    between = shares.var(axis=0, ddof=1)
    ratio = np.zeros(within.shape)
    np.divide(between, within, out=ratio, where=within > 0)
    ratio[(within == 0) & (between > 0)] = np.inf
    return float(np.sqrt(ratio.max() + (n_rows - 1) / n_rows))
