"""Learn the structure of probabilistic graphical models from tables."""

import sys
from types import ModuleType

TYPE_CHECKING = False  # as in typing, which takes longer to load than all of this

__all__ = [
    "AIC",
    "BIC",
    "GES",
    "K2",
    "MDL",
    "Anneal",
    "Auto",
    "AveragedDistribution",
    "AveragedGraph",
    "BDe",
    "BDeu",
    "BayesNet",
    "BeliefPropagationExpectation",
    "BestDags",
    "BetaPosterior",
    "Bootstrap",
    "ChowLiu",
    "Chunks",
    "CliqueMarginals",
    "ConditionalTable",
    "Consistency",
    "ConsistencyPoint",
    "Constraints",
    "Cpdag",
    "CrossValidated",
    "CrossValidation",
    "Cuts",
    "Dag",
    "DagwrightError",
    "DataError",
    "Dirichlet",
    "DirichletPosterior",
    "Distribution",
    "EdgeBeliefs",
    "EdgeCard",
    "EdgeConfidence",
    "EdgePenalty",
    "EdgeShares",
    "EmpiricalComparison",
    "EqualWidth",
    "Estimate",
    "ExactDP",
    "ExactILP",
    "ExactPosterior",
    "Exhaustive",
    "Explanation",
    "Feature",
    "Found",
    "GibbsExpectation",
    "GraphError",
    "HillClimb",
    "Independence",
    "InformationMatrix",
    "Interrupted",
    "Ising",
    "IterativeProportionalFitting",
    "JunctionTree",
    "K2Search",
    "LogLikelihood",
    "LogLinear",
    "MarginalLikelihood",
    "MarginalLikelihoodCurve",
    "MarkovViolation",
    "MarkovViolations",
    "Modular",
    "MomentMatching",
    "MomentMatchingSelection",
    "NeighbourhoodSelection",
    "OrderMCMC",
    "OrderSearch",
    "Overfitting",
    "OverfittingStep",
    "PairMatrix",
    "ParentCount",
    "ParentSets",
    "PartitionMCMC",
    "PathEdge",
    "PathGraph",
    "Penalized",
    "PersistentContrastiveDivergence",
    "Perturb",
    "Posterior",
    "PosteriorForecast",
    "PowerCurve",
    "PseudoLikelihood",
    "Quantiles",
    "Result",
    "RowsNeeded",
    "SampleInfo",
    "Scorer",
    "Sensitivity",
    "SpecError",
    "StructureMCMC",
    "Table",
    "Tabu",
    "TreeAugmentedNaiveBayes",
    "TreeReweightedExpectation",
    "UndirectedGraph",
    "UndirectedResult",
    "Unfinished",
    "Uniform",
    "ZeroEstimate",
    "all_dags",
    "bernoulli_log_likelihood",
    "binomial_log_likelihood",
    "bootstrap",
    "categorical_log_likelihood",
    "compare",
    "conditional_entropy",
    "consistency",
    "cross_entropy",
    "cross_validate",
    "entropy",
    "exact_posterior",
    "explain",
    "fit",
    "forecast_exact_posterior",
    "independence",
    "kl_divergence",
    "learn",
    "learn_undirected",
    "load",
    "marginal_likelihood",
    "marginal_likelihood_curve",
    "markov_violations",
    "mutual_information",
    "mutual_information_matrix",
    "n_dags",
    "networks",
    "overfitting",
    "parent_sets",
    "posterior",
    "power_curve",
    "random_dag",
    "read",
    "replay",
    "resume",
    "rows_needed",
    "score",
    "sensitivity",
    "shd",
    "transition_plot",
]

if TYPE_CHECKING:
    from dagwright._public import *
else:  # type checkers must not take this for a promise of any name

    def __getattr__(name):
        """Load the public names when the first of them is asked for: numpy makes that slow."""
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from dagwright import _public

        for known in __all__:
            globals().setdefault(known, getattr(_public, known))
        return globals()[name]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


class _Package(ModuleType):
    """The package, where `learn` is the function, not the module `dagwright.learn`."""

    def __setattr__(self, name: str, value: object) -> None:
        module = isinstance(value, ModuleType) and name != "networks"
        if not (name in __all__ and module):  # as importing a module does
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
