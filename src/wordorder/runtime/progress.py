"""Progress on long work: on standard error, only when that is a terminal, only after a moment."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")

_PATIENCE = 1.0
_INTERVAL = 0.2


def progress(items: Iterable[Item], *, label: str, total: int | None = None, unit: str = "") -> Iterator[Item]:
    """Pass ``items`` through and tell on standard error how far the work is.

    >>> list(progress([1, 2, 3], label="reading"))
    [1, 2, 3]
    """
    if not sys.stderr.isatty():
        yield from items
        return
    start = last = time.monotonic()
    shown = False
    try:
        for count, item in enumerate(items, start=1):
            yield item
            now = time.monotonic()
            if now - start > _PATIENCE and now - last > _INTERVAL:
                share = f" {100 * count // total:3d} %" if total else ""
                of = f"/{total}" if total else ""
                sys.stderr.write(f"\r\x1b[K{label}{share}  {count}{of}{unit}  {now - start:.0f} s")
                sys.stderr.flush()
                last, shown = now, True
    finally:
        if shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
