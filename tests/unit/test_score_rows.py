"""Scores are cached by family, by set and by rows of sets: each gives the same number."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagwright as dw
from strategies import tables

SCORES = [dw.BIC(), dw.BDeu(3), dw.K2()]


@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_every_order_of_questions_gives_the_same_numbers(data):
    """Few candidates of many variables, most of them, single families; caches that forget."""
    table = data.draw(tables(min_variables=10, max_variables=12, max_states=3))
    score = data.draw(st.sampled_from(SCORES))
    cache_bytes = data.draw(st.sampled_from([0, 600, 3_000, 2**20]))
    scorer = dw.Scorer(table, score, cache_bytes=cache_bytes)
    fresh = dw.Scorer(table, score, cache_bytes=0)
    names = list(table.names)
    for _ in range(data.draw(st.integers(1, 8))):
        child, *others = data.draw(st.permutations(names))
        parents = others[: data.draw(st.integers(0, 3))]
        asked = data.draw(st.sampled_from([1, 2, len(others)]))
        if data.draw(st.booleans()):
            assert scorer.local(child, parents) == fresh.local(child, parents)
        before = fresh.local(child, parents)
        for other, gain in scorer.gains(child, parents, others[:asked]).items():
            assert gain == fresh.local(child, set(parents) ^ {other}) - before


def test_a_row_serves_every_child_of_its_sets():
    rng = np.random.default_rng(0)
    scorer = dw.Scorer(
        dw.Table.from_codes(rng.integers(3, size=(100, 12)), names=list("abcdefghijkl"))
    )
    scorer.gains("a", ["b"])  # all {a, b, x} and all {b, x}
    counted = scorer.stats.families_counted
    scorer.local("a", ["b", "k"])
    scorer.local("k", ["a", "b"])  # {a, b, k} is known, {a, b} too
    scorer.gains("a", ["b"], ["c"])
    assert scorer.stats.families_counted == counted
    scorer.gains("b", ["a"])  # the same sets; of the parents, {a, x} alone
    assert scorer.stats.families_counted == counted + 10


def test_candidates_that_are_given_again_and_again():
    """What nobody has asked for is not known, whatever lay in that memory before."""
    rng = np.random.default_rng(0)
    tables = [dw.Table.from_codes(rng.integers(2, size=(rows, 40))) for rows in (90, 50)]
    child, first, *_ = tables[0].names
    for table in tables:
        scorer = dw.Scorer(table)
        scorer.gains(child, candidates=[first] * 32)
        assert scorer.gains(child) == dw.Scorer(table, cache_bytes=0).gains(child)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("n_variables", [9, 32, 45])
@pytest.mark.parametrize("score", [dw.BIC(), dw.BDeu(3)], ids=str)
def test_pairs_that_a_walk_began_with_are_known(score, n_variables, threads):
    rng = np.random.default_rng(0)
    table = dw.Table.from_codes(rng.integers(3, size=(200, n_variables)))
    scorer = dw.Scorer(table, score)
    dw.learn(scorer, search=dw.HillClimb(max_steps=0), threads=threads)
    counted = scorer.stats.families_counted
    fresh = dw.Scorer(table, score, cache_bytes=0)
    for child in table.names:
        families = [(child, [other]) for other in table.names if other != child]
        assert list(scorer.batch(families)) == list(fresh.batch(families))
    assert scorer.stats.families_counted == counted
    child, parent, *others = table.names
    scorer.gains(child, [parent])  # of the parents with each other one nothing is counted
    assert scorer.stats.families_counted == counted + len(others)


@pytest.mark.parametrize("n_variables", [31, 32, 33, 65, 2100])
@pytest.mark.parametrize("score", SCORES, ids=str)
def test_rows_of_many_variables(score, n_variables):
    """Numbers lie in chunks: some are asked for first, in any order, twice, then all."""
    rng = np.random.default_rng(0)
    table = dw.Table.from_codes(rng.integers(2, size=(40, n_variables)))
    child, parent, *others = table.names
    fresh = dw.Scorer(table, score, cache_bytes=0)
    families = [(child, [parent, other]) for other in others]
    known = dict(zip(others, fresh.batch(families), strict=True))
    before = fresh.local(child, [parent])
    scorer = dw.Scorer(table, score)
    some = list(rng.choice(others, size=n_variables // 2, replace=False))
    for asked in some, [*some[:1] * 40, *some[1:]], others:
        gains = scorer.gains(child, [parent], asked)
        assert gains == {other: known[other] - before for other in asked}


@pytest.mark.parametrize("score", SCORES, ids=str)
def test_rows_keep_to_the_bound(score):
    rng = np.random.default_rng(0)
    bound = 1 << 17
    table = dw.Table.from_codes(rng.integers(2, size=(50, 40)))
    scorer = dw.Scorer(table, score, cache_bytes=bound)
    for child in table.names:
        for parent in table.names[:20]:
            if parent != child:
                scorer.gains(child, [parent])
                assert scorer.stats.cache_bytes <= bound
    assert scorer.stats.cached_numbers > 0
