import datetime as dt
import pickle
import sys

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagwright as dw

SMALL = {"smoke": ["yes", "no", "no"], "age": [30, 50, 30]}


def small(**options):
    return dw.Table(SMALL, **options)


# ------------------------------------------------------------------------------------- states


def test_undeclared_states_are_sorted():
    table = dw.Table({"t": ["b", "a"], "i": [10, 9], "b": [True, False]})
    assert dict(table.states) == {"t": ("a", "b"), "i": (9, 10), "b": (False, True)}
    assert [codes.tolist() for codes in table.codes] == [[1, 0], [1, 0], [1, 0]]
    assert [type(table.states[name][0]) for name in table.names] == [str, int, bool]


@given(st.lists(st.integers(0, 400), min_size=1, max_size=600), st.randoms())
@settings(deadline=None)
def test_states_and_codes_do_not_depend_on_the_order_of_rows(numbers, random):
    shuffled = list(numbers)
    random.shuffle(shuffled)
    one = dw.Table({"a": numbers}, max_states=401)
    other = dw.Table(pa.table({"a": shuffled}), max_states=401)
    assert one.states == other.states
    assert [one.states["a"][code] for code in one.codes[0]] == numbers
    assert [other.states["a"][code] for code in other.codes[0]] == shuffled


def test_declared_states_keep_order_and_unused():
    table = small(states={"smoke": ["yes", "no", "unknown"]})
    assert table.states["smoke"] == ("yes", "no", "unknown")
    assert table.n_states == {"smoke": 3, "age": 2}
    assert table.codes[0].tolist() == [0, 1, 1]


def test_declared_states_win_over_categories():
    frame = pd.DataFrame({"a": pd.Categorical(["x", "y"], ["z", "y", "x"])})
    assert dw.Table(frame).states["a"] == ("z", "y", "x")
    assert dw.Table(frame, states={"a": ["x", "y"]}).codes[0].tolist() == [0, 1]


def test_chunks_that_disagree_are_sorted():
    chunks = [pa.array(["z", "a"]).dictionary_encode(), pa.array(["k", "z"]).dictionary_encode()]
    assert dw.Table(pa.table({"a": pa.chunked_array(chunks)})).states["a"] == ("a", "k", "z")


def test_a_value_outside_the_declared_states():
    with pytest.raises(dw.DataError, match=r"'smoke' has 'no' in row 1 .*unseen=\"extend\""):
        small(states={"smoke": ["yes"]})
    table = dw.Table({"a": ["d", "x", "b"]}, states={"a": ["x"]}, unseen="extend")
    assert table.states["a"] == ("x", "b", "d")
    assert table.codes[0].tolist() == [2, 0, 1]


def test_the_row_is_counted_in_the_frame_not_in_what_is_kept():
    with pytest.raises(dw.DataError, match="in row 2 "):
        dw.Table({"a": [None, "x", "y"]}, states={"a": ["x"]}, missing="drop")


def test_declared_states_of_another_type():
    for declared in (["30", "50"], [True, False]):
        with pytest.raises(dw.DataError, match="'age' has values of the type int"):
            small(states={"age": declared}, unseen="extend")


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        ([], "without states"),
        (["yes", "yes", "no"], "'yes' twice"),
        (["yes", 1], "mix types"),
        ([0.5], "float"),
        ([None], "missing"),
        ("yes", "sequence"),
        (3, "sequence"),
        ([b"yes"], "bytes"),
    ],
)
def test_bad_declarations(declared, message):
    with pytest.raises(dw.DataError, match=message):
        small(states={"smoke": declared})


@pytest.mark.parametrize("option", ["states", "discretize"])
def test_options_for_unknown_variables(option):
    spec = {"nose": dw.Quantiles(2) if option == "discretize" else ["a"]}
    with pytest.raises(dw.DataError, match=f"{option}: 'nose' is no variable.*'smoke', 'age'"):
        small(**{option: spec})


def test_mixed_types_are_refused():
    mixed = [1, "a"]
    for frame in ({"a": mixed}, pd.DataFrame({"a": mixed})):
        with pytest.raises(dw.DataError, match=r"'a' mixes values of the types int and str.*cast"):
            dw.Table(frame)


@pytest.mark.parametrize(
    "options",
    [
        {"missing": "keep"},
        {"unseen": "ignore"},
        {"max_states": 0},
        {"max_states": 2.5},
        {"max_states": 65537},
        {"discretize": {"age": 4}},
        {"states": {"age": [30, 50]}, "discretize": {"age": dw.EqualWidth(2)}},
    ],
)
def test_bad_options(options):
    with pytest.raises(dw.SpecError):
        small(**options)


# ------------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize("make", [dict, pd.DataFrame, pl.DataFrame, pa.table])
def test_floats_are_refused_with_the_fix(make):
    with pytest.raises(dw.DataError, match=r"'a' holds floats.*discretize=\{'a': dw.Quantiles"):
        dw.Table(make({"a": [0.5, 1.5]}))
    with pytest.raises(dw.DataError, match="casting it to integers"):
        dw.Table(make({"a": [1.0, 2.0]}))


def test_too_many_states():
    with pytest.raises(dw.DataError, match=r"'a' has 257 states, beyond max_states=256.*=257"):
        dw.Table({"a": list(range(257))})
    table = dw.Table({"a": list(range(257))}, max_states=257)
    assert table.codes[0].dtype == np.uint16
    assert dw.Table({"a": list(range(256))}).codes[0].dtype == np.uint8
    with pytest.raises(dw.DataError, match="'a' has more than 65536 states"):
        dw.Table(pa.table({"a": np.arange(65537)}), max_states=65536)


@pytest.mark.parametrize(
    "frame", [{}, pd.DataFrame(), pl.DataFrame(), pd.DataFrame(index=[1, 2]), pa.table({})]
)
def test_no_variables(frame):
    with pytest.raises(dw.DataError, match="no variables"):
        dw.Table(frame)


@pytest.mark.parametrize(
    "frame", [{"a": []}, pd.DataFrame({"a": []}), pl.DataFrame({"a": []}), pa.table({"a": []})]
)
def test_no_rows(frame):
    with pytest.raises(dw.DataError, match="no rows"):
        dw.Table(frame)


def test_names():
    assert dw.Table(pd.DataFrame({1: [1], "b": [2]})).names == ("1", "b")
    assert dw.Table({1: [1], None: [2]}).names == ("1", "None")
    two = pd.DataFrame([[1, 2]], columns=["a", "a"])
    arrow = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])
    for frame in (two, arrow, {1: [1], "1": [2]}, pd.DataFrame({1: [1], "1": [2]})):
        with pytest.raises(dw.DataError, match=r"'(a|1)' belongs to 2 variables"):
            dw.Table(frame)


def test_index_of_pandas_is_no_variable():
    frame = pd.DataFrame({"a": [1, 2, 3]})
    assert dw.Table(frame[frame["a"] > 1]).names == ("a",)


def test_different_lengths():
    with pytest.raises(dw.DataError, match=r"different numbers of rows.*'a': 1"):
        dw.Table({"a": [1], "b": [1, 2]})


@pytest.mark.parametrize("frame", [3, None, "file.csv", np.zeros((2, 2)), pl.LazyFrame({"a": [1]})])
def test_no_frame(frame):
    with pytest.raises(dw.DataError, match="is not a frame"):
        dw.Table(frame)


@pytest.mark.parametrize("values", [{1, 2}, np.zeros((2, 2)), 5, "text"])
def test_no_sequence(values):
    with pytest.raises(dw.DataError, match="'a' is a"):
        dw.Table({"a": values})


def test_unsupported_types():
    frame = pd.DataFrame({"a": pd.cut([1, 2], 2), "b": [1, 2]})
    with pytest.raises(dw.DataError, match=r"'a' has the Arrow type 'pandas.interval'.*cast"):
        dw.Table(frame)
    with pytest.raises(dw.DataError, match="'a' has values of the type complex"):
        dw.Table({"a": [1j]})
    with duckdb.connect() as connection, pytest.raises(dw.DataError, match="'h' has the Arrow"):
        dw.Table(connection.sql("SELECT 1::HUGEINT AS h"))


def test_a_failing_query_is_a_data_error():
    with duckdb.connect() as connection, pytest.raises(dw.DataError, match="Arrow stream"):
        dw.Table(connection.sql("SELECT 'x'::INT AS a FROM range(3)"))


# ------------------------------------------------------------------------------------- missing


def test_missing_is_an_error_that_lists_all():
    frame = {"a": [None, "x", None], "b": [1, 2, 3], "c": [1, None, 2]}
    with pytest.raises(dw.DataError, match=r"'a': 2, 'c': 1 of 3 rows.*missing=\"drop\""):
        dw.Table(frame)


def test_dropping_equals_dropping_before():
    frame = pd.DataFrame({"a": ["x", None, "z", "w"], "b": [1, 2, 3, 4], "c": [1.0, 2, None, 9]})
    options = {"discretize": {"c": dw.EqualWidth(2)}}
    dropped = dw.Table(frame, weights=[1, 2, 3, 4], missing="drop", **options)
    assert dropped == dw.Table(frame.dropna(), weights=[1, 4], **options)
    assert dropped.n_dropped == 2
    assert dropped.states["a"] == ("w", "x")
    assert dropped.cuts["c"] == (5.0,)


def test_categories_stay_when_rows_are_dropped():
    frame = pd.DataFrame({"a": pd.Categorical(["y", "x"], ["y", "x"]), "b": [None, "q"]})
    assert dw.Table(frame, missing="drop").states["a"] == ("y", "x")


def test_nothing_left():
    with pytest.raises(dw.DataError, match="leaves no row"):
        dw.Table({"a": [None, 1], "b": [1, None]}, missing="drop")
    for frame in ({"a": [None, None], "b": [1, 2]}, pa.table({"a": pa.nulls(2), "b": [1, 2]})):
        for missing in ("error", "drop"):
            with pytest.raises(dw.DataError, match="leave out 'a'"):
                dw.Table(frame, missing=missing)


def test_one_row_and_one_state():
    table = dw.Table({"a": ["x"], "b": [1]})
    assert len(table) == 1
    assert table.n_states == {"a": 1, "b": 1}


# ------------------------------------------------------------------------------------- weights


def test_weights():
    table = small(weights=[2, 0, 3])
    assert table.weights.dtype == np.int64
    assert table.total_weight == 5
    assert isinstance(table.total_weight, int)
    floats = small(weights=np.array([0.5, 0.25, 0], np.float32))
    assert floats.weights.dtype == np.float64
    assert floats.total_weight == 0.75
    assert small().weights is None
    assert small().total_weight == 3


@pytest.mark.parametrize("make", [dict, pd.DataFrame, pl.DataFrame, pa.table])
@pytest.mark.parametrize("weights", [[2, 1], [0.5, 2.0]])
def test_weights_by_name(make, weights):
    table = dw.Table(make({"a": ["x", "y"], "n": weights}), weights="n")
    assert table.names == ("a",)
    assert table.weights.tolist() == weights
    assert table.weights.dtype == np.array(weights).dtype


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, 2], "do not fit 3 rows"),
        ([[1, 2, 3]], "do not fit 3 rows"),
        (5, "do not fit 3 rows"),
        ([1, np.nan, 2], "NaN in row 1"),
        ([1, 2, np.inf], "infinite in row 2"),
        ([-1, 2, 1], "negative in row 0"),
        ([0, 0, 0], "add up to 0"),
        ([1e308, 1e308, 1e308], "add up to inf"),
        ([2**53, 1, 1], "2\\*\\*53"),
        ([True, False, True], "type bool"),
        (["1", "2", "3"], "pass integers or floats"),
        ("nose", "'nose' is no variable"),
        ("smoke", "no numbers"),
    ],
)
def test_bad_weights(weights, message):
    with pytest.raises(dw.DataError, match=message):
        small(weights=weights)
    if not isinstance(weights, str):
        with pytest.raises(dw.DataError, match=message):
            small().with_weights(weights)


def test_missing_weights():
    with pytest.raises(dw.DataError, match="missing in 1 rows, first in row 1"):
        dw.Table({"a": [1, 2], "n": [1, None]}, weights="n", missing="drop")
    with pytest.raises(dw.DataError, match="no variables"):
        dw.Table({"n": [1, 2]}, weights="n")


def test_with_weights():
    table = small().with_weights([1, 2, 3])
    assert table.total_weight == 6
    assert table.with_weights(None) == small()


# ------------------------------------------------------------------------------------- from_codes


def test_from_codes():
    array = np.array([[0, 2], [1, 0]])
    table = dw.Table.from_codes(array)
    assert table.names == ("x1", "x2")
    assert table.states["x2"] == (0, 1, 2)
    array[:] = 9
    assert [codes.tolist() for codes in table.codes] == [[0, 1], [2, 0]]
    columns = [np.array([0, 1], np.uint8), np.array([2, 0], np.uint8)]
    assert dw.Table.from_codes(columns) == table
    columns[0][:] = 1
    assert dw.Table.from_codes([columns[0] * 0, columns[1]]) != table
    named = dw.Table.from_codes(columns, names=["a", "b"], states={"b": ["l", "m", "h"]})
    assert named.states["b"] == ("l", "m", "h")
    assert named == dw.Table.from_codes(columns, names=["a", "b"], states=[[0, 1], ["l", "m", "h"]])
    assert dw.Table.from_codes(columns, weights=[1, 2]).total_weight == 3


@pytest.mark.parametrize(
    ("codes", "options", "message"),
    [
        ([[0, -1]], {}, "'x1' has the code -1 in row 1"),
        ([[0, 1]], {"states": [["a"]]}, "'x1' has the code 1 in row 1"),
        ([[0, 65536]], {}, "code 65536"),
        ([[0.0, 1.0]], {}, "type float64"),
        ([[True]], {}, "type bool"),
        ([], {}, "no variables"),
        ([[]], {}, "no rows"),
        ([[0], [0, 1]], {}, "one length"),
        ([[0]], {"names": ["a", "b"]}, "2 names"),
        ([[0], [0]], {"names": ["a", "a"]}, "belongs to 2"),
        ([[0]], {"states": {"y": [0]}}, "'y' is no variable"),
        ([[0]], {"states": [[0], [0]]}, "states for 2"),
        ([[0]], {"weights": [-1]}, "negative"),
    ],
)
def test_bad_codes(codes, options, message):
    with pytest.raises(dw.DataError, match=message):
        dw.Table.from_codes(codes, **options)


def test_codes_of_the_wrong_shape():
    for array in (np.zeros(3, int), np.zeros((1, 1, 1), int)):
        with pytest.raises(dw.DataError, match="rows x variables"):
            dw.Table.from_codes(array)


# ------------------------------------------------------------------------------------- the object


def test_immutable():
    table = small(weights=[1, 2, 3])
    with pytest.raises(AttributeError):
        table.names = ("a",)
    with pytest.raises(AttributeError):
        table._codes = ()
    with pytest.raises(AttributeError):
        del table._codes
    with pytest.raises(TypeError):
        table.states["smoke"] = ()
    with pytest.raises(TypeError):
        table.cuts["smoke"] = ()
    for array in (*table.codes, table.weights):
        assert array.flags.c_contiguous
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_the_caller_keeps_the_weights():
    weights = np.array([1, 2, 3])
    table = small(weights=weights)
    weights[0] = 99
    assert table.weights.tolist() == [1, 2, 3]


def test_a_selection_keeps_only_its_own_memory(tmp_path):
    path = tmp_path / "t.parquet"
    dw.Table.from_codes(np.zeros((1000, 9), np.uint8)).to_frame().to_parquet(path)
    table = dw.read(path)
    assert table.codes[0].base is table.codes[8].base  # in one piece
    few, many = table.select(["x2", "x4"]), table.select(table.names[:8])
    assert all(codes.base is None for codes in few.codes)
    assert all(codes.base is table.codes[0].base for codes in many.codes)
    assert not few.codes[0].flags.writeable
    assert few == dw.Table.from_codes(np.zeros((1000, 2), np.uint8), names=["x2", "x4"])


@pytest.mark.parametrize("protocol", [2, 5])
def test_pickles(protocol):
    table = dw.Table(
        {"a": [1.5, None, 2.5], "d": [dt.date(2020, 1, 1)] * 3},
        weights=[1, 2, 3],
        missing="drop",
        discretize={"a": dw.Cuts([2])},
    )
    copy = pickle.loads(pickle.dumps(table, protocol))
    assert copy == table
    assert copy.cuts == table.cuts
    assert copy.n_dropped == 1
    assert not copy.codes[0].flags.writeable
    assert not copy.weights.flags.writeable


def test_digest_and_equality():
    table = small()
    assert len(table.digest) == 64
    assert table == small()
    assert hash(table) == hash(small())
    others = [
        small(weights=[1, 1, 1]),
        small(weights=[1.0, 1.0, 1.0]),
        small(states={"smoke": ["yes", "no"]}),
        small(states={"smoke": ["no", "yes", "x"]}),
        table.select(["age", "smoke"]),
        table.take([0, 1]),
        table.take([1, 0, 2]),
        dw.Table({"smoke": ["yes", "no", "no"], "ages": [30, 50, 30]}),
        dw.Table({"smoke": ["yes", "no", "no"], "age": ["30", "50", "30"]}),
    ]
    assert len({table.digest, *(other.digest for other in others)}) == len(others) + 1
    assert table != "table"
    bits, truths = dw.Table({"a": [0, 1]}), dw.Table({"a": [False, True]})
    assert bits != truths


def test_digest_is_the_same_on_every_machine_and_day():
    expected = "e7297a8c144a9e957b8af454343d45de980d1b9b8f29e1fb9587d3d462f51836"
    assert small(weights=[1, 2, 3]).digest == expected


def test_digest_is_the_same_from_every_frame():
    frames = [SMALL, pd.DataFrame(SMALL), pl.DataFrame(SMALL), pa.table(SMALL)]
    assert len({dw.Table(frame).digest for frame in frames}) == 1
    narrow = pa.table({"smoke": SMALL["smoke"], "age": pa.array(SMALL["age"], pa.uint8())})
    assert dw.Table(narrow).digest == small().digest


def test_select():
    table = small(weights=[1, 2, 3]).select(["age"])
    assert table.names == ("age",)
    assert table.weights.tolist() == [1, 2, 3]
    for names, message in ((["x"], "'x' is no variable"), ([], "at least one"), ("age", "list")):
        with pytest.raises(dw.DataError, match=message):
            small().select(names)
    with pytest.raises(dw.DataError, match="belongs to 2"):
        small().select(["age", "age"])


def test_take_and_head():
    table = small(weights=[1, 2, 3])
    taken = table.take([2, 2])
    assert taken.weights.tolist() == [3, 3]
    assert taken.states == table.states
    assert taken.codes[0].tolist() == [0, 0]
    assert len(table.head(2)) == 2
    assert table.head(99) == table
    for rows in ([3], [-1], [], [0.5], [[0]], [True, False, True]):
        with pytest.raises(dw.DataError, match="take needs"):
            table.take(rows)
    with pytest.raises(dw.SpecError, match="head: n must be a whole number, 1 or more"):
        table.head(0)


def test_repr_is_small():
    wide = dw.Table({f"v{at}": [0, 1] for at in range(100)}, weights=[1, 2])
    assert repr(wide).startswith("Table(2 rows, weight 3, 100 variables: v0 (2 states), v1 (2)")
    assert len(repr(wide)) < 150
    shown = dw.Table({"<b>": ["<i>", "x"]})._repr_html_()
    assert "&lt;b&gt;" in shown
    assert "&lt;i&gt;" in shown
    assert "<b>" not in shown
    assert "and 50 more" in wide._repr_html_()


# ------------------------------------------------------------------------------------- to_frame

DECLARED = {
    "t": ["b", "a", "c"],
    "i": [3, 1, 2],
    "b": [True, False],
    "d": [dt.date(2020, 1, 2), dt.date(2020, 1, 1)],
    "m": [dt.datetime(2020, 1, 2, 3), dt.datetime(2020, 1, 1)],
}


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_round_trip(backend):
    frame = {name: [states[0], states[1], states[0]] for name, states in DECLARED.items()}
    table = dw.Table(frame, states=DECLARED)
    back = dw.Table(table.to_frame(backend))
    if backend == "polars":  # knows an order of strings only
        assert back.select(["t"]) == table.select(["t"])
        back = dw.Table(table.to_frame(backend), states=DECLARED)
    assert back == table


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_round_trip_of_many_states(backend):
    words = [f"{number:03}" for number in range(300)]
    table = dw.Table({"a": words}, max_states=300)
    assert dw.Table(table.to_frame(backend), max_states=300) == table


def test_to_frame_without_the_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(dw.DagwrightError, match="pip install polars"):
        small().to_frame("polars")
    with pytest.raises(dw.SpecError, match="backend"):
        small().to_frame("excel")
