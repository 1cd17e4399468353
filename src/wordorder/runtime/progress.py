"""Progress of long work: on standard error, only if that is a terminal, and only after a moment."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")

_PATIENCE = 1.0  # seconds; quick work shows nothing


def progress(items: Iterable[Item], *, label: str, total: int | None = None, unit: str = "") -> Iterator[Item]:
    """Pass ``items`` through and show how many have been dealt with.

    >>> list(progress([1, 2, 3], label="reading"))
    [1, 2, 3]
    """
    if not sys.stderr.isatty():
        yield from items
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn(unit.strip()))
    shown = Progress(*columns, TimeElapsedColumn(), console=Console(stderr=True), transient=True)
    task = shown.add_task(label, total=total)
    start = time.monotonic()
    try:
        for item in items:
            yield item
            shown.advance(task)
            if not shown.live.is_started and time.monotonic() - start > _PATIENCE:
                shown.start()
    finally:
        shown.stop()
