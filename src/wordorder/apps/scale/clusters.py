"""Run tasks on a Dask cluster: through a running scheduler, in local processes, or as Slurm jobs.

All workers must have the same software versions and access to the output folder of the driver, which is the process
that hands out the tasks. This is checked before any work starts.
"""

import contextlib
import logging
import os
import socket
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from queue import Empty, SimpleQueue
from typing import Any

from wordorder.apps.scale.engines import DIED, MOST_AHEAD, Outcomes, Task, WorkerError
from wordorder.apps.scale.folders import Folder, is_remote
from wordorder.core.runtime.errors import UsageError, count_of
from wordorder.core.runtime.libraries import optional
from wordorder.version import __version__

PATIENCE = 60
"""Seconds to wait for a worker when there is none, and for an answer of the scheduler."""

LOOK = 2
"""Seconds after which the workers are counted again."""

_RETRIES = 3
_FAILURES = 10  # a part has failed after this many workers died while processing it
_FRUGAL = {
    "distributed.worker.profile.enabled": False,
    "distributed.worker.memory.monitor-interval": "1s",
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "5s",
}
"""Settings that slow down Dask's monitoring; by default, monitoring two workers takes a seventh of a core."""

_LOOPBACK = "127.0.0.1:0"  # dashboards show file names and settings, and have no password
_NEVER = "10000 days"
_CHECKED = ("numba", "numpy", "pyarrow")
_WALLTIME_KEPT = 0.1  # the share of a job's time that is reserved for its last part


@contextlib.contextmanager
def dask_engine(
    address: str,
    folder: Folder,
    items: Sequence[Any],
    *,
    workers: int = 1,
    jobs: int | None = None,
    prepare: Callable[[], None] | None = None,
) -> "Iterator[DaskEngine]":
    """Connect to a Dask scheduler, or start one (``local`` or ``slurm``); check the workers, and yield an engine."""
    distributed = optional("distributed", "scale")
    with contextlib.ExitStack() as opened:
        where: Any = address
        jobs_of: SlurmJobs | None = None
        if address == "local":
            where = opened.enter_context(_local(workers, prepare))
        elif address == "slurm":
            jobs_of = opened.enter_context(_slurm(jobs or 1))
            where = jobs_of.cluster
        elif "://" not in address:
            raise UsageError(f"{address}: expected the address of a Dask scheduler, like tcp://host:8786")
        try:
            client = opened.enter_context(distributed.Client(where, timeout=PATIENCE))
        except (OSError, TimeoutError, ValueError) as error:
            message = f"{address}: no Dask scheduler answers at this address ({str(error).partition(chr(10))[0]})"
            raise UsageError(message) from None
        print(f"wordorder: dashboard at {client.dashboard_link}", file=sys.stderr)
        try:
            client.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError:
            reason = " (the Slurm jobs may still be queued; check with squeue)" if address == "slurm" else ""
            raise UsageError(f"{address}: no worker connected within {PATIENCE} seconds{reason}") from None
        _check_versions(client)
        _check_folder(client, folder, items)
        yield DaskEngine(client, address, jobs_of)


@dataclass
class DaskEngine:
    """An engine that uses the workers of a Dask cluster; Dask reassigns the items of workers that are lost.

    Lost workers are mentioned. If there are none left, or if the scheduler is gone, the run ends.
    """

    client: Any
    address: str
    jobs: "SlurmJobs | None" = None
    _workers: set[str] = field(default_factory=set)
    _last_seen: float = 0.0
    _done: int = 0

    def run(self, task: Task, items: Sequence[Any]) -> Outcomes:
        """Submit the items to the scheduler; yield every finished item with its error or None."""
        from distributed import KilledWorker  # type: ignore[import-not-found,unused-ignore]

        waiting, running = deque(items), dict[str, tuple[Any, Any]]()
        ended: SimpleQueue[Any] = SimpleQueue()
        self._last_seen = time.monotonic()
        looked = self._last_seen - LOOK  # at once, so that the loss of these workers is noticed
        while running or waiting:
            while waiting and len(running) < MOST_AHEAD:
                item = waiting.popleft()
                future = self.client.submit(task, item, retries=_RETRIES, pure=False)
                running[future.key] = future, item
                future.add_done_callback(ended.put)
            if time.monotonic() - looked >= LOOK:
                self._look(len(items))
                looked = time.monotonic()
            try:
                future = ended.get(timeout=LOOK)
            except Empty:
                continue
            if future.status not in ("finished", "error"):
                raise self._end("the scheduler is gone, or has dropped the work", len(items))
            error = future.exception()
            self._done += error is None
            yield running.pop(future.key)[1], WorkerError(DIED) if isinstance(error, KilledWorker) else error

    def _look(self, total: int) -> None:
        """Report workers lost since the last check; raise WorkerError if no new ones can be expected."""
        try:
            present = set(self.client.sync(self.client.scheduler.ncores, callback_timeout=PATIENCE))
        except (OSError, TimeoutError, ValueError):
            raise self._end("the scheduler does not answer", total) from None
        if lost := self._workers - present:
            left = f"{count_of(len(present), 'worker')} left" if present else "none left"
            print(f"wordorder: lost {count_of(len(lost), 'Dask worker')}, {left}", file=sys.stderr)
        self._workers = present
        if self.jobs is not None and self.jobs.renew(self._done):
            print("wordorder: submitted new Slurm jobs for those that have ended", file=sys.stderr)
        if present:
            self._last_seen = time.monotonic()
        elif time.monotonic() - self._last_seen > PATIENCE:
            raise self._end(f"all workers are gone, and no new one has connected within {PATIENCE} seconds", total)

    def _end(self, reason: str, total: int) -> WorkerError:
        return WorkerError(
            f"{self.address}: {reason}; {self._done} of {count_of(total, 'part')} were finished in this run; run the "
            "same command again to continue"
        )


def _local(workers: int, prepare: Callable[[], None] | None) -> Any:
    import dask

    from wordorder.apps.scale.fork_server import worker_context

    distributed = optional("distributed", "scale")
    count = workers or os.cpu_count() or 1
    method = worker_context(prepare, ["distributed"]).get_start_method()
    known = {"distributed.scheduler.allowed-failures": _FAILURES, "distributed.worker.multiprocessing-method": method}
    with dask.config.set(known | _FRUGAL):
        return distributed.LocalCluster(
            n_workers=count, threads_per_worker=1, dashboard_address=_LOOPBACK, silence_logs=logging.ERROR
        )


@dataclass
class SlurmJobs:
    """The jobs of a Slurm cluster; those that have ended are submitted again as long as parts get finished."""

    cluster: Any
    count: int
    _alive: set[str] = field(default_factory=set)
    _ended: set[str] = field(default_factory=set)
    _done: int = 0

    def renew(self, done: int) -> bool:
        """Submit new jobs for those whose workers are gone, if parts were finished since the last time."""
        names = {str(worker.name) for worker in list(self.cluster.scheduler.workers.values())}
        jobs = map(str, self.cluster.worker_spec)
        alive = {job for job in jobs if any(name == job or name.startswith(f"{job}-") for name in names)}
        self._ended = (self._ended | self._alive) - alive
        self._alive = alive
        if not self._ended or done == self._done:
            return False
        self._done = done
        self.cluster.sync(self._forget, self._ended)
        self._ended = set()
        self.cluster.scale(jobs=self.count)
        return True

    async def _forget(self, names: set[str]) -> None:
        for name in names & set(self.cluster.workers):
            await self.cluster.workers.pop(name).close()


@contextlib.contextmanager
def _slurm(jobs: int) -> Iterator[SlurmJobs]:
    """Start workers as Slurm jobs; queue, memory and time limit come from the user's ``jobqueue.yaml``.

    Each worker shuts down some time before its job reaches the time limit, so that no unfinished work is lost.
    """
    jobqueue = optional("dask_jobqueue", "slurm")
    import dask
    from dask.utils import parse_timedelta

    prologue = [f"export DASK_{name.replace('.', '__').replace('-', '_').upper()}={x}" for name, x in _FRUGAL.items()]
    known = dask.config.get("jobqueue.slurm.job-script-prologue", None) or []
    seen = dask.config.get("jobqueue.slurm.scheduler-options", None) or {}
    options: dict[str, Any] = {
        "job_script_prologue": [*known, *prologue],
        "scheduler_options": {"dashboard_address": _LOOPBACK, **seen},
    }
    more = ["--dashboard-address", _LOOPBACK, *(dask.config.get("jobqueue.slurm.worker-extra-args", None) or [])]
    walltime = dask.config.get("jobqueue.slurm.walltime", None)
    if walltime:
        seconds = _seconds(str(walltime)) or parse_timedelta(walltime)
        kept = max(60, round(seconds * _WALLTIME_KEPT))
        if seconds > 2 * kept:
            more += ["--lifetime", f"{seconds - kept:.0f}s", "--lifetime-stagger", f"{kept // 2}s"]
    known_settings = {"distributed.scheduler.allowed-failures": _FAILURES, **_FRUGAL}
    known_settings["distributed.deploy.lost-worker-timeout"] = _NEVER  # Dask would cancel jobs that replace lost ones
    if "dashboard_address" not in seen:
        link = dask.config.get("distributed.dashboard.link", "{scheme}://{host}:{port}/status")
        known_settings["distributed.dashboard.link"] = link.replace("{host}", _LOOPBACK.partition(":")[0])
    with dask.config.set(known_settings):
        try:
            cluster = jobqueue.SLURMCluster(worker_extra_args=more, **options)
        except ValueError as error:
            raise UsageError(f"cannot start Slurm jobs; complete ~/.config/dask/jobqueue.yaml: {error}") from None
        with cluster:
            cluster.scale(jobs=jobs)
            yield SlurmJobs(cluster, jobs)


def _seconds(walltime: str) -> int | None:
    """Convert a time limit in Slurm's format to seconds; return None if it has another format.

    >>> _seconds("1-02:00:00"), _seconds("00:30:00"), _seconds("5 min")
    (93600, 1800, None)
    """
    days, _, clock = walltime.rpartition("-")
    parts = clock.split(":")
    if not all(part.isdecimal() for part in parts) or (days and not days.isdecimal()) or len(parts) != 3:
        return None
    hours, minutes, seconds = map(int, parts)
    return int(days or 0) * 86400 + hours * 3600 + minutes * 60 + seconds


def versions() -> dict[str, str]:
    """Return the software versions that must be equal on all machines for identical results."""
    python = ".".join(map(str, sys.version_info[:2]))
    return {"wordorder": __version__, "python": python, **{name: version(name) for name in _CHECKED}}


def _check_versions(client: Any) -> None:
    here = versions()
    try:
        there = client.run(versions)
    except (ImportError, AttributeError) as error:
        message = f"the workers do not have wordorder {__version__} ({error}); install this version on the workers"
        raise UsageError(message) from None
    for worker, found in there.items():
        for name, ours in here.items():
            if found[name] != ours:
                raise UsageError(
                    f"{worker} has {name} {found[name]}, but the driver has {ours}; install the same version on both"
                )


def _check_folder(client: Any, folder: Folder, items: Sequence[Any]) -> None:
    """Raise an error unless the driver and every worker can see the files that the other one writes."""
    if is_remote(folder.path):
        return
    place = os.path.abspath(folder.path)
    folder.make()
    token = f".probe-{os.urandom(8).hex()}"
    try:
        with open(os.path.join(place, token), "w"):
            pass
        read = [item.path for item in items[:1] if hasattr(item, "path")]
        for worker, (complaint, left) in client.run(probe, place, token, read).items():
            if complaint is None and not os.path.exists(os.path.join(place, left)):
                complaint = f"files that it writes to {place} are not visible to the driver"
            if complaint is not None:
                raise UsageError(f"{worker}: {complaint}; use a folder that the driver and all workers share")
    finally:
        for name in Folder(place).names():
            if name.startswith(token):
                Folder(place).delete(name)


def probe(place: str, token: str, read: Sequence[str]) -> tuple[str | None, str]:
    """Test whether a worker can access the folder of the driver.

    Return an error message, or None if all is well, and the name of the file that was written for the test.
    """
    name = f"{token}-{socket.gethostname()}-{os.getpid()}"
    if not os.path.exists(os.path.join(place, token)):
        return f"files that the driver writes to {place} are not visible to this worker", name
    for path in read:
        if not is_remote(path) and not os.path.exists(path):
            return f"{path} is not visible to this worker", name
    try:
        with open(os.path.join(place, name), "w"):
            pass
    except OSError as error:
        return f"{place} is not writable for this worker ({error.strerror})", name
    return None, name
