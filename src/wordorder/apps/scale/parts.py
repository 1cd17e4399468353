"""The parts of a corpus, which are Parquet files, and the reports stored in the results of processing them.

A result is a Parquet file with the same name as its part. Its metadata contains a report: which job made it from
which input, the number of rows, how many were unusable and why, and the sums over its rows.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise, takewhile
from typing import TYPE_CHECKING, Any

from wordorder.apps.scale.folders import Folder, absolute, find_files, is_remote, open_file
from wordorder.core.runtime.errors import InputError, UsageError, WordorderError, count_of
from wordorder.core.runtime.files import LINES_PER_BLOCK
from wordorder.core.runtime.plain import load_json
from wordorder.formats.tables import damage_reported

if TYPE_CHECKING:
    import pyarrow as pa

ROWS_PER_PART = 131_072
"""The number of sentence pairs in a part that ``import`` writes, and in a row group of any result."""

ENDING = ".parquet"
REPORT_KEY = b"wordorder"

_DIGEST_SIZE = 16
_MAGIC = b"PAR1"
_TAIL = 8192  # enough bytes for the footer of most results


def digest(*contents: bytes) -> str:
    """Return a hash of the given contents, in hexadecimal digits."""
    found = hashlib.blake2b(digest_size=_DIGEST_SIZE)
    for content in contents:
        found.update(len(content).to_bytes(8, "little"))
        found.update(content)
    return found.hexdigest()


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

    def fingerprint(self) -> str:
        """Return a hash that identifies the contents of the file, computed from its size and its footer.

        The footer records the position, size, minimum and maximum of every column, so it changes when the contents
        change. Reading it is fast even if the file is large.
        """
        size, footer = _read_footer(self.path)
        place = () if self.first_row is None else (str(self.first_row).encode(),)
        return digest(str(size).encode(), footer, *place)

    def schema(self) -> pa.Schema:
        """Return the Arrow schema of the part."""
        import pyarrow.parquet as pq

        with open_file(self.path) as file, damage_reported(self.path):
            return pq.read_schema(file)

    def batches(self, columns: Sequence[str] | None = None, *, rows: int = LINES_PER_BLOCK) -> Iterator[Any]:
        """Yield batches of ``rows`` rows, with all columns or with those given, which may be nested (``a.b``)."""
        import pyarrow.parquet as pq

        with open_file(self.path) as file, damage_reported(self.path):
            table = pq.ParquetFile(file)
            wanted = None if columns is None else list(dict.fromkeys(columns))
            yield from table.iter_batches(batch_size=rows, columns=wanted, use_threads=False)


def _read_footer(path: str) -> tuple[int, bytes]:
    """Return the size and the footer of a Parquet file, which usually takes a single read at the end of the file."""
    with open_file(path) as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - _TAIL))
        tail = file.read(_TAIL)
        length = int.from_bytes(tail[-8:-4], "little")
        if tail[-4:] != _MAGIC or length + 8 > size:
            raise InputError("the file is damaged or not a Parquet file", path=path)
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
    return parts


def count_rows(parts: Iterable[Part]) -> list[int]:
    """Return the number of rows of each part."""
    import pyarrow.parquet as pq

    found = []
    for part in parts:
        with open_file(part.path) as file, damage_reported(part.path):
            found.append(int(pq.read_metadata(file).num_rows))
    return found


def place_parts(parts: Sequence[Part]) -> list[Part]:
    """Return the parts with ``first_row`` filled in, the position of their first row in the corpus."""
    places = accumulate(count_rows(parts), initial=0)
    return [replace(part, first_row=place) for part, place in zip(parts, places, strict=False)]


def _files_of(path: str) -> list[str]:
    if any(sign in path for sign in "*?[") and not os.path.exists(path):
        found = [each for each in find_files(path) if each.endswith(ENDING)]
        if not found:
            raise UsageError(f"{path}: no Parquet file matches this pattern")
        return found
    folder = Folder(path)
    if not folder.is_there():
        if not is_remote(path) and not os.path.exists(path):
            raise UsageError(f"{path}: no such file or folder")
        if not path.endswith(ENDING):
            raise UsageError(f"{path}: not a Parquet file; convert it with 'wordorder scale import' first")
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
    import pyarrow as pa

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
    import pyarrow.compute as pc

    name, place = column, batch.schema.get_field_index(column)
    while place < 0:
        name = name.rpartition(".")[0]
        place = batch.schema.get_field_index(name)
    inner = column[len(name) + 1 :]
    return pc.struct_field(batch.column(place), inner.split(".")) if inner else batch.column(place)


@dataclass(frozen=True)
class Report:
    """The report on a part, which is stored in the metadata of its result.

    ``job`` and ``input`` are hashes of the job and of the part; ``bad`` counts unusable rows by reason; ``sums``
    are sums over the rows, from which the totals of the corpus are computed.
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

    def write(self) -> bytes:
        """Return the report as JSON, which represents floats exactly."""
        return json.dumps(vars(self), ensure_ascii=False, separators=(",", ":")).encode()


def read_report(path: str) -> Report | None:
    """Read the report from a result; return None if the file is damaged or not a result."""
    try:
        footer = _read_footer(path)[1]
        found = Report(**load_json(_value_of(footer, REPORT_KEY)))
    except (WordorderError, OSError, TypeError, ValueError):
        return None
    named = all(isinstance(each, dict) for each in (found.settings, found.signature, found.bad, found.sums))
    counted = named and all(isinstance(count, int) for count in (found.rows, *found.bad.values()))
    return found if counted else None


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
