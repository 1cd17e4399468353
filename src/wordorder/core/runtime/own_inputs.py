"""A record of the files that a running command reads, so that no command overwrites one of its own inputs.

Whoever opens a file for reading notes it, and whoever is about to replace or delete a file asks first. Files are
compared by device and inode, so links and other spellings of a path make no difference. A result that is known in
advance is noted too; a command is then refused as soon as it opens this file for reading, before any long work.

Notes are only taken while a command runs: a program in Python may read a file and write it later.
"""

import contextlib
import os
import stat
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from wordorder.core.runtime.errors import UsageError

File: TypeAlias = str | os.PathLike[str] | int
"""A path, the address of remote storage, or the number of a standard stream."""

STANDARD_INPUT, _STANDARD_OUTPUT = 0, 1
_STREAMS = ("standard input", "standard output")


@dataclass(frozen=True)
class _Notes:
    """The files that a command reads and those that it will replace, by identity."""

    inputs: dict[Hashable, File] = field(default_factory=dict)
    results: dict[Hashable, File] = field(default_factory=dict)


_notes: _Notes | None = None


@contextlib.contextmanager
def inputs_kept(results: Iterable[str] = ()) -> Iterator[None]:
    """While this context lasts, no file that is noted as an input can be replaced or deleted.

    ``results`` are the files that are going to be written, as far as they are known; standard output is one of them.
    """
    global _notes
    before = _notes
    _notes = before or _Notes()
    try:
        files: list[File] = [_STANDARD_OUTPUT, *results]
        for file in files:
            if (identity := _identity(file)) is not None:
                _notes.results[identity] = file
        yield
    finally:
        _notes = before


def note_input(file: File) -> None:
    """Note that the running command reads a file; raise an error if the file is also one of its results."""
    if _notes is not None and (identity := _identity(file)) is not None:
        _notes.inputs[identity] = file
        result = _notes.results.get(identity)
        if result is not None and _identity(result) == identity:  # the inode may belong to another file by now
            raise _refusal(result, file)


def note_folder(folder: str | os.PathLike[str]) -> None:
    """Note that the running command reads a folder, with every file in it."""
    for place, _, names in os.walk(folder):
        for name in names:
            note_input(os.path.join(place, name))


def refuse_input(file: File) -> None:
    """Raise an error if a file that is about to be replaced or deleted is an input of the running command."""
    if _notes is not None and (identity := _identity(file)) is not None:
        read = _notes.inputs.get(identity)
        if read is not None and _identity(read) == identity:
            raise _refusal(file, read)


def _identity(file: File) -> Hashable:
    """Return what all names of a file share, or None for a missing file and for what cannot be replaced (a pipe)."""
    if isinstance(file, str) and "://" in file:
        return file
    try:
        found = os.stat(file if isinstance(file, int) else os.path.realpath(file))
    except (OSError, ValueError):
        return None
    return (found.st_dev, found.st_ino) if stat.S_ISREG(found.st_mode) else None


def _refusal(result: File, read: File) -> UsageError:
    names = [_STREAMS[file] if isinstance(file, int) else os.fsdecode(file) for file in (result, read)]
    same = os.path.abspath(names[0]) == os.path.abspath(names[1])
    what = "is an input" if same else f"is the same file as {names[1]}, an input"
    return UsageError(f"{names[0]} {what} of this command; choose another file for the result")
