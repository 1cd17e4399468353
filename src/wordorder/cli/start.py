"""The process around the command line: signals, standard streams that are closed or full, and how it ends.

Ctrl-C, SIGTERM and SIGHUP end a command within two seconds, whatever it is doing, and leave no half-written files.
Python tells the main thread of a signal only between two of its steps, and a kernel may be one step that takes
minutes; an exception raised there may be swallowed by whoever is being imported. So a second thread is told, throws
away what is half written, and ends the process.

Signals are taken care of before anything heavy is loaded.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading

from wordorder.core.runtime.drafts import discard_drafts

_NAMES = {"SIGINT": "interrupted", "SIGTERM": "terminated", "SIGHUP": "hung up"}


def main() -> None:
    """Run the command line as a process of its own."""
    _open_closed_streams()
    _catch_signals()
    if sys.argv[1:2] == ["demo"] and "--compile" not in sys.argv:
        os.environ.setdefault("NUMBA_DISABLE_JIT", "1")  # sixteen sentences are scored long before a compiler is done
    from wordorder.cli.main import main as run_command

    raise SystemExit(run_command())


def _open_closed_streams() -> None:
    """Make standard streams that are closed (``>&-``) fail when they are used, and not before.

    Otherwise the next file to be opened would take their place, and errors would be printed into it.
    """
    useless = {"stdin": os.O_WRONLY, "stdout": os.O_RDONLY, "stderr": os.O_RDWR}  # complaints go nowhere
    for number, (name, access) in enumerate(useless.items()):
        if getattr(sys, name) is not None:
            continue
        handle = os.open(os.devnull, access)
        if handle != number:
            os.dup2(handle, number)
            os.close(handle)
        mode = "r" if name == "stdin" else "w"
        setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", closefd=False))


def _catch_signals() -> None:
    """Let a second thread end the process when a signal comes.

    What is ignored stays so: hang-ups under ``nohup``, Ctrl-C for a job in the background of a script.
    """
    if os.name != "posix":
        return
    told, teller = os.pipe()
    os.set_blocking(teller, False)
    threading.Thread(target=_end_when_told, args=(told,), daemon=True).start()
    signal.set_wakeup_fd(teller, warn_on_full_buffer=False)
    for number in map(signal.Signals.__getitem__, _NAMES):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda *_: None)  # the second thread is told nevertheless


def _end_when_told(told: int) -> None:
    number = signal.Signals(os.read(told, 1)[0])
    while number.name not in _NAMES:
        number = signal.Signals(os.read(told, 1)[0])
    cursor = "\x1b[?25h" if sys.stderr.isatty() else ""  # a progress bar hides it
    with contextlib.suppress(OSError):
        os.write(2, f"{cursor}wordorder: {_NAMES[number.name]}\n".encode())
    discard_drafts()
    os._exit(128 + number)  # at once: other threads may be in the middle of work that takes long
