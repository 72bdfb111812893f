"""Features of weighted graphs by looking at one graph after the other."""

from collections import defaultdict

from oracle import graphs


class Weighted:
    """Graphs as sets of (parent, child) with weights that sum to 1."""

    def __init__(self, names, edge_sets, weights):
        self.names = names
        self.pairs = [
            (frozenset((names.index(a), names.index(b)) for a, b in edges), weight)
            for edges, weight in zip(edge_sets, weights, strict=True)
        ]

    def probability(self, holds):
        return sum(weight for edges, weight in self.pairs if holds(edges))

    def edge(self, a, b):
        return self.probability(lambda edges: (a, b) in edges)

    def joined(self, a, b):
        return self.probability(lambda edges: (a, b) in edges or (b, a) in edges)

    def compelled(self, a, b):
        n = len(self.names)
        return self.probability(lambda edges: (a, b) in graphs.cpdag(n, edges)[0])

    def path(self, a, b):
        n = len(self.names)
        return self.probability(lambda edges: b in graphs.descendants(n, edges, a))

    def sets(self, of):
        """The probability of each set of nodes that `of(edges)` is, by names."""
        found = defaultdict(float)
        for edges, weight in self.pairs:
            found[tuple(self.names[i] for i in sorted(of(edges)))] += weight
        return {own: weight for own, weight in found.items() if weight > 0}

    def parents(self, v):
        return self.sets(lambda edges: graphs.parents(edges, v))

    def blanket(self, v):
        def of(edges):
            children = {b for a, b in edges if a == v}
            spouses = {a for a, b in edges if b in children}
            return (graphs.parents(edges, v) | children | spouses) - {v}

        return self.sets(of)
