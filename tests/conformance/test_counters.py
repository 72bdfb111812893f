"""Every counter and every instruction set gives the table of the naive counter, to the last bit."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dagwright import _core

KERNELS = _core.kernel_sets()
BLOCK_ROWS = 512 * 64  # rows that the bitmap counters take at a time


def native_table(codes, arities, weights=()):
    arrays = [
        np.ascontiguousarray(column, dtype=np.uint8 if arity <= 256 else np.uint16)
        for column, arity in zip(codes.T, arities, strict=True)
    ]
    return _core.Table(arrays, list(arities), len(codes), np.array(weights, float))


def cells(counts):
    """All that is observed, as plain lists."""
    observed = counts.observed()
    return [
        getattr(observed, name).tolist()
        for name in ("config_states", "config_totals", "cell_configs", "cell_states", "cell_counts")
    ]


def drawn_table(arities, n_rows, seed, weights="none", skew=1.5):
    """Rows in which some states are common and others rare; the second half of them sorted."""
    rng = np.random.default_rng(seed)
    codes = np.stack(
        [np.minimum(rng.geometric(1 / skew, n_rows) - 1, arity - 1) for arity in arities], axis=1
    )
    codes[n_rows // 2 :] = codes[n_rows // 2 :][np.lexsort(codes[n_rows // 2 :].T)]
    drawn = {
        "none": [],
        "whole": rng.integers(0, 9, n_rows).astype(float),
        "sixteenths": rng.integers(0, 50, n_rows) / 16,
        "any": rng.random(n_rows),
        "large": rng.integers(0, 10**6, n_rows).astype(float),
    }
    return native_table(codes, arities, drawn[weights])


tables = st.builds(
    lambda arities, n_rows, seed, weights: (
        arities,
        drawn_table(arities, n_rows, seed, weights),
        weights,
    ),
    st.lists(st.integers(1, 6), min_size=2, max_size=6),
    st.one_of(st.integers(1, 300), st.sampled_from([511, 512, 513, 1024])),
    st.integers(0, 10**6),
    st.sampled_from(["none", "whole", "sixteenths", "any", "large"]),
)


@given(tables)
def test_all_counters_agree(drawn):
    arities, table, weights = drawn
    parents = list(range(len(arities) - 1))
    child = len(arities) - 1
    for family in (child, parents), (child, []), (0, [child]):
        expected = cells(table.count(*family, counter="naive"))
        for counter in "dense", "sparse":
            assert cells(table.count(*family, counter=counter)) == expected
        for kernels in KERNELS:
            counts = _core.count_bitmap(table, *family, kernels)
            if weights in ("none", "whole", "sixteenths") and expected[4]:
                assert counts is not None
            if counts is not None:
                assert cells(counts) == expected


@given(tables, st.integers(1, 3), st.booleans())
def test_one_against_all_is_each_alone(drawn, threads, histogram):
    arities, table, _ = drawn
    n = len(arities)
    for parents in [], list(range(1, n // 2)):
        candidates = [v for v in range(1, n) if v not in parents]
        for kernels in KERNELS:
            found = _core.count_extensions(
                table, 0, parents, candidates, kernels, threads, histogram
            )
            if found is None:
                continue
            for candidate, counts in zip(candidates, found, strict=True):
                family = (0, sorted([*parents, candidate]))
                assert cells(counts) == cells(table.count(*family, counter="naive"))


def check_pairs(table, arities, begin, end, kernels, threads):
    """All pairs v < w with begin <= v < end, each once, with the counts of the naive counter."""
    found = _core.count_pairs(table, begin, end, kernels, threads)
    assert sorted((v, w) for v, w, _ in found) == [
        (v, w) for v in range(begin, end) for w in range(v + 1, len(arities))
    ]
    for v, w, counts in found:
        config_states, _, configs, states, cell_counts = cells(table.count(w, [v], counter="naive"))
        expected = np.zeros((arities[v], arities[w]))
        expected[np.array(config_states)[configs], states] = cell_counts
        assert np.array(counts).reshape(arities[v], arities[w]).tolist() == expected.tolist()


@given(tables, st.integers(1, 3), st.data())
def test_all_pairs_are_each_alone(drawn, threads, data):
    arities, table, weights = drawn
    begin = data.draw(st.integers(0, len(arities)))
    end = data.draw(st.integers(begin, len(arities)))
    for kernels in KERNELS:
        if weights not in ("none", "whole", "sixteenths") or table.total == 0:
            found = _core.count_pairs(table, begin, end, kernels, threads)
            assert all(v < w for v, w, _ in found)
        else:
            check_pairs(table, arities, begin, end, kernels, threads)


@pytest.mark.parametrize("weights", ["none", "sixteenths"])
@pytest.mark.parametrize(("n_variables", "n_rows"), [(150, 300), (20, BLOCK_ROWS + 1)])
def test_pairs_of_more_variables_than_go_together(n_variables, n_rows, weights):
    """Many groups of variables against many, and more rows than a block has."""
    arities = ([2, 3, 16, 1, 2, 5] * n_variables)[:n_variables]
    table = drawn_table(arities, n_rows, 4, weights)
    check_pairs(table, arities, 3, 9, KERNELS[-1], 2)


@pytest.mark.parametrize("weights", ["none", "sixteenths"])
@pytest.mark.parametrize(
    "n_rows", [BLOCK_ROWS - 1, BLOCK_ROWS, BLOCK_ROWS + 1, 3 * BLOCK_ROWS + 70]
)
def test_rows_around_the_size_of_a_block(n_rows, weights):
    table = drawn_table([3, 2, 4, 2], n_rows, 5, weights)
    expected = cells(table.count(0, [1, 2], counter="naive"))
    together = {v: cells(table.count(0, sorted([1, v]), counter="naive")) for v in (2, 3)}
    for kernels in KERNELS:
        assert cells(_core.count_bitmap(table, 0, [1, 2], kernels)) == expected
        for threads in 1, 2, 4:
            for histogram in False, True:
                found = _core.count_extensions(table, 0, [1], [2, 3], kernels, threads, histogram)
                assert [cells(counts) for counts in found] == list(together.values())


def test_many_cells_and_few():
    """A family with hundreds of cells goes another way than one with four."""
    table = drawn_table([5, 5, 5, 3, 2, 4], 4000, 1, skew=3.0)
    for parents in [1], [1, 2], [1, 2, 3]:
        found = _core.count_extensions(table, 0, parents, [4, 5], KERNELS[-1], 2, False)
        for candidate, counts in zip((4, 5), found, strict=True):
            assert cells(counts) == cells(table.count(0, [*parents, candidate], counter="naive"))


@given(st.integers(0, 1000))
@example(0)
def test_wide_families_are_counted_without_bitmaps(seed):
    arities = [2] * 20 + [300]
    table = drawn_table(arities, 50, seed)
    family = (20, list(range(20)))
    expected = cells(table.count(*family, counter="naive"))
    assert cells(table.count(*family, counter="sparse")) == expected
    assert _core.count_bitmap(table, *family, KERNELS[-1]) is None


@given(
    st.integers(0, 1000),
    st.sampled_from([1, 63, 64, 65, 500]),
    st.sampled_from(["none", "whole", "sixteenths", "any", "large"]),
)
def test_twenty_parents_and_three_hundred_states(seed, n_rows, weights):
    """Twenty parents, twelve of them with one state only, so that every counter can hold them."""
    arities = [1, 2] * 8 + [1] * 4 + [2, 300]
    table = drawn_table(arities, n_rows, seed, weights, skew=2.0)
    for child, parents in (20, list(range(20))), (21, list(range(20))), (21, [1]), (1, [21]):
        expected = cells(table.count(child, parents, counter="naive"))
        for counter in "dense", "sparse":
            assert cells(table.count(child, parents, counter=counter)) == expected
        for kernels in KERNELS:
            counts = _core.count_bitmap(table, child, parents, kernels)
            if 21 in (child, *parents):
                assert counts is None, "300 states have no bitmaps"
            elif counts is not None:
                assert cells(counts) == expected


# Tables of up to 2,048 cells are counted in several at once, cells beyond 65,536 have numbers of 32
# bits, and rows are numbered 2,048 at a time.
@pytest.mark.parametrize("weights", ["none", "any"])
@pytest.mark.parametrize("n_rows", [1, 2047, 2048, 2049, 70_001])
@pytest.mark.parametrize(
    "arities",
    [
        (2, 1024),
        (2049,),
        (3, 683),
        (256, 256),
        (65_536, 1),
        (1, 65_536),
        (2, 257, 128),
        (60_000, 3),
    ],
)
def test_dense_tables_around_the_sizes_where_their_counter_changes(arities, n_rows, weights):
    rng = np.random.default_rng(n_rows)
    codes = np.stack([rng.integers(arity, size=n_rows) for arity in arities], axis=1)
    codes[0] = [arity - 1 for arity in arities]  # the last cell of all
    codes[n_rows // 2 :] = codes[n_rows // 2]  # a run of rows in one cell
    table = native_table(codes, arities, rng.random(n_rows) if weights == "any" else ())
    parents, child = list(range(len(arities) - 1)), len(arities) - 1
    expected = cells(table.count(child, parents, counter="naive"))
    assert cells(table.count(child, parents, counter="dense")) == expected


def test_there_is_more_than_one_instruction_set_to_compare():
    assert KERNELS[0] == "scalar"
    assert len(set(KERNELS)) == len(KERNELS)
