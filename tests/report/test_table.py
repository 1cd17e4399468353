"""The neutral table: what it accepts, what it normalises, what it refuses."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from wordorder.core.runtime.errors import UsageError
from wordorder.report import Cell, Column, Mark, Table, table_records
from wordorder.report.table import footer, show_cell


def test_undefined_has_one_form() -> None:
    assert Cell(float("nan")) == Cell(np.float64("nan")) == Cell(None)
    assert Cell(1.0, interval=(float("nan"), 2.0)).interval is None


def test_numpy_numbers_become_plain_numbers() -> None:
    cell = Cell(np.float64(0.5), interval=(np.float64(0.25), np.float64(0.75)))
    assert type(cell.value) is float
    assert cell.interval is not None
    assert [type(bound) for bound in cell.interval] == [float, float]
    assert type(Cell(np.int32(3)).value) is int  # type: ignore[arg-type]


def test_marks_come_in_a_fixed_order() -> None:
    cell = Cell(1, marks=frozenset({Mark.SIGNIFICANT, Mark.BEST, Mark.BASELINE}))
    assert cell.marked() == [Mark.BEST, Mark.BASELINE, Mark.SIGNIFICANT]


def test_a_table_is_a_value() -> None:
    first = Table.of("t", ["x"], [[1.0], [Cell(None)]], notes=["n"])
    assert first == Table("t", (Column("x"),), ((Cell(1.0),), (Cell(None),)), ("n",))
    assert hash(first) == hash(Table.of("t", ["x"], [[1.0], [float("nan")]], notes=["n"]))


def test_mistakes_are_told() -> None:
    with pytest.raises(UsageError, match="row 2 has 1 cells; expected 2"):
        Table.of("", ["a", "b"], [[1, 2], [3]])
    with pytest.raises(UsageError, match="two columns of a table have the name 'a'"):
        Table.of("", ["a", "b", "a"])


def test_importing_the_rooms_imports_neither_rich_nor_scipy_stats() -> None:
    code = (
        "import sys, wordorder.report, wordorder.core.statistics;"
        "print([name for name in ('rich', 'scipy.stats') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_an_interval_may_be_shown_by_both_ends() -> None:
    """All of 5: Wilson's interval goes from 57 to 100%, so ±22% around 100% would mislead."""
    column = Column("share", number=".1%")
    table = Table.of("", [column], [[Cell(1.0, interval=(0.5655, 1.0), ends=True)]])
    assert show_cell(table.rows[0][0], column).interval == "(56.5% to 100.0%)"
    assert "100.0% (56.5% to 100.0%)" in str(table)
    assert footer(table) == []
    assert table_records(table) == [{"share": 1.0, "share.low": 0.5655, "share.high": 1.0}]
