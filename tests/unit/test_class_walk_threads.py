"""Walks over classes take the same steps whatever the number of threads."""

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dagwright as dw
from dagwright import _core

SEARCHES = [dw.HillClimb(), dw.HillClimb(start="random"), dw.GES()]


def tangled(n_variables, n_rows, seed=0, n_states=3):
    """Variables that depend on up to three earlier ones, so that many moves gain."""
    rng = np.random.default_rng(seed)
    codes = np.empty((n_rows, n_variables), dtype=np.uint8)
    for v in range(n_variables):
        parents = rng.choice(v, size=min(v, 3), replace=False)
        noise = rng.random(n_rows) < 0.3
        codes[:, v] = codes[:, parents].sum(axis=1) % n_states
        codes[noise, v] = rng.integers(n_states, size=noise.sum())
    return dw.Table.from_codes(codes)


@pytest.mark.parametrize("search", SEARCHES, ids=str)
@pytest.mark.parametrize("score", [dw.BIC(), dw.BDeu(10)], ids=["bic", "bdeu"])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_same_walk_for_any_number_of_threads(search, score, weighted):
    table = tangled(30, 2000)
    if weighted:
        table = table.with_weights(np.random.default_rng(1).random(2000))
    expected = dw.learn(table, score=score, search=search, threads=1)
    assert len(expected.trace) > 25
    for threads in 2, 3, 8:
        for _ in range(3):
            found = dw.learn(table, score=score, search=search, threads=threads)
            assert found.dag == expected.dag
            assert found.trace == expected.trace
            assert found.info.families_scored == expected.info.families_scored


@pytest.mark.parametrize("search", SEARCHES, ids=str)
@pytest.mark.parametrize("score", [dw.AIC(), dw.BDeu(10)], ids=["aic", "bdeu"])
def test_nor_do_variables_of_many_states_matter(search, score):
    narrow = tangled(20, 2000)
    rng = np.random.default_rng(2)
    wide = [
        (np.asarray(narrow.codes[v]) * 20 + rng.integers(20, size=2000)) % n_states
        for v, n_states in enumerate((17, 40, 300))
    ]
    table = dw.Table.from_codes([*narrow.codes, *wide])
    expected = dw.learn(table, score=score, search=search, threads=1)
    assert len(expected.trace) > 15
    for threads in 2, 3, 8:
        found = dw.learn(table, score=score, search=search, threads=threads)
        assert found.trace == expected.trace
        assert found.info.families_scored == expected.info.families_scored


@pytest.mark.parametrize("search", SEARCHES, ids=str)
def test_constraints_are_kept(search):
    table = tangled(20, 300)
    names = table.names
    limits = dw.Constraints(
        max_parents=2, forbidden=[(names[0], names[3])], required=[(names[4], names[2])]
    )
    expected = dw.learn(table, search=search, constraints=limits, threads=1)
    found = dw.learn(table, search=search, constraints=limits, threads=4)
    assert found.trace == expected.trace
    assert not limits.violations(found.dag)


def test_a_small_cache_forgets_and_nothing_changes():
    table = tangled(25, 400)
    expected = dw.learn(table, search=dw.HillClimb(), threads=1)
    for cache_bytes in 0, 2_000, 20_000:
        scorer = dw.Scorer(table, cache_bytes=cache_bytes)
        found = dw.learn(scorer, search=dw.HillClimb(), threads=3)
        assert found.trace == expected.trace


def test_a_time_limit_ends_all_threads():
    table = tangled(300, 30_000)
    start = time.monotonic()
    found = dw.learn(table, search=dw.HillClimb(), threads=3, time_limit=0.05)
    assert found.reason == "time limit"
    assert time.monotonic() - start < 5
    whole = dw.learn(table, search=dw.HillClimb(max_steps=len(found.trace)), threads=1)
    assert found.trace == whole.trace


def test_an_error_of_the_walk_ends_all_threads():
    def fail(progress):
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        dw.learn(tangled(400, 30_000), search=dw.HillClimb(), threads=3, callback=fail)


def test_many_short_walks_all_end():
    """Threads that count ahead are told that a walk is over, however soon that is."""
    table = tangled(6, 200)
    expected = dw.learn(table, search=dw.HillClimb(), threads=1)
    for i in range(1000):
        assert dw.learn(table, search=dw.HillClimb(), threads=2 + i % 3).trace == expected.trace


@given(st.integers(0, 40), st.integers(1, 6), st.lists(st.booleans(), max_size=60))
def test_parts_are_taken_in_equal_shares_of_what_is_left(n, n_threads, fronts):
    left, expected = list(range(n)), []
    for front in fronts:
        share = -(-len(left) // n_threads)
        taken = left[:share] if front else left[len(left) - share :]
        left = left[share:] if front else left[: len(left) - share]
        if taken:
            expected.append((taken[0], taken[-1] + 1))
    assert _core.parts_taken(n, n_threads, fronts) == expected
