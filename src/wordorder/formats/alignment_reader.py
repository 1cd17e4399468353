"""The reader for alignment files: it reads blocks, adds the sentence lengths if given, and checks the links."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any
from warnings import warn

import numpy as np

from wordorder.core.orders.alignment import UNKNOWN, Alignments
from wordorder.core.runtime.errors import InputError, InputWarning, LengthError, count_of, mention
from wordorder.core.runtime.files import LINES_PER_BLOCK, LineBlock, Path, display_name
from wordorder.formats import line_kernels
from wordorder.formats.alignments import ALIGNMENT_FORMATS, AlignmentFile
from wordorder.formats.lengths import Lengths, LengthStream
from wordorder.formats.lines import full_blocks

LineOf = Callable[[int, int], int]
"""A function that returns the line number of a link in a row; link −1 stands for the row itself."""


@dataclass
class BaseCheck:
    """Detects files that are read with base 0 but probably count from 1, because index 0 never occurs.

    If sentence lengths are known, this check is not needed: in such a file, some links point beyond the end of their
    sentences, which is an error. Otherwise, a warning is issued, unless the caller chose the base.
    """

    file: AlignmentFile
    linked: bool = False
    measured: bool = False
    """Whether the length of any sentence with links is known."""
    zero: bool = False

    @property
    def may_count_from_one(self) -> bool:
        """Whether the file may count from 1, judging by the part read so far."""
        choosable = ALIGNMENT_FORMATS[self.file.format].any_base
        return choosable and self.file.index_base == 0 and self.linked and not self.zero

    def see(self, column: Alignments) -> None:
        """Record whether index 0 occurs in the next block of links, and whether sentence lengths are known there."""
        if self.zero or not len(column.source):
            return
        self.linked = True
        linked = column.lengths > 0
        for side in ALIGNMENT_FORMATS[self.file.format].indexed:
            self.zero |= not getattr(column, side).all()
            self.measured |= bool((getattr(column, f"{side}_lengths")[linked] != UNKNOWN).any())

    def finish(self) -> None:
        """Issue a warning if the file, which has now been read completely, probably counts from 1."""
        if self.may_count_from_one and not self.measured and self.file.base is None:
            found = f"{display_name(self.file)}: index 0 never occurs, but the file is read as counting from 0"
            remedy = f"use {mention('base', 1)} if it counts from 1 ({mention('base', 0)} if it does not)"
            warn(f"{found}; {remedy}", InputWarning, stacklevel=2)


@dataclass
class LengthCheck:
    """Adds the given sentence lengths to the links of one file, and raises an error if a link is out of range."""

    file: AlignmentFile
    streams: tuple[LengthStream, LengthStream]
    base: BaseCheck

    def apply(self, column: Alignments, line: LineOf) -> Alignments:
        """Return the column with sentence lengths added; raise an error if a link points outside its sentence."""
        lengths = {f"{stream.side}_lengths": self._merge(stream, column, line) for stream in self.streams}
        result = replace(column, **lengths)
        self.base.see(result)
        for stream, known in zip(self.streams, lengths.values(), strict=True):
            places = getattr(result, stream.side)
            link = line_kernels.first_outside(places, result.offsets, known)
            if link >= 0:
                row = int(np.searchsorted(result.offsets, link, side="right")) - 1
                message = self._outside(result, link, stream.side, int(places[link]), int(known[row]))
                raise LengthError(message, path=display_name(self.file), line=line(row, link))
        return result

    def finish(self) -> None:
        """Raise an error if more lengths are given than the file has sentences; warn if the base may be wrong."""
        for stream in self.streams:
            rows = stream.taken
            while len(stream.take(LINES_PER_BLOCK)):
                pass
            if stream.taken > rows:
                found = f"the file ends after {count_of(rows, 'sentence')}, but the {stream.side} has {stream.taken}"
                raise self._error(found)
        self.base.finish()

    def rest(self, lines: int) -> Iterator[Alignments]:
        """Yield rows without links for the lengths that remain, since some formats omit sentences without links."""
        while True:
            given = [stream for stream in self.streams if stream.given]
            lengths: dict[str, Any] = {f"{stream.side}_lengths": stream.take(lines) for stream in given}
            counts = set(map(len, lengths.values()))
            if len(counts) > 1:
                raise self._error("the source and the target have different numbers of sentences")
            if counts <= {0}:
                return
            none = np.zeros(0, np.int32)
            yield Alignments(none, none, np.zeros(counts.pop() + 1, np.int64), **lengths)

    def _merge(self, stream: LengthStream, column: Alignments, line: LineOf) -> Any:
        known = column.source_lengths if stream.side == "source" else column.target_lengths
        if not stream.given:
            return known
        given = stream.take(len(known))
        if len(given) < len(known):
            message = f"one sentence too many: lengths are given for {stream.taken} {stream.side} sentences"
            raise self._error(message, line(len(given), -1))
        differs = (known != UNKNOWN) & (given != UNKNOWN) & (known != given)
        if differs.any():
            row = int(np.argmax(differs))
            found = f"the {stream.side} length is {known[row]} in this file"
            message = f"{found}, but {given[row]} in the {stream.side} text"
            raise LengthError(message, path=display_name(self.file), line=line(row, -1))
        return np.where(given == UNKNOWN, known, given)

    def _outside(self, column: Alignments, link: int, side: str, place: int, length: int) -> str:
        base = self.file.index_base
        room = f"{base} to {length - 1 + base}" if length else "none"
        likely = self.base.may_count_from_one and place == length
        hint = f"; use {mention('base', 1)} if the file counts from 1" if likely else ""
        pair = f"{column.source[link] + base}-{column.target[link] + base}"
        return f"link {pair} is out of range: the {side} sentence has {length} words (indices {room}){hint}"

    def _error(self, message: str, line: int | None = None) -> InputError:
        return InputError(message, path=display_name(self.file), line=line)


Parse = Callable[..., Alignments]
"""A function that parses a block of lines; the keyword argument ``base`` is the base of the indices."""


@dataclass(frozen=True)
class AlignmentReader:
    """A reader for one format.

    ``columns`` is a function that yields blocks, given a file, a check of its links, and the maximum number of
    sentence pairs in a block.
    """

    format: str
    columns: Callable[[AlignmentFile, LengthCheck, int], Iterator[Alignments]]

    @classmethod
    def of_lines(cls, format: str, parse: Parse, *, expected: str) -> "AlignmentReader":
        """Return a reader for a format with one sentence pair per line; ``expected`` appears in error messages."""

        def columns(file: AlignmentFile, check: LengthCheck, lines: int) -> Iterator[Alignments]:
            for block in full_blocks(file, expected=expected, lines=lines):
                yield check.apply(parse(block, base=file.index_base), _line_of(block))

        return cls(format, columns)

    def read_blocks(
        self,
        path: Path,
        *,
        base: int | None = None,
        lines: int = LINES_PER_BLOCK,
        source_lengths: Lengths | None = None,
        target_lengths: Lengths | None = None,
    ) -> Iterator[Alignments]:
        """Read a file in blocks of at most ``lines`` sentence pairs; raise an error if a link is out of range."""
        file = AlignmentFile(path, self.format, base)
        streams = LengthStream(source_lengths, "source"), LengthStream(target_lengths, "target")
        return self._read(file, LengthCheck(file, streams, BaseCheck(file)), lines)

    def read(self, path: Path, **options: Any) -> Alignments:
        """Read a whole file; the options are those of ``read_blocks``."""
        return Alignments.concatenate(list(self.read_blocks(path, **options)))

    def _read(self, file: AlignmentFile, check: LengthCheck, lines: int) -> Iterator[Alignments]:
        yield from self.columns(file, check, lines)
        check.finish()


def _line_of(block: LineBlock) -> LineOf:
    return lambda row, link: block.first_line + row
