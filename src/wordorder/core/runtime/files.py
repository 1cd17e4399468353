"""Opening files (plain or packed, ``-`` for standard input), reading them in blocks of lines, writing them whole.

Lines end at ``\\n`` only. UTF-8; UTF-16 is recognised by its byte-order mark. Carriage returns are tolerated. A file
is never read whole: readers see blocks of a fixed number of lines, so memory does not grow with the file.
"""

from __future__ import annotations

import bz2
import codecs
import contextlib
import gzip
import io
import lzma
import os
import sys
import zlib
from collections.abc import Callable, Iterator, Sized
from dataclasses import dataclass
from typing import IO, Any, BinaryIO, cast

import numpy as np
from numpy.typing import NDArray

from wordorder.core.runtime.drafts import open_draft
from wordorder.core.runtime.errors import InputError, UsageError

LINES_PER_BLOCK = 16_384
"""Segments handled at a time: large enough for the kernels, small enough for memory and threads."""

LONGEST_SENTENCE = 65_536
"""Words in one sentence; a longer line is refused, because quadratic metrics would not come back."""

LARGEST_BLOCK = 1 << 29
"""Bytes of a block of lines, or of one line; a small archive can be made that unpacks to any size."""

LARGEST_DOCUMENT = 1 << 28
"""Bytes of a file that has to be read as a whole, unpacked."""

LARGEST_TABLE = 1 << 30
"""Bytes of a table of judgements or scores, unpacked."""

PACKED = (".gz", ".zst", ".bz2", ".xz")
"""What the names of packed files end in."""

_PIECE = 1 << 22
_NOT_LINES = (*PACKED, ".sgm", ".sgml", ".xml", ".conllu", ".parquet")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_UTF_16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_NEWLINE = 10


@dataclass(frozen=True)
class LineBlock:
    """Some consecutive lines of one file as bytes; line i is ``data[starts[i]:starts[i + 1]]``."""

    data: NDArray[np.uint8]
    starts: NDArray[np.int64]
    path: str
    first_line: int

    def __len__(self) -> int:
        return len(self.starts) - 1

    def line(self, row: int) -> str:
        """Return the text of one line without its end; undecodable bytes are replaced, for error messages."""
        raw = self.data[self.starts[row] : self.starts[row + 1]].tobytes()
        return raw.rstrip(b"\r\n").decode("utf-8", errors="replace")

    def text(self, row: int) -> str:
        """Return the text of one line without its end; bytes that are not UTF-8 are an error."""
        raw = self.data[self.starts[row] : self.starts[row + 1]].tobytes()
        try:
            return raw.rstrip(b"\r\n").decode("utf-8")
        except UnicodeDecodeError as error:
            message = f"byte 0x{raw[error.start]:02x} at position {error.start + 1} is not UTF-8; convert the file"
            raise self.error(row, message) from None

    def error(self, row: int, message: str) -> InputError:
        """Return an error that names this file and the line of ``row``."""
        return InputError(message, path=self.path, line=self.first_line + row)


def display_name(path: str | os.PathLike[str]) -> str:
    """Return the name errors use for a path."""
    return "standard input" if os.fspath(path) == "-" else os.fspath(path)


def full_name(path: str | os.PathLike[str]) -> str:
    """Return a path as a string; what is not a path is a clear error."""
    try:
        return os.fsdecode(path)
    except TypeError:
        raise UsageError(f"expected the name of a file, found {type(path).__name__}") from None


def without_packing(name: str) -> str:
    """Return a name without the ending of a packed file.

    >>> without_packing("a.txt.gz"), without_packing("a.txt")
    ('a.txt', 'a.txt')
    """
    return next((name.removesuffix(ending) for ending in PACKED if name.endswith(ending)), name)


def open_binary(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a file for reading bytes: ``-`` is standard input, packed files are unpacked on the way."""
    name = os.fspath(path)
    if name == "-":
        return sys.stdin.buffer
    try:
        return _unpack(name) if name.endswith(PACKED) else open(name, "rb")
    except FileNotFoundError:
        raise UsageError(f"{name}: no such file") from None
    except IsADirectoryError:
        raise UsageError(f"{name}: is a folder; a file was expected") from None
    except PermissionError:
        raise UsageError(f"{name}: no permission to read it") from None
    except (OSError, ValueError) as error:
        raise UsageError(f"{name}: cannot be opened ({error})") from None


def line_blocks(path: str | os.PathLike[str], *, lines: int = LINES_PER_BLOCK) -> Iterator[LineBlock]:
    """Read a file as blocks of ``lines`` lines (the last one may be shorter). An empty file has none."""
    name, first_line, ended = display_name(path), 1, False
    with _opened(path) as source:
        first = source.read(len(_BYTE_ORDER_MARK))
        read = _decoder(source, first) if first.startswith(_UTF_16_MARKS) else source.read
        held = np.frombuffer(b"" if read != source.read else first.removeprefix(_BYTE_ORDER_MARK), dtype=np.uint8)
        starts = np.concatenate([[0], np.flatnonzero(held == _NEWLINE) + 1])
        while not ended:
            if len(held) > LARGEST_BLOCK:
                what = "a line" if len(starts) == 1 else f"fewer than {lines} lines"
                message = f"{what} with more than {LARGEST_BLOCK >> 20} MB; sentences of that size are refused"
                raise InputError(message, path=name, line=first_line)
            # At least as much again as is held: a line of any length is copied a few times at most.
            piece = np.frombuffer(read(max(_PIECE, len(held))), dtype=np.uint8)
            ended = not len(piece)
            starts = np.concatenate([starts, np.flatnonzero(piece == _NEWLINE) + (len(held) + 1)])
            data = np.concatenate([held, piece])
            if ended and starts[-1] < len(data):
                starts = np.append(starts, len(data))
            whole = len(starts) - 1 if ended else (len(starts) - 1) // lines * lines
            for row in range(0, whole, lines):
                some = starts[row : min(row + lines, whole) + 1]
                yield LineBlock(data[some[0] : some[-1]], some - some[0], name, first_line + row)
            held, first_line = data[starts[whole] :], first_line + whole
            starts = starts[whole:] - starts[whole]


def read_whole(path: str | os.PathLike[str], *, most: int = LARGEST_DOCUMENT) -> bytes:
    """Read a file that has to be in memory as a whole, such as a JSON document; more than ``most`` is an error."""
    pieces, size = [], 0
    with _opened(path) as source:
        while piece := source.read(_PIECE):  # asked for all of it, Python would set room for the limit aside
            pieces.append(piece)
            size += len(piece)
            if size > most:
                raise InputError(
                    f"has more than {most >> 20} MB uncompressed; that is refused", path=display_name(path)
                )
    return b"".join(pieces)


@contextlib.contextmanager
def _opened(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file; what goes wrong while it is read is an error that names it."""
    name = display_name(path)
    source = open_binary(path)
    try:
        with contextlib.nullcontext() if os.fspath(path) == "-" else source:
            yield source
    except UnicodeDecodeError as error:
        raise InputError(f"begins like UTF-16 but is not ({error.reason})", path=name) from None
    except (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile) as error:
        raise InputError(f"is damaged, or not compressed as its name says ({error})", path=name) from None
    except OSError as error:
        if error.errno is None and name.endswith(PACKED):  # what bz2 and zstd say of bad data
            raise InputError(f"is damaged, or not compressed as its name says ({error})", path=name) from None
        raise UsageError(f"{name}: cannot be read ({error.strerror or error})") from None


def count_lines(source: object) -> int | None:
    """Return the number of lines of a plain file or a list of them, or None where counting would take long."""
    if not isinstance(source, (str, os.PathLike)):
        return len(source) if isinstance(source, Sized) else None
    try:
        if os.fspath(source).endswith(_NOT_LINES) or not os.path.isfile(source):
            return None
        with open(source, "rb") as file:
            lines, end = 0, b"\n"
            while piece := file.read(_PIECE):
                lines, end = lines + piece.count(b"\n"), piece[-1:]
    except OSError:
        return None
    return lines + (end != b"\n")


def _unpack(name: str) -> BinaryIO:
    if name.endswith(".zst"):
        import pyarrow as pa

        with open(name, "rb"):  # pyarrow's own errors are less clear
            return io.BufferedReader(pa.CompressedInputStream(pa.OSFile(name), "zstd"))
    opener: Any = gzip if name.endswith(".gz") else bz2 if name.endswith(".bz2") else lzma
    return cast(BinaryIO, opener.open(name, "rb"))


def _pack(target: IO[bytes], name: str) -> IO[bytes]:
    """Pack what is written; neither name nor time are kept, so that the same text gives the same bytes."""
    if name.endswith(".gz"):
        return cast(IO[bytes], gzip.GzipFile("", "wb", fileobj=target, mtime=0))
    if name.endswith(".zst"):
        import pyarrow as pa

        return cast(IO[bytes], pa.CompressedOutputStream(target, "zstd"))
    return cast(IO[bytes], bz2.BZ2File(target, "wb") if name.endswith(".bz2") else lzma.LZMAFile(target, "wb"))


def _decoder(source: BinaryIO, first: bytes) -> Callable[[int], bytes]:
    """Return what reads UTF-16 as UTF-8: at most so many bytes of the file at a time, nothing at its end only."""
    decoder = codecs.getincrementaldecoder("utf-16")()
    begun = [first]

    def read(size: int) -> bytes:
        while True:
            piece = begun.pop() if begun else source.read(size)
            text = decoder.decode(piece, final=not piece)
            if text or not piece:
                return text.encode("utf-8", "surrogatepass")

    return read


@contextlib.contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[IO[str]]:
    """Write a text file whole or not at all: an error inside leaves what was there before.

    ``-`` is standard output; a name that ends like a packed file is packed.
    """
    name = os.fspath(path)
    if name == "-":
        yield sys.stdout
        return
    if os.path.isdir(name):
        raise UsageError(f"{name}: is a folder; a file was expected")
    if os.path.exists(name) and not os.path.isfile(name):  # a pipe or /dev/stdout: nothing to replace
        with open(name, "w", encoding="utf-8", newline="\n") as direct:
            yield direct
        return
    with contextlib.ExitStack() as opened:
        try:
            target: IO[bytes] = opened.enter_context(open_draft(name))
        except FileNotFoundError:
            raise UsageError(f"{name}: there is no folder {os.path.dirname(name)}") from None
        except OSError as error:
            raise UsageError(f"{name}: cannot be written ({error.strerror})") from None
        if name.endswith(PACKED):
            target = opened.enter_context(_pack(target, name))
        yield opened.enter_context(io.TextIOWrapper(target, encoding="utf-8", newline="\n"))
