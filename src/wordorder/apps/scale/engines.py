"""Engines run a task on each part of a corpus: in this process, in several, through an executor or on a Dask cluster.

An engine is given a task (a function) and items. It yields every finished item, together with its error or None.
"""

import contextlib
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ProcessPoolExecutor
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any, Protocol

from wordorder.apps.scale.folders import Folder
from wordorder.core.runtime.drafts import discard_drafts
from wordorder.core.runtime.errors import UsageError, WordorderError, mention, refuse

Task = Callable[[Any], Any]
Outcomes = Iterator[tuple[Any, BaseException | None]]
Preparation = Callable[[], None] | None

MOST_AHEAD = 4096
"""The largest number of unfinished items submitted to an executor at any time."""

_ATTEMPTS_ALONE = 2


class WorkerError(WordorderError):
    """All attempts to process a part ended with the death of the worker process."""


DIED = "every worker that processed this part died; it may have been killed or run out of memory"


class Engine(Protocol):
    """The interface of engines, which run a task (a function) on each of several items."""

    def run(self, task: Task, items: Sequence[Any]) -> Outcomes:
        """Run the task on each item; yield every finished item with its error, or with None if there was none."""


@contextlib.contextmanager
def engine_of(options: Any, folder: Folder, items: Sequence[Any], prepare: Preparation = None) -> Iterator[Engine]:
    """Yield the engine that the options specify.

    ``prepare`` is called before local worker processes start, to load what they need only once.
    """
    workers, executor, dask = options.get("workers", 1), options.get("executor"), options.get("dask")
    refuse(workers < 0, f"the number of workers must be 1 or more (or 0 for one per core), not {workers}")
    if dask is not None and executor is not None:
        raise UsageError("an executor and a Dask cluster cannot be combined; give only one of them")
    if options.get("jobs") is not None and dask != "slurm":
        raise UsageError(
            f"{mention('jobs')} sets the number of Slurm jobs, so it can only be used with {mention('dask', 'slurm')}"
        )
    count = workers or (len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)
    if not items:
        yield SerialEngine()
    elif executor is not None:
        yield ExecutorEngine(executor)
    elif dask is not None:
        from wordorder.apps.scale.clusters import dask_engine

        with dask_engine(dask, folder, items, workers=workers, jobs=options.get("jobs"), prepare=prepare) as engine:
            yield engine
    else:
        count = min(count, len(items))
        yield SerialEngine() if count == 1 else ProcessEngine(count, prepare)


class SerialEngine:
    """An engine that runs the task on one item after another in this process."""

    def run(self, task: Task, items: Sequence[Any]) -> Outcomes:
        """Run the task on one item after another; yield each item with its error or None."""
        for item in items:
            try:
                task(item)
            except Exception as error:
                yield item, error
            else:
                yield item, None


@dataclass(frozen=True)
class ExecutorEngine:
    """An engine that uses an executor; the executor itself must reassign the items of workers that die."""

    executor: Executor

    def run(self, task: Task, items: Sequence[Any]) -> Outcomes:
        """Submit the items to the executor; yield every finished item with its error or None."""
        for item, error in submit_all(self.executor, task, deque(items), ahead=MOST_AHEAD):
            if isinstance(error, BrokenExecutor):
                raise WorkerError(f"the executor stopped ({error}); run the same command again to continue")
            yield item, error


@dataclass(frozen=True)
class ProcessEngine:
    """An engine that uses local processes. If a process dies, the items in progress are retried one at a time."""

    workers: int
    prepare: Preparation = None

    def run(self, task: Task, items: Sequence[Any]) -> Outcomes:
        """Run the task on the items in a process pool; if a process dies, continue with a new pool."""
        waiting = deque(items)
        while waiting:
            suspects = []
            with self._pool(self.workers) as pool:
                for item, error in submit_all(pool, task, waiting, ahead=self.workers):
                    if isinstance(error, BrokenExecutor):
                        suspects.append(item)
                    else:
                        yield item, error
            if waiting and not suspects:  # no process started at all
                suspects.append(waiting.popleft())
            for item in suspects:
                yield item, self._run_alone(task, item)

    def _run_alone(self, task: Task, item: Any) -> BaseException | None:
        for _ in range(_ATTEMPTS_ALONE):
            with self._pool(1) as pool:
                error = pool.submit(task, item).exception()
            if not isinstance(error, BrokenExecutor):
                return error
        return WorkerError(DIED)

    @contextlib.contextmanager
    def _pool(self, workers: int) -> Iterator[Executor]:
        from wordorder.apps.scale.fork_server import worker_context

        pool = ProcessPoolExecutor(workers, mp_context=worker_context(self.prepare), initializer=_begin_worker)
        try:
            yield pool
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def submit_all(executor: Executor, task: Task, waiting: deque[Any], *, ahead: int) -> Outcomes:
    """Submit items, with at most ``ahead`` in progress, and yield every finished item with its error or None.

    Submitted items are removed from ``waiting``; if the executor breaks, the others stay there.
    """
    ended: SimpleQueue[Future[Any]] = SimpleQueue()
    running: dict[Future[Any], Any] = {}
    broken = False
    try:
        while running or (waiting and not broken):
            while waiting and not broken and len(running) < ahead:
                try:
                    future = executor.submit(task, waiting[0])
                except BrokenExecutor:
                    broken = True
                    break
                running[future] = waiting.popleft()
                future.add_done_callback(ended.put)
            if running:
                future = ended.get()
                error: BaseException | None
                try:
                    error = future.exception()
                except CancelledError as cancelled:
                    error = cancelled
                broken |= isinstance(error, BrokenExecutor)
                yield running.pop(future), error
    finally:
        for future in running:
            future.cancel()


def _begin_worker() -> None:
    """Prepare a worker process: ignore Ctrl-C, which the main process handles, and end together with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_driver, daemon=True).start()


def _end_with_driver() -> None:
    from multiprocessing import connection, parent_process

    driver = parent_process()
    if driver is not None:
        connection.wait([driver.sentinel])
        discard_drafts()
        os._exit(1)
