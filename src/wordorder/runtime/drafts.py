"""Files in the making: written beside their place and moved there when they are whole.

A process that is told to end throws them away, wherever it is (``discard_drafts``), so every draft is listed before
it exists. Loads nothing, because signals are taken care of before anything else.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import BinaryIO

_drafts: set[str] = set()


@contextlib.contextmanager
def open_draft(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Write a file whole or not at all: an error inside leaves what was there before."""
    draft = os.path.join(os.path.dirname(os.path.abspath(path)), f".wordorder-{os.urandom(8).hex()}.part")
    _drafts.add(draft)
    try:
        with open(draft, "xb") as target:
            yield target
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
