"""What an exact posterior will cost, before it is made."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from math import comb, inf
from typing import TYPE_CHECKING

import numpy as np

from dagwright import _core
from dagwright.constraints import Constraints
from dagwright.errors import SpecError
from dagwright.posterior.over import MEANING, MOST_VARIABLES, Over, native_over
from dagwright.run import whole_run
from dagwright.scorer import Scorer, open_scorer
from dagwright.scores import BDeu, Score
from dagwright.specs import check_positive

if TYPE_CHECKING:
    from typing import Any

    from dagwright.sources import Chunks
    from dagwright.structure_priors import StructurePrior
    from dagwright.table import Table

__all__ = ["PosteriorForecast", "check_fits", "forecast_exact_posterior", "forecast_of", "opened"]

_CALIBRATED_AT = 11  # variables: the time of a step is much the same with more
_STEP_OF_FEW = {"dags": 1.2e-7, "orders": 1e-8}  # seconds; with fewer variables nobody waits
_MOST_SCORED = 256  # families, to see how long scoring takes; fewer with many rows
_SECONDS_TO_SCORE = 0.5
_TO_LIST_A_FAMILY = 5e-7  # seconds
_Possible = list[tuple[list[int], list[int]]]  # of each child, its required and other parents
_GAIN_OF_THREADS = 0.85  # the exponent
_CACHE_OF_A_FAMILY = 100  # bytes, of one that is counted


@dataclass(frozen=True)
class PosteriorForecast:
    """The cost of an exact posterior.

    Attributes
    ----------
    families : float
        Families that are scored: all that the constraints allow, or a few more.
    steps : float
        Steps of the recursion over sets of variables: 3^n over DAGs, n^2 * 2^n over orders.
    bytes : float
        Memory at its peak.
    seconds : float
        Time, from a few families that were scored and a recursion over 11 variables: right within
        a factor of two unless the machine is busy.
    """

    families: float
    steps: float
    bytes: float
    seconds: float

    def __str__(self) -> str:
        seconds = f"{self.seconds:,.0f}" if self.seconds >= 10 else f"{self.seconds:.2g}"
        return (
            f"{self.families:,.0f} families, {self.steps:.3g} steps, "
            f"{self.bytes / 2**30:,.3f} GiB, about {seconds} s"
        )


def opened(
    data: Table | Chunks | Scorer | Any,
    score: Score | None,
    constraints: Constraints | None,
    structure_prior: StructurePrior | None,
) -> tuple[Scorer, Constraints, _core.Constraints]:
    """Check the arguments that a posterior and its forecast share."""
    if score is None and not isinstance(data, Scorer):
        score = BDeu(1)
    scorer = open_scorer(data, score, structure_prior)
    constraints = Constraints() if constraints is None else constraints
    if not isinstance(constraints, Constraints):
        raise SpecError(f"constraints must be Constraints(...), not {constraints!r}")
    native = constraints.resolve(scorer.source.names, scorer.source.n_states)
    return scorer, constraints, native


def forecast_exact_posterior(
    data: Table | Chunks | Scorer | Any,
    score: Score | None = None,
    *,
    constraints: Constraints | None = None,
    structure_prior: StructurePrior | None = None,
    over: Over = "dags",
    threads: int | None = None,
) -> PosteriorForecast:
    """Say what :func:`dagwright.exact_posterior` will cost with the same arguments.

    Parameters
    ----------
    data : Table, Chunks, a frame that Table takes, or a Scorer
    score : Score, default BDeu(1)
    constraints : Constraints, optional
    structure_prior : StructurePrior, default Uniform()
    over : {"dags", "orders"}
    threads : int or None
        None means all cores.

    Returns
    -------
    PosteriorForecast

    Examples
    --------
    >>> import dagwright as dw
    >>> rows = dw.networks.load("asia").sample(500, seed=1)
    >>> forecast = dw.forecast_exact_posterior(rows)
    >>> forecast.families, forecast.steps
    (1024.0, 6561.0)
    """
    scorer, constraints, native = opened(data, score, constraints, structure_prior)
    return forecast_of(scorer, constraints, native, over, threads)


def forecast_of(
    scorer: Scorer,
    constraints: Constraints,
    native: _core.Constraints,
    over: Over,
    threads: int | None,
) -> PosteriorForecast:
    """Return what a posterior costs; of one that cannot be made, the seconds are not known."""
    kind = native_over(over)
    n = len(scorer.names)
    possible = [_possible_parents(native, child, n) for child in range(n)]
    most = n if constraints.max_parents is None else constraints.max_parents
    families = float(
        sum(
            comb(len(free), size)
            for required, free in possible
            for size in range(max(0, most - len(required)) + 1)
        )
    )
    steps = _steps(n, over)
    needed = _core.exact_posterior_bytes(n, kind, families)
    seconds = inf
    if n <= MOST_VARIABLES[over]:
        counted = _counted(scorer, possible, most, families)
        needed += min(scorer.cache_bytes, counted * _CACHE_OF_A_FAMILY)
        with whole_run(threads) as run:
            faster = run.threads**_GAIN_OF_THREADS
            step = _seconds_of_a_step(over) if n > _CALIBRATED_AT else _STEP_OF_FEW[over]
            seconds = _seconds_to_score(scorer, possible, most, families, counted / faster)
            seconds += 2 * families * _TO_LIST_A_FAMILY + steps * step / faster
    return PosteriorForecast(families, steps, needed, seconds)


def check_fits(n: int, over: Over, forecast: PosteriorForecast, max_bytes: float) -> None:
    """Refuse what needs too much memory, or has more variables than can be summed over."""
    max_bytes = check_positive("max_bytes", max_bytes)
    most = MOST_VARIABLES[over]
    if n > most:
        other = (
            ', or take over="orders"' if over == "dags" and n <= MOST_VARIABLES["orders"] else ""
        )
        raise SpecError(
            f"an exact posterior over {over} ({MEANING[over].partition(' (')[0]}) takes at most "
            f"{most} variables, and these are {n}: {forecast.steps:.3g} steps and "
            f"{forecast.bytes / 2**30:,.1f} GiB; select fewer variables{other}"
        )
    if forecast.bytes > max_bytes:
        raise SpecError(
            f"an exact posterior over {over} of {n} variables takes {forecast}: more than "
            f"max_bytes={max_bytes / 2**30:,.2f} GiB; bound the families with "
            "Constraints(max_parents=...), select fewer variables, or raise max_bytes"
        )


def _possible_parents(native: _core.Constraints, child: int, n: int) -> tuple[list[int], list[int]]:
    """Return the parents that are required, and the others that are allowed."""
    others = [v for v in range(n) if v != child]
    required = [v for v in others if native.required(v, child)]
    free = [v for v in others if v not in required and native.allowed(v, child)]
    return required, free


def _seconds_to_score(
    scorer: Scorer,
    possible: _Possible,
    most: int,
    families: float,
    counted: float,
) -> float:
    """Score a few families, as they will come, and again when they are known."""
    rng = np.random.default_rng(0)
    n = len(possible)
    sampled = []
    for _ in range(int(min(_MOST_SCORED, families / 8))):
        child = int(rng.integers(n))
        required, free = possible[child]
        sizes = range(min(len(free), max(0, most - len(required))) + 1)
        shares = np.array([float(comb(len(free), size)) for size in sizes])
        size = rng.choice(len(shares), p=shares / shares.sum())
        chosen = rng.choice(free, size, replace=False).tolist() if size else []
        sampled.append((child, sorted([*required, *chosen])))
    before = scorer.stats.families_counted
    first, second, n_scored = 0.0, 0.0, 0
    run = _core.Run()
    with scorer.naming_errors():
        for begin in range(0, len(sampled), 32):
            batch = _core.Families(sampled[begin : begin + 32])
            score = partial(scorer.native.local, batch, run)
            first += _seconds_of(score)
            second += _seconds_of(score)
            n_scored = min(begin + 32, len(sampled))
            if first > _SECONDS_TO_SCORE:
                break
    counted_here = max(1, scorer.stats.families_counted - before)
    of_counting = counted * max(0.0, first - second) / counted_here
    return families * second / max(1, n_scored) + of_counting


def _counted(scorer: Scorer, possible: _Possible, most: int, families: float) -> float:
    """Return how many families have to be counted: not those that share a set with another."""
    if not (most > 0 and _shares_sets(scorer, possible)):
        return families
    # The largest sets are counted; half of the others come with them, as parents.
    n = len(scorer.names)
    largest = min(n, most + 1)
    return min(families, comb(n, largest) + sum(comb(n, size) for size in range(largest)) / 2)


def _shares_sets(scorer: Scorer, possible: _Possible) -> bool:
    """Whether a family with the same members as one that was scored needs no counting.

    Only families that are allowed are tried: a score or prior of the user's may not take others.
    """
    unbound = [v for v, (required, _) in enumerate(possible) if not required]
    pairs = (
        (a, b) for a in unbound for b in unbound if b in possible[a][1] and a in possible[b][1]
    )
    pair = next(pairs, None)
    if pair is None:
        return False
    a, b = pair
    run = _core.Run()
    with scorer.naming_errors():
        scorer.native.local(_core.Families([(a, [b]), (a, [])]), run)
        before = scorer.stats.families_counted
        scorer.native.local(_core.Families([(b, [a])]), run)
    return scorer.stats.families_counted == before


@cache
def _seconds_of_a_step(over: Over) -> float:
    n = _CALIBRATED_AT
    few = [0.0 if own.bit_count() <= 3 else -inf for own in range(2 ** (n - 1))]
    run = _core.Run()
    seconds = min(
        _seconds_of(lambda: _core.exact_posterior_of_weights([few] * n, native_over(over), run))
        for _ in range(2)
    )
    return seconds / _steps(n, over)


def _steps(n: int, over: Over) -> float:
    return 3.0**n if over == "dags" else n**2 * 2.0**n


def _seconds_of(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
