"""Opening files (plain, compressed or standard input), reading them in blocks of lines, and writing them atomically.

Lines end at ``\\n`` only; a carriage return before it is ignored. Files must be in UTF-8, or in UTF-16 with a
byte-order mark. They are read in blocks of a fixed number of lines, so memory use does not grow with file size.
"""

import bz2
import codecs
import contextlib
import gzip
import io
import lzma
import os
import stat
import sys
import zlib
from collections.abc import Callable, Iterator, Sized
from dataclasses import dataclass
from typing import IO, Any, BinaryIO, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from wordorder.core.runtime.drafts import NamedFile, open_draft
from wordorder.core.runtime.errors import InputError, UsageError, refuse
from wordorder.core.runtime.libraries import pa
from wordorder.core.runtime.own_inputs import STANDARD_INPUT, note_input, refuse_input

LINES_PER_BLOCK = 16_384
"""Number of segments processed at a time: large enough for fast kernels, small enough to limit memory use."""

LONGEST_SENTENCE = 65_536
"""Maximum number of words in a sentence, because quadratic metrics would never finish on longer ones."""

LARGEST_BLOCK = 1 << 29
"""Maximum size in bytes of a block of lines or of a single line, because a small archive can unpack to any size."""

LARGEST_DOCUMENT = 1 << 28
"""Maximum size in bytes, after decompression, of a file that must be read as a whole."""

LARGEST_TABLE = 1 << 30
"""Maximum size in bytes, after decompression, of a table of judgements or scores."""

LARGEST_MODEL = 1 << 32
"""Maximum size in bytes, after decompression, of a trained model."""

LARGEST_DICTIONARY = 1 << 28
"""Maximum memory in bytes for unpacking an ``.xz`` file, which states how much it needs."""

PACKED = (".gz", ".zst", ".bz2", ".xz")
"""File-name extensions of compressed files."""

Path: TypeAlias = str | os.PathLike[str]
"""A file name or path."""

_PIECE = 1 << 22
_NOT_LINES = (*PACKED, ".sgm", ".sgml", ".xml", ".conllu", ".parquet")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_UTF_16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_NEWLINE = 10
_REASONS: dict[type, str] = {
    FileNotFoundError: "no such file",
    IsADirectoryError: "expected a file, found a folder",
    PermissionError: "no permission to read this file",
}


@dataclass(frozen=True)
class LineBlock:
    """Consecutive lines of one file, stored as bytes; line i is ``data[starts[i]:starts[i + 1]]``."""

    data: NDArray[np.uint8]
    starts: NDArray[np.int64]
    path: str
    first_line: int

    def __len__(self) -> int:
        return len(self.starts) - 1

    def line(self, row: int) -> str:
        """Return one line without its line ending, for use in error messages; invalid UTF-8 is replaced."""
        raw = self.data[self.starts[row] : self.starts[row + 1]].tobytes()
        return raw.rstrip(b"\r\n").decode("utf-8", errors="replace")

    def text(self, row: int) -> str:
        """Return one line without its line ending; raise an error if it is not valid UTF-8."""
        raw = self.data[self.starts[row] : self.starts[row + 1]].tobytes()
        try:
            return raw.rstrip(b"\r\n").decode("utf-8")
        except UnicodeDecodeError as error:
            message = f"byte 0x{raw[error.start]:02x} at position {error.start + 1} is not UTF-8; convert the file"
            if raw.startswith(b"\x1f\x8b"):
                message = "the file is compressed by gzip; give it a name that ends in .gz"
            raise self.error(row, message) from None

    def column(self, data: NDArray[np.uint8], offsets: NDArray[np.int64]) -> Any:
        """Return bytes taken from this block as an Arrow array of strings; raise an error if they are not UTF-8."""
        strings = pa.LargeStringArray.from_buffers(len(offsets) - 1, pa.py_buffer(offsets), pa.py_buffer(data))
        try:
            strings.validate(full=True)
        except pa.ArrowInvalid:
            for row in range(len(self)):
                self.text(row)  # raises an error that names the line
            raise self.error(0, "the text is not UTF-8; convert the file to UTF-8") from None
        return strings

    def error(self, row: int, message: str) -> InputError:
        """Return an ``InputError`` that names this file and the line number of ``row``."""
        return InputError(message, path=self.path, line=self.first_line + row)


def display_name(path: Path) -> str:
    """Return the name of a file as it appears in error messages."""
    return "standard input" if os.fspath(path) == "-" else os.fspath(path)


def full_name(path: Path) -> str:
    """Return a path as a string; raise an error if the argument is not a path."""
    try:
        return os.fsdecode(path)
    except TypeError:
        raise UsageError(f"expected a file name, found {type(path).__name__}") from None


def without_packing(name: str) -> str:
    """Return a file name without its compression extension, if it has one.

    >>> without_packing("a.txt.gz"), without_packing("a.txt")
    ('a.txt', 'a.txt')
    """
    return next((name.removesuffix(ending) for ending in PACKED if name.endswith(ending)), name)


def open_binary(path: Path) -> BinaryIO:
    """Open a file to read its bytes; ``-`` means standard input, and compressed files are decompressed."""
    name = os.fspath(path)
    note_input(STANDARD_INPUT if name == "-" else name)
    if name == "-":
        return sys.stdin.buffer
    try:
        refuse(is_endless(name), f"{name}: expected a file, found a device")
        return _unpack(name) if name.endswith(PACKED) else open(name, "rb")
    except (OSError, ValueError) as error:
        raise UsageError(f"{name}: {_REASONS.get(type(error)) or f'the file cannot be opened ({error})'}") from None


def is_endless(name: str) -> bool:
    """Whether a file is a device like ``/dev/zero``: on Linux, number 1 is memory, and 1, 3 the empty file."""
    found = os.stat(name)
    return stat.S_ISCHR(found.st_mode) and os.major(found.st_rdev) == 1 and os.minor(found.st_rdev) != 3


def line_blocks(path: Path, *, lines: int = LINES_PER_BLOCK) -> Iterator[LineBlock]:
    """Yield a file in blocks of ``lines`` lines each.

    The last block may be shorter, and an empty file yields no blocks.
    """
    name, first_line, ended = display_name(path), 1, False
    with _opened(path) as source:
        first = source.read(len(_BYTE_ORDER_MARK))
        read = _decoder(source, first) if first.startswith(_UTF_16_MARKS) else source.read
        held = np.frombuffer(b"" if read != source.read else first.removeprefix(_BYTE_ORDER_MARK), dtype=np.uint8)
        starts = np.concatenate([[0], np.flatnonzero(held == _NEWLINE) + 1])
        while not ended:
            if len(held) > LARGEST_BLOCK:
                what = "a line takes" if len(starts) == 1 else f"fewer than {lines} lines take"
                message = f"{what} more than {LARGEST_BLOCK >> 20} MB; sentences of that size are not supported"
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
    """Read a whole file, such as a JSON document, into memory; raise an error if it has more than ``most`` bytes."""
    content = io.BytesIO()  # which gives its bytes away without copying them
    with _opened(path) as source:
        while piece := source.read(_PIECE):  # a single read would reserve memory for the limit
            content.write(piece)
            if content.tell() > most:
                found = f"the uncompressed file exceeds the limit of {most >> 20} MB"
                raise InputError(found, path=display_name(path))
    return content.getvalue()


def read_model(path: Path) -> bytes:
    """Read the file of a trained model; raise an error if it unpacks to far more data than a model of its size."""
    packed = os.path.getsize(path) if os.path.isfile(path) else LARGEST_MODEL
    return read_whole(path, most=min(LARGEST_MODEL, largest_unpacked(packed)))


def largest_unpacked(packed: int) -> int:
    """Return the permitted size of an array or a model that takes ``packed`` bytes in compressed form."""
    return 100 * packed + (1 << 20)


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    """Open a file, and turn exceptions raised while reading it into errors that name the file."""
    name = display_name(path)
    source = open_binary(path)
    try:
        with contextlib.nullcontext() if os.fspath(path) == "-" else source:
            yield source
    except UnicodeDecodeError as error:
        raise InputError(
            f"the file begins with a UTF-16 byte-order mark but is not valid UTF-16 ({error.reason})", path=name
        ) from None
    except (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile) as error:
        raise InputError(f"the file is damaged, or its extension is wrong ({error})", path=name) from None
    except OSError as error:
        if error.errno is None and name.endswith(PACKED):  # raised by bz2 and zstd for damaged data
            raise InputError(f"the file is damaged, or its extension is wrong ({error})", path=name) from None
        raise UsageError(f"{name}: the file cannot be read ({error.strerror or error})") from None


def count_lines(source: object) -> int | None:
    """Return the number of lines in a plain file or a list, or None if they cannot be counted quickly."""
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
        with open(name, "rb"):  # pyarrow's own errors are less clear
            return io.BufferedReader(pa.CompressedInputStream(pa.OSFile(name), "zstd"))
    if name.endswith(".xz"):
        return io.BufferedReader(_Unpacked(open(name, "rb")))
    return cast(BinaryIO, (gzip if name.endswith(".gz") else bz2).open(name, "rb"))


class _Unpacked(io.RawIOBase):
    """The content of an ``.xz`` file; ``lzma.open`` would reserve as much memory as the file states."""

    def __init__(self, packed: BinaryIO) -> None:
        self._packed = packed
        self._unpacking = lzma.LZMADecompressor(memlimit=LARGEST_DICTIONARY)

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        self._packed.close()
        super().close()

    def readinto(self, target: Any) -> int:
        found = b""
        while not found:
            if self._unpacking.eof:  # another archive may follow
                rest = self._unpacking.unused_data or self._packed.read(_PIECE)
                if not rest.strip(b"\0"):
                    return 0
                self._unpacking = lzma.LZMADecompressor(memlimit=LARGEST_DICTIONARY)
            elif not self._unpacking.needs_input:
                rest = b""
            elif not (rest := self._packed.read(_PIECE)):
                raise EOFError("it ends too early")
            found = self._unpacking.decompress(rest, len(target))
        target[: len(found)] = found
        return len(found)


def _pack(target: IO[bytes], name: str) -> IO[bytes]:
    """Return a stream that writes compressed data to ``target``.

    No file name or time is stored, so that the same text always gives the same bytes.
    """
    if name.endswith(".gz"):
        return cast(IO[bytes], gzip.GzipFile("", "wb", fileobj=target, mtime=0))
    if name.endswith(".zst"):
        return cast(IO[bytes], pa.CompressedOutputStream(target, "zstd"))
    return cast(IO[bytes], bz2.BZ2File(target, "wb") if name.endswith(".bz2") else lzma.LZMAFile(target, "wb"))


def _decoder(source: BinaryIO, first: bytes) -> Callable[[int], bytes]:
    """Return a function that reads a UTF-16 file and returns UTF-8.

    The returned bytes are empty only at the end of the file.
    """
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
    """Open a new text file for writing; it replaces the file at ``path`` only when it is complete.

    After an error, the old file is unchanged. An input of the running command is not replaced. ``-`` means standard
    output. The file is compressed if its name has the extension of a compressed file.
    """
    name = os.fspath(path)
    if name == "-":
        yield sys.stdout
        return
    refuse(os.path.isdir(name), f"{name}: expected a file, found a folder")
    special = os.path.exists(name) and not os.path.isfile(name)
    if special or name.startswith(("/dev/std", "/dev/fd/", "/proc/")):  # a pipe or /dev/stdout cannot be replaced
        refuse_input(name)
        raw = NamedFile(name, "w", shown=name)
        with io.TextIOWrapper(io.BufferedWriter(raw), encoding="utf-8", newline="\n") as direct:
            yield direct
        return
    with contextlib.ExitStack() as opened:
        try:
            target: IO[bytes] = opened.enter_context(open_draft(name))
        except FileNotFoundError:
            raise UsageError(f"{name}: there is no folder {os.path.dirname(name)}") from None
        except OSError as error:
            raise UsageError(f"{name}: the file cannot be written ({error.strerror})") from None
        if name.endswith(PACKED):
            target = opened.enter_context(_pack(target, name))
        yield opened.enter_context(io.TextIOWrapper(target, encoding="utf-8", newline="\n"))
