"""Text in a column of a table, given as ``FILE:column``: TSV, CSV, JSON Lines, Parquet, and Hugging Face datasets.

A column is given by its name in the header or, in TSV and CSV files without a header, by its number (from 1). A cell
is one segment; line breaks and tabs in it become spaces. If there is a file that is really called ``FILE:column``, it
is read as text instead.

If the first line of a table looks like text, error messages do not present its sentences as column names.
"""

import contextlib
import csv
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from typing import Any

from wordorder.core.runtime.columns import Strings, strings
from wordorder.core.runtime.errors import InputError, UsageError, choices, count_of, excerpt, reject
from wordorder.core.runtime.files import Path, display_name, full_name, line_blocks, read_whole, without_packing
from wordorder.core.runtime.libraries import pa, pq
from wordorder.core.runtime.own_inputs import note_input
from wordorder.core.runtime.plain import load_json
from wordorder.core.text.checks import warn_about
from wordorder.formats.parquet import not_large, parquet_batches

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


JSON_LINES = (".jsonl", ".ndjson")
BINARY = (".parquet", ".arrow")
ENDINGS = (".tsv", ".tab", ".csv", *JSON_LINES, *BINARY)
"""The file name extensions of tables, not counting compression extensions such as ``.gz``."""

_QUOTED = re.compile(r'"[^"]*(?:""[^"]*)*"')
_SINGLE = re.compile(rb'[^"\t\r\n]"(?:"")*[^"\t\r\n]')
"""A single quotation mark inside a field, not at its beginning or end."""


def split_column(path: Path) -> tuple[str, str] | None:
    """Return file and column if ``path`` has the form ``FILE:column`` and the file is a table, otherwise None."""
    name = full_name(path)
    if os.path.exists(name):
        return None
    place = name.rfind(":")
    while place > 0:
        file, column = name[:place], name[place + 1 :]
        if column and os.path.exists(file) and (os.path.isdir(file) or ending_of(file) in ENDINGS):
            return file, column
        place = name.rfind(":", 0, place)
    return None


def read_blocks(file: str, column: str, *, lines: int) -> Iterator[Strings]:
    """Read one column of a table in blocks of at most ``lines`` cells."""
    held: list[str] = []
    seen = 0
    with damage_reported(file):
        for cell in _cells(file, column):
            seen += 1
            held.append(_line(cell, file, seen))
            if len(held) == lines:
                yield strings(held)
                held = []
    if held:
        yield strings(held)
    reject(not seen, "no rows; expected one sentence per row", path=file, line=1)


@contextlib.contextmanager
def damage_reported(file: str) -> Iterator[None]:
    """Turn Arrow's exceptions about a damaged file into an error that names the file."""
    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = f" ({error.strerror})" if isinstance(error, OSError) and error.strerror else ""
        raise InputError(f"the file is damaged, or its extension is wrong{reason}", path=file) from None


def refuse_whole(path: Path) -> None:
    """Raise an error if the name and the first line of a file show that it is a table rather than plain text."""
    name = full_name(path)
    cut = {".tsv": b"\t", ".csv": b","}.get(os.path.splitext(name)[1])
    if cut is not None and os.path.isfile(name):
        with open(name, "rb") as file:
            if cut not in file.readline():
                return
        first = next(rows_of_table(name, commas=cut == b","))[1]
        raise _is_table(display_name(path), describe_columns(first))


def _is_table(name: str, columns: str) -> UsageError:
    known = f" ({columns})" if columns else ""
    return UsageError(f"{name} is a table; choose a column with {name}:COLUMN{known}")


def check_plain(path: Path, first: bytes) -> None:
    """Raise an error if a file that should be plain text is a table; the message lists its columns."""
    name = display_name(path)
    if first.startswith((b"PAR1", b"ARROW1")) or ending_of(name) in BINARY:
        columns = ""
        with contextlib.suppress(Exception), open_batches(full_name(path), []) as (schema, _):
            columns = ", ".join(schema_names(schema))
        raise _is_table(name, columns)
    if first.lstrip().startswith(b'{"'):
        with contextlib.suppress(ValueError):
            record = load_json(first)
            names = nested_names(record)
            shown = ", ".join(each for each in names if isinstance(member(record, each), str)) or ", ".join(names)
            raise UsageError(f"{name} contains JSON records, not lines; choose a column with {name}:COLUMN ({shown})")


def ending_of(file: str) -> str:
    """Return the extension of a file name, ignoring compression extensions such as ``.gz``.

    >>> ending_of("corpus.tsv.zst")
    '.tsv'
    """
    return os.path.splitext(without_packing(file))[1].lower()


def _line(cell: Any, file: str, row: int) -> str:
    """Return a cell as one line of text; raise an error if it does not contain text."""
    if cell is None:
        raise InputError(f"row {row} has no text; use '' for an empty sentence", path=file)
    if not isinstance(cell, str):
        raise InputError(f"row {row} contains {excerpt(str(cell))} ({type(cell).__name__}); expected text", path=file)
    return as_line(cell)


def as_line(cell: str) -> str:
    """Return the text of a cell as one line, with spaces for line breaks and tabs.

    >>> as_line("one\\ttwo\\n")
    'one two'
    """
    return cell if cell.isprintable() else " ".join(cell.replace("\t", "\n").splitlines())


def _cells(file: str, column: str) -> Iterator[Any]:
    if os.path.isdir(file):
        return chain.from_iterable(_cells(table, column) for table in dataset_files(file))
    ending = ending_of(file)
    if ending in BINARY:
        return _batch_cells(file, column)
    return _record_cells(file, column) if ending in JSON_LINES else _field_cells(file, column, ending)


def json_records(file: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the line number and the JSON object on every line; skip empty lines."""
    for block in line_blocks(file):
        for row in range(len(block)):
            line = block.text(row)
            if not line.strip():
                continue
            try:
                record = load_json(line)
            except ValueError as error:
                raise block.error(row, f"expected a JSON object, found {excerpt(line)} ({error})") from None
            if not isinstance(record, dict):
                raise block.error(row, f"expected a JSON object, found {excerpt(line)}")
            yield block.first_line + row, record


def json_list(file: Path, *, expected: str) -> list[Any]:
    """Read a JSON file that contains a list; ``expected`` describes the list in error messages."""
    name = display_name(file)
    try:
        found = load_json(read_whole(file))
    except ValueError as error:
        line = getattr(error, "lineno", None)
        raise InputError(f"not valid JSON ({error}); expected {expected}", path=name, line=line) from None
    if not isinstance(found, list):
        raise InputError(f"not a JSON list; expected {expected}", path=name)
    return found


def _record_cells(file: str, column: str) -> Iterator[Any]:
    """Yield the value of ``column`` in each JSON object; ``a.b`` is key b of the object a."""
    for line, record in json_records(file):
        try:
            yield member(record, column)
        except KeyError:
            found = f"no key {column!r}; found {', '.join(map(repr, nested_names(record)))}"
            raise InputError(found, path=display_name(file), line=line) from None


def member(record: dict[str, Any], column: str) -> Any:
    """Return the value of a key; ``a.b`` is key b of the object a, unless there is a key ``a.b``."""
    if column in record:
        return record[column]
    outer, dot, inner = column.partition(".")
    if dot and isinstance(record.get(outer), dict):
        return member(record[outer], inner)
    raise KeyError(column)


def _field_cells(file: str, column: str, ending: str) -> Iterator[str]:
    """Yield the fields of a column; raise an error for rows that are too short."""
    rows = rows_of_table(file, commas=ending == ".csv")
    header = next(rows, None)
    if header is None:
        return
    names = header[1]
    if column in names:
        place = names.index(column)
    elif column.isdecimal() and 1 <= int(column) <= len(names):  # no header: the first row is data
        place = int(column) - 1
        warn_about(header_warning(display_name(file), place, names))
        yield names[place]
    else:
        raise unknown_column(display_name(file), column, names, commas=ending == ".csv")
    for line, fields in rows:
        if len(fields) <= place:
            found = f"expected {len(names)} fields as in the first row, found {len(fields)}"
            raise InputError(found, path=file, line=line)
        yield fields[place]


def rows_of_table(file: str, *, commas: bool) -> Iterator[tuple[int, list[str]]]:
    """Yield line numbers and rows of a table; CSV is read by Python's csv module, and TSV is split at every tab."""
    lines = (block.text(row) for block in line_blocks(file) for row in range(len(block)))
    if not commas:
        unquoted = unquoting(file)
        yield from ((number, list(map(unquoted, line.split("\t")))) for number, line in enumerate(lines, start=1))
        return
    csv.field_size_limit(1 << 30)
    records = csv.reader((line + "\n" for line in lines), strict=True)
    try:
        for fields in records:
            if fields:
                yield records.line_num, fields
    except csv.Error as error:
        raise InputError(f"not valid CSV: {error}", path=file, line=max(records.line_num, 1)) from None


def unquoting(file: str) -> Callable[[str], str]:
    """Return a function that removes the quoting from the fields of a TSV file.

    Spreadsheets and pandas double all quotation marks inside quoted fields. A single quotation mark inside a field
    therefore shows that the fields of the file are not quoted; the file is searched for one when the first quoted
    field appears.
    """
    is_plain = cache(lambda: any(_SINGLE.search(block.data.data) for block in line_blocks(file)))

    def unquoted(field: str) -> str:
        inner = field[1:-1]
        return inner.replace('""', '"') if '""' in inner and _QUOTED.fullmatch(field) and not is_plain() else field

    return unquoted


def _batch_cells(file: str, column: str) -> Iterator[Any]:
    """Yield the cells of a column of a Parquet or Arrow file."""
    with open_batches(file, [column]) as (schema, batches):
        name = column if column in schema.names else column.split(".")[0]
        if name not in schema.names:
            raise choices(column, schema_names(schema), what=f"column of {file}")
        for batch in batches:
            for cell in batch.column(batch.schema.get_field_index(name)).to_pylist():
                try:
                    yield member({name: cell}, column)
                except KeyError:
                    known = ", ".join(map(repr, nested_names({name: cell}))) if cell else "nothing"
                    raise InputError(f"no key {column!r} in column {name!r}; found {known}", path=file) from None


@contextlib.contextmanager
def open_batches(file: str, columns: Sequence[str]) -> Iterator[tuple[Any, Iterator[Any]]]:
    """Open a Parquet or Arrow file; yield its schema, and batches that contain at least the given columns."""
    note_input(file)
    with contextlib.ExitStack() as opened:
        if ending_of(file) == ".parquet":
            source = opened.enter_context(open(file, "rb"))
            found = parquet_batches(source, file, [column.split(".")[0] for column in columns])
            yield pq.read_schema(source), map(_validated, found)
            return
        source = opened.enter_context(pa.memory_map(file))
        try:
            batches = opened.enter_context(pa.ipc.open_stream(source))
        except (pa.ArrowInvalid, OSError):
            whole = opened.enter_context(pa.ipc.open_file(source))
            schema, batches = whole.schema, map(whole.get_batch, range(whole.num_record_batches))
        else:
            schema = batches.schema
        yield schema, (not_large(_validated(batch), file) for batch in batches)


def _validated(batch: Any) -> Any:
    """Return a batch, or raise an error if it is inconsistent; invalid UTF-8 is reported later, on reading."""
    for column in batch.columns:
        as_bytes = {pa.string(): pa.binary(), pa.large_string(): pa.large_binary()}.get(column.type)
        (column if as_bytes is None else column.view(as_bytes)).validate(full=True)
    return batch


def dataset_files(folder: str) -> list[str]:
    """Return the files of a Hugging Face dataset (from ``save_to_disk`` or a download) in order."""
    for place in (folder, os.path.join(folder, "data")):
        names: Sequence[str] = sorted(os.listdir(place)) if os.path.isdir(place) else []
        tables = [os.path.join(place, name) for name in names if ending_of(name) in (*BINARY, *JSON_LINES)]
        if tables:
            return tables
    splits = [name for name in sorted(os.listdir(folder)) if os.path.isdir(os.path.join(folder, name))]
    hint = f"; its folders: {', '.join(splits)}" if splits else ""
    raise UsageError(f"{folder}: no .arrow, .parquet or .jsonl files found; expected a dataset{hint}")
