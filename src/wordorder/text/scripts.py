"""Which writing system a column is in: text without blanks between words needs another tokeniser."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Any

import numpy as np

from wordorder.runtime.threads import spans
from wordorder.text.tokens import lines_of

UNSEGMENTED_SHARE = 0.3
"""Above this share of Han, Kana or Thai letters a column is taken to be written without blanks."""

_SCRIPTS = ("CJK UNIFIED", "CJK COMPATIBILITY IDEOGRAPH", "HIRAGANA", "KATAKANA", "HALFWIDTH KATAKANA", "THAI")
_LINES_AT_A_TIME = 65_536
_CODES = 0x110000


def looks_unsegmented(column: Sequence[str] | Any) -> bool:
    """Tell whether over 30 % of the letters are Han, Kana or Thai, so that ``13a`` would not find the words.

    >>> looks_unsegmented(["これは本です。"]), looks_unsegmented(["a book", "ein Buch"])
    (True, False)
    """
    import pyarrow.compute as pc

    lines = lines_of(column)
    if pc.all(pc.string_is_ascii(lines)).as_py() is not False:  # None for an empty column
        return False
    counts = np.zeros(_CODES, dtype=np.int64)
    for start, stop in spans(len(lines), _LINES_AT_A_TIME):
        text = "".join(lines.slice(start, stop - start).to_pylist())
        counts += np.bincount(np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32), minlength=_CODES)
    letters = unsegmented = 0
    for code in np.flatnonzero(counts):
        character = chr(code)
        if unicodedata.category(character).startswith("L"):
            letters += int(counts[code])
            if unicodedata.name(character, "").startswith(_SCRIPTS):
                unsegmented += int(counts[code])
    return unsegmented > UNSEGMENTED_SHARE * letters
