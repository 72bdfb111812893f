"""A CSV or TSV file: its names, and what is wrong with it."""

import csv
import gzip
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

from dagwright.encode import check_names
from dagwright.errors import DataError
from dagwright.io.files import check_n_variables

__all__ = ["TextFile"]


class TextFile:
    """A file whose first line was read: it has names."""

    def __init__(
        self, file: Path, delimiter: str, header: bool, max_variables: int, longest_header: int
    ) -> None:
        self.file = file
        self.delimiter = delimiter
        self.header = header
        self.longest_header = longest_header
        self.names = self._read_names(max_variables)

    def _open(self) -> IO[str]:
        opener: Any = gzip.open if self.file.suffix.lower() == ".gz" else open
        return opener(self.file, "rt", encoding="utf-8-sig", newline="")  # type: ignore[no-any-return]

    def _bounded(self, lines: IO[str]) -> Iterator[str]:
        most = self.longest_header
        while line := lines.readline(most):
            if len(line) == most:
                raise DataError(
                    f"{self.file}: the first line has more than {most:,} characters: "
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
        check_n_variables(f"{self.file}, line 1", len(first), max_variables)
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
