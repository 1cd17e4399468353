"""Short names of systems for tables and pages: without the part that all names share, and cut in the middle."""

from __future__ import annotations

import re
from collections.abc import Sequence

_SHORTEST = 4
"""A shared part with fewer characters is not left out."""


def split_shared(names: Sequence[str]) -> tuple[str, list[str]]:
    """Return the pattern that all names share (empty if there is none) and the rest of each name.

    The shared parts end and start at a character that is neither a letter nor a digit, so ``system1`` stays whole.

    >>> split_shared(["test.de-en.onlineA", "test.de-en.onlineB", "test.de-en.UG"])
    ('test.de-en.*', ['onlineA', 'onlineB', 'UG'])
    >>> split_shared(["ours.en-de.out", "theirs.en-de.out"]), split_shared(["system1", "system2"])
    (('*.en-de.out', ['ours', 'theirs']), ('', ['system1', 'system2']))
    """
    whole = list(names)
    start = _shared_start(whole)
    end = _shared_start([name[len(start) :][::-1] for name in whole])[::-1]
    rest = [name[len(start) : len(name) - len(end)] for name in whole]
    return (f"{start}*{end}", rest) if len(whole) > 1 and (start or end) and all(rest) else ("", whole)


def _shared_start(names: Sequence[str]) -> str:
    """Return the start that all names share, up to its last character that is neither a letter nor a digit."""
    first, last = min(names), max(names)
    same = next((place for place, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    shared = re.sub(r"[^\W_]+$", "", first[:same])
    return shared if len(shared) >= _SHORTEST else ""


def shorten_all(names: Sequence[str], width: int) -> list[str]:
    """Shorten names that are wider than ``width`` columns in the middle; those that then look alike get a number.

    >>> shorten_all(["LIMSI-Ncode-Constrained-Primary", "onlineA"], 18)
    ['LIMSI-Nco…-Primary', 'onlineA']
    >>> shorten_all(["the-first-A-of-these", "the-first-B-of-these"], 12)
    ['the-fi…these', 'the-firs…(2)']
    """
    found: list[str] = []
    for number, name in enumerate(names, start=1):
        short = shorten(name, width)
        found.append(short if short not in found else shorten(f"{name}({number})", width, end=f"({number})"))
    return found


def shorten(name: str, width: int, *, end: str = "") -> str:
    """Replace the middle of a name that is wider than ``width`` columns by an ellipsis, or all that precedes ``end``.

    >>> shorten("onlineA", 7), shorten("online-translator", 9), shorten("日本語翻訳システム", 9)
    ('onlineA', 'onli…ator', '日本…テム')
    """
    from rich.cells import cell_len, set_cell_size

    if cell_len(name) <= width:
        return name
    tail = end or name
    while not end and cell_len(tail) > (width - 1) // 2:
        tail = tail[1:]
    return f"{set_cell_size(name, max(width - 1 - cell_len(tail), 1)).rstrip()}…{tail}"
