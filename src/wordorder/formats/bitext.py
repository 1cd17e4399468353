"""Parallel text in the format of fast_align: ``source words ||| target words``, one pair per line."""

from __future__ import annotations

import numpy as np

from wordorder.core.runtime.columns import Strings
from wordorder.core.runtime.errors import InputError, excerpt
from wordorder.core.runtime.files import Path, display_name
from wordorder.formats import text

SEPARATOR = "|||"


def read(path: Path) -> tuple[Strings, Strings]:
    """Return the source and target sides of a file; every line must have exactly one ``|||``."""
    import pyarrow.compute as pc

    lines = text.read(path)
    counts = pc.count_substring(lines, SEPARATOR)
    wrong = int(np.argmax(np.from_dlpack(counts) != 1))
    if counts[wrong].as_py() != 1:
        found = f"{excerpt(lines[wrong].as_py())} has {counts[wrong].as_py()} separators"
        raise InputError(f"{found}; expected 'source {SEPARATOR} target'", path=display_name(path), line=wrong + 1)
    sides = pc.split_pattern(lines, SEPARATOR).flatten()
    source, target = (pc.utf8_trim_whitespace(sides[s::2]) for s in (0, 1))
    return source, target
