"""Values as JSON can hold them."""

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
