"""Column names of tables: detection of header lines, and errors about unknown columns.

If the first line of a table looks like text, error messages do not present its sentences as column names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from wordorder.core.runtime.errors import UsageError, choices, count_of

_LONGEST_NAME = 30
_WORD = re.compile(r"[A-Za-z_][\w.-]*")
# fmt: off
_COMMON_NAMES = {
    "id", "source", "src", "reference", "ref", "target", "tgt", "hypothesis", "hyp", "mt", "translation", "text",
    "segment", "sentence", "system", "lang",
}
# fmt: on


def nested_names(record: Mapping[str, Any]) -> list[str]:
    """Return the keys of a JSON object; the keys of nested objects are joined by dots.

    >>> nested_names({"id": 1, "translation": {"de": "ja", "en": "yes"}})
    ['id', 'translation.de', 'translation.en']
    """
    found = []
    for name, value in record.items():
        found += [f"{name}.{inner}" for inner in nested_names(value)] if isinstance(value, dict) else [name]
    return found


def schema_names(schema: Any) -> list[str]:
    """Return the column names of an Arrow schema; the names of nested fields are joined by dots."""
    import pyarrow as pa

    def members(name: str, kind: Any) -> list[str]:
        if not pa.types.is_struct(kind):
            return [name]
        return [each for field in kind for each in members(f"{name}.{field.name}", field.type)]

    return [each for field in schema for each in members(field.name, field.type)]


def describe_columns(first: Sequence[str]) -> str:
    """List the columns of a table, given its first line: by name if this is a header, otherwise by number.

    >>> describe_columns(["id", "hyp"]), describe_columns(["the cat sat on the mat", "die Katze"])
    ('id, hyp', '1 to 2')
    """
    return ", ".join(first) if _may_be_names(first) else f"1 to {len(first)}"


def unknown_column(file: str, column: str, first: Sequence[str], *, commas: bool) -> UsageError:
    """Return the error for an unknown column; ``first`` contains the fields of the first line of the table."""
    other = next((mark for mark in (";", "\t") if commas and len(first) == 1 and mark in first[0]), None)
    if other is not None:
        return UsageError(f"{file}: the first line has {other!r} but no comma; .csv files must be comma-separated")
    if _may_be_names(first):
        return choices(column, list(first), what=f"column of {file}")
    known = f"has {count_of(len(first), 'column')} and no header; give a number from 1 to {len(first)}"
    return UsageError(f"{column!r} is not a column of {file}, which {known}")


def header_warning(file: str, place: int, first: Sequence[str]) -> str:
    """Return a warning if a column is given by number but the first line looks like a header, else "".

    >>> header_warning("a.csv", 1, ["source", "good"]).partition(";")[0]
    'a.csv: the first line (source, good) looks like a header, but is read as text'
    >>> header_warning("a.csv", 1, ["Hello", "Hallo"])
    ''
    """
    common = any(name.lower() in _COMMON_NAMES for name in first)
    if not (common and len(set(first)) == len(first) and all(map(_WORD.fullmatch, first))):
        return ""
    found = f"{file}: the first line ({', '.join(first)}) looks like a header, but is read as text"
    return f"{found}; name the column: {file}:{first[place]}"


def _may_be_names(first: Sequence[str]) -> bool:
    """Return whether the fields of a first line could be column names: distinct, short, single words."""
    words = all(len(name.split()) == 1 and len(name) <= _LONGEST_NAME and not name.isdecimal() for name in first)
    return words and len(set(first)) == len(first)
