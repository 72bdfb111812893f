"""Order MCMC: a chain over orders of the variables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dagwright import _core
from dagwright.errors import SpecError
from dagwright.mcmc.base import Chains, Parents, Sampler, samplers

__all__ = ["OrderMCMC"]


@samplers.add
@dataclass(frozen=True)
class OrderMCMC(Sampler):
    """Sample orders of the variables, and graphs given these (Friedman and Koller 2003).

    Given an order every variable chooses its parents by itself, so that a step is a few numbers
    looked up in tables. Steps swap two variables, or put one elsewhere.

    A DAG fits as many orders as it has linear extensions, and is drawn that many times too often.
    Draws get weights that undo this where the orders of all of them can be counted, as with up to
    16 variables; else they favour graphs with many orders, such as those with few edges, and
    ``posterior.info.weights`` says so. :class:`PartitionMCMC` does not have this bias.

    Parameters
    ----------
    max_candidates : int
        As for :class:`PartitionMCMC`.
    correct : bool
        Whether draws get weights; without, they are over orders as in
        ``exact_posterior(over="orders")``.
    temperatures : sequence of float
        As for :class:`PartitionMCMC`.

    References
    ----------
    Friedman, N. and Koller, D. (2003). Being Bayesian about network structure. Machine Learning 50.

    Examples
    --------
    >>> import dagwright as dw
    >>> rows = dw.networks.load("asia").sample(500, seed=1)
    >>> biased = dw.posterior(rows, sampler=dw.OrderMCMC(correct=False), draws=500)
    >>> biased.info.weights[-42:]
    'so that DAGs with many orders are favoured'
    """

    max_candidates: int = 12
    correct: bool = True
    temperatures: tuple[float, ...] = (1.0,)
    name = "order-mcmc"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.correct, bool):
            raise SpecError(f"OrderMCMC: correct must be True or False, not {self.correct!r}")

    def state_of(self, parents: Parents) -> list[int]:
        """Return an order of the variables."""
        return list(_core.topological_order([list(own) for own in parents]))

    def is_state(self, state: Sequence[int], n: int) -> bool:
        """Say whether this is an order of all variables."""
        return sorted(state) == list(range(n))

    def chains(self, chains: Chains) -> _core.Sampler:
        """Make the chains."""
        return _core.order_sampler(
            chains.table,
            chains.states,
            self.betas,
            chains.thin,
            chains.seed,
            chains.n_done,
            chains.run,
        )
