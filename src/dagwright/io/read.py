"""Tables from files: CSV, TSV and Parquet, read by DuckDB."""

import csv
import gzip
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, Literal

from numpy.typing import ArrayLike

from dagwright.discretize import Discretizer
from dagwright.encode import check_names
from dagwright.errors import DataError, SpecError
from dagwright.io.files import check_path
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
    separator = delimiter or _DELIMITERS.get(kind, "")
    text = None if kind == ".parquet" else _TextFile(file, separator, header, max_variables)
    declared = states if isinstance(states, Mapping) else {}  # Table refuses what is no mapping
    as_text = {name for name, own in declared.items() if _all_strings(own)}

    import duckdb

    connection = duckdb.connect()
    try:
        if text is None:
            query = _parquet_query(connection, file, max_variables)
        else:
            query = text.query(connection, as_text)
        table = Table(
            _without(connection.sql(query), tuple(leave_out)),
            states=states,
            weights=weights,
            missing=missing,
            unseen=unseen,
            discretize=discretize,
            max_states=max_states,
        )
    except (duckdb.Error, DataError, RuntimeError) as error:
        reason = str(error)
        if "Query interrupted" in reason or "INTERRUPT Error" in reason:  # DuckDB saw Ctrl-C
            raise KeyboardInterrupt from None
        if isinstance(error, duckdb.Error) or isinstance(error.__cause__, RuntimeError):
            fault = None if text is None else text.find_fault()
            reason = fault or _without_advice(str(error))
        raise DataError(f"{file}: {reason}") from error
    finally:
        connection.close()
    if text is not None and any(_has_nul(own) for own in table.states.values()):
        raise DataError(f"{file}: {text.find_fault()}")
    return table


class _TextFile:
    """A CSV or TSV file: its names, the query that reads it, and what is wrong with it."""

    def __init__(self, file: Path, delimiter: str, header: bool, max_variables: int) -> None:
        self.file = file
        self.delimiter = delimiter
        self.header = header
        self.names = self._read_names(max_variables)

    def query(self, connection: Any, as_text: set[str]) -> str:
        """Return the SQL that reads the file under our names: DuckDB's ignore case."""
        sniffed = connection.sql(f"SELECT * FROM {self._source({})} LIMIT 0").columns
        if len(sniffed) != len(self.names):
            usual = f"the first line has {len(self.names)} fields, other lines {len(sniffed)}"
            raise DataError(self.find_fault() or usual)
        pairs = list(zip(sniffed, self.names, strict=True))
        types = {theirs: "VARCHAR" for theirs, ours in pairs if ours in as_text}
        chosen = ", ".join(
            f"{_identifier(theirs)} AS {_identifier(ours)}" for theirs, ours in pairs
        )
        return f"SELECT {chosen} FROM {self._source(types)}"

    def _source(self, types: Mapping[str, str]) -> str:
        given = ", ".join(f"{_literal(name)}: {_literal(kind)}" for name, kind in types.items())
        # No BOOLEAN: DuckDB would turn yes/no into true/false. All rows are sniffed, so that no
        # type fails late.
        return (
            f"read_csv({_path_literal(self.file)}, header={str(self.header).lower()}, "
            f"delim={_literal(self.delimiter)}, quote='\"', escape='\"', comment='', "
            "sample_size=-1, strict_mode=true, null_padding=false, hive_partitioning=false, "
            "auto_type_candidates=['NULL', 'BIGINT', 'DOUBLE', 'DATE', 'TIMESTAMP', 'VARCHAR'], "
            f"dateformat='%Y-%m-%d'{f', types={{{given}}}' if given else ''})"
        )

    def _open(self) -> IO[str]:
        opener: Any = gzip.open if self.file.suffix.lower() == ".gz" else open
        return opener(self.file, "rt", encoding="utf-8-sig", newline="")  # type: ignore[no-any-return]

    def _bounded(self, lines: IO[str]) -> Iterator[str]:
        while line := lines.readline(_LONGEST_HEADER):
            if len(line) == _LONGEST_HEADER:
                raise DataError(
                    f"{self.file}: the first line has more than {_LONGEST_HEADER:,} characters: "
                    "is it a table of text with one row a line?"
                )
            yield line

    def _rows(self, lines: Iterable[str]) -> Any:
        return csv.reader(lines, delimiter=self.delimiter, strict=True)

    def _read_names(self, max_variables: int) -> tuple[str, ...]:
        try:
            with self._open() as lines:
                first = next(self._rows(self._bounded(lines)), None)
        except (UnicodeDecodeError, csv.Error, OSError, EOFError):
            raise DataError(f"{self.file}: {self.find_fault()}") from None
        if not first:
            raise DataError(f"{self.file}: the file is empty: it needs a header and rows")
        _check_number(f"{self.file}, line 1", len(first), max_variables)
        if not self.header:
            return tuple(f"x{number}" for number in range(1, len(first) + 1))
        for number, name in enumerate(first, start=1):
            if not name.strip() or "\0" in name:
                raise DataError(
                    f"{self.file}, line 1: the name of variable {number} is {name!r}: name it, or "
                    "pass header=False if the first line is a row"
                )
        try:
            return check_names(first)
        except DataError as error:
            raise DataError(f"{self.file}, line 1: {error}") from None

    def find_fault(self) -> str | None:
        """Return the first fault of the text with its line, by a slow and obvious reading."""
        n_fields = 0
        line = 1
        try:
            with self._open() as lines:
                rows = self._rows(lines)
                for row in rows:
                    line = rows.line_num
                    n_fields = n_fields or len(row)
                    if any("\0" in field for field in row):
                        return f"line {line} has a NUL byte: remove it, or save the file as text"
                    if row and len(row) != n_fields:
                        return (
                            f"line {line} has {len(row)} fields, but the first line has "
                            f"{n_fields}: correct it, or quote fields that contain "
                            f"{self.delimiter!r}"
                        )
        except UnicodeDecodeError:
            return f"line {self._line_that_is_not_utf8()} is not UTF-8: save the file as UTF-8"
        except csv.Error as error:
            return f"after line {line}: {error}: check the quotes"
        except (OSError, EOFError) as error:
            return f"it cannot be read: {error}"
        return None

    def _line_that_is_not_utf8(self) -> int:
        opener: Any = gzip.open if self.file.suffix.lower() == ".gz" else open
        with opener(self.file, "rb") as lines:
            for number, line in enumerate(lines, start=1):
                try:
                    line.decode()
                except UnicodeDecodeError:
                    return number
        return 1


def _without(relation: Any, names: tuple[str, ...]) -> Any:
    check_known("leave_out", names, relation.columns)
    kept = [_identifier(name) for name in relation.columns if name not in names]
    if not kept:
        raise DataError("leave_out leaves no variable: keep at least one")
    return relation.select(", ".join(kept)) if names else relation


def _check_number(subject: str, n_variables: int, max_variables: int) -> None:
    if n_variables > max_variables:
        raise DataError(
            f"{subject}: there are {n_variables} variables, more than max_variables="
            f"{max_variables}: write those that you need to a file of their own, or pass "
            f"max_variables={n_variables}"
        )


def _parquet_query(connection: Any, file: Path, max_variables: int) -> str:
    schema = f"parquet_schema({_path_literal(file)})"
    leaves = f"SELECT count(*) FROM {schema} WHERE coalesce(num_children, 0) = 0"
    ((n_variables,),) = connection.sql(leaves).fetchall()
    _check_number("the schema", n_variables, max_variables)
    return f"SELECT * FROM read_parquet({_path_literal(file)}, hive_partitioning=false)"


def _path_literal(file: Path) -> str:
    # A file that is there is meant, never a pattern.
    return _literal(re.sub(r"([*?\[])", r"[\1]", str(file.absolute())))


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _identifier(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _all_strings(states: object) -> bool:
    return isinstance(states, (list, tuple)) and all(isinstance(state, str) for state in states)


def _has_nul(states: Sequence[object]) -> bool:
    return any(isinstance(state, str) and "\0" in state for state in states)


def _without_advice(message: str) -> str:
    """Return what DuckDB says, without its advice on options that are not ours."""
    return " ".join(message.split("\n\n")[0].split("\nPossible")[0].split())
