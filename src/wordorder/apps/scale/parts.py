"""The parts of a corpus, which are Parquet files, and the reports stored in the results of processing them.

A result is a Parquet file with the same name as its part. Its metadata contains a report: which job made it from
which input, the number of rows, how many were unusable and why, and the sums over its rows. Two checksums in the
report, one of the footer with the report and one of everything before it, show whether a result is as it was written.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import wraps
from itertools import accumulate, pairwise, takewhile
from typing import IO, Any, Self, TypeVar

from wordorder.apps.scale.folders import Folder, absolute, find_files, is_remote, open_file
from wordorder.core.runtime.errors import InputError, UsageError, WordorderError, count_of, refuse, reject
from wordorder.core.runtime.files import LINES_PER_BLOCK
from wordorder.core.runtime.libraries import pa, pc, pq
from wordorder.core.runtime.own_inputs import note_input
from wordorder.core.runtime.plain import load_json
from wordorder.formats.parquet import parquet_batches
from wordorder.formats.tables import damage_reported

ROWS_PER_PART = 131_072
"""The number of sentence pairs in a part that ``import`` writes, and in a row group of any result."""

ENDING = ".parquet"
JOB_FILE = "_job.json"
REPORT_KEY = b"wordorder"

_DIGEST_SIZE = 16
_MAGIC = b"PAR1"
_UNSEALED = hashlib.sha256(b"wordorder").hexdigest()  # takes the place of a checksum while it is computed
_PIECE = 1 << 22
_TAIL = 8192  # enough bytes for the footer of most results


def digest(*contents: bytes) -> str:
    """Return a hash of the given contents, in hexadecimal digits."""
    found = hashlib.blake2b(digest_size=_DIGEST_SIZE)
    for content in contents:
        found.update(len(content).to_bytes(8, "little"))
        found.update(content)
    return found.hexdigest()


def hash_file(file: Any, start: int = 0, size: int | None = None, *, into: Any = None) -> Any:
    """Return the hash object ``into`` (default: a new one) after adding ``size`` bytes of a file, or all the rest.

    SHA-256 is the fastest hash of the standard library, because processors have instructions for it.
    """
    found = hashlib.sha256() if into is None else into
    file.seek(start)
    while (size is None or size > 0) and (piece := file.read(_PIECE if size is None else min(_PIECE, size))):
        found.update(piece)
        size = None if size is None else size - len(piece)
    return found


@dataclass(frozen=True)
class Part:
    """One Parquet file of a corpus; ``name`` is the name of its result.

    ``first_row`` is the number of rows before this part in the corpus, or None if the job does not need it.
    """

    path: str
    name: str
    first_row: int | None = None

    def absolute(self) -> Part:
        """Return the part with an absolute path, for processes with other working directories."""
        return replace(self, path=absolute(self.path))

    def fingerprint(self, columns: Iterable[str] | None = None) -> str:
        """Return a hash of the contents of the given columns and of the footer, or of the whole file.

        Only the bytes of these columns are read. Unlike the footer, they change whenever a cell changes.
        """
        size, footer = _read_footer(self.path)
        found = hashlib.sha256(footer)
        with open_file(self.path) as file, damage_reported(self.path):
            if columns is None:
                hash_file(file, into=found)
            else:
                chunks = _chunks(pq.ParquetFile(file, buffer_size=_TAIL), set(columns))
                if sum(length for _, length in chunks) > size:
                    raise InputError("the file is damaged: its footer does not match its size", path=self.path)
                for start, length in chunks:
                    hash_file(file, max(start, 0), length, into=found)
        return digest(found.digest(), b"" if self.first_row is None else str(self.first_row).encode())

    def schema(self) -> pa.Schema:
        """Return the Arrow schema of the part."""
        with open_file(self.path) as file, damage_reported(self.path):
            return pq.read_schema(file)

    def batches(self, columns: Sequence[str] | None = None, *, rows: int = LINES_PER_BLOCK) -> Iterator[Any]:
        """Yield batches of ``rows`` rows, with all columns or with those given, which may be nested (``a.b``)."""
        with open_file(self.path) as file, damage_reported(self.path):
            wanted = None if columns is None else list(dict.fromkeys(columns))
            yield from parquet_batches(file, self.path, wanted, rows)


def _chunks(table: Any, columns: set[str]) -> list[tuple[int, int]]:
    """Return the start and the size of the chunks that hold the given columns, which may be nested (``a.b``)."""
    paths = [table.schema.column(place).path for place in range(len(table.schema))]
    chosen = [n for n, path in enumerate(paths) if not columns.isdisjoint(accumulate(path.split("."), "{}.{}".format))]
    found = []
    for number in range(table.num_row_groups if chosen else 0):
        next(table.iter_batches(1, [number], columns, use_threads=False), None)  # if damaged: column() would abort
        for chunk in map(table.metadata.row_group(number).column, chosen):
            start = chunk.dictionary_page_offset if chunk.has_dictionary_page else chunk.data_page_offset
            found.append((min(start, chunk.data_page_offset), chunk.total_compressed_size))
    return found


def _read_footer(path: str) -> tuple[int, bytes]:
    """Return the size and the footer of a Parquet file, which usually takes a single read at the end of the file."""
    with open_file(path) as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - _TAIL))
        tail = file.read(_TAIL)
        length = int.from_bytes(tail[-8:-4], "little")
        reject(tail[-4:] != _MAGIC or length + 8 > size, "the file is damaged or not a Parquet file", path=path)
        if length + 8 > len(tail):
            file.seek(size - 8 - length)
            return size, file.read(length)
        return size, tail[-8 - length : -8]


def find_parts(inputs: str | os.PathLike[str] | Iterable[str | os.PathLike[str]]) -> list[Part]:
    """Return the parts (Parquet files) that the given folders, files and patterns contain, sorted by name.

    If files in different folders have the same name, the names of all parts include the folders.
    """
    given = [inputs] if isinstance(inputs, (str, os.PathLike)) else list(inputs)
    paths = list(dict.fromkeys(path for each in given for path in _files_of(os.fspath(each))))
    names = [os.path.basename(path) for path in paths]
    if len(set(names)) < len(names):
        split = [path.split("/") for path in paths]
        shared = len(list(takewhile(lambda level: len(set(level)) == 1, zip(*split, strict=False))))
        names = ["-".join(names[shared:]) for names in split]
    parts = sorted((Part(path, name) for path, name in zip(paths, names, strict=True)), key=lambda part: part.name)
    for one, two in pairwise(parts):
        if one.name == two.name:
            raise UsageError(f"{one.path} and {two.path} would get results with the same name; rename one of them")
    for path in [*(part.path for part in parts), *(Folder(os.fspath(each)).path_of(JOB_FILE) for each in given)]:
        note_input(path)
    return parts


def count_rows(parts: Iterable[Part]) -> list[int]:
    """Return the number of rows of each part."""
    found = []
    for part in parts:
        with open_file(part.path) as file, damage_reported(part.path):
            found.append(int(pq.read_metadata(file).num_rows))
    return found


def place_parts(parts: Sequence[Part]) -> list[Part]:
    """Return the parts with ``first_row`` filled in, the position of their first row in the corpus.

    It stays None for the parts after one that cannot be read.
    """
    place: int | None = 0
    found = []
    for part in parts:
        found.append(replace(part, first_row=place))
        if place is not None:
            try:
                place += count_rows([part])[0]
            except InputError:
                place = None
    return found


def readable_part(parts: Sequence[Part]) -> Part:
    """Return the first part whose footer can be read; if there is none, raise the error of the first part."""
    for part in parts:
        with contextlib.suppress(InputError):
            part.schema()
            return part
    parts[0].schema()
    return parts[0]


def _files_of(path: str) -> list[str]:
    if any(sign in path for sign in "*?[") and not os.path.exists(path):
        found = [each for each in find_files(path) if each.endswith(ENDING)]
        refuse(not found, f"{path}: no Parquet file matches this pattern")
        return found
    folder = Folder(path)
    if not folder.is_there():
        refuse(not is_remote(path) and not os.path.exists(path), f"{path}: no such file or folder")
        refuse(not path.endswith(ENDING), f"{path}: not a Parquet file; convert it with 'wordorder scale import' first")
        return [path]
    for place in (folder, Folder(folder.path_of("data"))):
        names = [name for name in place.names() if name.endswith(ENDING) and name[0] not in "._"]
        if names:
            return [place.path_of(name) for name in names]
    other = [name for name in folder.names() if name[0] not in "._"]
    hint = f"; convert {', '.join(other[:3])} with 'wordorder scale import' first" if other else ""
    raise UsageError(f"{path}: no Parquet files in this folder{hint}")


def columns_of(schema: pa.Schema) -> dict[str, pa.DataType]:
    """Return the types of all columns by name; nested columns are named with dots, as in ``translation.de``."""
    found: dict[str, Any] = {}

    def add(prefix: str, fields: Iterable[Any]) -> None:
        for each in fields:
            found[prefix + each.name] = each.type
            if pa.types.is_struct(each.type):
                add(f"{prefix}{each.name}.", each.type)

    add("", schema)
    return found


def cells_of(batch: Any, column: str) -> pa.Array:
    """Return a column of a batch; ``a.b`` means field b of column a, unless a column is itself named ``a.b``."""
    name, place = column, batch.schema.get_field_index(column)
    while place < 0:
        name = name.rpartition(".")[0]
        reject(not name, f"expected one column {column!r}, found: {', '.join(batch.schema.names)}")
        place = batch.schema.get_field_index(name)
    inner = column[len(name) + 1 :]
    return pc.struct_field(batch.column(place), inner.split(".")) if inner else batch.column(place)


@dataclass(frozen=True)
class Report:
    """The report on a part, which is stored in the metadata of its result.

    ``job`` and ``input`` are hashes of the job and of the part; ``bad`` counts unusable rows by reason; ``sums``
    are sums over the rows, from which the totals of the corpus are computed. ``body`` is the checksum of the file up
    to its footer, and ``checksum`` that of the footer; results of version 0.2.0 have neither.
    """

    command: str
    version: str
    settings: Mapping[str, Any]
    signature: Mapping[str, Any]
    job: str
    input: str
    rows: int
    bad: Mapping[str, int] = field(default_factory=dict)
    sums: Mapping[str, Any] = field(default_factory=dict)
    body: str = ""
    checksum: str = ""

    def write(self) -> bytes:
        """Return the report as JSON, which represents floats exactly."""
        return json.dumps(vars(self), ensure_ascii=False, separators=(",", ":")).encode()


class ResultFile:
    """A result that is being written: its rows, and at the end the report on them. It is a context manager."""

    def __init__(self, target: IO[bytes], schema: pa.Schema) -> None:
        self._target, self._stream = target, _Stream(target)
        self._writer = pq.ParquetWriter(self._stream, schema, compression="zstd")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self._stream.footer is None:  # an error: the file is discarded
            self._stream.footer = bytearray()
            self._writer.close()

    def write(self, table: pa.Table) -> None:
        """Write a table in row groups of the usual size."""
        self._writer.write_table(table, row_group_size=ROWS_PER_PART)

    def finish(self, report: Report) -> None:
        """Write the footer with the report, to which the checksums are added."""
        self._stream.footer = bytearray()
        sealed = replace(report, body=self._stream.hash.hexdigest(), checksum=_UNSEALED)
        self._writer.add_key_value_metadata({REPORT_KEY: sealed.write()})
        self._writer.close()
        footer = bytes(self._stream.footer)
        self._target.write(footer.replace(_UNSEALED.encode(), _checksum(footer[:-8]).encode()))


class _Stream(io.RawIOBase):
    """Hash what is written and pass it on to another stream; once there is a ``footer``, collect it there instead."""

    def __init__(self, target: IO[bytes]) -> None:
        self._target = target
        self._place = 0
        self.hash = hashlib.sha256()
        self.footer: bytearray | None = None

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._place

    def write(self, data: Any) -> int:
        if self.footer is None:
            self.hash.update(data)
            self._target.write(data)
        else:
            self.footer += data
        self._place += len(data)
        return len(data)


def _checksum(footer: bytes) -> str:
    return hashlib.sha256(footer).hexdigest()


def read_report(path: str) -> Report | None:
    """Read the report from a result without comparing checksums; return None if there is none or it is damaged."""
    try:
        return _report_in(_read_footer(path)[1])
    except (WordorderError, OSError):
        return None


def _report_in(footer: bytes) -> Report | None:
    try:
        found = Report(**load_json(_value_of(footer, REPORT_KEY)))
    except (TypeError, ValueError, IndexError):
        return None
    named = all(isinstance(each, dict) for each in (found.settings, found.signature, found.bad, found.sums))
    written = all(isinstance(each, str) for each in (found.body, found.checksum))
    counted = named and all(isinstance(count, int) for count in (found.rows, *found.bad.values()))
    return found if counted and written else None


def read_result(path: str, *, whole: bool = True) -> Report:
    """Return the report in a result; raise InputError if the result is not as it was written.

    Unless ``whole``, only the footer is read and checked, which takes a moment however large the result is.
    """
    size, footer = _read_footer(path)
    report = _report_in(footer)
    if report is None:
        raise InputError("not a result made by wordorder, or damaged", path=path)
    reject(not report.checksum, f"a result of version {report.version}, which has no checksums", path=path)
    if _checksum(footer.replace(report.checksum.encode(), _UNSEALED.encode())) != report.checksum:
        raise InputError("damaged: its footer does not match its checksum", path=path)
    if whole:
        with open_file(path) as file, damage_reported(path):
            if hash_file(file, 0, size - len(footer) - 8).hexdigest() != report.body:
                raise InputError("damaged: its rows do not match their checksum", path=path)
    return report


Item = TypeVar("Item")
Found = TypeVar("Found")


def read_each(function: Callable[[Item], Found], items: Iterable[Item]) -> list[Found | InputError]:
    """Call a function that reads a file for each item, in threads; return its values or its InputErrors."""

    def read(item: Item) -> Found | InputError:
        try:
            return function(item)
        except InputError as error:
            return error

    with ThreadPoolExecutor() as pool:
        return list(pool.map(read, items))


Total = TypeVar("Total")


def of_reports(total: Callable[..., Total]) -> Callable[..., Total]:
    """Decorate a function of reports: raise InputError if their sums do not have the form that it expects."""

    @wraps(total)
    def checked(reports: Sequence[Report], *rest: Any, **more: Any) -> Total:
        try:
            return total(reports, *rest, **more)
        except (LookupError, TypeError, ValueError, AttributeError, OSError) as error:
            raise InputError(
                f"the sums in the results of 'scale {reports[0].command}' cannot be added up ({error}); delete the "
                "results and run the same command again"
            ) from None

    return checked


def _value_of(footer: bytes, key: bytes) -> bytes:
    """Return the value of a metadata key in a Parquet footer without parsing the whole footer.

    In Thrift's compact protocol, the key and the value are consecutive text fields. Each consists of a type byte, the
    size in groups of seven bits, and the bytes of the text.
    """
    field = b"\x18"
    at = footer.rindex(field + bytes([len(key)]) + key + field) + len(key) + 3
    size, shift = 0, 0
    while True:
        byte, at = footer[at], at + 1
        size |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return footer[at : at + size]


def total_bad(reports: Iterable[Report]) -> Counter[str]:
    """Return the number of unusable rows in all parts for each reason."""
    return sum((Counter(report.bad) for report in reports), Counter[str]())


def write_bad(bad: Mapping[str, int]) -> str:
    """Return a note with the number of unusable rows and the reasons, or an empty string if there are none."""
    reasons = ", ".join(f"{count} {reason}" for reason, count in sorted(bad.items()))
    return f"{count_of(sum(bad.values()), 'unusable row')} left out ({reasons})" if bad else ""
