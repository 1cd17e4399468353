"""Text cut into subwords: how to tell, and how to join them into words again.

``hel@@ lo`` is what subword-nmt writes, ``▁hel lo`` what SentencePiece writes, ``hel ##lo`` what WordPiece writes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

CONTINUES, BEGINS, GOES_ON = "@@", "▁", "##"

_SHARE = 0.02
_SHARE_OF_BEGINNINGS = 0.2


def subword_mark(lines: Sequence[str]) -> str | None:
    """Return the mark of subwords that a text has; None where it is in words.

    >>> subword_mark(["hel@@ lo world"]), subword_mark(["▁hel lo ▁world"]), subword_mark(["me@home ## me"])
    ('@@', '▁', None)
    """
    words = [word for line in lines for word in line.split()]
    counts = {
        CONTINUES: (sum(word.endswith(CONTINUES) and len(word) > 2 for word in words), _SHARE),
        BEGINS: (sum(word.startswith(BEGINS) for word in words), _SHARE_OF_BEGINNINGS),
        GOES_ON: (sum(word.startswith(GOES_ON) and len(word) > 2 for word in words), _SHARE),
    }
    return next((mark for mark, (count, share) in counts.items() if count > share * len(words)), None)


def join_subwords(lines: pa.LargeStringArray) -> pa.LargeStringArray:
    """Join the subwords of each line into words, whatever their mark; lines without marks stay as they are.

    >>> from wordorder.core.runtime.columns import strings
    >>> join_subwords(strings(["hel@@ lo wor@@ ld", "▁hel lo ▁wor ld", "hel ##lo wor ##ld"])).to_pylist()
    ['hello world', 'hello world', 'hello world']
    """
    import pyarrow.compute as pc

    pieces = pc.match_substring(lines, BEGINS)
    joined = pc.replace_substring(pc.replace_substring_regex(lines, r"\s+", ""), BEGINS, " ")
    lines = pc.if_else(pieces, pc.utf8_trim_whitespace(joined), lines)
    lines = pc.replace_substring_regex(lines, r"@@(\s+|$)", "")
    return pc.replace_substring_regex(lines, r"\s+##(\S)", r"\1")
