"""A cache of arrays on disk, keyed by what they were computed from.

The folder is ``$WORDORDER_CACHE``, else ``wordorder`` in the user's cache folder. A damaged or unwritable cache is
never an error: the work is done again.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
import zipfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wordorder.version import __version__


def cache_folder() -> Path:
    """Give the folder the cache lives in (it need not exist yet)."""
    chosen = os.environ.get("WORDORDER_CACHE")
    if chosen:
        return Path(chosen)
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(home) / "wordorder"


class Cache:
    """Named arrays under a key; ``Cache(None)`` remembers nothing (``--no-cache``)."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder

    def load(self, key: str) -> dict[str, NDArray[np.generic]] | None:
        """Give the arrays stored under ``key``, or None."""
        if self.folder is None:
            return None
        try:
            with np.load(self._path(key), allow_pickle=False) as stored:
                return {name: stored[name] for name in stored.files}
        except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile):
            return None

    def store(self, key: str, arrays: dict[str, NDArray[np.generic]]) -> None:
        """Keep ``arrays`` under ``key``; two processes may do so at once."""
        if self.folder is None:
            return
        with contextlib.suppress(OSError):
            self.folder.mkdir(parents=True, exist_ok=True)
            handle, draft = tempfile.mkstemp(dir=self.folder, suffix=".part")
            try:
                with os.fdopen(handle, "wb") as target:
                    np.savez(target, allow_pickle=False, **arrays)
                os.replace(draft, self._path(key))
            except BaseException:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(draft)
                raise

    def _path(self, key: str) -> Path:
        assert self.folder is not None
        digest = hashlib.blake2b(f"{__version__}\0{key}".encode(), digest_size=16).hexdigest()
        return self.folder / f"{digest}.npz"
