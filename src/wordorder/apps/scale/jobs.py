"""Jobs describe how each part of a corpus is processed; they can be sent to other processes.

A job declares the columns that it reads and the settings that its results depend on, and processes a part block by
block. Unusable rows do not stop it: they are left out, and the reason is recorded.
"""

import json
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from wordorder.apps.scale.parts import Part, cells_of, columns_of, digest, find_parts, read_report, readable_part
from wordorder.core.orders import Alignments
from wordorder.core.orders.alignment import UNKNOWN
from wordorder.core.runtime.columns import (
    Bools,
    Floats,
    Int64s,
    bytes_of,
    offsets_from_lengths,
    rows_of,
    strings,
    to_column,
)
from wordorder.core.runtime.errors import InputError, UsageError, choices, mention
from wordorder.core.runtime.files import LONGEST_SENTENCE, LineBlock
from wordorder.core.runtime.libraries import pa
from wordorder.core.text import Tokens, encode, tokenise
from wordorder.formats import pharaoh
from wordorder.formats.tables import as_line
from wordorder.version import __version__

REASON = "reason"
"""The column with the reason why a row cannot be used, or null for usable rows."""

MISSING, NOT_UTF8, TOO_LONG = "missing", "not UTF-8", f"over {LONGEST_SENTENCE} words"

_SPACE = 32
_LINE_ENDS = tuple(map(str.encode, "\x85\u2028\u2029"))  # all other line ends sort before the space character


class RowBlock:
    """A block of rows of a part, with all columns as they were read and, separately, the texts of the usable rows.

    ``texts`` has a column for each role, without the rejected rows; ``rows`` are the positions of the usable
    rows in the block, and ``reasons`` gives the reasons for rejecting the others.
    """

    def __init__(self, batch: Any, columns: Mapping[str, str], *, first_row: int = 0) -> None:
        self.batch = batch
        self.first_row = first_row
        self.rows: Int64s = np.arange(batch.num_rows)
        self.reasons: dict[int, str] = {}
        self.texts: dict[str, pa.LargeStringArray] = {}
        known = {column: as_text(cells_of(batch, column)) for column in dict.fromkeys(columns.values())}
        for role, column in columns.items():
            self.texts[role], wrong = known[column]
            for row, reason in wrong.items():
                self.reasons.setdefault(row, f"{column} {reason}")
        if self.reasons:
            self._keep(np.isin(self.rows, list(self.reasons), invert=True))

    def __len__(self) -> int:
        return int(self.batch.num_rows)

    def refuse(self, marks: Bools, reason: str) -> None:
        """Reject the marked rows for the given reason; ``marks`` has one value per usable row."""
        if marks.any():
            self.reasons |= dict.fromkeys(self.rows[marks].tolist(), reason)
            self._keep(~marks)

    def _keep(self, marks: Bools) -> None:
        places = np.flatnonzero(marks)
        self.rows = self.rows[places]
        self.texts = {role: column.take(places) for role, column in self.texts.items()}

    @property
    def bad(self) -> Counter[str]:
        """The number of rejected rows by reason."""
        return Counter(self.reasons.values())

    def spread_numbers(self, values: Floats) -> pa.Array:
        """Return a column for all rows from the numbers of the usable rows; NaN and rejected rows become null."""
        return self.spread(to_column(values))

    def spread(self, values: pa.Array) -> pa.Array:
        """Return a column for all rows from the values of the usable rows; rejected rows become null."""
        if len(self.rows) == len(self):
            return values
        places: list[int | None] = [None] * len(self)
        for place, row in enumerate(self.rows.tolist()):
            places[row] = place
        return values.take(pa.array(places, pa.int64()))

    def reason_column(self) -> pa.Array:
        """Return the column of reasons, with null for usable rows."""
        if not self.reasons:
            return pa.nulls(len(self), pa.string())
        return pa.array([self.reasons.get(row) for row in range(len(self))], pa.string())


def as_text(cells: pa.Array) -> tuple[pa.LargeStringArray, dict[int, str]]:
    """Convert cells to lines of text; return the lines, and the reason for each unusable row, whose line is empty.

    >>> import pyarrow as pa
    >>> lines, wrong = as_text(pa.array([b"one\\ttwo", None, b"\\xff"]))
    >>> lines.to_pylist(), wrong
    (['one two', '', ''], {1: 'missing', 2: 'not UTF-8'})
    """
    if pa.types.is_dictionary(cells.type):
        cells = cells.dictionary_decode()
    binary = cells.cast(pa.large_binary())
    wrong: dict[int, str] = {}
    if binary.null_count:
        wrong = dict.fromkeys(np.flatnonzero(np.asarray(binary.is_null())).tolist(), MISSING)
        binary = binary.fill_null(b"")
    lines = binary.view(pa.large_string())
    try:
        lines.validate(full=True)
    except pa.ArrowInvalid:
        decoded = [_decode(cell) for cell in binary.to_pylist()]
        wrong |= {row: NOT_UTF8 for row, line in enumerate(decoded) if line is None}
        lines = strings(line or "" for line in decoded)
    sizes = np.diff(bytes_of(lines)[1])
    large = np.flatnonzero(sizes > LONGEST_SENTENCE).tolist()
    long = [row for row in large if len(lines[row].as_py().split()) > LONGEST_SENTENCE]
    wrong |= dict.fromkeys(long, TOO_LONG)
    if long or _has_odd_space(lines):
        lines = strings("" if row in wrong else as_line(line) for row, line in enumerate(lines.to_pylist()))
    return lines, wrong


def _has_odd_space(lines: pa.LargeStringArray) -> bool:
    """Return whether a line contains a character that would end a line or a field in a text file."""
    data, offsets = bytes_of(lines)
    data = data[offsets[0] : offsets[-1]]
    if (data < _SPACE).any():
        return True
    text = data.tobytes()
    return any(sign in text for sign in _LINE_ENDS)


def _decode(cell: bytes) -> str | None:
    try:
        return cell.decode()
    except UnicodeDecodeError:
        return None


def job_digest(command: str, settings: Mapping[str, Any]) -> str:
    """Return the hash that identifies a job, computed from its command, its settings and the version of wordorder."""
    known = {"command": command, "version": __version__, "settings": settings}
    return digest(json.dumps(known, sort_keys=True).encode())


class Work(ABC):
    """An object that processes the blocks of one part, and adds up sums over them."""

    @abstractmethod
    def add(self, block: RowBlock) -> Mapping[str, Any]:
        """Process a block: reject unusable rows, and return the columns of the result by name."""

    @abstractmethod
    def sums(self) -> dict[str, Any]:
        """Return the sums over the blocks as JSON-compatible values, to be added up over parts."""


class Job(ABC):
    """A description of how to process each part of a corpus.

    Jobs are frozen dataclasses, so they can be sent to other processes.
    """

    command: ClassVar[str]
    """The name of the command."""

    whole: ClassVar[bool] = False
    """Whether all columns of the part are read, because they become part of the result."""

    texts: tuple[tuple[str, str], ...]
    """The role and the column of each text."""

    @property
    def placed(self) -> bool:
        """Whether results depend on the positions of rows in the corpus."""
        return False

    @property
    def columns(self) -> Mapping[str, str]:
        """The columns of text that are read, by role (such as ``source`` or ``reference``)."""
        return dict(self.texts)

    @property
    @abstractmethod
    def settings(self) -> dict[str, Any]:
        """All settings on which the results depend, as plain data."""

    @property
    @abstractmethod
    def signature(self) -> dict[str, Any]:
        """The signature of the results: the settings to report with them."""

    @abstractmethod
    def schema(self, given: pa.Schema) -> pa.Schema:
        """Return the schema of the result for a part whose schema is ``given``."""

    @abstractmethod
    def begin(self, part: Part) -> Work:
        """Return an object that processes the blocks of a part."""

    def warn(self, block: RowBlock) -> None:  # noqa: B027  # most jobs have nothing to warn of
        """Warn if the first rows suggest a mistake in the input or the settings."""

    @cached_property
    def digest(self) -> str:
        """A hash that identifies the job and distinguishes its results from those of other jobs."""
        return job_digest(self.command, self.settings)

    def fingerprint_of(self, part: Part) -> str:
        """Return a hash of everything in the part that its result depends on."""
        return part.fingerprint(None if self.whole else self.columns.values())

    def check(self, part: Part) -> None:
        """Raise UsageError if a column that the job needs is missing or unsuitable."""
        check_columns(part, self.columns, whole=self.whole)


def check_columns(part: Part, texts: Mapping[str, str], others: Sequence[str] = (), *, whole: bool = False) -> None:
    """Raise UsageError unless a part has each of these columns once, and text in the columns of ``texts`` (by role).

    With ``whole``, no two columns may have the same name, because all of them become part of the result.
    """
    schema = part.schema()
    found = columns_of(schema)
    for role, column in [*texts.items(), *((name, name) for name in others)]:
        if column not in found:
            error = str(choices(column, list(found), what="column")).removeprefix("unknown column ")
            error = f"{part.path}: no column {error.replace('valid:', 'found:')} for {role!r}"
            remedy = "; run 'wordorder scale align' first" if role == column == "links" else ""
            raise UsageError(error + remedy)
    outer = {column.partition(".")[0] for column in (*texts.values(), *others)}
    for name, count in Counter(schema.names).items():
        if count > 1 and (whole or name in outer or name in texts.values()):
            raise UsageError(f"{part.path}: {count} columns are named {name!r}; rename or remove all but one of them")
    for role, column in texts.items():
        kind = found[column]
        kind = kind.value_type if pa.types.is_dictionary(kind) else kind
        if not any(
            test(kind)
            for test in (
                pa.types.is_string, pa.types.is_large_string, pa.types.is_binary, pa.types.is_large_binary,
                pa.types.is_null, getattr(pa.types, "is_string_view", pa.types.is_string),
            )
        ):  # fmt: skip
            raise UsageError(f"{part.path}: expected text in the column {column!r} for {role!r}, found {kind}")


SOURCE, TARGET, LINKS = "source", "target", "links"

AT_SPACES = "none"
"""The tokeniser for text that is already split into words."""

NOT_LINKS, NOT_OF_WORDS = "links cannot be read", "links beyond the last word"


def cut_words(texts: Sequence[Any], tokenizer: str) -> tuple[Tokens, ...]:
    """Split texts into words with a shared vocabulary.

    The tokeniser ``none`` splits at ASCII whitespace, as word aligners do.
    """
    return encode(*texts, whitespace="ascii") if tokenizer == AT_SPACES else tokenise(texts, tokenizer=tokenizer)


def tokenizer_of(corpus: Any, tokenizer: str | None) -> str:
    """Return the given tokeniser or, if it is None, the one recorded in the corpus for its links, or ``none``."""
    report = read_report(readable_part(find_parts(corpus)).path)
    known = report.settings.get("tokenizer") if report is not None else None
    if tokenizer is not None and known is not None and tokenizer != known:
        raise UsageError(f"the links use the tokeniser {known}, not {tokenizer}; leave out {mention('tokenize')}")
    return str(tokenizer or known or AT_SPACES)


def read_links(block: RowBlock, tokenizer: str) -> tuple[Alignments, Tokens, Tokens]:
    """Reject rows with invalid links; return the links, source words and target words of the remaining rows."""
    block.refuse(_unreadable(block.texts[LINKS]), NOT_LINKS)
    links = _parse(block.texts[LINKS].to_pylist())
    source, target = cut_words([block.texts[SOURCE], block.texts[TARGET]], tokenizer)
    lengths = source.lengths.astype(np.int32), target.lengths.astype(np.int32)
    links = replace(links, source_lengths=lengths[0], target_lengths=lengths[1])
    outside = _outside(links)
    if outside.any():
        block.refuse(outside, NOT_OF_WORDS)
        return read_links(block, tokenizer)
    return links, source, target


def _parse(lines: Sequence[str]) -> Alignments:
    data = np.frombuffer("".join(f"{line}\n" for line in lines).encode(), np.uint8)
    starts = offsets_from_lengths([len(line.encode()) + 1 for line in lines])
    return replace(pharaoh.parse(LineBlock(data, starts, LINKS, 1)).sure(), probability=None)


def _unreadable(lines: pa.LargeStringArray) -> Bools:
    """Mark the lines that are not valid links.

    All lines are parsed together; each line is parsed separately only if this fails.
    """
    written = lines.to_pylist()
    if _are_readable(written):
        return np.zeros(len(written), np.bool_)
    return np.array([not _are_readable([line]) for line in written], np.bool_)


def _are_readable(lines: Sequence[str]) -> bool:
    try:
        _parse(lines)
    except InputError:
        return False
    return True


def _outside(links: Alignments) -> Bools:
    """Mark the sentence pairs that have a link to a position after the last word."""
    rows = rows_of(links.offsets)
    wrong = np.zeros(len(links), np.bool_)
    for places, lengths in ((links.source, links.source_lengths), (links.target, links.target_lengths)):
        wrong[rows[(places >= lengths[rows]) & (lengths[rows] != UNKNOWN)]] = True
    return wrong


def without(schema: pa.Schema, names: Sequence[str]) -> pa.Schema:
    """Return a copy of a schema without the given columns and without metadata."""
    return pa.schema([field for field in schema if field.name not in names])


def other_columns(block: RowBlock, names: Sequence[str]) -> dict[str, Any]:
    """Return all columns of a block as they were read, except those in ``names``."""
    return {name: block.batch.column(name) for name in block.batch.schema.names if name not in names}
