"""Reading texts first and types afterwards, against DuckDB's reading with types."""

import random
import signal
import threading
from unittest.mock import patch

import numpy as np
import pytest

import dagwright as dw
from dagwright.io.interrupt import interruptible
from dagwright.io.text_encoding import TextRows

TYPED_QUERY = TextRows._typed_query


def outcome(path, options):
    try:
        table = dw.read(path, **options)
    except dw.DataError as error:
        return str(error)
    types = {name: type(states[0]) for name, states in table.states.items()}
    return table, types, dict(table.cuts), table.n_dropped


def agree(path, content, *, typed=False, **options):
    """Read the file both ways; `typed` says that the first one needs types, too."""
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    with patch.object(TextRows, "_typed_query", autospec=True, side_effect=TYPED_QUERY) as asked:
        quick = outcome(path, options)
    assert asked.called == typed
    with patch.object(TextRows, "_encode_texts", return_value=None):
        slow = outcome(path, options)
    assert quick == slow
    return quick


@pytest.fixture
def csv(tmp_path):
    return tmp_path / "data.csv"


POOLS = [
    ["yes", "no"],
    ["true", "FALSE", "NA", "NULL", "null", "None"],
    ["0", "1", "2"],
    ["-1", "10", "9223372036854775807", "-9223372036854775808"],
    ["9223372036854775808", "1"],
    ["01", "1", "+1"],
    [" 1", "1", "2 "],
    ["1.5", "2", ".5", "1e3"],
    ["1", "2", "x"],
    ["2020-01-02", "1999-12-31"],
    ["2020-1-2", "2020-01-03"],
    ["2020-01-02", "tomorrow"],
    ["2020-01-02 10:00:00", "2020-01-02T11:30:00.25"],
    ["2020-01-02 10:00:00", "2020-01-02"],
    ["2020-01-02 10:00:00+01", "2020-01-02 10:00:00"],
    ["20200102", "2020"],
    ["10:00:00", "11:00:00"],
    ["é", "日本", "x" * 40],
    ['q"q', "a,b", "a;b", "l1\nl2", "l1\r\nl2", "'", "\\", "#", "-"],
    ["x ", " x", "x"],
    ["inf", "1"],
    ["nan", "1", "2"],
]


def quoted(text, delimiter, always):
    if always or any(character in text for character in f'"\r\n{delimiter}'):
        return '"' + text.replace('"', '""') + '"'
    return text


@pytest.mark.parametrize("seed", range(16))
def test_random_files(csv, seed):
    rng = random.Random(seed)
    delimiter = rng.choice(",;\t|")
    line_end = rng.choice(["\n", "\r\n", "\r"])
    columns = []
    for pool in rng.sample(POOLS, 6):
        drawn = [rng.choice(pool) for _ in range(rng.choice([3, 60]))] * 3
        if rng.random() < 0.3:
            drawn[::4] = [""] * len(drawn[::4])
        columns.append(drawn)
    header = seed % 4 > 0
    lines = [[f"{letter} name" for letter in "abcdef"]] if header else []
    lines += [list(row) for row in zip(*columns, strict=False)]
    always = rng.random() < 0.3
    text = line_end.join(delimiter.join(quoted(f, delimiter, always) for f in row) for row in lines)
    names = [f"{letter} name" for letter in "abcdef"] if header else [f"x{i}" for i in range(1, 7)]
    options = {"header": header, "delimiter": delimiter, "missing": "drop"}
    agree(csv, text + line_end, **options)
    cut = {name: dw.EqualWidth(2) for name in rng.sample(names, 2)}
    agree(csv, text, discretize=cut, **options)
    agree(csv, text, weights=rng.choice(names), **options)
    states = {rng.choice(names): ["1", "0"], rng.choice(names): [0, 1]}
    agree(csv, text, states=states, unseen="extend", **options)


def test_types_are_those_of_all_rows(csv):
    rows = [["a", "b", "c", "d", "e", "f"]]
    rows += [["1", "1", "yes", "2020-01-02", "2020-01-02 10:00:00", ""]] * 30_000
    rows += [["2", "x", "no", "2020-01-03", "2020-01-02 10:00:00.5", "7"]]
    table, types, *_ = agree(csv, "\n".join(map(",".join, rows)), missing="drop")
    assert len(table) == 1
    assert [kind.__name__ for kind in types.values()] == [
        "int", "str", "str", "date", "datetime", "int"
    ]  # fmt: skip


def test_texts_of_one_number_are_one_state(csv):
    table, *_ = agree(csv, "a,b\n1,x\n 1,y\n2,x\n1 ,y\n")
    assert table.states["a"] == (1, 2)
    assert table.codes[0].tolist() == [0, 0, 1, 0]


def test_numbers_that_are_gathered(csv):
    text = "a,w,x\n" + "".join(f"{n % 3},{n % 5},{n % 400 / 8}\n" for n in range(2000))
    table, *_ = agree(csv, text, weights="w", discretize={"x": dw.Quantiles(4), "a": dw.Cuts([1])})
    assert table.weights.tolist() == [n % 5 for n in range(2000)]
    assert table.cuts["a"] == (1.0,)
    message = agree(csv, "a,x\n1,nan\n2,1.5\n", discretize={"x": dw.Cuts([1])})
    assert "'x': 1 of 2 rows" in message
    message = agree(csv, "a,w\n1,\n2,1\n", weights="w")
    assert "missing in 1 rows" in message


def test_more_texts_than_a_table_has_states(csv):
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=80_000)
    text = "a,x\n" + "".join(f"{n % 3},{number}\n" for n, number in enumerate(numbers))
    options = {"discretize": {"x": dw.Quantiles(3)}, "typed": True}
    agree(csv, text, **options)
    agree(csv, text, leave_out=["x"])
    dated = "t,a,x\n" + "".join(
        f"2020-01-0{n % 5 + 1} 10:00:00,{n % 3},{number}\n" for n, number in enumerate(numbers)
    )
    _, types, *_ = agree(csv, dated, **options)
    assert [kind.__name__ for kind in types.values()] == ["datetime", "int", "str"]
    assert "more than 65536 states" in agree(csv, text.replace(".", "x"), typed=True)


@pytest.mark.parametrize(
    "content",
    [
        "a,b\n1,x\n2,y,\n3,z\n",  # DuckDB takes a missing field too many for none
        'a,b\n1,x\n2,y,""\n3,z\n',
        "a,b\n1,x,\n2,y,\n",
        "a,b\n1,x\n2\n",
        "a,b\n1,x\n2,y,z\n",
        "a\n1\n\n2\n",
        "a\n1\n2,\n",
        'a,b\n1,"x\n2,y\n',
        "a,b\n1,x\r\n2,y\n3,z\r\n",
        "title\na,b\n1,2\n3,4\n",
        "a,b\n1,\x01no field\x02\n2,x\n",
        b"a,b\n" + b"1,x\n" * 5000 + b"2,\xff\n",
    ],
)
def test_what_is_odd_is_read_with_types(csv, content):
    agree(csv, content, typed=True, missing="drop")


@pytest.mark.parametrize(
    "content",
    ["a,b\n", "a,b\n1,\n2,\n", "a,b\n1,x\n\n2,y\n\n", "a,b\n1,y\0z\n", "a,A\n1,2\n", "a,b\n1,x"],
)
def test_what_is_plain_is_not(csv, content):
    agree(csv, content, missing="drop")


def test_variables_that_are_left_out(csv):
    rows = "".join(f"{n},{n % 2},{n % 3}\n" for n in range(70_000))  # too many for a variable
    table, *_ = agree(csv, "id,a,b\n" + rows, leave_out=["id"])
    assert table.names == ("a", "b")


@pytest.mark.parametrize("is_late", [False, True])
def test_ctrl_c_is_passed_on(is_late):
    """The connection hears of it at once, and again as long as it goes on."""
    told = threading.Semaphore(0)

    class Connection:
        def interrupt(self):
            told.release()

    def work():
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
        for _ in range(2 if is_late else 1):
            assert told.acquire(timeout=30)
        raise RuntimeError("INTERRUPT Error: Interrupted!")

    with pytest.raises(KeyboardInterrupt):
        interruptible(Connection(), work)


def test_what_goes_wrong_comes_back():
    assert interruptible(None, lambda: 7) == 7
    with pytest.raises(ZeroDivisionError):
        interruptible(None, lambda: 1 // 0)
