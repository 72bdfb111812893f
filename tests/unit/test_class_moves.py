"""The moves between classes of equivalent graphs, by their definition."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dagwright import _core
from oracle import ges, graphs
from strategies import dags


def cpdag_of(n, edges):
    """The directed and undirected edges of a class as the core has them."""
    return _core.cpdag([sorted(graphs.parents(edges, v)) for v in range(n)])


def check_moves(n, members):
    """Every class that an edge more, less or turned in some member leads to, and no other."""
    expected = ges.outcomes(n, members)
    found = {}
    for operator in ges.PHASES:
        op = getattr(_core.Operator, operator)
        moves = _core.class_moves(n, *cpdag_of(n, min(members, key=sorted)), op)
        for x, y, into, directed, undirected, member in moves:
            move = operator, x, y, tuple(into)
            assert move not in found
            assert _core.cpdag(member) == (directed, undirected)
            found[move] = directed, undirected
    assert found.keys() == expected.keys()
    for move, after in expected.items():
        assert found[move] == cpdag_of(n, min(after, key=sorted))


@pytest.mark.parametrize(("n", "n_classes"), [(1, 1), (2, 2), (3, 11), (4, 185)])
def test_moves_lead_to_all_neighbouring_classes_and_no_others(n, n_classes):
    every = set(ges.classes(n).values())
    assert len(every) == n_classes
    for members in every:
        check_moves(n, members)


@given(dags(min_nodes=5, max_nodes=5))
@settings(max_examples=150)
def test_moves_between_classes_of_five_nodes(graph):
    n, edges = graph
    check_moves(n, ges.classes(n)[edges])


@given(data=st.data())
def test_an_extension_honours_constraints_if_one_can(data):
    n, edges = data.draw(dags(min_nodes=2))
    pairs = [(a, b) for a in range(n) for b in range(n) if a != b]
    joined = [pair for pair in pairs if frozenset(pair) in graphs.skeleton(edges)]
    required = data.draw(st.sets(st.sampled_from(joined), max_size=2)) if joined else set()
    rules = {
        "required": {(a, b) for a, b in required if (b, a) not in required},
        "forbidden": data.draw(st.sets(st.sampled_from(pairs), max_size=2)),
        "max_parents": data.draw(st.one_of(st.none(), st.integers(0, n))),
        "max_parameters": data.draw(st.one_of(st.none(), st.integers(1, 20))),
        "arities": data.draw(st.lists(st.integers(1, 4), min_size=n, max_size=n)),
    }
    tiers = data.draw(st.lists(st.integers(-1, 1), min_size=n, max_size=n))
    native = _core.Constraints(
        n, tiers=tiers, **{key: list(v) if isinstance(v, set) else v for key, v in rules.items()}
    )
    tier_of = {v: tier for v, tier in enumerate(tiers) if tier >= 0}
    good = [
        member
        for member in graphs.equivalence_class(n, edges)
        if graphs.satisfies(n, member, tier_of=tier_of, **rules)
    ]
    found = _core.consistent_extension(n, *cpdag_of(n, edges), native)
    if not good:
        assert found is None
    else:
        assert frozenset((p, v) for v, list_ in enumerate(found) for p in list_) in good
