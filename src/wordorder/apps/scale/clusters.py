"""Run tasks on a Dask cluster: through a running scheduler, in local processes, or as Slurm jobs.

All workers must have the same software versions and access to the output folder of the driver, which is the process
that hands out the tasks. This is checked before any work starts.
"""

from __future__ import annotations

import contextlib
import logging
import os
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import version
from types import ModuleType
from typing import Any

from wordorder.apps.scale.engines import ExecutorEngine
from wordorder.apps.scale.folders import Folder, is_remote
from wordorder.core.runtime.errors import UsageError
from wordorder.version import __version__

PATIENCE = 60
"""Seconds to wait for the first worker."""

_RETRIES = 3
_FAILURES = 10  # a part has failed after this many workers died while processing it
_FRUGAL = {
    "distributed.worker.profile.enabled": False,
    "distributed.worker.memory.monitor-interval": "1s",
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "5s",
}
"""Settings that slow down Dask's monitoring; by default, monitoring two workers takes a seventh of a core."""

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
) -> Iterator[ExecutorEngine]:
    """Connect to a Dask scheduler, or start one (``local`` or ``slurm``); check the workers, and yield an engine."""
    distributed = _require("distributed", "scale")
    with contextlib.ExitStack() as opened:
        where = address
        if address in ("local", "slurm"):
            cluster = _local(workers, prepare) if address == "local" else _slurm(jobs or 1)
            where = opened.enter_context(cluster)
        elif "://" not in address:
            raise UsageError(f"{address}: expected the address of a Dask scheduler, like tcp://host:8786")
        try:
            client = opened.enter_context(distributed.Client(where, timeout=PATIENCE))
        except (OSError, TimeoutError, ValueError) as error:
            raise UsageError(
                f"{address}: no Dask scheduler answers at this address ({str(error).partition(chr(10))[0]})"
            ) from None
        print(f"wordorder: dashboard at {client.dashboard_link}", file=sys.stderr)
        try:
            client.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError:
            reason = " (the Slurm jobs may still be queued; check with squeue)" if address == "slurm" else ""
            raise UsageError(f"{address}: no worker connected within {PATIENCE} seconds{reason}") from None
        _check_versions(client)
        _check_folder(client, folder, items)
        yield ExecutorEngine(client.get_executor(retries=_RETRIES, pure=False), (distributed.KilledWorker,))


def _require(module: str, extra: str) -> ModuleType:
    import importlib

    try:
        return importlib.import_module(module)
    except ImportError:
        raise UsageError(
            f"this option needs the package {module}, which is not installed: pip install 'wordorder[{extra}]'"
        ) from None


def _local(workers: int, prepare: Callable[[], None] | None) -> Any:
    import dask

    from wordorder.apps.scale.fork_server import worker_context

    distributed: Any = _require("distributed", "scale")
    count = workers or os.cpu_count() or 1
    method = worker_context(prepare, ["distributed"]).get_start_method()
    known = {"distributed.scheduler.allowed-failures": _FAILURES, "distributed.worker.multiprocessing-method": method}
    with dask.config.set(known | _FRUGAL):
        return distributed.LocalCluster(
            n_workers=count, threads_per_worker=1, dashboard_address=":0", silence_logs=logging.ERROR
        )


def _slurm(jobs: int) -> Any:
    """Start workers as Slurm jobs; queue, memory and time limit come from the user's ``jobqueue.yaml``.

    Each worker shuts down some time before its job reaches the time limit, so that no unfinished work is lost.
    """
    jobqueue = _require("dask_jobqueue", "slurm")
    import dask
    from dask.utils import parse_timedelta

    prologue = [f"export DASK_{name.replace('.', '__').replace('-', '_').upper()}={x}" for name, x in _FRUGAL.items()]
    known = dask.config.get("jobqueue.slurm.job-script-prologue", None) or []
    options: dict[str, Any] = {"job_script_prologue": [*known, *prologue]}
    walltime = dask.config.get("jobqueue.slurm.walltime", None)
    if walltime:
        seconds = _seconds(str(walltime)) or parse_timedelta(walltime)
        kept = max(60, round(seconds * _WALLTIME_KEPT))
        if seconds > 2 * kept:
            life = ["--lifetime", f"{seconds - kept:.0f}s", "--lifetime-stagger", f"{kept // 2}s"]
            more = dask.config.get("jobqueue.slurm.worker-extra-args", None) or []
            options["worker_extra_args"] = [*more, *life]
    with dask.config.set({"distributed.scheduler.allowed-failures": _FAILURES, **_FRUGAL}):
        try:
            cluster = jobqueue.SLURMCluster(**options)
        except ValueError as error:
            raise UsageError(f"cannot start Slurm jobs; complete ~/.config/dask/jobqueue.yaml: {error}") from None
    cluster.scale(jobs=jobs)
    return cluster


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
        raise UsageError(
            f"the workers do not have wordorder {__version__} ({error}); install this version on the workers"
        ) from None
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
