"""Folders of files on a disk or in any storage that pyarrow supports (``s3://``, ``gs://``)."""

import contextlib
import errno
import glob
import io
import os
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import lru_cache
from typing import IO, Any, cast

from wordorder.core.runtime.drafts import open_draft
from wordorder.core.runtime.errors import InputError, UsageError, WordorderError
from wordorder.core.runtime.libraries import pa
from wordorder.core.runtime.own_inputs import refuse_input


class NoSpaceError(WordorderError):
    """The disk is full, which stops the run."""


def is_remote(path: str) -> bool:
    """Return whether a path is the address of remote storage.

    >>> is_remote("s3://bucket/corpus"), is_remote("corpus")
    (True, False)
    """
    return "://" in path


def absolute(path: str) -> str:
    """Make a path absolute; a column name after the path (``FILE:column``) is preserved."""
    return path if is_remote(path) else os.path.abspath(path)


@lru_cache(maxsize=64)
def _storage(address: str) -> tuple[Any, str]:
    """Return the pyarrow file system of an address, and the path within this file system."""
    from pyarrow import fs

    try:
        found: tuple[Any, str] = fs.FileSystem.from_uri(address)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise UsageError(f"{address}: cannot access this storage ({_first_line(error)})") from None
    return found


def open_file(path: str) -> IO[bytes]:
    """Open a local or remote file for reading; the returned file object also works with pyarrow."""
    try:
        if not is_remote(path):
            return open(path, "rb")
        storage, name = _storage(path)
        return cast(IO[bytes], storage.open_input_file(name))
    except FileNotFoundError:
        raise UsageError(f"{path}: no such file") from None
    except OSError as error:
        raise InputError(f"cannot read the file ({_first_line(error)})", path=path) from None


def find_files(pattern: str) -> list[str]:
    """Return the files that match a pattern with ``*``, ``?`` or ``[…]``, sorted."""
    if not is_remote(pattern):
        return sorted(path for path in glob.glob(pattern, recursive=True) if os.path.isfile(path))
    base = pattern[: min(pattern.index(sign) for sign in "*?[" if sign in pattern)].rpartition("/")[0]
    folder = Folder(base)
    return [path for path in map(folder.path_of, folder.names(deep=True)) if fnmatch(path, pattern)]


@dataclass(frozen=True)
class Folder:
    """A local or remote folder."""

    path: str

    def path_of(self, name: str) -> str:
        """Return the path of a file in this folder."""
        return f"{self.path.rstrip('/')}/{name}"

    def names(self, *, deep: bool = False) -> list[str]:
        """Return the sorted names of the files in the folder; the list is empty if the folder does not exist."""
        if not is_remote(self.path) and not deep:
            with contextlib.suppress(FileNotFoundError, NotADirectoryError), os.scandir(self.path) as entries:
                return sorted(entry.name for entry in entries if entry.is_file())
            return []
        from pyarrow import fs

        storage, base = _storage(self.path) if is_remote(self.path) else (fs.LocalFileSystem(), self.path)
        found = storage.get_file_info(fs.FileSelector(base, allow_not_found=True, recursive=deep))
        return sorted(info.path[len(base.rstrip("/")) + 1 :] for info in found if info.type == fs.FileType.File)

    def is_there(self) -> bool:
        """Return whether the folder exists."""
        if not is_remote(self.path):
            return os.path.isdir(self.path)
        from pyarrow import fs

        storage, base = _storage(self.path)
        return bool(storage.get_file_info(base).type == fs.FileType.Directory)

    def make(self) -> None:
        """Create the folder if it does not exist."""
        try:
            if is_remote(self.path):
                storage, base = _storage(self.path)
                storage.create_dir(base, recursive=True)
            else:
                os.makedirs(self.path, exist_ok=True)
        except OSError as error:
            raise UsageError(f"{self.path}: cannot be used as the output folder ({_first_line(error)})") from None

    def delete(self, name: str) -> None:
        """Delete a file if it exists."""
        refuse_input(self.path_of(name))
        with contextlib.suppress(FileNotFoundError):
            if is_remote(self.path):
                storage, base = _storage(self.path)
                storage.delete_file(f"{base}/{name}")
            else:
                os.unlink(self.path_of(name))

    def read(self, name: str) -> bytes | None:
        """Return the contents of a file, or None if it cannot be read."""
        try:
            with open_file(self.path_of(name)) as file:
                return file.read()
        except (UsageError, InputError):
            return None

    @contextlib.contextmanager
    def write(self, name: str) -> Iterator[IO[bytes]]:
        """Open a file for writing that only appears under its name when it is complete.

        On a disk, a finished draft is renamed; in remote storage, the file is written by a single request.
        """
        try:
            if is_remote(self.path):
                refuse_input(self.path_of(name))
                held = io.BytesIO()
                yield held
                storage, base = _storage(self.path)
                with storage.open_output_stream(f"{base}/{name}") as target:
                    target.write(held.getbuffer())
            else:
                with open_draft(self.path_of(name), durable=True) as file:
                    yield file
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                raise NoSpaceError(
                    f"{self.path}: the disk is full; free some space and run the same command again; "
                    "finished parts are kept"
                ) from None
            raise


def _first_line(error: Exception) -> str:
    return (getattr(error, "strerror", None) or str(error)).partition("\n")[0]
