"""Where parts are worked on: in this process, in several, by any executor, or on a Dask cluster.

An engine is given a task and items, and yields each item with the error it ended in, or None, as they come.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any, Protocol

from wordorder.apps.scale.folders import Folder
from wordorder.core.runtime.drafts import discard_drafts
from wordorder.core.runtime.errors import UsageError, WordorderError

Task = Callable[[Any], Any]
Ended = Iterator[tuple[Any, BaseException | None]]
Preparation = Callable[[], None] | None

MOST_AHEAD = 4096
"""Items an executor is given ahead of those that are done."""

_TIMES_ALONE = 2


class WorkerError(WordorderError):
    """A part that ends the process that works on it."""


class Engine(Protocol):
    """What runs a task on items."""

    def run(self, task: Task, items: Sequence[Any]) -> Ended:
        """Yield each item when it is done, with its error if there was one."""


@contextlib.contextmanager
def engine_of(running: Any, folder: Folder, items: Sequence[Any], prepare: Preparation = None) -> Iterator[Engine]:
    """Return the engine that is asked for; ``prepare`` loads what its processes need, where they can share it."""
    workers, executor, dask = running.get("workers", 1), running.get("executor"), running.get("dask")
    if workers < 0:
        raise UsageError(f"the number of workers must be 1 or more (0: one for each core), not {workers}")
    if dask is not None and executor is not None:
        raise UsageError("give an executor or Dask, not both")
    if running.get("jobs") is not None and dask != "slurm":
        raise UsageError("a number of jobs only applies to Dask on Slurm")
    if not items:
        yield Here()
    elif executor is not None:
        yield Elsewhere(executor)
    elif dask is not None:
        from wordorder.apps.scale.clusters import dask_executor

        jobs = running.get("jobs")
        with dask_executor(dask, folder, items, workers=workers, jobs=jobs, prepare=prepare) as made:
            yield Elsewhere(made)
    else:
        count = workers or (len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)
        yield Here() if min(count, len(items)) == 1 else Processes(min(count, len(items)), prepare)


class Here:
    """This process, one item after another."""

    def run(self, task: Task, items: Sequence[Any]) -> Ended:
        """Run the task on each item."""
        for item in items:
            try:
                task(item)
            except Exception as error:
                yield item, error
            else:
                yield item, None


@dataclass(frozen=True)
class Elsewhere:
    """Any executor: it has to find another worker for what was on one that died."""

    executor: Executor

    def run(self, task: Task, items: Sequence[Any]) -> Ended:
        """Submit the items and yield them as they are done."""
        for item, error in submit_all(self.executor, task, deque(items), ahead=MOST_AHEAD):
            if isinstance(error, BrokenExecutor):
                raise WorkerError(f"the executor gave up ({error}); run the same again to continue")
            if type(error).__name__ == "KilledWorker":  # Dask's, which need not be installed
                error = WorkerError("every worker that was given this part died: killed, or out of memory")
            yield item, error


@dataclass(frozen=True)
class Processes:
    """Processes of this machine. When one dies, what they were at is tried again, one item at a time."""

    workers: int
    prepare: Preparation = None

    def run(self, task: Task, items: Sequence[Any]) -> Ended:
        """Run the task in a pool of processes, in a new one after each death."""
        waiting = deque(items)
        while waiting:
            suspects = []
            with self._pool(self.workers) as pool:
                for item, error in submit_all(pool, task, waiting, ahead=self.workers):
                    if isinstance(error, BrokenExecutor):
                        suspects.append(item)
                    else:
                        yield item, error
            if waiting and not suspects:  # no process came up at all
                suspects.append(waiting.popleft())
            for item in suspects:
                yield item, self._run_alone(task, item)

    def _run_alone(self, task: Task, item: Any) -> BaseException | None:
        for _ in range(_TIMES_ALONE):
            with self._pool(1) as pool:
                error = pool.submit(task, item).exception()
            if not isinstance(error, BrokenExecutor):
                return error
        return WorkerError("every worker that was given this part died: killed, or out of memory")

    @contextlib.contextmanager
    def _pool(self, workers: int) -> Iterator[Executor]:
        from concurrent.futures import ProcessPoolExecutor

        from wordorder.apps.scale.nursery import worker_context

        pool = ProcessPoolExecutor(workers, mp_context=worker_context(self.prepare), initializer=_begin_worker)
        try:
            yield pool
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def submit_all(executor: Executor, task: Task, waiting: deque[Any], *, ahead: int) -> Ended:
    """Submit what is waiting, so many items ahead at most, and yield each when it is done.

    What is still waiting when an executor breaks stays there.
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
    """Prepare a process: Ctrl-C is for the driver, and where there is no driver there is nothing left to do."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_driver, daemon=True).start()


def _end_with_driver() -> None:
    from multiprocessing import connection, parent_process

    driver = parent_process()
    if driver is not None:
        connection.wait([driver.sentinel])
        discard_drafts()
        os._exit(1)
