"""Start local worker processes as forks of a server process that has already loaded everything they need.

The fork server of multiprocessing imports this module when it starts. It can only be given names of modules, so
an environment variable describes the other preparations for a job, such as compiling kernels.
"""

import base64
import contextlib
import multiprocessing
import os
import pickle
import signal
from collections.abc import Callable, Sequence
from multiprocessing.context import BaseContext

_PREPARATION = "WORDORDER_PREPARATION"
_WARNINGS = "PYTHONWARNINGS"
_LONGEST = 100_000  # limit for the number of characters in an environment variable


def worker_context(prepare: Callable[[], None] | None, modules: Sequence[str] = ()) -> BaseContext:
    """Return a multiprocessing context that forks workers from a server process.

    The server is started once. It imports ``modules`` and calls ``prepare`` for the first job only; the workers of
    later jobs prepare themselves. So do all workers on systems that cannot fork processes.
    """
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    from multiprocessing import forkserver

    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__, *modules])
    written = base64.b64encode(pickle.dumps(prepare)).decode()
    chosen = os.environ.get(_WARNINGS)
    try:
        if len(written) < _LONGEST:
            os.environ[_PREPARATION] = written
        # Where a driver is killed or interrupted, the process that cleans up behind it need not say so.
        os.environ[_WARNINGS] = ",".join([*([chosen] if chosen else []), "ignore:resource_tracker"])
        forkserver.ensure_running()
    finally:
        os.environ.pop(_PREPARATION, None)
        if chosen is None:
            os.environ.pop(_WARNINGS)
        else:
            os.environ[_WARNINGS] = chosen
    return context


def _prepare() -> None:
    """Prepare the server process. Errors are ignored, because the workers encounter and report them anyway."""
    written = os.environ.pop(_PREPARATION, None)
    if written is not None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the driver handles Ctrl-C
        with contextlib.suppress(Exception):
            prepare = pickle.loads(base64.b64decode(written))
            if prepare is not None:
                prepare()


_prepare()
