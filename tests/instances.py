"""An instance of every registered score, structure prior and search, with its oracle.

A newly registered one without an entry here fails the conformance tests.
"""

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np

import dagwright as dw
from oracle import inference as inference_oracle
from oracle import priors as prior_oracle
from oracle import scores as score_oracle
from oracle import trees as tree_oracle


@dataclass(frozen=True)
class Case:
    """A spec; its oracle takes (data, child, parents) for a score, (names, edges) for a prior."""

    spec: Any
    oracle: Any
    bayesian: bool = False


def third_of_n(n):
    return n / 3


def some_alpha(child, parents, config, state):
    """Hyperparameters without any pattern, for every cell of every family."""
    place = sum((i + 1) * (k + 1) for i, k in enumerate((*config, state)))
    return 0.3 + (place + ord(child[-1])) % 7 / 3


class AlphaTable:
    """The arrays that Dirichlet takes; as a class it pickles and it can name the table."""

    def __init__(self, n_states):
        self.n_states = dict(n_states)

    def __call__(self, child, parents):
        shape = [self.n_states[name] for name in (*parents, child)]
        alpha = np.empty(shape)
        for place in np.ndindex(*shape):
            # By name and not by place, so that the order of the parents does not matter.
            config = [k for _, k in sorted(zip(parents, place[:-1], strict=True))]
            alpha[place] = some_alpha(child, parents, config, place[-1])
        return alpha


def some_alpha_oracle(data, child, parents, config, state):
    in_order = [k for _, k in sorted(zip(parents, config, strict=True))]
    return some_alpha(child, parents, in_order, state)


def some_families(data):
    """A mapping for Dirichlet with every second variable's families of at most one parent."""
    alpha = AlphaTable(data.n_states)
    children = sorted(data.names)[::2]
    return {
        (child, parents): alpha(child, parents)
        for child in children
        for parents in [(), *((name,) for name in data.names if name != child)]
    }


def some_families_oracle(data, child, parents, config, state):
    if child in sorted(data.n_states)[::2] and len(parents) <= 1:
        return some_alpha_oracle(data, child, parents, config, state)
    return 1.0


def some_joint(data):
    """A prior joint that is far from uniform, its axes not in the order of the table."""
    variables = sorted(data.names, reverse=True)
    shape = [data.n_states[name] for name in variables]
    joint = np.random.default_rng(7).dirichlet(np.ones(int(np.prod(shape))) * 2).reshape(shape)
    joint += 1e-4
    return joint / joint.sum(), variables


def bde(data):
    joint, variables = some_joint(data)
    return Case(dw.BDe(joint, variables, ess=3), score_oracle.bde(joint, variables, 3), True)


def bde_network(data):
    """The same prior twice: as a network, and written down as its joint."""
    names = sorted(data.names)
    rng = np.random.default_rng(11)
    dag = dw.Dag([(a, b) for a, b in itertools.pairwise(names)], nodes=names)
    dag = dag.add(names[0], names[2]) if len(names) > 2 else dag
    tables = {
        name: rng.dirichlet(
            np.ones(data.n_states[name]) * 2, size=[data.n_states[p] for p in dag.parents(name)]
        )
        + 1e-3
        for name in names
    }
    tables = {name: table / table.sum(axis=-1, keepdims=True) for name, table in tables.items()}
    network = dw.BayesNet(dag, tables, {name: data.states[name] for name in names})
    joint = inference_oracle.joint(network)
    return Case(dw.BDe(network=network, ess=3), score_oracle.bde(joint, names, 3), True)


SCORES = {
    "log-likelihood": lambda data: Case(dw.LogLikelihood(), score_oracle.log_likelihood),
    "aic": lambda data: Case(dw.AIC(), score_oracle.aic),
    "bic": lambda data: Case(dw.BIC(), score_oracle.bic),
    "penalized": lambda data: Case(dw.Penalized(0.7), score_oracle.penalized(lambda n: 0.7)),
    "penalized by N": lambda data: Case(
        dw.Penalized(third_of_n), score_oracle.penalized(third_of_n)
    ),
    "k2": lambda data: Case(dw.K2(), score_oracle.k2, True),
    "bdeu": lambda data: Case(dw.BDeu(), score_oracle.bdeu(10), True),
    "bdeu, small ess": lambda data: Case(dw.BDeu(0.01), score_oracle.bdeu(0.01), True),
    "bde": bde,
    "bde by network": bde_network,
    "dirichlet": lambda data: Case(dw.Dirichlet(0.4), score_oracle.dirichlet(0.4), True),
    "dirichlet by family": lambda data: Case(
        dw.Dirichlet(some_families(data)),
        score_oracle.marginal_likelihood(some_families_oracle),
        True,
    ),
    "dirichlet by function": lambda data: Case(
        dw.Dirichlet(AlphaTable(data.n_states)),
        score_oracle.marginal_likelihood(some_alpha_oracle),
        True,
    ),
}


def log_weight(child, parents):
    """Of a Modular prior: some number for each family, for any order of the parents."""
    return (len(parents) * 5 + sum(map(ord, "".join(parents) + child))) % 11 / 2 - 3


def beliefs(data):
    first, second, *others = sorted(data.names)
    third = others[0] if others else None
    experts = [{(first, second): (0.7, 0.1)}, {(second, first): (0.2, 0.05)}]
    if third is not None:
        experts[0][third, first] = (0.01, 0.9)
    return experts


def one_expert(data):
    experts = beliefs(data)
    return Case(dw.EdgeBeliefs(experts[0]), prior_oracle.edge_beliefs(experts[:1]))


def two_experts(data):
    experts = beliefs(data)
    spec = dw.EdgeBeliefs(experts, trust=[1, 3])
    return Case(spec, prior_oracle.edge_beliefs(experts, [1, 3]))


PRIORS = {
    "uniform": lambda data: Case(dw.Uniform(), prior_oracle.uniform),
    "edge penalty": lambda data: Case(dw.EdgePenalty(0.2), prior_oracle.edge_penalty(0.2)),
    "parent count": lambda data: Case(dw.ParentCount(), prior_oracle.parent_count),
    "beliefs": one_expert,
    "beliefs, pooled": two_experts,
    "modular": lambda data: Case(dw.Modular(log_weight), prior_oracle.modular(log_weight)),
}


class FirstTarget(dw.TreeAugmentedNaiveBayes):
    """The target is the first variable by name: the tests have many tables."""

    def find(self, scorer, constraints, run):
        return dw.TreeAugmentedNaiveBayes(min(scorer.names)).find(scorer, constraints, run)

    def refusal(self, scorer, constraints):
        return dw.TreeAugmentedNaiveBayes(min(scorer.names)).refusal(scorer, constraints)

    def __eq__(self, other):
        return self.to_dict() == other.to_dict()

    __hash__ = dw.TreeAugmentedNaiveBayes.__hash__


SEARCHES = {
    "hill climb": dw.HillClimb(),
    "hill climb, straight": dw.HillClimb(sideways=False),
    "hill climb, first step": dw.HillClimb(step="first"),
    "hill climb from complete": dw.HillClimb(start="complete"),
    "hill climb from tree": dw.HillClimb(start="tree"),
    "hill climb from random": dw.HillClimb(start="random"),
    "hill climb, random restarts": dw.HillClimb(restarts=3),
    "hill climb, random perturbations": dw.HillClimb(restarts=6, perturbation=4),
    "tabu": dw.Tabu(),
    "auto": dw.Auto(),
    "order search": dw.OrderSearch(patience=10, enrichments=1),
    "order search, restarts": dw.OrderSearch(chains=2, patience=3, enrichments=0, restarts=2),
    "tabu, states": dw.Tabu(tenure=30, patience=60, memory="states"),
    "anneal, random": dw.Anneal(),
    "anneal, random, reheated": dw.Anneal(
        proposals=500, temperature=8, last_temperature=0.5, reheats=2, restarts=2
    ),
    "perturb, random weights": dw.Perturb(rounds=3, restarts=1),
    "tabu, random": dw.Tabu(tenure=4, patience=20, explore=5, restarts=3, start="random"),
    "ges": dw.GES(),
    "ges, one forward and one backward phase": dw.GES(turning=False, repeat=False),
    "exhaustive": dw.Exhaustive(),
    "exact, by dynamic programming": dw.ExactDP(),
    "exact, by integer programming": dw.ExactILP(),
    "chow-liu": dw.ChowLiu(),
    "chow-liu forest": dw.ChowLiu(forest=True),
    "tree-augmented naive bayes": FirstTarget("the first by name"),
    "k2 along the chow-liu tree": dw.K2Search(),
    "k2, random orders": dw.K2Search(order="random", restarts=6),
}

# They refuse what is not score-equivalent, and their steps lead from class to class.
OVER_CLASSES = {"ges"}

# Searches that look among some graphs only: all of these, as sets of edges, by the names of nodes.
GRAPHS_OF = {
    "chow-liu": tree_oracle.branchings,
    "tree-augmented-naive-bayes": lambda names: tree_oracle.augmented(names, min(names)),
}

# Searches that ask for information, not for scores, until they have their graph.
WEIGH_INFORMATION = {"chow-liu", "tree-augmented naive bayes"}


def dense_table(seed, n=6, n_rows=150, n_states=3):
    """Variables that depend on several others, where a plain climb often gets stuck."""
    rng = np.random.default_rng(seed)
    codes = []
    for i in range(n):
        mix = sum((codes[j] * rng.integers(1, 3) for j in range(i) if rng.random() < 0.6), 0)
        noise = np.where(rng.random(n_rows) < 0.35, rng.integers(n_states, size=n_rows), 0)
        codes.append((mix + noise) % n_states)
    return dw.Table.from_codes(codes, states=[range(n_states)] * n)


def chunks_of(table, n_chunks):
    """The rows of a table as up to this many chunks, each with some weight."""
    weights = np.ones(len(table)) if table.weights is None else table.weights
    parts = np.array_split(np.arange(len(table)), min(n_chunks, len(table)))
    if not all(weights[part].any() for part in parts):
        return chunks_of(table, n_chunks - 1)
    return dw.Chunks([table.take(part) for part in parts])


SAMPLERS = {
    "partition": dw.PartitionMCMC(),
    "partition, few candidates": dw.PartitionMCMC(max_candidates=1),
    "partition, tempered": dw.PartitionMCMC(temperatures=(1, 2)),
    "order": dw.OrderMCMC(),
    "order, biased": dw.OrderMCMC(correct=False),
    "structure": dw.StructureMCMC(),
    "structure, single edges": dw.StructureMCMC(reversal=0),
}
