"""Files: opening them (plain or compressed, ``-`` for standard input), reading blocks of lines, and atomic writing.

Lines end at ``\\n`` only; carriage returns are tolerated. Files are in UTF-8, or in UTF-16 with a byte-order mark.
Readers get blocks of a fixed number of lines, so memory use does not grow with the file.
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
from typing import IO, Any, BinaryIO, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from wordorder.core.runtime.drafts import open_draft
from wordorder.core.runtime.errors import InputError, UsageError

LINES_PER_BLOCK = 16_384
"""Segments processed at a time: enough for fast kernels, few enough for memory and threads."""

LONGEST_SENTENCE = 65_536
"""The most words in a sentence; longer ones are an error, because quadratic metrics would never finish."""

LARGEST_BLOCK = 1 << 29
"""The most bytes in a block of lines or in one line, since a small archive can unpack to any size."""

LARGEST_DOCUMENT = 1 << 28
"""The most bytes in a file that must be read as a whole, after decompression."""

LARGEST_TABLE = 1 << 30
"""The most bytes in a table of judgements or scores, after decompression."""

PACKED = (".gz", ".zst", ".bz2", ".xz")
"""The endings of the names of compressed files."""

Path: TypeAlias = str | os.PathLike[str]
"""The name of a file."""

_PIECE = 1 << 22
_NOT_LINES = (*PACKED, ".sgm", ".sgml", ".xml", ".conllu", ".parquet")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_UTF_16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_NEWLINE = 10


@dataclass(frozen=True)
class LineBlock:
    """Consecutive lines of one file as bytes; line i is ``data[starts[i]:starts[i + 1]]``."""

    data: NDArray[np.uint8]
    starts: NDArray[np.int64]
    path: str
    first_line: int

    def __len__(self) -> int:
        return len(self.starts) - 1

    def line(self, row: int) -> str:
        """Return one line without its end, for error messages; bytes that are not UTF-8 are replaced."""
        raw = self.data[self.starts[row] : self.starts[row + 1]].tobytes()
        return raw.rstrip(b"\r\n").decode("utf-8", errors="replace")

    def text(self, row: int) -> str:
        """Return one line without its end; bytes that are not UTF-8 are an error."""
        raw = self.data[self.starts[row] : self.starts[row + 1]].tobytes()
        try:
            return raw.rstrip(b"\r\n").decode("utf-8")
        except UnicodeDecodeError as error:
            message = f"byte 0x{raw[error.start]:02x} at position {error.start + 1} is not UTF-8; convert the file"
            raise self.error(row, message) from None

    def column(self, data: NDArray[np.uint8], offsets: NDArray[np.int64]) -> Any:
        """Return bytes of this block as an Arrow array of strings; raise if they are not UTF-8."""
        import pyarrow as pa

        strings = pa.LargeStringArray.from_buffers(len(offsets) - 1, pa.py_buffer(offsets), pa.py_buffer(data))
        try:
            strings.validate(full=True)
        except pa.ArrowInvalid:
            for row in range(len(self)):
                self.text(row)  # raises an error that names the line
            raise self.error(0, "is not UTF-8; convert the file") from None
        return strings

    def error(self, row: int, message: str) -> InputError:
        """Return an error that names this file and the line of ``row``."""
        return InputError(message, path=self.path, line=self.first_line + row)


def display_name(path: Path) -> str:
    """Return the name of a file for error messages."""
    return "standard input" if os.fspath(path) == "-" else os.fspath(path)


def full_name(path: Path) -> str:
    """Return a path as a string; raise if it is not a path."""
    try:
        return os.fsdecode(path)
    except TypeError:
        raise UsageError(f"expected the name of a file, found {type(path).__name__}") from None


def without_packing(name: str) -> str:
    """Return a file name without the ending of a compressed file.

    >>> without_packing("a.txt.gz"), without_packing("a.txt")
    ('a.txt', 'a.txt')
    """
    return next((name.removesuffix(ending) for ending in PACKED if name.endswith(ending)), name)


def open_binary(path: Path) -> BinaryIO:
    """Open a file for reading bytes; ``-`` is standard input, and compressed files are decompressed."""
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


def line_blocks(path: Path, *, lines: int = LINES_PER_BLOCK) -> Iterator[LineBlock]:
    """Yield a file in blocks of ``lines`` lines; the last block may be shorter, and an empty file has none."""
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
            # Read at least as much as is held already, so that a long line is copied only a few times.
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


def read_whole(path: Path, *, most: int = LARGEST_DOCUMENT) -> bytes:
    """Read a whole file into memory, for instance a JSON document; more than ``most`` bytes are an error."""
    pieces, size = [], 0
    with _opened(path) as source:
        while piece := source.read(_PIECE):  # a single read would reserve memory for the limit
            pieces.append(piece)
            size += len(piece)
            if size > most:
                found = f"has more than {most >> 20} MB uncompressed; that is refused"
                raise InputError(found, path=display_name(path))
    return b"".join(pieces)


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    """Open a file; turn exceptions raised while it is read into errors that name the file."""
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
        if error.errno is None and name.endswith(PACKED):  # raised by bz2 and zstd for damaged data
            raise InputError(f"is damaged, or not compressed as its name says ({error})", path=name) from None
        raise UsageError(f"{name}: cannot be read ({error.strerror or error})") from None


def count_lines(source: object) -> int | None:
    """Return the number of lines of a plain file or of a list, or None if counting would take long."""
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

        with open(name, "rb"):  # the errors of pyarrow are less clear
            return io.BufferedReader(pa.CompressedInputStream(pa.OSFile(name), "zstd"))
    opener: Any = gzip if name.endswith(".gz") else bz2 if name.endswith(".bz2") else lzma
    return cast(BinaryIO, opener.open(name, "rb"))


def _pack(target: IO[bytes], name: str) -> IO[bytes]:
    """Compress what is written; no name or time is stored, so that the same text gives the same bytes."""
    if name.endswith(".gz"):
        return cast(IO[bytes], gzip.GzipFile("", "wb", fileobj=target, mtime=0))
    if name.endswith(".zst"):
        import pyarrow as pa

        return cast(IO[bytes], pa.CompressedOutputStream(target, "zstd"))
    return cast(IO[bytes], bz2.BZ2File(target, "wb") if name.endswith(".bz2") else lzma.LZMAFile(target, "wb"))


def _decoder(source: BinaryIO, first: bytes) -> Callable[[int], bytes]:
    """Return a function that reads a UTF-16 file as UTF-8; it returns nothing only at the end of the file."""
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
def atomic_write(path: Path) -> Iterator[IO[str]]:
    """Open a text file for writing that appears only when it is complete; after an error the old one is unchanged.

    ``-`` is standard output. The file is compressed if its name ends like that of a compressed file.
    """
    name = os.fspath(path)
    if name == "-":
        yield sys.stdout
        return
    if os.path.isdir(name):
        raise UsageError(f"{name}: is a folder; a file was expected")
    if os.path.exists(name) and not os.path.isfile(name):  # a pipe or /dev/stdout cannot be replaced
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
