"""The command-line process: signals, closed standard streams, and the end of the process.

Ctrl-C, SIGTERM and SIGHUP end a command within two seconds, whatever it is doing, and leave no half-written files.
Python runs signal handlers in the main thread only between two bytecode instructions, and a kernel may be a single
instruction that takes minutes; an exception raised by a handler can also get lost while a module is being imported.
Therefore, a second thread waits for signals, deletes half-written files, and ends the process.

Signals are handled before any large library is imported.
"""

import atexit
import contextlib
import gc
import os
import signal
import sys
import threading

from wordorder.core.runtime.drafts import discard_drafts

_OBJECTS = 300_000
"""New objects between two garbage collections; imports make many objects, and hardly any garbage."""

_NAMES = {"SIGINT": "interrupted", "SIGTERM": "terminated", "SIGHUP": "hung up"}


def main() -> None:
    """Run the command line as the main program of a process."""
    _open_closed_streams()
    _catch_signals()
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")  # numpy's threads wait asleep, not in a busy loop
    gc.set_threshold(_OBJECTS)
    from wordorder.cli.main import main as run_command

    code = run_command()
    gc.freeze()  # so that nothing is searched for garbage when the process ends
    if sum(not thread.daemon for thread in threading.enumerate()) == 1:
        atexit._run_exitfuncs()
        with contextlib.suppress(OSError, ValueError):  # the usual end reports a stream that fails
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)  # modules and objects are not freed one by one, which would take 0.03 s
    raise SystemExit(code)


def _open_closed_streams() -> None:
    """Replace closed standard streams (``>&-``) by streams that fail (stdin, stdout) or discard output (stderr).

    Otherwise, the next file to be opened would get the number of the closed stream, and error messages, for example,
    would be written to that file.
    """
    failing = {"stdin": os.O_WRONLY, "stdout": os.O_RDONLY, "stderr": os.O_RDWR}
    for number, (name, access) in enumerate(failing.items()):
        if getattr(sys, name) is not None:
            continue
        handle = os.open(os.devnull, access)
        if handle != number:
            os.dup2(handle, number)
            os.close(handle)
        mode = "r" if name == "stdin" else "w"
        setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", closefd=False))


def _catch_signals() -> None:
    """Start a second thread that ends the process when a signal arrives.

    Signals that are already ignored stay ignored, such as hang-ups under ``nohup`` and Ctrl-C in background jobs.
    """
    if os.name != "posix":
        return
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    threading.Thread(target=_end_on_signal, args=(reader,), daemon=True).start()
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    for number in map(signal.Signals.__getitem__, _NAMES):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda *_: None)  # Python still writes the signal's number to the pipe


def _end_on_signal(reader: int) -> None:
    number = signal.Signals(os.read(reader, 1)[0])
    while number.name not in _NAMES:
        number = signal.Signals(os.read(reader, 1)[0])
    cursor = "\x1b[?25h" if sys.stderr.isatty() else ""  # progress bars hide the cursor
    with contextlib.suppress(OSError):
        os.write(2, f"{cursor}wordorder: {_NAMES[number.name]}\n".encode())
    discard_drafts()
    os._exit(128 + number)  # without waiting for other threads, whose work may take long
