import datetime as dt
import gzip
import os
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest

import dagwright as dw


@pytest.fixture
def write(tmp_path):
    def write(content: str | bytes, name: str = "data.csv"):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


def test_types_of_text_files(write):
    table = dw.read(
        write(
            "smoke,age,day,time,flag\nyes,30,2020-01-02,2020-01-02 10:00:00,true\n"
            "no,50,2020-01-01,2020-01-02 11:00:00,false\n"
        )
    )
    assert table.states["smoke"] == ("no", "yes")
    assert table.states["age"] == (30, 50)
    assert table.states["day"] == (dt.date(2020, 1, 1), dt.date(2020, 1, 2))
    assert table.states["time"][0] == dt.datetime(2020, 1, 2, 10)
    assert table.states["flag"] == ("false", "true")


def test_a_late_row_decides_the_type(write):
    table = dw.read(write("a\n" + "1\n" * 50_000 + "x\n"))
    assert table.states["a"] == ("1", "x")


def test_tab_gzip_and_delimiter(write):
    expected = dw.Table({"a": [1, 2], "b": ["x", "y"]})
    assert dw.read(write("a\tb\n1\tx\n2\ty\n", "t.tsv")) == expected
    assert dw.read(write(gzip.compress(b"a,b\n1,x\n2,y\n"), "t.csv.gz")) == expected
    assert dw.read(write(gzip.compress(b"a\tb\n1\tx\n2\ty\n"), "t.tsv.gz")) == expected
    assert dw.read(write("a;b\n1;x\n2;y\n"), delimiter=";") == expected


def test_parquet(tmp_path):
    frame = pd.DataFrame({"a": [1, 2], "b": pd.Categorical(["x", "y"])})
    frame.to_parquet(tmp_path / "t.parquet")
    assert dw.read(tmp_path / "t.parquet") == dw.Table(frame)


def test_without_header(write):
    table = dw.read(write("1,x\n2,y\n"), header=False)
    assert table.names == ("x1", "x2")
    assert len(table) == 2


def test_table_options_are_passed_on(write):
    table = dw.read(
        write("a,age,n,z\nx,1.5,2,01\n,3,1,02\ny,4,3,01\n"),
        states={"a": ["y"], "z": ["02", "01"]},
        unseen="extend",
        weights="n",
        missing="drop",
        discretize={"age": dw.Cuts([2])},
        max_states=2,
    )
    assert table.states["a"] == ("y", "x")
    assert table.states["z"] == ("02", "01")
    assert table.weights.tolist() == [2, 3]
    assert table.n_dropped == 1
    assert table.cuts["age"] == (2.0,)


def test_declared_strings_keep_numbers_as_text(write):
    table = dw.read(write("a\n1\n0\n"), states={"a": ["1", "0"]})
    assert table.states["a"] == ("1", "0")
    assert table.codes[0].tolist() == [0, 1]


def test_names_that_differ_by_case_only(write):
    table = dw.read(write('a,A,"q ""u"" e"\n1,2,3\n'))
    assert table.names == ("a", "A", 'q "u" e')


@pytest.mark.parametrize("name", ["a[1].csv", "it's.csv", "a*b?.csv", "k=v.csv"])
def test_odd_file_names(write, name):
    write("a\n7\n", "a1.csv")
    assert dw.read(write("a\n1\n", name)).states["a"] == (1,)


def test_byte_order_mark_and_crlf(write):
    table = dw.read(write(b"\xef\xbb\xbfa,b\r\n1,x\r\n"))
    assert table.names == ("a", "b")
    assert table.states["b"] == ("x",)


def test_quoted_newlines(write):
    assert dw.read(write('a,b\n"x\ny",1\n')).states["a"] == ("x\ny",)


BAD = {
    "empty": (b"", "the file is empty"),
    "blank": (b"\n\n", "the file is empty"),
    "header only": (b"a,b\n", "no rows"),
    "duplicate names": (b"a,b,a\n1,2,3\n", r"line 1: the name 'a' belongs to 2 variables"),
    "no name": (b"a,\n1,2\n", "line 1: the name of variable 2"),
    "too short": (b"a,b\n1,x\n2\n3,y\n", "line 3 has 1 fields, but the first line has 2"),
    "too long": (b"a,b\n1,x\n2,y,z\n3,y\n", "line 3 has 3 fields, but the first line has 2"),
    "nul": (b"a,b\n1,x\n2,y\0z\n", "line 3 has a NUL byte"),
    "nul in the header": (b"a,b\0\n1,x\n2,z\n", "line 1"),
    "not utf-8": (b"a,b\n1,x\n2,\xff\xfe\n", "line 3 is not UTF-8"),
    "not utf-8 header": (b"a,\xff\n1,x\n", "line 1 is not UTF-8"),
    "open quote": (b'a,b\n1,"x\n2,y\n', "quotes"),
    "all missing": (b"a,b\n1,\n2,\n", "leave out 'b'"),
    "missing": (b"a,b\n1,\n2,x\n", "'b': 1 of 2 rows"),
    "float": (b"a\n1.5\n", "'a' holds floats"),
}


@pytest.mark.parametrize("case", BAD)
@pytest.mark.parametrize("ending", [".csv", ".csv.gz"])
def test_bad_files(write, case, ending):
    content, message = BAD[case]
    path = write(gzip.compress(content) if ending.endswith("gz") else content, f"bad{ending}")
    with pytest.raises(dw.DataError, match=message) as raised:
        dw.read(path)
    assert str(path) in str(raised.value)


def test_ragged_far_from_the_start(write):
    with pytest.raises(dw.DataError, match="line 100002 has 3 fields"):
        dw.read(write("a,b\n" + "1,2\n" * 100_000 + "1,2,3\n"))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.parquet", b"no parquet"),
        ("t.parquet", b""),
        ("t.csv.gz", b"no gzip"),
        ("t.csv.gz", gzip.compress(b"a,b\n1,2\n" * 1000, mtime=0)[:-20]),
    ],
    ids=["no parquet", "empty parquet", "no gzip", "cut gzip"],
)
def test_broken_containers(write, name, content):
    with pytest.raises(dw.DataError, match=name):
        dw.read(write(content, name))


def test_unknown_ending_and_absent_file(write, tmp_path):
    with pytest.raises(dw.DataError, match=r"\.xlsx.*use \.csv"):
        dw.read(write("a\n1\n", "t.xlsx"))
    with pytest.raises(dw.DataError, match="no such file"):
        dw.read(tmp_path / "absent.csv")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(dw.DataError, match="is a directory"):
        dw.read(tmp_path / "folder.csv")


@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
def test_no_other_frame_library_is_needed(write, tmp_path, name):
    pd.DataFrame({"a": ["x", "y"]}).to_parquet(tmp_path / "t.parquet")
    write("a\nx\ny\n", "t.csv")
    code = (
        "import sys\n"
        "for name in ('pyarrow', 'pandas', 'polars'): sys.modules[name] = None\n"
        "import dagwright as dw\n"
        f"assert dw.read({str(tmp_path / name)!r}).states['a'] == ('x', 'y')\n"
        "assert dw.Table({'a': [1, 2]}).states['a'] == (1, 2)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_import_is_light():
    heavy = ["duckdb", "narwhals", "pandas", "polars", "pyarrow", "scipy"]
    code = f"import sys, dagwright; print([m for m in {heavy} if m in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_many_rows_keep_their_order(write):
    numbers = np.arange(300_000) % 7
    table = dw.read(write("a\n" + "\n".join(map(str, numbers)) + "\n"))
    assert np.array_equal(table.codes[0], numbers)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="only where processes fork")
def test_a_process_forked_after_reading_reads_and_ends(tmp_path):
    """DuckDB stays open between files, and a process that was forked with it open crashed."""
    (tmp_path / "rows.csv").write_text("a,b\n1,2\n3,4\n")
    script = """
    import os, sys
    import dagwright as dw
    first = dw.read("rows.csv")
    child = os.fork()
    again = dw.read("rows.csv")
    assert again.digest == first.digest
    if child == 0:
        sys.exit(7)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    """
    for _ in range(5):
        done = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(script)],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert (done.returncode, done.stdout.strip()) == (0, "7"), done.stderr


def test_several_threads_read_at_once(tmp_path):
    paths = [tmp_path / f"{i}.csv" for i in range(8)]
    for i, path in enumerate(paths):
        path.write_text("a,b\n" + "".join(f"{row % 3},{row % (i + 2)}\n" for row in range(500)))
    expected = [dw.read(path).digest for path in paths]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda path: dw.read(path).digest, paths * 3)) == expected * 3
