"""Tables from files: CSV, TSV and Parquet, read by DuckDB."""

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from numpy.typing import ArrayLike

from dagwright.discretize import Discretizer
from dagwright.encode import EncodedVariable, SelfEncoding, encode_frame
from dagwright.errors import DataError, SpecError
from dagwright.io.duck import duck_connection
from dagwright.io.files import check_n_variables, check_path
from dagwright.io.interrupt import interruptible, was_interrupted
from dagwright.io.sql import identifier, path_literal
from dagwright.io.text_encoding import TextRows
from dagwright.io.text_file import TextFile
from dagwright.specs import check_whole
from dagwright.table import Table, check_known

__all__ = ["read"]

_DELIMITERS = {".csv": ",", ".tsv": "\t"}
_LONGEST_HEADER = 1 << 26


def read(
    path: str | os.PathLike[str],
    *,
    header: bool = True,
    delimiter: str | None = None,
    states: Mapping[str, Sequence[Any]] | None = None,
    weights: str | ArrayLike | None = None,
    missing: Literal["error", "drop"] = "error",
    unseen: Literal["error", "extend"] = "error",
    discretize: Mapping[str, Discretizer] | None = None,
    max_states: int = 256,
    max_variables: int = 20_000,
    leave_out: Iterable[str] = (),
) -> Table:
    r"""Read a table from a file.

    The ending says what it is: .csv, .tsv (also with .gz), .parquet. Text is UTF-8. In a text
    file a variable of whole numbers has integer states, one of ISO dates or times has dates or
    datetimes, one of other numbers holds floats; all else stays the text that it is, also
    "true" or "NA". An empty field is missing. A variable whose declared `states` are strings is
    read as text.

    Parameters
    ----------
    path : path
        The file.
    header : bool
        Whether the first line has the names; without them they are x1, x2, ...
    delimiter : str, optional
        What separates the fields of a text file; by default a comma, in .tsv a tab.
    states, weights, missing, unseen, discretize, max_states
        As in `Table`.
    max_variables : int
        Refuse files with more variables: DuckDB takes minutes and gigabytes to read them.
    leave_out : iterable of str
        Variables that do not go into the table, such as the number of a row.

    Returns
    -------
    Table

    Examples
    --------
    >>> import dagwright as dw, pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "survey.csv"
    >>> _ = path.write_text("smoke,age\nyes,30\nno,50\n")
    >>> dw.read(path).states["smoke"]
    ('no', 'yes')
    """
    if not isinstance(path, str | os.PathLike):
        raise DataError(
            f"read needs the path of a file, not a {type(path).__name__}: "
            "data in memory go into dw.Table"
        )
    file = check_path(path)
    kind = file.with_suffix("").suffix if file.suffix.lower() == ".gz" else file.suffix
    kind = kind.lower()
    if file.is_dir():
        raise DataError(f"{file} is a directory: give a file in it")
    if kind not in (*_DELIMITERS, ".parquet") or (kind == ".parquet" and file.suffix != kind):
        raise DataError(
            f"{file}: the ending {''.join(file.suffixes[-2:])!r} is not known: use .csv, .tsv "
            "(also with .gz) or .parquet"
        )
    if not file.is_file():
        raise DataError(f"{file}: there is no such file")
    if delimiter is not None and not (
        isinstance(delimiter, str) and len(delimiter) == 1 and delimiter not in '"\r\n\0'
    ):
        raise SpecError(f"delimiter must be one character other than a quote, not {delimiter!r}")
    if isinstance(leave_out, str) or not isinstance(leave_out, Iterable):
        raise SpecError(f"leave_out must be a list of names: write [{leave_out!r}]")
    check_whole("max_variables", max_variables, 1)
    leave_out = tuple(leave_out)
    separator = delimiter or _DELIMITERS.get(kind, "")
    text = (
        None
        if kind == ".parquet"
        else TextFile(file, separator, header, max_variables, _LONGEST_HEADER)
    )
    declared = states if isinstance(states, Mapping) else {}  # Table refuses what is no mapping
    as_text = {name for name, own in declared.items() if _all_strings(own)}

    import duckdb

    try:
        with duck_connection() as connection:
            rows: SelfEncoding = (
                _ParquetRows(connection, file, leave_out, max_variables)
                if text is None
                else TextRows(connection, text, _kept(text.names, leave_out), as_text)
            )
            table = Table(
                rows,
                states=states,
                weights=weights,
                missing=missing,
                unseen=unseen,
                discretize=discretize,
                max_states=max_states,
            )
    except (duckdb.Error, DataError, RuntimeError) as error:
        if was_interrupted(error):
            raise KeyboardInterrupt from None
        reason = str(error)
        if isinstance(error, duckdb.Error) or isinstance(error.__cause__, RuntimeError):
            fault = None if text is None else text.find_fault()
            reason = fault or _without_advice(str(error))
        raise DataError(f"{file}: {reason}") from error
    if text is not None and any(_has_nul(own) for own in table.states.values()):
        raise DataError(f"{file}: {text.find_fault()}")
    return table


@dataclass(frozen=True)
class _ParquetRows(SelfEncoding):
    connection: Any
    file: Path
    left_out: tuple[str, ...]
    max_variables: int

    def encode(self, gathered: Collection[str]) -> tuple[int, list[EncodedVariable]]:
        return interruptible(self.connection, lambda: self._encode(gathered))

    def _encode(self, gathered: Collection[str]) -> tuple[int, list[EncodedVariable]]:
        path = path_literal(self.file)
        leaves = f"SELECT count(*) FROM parquet_schema({path}) WHERE coalesce(num_children, 0) = 0"
        rows = f"SELECT sum(num_rows)::BIGINT FROM parquet_file_metadata({path})"
        ((n_variables, n_rows),) = self.connection.sql(f"SELECT ({leaves}), ({rows})").fetchall()
        check_n_variables("the schema", n_variables, self.max_variables)
        source = f"read_parquet({path}, hive_partitioning=false)"
        relation = self.connection.sql(f"SELECT * FROM {source}")
        names = _kept(relation.columns, self.left_out)
        if self.left_out:
            relation = relation.select(", ".join(map(identifier, names)))
        return encode_frame(relation, gathered, (len(names), n_rows))


def _kept(names: Sequence[str], left_out: Iterable[str]) -> list[str]:
    check_known("leave_out", left_out, names)
    kept = [name for name in names if name not in left_out]
    if not kept:
        raise DataError("leave_out leaves no variable: keep at least one")
    return kept


def _all_strings(states: object) -> bool:
    return isinstance(states, (list, tuple)) and all(isinstance(state, str) for state in states)


def _has_nul(states: Sequence[object]) -> bool:
    return any(isinstance(state, str) and "\0" in state for state in states)


def _without_advice(message: str) -> str:
    """Return what DuckDB says, without its advice on options that are not ours."""
    return " ".join(message.split("\n\n")[0].split("\nPossible")[0].split())
