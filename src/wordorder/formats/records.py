"""Tables in text files (CSV, TSV, blank-separated): records by column name, with the line they stand on."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator, Sequence

from wordorder.formats import text
from wordorder.runtime.errors import InputError, UsageError, excerpt
from wordorder.runtime.files import display_name

Path = str | os.PathLike[str]

SEPARATORS = {"comma": ",", "tab": "\t", "semicolon": ";", "blank": None}


class Records:
    """The records of a table: the place of each column by lower-cased name, and the rows with their line."""

    def __init__(self, path: Path, *, separator: str | None = None, quoted: bool = True) -> None:
        self.path = display_name(path)
        lines: list[str] = text.read(path).to_pylist()
        if separator is not None and separator not in SEPARATORS:
            raise UsageError(f"separator must be one of {', '.join(SEPARATORS)}, not {separator!r}")
        mark = _guess(lines[0]) if separator is None else SEPARATORS[separator]
        self._rows = _split(lines, mark, quoted, self.path)
        header = next(self._rows, (1, []))[1]
        self.names = [name.strip() for name in header]
        self.columns: dict[str, int] = {}
        for place, name in enumerate(self.names):
            self.columns.setdefault(name.lower(), place)

    def place(self, *names: str) -> int:
        """Give the place of the first of ``names`` the table has; none of them is an error that lists what it has."""
        for name in names:
            if name.lower() in self.columns:
                return self.columns[name.lower()]
        found = excerpt(", ".join(self.names), limit=200)
        raise InputError(f"has no column {' or '.join(map(repr, names))}; found {found}", path=self.path, line=1)

    def has(self, name: str) -> bool:
        """Tell whether there is a column of that name."""
        return name.lower() in self.columns

    def __iter__(self) -> Iterator[tuple[int, list[str]]]:
        """Give line number and fields of every record; a short record is an error, an empty line is passed over."""
        width = len(self.names)
        for line, fields in self._rows:
            if not any(fields):
                continue
            if len(fields) < width:
                raise InputError(
                    f"{len(fields)} fields, expected {width} as in the header", path=self.path, line=line
                )
            yield line, fields

    def whole(self, field: str, line: int, *, what: str, low: int | None = None) -> int:
        """Read a whole number."""
        try:
            value = int(field)
        except ValueError:
            raise InputError(f"{what} {excerpt(field)} is no whole number", path=self.path, line=line) from None
        if (low is not None and value < low) or abs(value) >= 1 << 31:
            raise InputError(f"{what} {value} is out of range", path=self.path, line=line)
        return value

    def real(self, field: str, line: int, *, what: str) -> float:
        """Read a finite number."""
        try:
            value = float(field)
        except ValueError:
            raise InputError(f"{what} {excerpt(field)} is no number", path=self.path, line=line) from None
        if not -1e300 < value < 1e300:
            raise InputError(f"{what} {excerpt(field)} is not finite", path=self.path, line=line)
        return value


def _guess(header: str) -> str | None:
    """Take the mark the header is separated by: tab, comma, semicolon, else blanks."""
    return next((mark for mark in ("\t", ",", ";") if mark in header), None)


def _split(lines: Sequence[str], mark: str | None, quoted: bool, path: str) -> Iterator[tuple[int, list[str]]]:
    if mark is None:
        yield from ((number, line.split()) for number, line in enumerate(lines, start=1))
        return
    rows = csv.reader(lines, delimiter=mark, quoting=csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE)
    while True:
        try:
            fields = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            raise InputError(f"is no table: {error}", path=path, line=max(rows.line_num, 1)) from None
        yield rows.line_num, fields
