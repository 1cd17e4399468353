"""Values as JSON can hold them, and as a sentence does."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def plain(value: Any) -> Any:
    """Return a value as JSON can hold it: numpy scalars as Python values, NaN and infinities as None.

    Dicts and lists are converted with everything in them.

    >>> plain({"p": np.float64("nan"), "pairs": np.int64(3), "name": "tau"})
    {'p': None, 'pairs': 3, 'name': 'tau'}
    """
    if isinstance(value, dict):
        return {name: plain(part) for name, part in value.items()}
    if isinstance(value, list):
        return [plain(part) for part in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


def count_of(number: int, noun: str, plural: str | None = None) -> str:
    """Write how many there are of something.

    >>> count_of(1, "segment"), count_of(2, "segment"), count_of(0, "corpus", "corpora")
    ('1 segment', '2 segments', '0 corpora')
    """
    return f"{number} {noun if number == 1 else plural or noun + 's'}"
