"""Structure MCMC: a chain over graphs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dagwright import _core
from dagwright.mcmc.base import Chains, Parents, Sampler, check_share, samplers

__all__ = ["StructureMCMC"]


@samplers.add
@dataclass(frozen=True)
class StructureMCMC(Sampler):
    """Sample graphs by adding, removing and reversing edges (Madigan and York 1995).

    One of all neighbours of the graph is proposed, each as likely as the others, and accepted by
    Metropolis and Hastings's rule with the number of neighbours of both graphs. All graphs within
    the constraints are reached, without candidates; but with much data the way from one good graph
    to another leads over bad ones, and the chain stays where it is for long. The new edge reversal
    move (Grzegorczyk and Husmeier 2008) helps: an edge is turned round, and both its ends get new
    parents, drawn from all sets of candidates that fit.

    Parameters
    ----------
    reversal : float
        The share of the steps that are new edge reversals.
    max_candidates : int
        For these alone: as for :class:`PartitionMCMC`.
    temperatures : sequence of float
        As for :class:`PartitionMCMC`.

    References
    ----------
    Madigan, D. and York, J. (1995). Bayesian graphical models for discrete data. International
    Statistical Review 63.
    Grzegorczyk, M. and Husmeier, D. (2008). Improving the structure MCMC sampler for Bayesian
    networks by introducing a new edge reversal move. Machine Learning 71.

    Examples
    --------
    >>> import dagwright as dw
    >>> rows = dw.Table({"a": ["n", "y"] * 9, "b": ["n", "y"] * 9})
    >>> posterior = dw.posterior(rows, sampler=dw.StructureMCMC(), draws=500)
    >>> abs(posterior.edge_probabilities()["a", "b"] - 0.5) < 0.1
    True
    """

    reversal: float = 0.07
    max_candidates: int = 12
    temperatures: tuple[float, ...] = (1.0,)
    name = "structure-mcmc"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._keep(
            reversal=check_share("StructureMCMC: reversal", self.reversal),
        )

    def state_of(self, parents: Parents) -> list[int]:
        """Return for each variable the number of its parents, then these."""
        state: list[int] = []
        for own in parents:
            state += [len(own), *sorted(own)]
        return state

    def is_state(self, state: Sequence[int], n: int) -> bool:
        """Say whether these are the parents of each variable, without a cycle."""
        parents, at = [], 0
        for _ in range(n):
            if at >= len(state) or not 0 <= state[at] < n:
                return False
            own = list(state[at + 1 : at + 1 + state[at]])
            if len(own) < state[at] or any(not 0 <= v < n for v in own):
                return False
            parents.append(own)
            at += 1 + state[at]
        try:
            _core.Dag(parents)
        except ValueError:
            return False
        return at == len(state)

    def chains(self, chains: Chains) -> _core.Sampler:
        """Make the chains."""
        return _core.structure_sampler(
            chains.scorer.native,
            chains.table,
            chains.constraints,
            chains.states,
            self.betas,
            chains.thin,
            chains.seed,
            chains.n_done,
            self.reversal,
            chains.run,
        )
