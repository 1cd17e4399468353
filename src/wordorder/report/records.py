"""Tables as data: TSV, CSV and JSON, with unrounded numbers and one flat record per row.

Columns may get additional fields: for intervals ``kendall.low`` and ``kendall.high``, for marks ``kendall.marks``,
and for each extra value of the cells a field such as ``kendall.p`` or ``kendall.undefined``. The additional fields
come after all columns, so the n-th field of a record is still the n-th column. In TSV and CSV, the signature and the
notes are also fields, so that every single line documents how its numbers were computed.
"""

import csv
import io
from collections.abc import Iterable
from typing import Any

from wordorder.core.runtime.errors import UsageError
from wordorder.core.runtime.plain import dump_json, plain
from wordorder.report.table import Mark, Table, Value, printable

Field = Value | list[str]


def table_records(table: Table) -> list[dict[str, Field]]:
    """Return each row as a record of plain values, with None for undefined values.

    >>> from wordorder.report.table import Cell
    >>> table_records(Table.of("", ["x"], [[Cell(0.5, interval=(0.25, 0.75))], [None]]))
    [{'x': 0.5, 'x.low': 0.25, 'x.high': 0.75}, {'x': None, 'x.low': None, 'x.high': None}]
    """
    return _rows(_fields(table), len(table.rows))


def table_document(table: Table) -> dict[str, Any]:
    """Return a table as plain data: the title, the rows as records, the notes and the signature."""
    signature = {"signature": table.signature} if table.signature else {}
    return {"title": table.title, "rows": plain(table_records(table)), "notes": data_notes(table), **signature}


def data_notes(table: Table) -> list[str]:
    """Return the notes of a table, plus explanations of those marks whose names do not explain themselves."""
    used = frozenset[Mark]().union(*(cell.marks for row in table.rows for cell in row))
    legend = [f"{mark.label}: {mark.meaning}" for mark in Mark if mark in used and mark.label != mark.meaning]
    return [*table.notes, *legend]


def render_tsv(table: Table) -> str:
    """Return a table as tab-separated values: a header line and one line per row; undefined values are empty."""
    return "\n".join("\t".join(line) for line in _lines(table))


def render_csv(table: Table) -> str:
    """Return a table as comma-separated values (a header line and one line per row), quoted if necessary."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(_lines(table))
    return text.getvalue().rstrip("\n")


def render_json(table: Table) -> str:
    """Return a table as a JSON document, with null for undefined and infinite values."""
    return dump_json(table_document(table)).encode("utf-8", "replace").decode("utf-8")


def _lines(table: Table) -> Iterable[list[str]]:
    fields = _fields(table)
    for name, texts in (("signature", [table.signature]), ("notes", data_notes(table))):
        if any(texts) and name not in fields:
            fields[name] = ["; ".join(texts)] * len(table.rows)
    yield [printable(name) for name in fields]
    for row in _rows(fields, len(table.rows)):
        yield [printable(_text(field)) for field in row.values()]


def _rows(fields: dict[str, list[Field]], count: int) -> list[dict[str, Field]]:
    return [{name: values[row] for name, values in fields.items()} for row in range(count)]


def _fields(table: Table) -> dict[str, list[Field]]:
    """Return the fields of a table: a mapping from field names to lists with one value per row."""
    columns = [(column.name, [row[place] for row in table.rows]) for place, column in enumerate(table.columns)]
    values: dict[str, list[Field]] = {name: [cell.value for cell in cells] for name, cells in columns}
    more: list[tuple[str, list[Field]]] = []
    for name, cells in columns:
        if any(cell.interval for cell in cells):
            for place, end in enumerate(("low", "high")):
                more.append((f"{name}.{end}", [cell.interval and cell.interval[place] for cell in cells]))
        for fact in dict.fromkeys(fact for cell in cells for fact in cell.facts):
            more.append((f"{name}.{fact}", [cell.facts.get(fact) for cell in cells]))
        if any(cell.marks for cell in cells):
            more.append((f"{name}.marks", [[mark.label for mark in cell.marked()] for cell in cells]))
    if len(fields := values | dict(more)) < len(values) + len(more):
        raise UsageError("two fields of a table would have the same name; rename the column whose name has a dot")
    return fields


def _text(field: Field) -> str:
    if isinstance(field, list):
        return ",".join(field)
    return "" if field is None else field if isinstance(field, str) else repr(field)
