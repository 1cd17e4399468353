"""Plain values: conversion to and from JSON, checks of whole numbers, and counts in words."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np

from wordorder.core.runtime.errors import mistyped


def plain(value: Any) -> Any:
    """Return a value in a form that JSON allows: NumPy scalars as Python values, NaN and infinities as None.

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


def whole(value: Any, what: str) -> int:
    """Return a whole number as int, even if it is a float; ``what`` names the value in the error.

    >>> whole(np.float64(2), "a rank")
    2
    """
    if type(value) is int:
        return value
    number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    if not number or not float(value).is_integer():
        raise mistyped(what, value, expected="a whole number")
    return int(value)


def load_json(text: str | bytes) -> Any:
    """Parse JSON; raise ValueError if it is invalid, nested too deeply, or has text that is not valid Unicode.

    >>> load_json('"\\\\ud800"')
    Traceback (most recent call last):
    ValueError: a text has half of a surrogate pair
    """
    try:
        value = json.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if (b"\\u" in text) if isinstance(text, bytes) else ("\\u" in text):
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise ValueError("a text has half of a surrogate pair") from None
    return value


def count_of(number: int, noun: str, plural: str | None = None) -> str:
    """Return a number with its noun in the singular or the plural.

    >>> count_of(1, "segment"), count_of(2, "segment"), count_of(0, "corpus", "corpora")
    ('1 segment', '2 segments', '0 corpora')
    """
    return f"{number} {noun if number == 1 else plural or noun + 's'}"
