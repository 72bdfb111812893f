"""Trees, branchings and the K2 algorithm, by trying everything or by the letter."""

from functools import cache
from itertools import combinations, product
from math import log

from oracle import graphs
from oracle.counts import set_counts


def mutual_information(data, x, y, given=()):
    """I(x; y | given) by its definition, a sum over all cells."""
    given = tuple(given)
    joint = set_counts(data, (x, y, *given))
    with_x, with_y = set_counts(data, (x, *given)), set_counts(data, (y, *given))
    alone = set_counts(data, given)
    return sum(
        count / data.total * log(count * alone[rest] / (with_x[i, *rest] * with_y[j, *rest]))
        for (i, j, *rest), count in joint.items()
        for rest in [tuple(rest)]
        if count > 0
    )


def all_trees(n):
    """Every tree on the nodes 0 .. n-1 as a set of pairs, by its Pruefer sequence."""
    if n == 1:
        yield frozenset()
        return
    for sequence in product(range(n), repeat=n - 2):
        degree = [1 + sequence.count(v) for v in range(n)]
        pairs = []
        for v in sequence:
            leaf = degree.index(1)
            pairs.append(frozenset((leaf, v)))
            degree[leaf] -= 1
            degree[v] -= 1
        pairs.append(frozenset(v for v in range(n) if degree[v] == 1))
        yield frozenset(pairs)


def all_forests(n):
    """Every set of pairs without a ring."""
    pairs = [frozenset(pair) for pair in combinations(range(n), 2)]
    for size in range(n):
        for chosen in combinations(pairs, size):
            component = list(range(n))
            for a, b in map(sorted, chosen):
                if component[a] == component[b]:
                    break
                old, new = component[b], component[a]
                component = [new if c == old else c for c in component]
            else:
                yield frozenset(chosen)


@cache
def all_branchings(n):
    """Every graph without a cycle in which no node has two parents, as a set of edges."""
    choices = [[None, *(u for u in range(n) if u != v)] for v in range(n)]
    all_edges = (
        frozenset((u, v) for v, u in enumerate(parents) if u is not None)
        for parents in product(*choices)
    )
    return [edges for edges in all_edges if graphs.is_acyclic(n, edges)]


def branchings(names):
    """Every graph in which no node has two parents."""
    for edges in all_branchings(len(names)):
        yield frozenset((names[a], names[b]) for a, b in edges)


def augmented(names, target):
    """Every graph in which the target is a parent of all, and the others have at most one more."""
    others = [name for name in names if name != target]
    for edges in branchings(others):
        yield edges | {(target, name) for name in others}


def k2(score, order, tolerance=1e-9):
    """The edges that the K2 algorithm finds along an order; ``score(child, parents)``."""
    edges = set()
    for place, child in enumerate(order):
        parents = []
        while True:
            gains = {
                other: score(child, [*parents, other]) - score(child, parents)
                for other in order[:place]
                if other not in parents
            }
            best = max(gains, key=gains.get, default=None)
            if best is None or gains[best] <= tolerance:
                break
            parents.append(best)
        edges |= {(parent, child) for parent in parents}
    return edges
