"""Tables in text files (CSV, TSV, separated by whitespace): records by column name, with the line they stand on."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator, Sequence

from wordorder.core.runtime.errors import InputError, UsageError, excerpt
from wordorder.core.runtime.files import LARGEST_TABLE, display_name
from wordorder.core.runtime.plain import count_of
from wordorder.formats import text

Path = str | os.PathLike[str]

SEPARATORS = {"comma": ",", "tab": "\t", "semicolon": ";", "whitespace": None}


class DelimitedTable:
    """The records of a table: the place of each column by lower-cased name, and the rows with their line."""

    def __init__(self, path: Path, *, separator: str | None = None, quoted: bool = True) -> None:
        self.path = display_name(path)
        read = text.read(path, most=LARGEST_TABLE, expected="a table with a line of column names")
        lines: list[str] = read.to_pylist()
        if separator is not None and separator not in SEPARATORS:
            raise UsageError(f"separator must be one of {', '.join(SEPARATORS)}, not {separator!r}")
        mark = _guess(lines[0]) if separator is None else SEPARATORS[separator]
        self._rows = _split(lines, mark, quoted, self.path)
        header = next(self._rows, (1, []))[1]
        self.names = [name.strip() for name in header]
        while self.names and not self.names[-1]:  # a header may end in a tab that the rows do not have
            self.names.pop()
        self.columns: dict[str, int] = {}
        for place, name in enumerate(self.names):
            self.columns.setdefault(name.lower(), place)

    def place(self, *names: str) -> int:
        """Return the place of the first of ``names`` that the table has; the error lists what there is."""
        for name in names:
            if name.lower() in self.columns:
                return self.columns[name.lower()]
        found = excerpt(", ".join(self.names), limit=200)
        raise InputError(f"has no column {' or '.join(map(repr, names))}; found {found}", path=self.path, line=1)

    def has(self, name: str) -> bool:
        """Whether there is a column of that name."""
        return name.lower() in self.columns

    def __iter__(self) -> Iterator[tuple[int, list[str]]]:
        """Yield line number and fields of every record; a short record is an error, an empty line is skipped."""
        width = len(self.names)
        for line, fields in self._rows:
            if not any(fields):
                continue
            if len(fields) < width:
                message = f"{count_of(len(fields), 'field')}, expected {width} as in the header"
                raise InputError(message, path=self.path, line=line)
            yield line, fields

    def whole(self, field: str, line: int, *, what: str, low: int | None = None) -> int:
        """Read a whole number."""
        try:
            value = int(field)
        except ValueError:
            raise InputError(f"{what} {excerpt(field)} is not a whole number", path=self.path, line=line) from None
        if (low is not None and value < low) or abs(value) >= 1 << 31:
            raise InputError(f"{what} {value} is out of range", path=self.path, line=line)
        return value

    def real(self, field: str, line: int, *, what: str) -> float:
        """Read a finite number."""
        return finite_number(field, path=self.path, line=line, what=f"{what} ")


def finite_number(field: str, *, path: str, line: int, what: str = "") -> float:
    """Read a finite number; an error names its place and ``what`` it is."""
    try:
        value = float(field)
    except ValueError:
        raise InputError(f"{what}{excerpt(field)} is not a number", path=path, line=line) from None
    if not -1e300 < value < 1e300:
        raise InputError(f"{what}{excerpt(field)} is not finite", path=path, line=line)
    return value


def _guess(header: str) -> str | None:
    """Take the mark the header is separated by: tab, comma, semicolon, else whitespace."""
    return next((mark for mark in ("\t", ",", ";") if mark in header), None)


def _split(lines: Sequence[str], mark: str | None, quoted: bool, path: str) -> Iterator[tuple[int, list[str]]]:
    if mark is None:
        yield from ((number, line.split()) for number, line in enumerate(lines, start=1))
        return
    rows = csv.reader(
        (f"{line}\n" for line in lines), delimiter=mark, quoting=csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE
    )
    try:
        for fields in rows:
            yield rows.line_num, fields
    except csv.Error as error:
        raise InputError(f"is not a table: {error}", path=path, line=max(rows.line_num, 1)) from None
