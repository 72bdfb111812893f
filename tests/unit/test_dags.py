from collections import Counter

import numpy as np
import pytest

import dagwright as dw
from dagwright.dags import _counts_by_roots
from dagwright.errors import GraphError, SpecError
from oracle import graphs as oracle


@pytest.mark.parametrize(("n", "count"), [(0, 1), (1, 1), (2, 3), (3, 25), (4, 543), (5, 29281)])
def test_all_dags_are_all_different_and_as_many_as_robinson_says(n, count):
    found = {dag.edges for dag in dw.all_dags(list("abcde")[:n])}
    assert len(found) == count == dw.n_dags(n)


def test_all_dags_are_those_of_brute_force():
    names = ["a", "b", "c", "d"]
    found = [dag.edges for dag in dw.all_dags(names)]
    assert len(found) == 543
    assert {frozenset(edges) for edges in found} == {
        frozenset((names[a], names[b]) for a, b in edges) for edges in oracle.all_dags(4)
    }


def test_too_many_nodes_to_list_say_how_many_graphs():
    with pytest.raises(GraphError, match="6 nodes have 3,781,503 DAGs"):
        dw.all_dags(list("abcdef"))
    with pytest.raises(GraphError, match=r"more than 10\^"):
        dw.all_dags([f"v{i}" for i in range(5000)])
    with pytest.raises(GraphError, match="'a' is given twice"):
        dw.all_dags(["a", "a"])


def test_n_dags_is_exact_and_refuses_negative_numbers():
    assert dw.n_dags(10) == 4175098976430598143  # OEIS A003024
    with pytest.raises(SpecError, match="not -1"):
        dw.n_dags(-1)


@pytest.mark.parametrize("n", range(15))
def test_counts_by_roots_add_up_to_all_graphs(n):
    assert sum(_counts_by_roots(n)[n]) == dw.n_dags(n)


def test_counts_by_roots_match_brute_force():
    roots = Counter(
        sum(not oracle.parents(edges, v) for v in range(4)) for edges in oracle.all_dags(4)
    )
    assert _counts_by_roots(4)[4] == [roots[k] for k in range(5)]


def test_uniform_graphs_are_uniform():
    rng = np.random.default_rng(7)
    n_drawn = 10_000
    seen = Counter(dw.random_dag(["a", "b", "c"], seed=rng).edges for _ in range(n_drawn))
    expected = n_drawn / 25
    assert len(seen) == 25
    chi_square = sum((count - expected) ** 2 / expected for count in seen.values())
    assert chi_square < 51.2  # the 0.999 quantile with 24 degrees of freedom


def test_sparse_graphs_have_the_mean_and_the_bound():
    names = [f"v{i}" for i in range(300)]
    free = dw.random_dag(names, mean_parents=2, seed=1)
    assert abs(len(free.edges) / 300 - 2) < 0.3  # about three standard deviations
    bound = dw.random_dag(names, mean_parents=2, max_parents=2, seed=1)
    assert max(len(bound.parents(node)) for node in names) == 2
    complete = dw.random_dag(names[:10], mean_parents=4.5)
    assert len(complete.edges) == 45
    assert dw.random_dag(names, mean_parents=0).edges == ()


def test_sparse_graphs_do_not_follow_the_order_of_names():
    dag = dw.random_dag([f"v{i}" for i in range(300)], mean_parents=2, seed=1)
    number = {node: i for i, node in enumerate(dag.nodes)}
    forward = sum(number[a] < number[b] for a, b in dag.edges)
    assert 0.4 < forward / len(dag.edges) < 0.6


@pytest.mark.parametrize("settings", [{}, {"mean_parents": 1.5}])
def test_seed_decides_and_the_global_state_is_left_alone(settings):
    names = [f"v{i}" for i in range(20)]
    before = np.random.get_state()[1].tolist()  # noqa: NPY002
    first = dw.random_dag(names, seed=5, **settings)
    assert first == dw.random_dag(names, seed=5, **settings)
    assert first != dw.random_dag(names, seed=6, **settings)
    assert dw.random_dag(names, **settings) == dw.random_dag(names, seed=0, **settings)
    assert dw.random_dag(names, seed=None, **settings) != dw.random_dag(
        names, seed=None, **settings
    )
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002


@pytest.mark.parametrize("n", [0, 1, 2])
def test_tiny_random_graphs(n):
    names = ["a", "b"][:n]
    assert dw.random_dag(names).nodes == tuple(names)
    assert dw.random_dag(names, mean_parents=0).edges == ()


def test_impossible_settings_are_refused():
    with pytest.raises(SpecError, match="give mean_parents"):
        dw.random_dag(["a", "b"], max_parents=1)
    with pytest.raises(SpecError, match=r"between 0 and \(n - 1\) / 2 = 0.5"):
        dw.random_dag(["a", "b"], mean_parents=1)
    with pytest.raises(SpecError, match="not nan"):
        dw.random_dag(["a", "b"], mean_parents=float("nan"))
    with pytest.raises(SpecError, match="max_parents must be a whole number, 0 or more, not -1"):
        dw.random_dag(["a", "b"], mean_parents=0.1, max_parents=-1)
    with pytest.raises(SpecError, match="at most 150 nodes, not 151"):
        dw.random_dag([f"v{i}" for i in range(151)])
