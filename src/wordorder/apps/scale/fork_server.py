"""Start local worker processes as copies of a server process that has already loaded everything they need.

The fork server of multiprocessing imports this module first. It only accepts names of modules, so everything else
that a job needs (more modules, compiled kernels) is described in an environment variable.
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
_LONGEST = 100_000  # limit for the number of characters in an environment variable


def worker_context(prepare: Callable[[], None] | None, modules: Sequence[str] = ()) -> BaseContext:
    """Return a context that starts processes as copies of one that has imported ``modules`` and called ``prepare``.

    This server process is started once and prepared for the first job; workers themselves load what later jobs
    need. On systems that cannot fork processes, each worker loads everything itself.
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
    """Prepare the server process; errors are ignored here, because the workers will hit and report them again."""
    written = os.environ.pop(_PREPARATION, None)
    if written is not None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the driver handles Ctrl-C
        with contextlib.suppress(Exception):
            prepare = pickle.loads(base64.b64decode(written))
            if prepare is not None:
                prepare()


_prepare()
