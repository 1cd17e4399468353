"""Work on chunks in threads. Chunks have a fixed size, so results do not depend on the number of threads."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from wordorder.runtime.errors import UsageError

Chunk = TypeVar("Chunk")
Result = TypeVar("Result")


def thread_count(threads: int) -> int:
    """Resolve ``--threads``: 0 means every core this process may use.

    >>> thread_count(3)
    3
    """
    if threads < 0:
        raise UsageError(f"threads must be 0 (all cores) or more, not {threads}")
    if threads:
        return threads
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def map_chunks(work: Callable[[Chunk], Result], chunks: Iterable[Chunk], *, threads: int = 1) -> Iterator[Result]:
    """Apply ``work`` to every chunk and give the results in order, a few chunks ahead at most.

    >>> list(map_chunks(lambda chunk: chunk + 1, range(4), threads=2))
    [1, 2, 3, 4]
    """
    count = thread_count(threads)
    if count == 1:
        yield from map(work, chunks)
        return
    with ThreadPoolExecutor(max_workers=count) as pool:
        ahead: deque[Future[Result]] = deque()
        try:
            for chunk in chunks:
                ahead.append(pool.submit(work, chunk))
                if len(ahead) > 2 * count:
                    yield ahead.popleft().result()
            while ahead:
                yield ahead.popleft().result()
        finally:
            for future in ahead:
                future.cancel()


def spans(total: int, size: int) -> list[tuple[int, int]]:
    """Cut ``range(total)`` into consecutive half-open spans of a fixed size.

    >>> spans(5, 2)
    [(0, 2), (2, 4), (4, 5)]
    """
    return [(start, min(start + size, total)) for start in range(0, total, size)]
