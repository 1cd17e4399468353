"""Drafts: temporary files that are written next to their destination and renamed when they are complete.

A process that receives a termination signal deletes its drafts (``discard_drafts``), so every draft is registered
before it is created. This module imports little, because signal handlers are installed before anything else is
loaded.
"""

import contextlib
import io
import os
import stat
from collections.abc import Collection, Iterable, Iterator
from typing import Any, BinaryIO

from wordorder.core.runtime.own_inputs import refuse_input

_drafts: set[str] = set()


@contextlib.contextmanager
def _errors_name(path: str | os.PathLike[str]) -> Iterator[None]:
    """Make errors of the operating system, such as a full disk, name the file that the user knows."""
    try:
        yield
    except OSError as error:
        error.filename, error.filename2 = os.fspath(path), None
        raise


class NamedFile(io.FileIO):
    """A file that is open for writing; errors name it as ``shown``."""

    def __init__(self, path: str, mode: str, *, shown: str | os.PathLike[str], opener: Any = None) -> None:
        super().__init__(path, mode, opener=opener)
        self._shown = shown

    def write(self, data: Any) -> int:
        """Write some bytes; return how many were written."""
        with _errors_name(self._shown):
            return super().write(data)


@contextlib.contextmanager
def open_draft(path: str | os.PathLike[str], *, durable: bool = False) -> Iterator[BinaryIO]:
    """Open a new file for writing; it replaces the file at ``path`` only when it is complete.

    After an error, the old file is unchanged. A link stays a link, to the new content, and the permissions of the old
    file are kept. An input of the running command is not replaced. With ``durable``, the content is flushed to disk
    before the draft is renamed, so that not even a power failure can leave an empty file. The name of the draft then
    contains the name of the file, so that another process can find drafts that a killed process left behind
    (:func:`drafts_of`).
    """
    refuse_input(path)
    final = os.path.realpath(path)
    old = os.stat(final) if os.path.exists(final) else None
    folder, name = os.path.split(final)
    draft = os.path.join(folder, f".{name if durable else 'wordorder'}-{os.urandom(8).hex()}.part")
    _drafts.add(draft)
    try:
        mode = 0o600 if old else 0o666
        raw = NamedFile(draft, "x", shown=path, opener=lambda path, flags: os.open(path, flags, mode))
        with io.BufferedWriter(raw) as target:
            if old:
                with contextlib.suppress(PermissionError):
                    os.fchown(target.fileno(), old.st_uid, old.st_gid)
                os.fchmod(target.fileno(), stat.S_IMODE(old.st_mode))
            yield target
            if durable:
                target.flush()
                with _errors_name(path):
                    os.fsync(target.fileno())
        refuse_input(path)
        with _errors_name(path):
            os.replace(draft, final)
    except BaseException:
        _discard(draft)
        raise
    _drafts.discard(draft)


@contextlib.contextmanager
def draft_folder(parent: str | os.PathLike[str] | None = None) -> Iterator[str]:
    """Create a temporary folder in ``parent`` or the system's temporary folder; delete it when the context ends."""
    import tempfile

    folder = os.path.join(parent or tempfile.gettempdir(), f".wordorder-{os.urandom(8).hex()}.part")
    _drafts.add(folder)
    try:
        os.mkdir(folder, 0o700)
        yield folder
    finally:
        _discard(folder)


def drafts_of(names: Collection[str], present: Iterable[str]) -> list[str]:
    """Return the file names in ``present`` that are durable drafts of a file in ``names``.

    >>> drafts_of({"a.parquet"}, ["a.parquet", ".a.parquet-0123456789abcdef.part", ".b-0123456789abcdef.part"])
    ['.a.parquet-0123456789abcdef.part']
    """
    end = len("-0123456789abcdef.part")
    return [each for each in present if each[:1] == "." and each.endswith(".part") and each[1:-end] in names]


def discard_drafts() -> None:
    """Delete all drafts of this process; it must not write any files after this call."""
    for draft in list(_drafts):
        _discard(draft)


def _discard(draft: str) -> None:
    with contextlib.suppress(OSError):
        if os.path.isdir(draft):
            import shutil

            shutil.rmtree(draft)
        else:
            os.unlink(draft)
    _drafts.discard(draft)
