"""Sentence lengths: from a file with one number per line, or counted in a text.

Words of a text are what ASCII blanks separate, as in every alignment tool.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from wordorder.formats import scanning
from wordorder.formats.reading import Path, fail, full_blocks
from wordorder.runtime.errors import excerpt
from wordorder.runtime.files import LINES_PER_BLOCK, LONGEST_SENTENCE, LineBlock

EXPECTED = "one number of words per line"


def read_blocks(path: Path, *, lines: int = LINES_PER_BLOCK) -> Iterator[NDArray[np.int32]]:
    """Read a file of numbers in blocks of at most ``lines`` sentences."""
    for block in full_blocks(path, expected=EXPECTED, lines=lines):
        yield _settled(block, scanning.scan_lengths(block.data, block.starts, LONGEST_SENTENCE))


def read(path: Path) -> NDArray[np.int32]:
    """Read a whole file of numbers."""
    return np.concatenate(list(read_blocks(path)))


def count_blocks(path: Path, *, lines: int = LINES_PER_BLOCK) -> Iterator[NDArray[np.int32]]:
    """Count the words of a text in blocks of at most ``lines`` sentences."""
    for block in full_blocks(path, expected="one sentence per line", lines=lines):
        yield _settled(block, scanning.count_words(block.data, block.starts, LONGEST_SENTENCE))


def count(path: Path) -> NDArray[np.int32]:
    """Count the words of every line of a text."""
    return np.concatenate(list(count_blocks(path)))


def _settled(block: LineBlock, scanned: tuple[NDArray[np.int32], tuple[int, int, int]]) -> NDArray[np.int32]:
    lengths, failure = scanned
    if failure[0] == scanning.SYNTAX:
        raise block.error(failure[1], f"expected {EXPECTED}, found {excerpt(block.line(failure[1]).strip())}")
    if failure[0] != scanning.FINE:
        fail(block, failure, expected=EXPECTED)
    return lengths
