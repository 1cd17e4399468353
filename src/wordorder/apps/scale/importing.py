"""Import parallel text from TSV, CSV, JSON Lines, Parquet or Moses files, or Hugging Face datasets, into a corpus.

Files are read in blocks, so memory use stays constant. An invalid line does not stop the import: its cells become
null, and the line is counted under the reason.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Unpack

import numpy as np

from wordorder.apps.scale.folders import Folder, absolute, find_files
from wordorder.apps.scale.jobs import NOT_UTF8, as_text, job_digest
from wordorder.apps.scale.parts import (
    ENDING,
    ROWS_PER_PART,
    Report,
    ResultFile,
    cells_of,
    columns_of,
    digest,
    hash_file,
    read_each,
    read_report,
    read_result,
    total_bad,
)
from wordorder.apps.scale.runner import (
    ADVICE,
    PartError,
    RunOptions,
    Shard,
    StrictError,
    discard,
    planned_parts,
    run_tasks,
    write_plan,
)
from wordorder.core.runtime.errors import InputError, UsageError, check_choice, choices, count_of, refuse, reject
from wordorder.core.runtime.files import LINES_PER_BLOCK, LineBlock, is_endless, line_blocks
from wordorder.core.runtime.libraries import pa, pc
from wordorder.core.runtime.own_inputs import inputs_kept, note_input
from wordorder.formats import tables
from wordorder.formats.sources import lockstep, text_blocks
from wordorder.formats.tables import unknown_column
from wordorder.formats.text import file_behind, is_plain
from wordorder.version import __version__

Cells = dict[str, Any]
"""The columns of a block by name. Text is stored as text or bytes, other types unchanged; missing cells are null."""

SHORT_LINE, NOT_JSON = "line too short", "not a JSON object"


@dataclass(frozen=True)
class Source:
    """A table, or a set of parallel text files, which is imported into parts whose names begin with ``name``."""

    name: str
    table: str | None
    columns: tuple[tuple[str, str], ...]

    @property
    def files(self) -> list[str]:
        """The files of the table or of the parallel texts."""
        return [self.table] if self.table is not None else [file_behind(text) for _, text in self.columns]

    def absolute(self) -> Source:
        """Return the source with absolute paths, for processes with other working directories."""
        if self.table is not None:
            return replace(self, table=absolute(self.table))
        return replace(self, columns=tuple((role, absolute(text)) for role, text in self.columns))

    def fingerprint(self) -> str:
        """Return a hash of the contents of the files."""
        seen: list[bytes] = []
        for path in self.files:
            for file in tables.dataset_files(path) if os.path.isdir(path) else [path]:
                note_input(file)
                try:
                    refuse(is_endless(file), f"{file}: expected a file, found a device")
                    with open(file, "rb") as stream:
                        seen.append(hash_file(stream).digest())
                except OSError as error:
                    raise UsageError(f"{file}: cannot read the file ({error.strerror})") from None
        return digest(*seen)

    def blocks(self) -> Iterator[tuple[Cells, dict[int, str]]]:
        """Yield blocks of rows, each with the reasons why some rows are unusable, by row number."""
        if self.table is None:
            names = [text for _, text in self.columns]
            streams = {name: _text_cells(name) for name in dict.fromkeys(names)}
            for cells in lockstep(streams):
                found = dict(zip(streams, cells, strict=True))
                yield {role: found[text] for role, text in self.columns}, {}
            return
        ending = tables.ending_of(self.table)
        if ending in tables.BINARY:
            yield from _binary_blocks(self.table, dict(self.columns))
        elif ending in tables.JSON_LINES:
            yield from _record_blocks(self.table, dict(self.columns))
        elif ending == ".csv":
            yield from _csv_blocks(self.table, dict(self.columns))
        else:
            yield from _field_blocks(self.table, dict(self.columns))


def _text_cells(text: str) -> Iterator[Any]:
    """Yield the lines of a text in blocks; if it is a plain text file, it need not be valid UTF-8."""
    if not is_plain(text):
        yield from text_blocks(text)
        return
    for block in line_blocks(text):
        yield _lines_of(block)


def _lines_of(block: LineBlock) -> pa.LargeBinaryArray:
    """Return the lines of a block as bytes, without line ends."""
    buffers = [None, pa.py_buffer(block.starts), pa.py_buffer(block.data)]
    lines = pa.Array.from_buffers(pa.large_string(), len(block), buffers)
    return pc.ascii_rtrim(lines, characters="\r\n").view(pa.large_binary())


def _field_blocks(file: str, columns: Mapping[str, str]) -> Iterator[tuple[Cells, dict[int, str]]]:
    """Yield the columns of a TSV file in blocks, each with the unusable rows and the reasons.

    Columns are identified by the names in the first line or by their numbers, from 1.
    """
    places: dict[str, int] = {}
    unquoted = tables.unquoting(file)
    for block in line_blocks(file):
        lines = _lines_of(block)
        if not places:
            names = list(map(unquoted, block.line(0).split("\t")))
            places = _places(file, names, columns)
            lines = lines[0 if _are_numbers(names, columns) else 1 :]
        fields = pc.split_pattern(lines, "\t")
        short = np.diff(fields.offsets.to_numpy()) <= max(places.values())
        if short.any():
            lines = pc.if_else(pa.array(short), b"\t" * max(places.values()), lines)
            fields = pc.split_pattern(lines, "\t")
        cells = {role: _unquote(pc.list_element(fields, place), unquoted) for role, place in places.items()}
        if short.any():
            cells = {role: pc.if_else(pa.array(short), None, column) for role, column in cells.items()}
        yield cells, dict.fromkeys(np.flatnonzero(short).tolist(), SHORT_LINE)


def _are_numbers(names: Sequence[str], columns: Mapping[str, str]) -> bool:
    """Return whether the columns are given by number, in which case the first line is not a header."""
    return not set(columns.values()) & set(names)


def _places(file: str, names: Sequence[str], columns: Mapping[str, str]) -> dict[str, int]:
    """Return the position of the requested columns among the fields of a line, by role."""
    places = {}
    for role, column in columns.items():
        if column in names:
            places[role] = names.index(column)
        elif column.isdecimal() and 1 <= int(column) <= len(names):
            places[role] = int(column) - 1
        else:
            raise unknown_column(file, column, names, commas=tables.ending_of(file) == ".csv")
    return places


def _unquote(column: pa.Array, unquoted: Callable[[str], str]) -> pa.Array:
    """Remove the quoting from fields that contain doubled quotation marks."""
    quoted = pc.match_substring(column, '""')
    if not pc.any(quoted).as_py():
        return column
    cells = column.to_pylist()
    return pa.array(
        [unquoted(cell.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape") for cell in cells],
        pa.large_binary(),
    )


def _record_blocks(file: str, columns: Mapping[str, str]) -> Iterator[tuple[Cells, dict[int, str]]]:
    """Yield the columns of a JSON Lines file in blocks, each with the unusable rows and the reasons."""
    for block in line_blocks(file):
        cells: dict[str, list[str | None]] = {role: [] for role in columns}
        wrong: dict[int, str] = {}
        for row in range(len(block)):
            found: list[str | None] = [None] * len(columns)
            try:
                record = json.loads(block.text(row))
                if not isinstance(record, dict):
                    raise ValueError
                found = [_text_or_number(tables.member(record, column)) for column in columns.values()]
            except InputError:
                wrong[row] = NOT_UTF8
            except KeyError as error:
                if block.first_line == 1 and not row:
                    raise choices(str(error.args[0]), list(record), what=f"column of {file}") from None
                wrong[row] = f"no {error.args[0]!r}"
            except (ValueError, RecursionError):
                wrong[row] = NOT_JSON
            for column, cell in zip(cells.values(), found, strict=True):
                column.append(cell)
        yield {role: _nullable(column) for role, column in cells.items()}, wrong


def _text_or_number(cell: Any) -> str | None:
    return cell if cell is None or isinstance(cell, str) else json.dumps(cell, ensure_ascii=False)


def _nullable(cells: Sequence[str | None]) -> pa.Array:
    try:
        return pa.array(cells, pa.large_string())
    except UnicodeEncodeError:  # half of a surrogate pair, which JSON can contain
        return pa.array([None if cell is None else cell.encode("utf-8", "surrogatepass") for cell in cells])


def _csv_blocks(file: str, columns: Mapping[str, str]) -> Iterator[tuple[Cells, dict[int, str]]]:
    places: dict[str, int] = {}
    held: list[list[str]] = []
    for _, fields in tables.rows_of_table(file, commas=True):
        if not places:
            places = _places(file, fields, columns)
            if not _are_numbers(fields, columns):
                continue
        held.append(fields)
        if len(held) == LINES_PER_BLOCK:
            yield _cut(held, places)
            held = []
    if held:
        yield _cut(held, places)


def _cut(rows: Sequence[Sequence[str]], places: Mapping[str, int]) -> tuple[Cells, dict[int, str]]:
    needed = max(places.values())
    wrong = {row: SHORT_LINE for row, fields in enumerate(rows) if len(fields) <= needed}
    cells = {
        role: _nullable([None if row in wrong else fields[place] for row, fields in enumerate(rows)])
        for role, place in places.items()
    }
    return cells, wrong


def _binary_blocks(file: str, columns: Mapping[str, str]) -> Iterator[tuple[Cells, dict[int, str]]]:
    """Yield the columns of a Parquet or Arrow file in blocks, none of which has unusable rows."""
    opened = tables.open_batches(file, list(columns.values()))
    with tables.damage_reported(file), opened as (schema, batches):
        known = columns_of(schema)
        for column in columns.values():
            check_choice(column, known, f"column of {file}")
        for batch in batches:
            yield {role: cells_of(batch, column) for role, column in columns.items()}, {}


@dataclass(frozen=True)
class ImportJob:
    """The job that imports files as parts; ``columns`` pairs each column of the corpus with a column of the files."""

    columns: tuple[tuple[str, str], ...]

    command = "import"

    @property
    def settings(self) -> dict[str, Any]:
        """The columns and the number of rows in a part."""
        return {"columns": dict(self.columns), "rows": ROWS_PER_PART}

    @cached_property
    def digest(self) -> str:
        """A hash of the command, version and settings that identifies the job."""
        return job_digest(self.command, self.settings)


@inputs_kept()
def import_source(job: ImportJob, source: Source, out: str, *, strict: bool = False) -> str:
    """Write the parts of one source, unless they already exist, and return the name of the source."""
    folder, fingerprint = Folder(out), source.fingerprint()
    held: list[tuple[Any, dict[int, str]]] = []
    number = first_row = 0
    for table, wrong in _cleaned(source):
        if strict and wrong:
            row = min(wrong)
            raise StrictError(f"row {first_row + row + 1}: {wrong[row]}", path=source.files[0])
        first_row += table.num_rows
        held.append((table, wrong))
        while sum(table.num_rows for table, _ in held) > ROWS_PER_PART:  # some rows are left over
            now, held = _split(held, ROWS_PER_PART)
            _write(job, now, folder, f"{source.name}{number:05d}{ENDING}", fingerprint, last=False)
            number += 1
    reject(not held, "the file is empty; expected one sentence pair per line", path=source.files[0])
    _write(job, held, folder, f"{source.name}{number:05d}{ENDING}", fingerprint, last=True)
    return source.name


Held = list[tuple[Any, dict[int, str]]]


def _cleaned(source: Source) -> Iterator[tuple[Any, dict[int, str]]]:
    """Yield the source as Arrow tables, each with the reasons why some of its rows are unusable, by row number."""
    for cells, wrong in source.blocks():
        columns: dict[str, Any] = {}
        for role, column in cells.items():
            kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
            if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind):
                columns[role] = column
                continue
            try:
                lines, bad = as_text(column)
            except (pa.ArrowException, ValueError):
                raise UsageError(f"{source.files[0]}: expected text in the {role!r} column, found {kind}") from None
            for row, reason in bad.items():
                wrong.setdefault(row, f"{role} {reason}")
            if bad:
                lines = pa.array([None if row in bad else line for row, line in enumerate(lines.to_pylist())])
            columns[role] = lines.cast(pa.string())
        yield pa.table(columns), wrong


def _split(held: Held, rows: int) -> tuple[Held, Held]:
    """Split a list of tables after ``rows`` rows, and return the tables before and after this point."""
    before: Held = []
    after: Held = []
    seen = 0
    for table, wrong in held:
        cut = min(max(rows - seen, 0), table.num_rows)
        if cut:
            before.append((table[:cut], {row: why for row, why in wrong.items() if row < cut}))
        if cut < table.num_rows:
            after.append((table[cut:], {row - cut: why for row, why in wrong.items() if row >= cut}))
        seen += table.num_rows
    return before, after


def _write(job: ImportJob, held: Held, folder: Folder, name: str, fingerprint: str, *, last: bool) -> None:
    if name in folder.names():
        with contextlib.suppress(InputError):
            known = read_result(folder.path_of(name))
            if (known.job, known.input, known.sums.get("last")) == (job.digest, fingerprint, last):
                return
    table = pa.concat_tables([table for table, _ in held])
    bad = sum((Counter(wrong.values()) for _, wrong in held), Counter[str]())
    about = job.command, __version__, job.settings, {"version": __version__}, job.digest, fingerprint
    with folder.write(name) as target, ResultFile(target, table.schema) as result:
        result.write(table)
        result.finish(Report(*about, table.num_rows, bad, {"last": last}))


@dataclass(frozen=True)
class Imported:
    """The outcome of an import: numbers of parts, rows and, by reason, unusable rows."""

    out: str
    parts: int
    rows: int
    bad: Mapping[str, int]


@inputs_kept()
def import_corpus(
    files: str | os.PathLike[str] | Iterable[str | os.PathLike[str]] = (),
    *,
    columns: Mapping[str, str],
    out: str | os.PathLike[str],
    **options: Unpack[RunOptions],
) -> Imported:
    """Create a corpus of Parquet files from files of parallel text.

    ``files`` are tables (TSV, CSV, JSON Lines, Parquet or Arrow, maybe compressed) or folders with Hugging Face
    datasets, and ``columns`` maps new column names to columns of these tables: ``{"source": "1", "target": "2"}``.
    Without ``files``, it maps new column names to parallel text files, as in OPUS:
    ``{"source": "x.de", "target": "x.en"}``, or to columns of tables (``FILE:column``).
    """
    sources = find_sources(files, columns)
    job, folder = ImportJob(tuple(columns.items())), Folder(os.fspath(out))
    shard = Shard.parse(options.get("shard") or "1/1")
    done = _finished(job, sources, folder, shard, overwrite=options.get("overwrite", False))
    pending = [source for source in shard.of(sources) if source.name not in done]
    folder.make()
    write_plan(job, folder, [], sources=[source.name for source in sources])
    task = partial(import_source, job, out=absolute(folder.path), strict=options.get("strict", False))
    failed = run_tasks(task, pending, folder, shard=shard, label=job.command, options=options)
    if failed:
        raise PartError(f"{count_of(len(failed), 'file')} of {len(sources)} failed: {next(iter(failed.values()))}")
    paths = [folder.path_of(name) for name in folder.names() if name.endswith(ENDING)]
    found = [report for report in map(read_report, paths) if report is not None]
    return Imported(folder.path, len(found), sum(report.rows for report in found), total_bad(found))


def find_sources(files: Any, columns: Mapping[str, str]) -> list[Source]:
    """Return the sources to import: one for each table, or a single one for a set of parallel texts."""
    refuse(not columns, "no columns were given; name at least one, as in source=1 target=2")
    given = [files] if isinstance(files, (str, os.PathLike)) else list(files)
    if not given:
        return [Source("part-", None, tuple(columns.items()))]
    paths: list[str] = []
    for path in (os.fspath(each) for each in given):
        if os.path.isdir(path):
            paths += tables.dataset_files(path)
        elif os.path.exists(path):
            paths.append(path)
        else:
            found = find_files(path) if any(sign in path for sign in "*?[") else []
            refuse(not found, f"{path}: no such file or folder")
            paths += found
    several = len(paths) > 1
    return [
        Source(f"part-{number:05d}-" if several else "part-", path, tuple(columns.items()))
        for number, path in enumerate(paths)
    ]


def _finished(job: ImportJob, sources: Sequence[Source], folder: Folder, shard: Shard, *, overwrite: bool) -> set[str]:
    """Return the names of the sources that are fully imported; delete damaged parts of this import.

    Raise an error if the folder has parts of another import or, with ``overwrite``, delete these parts.
    """
    present = [name for name in folder.names() if name.endswith(ENDING)]
    begins = [name.removesuffix(ENDING)[:-5] for name in present]
    inputs = {source.name: source.fingerprint() for source in sources if source.name in begins}
    planned, own = planned_parts(job, folder), {source.name for source in shard.of(sources)}
    reports = read_each(read_result, map(folder.path_of, present))
    done: set[str] = set()
    again: dict[str, str] = {}
    for name, begin, report in zip(present, begins, reports, strict=True):
        if not isinstance(report, InputError) and report.job == job.digest and report.input == inputs.get(begin):
            if report.sums.get("last"):
                done.add(begin)
        elif isinstance(report, InputError) and begin in planned and begin in inputs:
            again[name] = report.message
        elif not overwrite:
            raise UsageError(
                f"{folder.path_of(name)}: this file was made by another import, or its input has changed; {ADVICE}"
            )
        else:
            folder.delete(name)
    discard(folder, {name: reason for name, reason in again.items() if name.removesuffix(ENDING)[:-5] in own})
    return done - {name.removesuffix(ENDING)[:-5] for name in again}
