"""Random Bayesian networks for property tests."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

import dagwright as dw

NAMES = "abcdefgh"


def random_model(seed, n, *, max_states=3, density=0.5, zeros=0.0, max_parents=3):
    """Make a network of `n` nodes in shuffled order; a share of the cells is zero."""
    rng = np.random.default_rng(seed)
    names = [str(name) for name in rng.permutation(list(NAMES[:n]))]
    parents = {}
    for place, name in enumerate(names):
        chosen = [other for other in names[:place] if rng.random() < density]
        parents[name] = chosen[:max_parents]
    dag = dw.Dag.from_parents(parents, nodes=sorted(names))
    states = {
        name: [f"{name}{k}" for k in range(rng.integers(1, max_states + 1))] for name in names
    }
    probabilities = {}
    for name in names:
        shape = [len(states[other]) for other in (*dag.parents(name), name)]
        table = rng.random(shape) + 0.01
        table[rng.random(shape) < zeros] = 0
        empty = table.sum(axis=-1) == 0
        table[empty, 0] = 1
        probabilities[name] = table / table.sum(axis=-1, keepdims=True)
    return dw.BayesNet(dag, probabilities, states)


@st.composite
def models(draw, max_nodes=6, max_states=3):
    return random_model(
        draw(st.integers(0, 2**32)),
        draw(st.integers(1, max_nodes)),
        max_states=max_states,
        density=draw(st.sampled_from([0.2, 0.5, 0.9])),
        zeros=draw(st.sampled_from([0.0, 0.3, 0.8])),
    )


@st.composite
def evidence(draw, model, names, soft=True):
    """Draw hard and soft evidence on some of these variables."""
    given = {}
    for name in names:
        kind = draw(st.sampled_from(["none", "none", "hard", "soft"] if soft else ["none", "hard"]))
        states = model.states[name]
        if kind == "hard":
            given[name] = draw(st.sampled_from(states))
        elif kind == "soft":
            weights = draw(
                st.lists(
                    st.sampled_from([0.0, 0.1, 1.0, 2.5]),
                    min_size=len(states),
                    max_size=len(states),
                ).filter(any)
            )
            given[name] = dict(zip(states, weights, strict=True))
    return given


def grid(side):
    """Make a grid of variables with 3 states, each with the neighbours before it as parents."""
    rng = np.random.default_rng(0)
    cells = [(i, j) for i in range(side) for j in range(side)]
    edges = [(f"x{i}_{j}", f"x{i + 1}_{j}") for i, j in cells if i + 1 < side]
    edges += [(f"x{i}_{j}", f"x{i}_{j + 1}") for i, j in cells if j + 1 < side]
    dag = dw.Dag(edges, nodes=[f"x{i}_{j}" for i, j in cells])
    return dw.BayesNet(
        dag,
        {name: rng.dirichlet(np.ones(3), size=[3] * len(dag.parents(name))) for name in dag.nodes},
    )
