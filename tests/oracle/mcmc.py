"""Samplers by listing all graphs: what they should draw, and the matrix of the structure chain."""

import itertools
import math

import numpy as np

import dagwright as dw


def parents_of(dag, names):
    """The parents of each node, as a tuple of frozen sets of places."""
    return tuple(frozenset(names.index(p) for p in dag.parents(v)) for v in names)


def graphs(names, allowed=None):
    """All DAGs over the names within the constraints, as tuples of parent sets."""
    allowed = dw.Constraints() if allowed is None else allowed
    return [parents_of(dag, names) for dag in dw.all_dags(names) if not allowed.violations(dag)]


def log_weight(scorer, graph):
    names = scorer.names
    families = [(names[v], [names[p] for p in parents]) for v, parents in enumerate(graph)]
    return float(scorer.batch(families).sum())


def distribution(scorer, allowed=None, over="dags"):
    """The probability of each graph within the constraints."""
    names = scorer.names
    fitting = [
        g
        for g in graphs(names)
        if allowed is None
        or not allowed.violations(as_dag(g, names), [scorer.data.n_states[v] for v in names])
    ]
    logs = np.array([log_weight(scorer, g) for g in fitting])
    if over == "orders":
        logs += [math.log(n_orders(g)) for g in fitting]
    weights = np.exp(logs - logs.max())
    return dict(zip(fitting, weights / weights.sum(), strict=True))


def as_dag(graph, names):
    return dw.Dag.from_parents({names[v]: [names[p] for p in own] for v, own in enumerate(graph)})


def n_orders(graph):
    """In how many orders parents come before children."""
    n = len(graph)
    return sum(
        all(order.index(p) < order.index(v) for v in range(n) for p in graph[v])
        for order in itertools.permutations(range(n))
    )


def layers(graph):
    """The longest path to each node."""
    out = {}

    def layer(v):
        if v not in out:
            out[v] = max((layer(p) + 1 for p in graph[v]), default=0)
        return out[v]

    return tuple(layer(v) for v in range(len(graph)))


def _acyclic(graph):
    left = set(range(len(graph)))
    while left:
        free = {v for v in left if not graph[v] & left}
        if not free:
            return False
        left -= free
    return True


def _with(graph, v, parents):
    return (*graph[:v], frozenset(parents), *graph[v + 1 :])


def neighbours(graph):
    """All DAGs with one edge added, removed or reversed."""
    n = len(graph)
    out = []
    for a, b in itertools.permutations(range(n), 2):
        if a in graph[b]:
            removed = _with(graph, b, graph[b] - {a})
            out.append(removed)
            out.append(_with(removed, a, removed[a] | {b}))
        elif b not in graph[a]:
            out.append(_with(graph, b, graph[b] | {a}))
    return [g for g in out if _acyclic(g)]


def single_edge_matrix(probability):
    """The transition matrix of Metropolis and Hastings over neighbours, by graph and graph."""
    listed = list(probability)
    place = {g: i for i, g in enumerate(listed)}
    matrix = np.zeros((len(listed), len(listed)))
    for g in listed:
        near = neighbours(g)
        for h in near:
            ratio = probability[h] * len(near) / (probability[g] * len(neighbours(h)))
            matrix[place[g], place[h]] += min(1.0, ratio) / len(near)
    matrix[np.diag_indices(len(listed))] = 1 - matrix.sum(axis=1)
    return matrix


def _choices(graph, node, weight, must=None):
    """All parent sets of a node without any that close no cycle, with their weights."""
    others = [v for v in range(len(graph)) if v != node]
    out = {}
    for size in range(len(others) + 1):
        for own in itertools.combinations(others, size):
            if (must is None or must in own) and _acyclic(_with(graph, node, own)):
                out[frozenset(own)] = weight(node, frozenset(own))
    return out


def reversal_matrix(scorer, probability):
    """The transition matrix of the new edge reversal move."""
    names = scorer.names
    shift = [max(scorer.local(v), -math.inf) for v in names]

    def weight(v, parents):
        return math.exp(scorer.local(names[v], [names[p] for p in parents]) - shift[v])

    listed = list(probability)
    place = {g: i for i, g in enumerate(listed)}
    matrix = np.zeros((len(listed), len(listed)))
    # By way, as two ways may lead to one graph: each has a way back of its own.
    for g in listed:
        edges = [(a, b) for b in range(len(g)) for a in g[b]]
        for a, b in edges:
            bare = _with(_with(g, a, ()), b, ())
            of_a = _choices(bare, a, weight, must=b)
            for parents_a, weight_a in of_a.items():
                half = _with(bare, a, parents_a)
                of_b = _choices(half, b, weight)
                for parents_b, weight_b in of_b.items():
                    h = _with(half, b, parents_b)
                    there = weight_a / sum(of_a.values()) * weight_b / sum(of_b.values())
                    there /= len(edges)
                    n_edges = sum(map(len, h))
                    back_b = _choices(bare, b, weight, must=a)
                    back_a = _choices(_with(bare, b, g[b]), a, weight)
                    back = weight(b, g[b]) / sum(back_b.values())
                    back *= weight(a, g[a]) / sum(back_a.values()) / n_edges
                    ratio = probability[h] * back / (probability[g] * there)
                    matrix[place[g], place[h]] += there * min(1.0, ratio)
    matrix[np.diag_indices(len(listed))] += 1 - matrix.sum(axis=1)
    return matrix
