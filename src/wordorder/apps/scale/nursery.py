"""Where the workers of this machine come from: a process that has loaded all they need, and is copied for each.

multiprocessing's server for forks imports this module before anything else. What a job needs beside it (modules,
compiled kernels) comes in an environment variable, because the server takes nothing but names of modules.
"""

from __future__ import annotations

import base64
import contextlib
import multiprocessing
import os
import pickle
import signal
from collections.abc import Callable, Sequence
from multiprocessing.context import BaseContext

_PREPARATION = "WORDORDER_PREPARATION"
_LONGEST = 100_000  # what an environment can hold


def worker_context(prepare: Callable[[], None] | None, modules: Sequence[str] = ()) -> BaseContext:
    """Return how processes are started: copies of one that has imported ``modules`` and called ``prepare``.

    There is one such process until the program ends, prepared for what came first; workers load what else they need
    themselves. Where the system cannot copy processes, workers start from nothing.
    """
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    from multiprocessing import forkserver

    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__, *modules])
    written = base64.b64encode(pickle.dumps(prepare)).decode()
    try:
        if len(written) < _LONGEST:
            os.environ[_PREPARATION] = written
        forkserver.ensure_running()
    finally:
        os.environ.pop(_PREPARATION, None)
    return context


def _prepare() -> None:
    """Do in the server what it was started for; what fails here fails in a worker again, and is told there."""
    written = os.environ.pop(_PREPARATION, None)
    if written is not None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the driver
        with contextlib.suppress(Exception):
            prepare = pickle.loads(base64.b64decode(written))
            if prepare is not None:
                prepare()


_prepare()
