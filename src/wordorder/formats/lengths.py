"""Sentence lengths, read from a file with one number per line or counted in a text.

Words are separated by ASCII whitespace, as in all alignment tools.
"""

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from wordorder.core.runtime.columns import Ints
from wordorder.core.runtime.errors import excerpt
from wordorder.core.runtime.files import LINES_PER_BLOCK, LONGEST_SENTENCE, Path
from wordorder.formats import line_kernels
from wordorder.formats.lines import check_scan, full_blocks

Lengths = NDArray[np.integer] | Iterable[int] | Iterable[NDArray[np.integer]]
"""The numbers of words of sentences: an array, an iterable of numbers, or an iterable of arrays."""

EXPECTED = "one number of words per line"


def read_blocks(path: Path, *, lines: int = LINES_PER_BLOCK) -> Iterator[Ints]:
    """Read sentence lengths from a file of numbers, in blocks of at most ``lines`` sentences."""
    for block in full_blocks(path, expected=EXPECTED, lines=lines):
        lengths, failure = line_kernels.scan_lengths(block.data, block.starts, LONGEST_SENTENCE)
        if failure[0] == line_kernels.SYNTAX:
            raise block.error(failure[1], f"expected {EXPECTED}, found {excerpt(block.line(failure[1]).strip())}")
        check_scan(block, failure, expected=EXPECTED)
        yield lengths


def count_blocks(path: Path, *, lines: int = LINES_PER_BLOCK) -> Iterator[Ints]:
    """Count the words of each sentence in a text, in blocks of at most ``lines`` sentences."""
    for block in full_blocks(path, expected="one sentence per line", lines=lines):
        lengths, failure = line_kernels.count_words(block.data, block.starts, LONGEST_SENTENCE)
        check_scan(block, failure, expected=EXPECTED)
        yield lengths


class LengthStream:
    """A stream of sentence lengths that is read in step with the alignments."""

    def __init__(self, lengths: Lengths | None, side: str) -> None:
        self.side = side
        self.taken = 0
        self.given = lengths is not None
        self._pieces: Iterator[NDArray[np.integer] | int] = iter(
            () if lengths is None else [lengths] if isinstance(lengths, np.ndarray) else lengths
        )
        self._held: list[Ints] = []

    def take(self, count: int) -> Ints:
        """Return the next ``count`` lengths, or fewer if the stream ends."""
        size = sum(map(len, self._held))
        while size < count:
            piece = next(self._pieces, None)
            if piece is None:
                break
            self._held.append(np.atleast_1d(np.asarray(piece, dtype=np.int32)))
            size += len(self._held[-1])
        whole = len(self._held) == 1  # in this case nothing is copied
        ready = self._held[0] if whole else np.concatenate([np.zeros(0, np.int32), *self._held])
        self._held = [ready[count:]]
        self.taken += min(count, len(ready))
        return ready[:count]
