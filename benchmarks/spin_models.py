"""Ising models whose graph is to be found again: grids, random regular graphs, stars."""

import networkx as nx
import numpy as np

import dagwright as dw


def couplings_of(graph: nx.Graph, *, size: float, mixed: bool, seed: int) -> np.ndarray:
    """All of one size; all attract, or half of them, drawn, repel."""
    rng = np.random.default_rng(seed)
    matrix = np.zeros((len(graph), len(graph)))
    for a, b in sorted(tuple(sorted(edge)) for edge in graph.edges):
        matrix[a, b] = matrix[b, a] = size * (rng.choice([-1, 1]) if mixed else 1)
    return matrix


def grid(height: int, width: int) -> nx.Graph:
    return nx.convert_node_labels_to_integers(nx.grid_2d_graph(height, width), ordering="sorted")


def regular(n: int) -> nx.Graph:
    return nx.random_regular_graph(3, n, seed=1)


def star(n: int, leaves: int) -> nx.Graph:
    """One spin joined to some others; the rest is alone."""
    graph = nx.empty_graph(n)
    graph.add_edges_from((0, leaf) for leaf in range(1, leaves + 1))
    return graph


def model_of(graph: nx.Graph, *, size: float, mixed: bool, seed: int = 0) -> dw.Ising:
    matrix = couplings_of(graph, size=size, mixed=mixed, seed=seed)
    return dw.Ising(np.zeros(len(graph)), matrix)
