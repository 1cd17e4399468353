"""Conversion of values to and from JSON."""

import json
import math
from typing import Any

import numpy as np

from wordorder.core.runtime.errors import UNPRINTABLE


def plain(value: Any) -> Any:
    """Return a value in a form that JSON allows: NumPy scalars become Python values; NaN and infinities become None.

    Dicts and lists are converted recursively.

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


def to_number(text: str) -> float:
    """Return the number that a text consists of, or NaN if it is not a number.

    >>> to_number("0.5"), to_number("half")
    (0.5, nan)
    """
    try:
        return float(text)
    except ValueError:
        return math.nan


def dump_json(value: Any) -> str:
    """Return a value as JSON for people, in which no character can control a terminal or hide text.

    >>> print(dump_json(["é", "\\x9b31m", "\\u202e"]))
    [
      "é",
      "\\u009b31m",
      "\\u202e"
    ]
    """
    text = json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False)
    return UNPRINTABLE.sub(lambda found: json.dumps(found[0])[1:-1].replace("\x7f", "\\u007f"), text)


def load_json(text: str | bytes) -> Any:
    """Parse JSON and return its value.

    Raise ValueError if it is invalid, too deeply nested, or contains a string that is not valid Unicode.

    >>> load_json('"\\\\ud800"')
    Traceback (most recent call last):
    ValueError: a string contains an unpaired surrogate
    """
    try:
        value = json.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if (b"\\u" in text) if isinstance(text, bytes) else ("\\u" in text):
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise ValueError("a string contains an unpaired surrogate") from None
    return value
