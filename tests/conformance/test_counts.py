"""Counts of both count sources against walking the rows; products that do not fit; weights."""

import math
import time
from math import prod

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import dagwright as dw
from instances import chunks_of
from oracle.counts import family_counts, rows_of
from oracle.scores import bdeu, k2, log_likelihood
from strategies import families, tables


@given(data=st.data(), n_chunks=st.integers(0, 3))
def test_counts_are_those_of_the_rows(data, n_chunks):
    table = data.draw(tables())
    child, parents = data.draw(families(table.names))
    source = chunks_of(table, n_chunks) if n_chunks else table
    family = dw.Scorer(source).counts(child, parents)
    expected = family_counts(rows_of(table), child, family.parents)

    assert set(family.parents) == set(parents)
    assert family.n_states == table.n_states[child]
    assert family.n_configs == prod(table.n_states[name] for name in parents)
    assert family.total == pytest.approx(float(table.total_weight))
    for config, counts in expected.items():
        assert family.table()[config] == pytest.approx(counts)
    observed = {config: sum(counts) for config, counts in expected.items() if sum(counts) > 0}
    configs = [tuple(map(int, config)) for config in family.configs]
    assert len(configs) == len(set(configs))
    assert dict(zip(configs, family.config_totals, strict=True)) == pytest.approx(observed)
    assert (family.cell_counts > 0).all()


@given(
    exponents=st.lists(st.integers(-40, 60), min_size=1, max_size=5),
    seed=st.integers(0, 2**32 - 1),
    reweighted=st.booleans(),
)
@example(exponents=[0, 60], seed=0, reweighted=False)
def test_chunks_agree_with_the_table_to_the_last_bit(exponents, seed, reweighted):
    """Each chunk has weights of another size, so that its own unit would be another one."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(3, size=(7 * len(exponents), 3))
    weights = rng.random(len(codes)) * np.repeat(2.0 ** np.array(exponents), 7)
    if exponents[0] == 0:
        weights[:7] = 1.0
    states = [range(3)] * 3
    table = dw.Table.from_codes(codes, states=states)
    parts = [table.take(rows) for rows in np.arange(len(codes)).reshape(-1, 7)]
    if reweighted:
        one, many = (dw.Scorer(data).reweighted(weights) for data in (table, dw.Chunks(parts)))
    else:
        own = weights.reshape(-1, 7)
        weighted = [
            part if (row == 1).all() else part.with_weights(row)  # a chunk may have no weights
            for part, row in zip(parts, own, strict=True)
        ]
        one, many = dw.Scorer(table.with_weights(weights)), dw.Scorer(dw.Chunks(weighted))
    assert one.source.names == many.source.names
    assert one.source.native.total == many.source.native.total
    for child, parents in ("x1", []), ("x2", ["x1"]), ("x3", ["x1", "x2"]):
        expected, found = one.counts(child, parents), many.counts(child, parents)
        assert found.cell_counts.tolist() == expected.cell_counts.tolist()
        assert found.config_totals.tolist() == expected.config_totals.tolist()
        assert many.local(child, parents) == one.local(child, parents)


def wide_table(n_variables, n_states, n_rows=300, seed=3):
    rng = np.random.default_rng(seed)
    codes = rng.integers(n_states, size=(n_rows, n_variables)) * rng.integers(2, size=(n_rows, 1))
    names = [f"v{i:03}" for i in range(n_variables)]
    return dw.Table.from_codes(codes, names=names, states=[range(n_states)] * n_variables)


def observed_configs(table, parents):
    codes = dict(zip(table.names, table.codes, strict=True))
    return np.unique(np.stack([codes[name] for name in parents]), axis=1).shape[1]


@pytest.mark.parametrize(("n_variables", "n_states"), [(6, 200), (30, 5), (65, 2), (300, 4)])
def test_tables_with_more_cells_than_64_bits_can_number(n_variables, n_states):
    table = wide_table(n_variables, n_states)
    child, *parents = table.names
    family = dw.Scorer(table).counts(child, parents)
    assert family.n_configs == pytest.approx(float(n_states) ** len(parents))
    assert len(family.configs) == observed_configs(table, parents)
    assert family.cell_counts.sum() == len(table)

    scorer = dw.Scorer(table, dw.LogLikelihood())
    codes = np.stack(table.codes)

    def sum_of_logs(rows):
        counts = np.unique(rows, axis=1, return_counts=True)[1]
        return float((counts * np.log(counts)).sum())

    expected = sum_of_logs(codes) - sum_of_logs(codes[1:])
    assert scorer.local(child, parents) == pytest.approx(expected, abs=1e-9)
    price = math.log(len(table)) / 2 * float(n_states) ** len(parents) * (n_states - 1)
    assert scorer.with_score(dw.BIC()).local(child, parents) == pytest.approx(expected - price)
    for score in dw.K2(), dw.BDeu(10):
        assert -math.inf < scorer.with_score(score).local(child, parents) <= 0


def test_sparse_and_dense_tables_give_the_same_scores():
    """Few rows in a large table and many rows in the same one, each by its definition."""
    for n_rows in 3, 2000:
        table = wide_table(5, 6, n_rows)
        data = rows_of(table)
        child, *parents = table.names
        for spec, oracle in (
            (dw.K2(), k2),
            (dw.BDeu(2), bdeu(2)),
            (dw.LogLikelihood(), log_likelihood),
        ):
            expected = oracle(data, child, parents)
            assert dw.Scorer(table, spec).local(child, parents) == pytest.approx(expected, rel=1e-9)


def test_more_cells_than_a_double_can_number_are_refused_or_right():
    table = wide_table(1000, 10)
    child, *parents = table.names
    try:
        number = dw.Scorer(table, dw.BIC()).local(child, parents)
    except dw.DataError as error:
        assert "v000" in str(error)  # noqa: PT017
    else:
        assert number == -math.inf or math.isfinite(number)


def test_a_table_that_is_too_large_is_not_made():
    table = wide_table(30, 5)
    child, *parents = table.names
    with pytest.raises(dw.DataError, match=r"has .* cells, more than"):
        dw.Scorer(table).counts(child, parents).table()


def test_256_and_more_states():
    for r in 255, 256, 257, 1000:
        codes = np.stack([np.arange(r).repeat(2), np.arange(r).repeat(2) % 2], axis=1)
        table = dw.Table.from_codes(codes, names=["many", "two"])
        scorer = dw.Scorer(table, dw.LogLikelihood())
        assert scorer.local("many") == pytest.approx(-2 * r * math.log(r))
        assert scorer.local("two", ["many"]) == pytest.approx(0, abs=1e-9)
        assert scorer.with_score(dw.K2()).local("two", ["many"]) == pytest.approx(
            r * math.log(1 / 3)
        )


def test_chunks_must_agree():
    table = dw.Table({"a": ["n", "y"], "b": ["n", "y"]})
    with pytest.raises(dw.DataError, match="no chunk"):
        dw.Chunks([])
    other_names = dw.Chunks([table, table.select(["b", "a"])])
    with pytest.raises(dw.DataError, match="chunk 1 has the variables"):
        dw.Scorer(other_names)
    other_states = dw.Chunks([table, dw.Table({"a": ["n", "z"], "b": ["n", "y"]})])
    with pytest.raises(dw.DataError, match="chunk 1: variable 'a' has the states"):
        dw.Scorer(other_states)


def test_chunks_are_never_read_by_two_passes_at_once():
    rng = np.random.default_rng(0)
    codes = rng.integers(2, size=(40, 5))
    codes[:, 1] = codes[:, 0]
    table = dw.Table.from_codes(codes, states=[(0, 1)] * 5)
    readers = []

    def read():
        readers.append(None)
        try:
            assert len(readers) == 1
            for rows in range(20), range(20, 40):
                time.sleep(0.0002)  # another thread may go on meanwhile
                yield table.take(rows)
        finally:
            readers.pop()

    search = dw.HillClimb(restarts=6)
    result = dw.learn(dw.Chunks(read), search=search, threads=3)
    assert result.dag == dw.learn(table, search=search).dag


def test_chunks_from_a_function_are_read_again_each_pass():
    table = dw.Table({"a": ["n", "y", "y"], "b": ["n", "y", "n"]})
    passes = []

    def read():
        passes.append(1)
        yield table
        yield table

    chunks = dw.Chunks(read)
    twice = table.take([0, 1, 2, 0, 1, 2])
    assert len(chunks) == 6
    assert dw.Scorer(chunks).local("a", ["b"]) == dw.Scorer(twice).local("a", ["b"])
    assert len(passes) > 1
