"""Tables in text files (CSV, TSV, or whitespace-separated), read as records with column names and line numbers."""

import csv
from collections.abc import Iterator, Sequence

from wordorder.core.runtime.errors import InputError, UsageError, count_of, excerpt, located, mention, reject
from wordorder.core.runtime.files import LARGEST_TABLE, Path, display_name
from wordorder.formats import text

SEPARATORS = {"comma": ",", "tab": "\t", "semicolon": ";", "whitespace": None}


class DelimitedTable:
    """The records of a table; ``columns`` maps the name of each column, in lower case, to its position."""

    def __init__(self, path: Path, *, separator: str | None = None, quoted: bool = True) -> None:
        self.path = display_name(path)
        read = text.read(path, most=LARGEST_TABLE, expected="a table with a line of column names")
        lines: list[str] = read.to_pylist()
        if separator is not None and separator not in SEPARATORS:
            raise UsageError(f"the separator must be one of {', '.join(SEPARATORS)}, not {separator!r}")
        mark = _guess(lines[0]) if separator is None else SEPARATORS[separator]
        quoted = quoted and not (mark == "\t" and _is_literal(lines))
        self._rows = _split(lines, mark, quoted, self.path)
        header = next(self._rows, (1, []))[1]
        self.names = [name.strip() for name in header]
        while self.names and not self.names[-1]:  # the header may end in a tab that the rows do not have
            self.names.pop()
        self.columns: dict[str, int] = {}
        for place, name in enumerate(self.names):
            self.columns.setdefault(name.lower(), place)

    def place(self, *names: str) -> int:
        """Return the position of the first column in ``names`` that the table has; raise an error if it has none."""
        for name in names:
            if name.lower() in self.columns:
                return self.columns[name.lower()]
        found = excerpt(", ".join(self.names), limit=200)
        raise InputError(f"no column {' or '.join(map(repr, names))}; found {found}", path=self.path, line=1)

    def has(self, name: str) -> bool:
        """Return whether the table has a column with this name."""
        return name.lower() in self.columns

    def __iter__(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the line number and the fields of each record; skip empty lines.

        If a record has fewer fields than the header, raise an error.
        """
        width = len(self.names)
        for line, fields in self._rows:
            if not any(fields):
                continue
            if len(fields) < width:
                message = f"found {count_of(len(fields), 'field')}; expected {width} as in the header"
                raise InputError(message, path=self.path, line=line)
            yield line, fields

    def whole(self, field: str, line: int, *, what: str, low: int | None = None, hint: str = "") -> int:
        """Parse a whole number of at least ``low``; errors call it ``what``, and add ``hint`` if it is too low."""
        try:
            value = int(field)
        except ValueError:
            raise InputError(f"{what} {excerpt(field)} is not a whole number", path=self.path, line=line) from None
        if low is not None and value < low:
            message = f"{what} {value} is out of range; expected {low} or more{hint}"
            raise InputError(message, path=self.path, line=line)
        reject(abs(value) >= 1 << 31, f"{what} {value} is out of range", path=self.path, line=line)
        return value

    def segment(self, field: str, line: int, *, base: int, what: str = "segment") -> int:
        """Parse the number of a segment, where ``base`` is that of the first one; return its index, from 0."""
        zero = field.strip() == "0"
        hint = f"; use {mention('segment_base', 0)} if the first segment is 0" if zero else ""
        return self.whole(field, line, what=what, low=base, hint=hint) - base

    def real(self, field: str, line: int, *, what: str) -> float:
        """Parse a finite number; ``what`` describes it in error messages."""
        with located(self.path, line):
            return finite_number(field, what=f"{what} ")


def finite_number(field: str, *, what: str = "") -> float:
    """Parse a finite number; ``what`` describes it in error messages."""
    try:
        value = float(field)
    except ValueError:
        raise InputError(f"{what}{excerpt(field)} is not a number") from None
    if not -1e300 < value < 1e300:
        raise InputError(f"{what}{excerpt(field)} is not a finite number")
    return value


def _guess(header: str) -> str | None:
    """Guess the separator from the header of a table: tab, comma or semicolon, or None for whitespace."""
    return next((mark for mark in ("\t", ",", ";") if mark in header), None)


def _is_literal(lines: Sequence[str]) -> bool:
    """Return whether quotation marks in a tab-separated table are ordinary characters.

    They are if every line has all its fields when it is split at tabs, while quoting would leave fields open, join
    them, or join lines.

    >>> _is_literal(["a\\tb", '1\\t"x" y']), _is_literal(["a\\tb", '1\\t"x ""y"" "'])
    (True, False)
    """
    if not any(line.startswith('"') or '\t"' in line for line in lines):
        return False
    kept = [line for line in lines if line.strip()]
    width = len(lines[0].rstrip("\t").split("\t"))
    if any(line.count("\t") + 1 < width for line in kept):
        return False
    try:
        rows = csv.reader((f"{line}\n" for line in kept), delimiter="\t", strict=True)
        sizes = list(map(len, rows))
    except csv.Error:
        return True
    return len(sizes) < len(kept) or min(sizes) < width


def _split(lines: Sequence[str], mark: str | None, quoted: bool, path: str) -> Iterator[tuple[int, list[str]]]:
    if mark is None:
        yield from ((number, line.split()) for number, line in enumerate(lines, start=1))
        return
    ended = (f"{line}\n" for line in lines)
    rows = csv.reader(ended, delimiter=mark, quoting=csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE)
    try:
        for fields in rows:
            yield rows.line_num, fields
    except csv.Error as error:
        raise InputError(f"not a valid table: {error}", path=path, line=max(rows.line_num, 1)) from None
