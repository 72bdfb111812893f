"""A class of equivalent graphs that is kept up to date, against all its members."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagwright as dw
from dagwright import _core
from oracle import graphs
from strategies import dags


def described(n, edges):
    """Directed edges, undirected ones both ways, and the pairs that a path along them joins."""
    compelled, reversible = graphs.cpdag(n, edges)
    both = {(a, b) for pair in reversible for a in pair for b in pair - {a}}
    ways = compelled | both
    leads = {(v, w) for v in range(n) for w in graphs.descendants(n, ways, v) | {v}}
    return compelled, both, leads


@st.composite
def walks(draw):
    """Graphs of the same nodes, each one edge from the last or nothing like it."""
    n, edges = draw(dags(min_nodes=2, max_nodes=5))
    steps = [edges]
    pairs = [(a, b) for a in range(n) for b in range(n) if a != b]
    for _ in range(draw(st.integers(1, 8))):
        if draw(st.integers(0, 5)) == 0:
            edges = draw(st.sampled_from(graphs.equivalence_class(n, edges)))
        else:
            a, b = draw(st.sampled_from(pairs))
            others = edges - {(a, b), (b, a)}
            changed = draw(st.sampled_from([others, others | {(a, b)}]))
            edges = changed if graphs.is_acyclic(n, changed) else others
        steps.append(edges)
    return n, steps


@given(walks())
@settings(max_examples=300)
def test_every_change_is_found_and_no_other(walk):
    n, steps = walk
    members = [[sorted(graphs.parents(edges, v)) for v in range(n)] for edges in steps]
    before = frozenset(), set(), set()
    for edges, found in zip(steps, _core.class_changes(members), strict=True):
        directed, undirected, n_edges, nodes, lost, leads = found
        after = described(n, edges)
        assert (set(directed), set(undirected), set(leads)) == after
        assert len(directed) + len(undirected) == len(after[0]) + len(after[1])
        assert n_edges == len(edges)
        differ = (before[0] ^ after[0]) | (before[1] ^ after[1])
        assert nodes == sorted({v for edge in differ for v in edge})
        assert set(lost) == (before[0] | before[1]) - (after[0] | after[1])
        before = after


@pytest.mark.parametrize("seed", range(5))
def test_changes_of_a_large_graph_lead_to_what_labelling_it_anew_gives(seed):
    """More nodes than there are bits in a word, and edges that go against the order so far."""
    n = 150
    names = [str(v) for v in range(n)]
    rng = np.random.default_rng(seed)
    edges: set[tuple[int, int]] = set()
    steps = []
    while len(steps) < 300:
        a, b = (int(v) for v in rng.choice(n, 2, replace=False))
        others = edges - {(a, b), (b, a)}
        if rng.random() < 0.1 and edges:  # one edge less
            others = edges - {list(edges)[rng.integers(len(edges))]}
            changed = others
        else:
            changed = others | {(a, b)}
        edges = changed if graphs.is_acyclic(n, changed) else others
        steps.append(edges)
    members = [[sorted(graphs.parents(step, v)) for v in range(n)] for step in steps]
    for step, found in zip(steps, _core.class_changes(members), strict=True):
        cpdag = dw.Dag([(names[a], names[b]) for a, b in step], nodes=names).cpdag()
        assert {(names[a], names[b]) for a, b in found[0]} == set(cpdag.compelled)
        undirected = {tuple(sorted(edge)) for edge in cpdag.reversible}
        assert {tuple(sorted((names[a], names[b]))) for a, b in found[1]} == undirected


@given(data=st.data())
def test_the_largest_number_and_the_first_of_equals(data):
    n = data.draw(st.integers(1, 20) | st.integers(250, 600))
    numbers = st.floats(allow_nan=False) | st.integers(0, 3).map(float)
    change = st.tuples(st.integers(0, n - 1), numbers)
    changes = data.draw(st.lists(change, min_size=1, max_size=40))
    numbers = [-math.inf] * n
    for (place, number), found in zip(changes, _core.largest_of(n, changes), strict=True):
        numbers[place] = number
        assert found == (numbers.index(max(numbers)), max(numbers))
