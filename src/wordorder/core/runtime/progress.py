"""Progress bars on standard error, shown only on a terminal and only for work that takes a while."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from functools import cache
from threading import Timer
from typing import TypeVar

Item = TypeVar("Item")

_PATIENCE = 0.7  # seconds before anything is shown

_shown: ContextVar[bool] = ContextVar("shown", default=False)


def progress(
    items: Iterable[Item], *, label: str, total: int | Callable[[], int | None] | None = None, unit: str = ""
) -> Iterator[Item]:
    """Yield ``items`` and show on the terminal how many are done, as a percentage if ``total`` is known.

    ``total`` may be a function, which is called only if progress is shown. If loops are nested, only the outermost
    one shows a progress bar.

    >>> list(progress([1, 2, 3], label="reading"))
    [1, 2, 3]
    """
    if _shown.get() or not sys.stderr.isatty():
        yield from items
        return
    from rich import progress as bars
    from rich.console import Console

    known = total() if callable(total) else total
    shown = bars.Progress(
        *(
            bars.TextColumn("{task.description}"),
            bars.BarColumn(),
            *([] if known is None else [bars.TaskProgressColumn()]),
        ),
        *(bars.MofNCompleteColumn(), bars.TextColumn(unit.strip()), bars.TimeElapsedColumn()),
        console=Console(file=getattr(sys.stderr, "rich_proxied_file", sys.stderr)),
        redirect_stdout=False,  # a result must not go where the bar is
        transient=True,
    )
    task = shown.add_task(label, total=known)
    # The first item may take long, so a timer starts the display.
    clock = Timer(max(_PATIENCE, 0.0), shown.start)
    clock.daemon = True
    clock.start()
    _shown.set(True)
    try:
        for item in items:
            yield item
            shown.advance(task)
    finally:
        _shown.set(False)
        clock.cancel()
        clock.join()
        shown.stop()


@cache
def announce_compilation() -> None:
    """Print a note that the first run is slow because it compiles code, but only once and only on a terminal."""
    if sys.stderr.isatty():
        print(
            "wordorder: the first run of this kind compiles code, which can take a minute; later runs start at once",
            file=sys.stderr,
        )
