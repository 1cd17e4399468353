"""The engine for Dask clusters: a running scheduler, local processes, or Slurm jobs.

Before any work starts, all workers must have the same software versions and share a folder with the driver.
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
"""Settings for Dask's monitoring; with the defaults, it takes a seventh of a core for two workers."""

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
    """Connect to a scheduler, or start one (``local``, ``slurm``); yield an engine once its workers are checked."""
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
            raise UsageError(f"{address}: no Dask scheduler answers ({str(error).partition(chr(10))[0]})") from None
        print(f"wordorder: dashboard at {client.dashboard_link}", file=sys.stderr)
        try:
            client.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError:
            reason = " (are the Slurm jobs waiting in their queue? see squeue)" if address == "slurm" else ""
            raise UsageError(f"{address}: no worker within {PATIENCE} seconds{reason}") from None
        _check_versions(client)
        _check_folder(client, folder, items)
        yield ExecutorEngine(client.get_executor(retries=_RETRIES, pure=False), (distributed.KilledWorker,))


def _require(module: str, extra: str) -> ModuleType:
    import importlib

    try:
        return importlib.import_module(module)
    except ImportError:
        raise UsageError(f"this needs {module}, which is not installed: pip install 'wordorder[{extra}]'") from None


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

    Each worker ends some time before its job does, so that no part is lost.
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
            raise UsageError(f"Slurm needs settings in ~/.config/dask/jobqueue.yaml: {error}") from None
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
        raise UsageError(f"the workers do not have wordorder {__version__} ({error}); install it there") from None
    for worker, found in there.items():
        for name, ours in here.items():
            if found[name] != ours:
                raise UsageError(
                    f"{worker} has {name} {found[name]}, but the driver has {ours}; install the same version on both"
                )


def _check_folder(client: Any, folder: Folder, items: Sequence[Any]) -> None:
    """Raise an error unless each worker and the driver can see the files that the other writes."""
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
                complaint = f"files that it writes to {place} are not visible here"
            if complaint is not None:
                raise UsageError(f"{worker}: {complaint}; workers and driver must share this folder")
    finally:
        for name in Folder(place).names():
            if name.startswith(token):
                Folder(place).delete(name)


def probe(place: str, token: str, read: Sequence[str]) -> tuple[str | None, str]:
    """Check a worker's access to the driver's folder; return an error (or None) and the name of a file it wrote."""
    name = f"{token}-{socket.gethostname()}-{os.getpid()}"
    if not os.path.exists(os.path.join(place, token)):
        return f"files that the driver writes to {place} are not visible there", name
    for path in read:
        if not is_remote(path) and not os.path.exists(path):
            return f"{path} is not visible there", name
    try:
        with open(os.path.join(place, name), "w"):
            pass
    except OSError as error:
        return f"{place} is not writable there ({error.strerror})", name
    return None, name
