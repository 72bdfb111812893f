"""From a CSV or TSV file to encoded variables, by DuckDB.

Every field is read as text, in one pass over the file. What type a variable has is then asked of
its distinct texts alone. Only a variable with more of them than a table can have states, such as a
measurement, makes DuckDB read the file with types: one pass to find them, one to read.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from dagwright.encode import (
    EncodedVariable,
    SelfEncoding,
    encode_frame,
    encode_stream,
    recode,
)
from dagwright.errors import DataError
from dagwright.io.interrupt import interruptible, was_interrupted
from dagwright.io.sql import identifier, literal, path_literal
from dagwright.io.text_file import TextFile

__all__ = ["TextRows"]

_NO_FIELD = "\x01no field\x02"  # a text that no file has; one that has it is read with types


@dataclass(frozen=True)
class TextRows(SelfEncoding):
    """The rows of a text file without some of its variables; those in `as_text` stay text."""

    connection: Any
    text: TextFile
    kept: Collection[str]
    as_text: Collection[str]

    def encode(self, gathered: Collection[str]) -> tuple[int, list[EncodedVariable]]:
        """Return the number of rows and the variables, each of the type that all its rows have."""
        return interruptible(self.connection, lambda: self._encode(gathered))

    def _encode(self, gathered: Collection[str]) -> tuple[int, list[EncodedVariable]]:
        import duckdb

        try:
            encoded = self._encode_texts(gathered)
        except (duckdb.Error, DataError, OSError) as error:
            if was_interrupted(error):
                raise
            encoded = None  # reading it with types says what is wrong
        return encoded or encode_frame(self.connection.sql(self._typed_query()), gathered)

    def _encode_texts(self, gathered: Collection[str]) -> tuple[int, list[EncodedVariable]] | None:
        """Encode all texts, then ask for their types; None where only types will do."""
        numbers = [f"v{place}" for place in range(len(self.text.names))]
        if len(numbers) == 1:  # an empty line would be no row
            return None
        columns = ", ".join(f"{number}: 'VARCHAR'" for number in numbers)
        # An empty field must be an empty text: DuckDB forgives a missing one too many in a line.
        how = f"auto_detect=false, columns={{{columns}}}, nullstr={literal(_NO_FIELD)}"
        rows = self._select(self._rows(self.text.file, self.text.header, how), numbers)
        stream = self.connection.sql(rows).__arrow_c_stream__()
        n_rows, texts = encode_stream(stream, until_too_many=True)
        if any(variable.too_many or len(variable.missing) for variable in texts):
            return None
        typed = self._encode_distinct(texts, gathered)
        return n_rows, [_with_values_of(*pair) for pair in zip(texts, typed, strict=True)]

    def _encode_distinct(
        self, variables: Sequence[EncodedVariable], gathered: Collection[str]
    ) -> list[EncodedVariable]:
        """Encode the distinct texts of the variables as if they were all the file."""
        delimiter = self.text.delimiter
        numbered = {f"v{place}": variable for place, variable in enumerate(variables)}
        with TemporaryDirectory(prefix="dagwright-") as folder:
            file = Path(folder) / "distinct.csv"
            with file.open("w", encoding="utf-8", newline="") as lines:
                lines.write(delimiter.join(numbered) + "\n")
                # Twice: a text that was looked at for one type is not looked at again for the next.
                for _ in range(2):
                    for row in zip_longest(*(own.values for own in variables), fillvalue=""):
                        lines.write(delimiter.join(map(_field, row)) + "\n")
            types = {n: "VARCHAR" for n, own in numbered.items() if own.name in self.as_text}
            sniffed = self._sniffed(file, header=True, types=types)
            asked = [number for number, own in numbered.items() if own.name in gathered]
            return encode_frame(self.connection.sql(f"SELECT * FROM {sniffed}"), asked)[1]

    def _typed_query(self) -> str:
        text = self.text
        sniffed = self._sniffed(text.file, text.header)
        relation = self.connection.sql(f"SELECT * FROM {sniffed} LIMIT 0")
        theirs = relation.columns
        if len(theirs) != len(text.names):
            usual = f"the first line has {len(text.names)} fields, other lines {len(theirs)}"
            raise DataError(text.find_fault() or usual)
        types = {column: str(kind) for column, kind in zip(theirs, relation.types, strict=True)}
        times = "TIMESTAMP" in types.values()
        as_text = {
            column: "VARCHAR"
            for column, name in zip(theirs, text.names, strict=True)
            if name in self.as_text
        }
        if times:  # how they are written is known only by looking again
            sniffed = self._sniffed(text.file, text.header, types=as_text)
        else:
            sniffed = self._sniffed(text.file, text.header, types=types | as_text, sample_size=1)
        return self._select(sniffed, theirs)

    def _select(self, source: str, columns: list[str]) -> str:
        """Return the query for what is kept, under our names: DuckDB's ignore case."""
        chosen = ", ".join(
            f"{identifier(column)} AS {identifier(name)}"
            for column, name in zip(columns, self.text.names, strict=True)
            if name in self.kept
        )
        return f"SELECT {chosen} FROM {source}"

    def _sniffed(
        self,
        file: Path,
        header: bool,
        types: Mapping[str, str] | None = None,
        sample_size: int = -1,
    ) -> str:
        given = ", ".join(
            f"{literal(name)}: {literal(kind)}" for name, kind in (types or {}).items()
        )
        # No BOOLEAN: DuckDB would turn yes/no into true/false. All rows are sniffed, so that no
        # type fails late.
        how = (
            "auto_type_candidates=['NULL', 'BIGINT', 'DOUBLE', 'DATE', 'TIMESTAMP', 'VARCHAR'], "
            f"dateformat='%Y-%m-%d', sample_size={sample_size}"
            f"{f', types={{{given}}}' if given else ''}"
        )
        return self._rows(file, header, how)

    def _rows(self, file: Path, header: bool, how: str) -> str:
        return (
            f"read_csv({path_literal(file)}, header={str(header).lower()}, "
            f"delim={literal(self.text.delimiter)}, quote='\"', escape='\"', comment='', "
            f"strict_mode=true, null_padding=false, hive_partitioning=false, {how})"
        )


def _field(text: object) -> str:
    return '"' + str(text).replace('"', '""') + '"' if text else ""


def _with_values_of(texts: EncodedVariable, typed: EncodedVariable) -> EncodedVariable:
    """Return the variable with the values of its distinct texts, the first rows of `typed`."""
    assert texts.codes is not None
    missing = texts.missing
    if "" in texts.values:
        missing = np.flatnonzero(texts.codes == texts.values.index(""))
    if typed.problem is not None:
        return replace(typed, name=texts.name)
    if typed.numbers is not None:
        numbers = typed.numbers[texts.codes]
        if numbers.dtype == np.float64:
            missing = np.flatnonzero(np.isnan(numbers))  # a text may be "nan", too
        return EncodedVariable(texts.name, numbers=numbers, missing=missing)
    assert typed.codes is not None
    if typed.values == texts.values:
        return texts
    new_code = typed.codes[: len(texts.values)].tolist()
    codes = recode(texts.codes, new_code, len(typed.values))
    return EncodedVariable(texts.name, typed.values, codes, missing=missing)
