"""What the readers share: errors from kernels, and sentence lengths put beside the links."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NoReturn, Protocol

import numpy as np
from numpy.typing import NDArray

from wordorder.formats import scanning
from wordorder.orders.alignment import UNKNOWN, Alignments
from wordorder.runtime.errors import InputError, LengthError, UsageError, excerpt
from wordorder.runtime.files import LINES_PER_BLOCK, LONGEST_SENTENCE, LineBlock, display_name, line_blocks
from wordorder.runtime.ragged import frozen

Path = str | os.PathLike[str]
Lengths = NDArray[np.integer] | Iterable[int] | Iterable[NDArray[np.integer]]
"""The number of words of each sentence: an array, numbers, or arrays that come one after another."""

INDEX_ZERO = "index 0 in a 1-based file; use --base 0 if it counts from 0"


def check_base(base: int) -> None:
    """Refuse an index base other than 0 and 1."""
    if base not in (0, 1):
        raise UsageError(f"indices count from 0 or from 1, not from {base}")


def full_blocks(path: Path, *, expected: str, lines: int = LINES_PER_BLOCK) -> Iterator[LineBlock]:
    """Read a file in blocks of lines; a file without a single line is an error."""
    nothing = True
    for block in line_blocks(path, lines=lines):
        nothing = False
        yield block
    if nothing:
        raise InputError(f"is empty; expected {expected}", path=display_name(path), line=1)


def fail(block: LineBlock, failure: tuple[int, int, int], *, expected: str) -> NoReturn:
    """Raise the error for what stopped a kernel."""
    code, row, byte = failure
    found = excerpt(_token(block, byte, int(block.starts[row + 1])))
    if code == scanning.ZERO:
        message = f"{INDEX_ZERO} (found {found})"
    elif code == scanning.HUGE:
        message = f"{found} goes beyond the longest sentence allowed ({LONGEST_SENTENCE} words)"
    elif code == scanning.IMPROBABLE:
        message = f"the probability of {found} is not between 0 and 1"
    elif code == scanning.LONG:
        message = f"a sentence of more than {LONGEST_SENTENCE} words; longer ones are refused"
    else:
        message = f"expected {expected}, found {found}"
    raise block.error(row, message)


def _token(block: LineBlock, byte: int, stop: int) -> str:
    words = block.data[byte : min(stop, byte + 200)].tobytes().split(maxsplit=1)
    return words[0].decode("utf-8", errors="replace") if words else ""


class LengthStream:
    """Sentence lengths taken out piece by piece, as the alignments come."""

    def __init__(self, lengths: Lengths | None, side: str) -> None:
        self.side = side
        self.taken = 0
        self.given = lengths is not None
        self._pieces: Iterator[NDArray[np.integer] | int] = iter(
            () if lengths is None else [lengths] if isinstance(lengths, np.ndarray) else lengths
        )
        self._held: list[NDArray[np.int32]] = []

    def take(self, count: int) -> NDArray[np.int32]:
        """Give the next ``count`` lengths, or as many as are left."""
        size = sum(map(len, self._held))
        while size < count:
            piece = next(self._pieces, None)
            if piece is None:
                break
            self._held.append(np.atleast_1d(np.asarray(piece, dtype=np.int32)))
            size += len(self._held[-1])
        whole = len(self._held) == 1  # then nothing is copied, however long it is
        ready = self._held[0] if whole else np.concatenate([np.zeros(0, np.int32), *self._held])
        self._held = [ready[count:]]
        self.taken += min(count, len(ready))
        return ready[:count]


@dataclass
class LengthCheck:
    """Puts given lengths beside the links of one file and refuses links outside them.

    ``hint`` tells whether the base can be chosen, so that a wrong one is worth a word.
    """

    path: Path
    source: LengthStream
    target: LengthStream
    base: int = 0
    hint: bool = True

    @classmethod
    def of(
        cls, path: Path, source: Lengths | None, target: Lengths | None, *, base: int, hint: bool = True
    ) -> LengthCheck:
        """Prepare the check of one file."""
        return cls(path, LengthStream(source, "source"), LengthStream(target, "target"), base, hint)

    def apply(self, column: Alignments, line: Callable[[int, int], int]) -> Alignments:
        """Give the column with its lengths; ``line(row, link)`` is the line in the file (link −1: of the row)."""
        source = self._merge(self.source, column.source_lengths, line)
        target = self._merge(self.target, column.target_lengths, line)
        result = Alignments(
            column.source, column.target, column.offsets, source, target, column.possible, column.probability
        )
        for places, lengths, side in ((result.source, source, "source"), (result.target, target, "target")):
            link = scanning.first_outside(places, result.offsets, lengths)
            if link >= 0:
                row = int(np.searchsorted(result.offsets, link, side="right")) - 1
                message = self._outside(result, row, link, side)
                raise LengthError(message, path=display_name(self.path), line=line(row, link))
        return result

    def finish(self) -> None:
        """Refuse lengths for which the file had no sentence."""
        for stream in (self.source, self.target):
            rows = stream.taken
            while len(stream.take(LINES_PER_BLOCK)):
                pass
            if stream.taken > rows:
                raise self._error(f"ends after {rows} sentences, but the {stream.side} has {stream.taken}")

    def rest(self, lines: int) -> Iterator[Alignments]:
        """Give empty rows for the lengths that are left: sentences a numbered file does not mention."""
        while True:
            parts = [stream.take(lines) for stream in (self.source, self.target) if stream.given]
            if len({len(part) for part in parts}) > 1:
                raise self._error("the source and the target have different numbers of sentences")
            if not parts or not len(parts[0]):
                return
            count = len(parts[0])
            unknown = np.full(count, UNKNOWN, dtype=np.int32)
            none = np.zeros(0, np.int32)
            yield Alignments(
                none,
                none,
                np.zeros(count + 1, np.int64),
                parts[0] if self.source.given else unknown,
                parts[-1] if self.target.given else unknown,
            )

    def _merge(
        self, stream: LengthStream, known: NDArray[np.int32], line: Callable[[int, int], int]
    ) -> NDArray[np.int32]:
        if not stream.given:
            return known
        given = stream.take(len(known))
        if len(given) < len(known):
            message = f"one sentence too many: there are lengths for {stream.taken} {stream.side} sentences"
            raise self._error(message, line(len(given), -1))
        differs = (known != UNKNOWN) & (given != UNKNOWN) & (known != given)
        if differs.any():
            row = int(np.argmax(differs))
            message = f"{known[row]} {stream.side} words here, but the {stream.side} sentence has {given[row]}"
            raise LengthError(message, path=display_name(self.path), line=line(row, -1))
        merged = np.where(given == UNKNOWN, known, given)
        frozen(merged)
        return merged

    def _outside(self, column: Alignments, row: int, link: int, side: str) -> str:
        base = self.base
        length = int(column.source_lengths[row] if side == "source" else column.target_lengths[row])
        place = int(column.source[link] if side == "source" else column.target[link])
        room = f"{base} to {length - 1 + base}" if length else "none"
        hint = "; use --base 1 if the file counts from 1" if self.hint and base == 0 and place == length else ""
        pair = f"{column.source[link] + base}-{column.target[link] + base}"
        return f"link {pair} is out of range: the {side} sentence has {length} words (indices {room}){hint}"

    def _error(self, message: str, line: int | None = None) -> InputError:
        return InputError(message, path=display_name(self.path), line=line)


class Parse(Protocol):
    """Turns a block of lines into alignments."""

    def __call__(self, block: LineBlock, *, base: int) -> Alignments:
        """Read the block; indices count from ``base``."""


@dataclass(frozen=True)
class LineFormat:
    """A format that has one sentence pair a line: how a block is parsed, what a line should be, its usual base."""

    parse: Parse
    expected: str
    base: int

    def read_blocks(
        self,
        path: Path,
        *,
        base: int | None = None,
        lines: int = LINES_PER_BLOCK,
        source_lengths: Lengths | None = None,
        target_lengths: Lengths | None = None,
    ) -> Iterator[Alignments]:
        """Read a file in blocks of at most ``lines`` sentence pairs; links outside given lengths are errors."""
        start = self.base if base is None else base
        check_base(start)
        check = LengthCheck.of(path, source_lengths, target_lengths, base=start)
        return self._read(path, check, lines)

    def read(
        self,
        path: Path,
        *,
        base: int | None = None,
        source_lengths: Lengths | None = None,
        target_lengths: Lengths | None = None,
    ) -> Alignments:
        """Read a whole file."""
        blocks = self.read_blocks(path, base=base, source_lengths=source_lengths, target_lengths=target_lengths)
        return Alignments.concatenate(list(blocks))

    def _read(self, path: Path, check: LengthCheck, lines: int) -> Iterator[Alignments]:
        for block in full_blocks(path, expected=self.expected, lines=lines):
            yield check.apply(self.parse(block, base=check.base), _line_of(block))
        check.finish()


def _line_of(block: LineBlock) -> Callable[[int, int], int]:
    return lambda row, link: block.first_line + row
