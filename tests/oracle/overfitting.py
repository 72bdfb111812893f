"""The path of best likelihoods by trying every edge, and graphs one edge away by trying all."""

from itertools import permutations

from oracle import scores
from oracle.graphs import descendants


def is_acyclic(names, edges):
    return not any(name in descendants(len(names), edges, name) for name in names)


def best_addition(data, names, edges):
    """The highest log-likelihood of any graph with one edge more."""
    best = None
    for edge in permutations(names, 2):
        more = {*edges, edge}
        if edge in edges or not is_acyclic(names, more):
            continue
        total = log_likelihood(data, names, more)
        best = total if best is None else max(best, total)
    return best


def log_likelihood(data, names, edges):
    return total(scores.log_likelihood, data, names, edges)


def total(local, data, names, edges):
    return sum(local(data, name, [a for a, b in sorted(edges) if b == name]) for name in names)


def one_edge_away(names, edges):
    """All graphs that differ by one edge added, removed or turned."""
    edges = set(edges)
    found = []
    for a, b in permutations(names, 2):
        if (a, b) in edges:
            found += [edges - {(a, b)}, edges - {(a, b)} | {(b, a)}]
        elif (b, a) not in edges:
            found.append(edges | {(a, b)})
    return [own for own in found if is_acyclic(names, own)]
