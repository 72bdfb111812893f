"""Fingerprints of sets of variables, the keys of the score cache: no two sets share one."""

from itertools import chain, combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dagwright._core import Fingerprint

members = st.lists(st.integers(0, 2**32 - 1), unique=True, max_size=40)


def sum_of(numbers):
    total = Fingerprint()
    for number in numbers:
        total += Fingerprint.of_member(number)
    return total


@given(data=st.data())
def test_any_order_of_additions_gives_the_same(data):
    numbers = data.draw(members)
    turned = data.draw(st.permutations(numbers))
    expected = sum_of(numbers)
    assert sum_of(turned) == expected
    low, high = Fingerprint.of_sets(np.array([turned], dtype=np.uint32))
    assert (low[0], high[0]) == (expected.low, expected.high)


@given(members.filter(bool))
def test_a_member_that_goes_leaves_what_was_before(numbers):
    last = Fingerprint.of_member(numbers[-1])
    before = sum_of(numbers[:-1])
    assert before + last - last == before
    assert before + last != before


def test_a_member_twice_is_another_set():
    """Sums do not cancel out as a bitwise exclusive or does."""
    twice = sum_of([7, 7])
    assert twice != Fingerprint()
    assert twice != sum_of([7])


@pytest.mark.parametrize("word", [0, 1], ids=["low", "high"])
def test_no_two_small_sets_of_300_variables_share_a_word(word):
    """The cache looks up by the low word and compares both; either would do by itself."""
    words = []
    for size in range(4):
        numbers = chain.from_iterable(combinations(range(300), size))
        sets = np.fromiter(numbers, np.uint32).reshape(comb(300, size), size)
        words.append(Fingerprint.of_sets(sets)[word])
    everything = np.sort(np.concatenate(words))
    assert len(everything) == sum(comb(300, size) for size in range(4))
    assert (everything[1:] != everything[:-1]).all()
