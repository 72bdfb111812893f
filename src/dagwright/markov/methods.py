"""All methods and all ways to compute expectations: to import this makes them known by name."""

from dagwright.markov.auto import AutoUndirected
from dagwright.markov.belief_propagation import (
    BeliefPropagationExpectation,
    TreeReweightedExpectation,
)
from dagwright.markov.clique_marginals import CliqueMarginals
from dagwright.markov.contrastive_divergence import PersistentContrastiveDivergence
from dagwright.markov.enumeration import Enumeration
from dagwright.markov.gibbs import GibbsExpectation
from dagwright.markov.iterative_proportional_fitting import IterativeProportionalFitting
from dagwright.markov.junction_tree import JunctionTreeExpectation
from dagwright.markov.moment_matching import MomentMatching
from dagwright.markov.moment_selection import MomentMatchingSelection
from dagwright.markov.neighbourhoods import NeighbourhoodSelection
from dagwright.markov.pseudo_likelihood import PseudoLikelihood

__all__ = [
    "AutoUndirected",
    "BeliefPropagationExpectation",
    "CliqueMarginals",
    "Enumeration",
    "GibbsExpectation",
    "IterativeProportionalFitting",
    "JunctionTreeExpectation",
    "MomentMatching",
    "MomentMatchingSelection",
    "NeighbourhoodSelection",
    "PersistentContrastiveDivergence",
    "PseudoLikelihood",
    "TreeReweightedExpectation",
]
