"""Chunks of work: processing them in several threads, and showing how many are done.

Chunks have a fixed size, so that results do not depend on the number of threads. Progress bars are on standard error,
and only for work that takes a while; if it is not a terminal, it gets a line every minute.
"""

import os
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import ContextVar
from threading import Timer
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from wordorder.core.runtime.errors import refuse

Chunk = TypeVar("Chunk")
Result = TypeVar("Result")

_PATIENCE = 0.7  # seconds before anything is shown
_MINUTE = 60.0  # seconds between two lines in a file

_shown: ContextVar[bool] = ContextVar("shown", default=False)


def map_chunks(work: Callable[[Chunk], Result], chunks: Iterable[Chunk], *, threads: int = 1) -> Iterator[Result]:
    """Apply ``work`` to every chunk in parallel and yield the results in order, computing only a few chunks ahead.

    ``threads=0`` means one thread for every core that this process may use.

    >>> list(map_chunks(lambda chunk: chunk + 1, range(4), threads=2))
    [1, 2, 3, 4]
    """
    refuse(threads < 0, f"threads must be 0 (all cores) or more, not {threads}")
    if threads == 0:
        threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if threads == 1:
        yield from map(work, chunks)
        return
    pool = ThreadPoolExecutor(max_workers=threads)
    ahead: deque[Future[Result]] = deque()
    try:
        for chunk in chunks:
            ahead.append(pool.submit(work, chunk))
            if len(ahead) > 2 * threads:
                yield ahead.popleft().result()
        while ahead:
            yield ahead.popleft().result()
    finally:  # do not wait for chunks whose results are no longer needed
        pool.shutdown(wait=False, cancel_futures=True)


def spans(total: int, size: int) -> list[tuple[int, int]]:
    """Split ``range(total)`` into consecutive half-open spans of a fixed size.

    >>> spans(5, 2)
    [(0, 2), (2, 4), (4, 5)]
    """
    return [(start, min(start + size, total)) for start in range(0, total, size)]


def budget_spans(costs: NDArray[np.integer], budget: int) -> list[tuple[int, int]]:
    """Split ``range(len(costs))`` into consecutive spans with a total cost of at most ``budget`` each.

    An item that costs more than the budget gets a span of its own.

    >>> import numpy as np
    >>> budget_spans(np.array([2, 2, 9, 1, 1]), 4)
    [(0, 2), (2, 3), (3, 5)]
    """
    ends = np.cumsum(costs)
    spans = []
    start = spent = 0
    while start < len(ends):
        stop = max(start + 1, int(np.searchsorted(ends, spent + budget, side="right")))
        spans.append((start, stop))
        start, spent = stop, int(ends[stop - 1])
    return spans


def progress(
    items: Iterable[Chunk], *, label: str, total: int | Callable[[], int | None] | None = None, unit: str = ""
) -> Iterator[Chunk]:
    """Yield ``items`` and show on standard error how many are done, as a percentage if ``total`` is known.

    ``total`` may be a function, which is called only if progress is shown. If loops are nested, only the outermost
    one shows a progress bar.

    >>> list(progress([1, 2, 3], label="reading"))
    [1, 2, 3]
    """
    if _shown.get():
        yield from items
        return
    if not sys.stderr.isatty():
        begin = reported = time.monotonic()
        for done, item in enumerate(items):
            if (now := time.monotonic()) - reported >= _MINUTE:
                reported = now
                known = total() if callable(total) else total
                count = f"{done}{unit}" if known is None else f"{done} of {known}{unit}"
                print(f"wordorder: {label}: {count} done after {(now - begin) / 60:.0f} min", file=sys.stderr)
            yield item
        return
    from rich import progress as bars
    from rich.console import Console

    known = total() if callable(total) else total
    percent = [] if known is None else [bars.TaskProgressColumn()]
    shown = bars.Progress(
        *(bars.TextColumn("{task.description}"), bars.BarColumn(), *percent),
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
