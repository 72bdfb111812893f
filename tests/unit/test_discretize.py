import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dagwright as dw
from dagwright.discretize import interval_names

NUMBERS = st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=40)


@given(NUMBERS, st.integers(2, 9))
def test_every_number_is_inside_its_interval(numbers, n):
    for spec in (dw.Quantiles(n), dw.EqualWidth(n)):
        table = dw.Table({"a": numbers}, discretize={"a": spec})
        bounds = [-np.inf, *table.cuts["a"], np.inf]
        for number, code in zip(numbers, table.codes[0], strict=True):
            assert bounds[code] < number <= bounds[code + 1]
        assert len(table.states["a"]) == len(table.cuts["a"]) + 1 <= n
        assert len(set(table.states["a"])) == len(table.states["a"])


def test_quantiles_share_the_rows_equally():
    table = dw.Table({"a": np.arange(100)}, discretize={"a": dw.Quantiles(4)})
    assert np.bincount(table.codes[0]).tolist() == [25, 25, 25, 25]


def test_equal_quantiles_collapse():
    table = dw.Table({"a": [0, 0, 0, 0, 1, 2]}, discretize={"a": dw.Quantiles(4)})
    assert table.cuts["a"] == (0.0, 0.75)
    assert table.states["a"] == ("(-inf, 0]", "(0, 0.75]", "(0.75, inf)")


@pytest.mark.parametrize("spec", [dw.Quantiles(4), dw.EqualWidth(4)])
def test_a_constant_variable_has_one_state(spec):
    table = dw.Table({"a": [2.5, 2.5]}, discretize={"a": spec})
    assert table.states["a"] == ("(-inf, inf)",)
    assert table.cuts["a"] == ()


def test_uniform_cuts_the_range():
    table = dw.Table({"a": [0.0, 1.0, 9.0]}, discretize={"a": dw.EqualWidth(3)})
    assert table.cuts["a"] == (3.0, 6.0)
    assert table.codes[0].tolist() == [0, 0, 2]


def test_an_edge_belongs_to_the_interval_on_its_left():
    table = dw.Table({"a": [1.0, 3.5, 3.6]}, discretize={"a": dw.Cuts([1, 3.5])})
    assert table.codes[0].tolist() == [0, 1, 2]
    assert table.states["a"] == ("(-inf, 1]", "(1, 3.5]", "(3.5, inf)")


def test_names_of_close_cuts_differ():
    assert len(set(interval_names([0.1, np.nextafter(0.1, 1), 1e-300]))) == 4


def test_integers_of_many_values_can_be_cut():
    table = dw.Table({"a": np.arange(100_000)}, discretize={"a": dw.Quantiles(2)})
    assert table.cuts["a"] == (49999.5,)


@pytest.mark.parametrize("infinite", [np.inf, -np.inf])
def test_infinite_numbers_are_refused(infinite):
    with pytest.raises(dw.DataError, match=r"variable 'a' has -?inf in row 2 "):
        dw.Table({"a": [None, 1.0, infinite]}, discretize={"a": dw.EqualWidth(2)}, missing="drop")


@pytest.mark.parametrize("n", [1, 0, -1, 2.0, "4", True, 65537])
@pytest.mark.parametrize("spec", [dw.Quantiles, dw.EqualWidth])
def test_bad_n(spec, n):
    with pytest.raises(dw.SpecError, match="n must be a whole number, from 2"):
        spec(n)


@pytest.mark.parametrize("inner", [[1, 1], [2, 1], [np.nan], [np.inf], 3, ["a"]])
def test_bad_cuts(inner):
    with pytest.raises(dw.SpecError, match="Cuts needs"):
        dw.Cuts(inner)


def test_text_cannot_be_cut():
    with pytest.raises(dw.DataError, match="'a' cannot be discretized"):
        dw.Table({"a": ["x"]}, discretize={"a": dw.EqualWidth(2)})


def test_specs_compare_by_content():
    assert dw.Cuts([1, 2]) == dw.Cuts((1.0, 2.0))
    assert hash(dw.Quantiles(3)) == hash(dw.Quantiles(3))
