"""The process around the command line: signals, standard streams that are closed or full, and how it ends.

Ctrl-C, SIGTERM and SIGHUP end a command within two seconds, whatever it is doing, and leave no half-written files.
Python tells the main thread of a signal only between two of its steps, and a kernel may be one step that takes
minutes, so a second thread is told as well: it gives the first one a moment to clean up, and then ends the process.

Signals are taken care of before anything heavy is loaded.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from types import FrameType

from wordorder.runtime.drafts import discard_drafts

_NAMES = {"SIGINT": "interrupted", "SIGTERM": "terminated", "SIGHUP": "hung up"}
_PATIENCE = 1.0
"""Seconds the main thread has to clean up by itself."""


class Stopped(KeyboardInterrupt):
    """A signal asked the process to end."""

    def __init__(self, number: int) -> None:
        super().__init__(_NAMES[signal.Signals(number).name])
        self.exit_code = 128 + number


def main() -> None:
    """Run the command line as a process of its own."""
    _open_closed_streams()
    caught = _catch_signals()
    code = 1
    try:
        from wordorder.cli.main import main as run_command

        code = run_command()
        _ignore(caught)
    except Stopped as stop:
        print(f"wordorder: {stop}", file=sys.stderr)
        code = stop.exit_code
    if code > 128:
        _end(code)
    raise SystemExit(code)


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


def _catch_signals() -> list[signal.Signals]:
    """Turn the signals into an exception of the main thread; return those that are caught.

    What is ignored stays so: hang-ups under ``nohup``, Ctrl-C for a job in the background of a script.
    """
    if os.name != "posix":
        return []
    ends = [signal.Signals[name] for name in _NAMES]
    caught = [number for number in ends if signal.getsignal(number) is not signal.SIG_IGN]
    told, teller = os.pipe()
    os.set_blocking(teller, False)
    threading.Thread(target=_end_after_a_moment, args=(told,), daemon=True).start()
    signal.set_wakeup_fd(teller, warn_on_full_buffer=False)
    for number in caught:
        signal.signal(number, _stop)
    return caught


def _ignore(numbers: list[signal.Signals]) -> None:
    """Let nothing disturb the last milliseconds."""
    if numbers:
        signal.set_wakeup_fd(-1)
    for number in numbers:
        signal.signal(number, signal.SIG_IGN)


def _stop(number: int, frame: FrameType | None) -> None:
    raise Stopped(number)


def _end_after_a_moment(told: int) -> None:
    """Wait for a signal; if the main thread has not ended the process soon after, or a second one comes, end it."""
    import select

    number = os.read(told, 1)[0]
    select.select([told], [], [], _PATIENCE)
    stop = Stopped(number)
    os.write(2, f"wordorder: {stop}\n".encode())
    _end(stop.exit_code)


def _end(code: int) -> None:
    """End the process at once: other threads may be in the middle of work that takes long."""
    discard_drafts()
    if sys.stderr.isatty():
        os.write(2, b"\x1b[?25h")  # a progress bar hides the cursor
    os._exit(code)
