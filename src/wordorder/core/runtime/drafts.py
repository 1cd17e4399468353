"""Files in the making: written beside their place and moved there when they are whole.

A process that is told to end throws them away, wherever it is (``discard_drafts``), so every draft is listed before
it exists. Loads nothing, because signals are taken care of before anything else.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection, Iterable, Iterator
from typing import BinaryIO

_drafts: set[str] = set()


@contextlib.contextmanager
def open_draft(path: str | os.PathLike[str], *, lasting: bool = False) -> Iterator[BinaryIO]:
    """Write a file whole or not at all: an error inside leaves what was there before.

    A ``lasting`` file is on the disk before it has its name, so that no failure of the machine leaves it empty, and
    its draft is called after it (:func:`drafts_of`), so that others can clear away what a killed process left.
    """
    folder, name = os.path.split(os.path.abspath(path))
    draft = os.path.join(folder, f".{name if lasting else 'wordorder'}-{os.urandom(8).hex()}.part")
    _drafts.add(draft)
    try:
        with open(draft, "xb") as target:
            yield target
            if lasting:
                target.flush()
                os.fsync(target.fileno())
        os.replace(draft, path)
    except BaseException:
        _discard(draft)
        raise
    _drafts.discard(draft)


@contextlib.contextmanager
def draft_folder(parent: str | os.PathLike[str] | None = None) -> Iterator[str]:
    """Make a folder for files that are needed for a while only, by default where the system has room for such."""
    import tempfile

    folder = os.path.join(parent or tempfile.gettempdir(), f".wordorder-{os.urandom(8).hex()}.part")
    _drafts.add(folder)
    try:
        os.mkdir(folder, 0o700)
        yield folder
    finally:
        _discard(folder)


def drafts_of(names: Collection[str], present: Iterable[str]) -> list[str]:
    """Return those of the names ``present`` in a folder that are drafts of lasting files.

    >>> drafts_of({"a.parquet"}, ["a.parquet", ".a.parquet-0123456789abcdef.part", ".b-0123456789abcdef.part"])
    ['.a.parquet-0123456789abcdef.part']
    """
    end = len("-0123456789abcdef.part")
    return [each for each in present if each[:1] == "." and each.endswith(".part") and each[1:-end] in names]


def discard_drafts() -> None:
    """Delete every file that is still in the making; nothing may be written after this."""
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
