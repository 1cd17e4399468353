"""Permutations, one per line: ``2 4 1 3``, counting from 1 by default. An empty line means an undefined order."""

from collections import Counter
from collections.abc import Iterable, Iterator

from wordorder.core.orders.permutation import Permutations
from wordorder.core.runtime.errors import excerpt, mention
from wordorder.core.runtime.files import LINES_PER_BLOCK, LONGEST_SENTENCE, LineBlock, Path
from wordorder.formats import line_kernels
from wordorder.formats.lines import check_base, check_scan, full_blocks
from wordorder.formats.writing import Target, join_rows, write_lines

EXPECTED = "a permutation like '2 4 1 3'"

_DIGITS = 9


def read_blocks(path: Path, *, base: int = 1, lines: int = LINES_PER_BLOCK) -> Iterator[Permutations]:
    """Read a file in blocks of at most ``lines`` permutations."""
    check_base(base)
    for block in full_blocks(path, expected=EXPECTED + " on each line", lines=lines):
        yield parse(block, base=base)


def read(path: Path, *, base: int = 1) -> Permutations:
    """Read all permutations in a file."""
    return Permutations.concatenate(list(read_blocks(path, base=base)))


def parse(block: LineBlock, *, base: int = 1) -> Permutations:
    """Parse the permutations in a block of lines."""
    ranks, offsets, failure = line_kernels.scan_permutations(block.data, block.starts, base, LONGEST_SENTENCE)
    code, row, _ = failure
    if code == line_kernels.DISORDER:
        raise block.error(row, _explain(block.line(row).split(), base))
    check_scan(block, failure, expected=EXPECTED)
    return Permutations(ranks, offsets)


def _explain(words: list[str], base: int) -> str:
    """Return a message that explains why the numbers are not a permutation.

    >>> _explain(["1", "2", "2"], 1)
    'not a permutation of 3 words: 2 appears twice and 3 is missing'
    """
    length = len(words)
    opening = f"not a permutation of {length} words:"
    numbers = []
    for word in words:
        number = int(word) if len(word.lstrip("0")) <= _DIGITS else None
        if number is None or number >= length + base:
            hint = f"; use {mention('base', 1)} if the file counts from 1" if base == 0 and number == length else ""
            return f"{opening} {excerpt(word)} is out of range ({base} to {length - 1 + base}){hint}"
        numbers.append(number)
    missing = min(set(range(base, length + base)) - set(numbers))
    twice = next(number for number, times in Counter(numbers).items() if times > 1)
    return f"{opening} {twice} appears twice and {missing} is missing"


def write(target: Target, column: Permutations | Iterable[Permutations], *, base: int = 1) -> None:
    """Write one line per permutation.

    >>> import sys
    >>> write(sys.stdout, Permutations.of(["2 1 3", "1"]), base=0)
    1 0 2
    0
    """
    check_base(base)
    write_lines(target, column, lambda block: join_rows(list(map(str, (block.ranks + base).tolist())), block.offsets))
