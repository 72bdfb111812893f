"""Neighbourhood selection against slow twins, and what it must hold."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagwright as dw
from dagwright import _core
from dagwright.markov.method import UndirectedData
from dagwright.markov.neighbourhood_fits import (
    LOSSES,
    fit_along,
    fit_by_extended_bic,
    largest_penalty,
    n_wanted,
)
from dagwright.markov.neighbourhoods import scaled_penalty
from dagwright.markov.screening import all_candidates, pair_information, screened
from dagwright.markov.spins import SpinRows
from dagwright.markov.stability import instability, stable_penalty
from dagwright.markov.symmetrisation import edges_above, strengths
from dagwright.markov.threshold import (
    below_threshold,
    extended_bic,
    threshold_by_extended_bic,
)
from dagwright.run import start_run
from oracle.neighbourhoods import ising_probabilities, loss_of, smallest


def run_of(threads=1, seed=0, time_limit=None):
    return start_run(seed, threads, time_limit, False, None)


def table_of(codes, weights=None):
    codes = np.asarray(codes, dtype=np.uint8)
    return dw.Table.from_codes(codes, states=[(0, 1)] * codes.shape[1], weights=weights)


def drawn(graph_couplings, n_rows, seed=0, fields=None):
    """Rows of an Ising model of few spins, by all joint states."""
    n = len(graph_couplings)
    states, p = ising_probabilities(np.zeros(n) if fields is None else fields, graph_couplings)
    rng = np.random.default_rng(seed)
    return table_of((states[rng.choice(len(p), size=n_rows, p=p)] + 1) // 2)


def ring(n, size=0.5):
    couplings = np.zeros((n, n))
    for i in range(n):
        couplings[i, (i + 1) % n] = couplings[(i + 1) % n, i] = size
    return couplings


@st.composite
def weighted_rows(draw):
    n = draw(st.integers(2, 5))
    n_rows = draw(st.integers(4, 90))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    codes = (rng.random((n_rows, n)) < rng.uniform(0.2, 0.8, n)).astype(np.uint8)
    codes[0], codes[1] = 0, 1  # nothing is constant
    follow = rng.random(n_rows) < 0.5
    codes[follow, -1] = codes[follow, 0]
    weights = rng.integers(1, 5, n_rows) if draw(st.booleans()) else rng.random(n_rows) + 0.1
    return codes, weights


# ------------------------------------------------------------------------------ rows and kernels


@settings(max_examples=30, deadline=None)
@given(weighted_rows())
def test_spin_rows_are_the_different_rows_with_their_weights(case):
    codes, weights = case
    rows = SpinRows.of(table_of(codes, weights))
    bits = np.unpackbits(rows.bits, axis=1, bitorder="little")
    assert not bits[:, len(rows.weights) :].any()
    seen = {}
    for row, weight in zip(map(tuple, codes), weights, strict=True):
        seen[row] = seen.get(row, 0) + weight
    found = dict(zip(map(tuple, bits[:, : len(rows.weights)].T), rows.weights, strict=True))
    assert found.keys() == seen.keys()
    assert all(found[row] == pytest.approx(seen[row]) for row in seen)
    assert np.array_equal(bits[:, rows.row].T, codes)


def test_rows_of_many_variables_and_blocks():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, (9000, 19), dtype=np.uint8)
    codes[8192:] = codes[:808]  # equal rows in different blocks
    rows = SpinRows.of(table_of(codes))
    bits = np.unpackbits(rows.bits, axis=1, bitorder="little")
    assert np.array_equal(bits[:, rows.row].T, codes)
    assert rows.total_weight == 9000
    assert len(rows.weights) == len(np.unique(codes, axis=0))


@pytest.mark.parametrize("logistic", [True, False])
@pytest.mark.parametrize("n_rows", [1, 63, 64, 65, 5000])
def test_all_kernels_agree_to_the_last_bit_and_with_numpy(logistic, n_rows):
    rng = np.random.default_rng(n_rows)
    n = 19
    codes = rng.integers(0, 2, (n_rows, n), dtype=np.uint8)
    bits = np.zeros((n, 8 * -(-n_rows // 64)), dtype=np.uint8)
    packed = np.packbits(codes.T, axis=1, bitorder="little")
    bits[:, : packed.shape[1]] = packed
    weights = rng.random(n_rows) + 0.1
    values = rng.normal(size=n) * rng.choice([0.1, 1, 30], n)
    spins = _core.Spins(bits, weights)
    sets = {
        name: _core.run_spin_kernels(name, spins, 3, -0.4, values.tolist(), logistic)
        for name in _core.spin_kernel_names()
    }
    loss, *arrays = sets["plain"]
    for other, *others in sets.values():
        assert other == loss
        for mine, theirs in zip(arrays, others, strict=True):
            assert np.array_equal(mine, theirs)
    lean, first, second, sums, differ = (own.copy() for own in arrays)
    share = weights / weights.sum()
    spin = 2.0 * codes[:, 3] - 1
    u = spin * (codes @ values - 0.4)
    assert lean[:n_rows] == pytest.approx(codes @ values - 0.4, abs=1e-12)
    if logistic:
        wrong = 1 / (1 + np.exp(np.minimum(2 * u, 700)))
        wanted = share @ np.logaddexp(0, -2 * u), -2 * share * wrong * spin
        curvature = 4 * share * wrong * (1 - wrong)
    else:
        wanted = share @ np.exp(-u), -share * np.exp(-u) * spin
        curvature = share * np.exp(-u)
    assert loss == pytest.approx(wanted[0], rel=1e-12)
    assert first[:n_rows] == pytest.approx(wanted[1], rel=1e-11, abs=1e-16)
    assert second[:n_rows] == pytest.approx(curvature, rel=1e-11, abs=1e-15)
    assert not first[n_rows:].any()
    assert sums == pytest.approx(first[:n_rows] @ codes, rel=1e-9, abs=1e-12)
    unlike = codes != codes[:, [3]]
    assert differ == pytest.approx(second[:n_rows] @ unlike, rel=1e-9, abs=1e-12)


# ------------------------------------------------------------------------------------- the solver


@settings(max_examples=40, deadline=None)
@given(weighted_rows(), st.sampled_from(list(LOSSES)), st.sampled_from([0.01, 0.05, 0.2]))
def test_neighbourhoods_are_minima(case, loss, penalty):
    codes, weights = case
    table = table_of(codes, weights)
    rows = SpinRows.of(table)
    with run_of() as run:
        fits = fit_along(rows, all_candidates(UndirectedData(table)), loss, [penalty], run)[0]
    sizes = max(np.abs(fits.couplings).max(), np.abs(fits.fields).max())
    assert fits.residual <= 1e-8 or (loss == "log-rise" and sizes > 5)  # hardly a minimum
    spins = 2.0 * codes - 1
    for target in range(codes.shape[1]):
        own = fits.couplings[target]
        assert own[target] == 0
        loss_here = loss_of(loss, spins, weights, target, fits.fields[target], own)
        assert fits.losses[target] == pytest.approx(loss_here, abs=1e-12)
        if np.abs(own).max() == 20:  # without a minimum
            assert loss == "log-rise"
            continue
        _, _, value = smallest(loss, spins, weights, target, penalty)
        assert loss_here + penalty * np.abs(own).sum() <= value + 1e-8


@pytest.mark.parametrize("loss", list(LOSSES))
def test_a_ridge_and_candidates_are_honoured(loss):
    table = drawn(ring(5), 400, seed=3)
    spins = 2.0 * np.column_stack(table.codes) - 1
    candidates = all_candidates(
        UndirectedData(table, dw.UndirectedGraph([("x1", "x3"), ("x1", "x4")], nodes=table.names))
    )
    with run_of() as run:
        rows = SpinRows.of(table)
        fits = fit_along(rows, candidates, loss, [0.02], run, ridge=0.3)[0]
    for target, list_of in enumerate([[2, 3], [], [0], [0], []]):
        field, couplings, _ = smallest(loss, spins, np.ones(400), target, 0.02, 0.3, list_of)
        assert fits.couplings[target] == pytest.approx(couplings, abs=1e-5)
        assert fits.fields[target] == pytest.approx(field, abs=1e-5)


@settings(max_examples=20, deadline=None)
@given(weighted_rows(), st.sampled_from(list(LOSSES)), st.integers(0, 10**6))
def test_gradients_are_differences_of_the_loss(case, loss, seed):
    codes, weights = case
    n = codes.shape[1]
    rng = np.random.default_rng(seed)
    fields, couplings = rng.normal(size=n), rng.normal(size=(n, n)) / 2
    rows = SpinRows.of(table_of(codes, weights))
    others = [[j for j in range(n) if j != i] for i in range(n)]
    with run_of() as run:
        losses, by_field, by_coupling = _core.neighbourhood_gradients(
            rows.native,
            fields.tolist(),
            others,
            [couplings[i, own].tolist() for i, own in enumerate(others)],
            LOSSES[loss],
            run.native,
        )
    spins, step = 2.0 * codes - 1, 1e-6
    by_coupling = by_coupling.reshape(n, n - 1)
    for i in range(n):
        assert losses[i] == pytest.approx(loss_of(loss, spins, weights, i, fields[i], couplings[i]))
        up = loss_of(loss, spins, weights, i, fields[i] + step, couplings[i])
        down = loss_of(loss, spins, weights, i, fields[i] - step, couplings[i])
        assert by_field[i] == pytest.approx((up - down) / (2 * step), abs=1e-6)
        j = others[i][0]
        more, less = couplings[i].copy(), couplings[i].copy()
        more[j] += step
        less[j] -= step
        up = loss_of(loss, spins, weights, i, fields[i], more)
        down = loss_of(loss, spins, weights, i, fields[i], less)
        assert by_coupling[i, 0] == pytest.approx((up - down) / (2 * step), abs=1e-6)


def test_where_there_is_no_minimum_couplings_are_held():
    a = np.array([0, 1, 1, 0, 1])
    table = table_of(np.column_stack([a, a, [0, 0, 1, 1, 1]]))
    with run_of() as run:
        rows, candidates = SpinRows.of(table), all_candidates(UndirectedData(table))
        fits = fit_along(rows, candidates, "log-rise", [0.01], run)[0]
    assert fits.residual <= 1e-8
    assert fits.couplings[0, 1] == fits.couplings[1, 0] == 20


def test_of_two_equal_variables_none_has_a_trace_of_a_coupling():
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 2, (2, 300))
    flip = rng.random(300) < 0.2
    table = table_of(np.column_stack([a, a, a ^ flip, b]))
    with run_of() as run:
        rows, candidates = SpinRows.of(table), all_candidates(UndirectedData(table))
        for loss in LOSSES:
            fits = fit_along(rows, candidates, loss, [0.05], run)[0]
            sizes = np.abs(fits.couplings[2])
            assert (sizes[sizes > 0] > 1e-6).all()


def test_many_rows_whose_curvature_is_that_of_some():
    """The rows of the curvature are a few; the minimum is that of all."""
    rng = np.random.default_rng(0)
    couplings = np.zeros((12, 12))
    for a, b in [(0, 1), (1, 2), (2, 3), (3, 4), (0, 6), (6, 7), (5, 8)]:
        couplings[a, b] = couplings[b, a] = rng.choice([-0.6, 0.5])
    table = drawn(couplings, 60_000, seed=1, fields=rng.normal(size=12) / 3)
    table = table.with_weights(rng.random(60_000) ** 8)  # few rows have nearly all weight
    rows = SpinRows.of(table)
    with run_of() as run:
        for loss in LOSSES:
            fits = fit_along(rows, all_candidates(UndirectedData(table)), loss, [0.001], run)[0]
            assert fits.residual <= 1e-8


@pytest.mark.parametrize("loss", list(LOSSES))
def test_paths_do_not_depend_on_where_they_began(loss):
    table = drawn(ring(6), 2000, seed=5)
    rows, candidates = SpinRows.of(table), all_candidates(UndirectedData(table))
    with run_of() as run:
        largest = largest_penalty(rows, candidates, loss, run)
        path = fit_along(rows, candidates, loss, [largest * k for k in (1.0, 0.5, 0.1)], run)
        alone = fit_along(rows, candidates, loss, [largest * 0.1], run)[0]
        just_below = fit_along(rows, candidates, loss, [largest * 0.999], run)[0]
    assert not path[0].couplings.any()
    assert just_below.couplings.any()
    assert path[2].couplings == pytest.approx(alone.couplings, abs=1e-6)


def test_threads_and_the_order_of_rows_change_nothing():
    table = drawn(ring(7), 3000, seed=2)
    shuffled = table.take(np.random.default_rng(1).permutation(3000))
    method = dw.NeighbourhoodSelection(loss="rise")
    found = [
        dw.learn_undirected(data, method=method, threads=threads).model
        for data, threads in ((table, 1), (table, 2), (table, 5), (shuffled, 2))
    ]
    assert all(np.array_equal(found[0].couplings, own.couplings) for own in found)
    assert all(np.array_equal(found[0].fields, own.fields) for own in found)


def test_weights_are_rows():
    table = drawn(ring(5), 800, seed=4)
    rng = np.random.default_rng(0)
    counts = rng.integers(0, 4, 800)
    weighted = table.with_weights(counts)
    written_out = table.take(np.repeat(np.arange(800), counts))
    for penalty in ("ebic", "stability", 0.05):
        method = dw.NeighbourhoodSelection(penalty=penalty)
        one, two = (dw.learn_undirected(own, method=method) for own in (weighted, written_out))
        if penalty != "stability":  # whose halves are other halves
            assert one.model.couplings == pytest.approx(two.model.couplings, abs=1e-9)
        assert one.graph == two.graph


# ------------------------------------------------------------- penalties, thresholds, symmetry


def extended_bic_by_hand(spins, target, support, gamma):
    n_rows, n = spins.shape
    _, _, loss = smallest("logistic", spins, np.ones(n_rows), target, 0.0, 0.0, support)
    return -n_rows * loss - len(support) * (0.5 * np.log(n_rows) + gamma * np.log(n - 1))


@pytest.mark.parametrize("loss", list(LOSSES))
def test_extended_bic_takes_the_best_support_of_the_path(loss):
    table = drawn(ring(6, 0.35), 700, seed=8)
    spins = 2.0 * np.column_stack(table.codes) - 1
    rows, candidates = SpinRows.of(table), all_candidates(UndirectedData(table))
    lists = [own.tolist() for own in candidates.lists]
    with run_of() as run:
        own = _core.NeighbourhoodSettings(LOSSES[loss], 0.0, 1e-9)
        found = _core.choose_neighbourhoods(
            rows.native, lists, 700, 0.5, 5, 24, 0.01, 100, own, run.native
        )
        for target, chosen in enumerate(found):
            criteria = {}
            for step in chosen.path:
                fit = fit_along(rows, candidates, loss, [step.penalty], run)[0]
                support = np.flatnonzero(fit.couplings[target]).tolist()
                assert len(support) == step.n_neighbours
                by_hand = extended_bic_by_hand(spins, target, support, 0.5)
                assert step.criterion == pytest.approx(by_hand, abs=1e-4)
                criteria[tuple(support)] = by_hand
            best = max(criteria, key=criteria.get)
            assert tuple(chosen.best.variables) == best
        assert fit_by_extended_bic(rows, candidates, loss, 0.5, run).n_done == 6


def test_strengths_and_edges():
    both = np.array([[0, 0.4, 0.0], [0.2, 0, -0.3], [0.1, 0.3, 0]])
    assert edges_above(strengths(both, "and"), 0) == [(0, 1), (1, 2)]
    assert edges_above(strengths(both, "or"), 0) == [(0, 1), (0, 2), (1, 2)]
    assert edges_above(strengths(both, "mean"), 0) == [(0, 1), (0, 2)]
    assert edges_above(strengths(both, "or"), 0.3) == [(0, 1)]


def test_the_threshold_has_the_best_extended_bic():
    table = drawn(ring(7, 0.4), 1500, seed=9)
    rows = SpinRows.of(table)
    with run_of() as run:
        fits = fit_along(rows, all_candidates(UndirectedData(table)), "rise", [1e-6], run)[0]
        strength = strengths(fits.couplings, "mean")
        chosen = threshold_by_extended_bic(rows, strength, 0.5, run)
        sizes = np.sort(strength[np.triu_indices(7, k=1)])
        every = {t: extended_bic(rows, edges_above(strength, t), 0.5, run) for t in [0, *sizes]}
    best = max(every, key=every.get)
    assert edges_above(strength, chosen.threshold) == edges_above(strength, best)
    assert max(chosen.criteria) == pytest.approx(every[best])
    spins = 2.0 * np.column_stack(table.codes) - 1
    edges = edges_above(strength, best)
    by_hand = sum(
        extended_bic_by_hand(spins, v, [a + b - v for a, b in edges if v in (a, b)], 0.5)
        for v in range(7)
    )
    assert every[best] == pytest.approx(by_hand, abs=1e-3)


def test_a_choice_of_thresholds_that_is_cut_short_keeps_all_and_says_so():
    table = drawn(ring(7, 0.4), 1500, seed=9)
    rows, strength = SpinRows.of(table), ring(7, 0.4)
    with run_of(time_limit=0) as run:
        assert run.stopping()
        chosen = threshold_by_extended_bic(rows, strength, 1.0, run)
        said = below_threshold(strength, chosen.threshold, True, run)
    assert len(edges_above(strength, chosen.threshold)) == 7
    assert said == ("the run was stopped before all thresholds were looked at",)


def test_instability_by_hand():
    graphs = np.zeros((4, 3, 3))
    for graph, edges in zip(graphs, [[(0, 1)], [(0, 1), (1, 2)], [(0, 1)], [(0, 2)]], strict=True):
        for a, b in edges:
            graph[a, b] = graph[b, a] = 1
    unlike = np.mean(
        [np.triu(a * (1 - b)).sum() for a in graphs for b in graphs]
    )  # two drawn with replacement
    assert instability(graphs.mean(axis=0)) == pytest.approx(unlike / 3)


def test_stability_finds_the_ring_and_depends_on_the_seed_alone():
    table = drawn(ring(8, 0.5), 1500, seed=11)
    data, rows = UndirectedData(table), SpinRows.of(table)
    penalties = []
    for threads in (1, 3):
        with run_of(threads=threads, seed=4) as run:
            found = stable_penalty(data, rows, all_candidates(data), "logistic", "and", run)
            penalties.append(found)
    assert penalties[0] == penalties[1] > 0.5 / np.sqrt(1500)
    result = dw.learn_undirected(table, method=dw.NeighbourhoodSelection(penalty="stability"))
    true = {(f"x{i + 1}", f"x{i + 2}") for i in range(7)} | {("x1", "x8")}
    assert true <= set(result.graph.edges)
    assert len(result.graph.edges) <= 10


def test_halves_do_not_depend_on_the_order_of_rows_and_weights_are_rows():
    table = drawn(ring(6, 0.3), 600, seed=3)
    codes = np.array(table.codes).T
    different, counts = np.unique(codes, axis=0, return_counts=True)
    penalties = []
    for own in (table, table_of(codes[::-1]), table_of(different, counts)):
        data, rows = UndirectedData(own), SpinRows.of(own)
        with run_of(seed=1) as run:
            penalties.append(
                stable_penalty(data, rows, all_candidates(data), "log-rise", "and", run)
            )
    assert penalties[0] == penalties[1] == penalties[2]


def test_stability_of_more_than_a_billion_rows():
    table = drawn(ring(5, 0.5), 500, seed=3)
    many = table_of(np.array(table.codes).T, np.full(500, 4_000_000))
    method = dw.NeighbourhoodSelection(penalty="stability", threshold=0.25)
    result = dw.learn_undirected(many, method=method)
    assert set(result.graph.edges) == {
        ("x1", "x2"),
        ("x2", "x3"),
        ("x3", "x4"),
        ("x4", "x5"),
        ("x1", "x5"),
    }


@pytest.mark.parametrize("loss", list(LOSSES))
@pytest.mark.parametrize("options", [{}, {"penalty": "scaled", "threshold": "ebic"}])
def test_the_graph_of_a_small_model_is_found(loss, options):
    couplings = ring(9, 0.5)
    couplings[0, 1] = couplings[1, 0] = -0.5
    table = drawn(couplings, 5000, seed=6, fields=np.full(9, 0.1))
    method = dw.NeighbourhoodSelection(loss=loss, **options)
    result = dw.learn_undirected(table, method=method)
    assert (result.graph.to_adjacency() > 0).tolist() == (couplings != 0).tolist()
    assert np.abs(result.model.couplings - couplings).max() < 0.12
    assert result.moment_gap < 0.05  # of greatest pseudo-likelihood, so not 0
    assert any("pseudo-likelihood" in own for own in result.approximations)


def test_without_a_refit_couplings_are_means_of_both():
    table = drawn(ring(5), 1000, seed=7)
    rows = SpinRows.of(table)
    with run_of() as run:
        fits = fit_along(rows, all_candidates(UndirectedData(table)), "logistic", [0.05], run)[0]
    method = dw.NeighbourhoodSelection(penalty=0.05, refit=False)
    model = dw.learn_undirected(table, method=method).model
    for i in range(5):
        for j in range(i):
            a, b = fits.couplings[i, j], fits.couplings[j, i]
            assert model.couplings[i, j] == pytest.approx((a + b) / 2 if a and b else 0)


def test_codings_say_the_same():
    table = drawn(ring(5), 2000, seed=7, fields=np.array([0.2, -0.1, 0, 0.3, 0]))
    one, two = (
        dw.learn_undirected(table, method=dw.NeighbourhoodSelection(), coding=coding).model
        for coding in ("-1/+1", "0/1")
    )
    assert two.coding == "0/1"
    assert two.couplings == pytest.approx(4 * one.couplings, abs=1e-9)
    assert two.to_coding("-1/+1").fields == pytest.approx(one.fields, abs=1e-9)


def test_the_scaled_penalty_is_that_of_the_paper():
    assert scaled_penalty("logistic", 25, 4000) == pytest.approx(
        0.2 * np.sqrt(np.log(625 / 0.05) / 4000)
    )


# --------------------------------------------------------------------------------------- screening


def test_screening_keeps_the_strongest_of_each():
    table = drawn(ring(9, 0.6), 2000, seed=12)
    with run_of() as run:
        information = pair_information(table, run)
        candidates = screened(UndirectedData(table), 2, run)
    assert information == pytest.approx(
        dw.mutual_information_matrix(table).values * (1 - np.eye(9)), abs=1e-12
    )
    kept = np.zeros((9, 9), dtype=bool)
    for v in range(9):
        order = sorted((-information[v, u], u) for u in range(9) if u != v)
        kept[v, [u for _, u in order[:2]]] = True
    kept |= kept.T
    assert [own.tolist() for own in candidates.lists] == [
        np.flatnonzero(own).tolist() for own in kept
    ]
    out = ~kept & ~np.eye(9, dtype=bool)
    assert candidates.n_left_out == out.sum() // 2
    assert candidates.most_information == pytest.approx(information[out].max())


def test_what_was_screened_out_is_said_and_checked():
    couplings = np.zeros((6, 6))  # x1 and x2 are coupled, and made independent by the way round
    couplings[0, 1] = couplings[1, 0] = -np.arctanh(np.tanh(0.7) ** 2)
    for a, b in [(0, 2), (2, 1), (3, 4), (4, 5)]:
        couplings[a, b] = couplings[b, a] = 0.7
    table = drawn(couplings, 4000, seed=1)
    method = dw.NeighbourhoodSelection(candidates=1, penalty=0.05)
    result = dw.learn_undirected(table, method=method)
    assert not result.graph.has_edge("x1", "x2")
    said = " ".join(result.left_out)
    assert "pairs were screened out" in said
    with run_of() as run:
        rows, data = SpinRows.of(table), UndirectedData(table)
        fits = fit_along(rows, screened(data, 1, run), "logistic", [0.05], run)[0]
        wanted = n_wanted(rows, fits, all_candidates(data), "logistic", run)
    assert wanted >= 2
    assert f"{wanted} of the couplings that were screened out" in said
    everything = dw.learn_undirected(table, method=dw.NeighbourhoodSelection(penalty=0.05))
    assert everything.graph.has_edge("x1", "x2")
    assert "screened" not in " ".join(everything.left_out)


def test_what_a_graph_forbids_was_not_screened_out():
    rng = np.random.default_rng(3)
    common = rng.random((4000, 1)) < 0.5
    table = table_of(np.where(rng.random((4000, 8)) < 0.8, common, ~common))
    edges = [("x1", "x2"), ("x2", "x3"), ("x3", "x4"), ("x1", "x4"), ("x1", "x3")]
    graph = dw.UndirectedGraph(edges, nodes=table.names)
    method = dw.NeighbourhoodSelection(candidates=1, penalty=0.05)
    result = dw.learn_undirected(table, method=method, graph=graph)
    said = " ".join(result.left_out)
    n_pairs = int(said.split(" pairs were screened out")[0])
    n_wanted = int(said.split("checked in the end: ")[1].split()[0])
    assert 0 < n_wanted <= 2 * n_pairs < 2 * len(edges)


# --------------------------------------------------------------------------------------- bad input


def test_variables_that_are_no_spins_are_refused():
    table = dw.Table({"a": [0, 1, 0, 1], "b": [0, 1, 2, 0]})
    with pytest.raises(dw.DataError, match="'b' has 3 states.*LogLinear"):
        dw.learn_undirected(table, method=dw.NeighbourhoodSelection())
    rows = {"a": [0, 1, 0], "b": [1, 1, 1]}
    constant = dw.Table(rows, states={"b": [0, 1]})
    for method in (dw.NeighbourhoodSelection(), dw.PseudoLikelihood()):
        with pytest.raises(dw.DataError, match="'b' is constant.*infinite"):
            dw.learn_undirected(constant, method=method)
    weighted = dw.Table({"a": [0, 1, 0], "b": [1, 1, 0]}).with_weights([1, 1, 0])
    with pytest.raises(dw.DataError, match="'b' is constant"):
        dw.learn_undirected(weighted, method=dw.NeighbourhoodSelection())


@pytest.mark.parametrize(
    "method",
    [
        dw.NeighbourhoodSelection(),
        dw.NeighbourhoodSelection(penalty="stability"),
        dw.NeighbourhoodSelection(penalty="scaled", threshold="ebic", candidates=1),
        dw.PseudoLikelihood(l2=0.1, threshold="ebic"),
        dw.MomentMatchingSelection(l2=0.1),
        dw.MomentMatchingSelection(by="l1", l2=0.1),
    ],
    ids=lambda method: f"{method.name} {getattr(method, 'penalty', '')}",
)
def test_tables_of_hardly_anything(method):
    alone = dw.learn_undirected(dw.Table({"a": [0, 1, 1]}), method=method)
    assert alone.graph.edges == ()
    assert alone.model.fields[0] == pytest.approx(np.log(2) / 2, abs=0.06)
    two_rows = dw.learn_undirected(dw.Table({"a": [0, 1], "b": [1, 0]}), method=method)
    assert np.isfinite(two_rows.model.couplings).all()
    one_row = dw.Table({"a": [0, 1], "b": [1, 0]}).with_weights([0.5, 0.25])
    assert np.isfinite(dw.learn_undirected(one_row, method=method).model.fields).all()


def test_features_are_refused():
    table = dw.Table({"a": [0, 1, 0, 1], "b": [0, 1, 1, 0]})
    for method in (dw.NeighbourhoodSelection(), dw.PseudoLikelihood()):
        with pytest.raises(dw.DataError, match="features were given.*MomentMatching"):
            dw.learn_undirected(table, features=[("a", "b")], method=method)


@pytest.mark.parametrize("loss", list(LOSSES))
@pytest.mark.parametrize("penalty", ["ebic", "scaled", 0.01])
def test_perfectly_dependent_pairs_are_finite_and_said(loss, penalty):
    rng = np.random.default_rng(0)
    a = rng.integers(0, 2, 500)
    table = table_of(np.column_stack([a, a, 1 - a, rng.integers(0, 2, 500)]))
    method = dw.NeighbourhoodSelection(loss=loss, penalty=penalty, symmetrisation="or")
    result = dw.learn_undirected(table, method=method)
    assert np.isfinite(result.model.couplings).all()
    assert any("'x1' = 0, 'x2' = 1" in own for own in result.approximations)
    assert any("ridge" in own for own in result.approximations)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"loss": "hinge"}, "loss must be one of 'logistic'"),
        ({"penalty": 0}, "penalty must be a finite number above 0"),
        ({"penalty": "bic"}, "penalty must be a number above 0 or one of 'ebic'"),
        ({"symmetrisation": "xor"}, "symmetrisation must be one of 'and'"),
        ({"threshold": -1}, "threshold must be 0 or more"),
        ({"threshold": "gap"}, 'threshold must be a number, 0 or more, or "ebic"'),
        ({"gamma": 2}, "gamma must be from 0 to 1"),
        ({"refit": 1}, "refit must be True or False"),
        ({"candidates": 0}, "candidates must be a whole number, 1 or more"),
    ],
)
def test_settings_are_checked(options, said):
    with pytest.raises(dw.SpecError, match=said):
        dw.NeighbourhoodSelection(**options)


def test_specs_go_through_text_and_files():
    method = dw.NeighbourhoodSelection(loss="rise", penalty=0.1, candidates=5)
    from dagwright.markov.method import undirected_methods

    assert undirected_methods.from_dict(method.to_dict()) == method
    text = "neighbourhood-selection:loss=rise,penalty=0.1,candidates=5"
    assert undirected_methods.parse(text) == method


def edges_of(kind):
    if kind == "grid":
        across = [(4 * i + j, 4 * i + j + 1) for i in range(4) for j in range(3)]
        return 16, across + [(4 * i + j, 4 * i + j + 4) for i in range(3) for j in range(4)]
    if kind == "wide grid":
        across = [(8 * i + j, 8 * i + j + 1) for i in range(8) for j in range(7)]
        return 64, across + [(8 * i + j, 8 * i + j + 8) for i in range(7) for j in range(8)]
    if kind == "star":
        return 16, [(0, leaf) for leaf in range(1, 9)]
    ring = [(i, (i + 1) % 16) for i in range(16)]
    return 16, ring + [(i, i + 8) for i in range(8)]  # every spin has three neighbours


@pytest.mark.parametrize("loss", ["logistic", "rise"])
@pytest.mark.parametrize("mixed", [False, True])
@pytest.mark.parametrize("kind", ["grid", "wide grid", "star", "three each"])
def test_graphs_are_found_with_a_few_thousand_rows(kind, mixed, loss):
    n, edges = edges_of(kind)
    rng = np.random.default_rng(3)
    couplings = np.zeros((n, n))
    for a, b in edges:
        couplings[a, b] = couplings[b, a] = 0.4 * (rng.choice([-1, 1]) if mixed else 1)
    truth = dw.Ising(np.zeros(n), couplings)
    rows = truth.sample(4000 if n == 16 else 6000, seed=5)
    scaled = dw.NeighbourhoodSelection(
        loss=loss, penalty="scaled", threshold=0.2, symmetrisation="mean", refit=False
    )
    assert dw.learn_undirected(rows, method=scaled).graph == truth.graph
    by_ebic = dw.NeighbourhoodSelection(loss=loss)
    assert dw.learn_undirected(rows, method=by_ebic).graph == truth.graph


def test_a_callback_ends_a_run_with_what_there_is():
    rng = np.random.default_rng(0)
    table = table_of(rng.integers(0, 2, (20_000, 120)))
    method = dw.NeighbourhoodSelection(penalty=1e-4)
    try:
        result = dw.learn_undirected(table, method=method, threads=1, callback=lambda now: True)
    except dw.Unfinished:
        return
    assert result.reason == "callback"
    assert "of 120 variables were not fitted" in " ".join(result.left_out)


def test_a_run_that_is_stopped_has_part_of_the_answer_or_says_that_it_has_none():
    table = drawn(ring(10), 1000, seed=2)
    with pytest.raises(dw.Unfinished, match="time limit"):
        dw.learn_undirected(table, method=dw.NeighbourhoodSelection(), time_limit=0)
