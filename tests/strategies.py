"""Random graphs, tables and constraints for hypothesis."""

from itertools import combinations

import numpy as np
from hypothesis import strategies as st

import dagwright as dw


@st.composite
def dags(draw, min_nodes=1, max_nodes=5, max_edges=None):
    """The number of nodes and the edges of a graph without cycles."""
    n = draw(st.integers(min_nodes, max_nodes))
    order = draw(st.permutations(range(n)))
    pairs = list(combinations(order, 2))
    edges = draw(st.sets(st.sampled_from(pairs), max_size=max_edges)) if pairs else set()
    return n, frozenset(edges)


@st.composite
def dags_of(draw, names):
    """A graph over these names."""
    order = draw(st.permutations(names))
    pairs = list(combinations(order, 2))
    return dw.Dag(draw(st.sets(st.sampled_from(pairs))) if pairs else [], nodes=names)


@st.composite
def tables(draw, min_variables=2, max_variables=6, max_rows=60, max_states=5, weighted=True):
    """A table with what makes trouble: unused states, constants, copies, weights of 0.

    The shape is drawn by hypothesis, the codes by a generator with a drawn seed: that is fast, and
    shrinks well enough.
    """
    n = draw(st.integers(min_variables, max_variables))
    n_rows = draw(st.integers(1, max_rows))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    codes, n_states = [], []
    for _ in range(n):
        r = draw(st.integers(1, max_states))
        kind = draw(st.sampled_from(["random", "unused", "constant", "copy", "noisy"]))
        if kind == "constant":
            column = np.full(n_rows, rng.integers(r))
        elif kind in ("copy", "noisy") and codes:
            source = rng.integers(len(codes))
            column, r = codes[source].copy(), max(r, n_states[source])
            if kind == "noisy":
                changed = rng.random(n_rows) < 0.2
                column[changed] = rng.integers(r, size=changed.sum())
        else:
            column = rng.integers(max(1, r - 1) if kind == "unused" else r, size=n_rows)
        codes.append(column)
        n_states.append(r)
    names = draw(st.permutations([f"v{i}" for i in range(n)]))
    weights = draw(row_weights(n_rows, rng)) if weighted else None
    return dw.Table.from_codes(
        codes, names=names, states=[range(r) for r in n_states], weights=weights
    )


@st.composite
def row_weights(draw, n_rows, rng):
    """No weights, integers with zeros, or floats; at least one above 0."""
    kind = draw(st.sampled_from(["none", "int", "float"]))
    if kind == "none":
        return None
    weights = rng.integers(0, 4, n_rows) if kind == "int" else rng.exponential(size=n_rows)
    weights[rng.integers(n_rows)] += 1
    return weights


@st.composite
def families(draw, names):
    """A child and a list of its parents."""
    child, *others = draw(st.permutations(names))
    return child, others[: draw(st.integers(0, len(others)))]


@st.composite
def constraints(draw, names):
    """Constraints that some graph over the names satisfies; the empty ones at times."""
    order = draw(st.permutations(names))
    pairs = list(combinations(order, 2))
    kinds = ["required", "forbidden", "forbidden_back", "adjacent", "none", "none", "none"]
    kind_of = {pair: draw(st.sampled_from(kinds)) for pair in pairs}

    def of_kind(kind):
        return [pair for pair in pairs if kind_of[pair] == kind]

    required, adjacent = of_kind("required"), of_kind("adjacent")
    parents = max(sum(end == name for _, end in required + adjacent) for name in names)
    cut = draw(st.integers(0, len(order)))
    return dw.Constraints(
        required=required,
        adjacent=adjacent,
        forbidden=of_kind("forbidden") + [(b, a) for a, b in of_kind("forbidden_back")],
        tiers=[order[:cut], order[cut:]] if draw(st.booleans()) and 0 < cut < len(order) else [],
        max_parents=draw(st.one_of(st.none(), st.integers(parents, len(names)))),
        max_parameters=draw(st.one_of(st.none(), st.integers(4, 60))) if parents == 0 else None,
    )
