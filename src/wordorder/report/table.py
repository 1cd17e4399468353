"""Tables that do not depend on an output format, and the text of cells in formats for people.

Values are stored unrounded. Numbers are rounded only when a table is rendered; marks and intervals then become text.

The names of systems are shortened for tables and pages: the part that all names share is left out, and long names are
cut in the middle.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np

from wordorder.core.runtime.errors import UNPRINTABLE, UnknownNameError, UsageError, choices, refuse, whole
from wordorder.core.runtime.settings import check_settings, setting

Value = str | int | float | None
Item = TypeVar("Item")

UNDEFINED = "–"
_SMALLEST_P = 0.0001


class Mark(Enum):
    """A mark on a cell, with its name in data formats, its symbol in text, and its meaning."""

    BEST = ("best", "*", "best")
    TIED = ("tied", "~", "not significantly different from the best")
    BASELINE = ("baseline", "#", "baseline")
    SIGNIFICANT = ("significant", "!", "significantly different from the baseline")
    UNLIKE = ("unlike people", "!", "significantly different from every human reference")
    UNDECIDED = ("undecided", "?", "undecidable: with so few segments or samples nothing could be significant")
    UNRANKED = ("unranked", "†", "not ranked, because too few reference words or segments are scored")
    P_05 = ("p < .05", "*", "p < .05")
    P_01 = ("p < .01", "**", "p < .01")
    P_001 = ("p < .001", "***", "p < .001")

    def __init__(self, label: str, symbol: str, meaning: str) -> None:
        self.label = label
        self.symbol = symbol
        self.meaning = meaning


UNBOLD = tuple(mark for mark in Mark if mark is not Mark.BEST)
"""The marks that need a symbol in formats that show the best value in bold."""


@dataclass(frozen=True)
class Cell:
    """A value (None if undefined), with an optional interval and optional marks.

    ``facts`` are extra values, such as ``p`` or the number of ``undefined`` segments, which become additional fields
    in data formats such as JSON. NaN becomes None and NumPy numbers become Python numbers, so that cells can be
    compared and printed. If ``ends`` is true, text shows both ends of the interval instead of half its width, which
    would mislead if the value is far from the middle.

    >>> Cell(float("nan")) == Cell(None), Cell(0.5, interval=(0.25, float("nan"))).interval
    (True, None)
    """

    value: Value
    interval: tuple[float, float] | None = None
    marks: frozenset[Mark] = frozenset()
    facts: Mapping[str, Value] = field(default_factory=dict, hash=False)
    ends: bool = False

    def __post_init__(self) -> None:
        bounds = tuple(map(_bare, self.interval or ()))
        object.__setattr__(self, "value", _bare(self.value))
        object.__setattr__(self, "interval", bounds if bounds and None not in bounds else None)
        object.__setattr__(self, "facts", {name: _bare(value) for name, value in self.facts.items()})

    def marked(self) -> list[Mark]:
        """Return the marks of the cell, in the order of their definition in :class:`Mark`."""
        return [mark for mark in Mark if mark in self.marks]


def _bare(value: Any) -> Any:
    """Convert a NumPy number to a Python number, and NaN to None."""
    value = value.item() if isinstance(value, np.generic) else value
    return None if value != value else value  # NaN alone differs from itself


@dataclass(frozen=True)
class Column:
    """The name of a column, the alignment of its cells, and the format of its numbers.

    ``number`` is a format specification for fractions (``.3f``, ``.1%``, ``.2g``); whole numbers are written in full.
    If ``share`` is true, the numbers are between 0 and 1, and a style may show them as percentages. If ``shorten`` is
    true, a terminal that is too narrow shows the texts of the column without their middle. ``heading`` is what people
    see instead of a long name; data formats have the name.
    """

    name: str
    align: Literal["left", "right"] = "right"
    number: str = ".3f"
    share: bool = False
    shorten: bool = False
    heading: str = ""


@dataclass(frozen=True)
class Table:
    """A table: title, columns, rows of cells, notes, and a signature with the settings of the computation.

    Its symbols are explained below it. A ``brief`` table explains them itself, and a terminal wraps its notes. If a
    ``lean`` table is too wide for a terminal, only its first column of numbers keeps the intervals.

    >>> table = Table.of("Scores", [Column("system", "left"), "kendall"], [["A", 0.53125], ["B", None]])
    >>> table.rows[0][1].value
    0.53125
    >>> print(table)
    Scores
    system  kendall
    ───────────────
    A         0.531
    B             –
    """

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...] = ()
    notes: tuple[str, ...] = ()
    signature: str = ""
    brief: bool = False
    lean: bool = False

    def noting(self, *notes: str) -> Table:
        """Return a copy of the table with additional notes."""
        return replace(self, notes=(*self.notes, *notes))

    @classmethod
    def of(
        cls,
        title: str,
        columns: Iterable[Column | str],
        rows: Iterable[Sequence[Cell | Value]] = (),
        *,
        notes: Iterable[str] = (),
        signature: Mapping[str, Any] | None = None,
    ) -> Table:
        """Build a table from columns or their names, and from rows of cells or plain values."""
        known = tuple(column if isinstance(column, Column) else Column(column) for column in columns)
        cells = tuple(tuple(cell if isinstance(cell, Cell) else Cell(cell) for cell in row) for row in rows)
        names = [column.name for column in known]
        for name in names:
            refuse(names.count(name) > 1, f"two columns of a table have the name {name!r}")
        for number, row in enumerate(cells, start=1):
            if len(row) != len(names):
                raise UsageError(f"row {number} has {len(row)} cells; expected {len(names)}, one per column")
        return cls(title, known, cells, tuple(notes), write_signature(signature or {}))

    def __str__(self) -> str:
        from wordorder.report.terminal import render_terminal

        return render_terminal(self)

    def _repr_html_(self) -> str:
        """Return the table as HTML for notebooks."""
        from wordorder.report.html import render_html

        return render_html(self)


class Tabular(ABC):
    """A result that is printed as a table, in notebooks as HTML."""

    @abstractmethod
    def table(self) -> Table:
        """Return the table of the result."""

    def __str__(self) -> str:
        return str(self.table())

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()


class TableList(Tabular, list[Item]):
    """A list that is printed as a table."""

    def __init__(self, items: Iterable[Item], tabulate: Callable[[Sequence[Item]], Table]) -> None:
        super().__init__(items)
        self._tabulate = tabulate

    def table(self) -> Table:
        """Return the table of the items."""
        return self._tabulate(self)

    __repr__ = Tabular.__str__


@dataclass(frozen=True)
class Style:
    """A number style: the digits after the decimal point, and whether scores from 0 to 1 are shown as percentages.

    >>> table = Table.of("", [Column("pef", share=True), Column("p", number=".2g")], [[0.53125, 0.01]])
    >>> print(Style(percent=True).apply(table))
     pef     p
    ──────────
    53.1  0.01
    """

    digits: int | None = setting(
        None, "digits after the decimal point (default: 3 for scores)", kind=int, low=0, high=15, metavar="N"
    )
    percent: bool = setting(False, "scores from 0 to 100, as sacreBLEU shows them")

    def __post_init__(self) -> None:
        if self.digits is not None:
            object.__setattr__(self, "digits", whole(self.digits, "digits"))
        check_settings(self)

    def apply(self, table: Table, *, rounded: bool = False) -> Table:
        """Return the table in this style; if ``rounded`` is true, the stored numbers are rounded, too."""
        if self == AS_IS:
            return table
        columns = tuple(replace(column, number=self._number(column), share=False) for column in table.columns)
        rows = tuple(
            tuple(self._cell(*pair, rounded=rounded) for pair in zip(row, table.columns, strict=True))
            for row in table.rows
        )
        return replace(table, columns=columns, rows=rows)

    def write(self, value: float, column: Column, *, sign: str = "") -> str:
        """Return a number as text in the format of a column; ``sign="+"`` adds a plus sign to positive numbers."""
        scale = 100 if self.percent and column.share else 1
        return format(value * scale, sign + self._number(column))

    def _number(self, column: Column) -> str:
        sign = "+" * column.number.startswith("+")
        number = f"{sign}.1f" if self.percent and column.share else column.number
        return number if self.digits is None else re.sub(r"\.\d+(?=[f%])", f".{self.digits}", number)

    def _cell(self, cell: Cell, column: Column, *, rounded: bool) -> Cell:
        if not isinstance(cell.value, float):
            return cell
        rounded = rounded and self.digits is not None and column.number.endswith("f")
        scale = 100 if self.percent and column.share else 1
        value, *bounds = (
            float(self.write(number, column)) if rounded else number * scale
            for number in (cell.value, *(cell.interval or ()))
        )
        return replace(cell, value=value, interval=(bounds[0], bounds[1]) if bounds else None)


AS_IS = Style()
"""The style that shows every number in the format of its column."""


class Shown(NamedTuple):
    """A cell as text: its value, its interval (``±.012``) and its marks (``*~``), which may be empty."""

    value: str
    interval: str
    marks: str


def show_cell(cell: Cell, column: Column, *, marks: Iterable[Mark] = Mark) -> Shown:
    """Return a cell as text in the format of its column; only the given ``marks`` are shown.

    >>> show_cell(Cell(0.53412, interval=(0.52, 0.544), marks=frozenset({Mark.BEST})), Column("kendall"))
    Shown(value='0.534', interval='±.012', marks='*')
    """
    interval = ""
    if cell.value is None:
        value = UNDEFINED
    else:
        value = format(cell.value, column.number) if isinstance(cell.value, float) else printable(str(cell.value))
        if cell.interval is not None and cell.ends:
            interval = f"({' to '.join(format(bound, column.number) for bound in cell.interval)})"
        elif cell.interval is not None:
            half = format((cell.interval[1] - cell.interval[0]) / 2, column.number)
            # Leave out the leading zero of a fraction, so that tables with twelve columns fit.
            interval = "±" + (half[1:] if half.startswith("0.") else half)
    return Shown(value, interval, "".join(mark.symbol for mark in marks if mark in cell.marks))


def footer(table: Table, *, marks: Iterable[Mark] = Mark) -> list[str]:
    """Return the lines below a table: its notes, its signature, and explanations of its symbols.

    >>> footer(Table.of("", ["x"], [[Cell(1.0, interval=(0.9, 1.0), marks=frozenset({Mark.BEST}))]]))
    ['±: half the width of the interval', '*: best']
    """
    cells = [cell for row in table.rows for cell in row]
    used = frozenset[Mark]().union(*(cell.marks for cell in cells))
    lines = [*table.notes, *[table.signature] * bool(table.signature)]
    if table.brief:
        return lines
    if any(cell.interval is not None and cell.value is not None and not cell.ends for cell in cells):
        lines.append("±: half the width of the interval")
    return lines + [f"{mark.symbol}: {mark.meaning}" for mark in marks if mark in used]


def printable(text: str) -> str:
    """Return text as a single printable line.

    Characters that control a terminal or hide text become spaces, invalid characters replacement characters.

    >>> printable("a\\tb\\x1b[31m\\u202e\\udcff")
    'a b [31m \\ufffd'
    """
    if text.isprintable():
        return text
    return re.sub("[\t\n]", " ", UNPRINTABLE.sub(" ", re.sub("[\ud800-\udfff]", "\N{REPLACEMENT CHARACTER}", text)))


def printable_lines(text: str) -> str:
    """Make every line of a text printable with :func:`printable`, but keep the line breaks.

    >>> printable_lines("a\\x1b[31m\\nb")
    'a [31m\\nb'
    """
    return "\n".join(map(printable, text.split("\n")))


def write_p(p: float, *, sign: bool = True) -> str:
    """Return a p-value with two significant digits, or an upper limit if it is very small.

    If ``sign`` is true, a rounded value is preceded by ``=``.

    >>> write_p(0.0123), write_p(0.0123, sign=False), write_p(1e-9), write_p(float("nan"))
    ('= 0.012', '0.012', '< 0.0001', 'not tested')
    """
    if p != p:
        return "not tested"
    if p < _SMALLEST_P:
        return f"< {_SMALLEST_P:.4f}"
    return f"{'= ' if sign else ''}{p:.2g}"


def write_signature(signature: Mapping[str, Any]) -> str:
    """Return a signature (the settings needed to reproduce a number) on one line, as in sacreBLEU.

    >>> write_signature({"metrics": ["pef", "bleu"], "seed": 1})
    'metrics:pef,bleu|seed:1'
    """
    return "|".join(
        f"{key}:{','.join(map(str, value)) if isinstance(value, list) else value}" for key, value in signature.items()
    )


def find_name(name: str, names: Sequence[str], *, what: str = "system") -> int:
    """Return the index of a name, or raise an error that lists all names.

    The name may also be written as tables show it: without the part that all names share, and with its middle cut.

    >>> names = ["test.de-en.onlineA", "test.de-en.LIMSI-Ncode-Primary"]
    >>> find_name("test.de-en.onlineA", names), find_name("onlineA", names), find_name("LIMSI…mary", names)
    (0, 0, 1)
    """
    if name in names:
        return names.index(name)
    shared, rest = split_shared(names)
    start, cut, end = str(name).partition("…")
    alike = (each == name or (cut and each.startswith(start) and each.endswith(end)) for each in rest)
    meant = [place for place, found in enumerate(alike) if found]
    if len(meant) != 1:
        before, _, after = shared.partition("*")
        raise UnknownNameError(*choices(str(name).removeprefix(before).removesuffix(after), rest, what=what).args)
    return meant[0]


_SHORTEST = 4
"""A shared part with fewer characters is not left out."""


def split_shared(names: Sequence[str]) -> tuple[str, list[str]]:
    """Return the pattern that all names share (empty if there is none) and the rest of each name.

    The shared parts end and start at a character that is neither a letter nor a digit, so ``system1`` stays whole.

    >>> split_shared(["test.de-en.onlineA", "test.de-en.onlineB", "test.de-en.UG"])
    ('test.de-en.*', ['onlineA', 'onlineB', 'UG'])
    >>> split_shared(["ours.en-de.out", "theirs.en-de.out"]), split_shared(["system1", "system2"])
    (('*.en-de.out', ['ours', 'theirs']), ('', ['system1', 'system2']))
    """
    whole = list(names)
    start = _shared_start(whole)
    end = _shared_start([name[len(start) :][::-1] for name in whole])[::-1]
    rest = [name[len(start) : len(name) - len(end)] for name in whole]
    return (f"{start}*{end}", rest) if len(whole) > 1 and (start or end) and all(rest) else ("", whole)


def _shared_start(names: Sequence[str]) -> str:
    """Return the start that all names share, up to its last character that is neither a letter nor a digit."""
    first, last = min(names), max(names)
    same = next((place for place, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    shared = re.sub(r"[^\W_]+$", "", first[:same])
    return shared if len(shared) >= _SHORTEST else ""


def shorten_all(names: Sequence[str], width: int) -> list[str]:
    """Shorten names that are wider than ``width`` columns in the middle; those that then look alike get a number.

    >>> shorten_all(["LIMSI-Ncode-Constrained-Primary", "onlineA"], 18)
    ['LIMSI-Nco…-Primary', 'onlineA']
    >>> shorten_all(["the-first-A-of-these", "the-first-B-of-these"], 12)
    ['the-fi…these', 'the-firs…(2)']
    """
    found: dict[str, str] = {}
    for number, name in enumerate(dict.fromkeys(names), start=1):
        short = shorten(name, width)
        found[name] = short if short not in found.values() else shorten(f"{name}({number})", width, end=f"({number})")
    return [found[name] for name in names]


def shorten(name: str, width: int, *, end: str = "") -> str:
    """Replace the middle of a name that is wider than ``width`` columns by an ellipsis, or all that precedes ``end``.

    >>> shorten("onlineA", 7), shorten("online-translator", 9), shorten("日本語翻訳システム", 9)
    ('onlineA', 'onli…ator', '日本…テム')
    """
    from rich.cells import cell_len, set_cell_size

    if cell_len(name) <= width:
        return name
    tail = end or name
    while not end and cell_len(tail) > (width - 1) // 2:
        tail = tail[1:]
    return f"{set_cell_size(name, max(width - 1 - cell_len(tail), 1)).rstrip()}…{tail}"
