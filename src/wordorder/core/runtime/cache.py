"""An on-disk cache of arrays, keyed by a description of what they were computed from.

The cache folder is ``$WORDORDER_CACHE`` if set, otherwise ``wordorder`` in the user's cache folder. A damaged or
unwritable cache is never an error; the values are simply computed again.
"""

import contextlib
import hashlib
import io
import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wordorder.core.runtime.drafts import open_draft
from wordorder.version import __version__

_DIGEST_SIZE = 16
"""Size in bytes of the digest at the start of each file.

It detects damage that the zip format would miss, and the file of another key under this name.
"""


def cache_folder() -> Path:
    """Return the path of the cache folder, which may not exist yet."""
    if chosen := os.environ.get("WORDORDER_CACHE"):
        return Path(chosen)
    from platformdirs import user_cache_path

    return user_cache_path("wordorder", appauthor=False)


class Cache:
    """A cache that stores named arrays under a key; ``Cache(None)`` stores nothing."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder

    def load(self, key: str) -> dict[str, NDArray[np.generic]] | None:
        """Return the arrays stored under ``key``, or None if they are missing or damaged."""
        if self.folder is None:
            return None
        try:
            stored = self._path(key).read_bytes()
        except OSError:
            return None
        content = stored[_DIGEST_SIZE:]
        if _digest(key, content) != stored[:_DIGEST_SIZE]:
            return None
        with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
            return {name: arrays[name] for name in arrays.files}

    def store(self, key: str, arrays: dict[str, NDArray[np.generic]]) -> None:
        """Store ``arrays`` under ``key``; several processes may safely do this at the same time."""
        if self.folder is None:
            return
        packed = io.BytesIO()
        np.savez(packed, **arrays)  # type: ignore[arg-type]  # the stub takes a name for its own option
        content = packed.getvalue()
        with contextlib.suppress(OSError):
            self.folder.mkdir(parents=True, exist_ok=True)
            with open_draft(self._path(key)) as target:
                target.write(_digest(key, content))
                target.write(content)

    def _path(self, key: str) -> Path:
        assert self.folder is not None
        return self.folder / f"{_digest(key).hex()}.arrays"


def _digest(key: str, content: bytes = b"") -> bytes:
    return hashlib.blake2b(f"{__version__}\0{key}\0".encode() + content, digest_size=_DIGEST_SIZE).digest()
