"""Random graphs for hypothesis."""

from itertools import combinations

from hypothesis import strategies as st


@st.composite
def dags(draw, min_nodes=1, max_nodes=5, max_edges=None):
    """The number of nodes and the edges of a graph without cycles."""
    n = draw(st.integers(min_nodes, max_nodes))
    order = draw(st.permutations(range(n)))
    pairs = list(combinations(order, 2))
    edges = draw(st.sets(st.sampled_from(pairs), max_size=max_edges)) if pairs else set()
    return n, frozenset(edges)
