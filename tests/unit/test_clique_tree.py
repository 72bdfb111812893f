"""The plan of exact inference: orders of elimination, cliques and the forecast."""

from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dagwright import _core
from models import grid, random_model
from oracle.elimination import eliminate, interaction_graph, maximal


def tree_of(network, targets=(), observed=(), every=True):
    return _core.CliqueTree(
        network.native, list(targets), list(observed), [], [], every, False, True
    )


def scope(network, v):
    name = network.names[v]
    return [network.number(p) for p in (*network.parents[name], name)]


@given(st.integers(0, 2**32), st.integers(1, 8), st.sampled_from([0.2, 0.5, 0.9]), st.data())
def test_cliques_are_those_of_the_elimination(seed, n, density, data):
    network = random_model(seed, n, density=density).network
    observed = data.draw(st.sets(st.integers(0, n - 1), max_size=n - 1))
    tree = tree_of(network, observed=observed)
    families = [scope(network, v) for v in range(n)]
    near = interaction_graph(families, observed)
    steps = eliminate(near, tree.order)
    assert sorted(tree.order) == sorted(near)
    for _, own, least, _ in steps:  # so small a graph gets the first rule only: least fill
        assert own == least
    expected = maximal([clique for *_, clique in steps])
    assert sorted(map(sorted, tree.cliques)) == sorted(map(sorted, expected))
    sizes = [prod(network.n_states(sorted(clique))) for clique in expected]
    assert tree.cells == sum(sizes)
    assert tree.largest == max(sizes, default=0)
    for family in families:
        free = set(family) - observed
        assert not free or any(free <= set(clique) for clique in tree.cliques)


@given(st.integers(0, 2**32), st.integers(2, 8), st.data())
def test_targets_are_together_in_a_clique(seed, n, data):
    network = random_model(seed, n, density=0.4).network
    targets = data.draw(st.lists(st.integers(0, n - 1), min_size=1, max_size=3, unique=True))
    tree = tree_of(network, targets, every=False)
    assert any(set(targets) <= set(clique) for clique in tree.cliques)


def test_more_orders_are_tried_for_a_larger_network():
    """A grid, where the plain greedy rule is not the best."""
    side = 9
    model = grid(side)
    tree = tree_of(model.network)
    families = [scope(model.network, v) for v in range(side * side)]
    steps = eliminate(interaction_graph(families, set()), tree.order)
    cliques = maximal([clique for *_, clique in steps])
    assert tree.cells == sum(3.0 ** len(clique) for clique in cliques)
    assert any(own > least for _, own, least, _ in steps)  # not the first rule
    assert tree.cells < 81 * 3.0 ** (side + 2)
    assert model.query("x4_4").probabilities.sum() == pytest.approx(1)


def test_wrong_networks_are_refused_by_the_core():
    values = [np.array([0.5, 0.5]), np.array([0.5, 0.5, 0.5, 0.5])]
    _core.Network([2, 2], [[0], [0, 1]], values)
    for arities, scopes in (
        ([2, 3], [[0], [0, 1]]),  # a table of the wrong size
        ([2, 2], [[0], [1, 0]]),  # the child is not the last
        ([2, 2], [[0], [5, 1]]),  # unknown
        ([2, 2], [[1], [0, 1]]),
        ([2], [[0], [0, 1]]),
    ):
        with pytest.raises(ValueError, match=r"."):
            _core.Network(arities, scopes, values)
    square = np.full(4, 0.5)
    with pytest.raises(ValueError, match="cycle"):
        _core.Network([2, 2], [[1, 0], [0, 1]], [square, square])
    network = _core.Network([2, 2], [[0], [0, 1]], values)
    with pytest.raises(ValueError, match="observed"):
        _core.CliqueTree(network, [0], [0], [], [], False, False, True)
    tree = _core.CliqueTree(network, [], [], [], [], True, False, True)
    propagation = _core.Propagation(tree)
    for states in ([(0, 2)], [(7, 0)]):
        with pytest.raises(ValueError, match="unknown"):
            propagation.set(states, [])
