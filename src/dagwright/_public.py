"""The public names, each from its module: `dagwright` loads them when the first is asked for."""

from dagwright import networks as networks
from dagwright.bayes_net import BayesNet as BayesNet
from dagwright.compare import compare as compare
from dagwright.compare import shd as shd
from dagwright.conditional_table import ConditionalTable as ConditionalTable
from dagwright.constraints import Constraints as Constraints
from dagwright.cpdag import Cpdag as Cpdag
from dagwright.dags import all_dags as all_dags
from dagwright.dags import n_dags as n_dags
from dagwright.dags import random_dag as random_dag
from dagwright.discretize import Cuts as Cuts
from dagwright.discretize import EqualWidth as EqualWidth
from dagwright.discretize import Quantiles as Quantiles
from dagwright.edge_cards.edge_card import EdgeCard as EdgeCard
from dagwright.edge_cards.edge_card import EdgeShares as EdgeShares
from dagwright.edge_cards.explain import explain as explain
from dagwright.edge_cards.explanation import Explanation as Explanation
from dagwright.errors import DagwrightError as DagwrightError
from dagwright.errors import DataError as DataError
from dagwright.errors import GraphError as GraphError
from dagwright.errors import Interrupted as Interrupted
from dagwright.errors import SpecError as SpecError
from dagwright.errors import Unfinished as Unfinished
from dagwright.experiments.consistency import Consistency as Consistency
from dagwright.experiments.consistency import ConsistencyPoint as ConsistencyPoint
from dagwright.experiments.consistency import consistency as consistency
from dagwright.experiments.cross_validate import CrossValidated as CrossValidated
from dagwright.experiments.cross_validate import CrossValidation as CrossValidation
from dagwright.experiments.cross_validate import cross_validate as cross_validate
from dagwright.experiments.overfitting import Overfitting as Overfitting
from dagwright.experiments.overfitting import OverfittingStep as OverfittingStep
from dagwright.experiments.overfitting import overfitting as overfitting
from dagwright.experiments.sensitivity import PathEdge as PathEdge
from dagwright.experiments.sensitivity import PathGraph as PathGraph
from dagwright.experiments.sensitivity import Sensitivity as Sensitivity
from dagwright.experiments.sensitivity import sensitivity as sensitivity
from dagwright.fit import fit as fit
from dagwright.graph import Dag as Dag
from dagwright.inference.distribution import Distribution as Distribution
from dagwright.inference.junction_tree import JunctionTree as JunctionTree
from dagwright.information.beta import BetaPosterior as BetaPosterior
from dagwright.information.dirichlet import DirichletPosterior as DirichletPosterior
from dagwright.information.entropy import conditional_entropy as conditional_entropy
from dagwright.information.entropy import entropy as entropy
from dagwright.information.entropy import mutual_information as mutual_information
from dagwright.information.independence import Independence as Independence
from dagwright.information.independence import independence as independence
from dagwright.information.kl import cross_entropy as cross_entropy
from dagwright.information.kl import kl_divergence as kl_divergence
from dagwright.information.likelihoods import (
    bernoulli_log_likelihood as bernoulli_log_likelihood,
)
from dagwright.information.likelihoods import binomial_log_likelihood as binomial_log_likelihood
from dagwright.information.likelihoods import (
    categorical_log_likelihood as categorical_log_likelihood,
)
from dagwright.information.marginal_likelihood import MarginalLikelihood as MarginalLikelihood
from dagwright.information.marginal_likelihood import ZeroEstimate as ZeroEstimate
from dagwright.information.marginal_likelihood import marginal_likelihood as marginal_likelihood
from dagwright.information.marginal_likelihood_curve import (
    MarginalLikelihoodCurve as MarginalLikelihoodCurve,
)
from dagwright.information.marginal_likelihood_curve import (
    marginal_likelihood_curve as marginal_likelihood_curve,
)
from dagwright.information.markov_violations import MarkovViolation as MarkovViolation
from dagwright.information.markov_violations import MarkovViolations as MarkovViolations
from dagwright.information.markov_violations import markov_violations as markov_violations
from dagwright.information.matrix import InformationMatrix as InformationMatrix
from dagwright.information.matrix import mutual_information_matrix as mutual_information_matrix
from dagwright.information.power import PowerCurve as PowerCurve
from dagwright.information.power import power_curve as power_curve
from dagwright.information.rows_needed import RowsNeeded as RowsNeeded
from dagwright.information.rows_needed import rows_needed as rows_needed
from dagwright.information.transition import transition_plot as transition_plot
from dagwright.io.read import read as read
from dagwright.learn import learn as learn
from dagwright.learn import replay as replay
from dagwright.learn_undirected import learn_undirected as learn_undirected
from dagwright.load import load as load
from dagwright.markov.belief_propagation import (
    BeliefPropagationExpectation as BeliefPropagationExpectation,
)
from dagwright.markov.belief_propagation import (
    TreeReweightedExpectation as TreeReweightedExpectation,
)
from dagwright.markov.clique_marginals import CliqueMarginals as CliqueMarginals
from dagwright.markov.contrastive_divergence import (
    PersistentContrastiveDivergence as PersistentContrastiveDivergence,
)
from dagwright.markov.empirical import EmpiricalComparison as EmpiricalComparison
from dagwright.markov.gibbs import GibbsExpectation as GibbsExpectation
from dagwright.markov.ising import Ising as Ising
from dagwright.markov.iterative_proportional_fitting import (
    IterativeProportionalFitting as IterativeProportionalFitting,
)
from dagwright.markov.log_linear import Feature as Feature
from dagwright.markov.log_linear import LogLinear as LogLinear
from dagwright.markov.moment_matching import MomentMatching as MomentMatching
from dagwright.markov.moment_selection import (
    MomentMatchingSelection as MomentMatchingSelection,
)
from dagwright.markov.neighbourhoods import NeighbourhoodSelection as NeighbourhoodSelection
from dagwright.markov.pseudo_likelihood import PseudoLikelihood as PseudoLikelihood
from dagwright.markov.result import UndirectedResult as UndirectedResult
from dagwright.mcmc import OrderMCMC as OrderMCMC
from dagwright.mcmc import PartitionMCMC as PartitionMCMC
from dagwright.mcmc import StructureMCMC as StructureMCMC
from dagwright.pairs import PairMatrix as PairMatrix
from dagwright.parent_sets import parent_sets as parent_sets
from dagwright.posterior.average_query import AveragedDistribution as AveragedDistribution
from dagwright.posterior.averaged_graph import AveragedGraph as AveragedGraph
from dagwright.posterior.averaged_graph import EdgeConfidence as EdgeConfidence
from dagwright.posterior.best import BestDags as BestDags
from dagwright.posterior.bootstrap import Bootstrap as Bootstrap
from dagwright.posterior.bootstrap import bootstrap as bootstrap
from dagwright.posterior.estimate import Estimate as Estimate
from dagwright.posterior.exact import ExactPosterior as ExactPosterior
from dagwright.posterior.exact import exact_posterior as exact_posterior
from dagwright.posterior.forecast import PosteriorForecast as PosteriorForecast
from dagwright.posterior.forecast import forecast_exact_posterior as forecast_exact_posterior
from dagwright.posterior.sample import posterior as posterior
from dagwright.posterior.sample import resume as resume
from dagwright.posterior.sample_info import SampleInfo as SampleInfo
from dagwright.posterior.sampled import Posterior as Posterior
from dagwright.result import Result as Result
from dagwright.scorer import Scorer as Scorer
from dagwright.scorer import score as score
from dagwright.scores import AIC as AIC
from dagwright.scores import BIC as BIC
from dagwright.scores import K2 as K2
from dagwright.scores import MDL as MDL
from dagwright.scores import BDe as BDe
from dagwright.scores import BDeu as BDeu
from dagwright.scores import Dirichlet as Dirichlet
from dagwright.scores import LogLikelihood as LogLikelihood
from dagwright.scores import Penalized as Penalized
from dagwright.search import GES as GES
from dagwright.search import Anneal as Anneal
from dagwright.search import Auto as Auto
from dagwright.search import ChowLiu as ChowLiu
from dagwright.search import ExactDP as ExactDP
from dagwright.search import ExactILP as ExactILP
from dagwright.search import Exhaustive as Exhaustive
from dagwright.search import Found as Found
from dagwright.search import HillClimb as HillClimb
from dagwright.search import K2Search as K2Search
from dagwright.search import OrderSearch as OrderSearch
from dagwright.search import ParentSets as ParentSets
from dagwright.search import Perturb as Perturb
from dagwright.search import Tabu as Tabu
from dagwright.search import TreeAugmentedNaiveBayes as TreeAugmentedNaiveBayes
from dagwright.sources import Chunks as Chunks
from dagwright.structure_priors import EdgeBeliefs as EdgeBeliefs
from dagwright.structure_priors import EdgePenalty as EdgePenalty
from dagwright.structure_priors import Modular as Modular
from dagwright.structure_priors import ParentCount as ParentCount
from dagwright.structure_priors import Uniform as Uniform
from dagwright.table import Table as Table
from dagwright.undirected_graph import UndirectedGraph as UndirectedGraph
