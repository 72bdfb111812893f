"""Reading a file into a table, beside DuckDB that reads the same file into Arrow, and no further.

A million rows of alarm, as codes and as words, in Parquet and in CSV. In one process the tools take
turns, so that what else the machine does hits all; each time is the best of its turns. The seconds
of all cores together say how much work it was, also on a busy machine.

Both have a DuckDB that was open before: `dw.read` keeps one. The first file of a process also takes
the opening, about 20 ms.
"""

import json
import sys
import tempfile
import time
from pathlib import Path

import duckdb
from side_by_side import busy_share, data_files, in_own_process, machine, versions, write

import dagwright as dw

N_ROWS = 1_000_000
WORDS = ["LOW", "NORMAL", "HIGH", "ZERO"]


def make_files(folder: Path) -> list[Path]:
    (path,) = data_files("alarm_100000")
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE once AS SELECT * FROM '{path}'")
        ((n_rows,),) = connection.execute("SELECT count(*) FROM once").fetchall()
        times = -(-N_ROWS // n_rows)
        connection.execute(
            "CREATE TABLE codes AS SELECT once.* FROM once, range("
            f"{times}) ORDER BY hash(rowid, range) LIMIT {N_ROWS}"
        )
        words = ", ".join(f"'{word}'" for word in WORDS)
        connection.execute(f"CREATE TABLE words AS SELECT [{words}][COLUMNS(*) + 1] FROM codes")
        files = []
        for table in ("codes", "words"):
            for ending in ("parquet", "csv"):
                files.append(folder / f"{table}.{ending}")
                connection.execute(f"COPY {table} TO '{files[-1]}'")
    return files


def read_with_duckdb(path: Path):
    return duckdb.sql(f"SELECT * FROM '{path}'").to_arrow_table().num_rows


def in_turns(path: Path):
    turns = {
        "duckdb": lambda: read_with_duckdb(path),
        "dagwright": lambda: len(dw.read(path)),
    }
    seconds = {tool: [] for tool in turns}
    cpu_seconds = {tool: [] for tool in turns}
    end = time.monotonic() + 40
    while time.monotonic() < end or len(seconds["duckdb"]) < 5:
        for tool, read in turns.items():
            start, cpu_start = time.perf_counter(), time.process_time()
            assert read() == N_ROWS
            seconds[tool].append(time.perf_counter() - start)
            cpu_seconds[tool].append(time.process_time() - cpu_start)
    return {tool: [min(seconds[tool]), min(cpu_seconds[tool])] for tool in turns}


def main() -> None:
    lines = [
        f"{machine()}; {versions('dagwright', 'duckdb', 'pyarrow')}.",
        f"{N_ROWS:,} rows, 37 variables. Others kept {busy_share(5):.0%} of the machine busy.",
        "",
        "| file | DuckDB to Arrow, s | dagwright, s | ratio "
        "| of all cores: DuckDB, s | dagwright, s | ratio |",
        "|---|---|---|---|---|---|---|",
    ]
    with tempfile.TemporaryDirectory() as folder:
        for path in make_files(Path(folder)):
            result = in_own_process(__file__, "both", path, needs_quiet=False)
            if "failed" in result:
                lines.append(f"| {path.name} | failed: {result['failed']} | | | | | |")
                continue
            (theirs, their_cpu), (ours, our_cpu) = result["duckdb"], result["dagwright"]
            lines.append(
                f"| {path.name} | {theirs:.3f} | {ours:.3f} | {ours / theirs:.2f} "
                f"| {their_cpu:.3f} | {our_cpu:.3f} | {our_cpu / their_cpu:.2f} |"
            )
    write("read.md", "Reading a file", lines)


if __name__ == "__main__":
    if len(sys.argv) == 3:
        print(json.dumps(in_turns(Path(sys.argv[2]))))
    else:
        main()
