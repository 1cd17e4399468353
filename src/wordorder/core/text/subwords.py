"""Text split into subwords: detection, and joining of subwords into words.

subword-nmt writes ``hel@@ lo``, SentencePiece ``▁hel lo``, and WordPiece ``hel ##lo``.
"""

from __future__ import annotations

from collections.abc import Sequence

from wordorder.core.runtime.columns import Strings

NOT_LAST, FIRST, NOT_FIRST = "@@", "▁", "##"

_SHARE = 0.02
_SHARE_OF_FIRST = 0.2


def subword_mark(lines: Sequence[str]) -> str | None:
    """Return the subword mark that a text uses, or None if it consists of words.

    >>> subword_mark(["hel@@ lo world"]), subword_mark(["▁hel lo ▁world"]), subword_mark(["me@home ## me"])
    ('@@', '▁', None)
    """
    words = [word for line in lines for word in line.split()]
    counts = {
        NOT_LAST: (sum(word.endswith(NOT_LAST) and len(word) > 2 for word in words), _SHARE),
        FIRST: (sum(word.startswith(FIRST) for word in words), _SHARE_OF_FIRST),
        NOT_FIRST: (sum(word.startswith(NOT_FIRST) and len(word) > 2 for word in words), _SHARE),
    }
    return next((mark for mark, (count, share) in counts.items() if count > share * len(words)), None)


def join_subwords(lines: Strings) -> Strings:
    """Join the subwords of each line into words, with any of the marks; other lines are unchanged.

    >>> from wordorder.core.runtime.columns import strings
    >>> join_subwords(strings(["hel@@ lo wor@@ ld", "▁hel lo ▁wor ld", "hel ##lo wor ##ld"])).to_pylist()
    ['hello world', 'hello world', 'hello world']
    """
    import pyarrow.compute as pc

    pieces = pc.match_substring(lines, FIRST)
    joined = pc.replace_substring(pc.replace_substring_regex(lines, r"\s+", ""), FIRST, " ")
    lines = pc.if_else(pieces, pc.utf8_trim_whitespace(joined), lines)
    lines = pc.replace_substring_regex(lines, r"@@(\s+|$)", "")
    return pc.replace_substring_regex(lines, r"\s+##(\S)", r"\1")
