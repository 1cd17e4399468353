"""Tables as data: TSV and JSON, unrounded, one flat record per row.

A column with intervals gets two more fields (``kendall.low``, ``kendall.high``), a column with marks one more
(``kendall.marks``). They come after the columns themselves, so that the n-th field of a TSV line is the n-th column.
"""

from __future__ import annotations

import json

from wordorder.report.table import Table, Value, printable
from wordorder.runtime.errors import UsageError
from wordorder.runtime.plain import plain

Field = Value | list[str]


def table_records(table: Table) -> list[dict[str, Field]]:
    """Return every row as a record of plain values; undefined is None.

    >>> from wordorder.report.table import Cell
    >>> table_records(Table.of("", ["x"], [[Cell(0.5, interval=(0.25, 0.75))], [None]]))
    [{'x': 0.5, 'x.low': 0.25, 'x.high': 0.75}, {'x': None, 'x.low': None, 'x.high': None}]
    """
    fields = _fields(table)
    return [{name: values[row] for name, values in fields.items()} for row in range(len(table.rows))]


def render_tsv(table: Table) -> str:
    """Write a line of names and a line per row; numbers in full, undefined empty, no title, no notes."""
    lines = [list(_fields(table)), *([_text(field) for field in row.values()] for row in table_records(table))]
    return "\n".join("\t".join(map(printable, line)) for line in lines)


def render_json(table: Table) -> str:
    """Write one document: title, rows as records, notes; undefined is null, and so is what JSON cannot write."""
    document = {"title": table.title, "rows": plain(table_records(table)), "notes": list(table.notes)}
    text = json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False)
    return text.encode("utf-8", "replace").decode("utf-8")


def _fields(table: Table) -> dict[str, list[Field]]:
    """Return the name of every field and its values, row by row."""
    columns = [(column.name, [row[place] for row in table.rows]) for place, column in enumerate(table.columns)]
    values: dict[str, list[Field]] = {name: [cell.value for cell in cells] for name, cells in columns}
    more: list[tuple[str, list[Field]]] = []
    for name, cells in columns:
        if any(cell.interval for cell in cells):
            for place, end in enumerate(("low", "high")):
                more.append((f"{name}.{end}", [cell.interval and cell.interval[place] for cell in cells]))
        if any(cell.marks for cell in cells):
            more.append((f"{name}.marks", [[mark.label for mark in cell.marked()] for cell in cells]))
    if len(fields := values | dict(more)) < len(values) + len(more):
        raise UsageError("two fields of a table would have the same name; rename the column with a dot")
    return fields


def _text(field: Field) -> str:
    if isinstance(field, list):
        return ",".join(field)
    return "" if field is None else field if isinstance(field, str) else repr(field)
