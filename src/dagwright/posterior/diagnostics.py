"""Whether the chains of a sampled posterior can be trusted."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, Literal, get_args, overload

import numpy as np
import numpy.typing as npt

from dagwright.errors import SpecError
from dagwright.pairs import PairMatrix
from dagwright.posterior.check_draws import ParentSets
from dagwright.posterior.convergence import (
    bulk_effective_size,
    effective_sizes,
    rank_r_hat,
    split_r_hats,
)
from dagwright.posterior.features import pair_matrix
from dagwright.posterior.graph_bits import set_members
from dagwright.posterior.sample_info import SampleInfo

__all__ = ["Diagnostics"]

Of = Literal["score", "edges"]
Measure = Callable[[npt.NDArray[Any]], npt.NDArray[np.float64]]

_MOST_R_HAT = 1.01  # Vehtari et al. 2021
_MOST_DIFFERENCE = 0.1
_LEAST_SHARE = 0.1
_MOST_LEFT_OUT = 0.5
_FIX = (
    "Draw more, with a longer warmup, or let chains exchange states with flatter ones (tempering)"
)


class Diagnostics:
    """The part of :class:`dagwright.Posterior` that compares its chains."""

    names: tuple[str, ...]
    parent_sets: ParentSets
    draws: npt.NDArray[np.int32]
    scores: npt.NDArray[np.float64]
    log_weights: npt.NDArray[np.float64] | None
    info: SampleInfo

    @cached_property
    def weights(self) -> npt.NDArray[np.float64]:
        """The share of each draw, chains by draws; they sum to 1."""
        shares = self._shares(slice(None))
        shares.flags.writeable = False
        return shares

    def _shares(self, chains: slice | int, draws: slice = slice(None)) -> npt.NDArray[np.float64]:
        """Return what some draws are worth among themselves."""
        if self.log_weights is None:
            shares = np.ones_like(self.scores[chains, draws])
        else:
            logs = self.log_weights[chains, draws]
            shares = np.exp(logs - logs.max())  # of these draws, so that not all underflow
        shares /= shares.sum()
        return shares

    @property
    def trace(self) -> npt.NDArray[np.float64]:
        """The scores of the draws, one row a chain."""
        return self.scores

    @overload
    def effective_sample_size(self, of: Literal["score"] = "score") -> float: ...
    @overload
    def effective_sample_size(self, of: Literal["edges"]) -> PairMatrix: ...
    def effective_sample_size(self, of: Of = "score") -> float | PairMatrix:
        """Return how many independent draws the draws of all chains are worth.

        As in Vehtari et al. (2021): for the score that of its ranks ("bulk"), for edges that of the
        mean of the indicator. Of the draws as they are, without weights: how well the chains mix.
        NaN with fewer than 4 draws a chain.

        Parameters
        ----------
        of : {"score", "edges"}
            One number for the score, or one for each edge; that of an edge that all draws have, or
            none has, is the number of draws.

        Examples
        --------
        >>> import dagwright as dw
        >>> dags = [dw.Dag([("a", "b")]), dw.Dag([("b", "a")], nodes=["a", "b"])]
        >>> posterior = dw.Posterior.from_dags([dags * 50], [[-1.0, -2.0] * 50])
        >>> posterior.effective_sample_size("edges")["a", "b"] >= 100  # they alternate
        True
        """
        _check_of(of)
        if of == "score":
            return self._score_size
        return self._of_edges(
            effective_sizes, float(self.scores.shape[1] // 2 * 2 * len(self.scores))
        )

    @overload
    def r_hat(self, of: Literal["score"] = "score") -> float: ...
    @overload
    def r_hat(self, of: Literal["edges"]) -> PairMatrix: ...
    def r_hat(self, of: Of = "score") -> float | PairMatrix:
        """Return how much more the chains, cut in halves, differ than one of them varies.

        1 if they agree; from 1.01 on they do not (Vehtari et al. 2021). Of the score it is the
        rank-normalised one, the larger of that of place and that of width. Of edges it is the
        classic split R-hat (Gelman et al. 2013): of what is 0 or 1, ranks are no others.

        Parameters
        ----------
        of : {"score", "edges"}
            One number for the score, or one for each edge: 1 for an edge that all draws have, or
            none has, infinite for one that some chains always have and others never.

        Examples
        --------
        >>> import dagwright as dw
        >>> dags = [dw.Dag([("a", "b")]), dw.Dag([("b", "a")], nodes=["a", "b"])]
        >>> posterior = dw.Posterior.from_dags([[dag] * 10 for dag in dags], [[-1.0] * 10] * 2)
        >>> posterior.r_hat(), posterior.r_hat("edges")["a", "b"]
        (1.0, inf)
        """
        _check_of(of)
        return self._score_r_hat if of == "score" else self._of_edges(split_r_hats, 1.0)

    @cached_property
    def _score_size(self) -> float:
        return bulk_effective_size(self.scores)

    @cached_property
    def _score_r_hat(self) -> float:
        return rank_r_hat(self.scores)

    def edge_indicators(self) -> Iterator[npt.NDArray[np.bool_]]:
        """Go through the nodes: chains by draws by variables, whether each is a parent."""
        for v, members in enumerate(set_members(self.parent_sets)):
            yield members[self.draws[..., v]]

    def _of_edges(self, measure: Measure, constant: float) -> PairMatrix:
        """Measure the indicators of the edges; those that never change get a constant."""
        n = len(self.names)
        values = np.full((n, n), constant if self.draws.shape[1] >= 4 else np.nan)
        for v, edges in enumerate(self.edge_indicators()):
            changing = np.flatnonzero(np.ptp(edges.astype(np.uint8), axis=(0, 1)))
            values[changing, v] = measure(edges[..., changing])
        values.flags.writeable = False
        return PairMatrix(self.names, values)

    def chain_edge_probabilities(self) -> tuple[PairMatrix, ...]:
        """Return the probabilities of the edges by each chain alone."""
        return self._by_chain

    @cached_property
    def _by_chain(self) -> tuple[PairMatrix, ...]:
        return tuple(self._edges_of(chain, slice(None)) for chain in range(len(self.scores)))

    @cached_property
    def _compared(self) -> tuple[PairMatrix, ...]:
        """The probabilities by chain, or by half if there is one chain."""
        n_chains, n_draws = self.scores.shape
        if n_chains > 1 or n_draws < 2:
            return self._by_chain
        half = n_draws // 2
        return tuple(self._edges_of(0, part) for part in (slice(half), slice(n_draws - half, None)))

    def _edges_of(self, chain: int, draws: slice) -> PairMatrix:
        shares = self._shares(chain, draws)
        values = np.empty((len(self.names), len(self.names)))
        for v, members in enumerate(set_members(self.parent_sets)):
            values[:, v] = np.bincount(self.draws[chain, draws, v], shares, len(members)) @ members
        return pair_matrix(self.names, values)

    def edge_differences(self) -> PairMatrix:
        """Return by how much chains differ in the probability of each edge: ``[parent, child]``.

        Largest minus smallest; of a single chain, between its halves.

        Examples
        --------
        >>> import dagwright as dw
        >>> dags = [dw.Dag([("a", "b")]), dw.Dag([("b", "a")], nodes=["a", "b"])]
        >>> posterior = dw.Posterior.from_dags(
        ...     [[dags[0]] * 4, [dags[0]] * 3 + [dags[1]]], [[-1.0] * 4] * 2)
        >>> posterior.edge_differences()["b", "a"]
        0.25
        """
        values = np.ptp([own.values for own in self._compared], axis=0)
        values.flags.writeable = False
        return PairMatrix(self.names, values)

    def max_edge_difference(self) -> float:
        """Return the largest difference between chains in the probability of an edge."""
        return float(self.edge_differences().values.max(initial=0.0))

    @property
    def weights_effective_size(self) -> float:
        """How many draws of equal weight the weighted draws are worth (Kish): (sum w)^2 / sum w^2.

        The number of draws if they have no weights.
        """
        return float(1 / (self.weights**2).sum())

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """What is wrong with the draws, in plain words, and what to do; empty if nothing is."""
        told = []
        r_hat = self._score_r_hat
        if np.isnan(r_hat):
            told.append(
                f"Draws a chain: {self.scores.shape[1]}, too few to compare chains; at least 4 are "
                "needed for that, and hundreds to rely on"
            )
        elif r_hat >= _MOST_R_HAT:
            told.append(
                f"The chains disagree on the score: R-hat is {r_hat:.3f}, and should be below "
                f"{_MOST_R_HAT}. {_FIX}"
            )
        differences = self.edge_differences().values
        if differences.max(initial=0.0) >= _MOST_DIFFERENCE:
            worst = differences.max() - 1e-9  # a tie goes to the first edge, whatever the rounding
            start, end = np.argwhere(differences >= worst)[0]
            own = [float(matrix.values[start, end]) for matrix in self._compared]
            low, high = int(np.argmin(own)), int(np.argmax(own))
            parts, part = ("chains", "chain") if len(self.scores) > 1 else ("halves", "half")
            told.append(
                f"The {parts} disagree on edges, most on "
                f"{self.names[start]} -> {self.names[end]}: its probability is {own[low]:.2f} by "
                f"{part} {low + 1} and {own[high]:.2f} by {part} {high + 1}. {_FIX}"
            )
        told += self._of_the_sampler()
        size = self.weights_effective_size
        if size < _LEAST_SHARE * self.scores.size:
            told.append(
                f"The weights leave little: {self.scores.size:,} draws are worth {size:,.0f} of "
                "equal weight. Draw more, or sample graphs instead of orders"
            )
        return tuple(told)

    def _of_the_sampler(self) -> list[str]:
        """Say what the sampler could not do."""
        told = []
        if self.info.sampler.get("correct") is True and self.log_weights is None:
            told.append(
                "The draws favour graphs with many orders, as these could not be counted for all "
                "of them: sample with PartitionMCMC, which has no such bias"
            )
        left_out = self.info.candidates.get("edges_left_out", 0.0)
        if left_out > _MOST_LEFT_OUT:
            told.append(
                f"The candidates leave out about {left_out:.1f} edges a graph: raise "
                f"max_candidates={self.info.candidates['max_candidates']}"
            )
        return told

    def warn(self, stacklevel: int = 1) -> None:
        """Pass what is in `warnings` on to Python's warnings, as coming from the caller.

        Parameters
        ----------
        stacklevel : int
            2 says that they come from the caller's caller, and so on.
        """
        for message in self.warnings:
            warnings.warn(message, stacklevel=stacklevel + 1)


def _check_of(of: object) -> None:
    if of not in get_args(Of):
        raise SpecError(f'of must be "score" or "edges", not {of!r}')
