"""Graphs out of matched moments."""

import numpy as np
import pytest

import dagwright as dw


def truth(n=6, size=0.5):
    couplings = np.zeros((n, n))
    for i in range(n):
        couplings[i, (i + 1) % n] = couplings[(i + 1) % n, i] = size * (-1) ** i
    return dw.Ising(np.linspace(-0.2, 0.2, n), couplings)


@pytest.mark.parametrize("by", ["threshold", "l1"])
@pytest.mark.parametrize("coding", ["-1/+1", "0/1"])
def test_the_graph_is_found_and_its_moments_match(by, coding):
    model = truth()
    rows = model.sample(5000, seed=3)
    method = dw.MomentMatchingSelection(by=by)
    result = dw.learn_undirected(rows, method=method, coding=coding)
    assert result.graph == model.graph
    assert result.moment_gap < 1e-8
    assert result.model.coding == coding
    same = dw.learn_undirected(rows, graph=model.graph, method=dw.MomentMatching(), coding=coding)
    assert result.model.couplings == pytest.approx(same.model.couplings, abs=1e-7)
    assert ("threshold" if by == "threshold" else "penalty") in result.left_out[0]


def test_a_threshold_that_is_given():
    rows = truth().sample(5000, seed=3)
    full = dw.learn_undirected(rows, method=dw.MomentMatching()).model
    for threshold in (0.0, 0.02, 0.3, 5):
        method = dw.MomentMatchingSelection(threshold=threshold)
        graph = dw.learn_undirected(rows, method=method).graph
        by_hand = {
            (a, b)
            for i, a in enumerate(full.names)
            for b in full.names[i + 1 :]
            if abs(full.coupling(a, b)) > threshold
        }
        assert set(graph.edges) == by_hand


def test_the_path_takes_the_best_extended_bic_among_its_supports():
    """Every graph of four spins, fitted: the one taken is as good as any on the path by itself."""
    rows = truth(4, 0.3).sample(400, seed=5)
    result = dw.learn_undirected(rows, method=dw.MomentMatchingSelection(by="l1", gamma=0.25))

    def criterion(graph):
        own = dw.learn_undirected(rows, graph=graph, method=dw.MomentMatching())
        price = 0.5 * np.log(400) + 2 * 0.25 * np.log(4)
        return own.trace[-1].log_likelihood - price * len(graph.edges)

    chosen = criterion(result.graph)
    for l1 in np.geomspace(0.3, 0.006, 12):
        along = dw.learn_undirected(rows, method=dw.MomentMatching(l1=l1)).graph
        assert chosen >= criterion(along) - 1e-6


def test_more_than_two_states_go_along_the_path_only():
    rng = np.random.default_rng(0)
    a = rng.integers(0, 3, 2000)
    b = np.where(rng.random(2000) < 0.7, a, rng.integers(0, 3, 2000))
    rows = dw.Table({"a": a, "b": b, "c": rng.integers(0, 2, 2000)})
    with pytest.raises(dw.DataError, match="'a' has 3 states"):
        dw.learn_undirected(rows, method=dw.MomentMatchingSelection())
    result = dw.learn_undirected(rows, method=dw.MomentMatchingSelection(by="l1"))
    assert result.graph.edges == (("a", "b"),)
    assert isinstance(result.model, dw.LogLinear)


def test_settings_are_checked():
    with pytest.raises(dw.SpecError, match='by must be "threshold" or "l1"'):
        dw.MomentMatchingSelection(by="l2")
    with pytest.raises(dw.SpecError, match="leave it out"):
        dw.MomentMatchingSelection(by="l1", threshold=0.1)
    with pytest.raises(dw.SpecError, match="gamma must be from 0 to 1"):
        dw.MomentMatchingSelection(gamma=3)


def test_a_run_that_is_stopped_says_so():
    rows = truth().sample(500, seed=3)
    for by in ("threshold", "l1"):
        with pytest.raises(dw.Unfinished):
            dw.learn_undirected(rows, method=dw.MomentMatchingSelection(by=by), time_limit=0)
