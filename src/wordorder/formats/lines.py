"""Helpers for line-based readers: a check for empty files, numbered lines, and errors reported by kernels."""

from collections.abc import Iterator
from itertools import pairwise

from wordorder.core.runtime.errors import excerpt, mention, refuse, reject
from wordorder.core.runtime.files import LINES_PER_BLOCK, LONGEST_SENTENCE, LineBlock, Path, display_name, line_blocks
from wordorder.formats import line_kernels

INDEX_ZERO = f"index 0 in a 1-based file; use {mention('base', 0)} if it counts from 0"

_DIGITS = 18


def check_base(base: int) -> None:
    """Raise an error unless the index base is 0 or 1."""
    refuse(base not in (0, 1), f"the index base must be 0 or 1, not {base}")


def full_blocks(path: Path, *, expected: str, lines: int = LINES_PER_BLOCK) -> Iterator[LineBlock]:
    """Read a file in blocks of lines; raise an error if it is empty."""
    block = None
    for block in line_blocks(path, lines=lines):
        yield block
    reject(block is None, f"the file is empty; expected {expected}", path=display_name(path), line=1)


def numbered_lines(path: Path, *, expected: str) -> Iterator[tuple[int, bytes]]:
    """Yield the number and the bytes of every line; raise an error if the file is empty."""
    for block in full_blocks(path, expected=expected):
        data = block.data.tobytes()
        for line, (start, stop) in enumerate(pairwise(block.starts.tolist()), start=block.first_line):
            yield line, data[start:stop]


def natural(token: bytes) -> int | None:
    """Parse a number of ASCII digits; return None if there is any other character.

    A number with very many digits is shortened, but stays very large.

    >>> natural(b"0012"), natural(b"-1"), natural(b"1_0")
    (12, None, None)
    """
    if not token.isdigit():
        return None
    return int(token if len(token) <= _DIGITS else token.lstrip(b"0")[:_DIGITS] or b"0")


def excerpt_of(token: bytes) -> str:
    """Quote bytes from a file for an error message."""
    return excerpt(token.decode("utf-8", errors="replace"))


def check_scan(block: LineBlock, failure: line_kernels.Failure, *, expected: str) -> None:
    """Raise an error if a kernel reported a failure."""
    code, row, byte = failure
    if code == line_kernels.FINE:
        return
    words = block.data[byte : min(int(block.starts[row + 1]), byte + 200)].tobytes().split(maxsplit=1)
    found = excerpt_of(words[0] if words else b"")
    messages = {
        line_kernels.ZERO: f"{INDEX_ZERO} (found {found})",
        line_kernels.HUGE: f"{found} exceeds the maximum sentence length ({LONGEST_SENTENCE} words)",
        line_kernels.IMPROBABLE: f"the probability of {found} is not between 0 and 1",
        line_kernels.LONG: f"the sentence exceeds the maximum length of {LONGEST_SENTENCE} words",
    }
    raise block.error(row, messages.get(code, f"expected {expected}, found {found}"))
