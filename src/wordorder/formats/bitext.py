"""Parallel text in one file, as fast_align takes it: ``source words ||| target words``, one pair per line."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np

from wordorder.core.runtime.errors import InputError, excerpt
from wordorder.core.runtime.files import display_name
from wordorder.formats import text

if TYPE_CHECKING:
    import pyarrow as pa

SEPARATOR = "|||"


def read(path: str | os.PathLike[str]) -> tuple[pa.LargeStringArray, pa.LargeStringArray]:
    """Read both sides; a line without exactly one ``|||`` is an error."""
    import pyarrow.compute as pc

    lines = text.read(path)
    counts = pc.count_substring(lines, SEPARATOR)
    wrong = int(np.argmax(np.from_dlpack(counts) != 1))
    if counts[wrong].as_py() != 1:
        found = f"{excerpt(lines[wrong].as_py())} has {counts[wrong].as_py()} separators"
        raise InputError(f"{found}; expected source {SEPARATOR} target", path=display_name(path), line=wrong + 1)
    sides = pc.split_pattern(lines, SEPARATOR).flatten()
    source, target = (pc.utf8_trim_whitespace(sides[s::2]) for s in (0, 1))
    return source, target
