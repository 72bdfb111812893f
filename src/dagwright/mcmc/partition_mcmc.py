"""Partition MCMC: a chain over layers of the variables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dagwright import _core
from dagwright.errors import SpecError
from dagwright.mcmc.base import Chains, Parents, Sampler, check_share, samplers

__all__ = ["PartitionMCMC"]


@samplers.add
@dataclass(frozen=True)
class PartitionMCMC(Sampler):
    """Sample ordered partitions of the variables, and graphs given these (Kuipers and Moffa 2017).

    A graph belongs to one partition: variables without parents are in the first layer, every other
    one is in the layer after the last of its parents. So every DAG counts once, unlike in
    :class:`OrderMCMC`; and a step changes much more than one edge, unlike in
    :class:`StructureMCMC`. Steps move one variable to another layer or to one of its own, swap two,
    or split or join layers.

    Now and then a graph is drawn, changed at large, and its partition taken. Either one of its
    edges is turned round, with new parents for both ends (Grzegorczyk and Husmeier 2008). Or one of
    its orders is drawn, some steps of :class:`OrderMCMC` are made, and a graph of the order that
    they led to is drawn; it is accepted by how likely that order is drawn given the new graph,
    against the old one given the old graph, which takes away the bias of orders.

    Parameters
    ----------
    max_candidates : int
        How many possible parents a variable has. All sets of them are in a table, which has
        2^max_candidates numbers a variable. Any other variable can still be its only parent.
        ``posterior.info.candidates`` says what that leaves out.
    reversal : float
        The share of the steps that turn an edge round.
    orders : float
        The share of the steps that walk over orders. Without either, some constraints can keep
        chains from parts of the graphs.
    temperatures : sequence of float
        For parallel tempering: 1, then rising, such as (1, 2, 4). Each chain is then as many,
        which change places now and then; hot ones walk more freely, the first one counts.

    References
    ----------
    Kuipers, J. and Moffa, G. (2017). Partition MCMC for inference on acyclic digraphs. Journal of
    the American Statistical Association 112.

    Examples
    --------
    >>> import dagwright as dw
    >>> rows = dw.networks.load("asia").sample(500, seed=1)
    >>> posterior = dw.posterior(rows, sampler=dw.PartitionMCMC(), draws=500)
    >>> exact = dw.exact_posterior(rows).edge_probabilities()["smoke", "bronc"]
    >>> abs(posterior.edge_probabilities()["smoke", "bronc"] - exact) < 0.1
    True
    """

    max_candidates: int = 12
    reversal: float = 0.02
    orders: float = 0.05
    temperatures: tuple[float, ...] = (1.0,)
    name = "partition-mcmc"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._keep(
            reversal=check_share("PartitionMCMC: reversal", self.reversal),
            orders=check_share("PartitionMCMC: orders", self.orders),
        )
        if self.reversal + self.orders >= 1:
            raise SpecError(
                f"PartitionMCMC: reversal={self.reversal} and orders={self.orders} leave no share "
                "for other steps: give less than 1 together"
            )

    def state_of(self, parents: Parents) -> list[int]:
        """Return the layer of each variable."""
        return layers_of(parents)

    def is_state(self, state: Sequence[int], n: int) -> bool:
        """Say whether these are layers without a gap."""
        return len(state) == n and set(state) == set(range(max(state) + 1))

    def chains(self, chains: Chains) -> _core.Sampler:
        """Make the chains."""
        return _core.partition_sampler(
            chains.table,
            chains.constraints,
            chains.states,
            self.betas,
            chains.thin,
            chains.seed,
            chains.n_done,
            self.reversal,
            self.orders,
            chains.run,
        )


def layers_of(parents: Parents) -> list[int]:
    """Return the length of the longest path that leads to each variable.

    Examples
    --------
    >>> layers_of([[], [0], [0, 1]])
    [0, 1, 2]
    """
    layers = [0] * len(parents)
    for v in _core.topological_order([list(own) for own in parents]):
        layers[v] = max((layers[parent] + 1 for parent in parents[v]), default=0)
    return layers
