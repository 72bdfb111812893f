"""The native encoder against the encoder of Python sequences."""

import datetime as dt
import itertools
import signal
import threading

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dagwright import _core
from dagwright.encode import (
    EncodedVariable,
    encode_frame,
    encode_stream,
    encode_values,
    in_width,
    recode,
)
from dagwright.errors import DataError

# Around 8, 12 and 16 bytes, where the ways to compare texts change; empty, unicode, long.
TEXTS = [
    "",
    "a",
    "b",
    "ab",
    "abc",
    "abd",
    "abcd",
    "abcdefg",
    "abcdefgh",
    "abcdefghi",
    "é",
    "日本語",
]
TEXTS += ["x" * 11 + "1", "x" * 12, "x" * 12 + "1", "x" * 13, "x" * 16, "x" * 15 + "y", "x" * 17]
TEXTS += ["x" * 20 + "y" * 20, "x" * 20 + "z" + "y" * 19, "nul\0nul", "nul"]
DATES = [dt.date(1970, 1, 1), dt.date(1969, 12, 31), dt.date(1, 1, 1), dt.date(9999, 12, 31)]
TIMES = [dt.datetime(1969, 12, 31, 23, 59, 59, 999999), dt.datetime(2024, 2, 29, 12, 30)]
INTEGERS = [0, 1, -1, 127, -128, 255, 300, -300, 70000, 2**40, -(2**63), 2**63 - 1]
KINDS = {
    "text": st.sampled_from(TEXTS),
    "integer": st.sampled_from(INTEGERS),
    "boolean": st.booleans(),
    "date": st.sampled_from(DATES),
    "time": st.sampled_from(TIMES),
    "float": st.sampled_from([0.0, -0.5, 1e300, 3.0]),
}
TYPES = {
    "text": pa.string(),
    "integer": pa.int64(),
    "boolean": pa.bool_(),
    "date": pa.date32(),
    "time": pa.timestamp("us"),
    "float": pa.float64(),
}


def meaning(variable: EncodedVariable) -> dict:
    """What an encoding says, apart from the order in which undeclared values were numbered."""
    assert variable.problem is None
    rows: list = []
    if variable.codes is not None:
        rows = [(type(variable.values[c]), variable.values[c]) if variable.values else None
                for c in variable.codes]  # fmt: skip
    if variable.numbers is not None:
        rows = variable.numbers.tolist()
    for row in variable.missing:
        rows[row] = None
    values = variable.values if variable.keeps_order else sorted(variable.values)
    return {
        "name": variable.name,
        "rows": rows,
        "values": tuple(values),
        "missing": variable.missing.tolist(),
        "unused": variable.keeps_unused,
        "order": variable.keeps_order,
    }


def agree(frame: object, rows: dict[str, list], declared: dict[str, list] | None = None) -> None:
    n_rows, variables = encode_frame(frame)
    assert n_rows == len(next(iter(rows.values())))
    assert [variable.name for variable in variables] == list(rows)
    for variable in variables:
        expected = encode_values(
            variable.name, rows[variable.name], (declared or {}).get(variable.name)
        )
        assert meaning(variable) == meaning(expected)


@st.composite
def columns(draw: st.DrawFn) -> tuple[dict[str, list], dict[str, pa.DataType]]:
    kinds = draw(st.lists(st.sampled_from(list(KINDS)), min_size=1, max_size=4))
    n_rows = draw(st.integers(1, 30))
    rows, types = {}, {}
    for at, kind in enumerate(kinds):
        element = st.one_of(st.none(), KINDS[kind]) if draw(st.booleans()) else KINDS[kind]
        rows[f"{kind}{at}"] = draw(st.lists(element, min_size=n_rows, max_size=n_rows))
        types[f"{kind}{at}"] = TYPES[kind]
    return rows, types


@given(columns(), st.lists(st.integers(0, 30), max_size=3), st.integers(0, 5))
@settings(max_examples=150, deadline=None)
def test_arrow_chunks_and_slices(data, cuts, skip):
    rows, types = data
    n_rows = len(next(iter(rows.values())))
    # A longer table that is cut from the front: offsets that are no multiples of 8.
    padded = {name: values[:skip] + values for name, values in rows.items()}
    skip = min(skip, n_rows)
    whole = pa.table({n: pa.array(v, types[n]) for n, v in padded.items()}).slice(skip)
    ends = sorted({0, n_rows, *(min(cut, n_rows) for cut in cuts)})
    pieces = [whole.slice(a, b - a) for a, b in itertools.pairwise(ends)]
    agree(pa.concat_tables([whole.slice(0, 0), *pieces, whole.slice(0, 0)]), rows)


@given(columns())
@settings(max_examples=100, deadline=None)
def test_polars(data):
    rows, types = data
    arrow = pa.table({n: pa.array(v, types[n]) for n, v in rows.items()})
    frame = pl.from_arrow(arrow)
    agree(frame, rows)
    if len(frame) > 1:
        agree(frame.slice(1), {name: values[1:] for name, values in rows.items()})


@given(columns())
@settings(max_examples=100, deadline=None)
def test_pandas(data):
    rows, types = data
    arrow = pa.table({n: pa.array(v, types[n]) for n, v in rows.items()})
    frame = arrow.to_pandas(types_mapper=pd.ArrowDtype)
    frame.index = range(5, 5 + len(frame))
    agree(frame, rows)


@given(columns())
@settings(max_examples=50, deadline=None)
def test_duckdb(data):
    rows, types = data
    arrow = pa.table({n: pa.array(v, types[n]) for n, v in rows.items()})
    with duckdb.connect() as connection:
        agree(connection.from_arrow(arrow), rows)


@pytest.mark.parametrize("width", [8, 16, 32, 64])
@pytest.mark.parametrize("sign", ["", "u"])
def test_every_width_of_integers(width, sign):
    low, high = (0, 2**width - 1) if sign else (-(2 ** (width - 1)), 2 ** (width - 1) - 1)
    rows = [low, high, None, 5, low, 100]
    agree(pa.table({"a": pa.array(rows, getattr(pa, f"{sign}int{width}")())}), {"a": rows})


@pytest.mark.parametrize(
    "later",
    [[], [3, 255], [-1], [256], [2**62], [None] * 5000, [2**63 - 1, -(2**63)], list(range(300))],
    ids=lambda later: f"{len(later)} from {later[:1]}",
)
@pytest.mark.parametrize("first", [0, -7, 1000, -(2**63), 2**63 - 6], ids=str)
def test_integers_near_each_other_and_then_not(first, later):
    rows = [first + number % 6 for number in range(5000)] + later + [first, None]
    agree(pa.table({"a": pa.array(rows, pa.int64())}), {"a": rows})
    pieces = [pa.array(rows[at : at + 700], pa.int64()) for at in range(0, len(rows), 700)]
    agree(pa.table({"a": pa.chunked_array(pieces)}), {"a": rows})


def test_many_rows_of_a_dictionary():
    entries = [f"word {number}" for number in range(200)]
    rows = [None if number % 4999 == 4998 else entries[number % 197] for number in range(20_000)]
    codes = pa.array([None if word is None else entries.index(word) for word in rows], pa.uint8())
    array = pa.DictionaryArray.from_arrays(codes, pa.array(entries))
    agree(pa.table({"a": array}), {"a": rows}, {"a": entries})
    twisted = pa.DictionaryArray.from_arrays(codes, pa.array(entries[::-1]))
    again = [None if word is None else entries[199 - entries.index(word)] for word in rows]
    (variable,) = encode_frame(pa.table({"a": pa.chunked_array([array, twisted])}))[1]
    assert not variable.keeps_order
    found = [variable.values[code] for code in variable.codes]
    assert [f for f, word in zip(found, rows + again, strict=True) if word] == [
        word for word in rows + again if word
    ]


@pytest.mark.parametrize("type_", [pa.string(), pa.large_string(), pa.string_view()])
def test_every_layout_of_text(type_):
    rows = [*TEXTS, None, *reversed(TEXTS)]
    agree(pa.table({"a": pa.array(rows, type_)}), {"a": rows})
    agree(pa.table({"a": pa.array(rows, type_)}).slice(7, 20), {"a": rows[7:27]})


def texts_of(longest, count):
    """Distinct texts of all sizes up to the longest; some differ in their last byte only."""
    texts = ["a" * size for size in range(longest + 1)]
    texts += ["a" * (size - 1) + end for size in range(1, longest + 1) for end in ("\0", "b")]
    texts += [chr(97 + n // 26) + chr(97 + n % 26) for n in range(200)]
    return list(dict.fromkeys(texts))[:count]


@pytest.mark.parametrize("type_", [pa.string(), pa.large_string(), pa.string_view()])
@pytest.mark.parametrize("longest", [2, 7, 8, 12, 13, 15, 16, 30])
@pytest.mark.parametrize("count", [3, 20, 32, 33, 150])
def test_blocks_of_texts(type_, longest, count):
    """Many rows, so that the table of short texts answers; some texts come late or only once."""
    texts = texts_of(longest, count)
    rng = np.random.default_rng(longest * count)
    rows = [texts[n] for n in rng.integers(len(texts) // 2, size=9_000)]
    rows[5_000] = texts[-1]
    rows += [texts[n] for n in rng.integers(len(texts), size=9_000)]
    rows[8_500] = None if count % 2 else rows[8_500]
    array = pa.array(rows, type_)
    cuts = [0, 1, 4_096, 4_100, 12_001, len(rows)]
    chunks = [array.slice(a, b - a) for a, b in itertools.pairwise(cuts)]
    (variable,) = encode_frame(pa.table({"a": pa.chunked_array(chunks)}))[1]
    assert list(variable.values) == list(dict.fromkeys(row for row in rows if row is not None))
    found = [variable.values[code] for code in variable.codes]
    for row in variable.missing:
        found[row] = None
    assert found == rows


@pytest.mark.parametrize("known", [["", "yes"], ["", "a text of 13 b"]])
@pytest.mark.parametrize("size", [8, 16, 256, 264, 65536])
def test_a_long_text_is_no_short_one(known, size):
    rows = known * 3_000 + ["z" * size] + known
    (variable,) = encode_frame(pa.table({"a": rows}))[1]
    assert [variable.values[code] for code in variable.codes] == rows


def test_large_batches_are_encoded_by_threads():
    """As small ones are; which fails first does not depend on the threads."""
    rng = np.random.default_rng(0)
    n_rows = 70_000
    columns = {
        "text": pa.array(np.array(["x", "yes", "many bytes, " * 2])[rng.integers(3, size=n_rows)]),
        "integer": pa.array(rng.integers(-3, 3, n_rows)),
        "wide": pa.array(rng.integers(0, 500, n_rows)),
        "far": pa.array(np.where(np.arange(n_rows) == n_rows - 1, 10**6, 0)),
        "float": pa.array(rng.normal(size=n_rows)),
        "flag": pa.array(rng.integers(0, 2, n_rows).astype(bool)),
        "many": pa.array(np.arange(n_rows)),
    }  # fmt: skip
    whole = pa.table(columns)
    pieces = pa.Table.from_batches(whole.to_batches(max_chunksize=999))
    (n_whole, threaded), (n_pieces, serial) = encode_frame(whole), encode_frame(pieces)
    assert n_whole == n_pieces == n_rows
    for one, other in zip(threaded, serial, strict=True):
        assert one.too_many == other.too_many == (one.name == "many")
        if not one.too_many:
            assert meaning(one) == meaning(other)


@pytest.mark.parametrize("size", [(0, 0), (4, 10_000), (2, 10_000), (4, 5_000), (9, 50_000)])
def test_codes_stay_in_their_room_while_they_fit(size):
    rows = {
        "text": [f"t{n % 3}" for n in range(10_000)],
        "wide": [n % 300 for n in range(10_000)],
        "number": [n / 2 for n in range(10_000)],
        "whole": [n % 7 - 3 for n in range(10_000)],
    }
    batches = pa.table(rows).to_batches(max_chunksize=1_000)
    frame = pa.Table.from_batches(batches)
    _, variables = encode_frame(frame, size=size)
    for variable, plain_variable in zip(variables, encode_frame(frame)[1], strict=True):
        assert meaning(variable) == meaning(plain_variable)
    bases = [None if variable.codes is None else variable.codes.base for variable in variables]
    in_room = [isinstance(base, np.ndarray) for base in bases]
    fits = size[1] >= 10_000
    assert in_room == [fits and size[0] > 0, False, False, fits and size[0] > 3]


def test_until_too_many():
    frame = pa.table({"a": np.arange(200_000), "b": np.zeros(200_000, np.int64)})
    batches = pa.Table.from_batches(frame.to_batches(max_chunksize=50_000))
    n_rows, (many, few) = encode_stream(batches.__arrow_c_stream__(), until_too_many=True)
    assert (n_rows, many.too_many, few.too_many) == (100_000, True, False)
    assert encode_stream(batches.__arrow_c_stream__())[0] == 200_000


def test_ctrl_c_while_encoding_is_ctrl_c():
    batch = pa.record_batch({"a": pa.array([b""] * 2**18)})  # of no use, so that nothing is kept
    frame = pa.Table.from_batches([batch] * 2_000_000)
    threading.Timer(0.2, signal.raise_signal, [signal.SIGINT]).start()
    with pytest.raises(KeyboardInterrupt):
        encode_frame(frame)


@pytest.mark.parametrize("n_values", [3, 7, 256, 300])
@pytest.mark.parametrize("n_states", [3, 7, 256, 300])
def test_recode(n_values, n_states):
    rng = np.random.default_rng(n_values)
    codes = in_width(rng.integers(n_values, size=5_000), n_values)
    new_code = rng.integers(n_states, size=n_values)
    expected = new_code[codes]
    recoded = recode(codes, new_code.tolist(), n_states)
    assert recoded.dtype == (np.uint8 if n_states <= 256 else np.uint16)
    assert np.array_equal(recoded, expected)
    with pytest.raises(TypeError):  # never a copy instead of the codes
        _core.recode(codes[::2], new_code.tolist())


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("zone", [None, "Europe/Vienna", "+05:30"])
def test_timestamps(unit, zone):
    moment = dt.datetime(1965, 7, 1, 12, 30, 15)
    table = pa.table({"a": pa.array([moment, None], pa.timestamp(unit, zone))})
    (variable,) = encode_frame(table)[1]
    assert variable.values[0] == table["a"][0].as_py()
    assert variable.values[0].utcoffset() == table["a"][0].as_py().utcoffset()


def test_a_time_finer_than_a_microsecond_is_a_problem():
    (variable,) = encode_frame(pa.table({"a": pa.array([1], pa.timestamp("ns"))}))[1]
    assert "microsecond" in variable.problem
    assert "microsecond" in encode_values("a", [pd.Timestamp(1)]).problem
    assert "microsecond" in encode_values("a", [np.datetime64(1, "ns")]).problem


def test_dates_in_milliseconds():
    rows = [dt.date(1969, 12, 31), dt.date(1970, 1, 1), None, dt.date(2024, 2, 29)]
    agree(pa.table({"a": pa.array(rows, pa.date64())}), {"a": rows})


@pytest.mark.parametrize("index", [pa.int8(), pa.uint8(), pa.int16(), pa.uint32(), pa.int64()])
@pytest.mark.parametrize(
    "entries", [["z", "a", "unused"], [7, 3, 5], [True, False], [DATES[0], DATES[1]]]
)
def test_dictionaries_declare_states(index, entries):
    codes = [0, 1, None, 1, 0]
    array = pa.DictionaryArray.from_arrays(pa.array(codes, index), pa.array(entries))
    rows = [None if code is None else entries[code] for code in codes]
    agree(pa.table({"a": array}), {"a": rows}, {"a": entries})
    agree(pa.table({"a": array}).slice(1, 3), {"a": rows[1:4]}, {"a": entries})


def test_a_null_inside_a_dictionary_is_missing():
    array = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 0]), pa.array(["b", None, "a"]))
    (variable,) = encode_frame(pa.table({"a": array}))[1]
    assert variable.missing.tolist() == [1]
    assert variable.values == ("b", "a")


def chunks_of(*dictionaries: list[str]) -> pa.Table:
    arrays = [pa.array(words).dictionary_encode() for words in dictionaries]
    return pa.table({"a": pa.chunked_array(arrays)})


def test_dictionaries_that_grow_keep_their_order():
    (variable,) = encode_frame(chunks_of(["z", "a"], ["z", "a", "k"], ["z"]))[1]
    assert variable.values == ("z", "a", "k")
    assert variable.keeps_order
    assert variable.codes.tolist() == [0, 1, 0, 1, 2, 0]


def test_dictionaries_that_disagree_declare_no_order():
    (variable,) = encode_frame(chunks_of(["z", "a"], ["a", "z"]))[1]
    assert variable.keeps_unused
    assert not variable.keeps_order
    assert [variable.values[code] for code in variable.codes] == ["z", "a", "a", "z"]


def test_dictionary_of_floats_gives_numbers():
    array = pa.array([0.5, 1.5, None, 0.5]).dictionary_encode()
    (variable,) = encode_frame(pa.table({"a": array}))[1]
    assert variable.missing.tolist() == [2]
    assert variable.numbers[[0, 1, 3]].tolist() == [0.5, 1.5, 0.5]


def test_categories_of_each_library():
    words, order = ["x", "y", None, "x"], ["y", "x", "w"]
    agree(pd.DataFrame({"a": pd.Categorical(words, order)}), {"a": words}, {"a": order})
    agree(pl.DataFrame({"a": pl.Series(words, dtype=pl.Enum(order))}), {"a": words}, {"a": order})
    with duckdb.connect() as connection:
        query = "SELECT unnest(['x', 'y', NULL, 'x'])::ENUM('y', 'x', 'w') AS a"
        agree(connection.sql(query), {"a": words}, {"a": order})


def test_polars_categorical_is_no_declaration():
    agree(
        pl.DataFrame({"a": pl.Series(["z", "a", None], dtype=pl.Categorical)}),
        {"a": ["z", "a", None]},
    )


@pytest.mark.parametrize("n_values", [256, 257, 65536])
@pytest.mark.parametrize("as_text", [False, True])
def test_codes_widen(n_values, as_text):
    rows = [str(number) if as_text else number * 3 for number in range(n_values)]
    (variable,) = encode_frame(pa.table({"a": rows + rows}))[1]
    assert variable.codes.dtype == (np.uint8 if n_values == 256 else np.uint16)
    assert [variable.values[code] for code in variable.codes] == rows + rows


@pytest.mark.parametrize("rows", [range(65537), [str(number) for number in range(65537)]])
def test_too_many_values(rows):
    rows = list(rows)
    assert encode_frame(pa.table({"a": rows}))[1][0].too_many
    assert encode_values("a", rows).too_many


def test_null_type_is_all_missing():
    (variable,) = encode_frame(pa.table({"a": pa.nulls(3)}))[1]
    assert variable.missing.tolist() == [0, 1, 2]


def test_nan_is_missing():
    agree(pa.table({"a": [1.0, float("nan"), None]}), {"a": [1.0, float("nan"), None]})
    agree(pa.table({"a": pa.array([1.0, float("nan")], pa.float32())}), {"a": [1.0, float("nan")]})


@pytest.mark.parametrize(
    "array",
    [
        pa.array([[1], [2]]),
        pa.array([{"x": 1}, {"x": 2}]),
        pa.array([b"a", b"b"]),
        pa.array([1, 2], pa.decimal128(5, 2)),
        pa.array([1, 2], pa.time32("s")),
        pa.array([np.float16(1), np.float16(2)], pa.float16()),
        pa.ExtensionArray.from_storage(pa.uuid(), pa.array([b"0" * 16, b"1" * 16], pa.binary(16))),
    ],
    ids=lambda array: str(array.type),
)
def test_unsupported_types_are_named(array):
    good, bad = encode_frame(pa.table({"good": [1, 2], "bad": array}))[1]
    assert good.problem is None
    assert "Arrow type" in bad.problem


def test_gathered_integers_come_as_numbers():
    rows = [5, None, 2**40]
    for frame in (pa.table({"a": rows}), {"a": rows}):
        (variable,) = encode_frame(frame, ["a"])[1]
        assert variable.numbers.dtype == np.int64
        assert variable.numbers[[0, 2]].tolist() == [5, 2**40]
        assert variable.missing.tolist() == [1]
    dictionary = pa.table({"a": pa.array([7, 5, 7]).dictionary_encode()})
    assert encode_frame(dictionary, ["a"])[1][0].numbers.tolist() == [7, 5, 7]
    beyond = pa.table({"a": pa.array([2**63], pa.uint64())})
    assert encode_frame(beyond, ["a"])[1][0].numbers.tolist() == [2.0**63]


def test_a_failing_stream_is_a_data_error():
    def batches():
        yield pa.record_batch({"a": [1]})
        raise ValueError("the disk is on fire")

    reader = pa.RecordBatchReader.from_batches(pa.schema({"a": pa.int64()}), batches())
    with pytest.raises(DataError, match="the disk is on fire"):
        encode_frame(reader)


def test_a_stream_without_record_batches_is_a_data_error():
    with pytest.raises(DataError, match="record batches"):
        encode_frame(pa.chunked_array([[1, 2]]))


def test_pandas_without_pyarrow_gives_the_same(monkeypatch):
    frame = pd.DataFrame(
        {
            "text": ["b", "a", None],
            "integer": [3, 1, 2],
            "maybe": pd.array([1, None, 2], dtype="Int64"),
            "boolean": [True, False, True],
            "float": [0.5, None, 1.0],
            "time": pd.to_datetime(["2020-01-01", None, "2021-01-01"]),
            "order": pd.Categorical(["x", None, "y"], ["y", "x", "w"]),
        },
        index=[3, 1, 2],
    )
    expected = [meaning(variable) for variable in encode_frame(frame)[1]]

    def refuse(self, requested_schema=None):
        raise ImportError("no pyarrow")

    monkeypatch.setattr(pd.DataFrame, "__arrow_c_stream__", refuse)
    assert [str(meaning(v)) for v in encode_frame(frame)[1]] == [str(e) for e in expected]


def test_numpy_arrays_and_series_in_a_dict():
    frame = {
        "u": np.array([1, 2], np.uint8),
        "b": np.array([True, False]),
        "s": np.array(["x", "y"]),
        "o": np.array(["x", None], object),
        "f": np.array([0.5, np.nan], np.float32),
        "d": np.array(["2020-01-01", "NaT"], "datetime64[D]"),
        "t": np.array(["2020-01-01T10:00", "NaT"], "datetime64[ns]"),
        "c": pd.Series(pd.Categorical(["x", "y"], ["y", "x"])),
        "scalars": [np.int64(1), np.int64(2)],
    }
    found = {variable.name: variable for variable in encode_frame(frame)[1]}
    assert found["u"].values == (1, 2)
    assert found["b"].values == (True, False)
    assert found["o"].missing.tolist() == [1]
    assert found["f"].missing.tolist() == [1]
    assert found["d"].values == (dt.date(2020, 1, 1),)
    assert found["t"].values == (dt.datetime(2020, 1, 1, 10),)
    assert found["c"].values == ("y", "x")
    assert type(found["scalars"].values[0]) is int
