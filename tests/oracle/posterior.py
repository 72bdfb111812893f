"""Posteriors by listing every graph, and sums over DAGs in exact fractions."""

from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from math import exp, fsum, log

from oracle import graphs
from oracle.search import satisfies


def linear_extensions(nodes, edges):
    """How many orders of the nodes put every parent before its child: each sink may be the last."""
    nodes = frozenset(nodes)

    @lru_cache(None)
    def count(left):
        if not left:
            return 1
        last = [v for v in left if not any(a == v and b in left for a, b in edges)]
        return sum(count(left - {v}) for v in last)

    return count(nodes)


class Listed:
    """All graphs within the constraints with their log weights, and what follows from these."""

    def __init__(self, names, constraints, n_states, log_weight, log_prior, over="dags"):
        self.names = names
        self.dags, logs, priors = [], [], []
        for numbered in graphs.all_dags(len(names)):
            edges = frozenset((names[a], names[b]) for a, b in numbered)
            if not satisfies(names, edges, constraints, n_states):
                continue
            extra = log(linear_extensions(names, edges)) if over == "orders" else 0.0
            self.dags.append(edges)
            logs.append(log_weight(edges) + extra)
            priors.append(log_prior(edges) + extra)
        self.logs = logs
        self.log_total = log_sum(logs)
        self.log_marginal = self.log_total - log_sum(priors)
        self.probabilities = [exp(own - self.log_total) for own in logs]

    def probability(self, holds):
        pairs = zip(self.dags, self.probabilities, strict=True)
        return fsum(own for edges, own in pairs if holds(edges))

    def edge(self, start, end):
        return self.probability(lambda edges: (start, end) in edges)

    def parents(self, child, parents):
        return self.probability(lambda edges: graphs.parents(edges, child) == set(parents))

    def path(self, start, end):
        number = {name: i for i, name in enumerate(self.names)}

        def leads(edges):
            numbered = {(number[a], number[b]) for a, b in edges}
            return number[end] in graphs.descendants(len(number), numbered, number[start])

        return self.probability(leads) if start != end else 0.0


def log_sum(logs):
    most = max(logs)
    return most + log(fsum(exp(own - most) for own in logs))


def exact_total(weights):
    """The sum over all DAGs of the product of weights[child][frozenset of parents], a Fraction.

    By the definition of a topological order: the sources first, then those whose parents are there
    and of which one at least was there last. All terms are positive.
    """
    nodes = frozenset(range(len(weights)))

    def sets(of):
        return [frozenset(c) for size in range(len(of) + 1) for c in combinations(sorted(of), size)]

    @lru_cache(None)
    def follow(there, last):
        """The weight of all ways to go on, layer by layer."""
        if there == nodes:
            return Fraction(1)
        total = Fraction(0)
        for layer in sets(nodes - there):
            if not layer:
                continue
            product = Fraction(1)
            for v in layer:
                own = sum(
                    (weights[v][p] for p in sets(there) if p & last or not there), Fraction(0)
                )
                product *= own
            if product:
                total += product * follow(there | layer, layer)
        return total

    return follow(frozenset(), frozenset())
