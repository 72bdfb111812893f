"""The names of the variables in a file, before its rows are read."""

from __future__ import annotations

from pathlib import Path

from dagwright.io.duck import duck_connection
from dagwright.io.sql import path_literal
from dagwright.io.text_file import TextFile

__all__ = ["names_in_file"]

_DELIMITERS = {".csv": ",", ".tsv": "\t"}
_LONGEST_HEADER = 1 << 26


def names_in_file(path: str, header: bool, max_variables: int) -> tuple[str, ...]:
    """Return the names; none for what cannot be read: `read` says what is wrong with it."""
    file = Path(path)
    kind = file.with_suffix("").suffix if file.suffix.lower() == ".gz" else file.suffix
    kind = kind.lower()
    if not file.is_file():
        return ()
    if kind in _DELIMITERS:
        return TextFile(file, _DELIMITERS[kind], header, max_variables, _LONGEST_HEADER).names
    if kind != ".parquet":
        return ()

    import duckdb

    with duck_connection() as connection:
        try:
            source = f"read_parquet({path_literal(file)}, hive_partitioning=false)"
            return tuple(connection.sql(f"SELECT * FROM {source}").columns)
        except duckdb.Error:
            return ()
