"""Files of a million variables, and of lines that never end."""

import random
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

import dagwright as dw
from child import command_line, in_child
from dagwright.io import read as reading

N = 1_000_000


@pytest.fixture(scope="module")
def nonsense():
    """A line of a million names, and one of a million fields of all kinds."""
    rng = random.Random(0)
    fields = ["", "1", "x", '"a b"', "3.5", "2020-01-01", "-", "é"]
    names = ",".join(f"{rng.getrandbits(32):x}.{i}" for i in range(N))
    return names, ",".join(rng.choices(fields, k=N))


@pytest.fixture
def file(tmp_path):
    def write(*lines):
        path = tmp_path / "wide.csv"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return path

    return write


def test_a_million_variables_are_refused_at_once(nonsense, file):
    names, row = nonsense
    for lines in [(names, row, row), (names,), (row, names), ("," * N, "," * N)]:
        begun = time.monotonic()
        with pytest.raises(
            dw.DataError, match=r"more than max_variables=20000: .* or pass max_var"
        ):
            dw.read(file(*lines))
        assert time.monotonic() - begun < 20
    for header in True, False:
        with pytest.raises(dw.DataError, match="there are 1000000 variables"):
            dw.read(file(row, row), header=header)


def test_a_row_of_a_million_fields_is_named(nonsense, file):
    _, row = nonsense
    begun = time.monotonic()
    with pytest.raises(dw.DataError, match="line 2 has 1000000 fields, but the first line has 3"):
        dw.read(file("a,b,c", row))
    with pytest.raises(dw.DataError, match="line 3 has 1000000 fields, but the first line has 3"):
        dw.read(file("a,b,c", "1,2,3", row))
    with pytest.raises(dw.DataError, match="field limit"):
        dw.read(file('"' + row.replace('"', ""), row))
    assert time.monotonic() - begun < 60


def test_the_command_line_says_how_to_raise_the_limit(nonsense, file):
    path = file(*nonsense)
    code, _, err = command_line("learn", path, timeout=60)
    assert code == 1
    assert "there are 1000000 variables, more than --max-variables 20000" in err
    assert "or pass --max-variables 1000000" in err
    assert command_line("learn", path, "--max-variables", 0)[0] == 2
    path = file("a,b,c", "1,2,3", "2,1,3")
    assert command_line("learn", path, "--max-variables", 3)[0] == 0


REFUSED = """
before = begin()
try:
    dw.read(sys.argv[1])
except dw.DataError:
    print(grown(before))
"""


@pytest.mark.memory
def test_memory(nonsense, file):
    assert in_child(REFUSED, file(*nonsense)) < 500


def test_limits_are_those_that_are_given(file, tmp_path):
    path = file("a,b,c", "1,2,3", "2,1,3")
    assert len(dw.read(path, max_variables=3).names) == 3
    with pytest.raises(dw.DataError, match="there are 3 variables, more than max_variables=2"):
        dw.read(path, max_variables=2)
    for wrong in 0, 2.5, "3":
        with pytest.raises(dw.SpecError, match="max_variables must be"):
            dw.read(path, max_variables=wrong)
    parquet = tmp_path / "wide.parquet"
    pyarrow.parquet.write_table(pa.table({"a": [1, 2], "b": [2, 1], "c": [3, 3]}), parquet)
    assert len(dw.read(parquet, max_variables=3).names) == 3
    with pytest.raises(dw.DataError, match="there are 3 variables, more than max_variables=2"):
        dw.read(parquet, max_variables=2)


def test_a_first_line_that_never_ends(file, monkeypatch):
    monkeypatch.setattr(reading, "_LONGEST_HEADER", 100)
    with pytest.raises(dw.DataError, match="the first line has more than 100 characters"):
        dw.read(file(",".join(["name"] * 50)))
    assert dw.read(file("a,b", "1,2")).names == ("a", "b")


@pytest.mark.slow
@pytest.mark.parametrize("n", [10_000, 20_000])
def test_ten_thousand_variables_are_read(n, file):
    rows = np.random.default_rng(0).integers(0, 3, (3, n))
    lines = [",".join(map(str, row)) for row in rows]
    table = dw.read(file(",".join(f"v{i}" for i in range(n)), *lines))
    assert len(table.names) == n
    assert [table.states[f"v{i}"][table.codes[i][1]] for i in range(50)] == rows[1, :50].tolist()
