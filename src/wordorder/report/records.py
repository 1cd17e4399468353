"""Tables as data: TSV and JSON, unrounded, one flat record per row.

A column with intervals gets two more fields (``kendall.low``, ``kendall.high``), a column with marks one more
(``kendall.marks``). They come after the columns themselves, so that the n-th field of a TSV line is the n-th column.
"""

from __future__ import annotations

import json
import math

from wordorder.report.display import printable
from wordorder.report.table import Cell, Table, Value
from wordorder.runtime.errors import UsageError

Field = Value | list[str]


def table_records(table: Table) -> list[dict[str, Field]]:
    """Give every row as a record of plain values; undefined is None.

    >>> table_records(Table.of("", ["x"], [[Cell(0.5, interval=(0.25, 0.75))], [None]]))
    [{'x': 0.5, 'x.low': 0.25, 'x.high': 0.75}, {'x': None, 'x.low': None, 'x.high': None}]
    """
    fields = _fields(table)
    return [{name: _field(row[place], part) for name, place, part in fields} for row in table.rows]


def render_tsv(table: Table) -> str:
    """Write a line of names and a line per row; numbers in full, undefined empty, no title, no notes."""
    lines = [[name for name, _, _ in _fields(table)]]
    lines += [[_text(field) for field in record.values()] for record in table_records(table)]
    return "\n".join("\t".join(map(printable, line)) for line in lines)


def render_json(table: Table) -> str:
    """Write one document: title, rows as records, notes; undefined is null, and so is what JSON cannot write."""
    rows = [{name: _finite(field) for name, field in record.items()} for record in table_records(table)]
    document = {"title": table.title, "rows": rows, "notes": list(table.notes)}
    text = json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False)
    return text.encode("utf-8", "replace").decode("utf-8")


def _fields(table: Table) -> list[tuple[str, int, str]]:
    """Give the name, the place and the part of every field."""
    names = [column.name for column in table.columns]
    fields = [(name, place, "value") for place, name in enumerate(names)]
    for place, name in enumerate(names):
        if any(row[place].interval is not None for row in table.rows):
            fields += [(f"{name}.low", place, "low"), (f"{name}.high", place, "high")]
        if any(row[place].marks for row in table.rows):
            fields.append((f"{name}.marks", place, "marks"))
    if len({name for name, _, _ in fields}) < len(fields):
        raise UsageError("two fields of a table would have the same name; rename the column with a dot")
    return fields


def _field(cell: Cell, part: str) -> Field:
    if part == "value":
        return cell.value
    if part == "marks":
        return [mark.label for mark in cell.marked()]
    if cell.interval is None:
        return None
    return cell.interval[0 if part == "low" else 1]


def _text(field: Field) -> str:
    if field is None:
        return ""
    if isinstance(field, list):
        return ",".join(field)
    return field if isinstance(field, str) else repr(field)


def _finite(field: Field) -> Field:
    return None if isinstance(field, float) and not math.isfinite(field) else field
