"""Reading files in blocks of lines and writing them whole."""

from __future__ import annotations

import gzip
import io
import os
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from wordorder.core.runtime import files
from wordorder.core.runtime.drafts import open_draft
from wordorder.core.runtime.errors import InputError, UsageError, WordorderError
from wordorder.core.runtime.files import LineBlock, atomic_write, count_lines, display_name, line_blocks, open_binary


def lines_of(blocks: list[LineBlock]) -> list[bytes]:
    """The raw lines of blocks, ends included."""
    lines = []
    for block in blocks:
        lines += [block.data[start:stop].tobytes() for start, stop in pairwise(block.starts.tolist())]
    return lines


def split(content: bytes) -> list[bytes]:
    """Lines end at \\n only; a last line need not end."""
    return [line for line in io.BytesIO(content)]  # noqa: C416


class Standard:
    """Stands for sys.stdin and sys.stdout, whose bytes are in .buffer."""

    def __init__(self, content: bytes) -> None:
        self.buffer = io.BytesIO(content)


CONTENT = b"1 2\n\n\n2 1 3\r\n\x0b\x0c\x85\nlast\xe2\x80\xa8one\n\nunended"


@pytest.mark.parametrize("content", [CONTENT, CONTENT + b"\n", b"\n", b"\n\n", b"a", b"a\n", b"\r\n"])
def test_borders_at_every_position(content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However the file is cut into pieces and the lines into blocks, the lines are the same."""
    path = tmp_path / "lines.txt"
    path.write_bytes(content)
    expected = split(content)
    for piece in range(1, len(content) + 2):
        monkeypatch.setattr(files, "_PIECE", piece)
        for size in range(1, len(expected) + 2):
            blocks = list(line_blocks(path, lines=size))
            assert lines_of(blocks) == expected
            assert [len(block) for block in blocks[:-1]] == [size] * (len(blocks) - 1)
            assert [block.first_line for block in blocks] == list(range(1, len(expected) + 1, size))
            assert {block.path for block in blocks} == {str(path)}


@given(st.binary(max_size=60) | st.text("ab\n\r", max_size=60).map(str.encode), st.integers(1, 4))
def test_any_bytes_are_lines(content: bytes, size: int) -> None:
    assume(not content.startswith((b"\xff\xfe", b"\xfe\xff")))  # UTF-16
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", Standard(content))
        patch.setattr(files, "_PIECE", 7)
        blocks = list(line_blocks("-", lines=size))
    assert lines_of(blocks) == split(content.removeprefix(b"\xef\xbb\xbf"))
    for block in blocks:
        for row in range(len(block)):
            assert "\n" not in block.line(row)  # never an exception either: undecodable bytes are replaced


def test_an_empty_file_has_no_blocks(tmp_path: Path) -> None:
    for content in (b"", b"\xef\xbb\xbf"):
        (tmp_path / "empty").write_bytes(content)
        assert list(line_blocks(tmp_path / "empty")) == []


def test_byte_order_mark_and_carriage_returns_are_tolerated(tmp_path: Path) -> None:
    path = tmp_path / "windows.txt"
    path.write_bytes(b"\xef\xbb\xbfeins\r\n\r\n\xef\xbb\xbfzwei\r\n")
    (block,) = line_blocks(path)
    assert [block.line(row) for row in range(3)] == ["eins", "", "\ufeffzwei"]  # a mark is one at the start only


def test_lines_end_at_newline_only(tmp_path: Path) -> None:
    path = tmp_path / "strange.txt"
    path.write_text("a\rb\x0bc\x85d\u2028e\n", encoding="utf-8", newline="")
    (block,) = line_blocks(path)
    assert len(block) == 1
    assert block.line(0) == "a\rb\x0bc\x85d\u2028e"


def test_packed_files_are_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "lines.gz"
    path.write_bytes(gzip.compress(b"\xef\xbb\xbf" + CONTENT[:9]) + gzip.compress(CONTENT[9:]))
    assert lines_of(list(line_blocks(path, lines=2))) == split(CONTENT)
    path.write_bytes(b"")
    assert list(line_blocks(path)) == []


@pytest.mark.parametrize("damage", ["truncated", "not packed", "flipped"])
def test_a_damaged_packed_file_is_named(damage: str, tmp_path: Path) -> None:
    packed = bytearray(gzip.compress(CONTENT * 50))
    if damage == "truncated":
        packed = packed[:-10]
    elif damage == "not packed":
        packed = bytearray(b"1 2 3\n")
    else:
        packed[20] ^= 0xFF
    path = tmp_path / "orders.gz"
    path.write_bytes(packed)
    with pytest.raises(InputError, match=r"orders\.gz: the file is damaged, or its extension is wrong"):
        list(line_blocks(path))


@given(st.binary(max_size=40))
def test_any_packed_file_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "any.gz"
    path.write_bytes(b"\x1f\x8b\x08" + content)
    message = "any.gz"
    try:
        list(line_blocks(path))
    except WordorderError as error:
        message = str(error)
    assert "any.gz" in message


def test_files_that_cannot_be_opened(tmp_path: Path) -> None:
    for name in ("none.txt", "none.gz"):
        with pytest.raises(UsageError, match=rf"{name}: no such file"):
            list(line_blocks(tmp_path / name))
    with pytest.raises(UsageError, match="expected a file, found a folder"):
        list(line_blocks(tmp_path))
    with pytest.raises(UsageError, match="cannot be opened"):
        list(line_blocks("a\0b"))


def test_errors_of_a_block_name_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "orders.txt"
    path.write_text("1\n2\n3\n4\n5\n")
    blocks = list(line_blocks(path, lines=2))
    error = blocks[1].error(1, "4 is no rank")
    assert isinstance(error, InputError)
    assert str(error) == f"{path}:4: 4 is no rank"
    assert display_name("-") == "standard input"


def test_writing_puts_the_whole_file_in_place(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    with atomic_write(path) as target:
        target.write("één\n")
        assert not path.exists()
    assert path.read_bytes() == "één\n".encode()
    assert os.listdir(tmp_path) == ["out.txt"]
    umask = os.umask(0o022)
    try:
        with atomic_write(path) as target:
            target.write("new")
    finally:
        os.umask(umask)
    assert path.stat().st_mode & 0o777 == 0o644


@pytest.mark.parametrize("name", ["out.txt", "out.gz"])
@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_error_while_writing_leaves_the_old_file(name: str, error: type[BaseException], tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(b"old")

    def fail() -> None:
        with atomic_write(path) as target:
            target.write("half")
            raise error

    with pytest.raises(error):
        fail()
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == [name]


@pytest.fixture
def _little_room() -> Iterator[None]:
    """No file may grow beyond 4,000 bytes; what this does to writing is what a full disk does."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4_000, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.usefixtures("_little_room")
@pytest.mark.parametrize("name", ["out.txt", "out.gz", "out.bz2", "out.xz", "out.zst"])
@pytest.mark.parametrize("pieces", [1, 400])
def test_a_full_disk_names_the_file(name: str, pieces: int, tmp_path: Path) -> None:
    text = os.urandom(100_000).hex()

    def fill() -> None:
        with atomic_write(tmp_path / name) as target:
            for piece in range(pieces):
                target.write(text[:: piece + 1])

    with pytest.raises(OSError, match="File too large") as caught:
        fill()
    assert caught.value.filename == str(tmp_path / name)
    assert not os.listdir(tmp_path)
    with pytest.raises(OSError, match="File too large") as caught, open_draft(tmp_path / name, durable=True) as draft:
        draft.write(text.encode())
    assert caught.value.filename == str(tmp_path / name)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")
def test_a_device_that_is_full_is_named() -> None:
    with pytest.raises(OSError, match="No space left") as caught, atomic_write("/dev/full") as target:
        target.write("text")
    assert caught.value.filename == "/dev/full"


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="no device that never ends")
def test_a_device_is_no_text() -> None:
    with pytest.raises(UsageError, match="/dev/zero: expected a file, found a device"):
        open_binary("/dev/zero")
    with open_binary(os.devnull) as empty:
        assert empty.read() == b""


def test_a_device_that_ends_is_read(tmp_path: Path) -> None:
    """Such as standard input by a name of its own: a terminal, or nothing."""
    (tmp_path / "stdin").symlink_to(os.devnull)
    with open_binary(tmp_path / "stdin") as empty:
        assert empty.read() == b""
    master, slave = os.openpty()
    os.write(master, b"a b\n\x04")
    with open_binary(os.ttyname(slave)) as terminal:
        assert terminal.read() == b"a b\n"
    os.close(master)
    os.close(slave)


def test_packed_output_reads_back_and_is_the_same_every_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written = []
    for second in (1_000, 2_000_000_000):
        monkeypatch.setattr("time.time", lambda second=second: float(second))
        path = tmp_path / f"{second}.gz"
        with atomic_write(path) as target:
            target.write("één\ntwee\n")
        written.append(path.read_bytes())
    assert written[0] == written[1]
    assert gzip.decompress(written[0]).decode() == "één\ntwee\n"


def test_a_minus_writes_to_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    with atomic_write("-") as target:
        target.write("seen\n")
    assert capsys.readouterr().out == "seen\n"


def test_what_is_no_file_is_written_through() -> None:
    with atomic_write(os.devnull) as target:
        target.write("gone")
    assert not Path(os.devnull).is_file()


def test_places_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no folder"), atomic_write(tmp_path / "none" / "out.txt"):
        pass
    with pytest.raises(UsageError, match="expected a file, found a folder"), atomic_write(tmp_path):
        pass


def test_lines_are_counted_where_that_is_quick(tmp_path: Path) -> None:
    for text, expected in ((b"", 0), (b"a\n", 1), (b"a\nb", 2), (b"\n\n", 2)):
        (tmp_path / "x.txt").write_bytes(text)
        assert count_lines(tmp_path / "x.txt") == expected
    (tmp_path / "x.txt.gz").write_bytes(b"")
    assert count_lines(tmp_path / "x.txt.gz") is None
    assert count_lines(str(tmp_path / "none")) is None
    assert count_lines(["a", "b"]) == 2
    assert count_lines(iter("ab")) is None


def test_compressed_text_under_another_name_is_recognised(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(gzip.compress(b"a b\n"))
    with pytest.raises(InputError, match=r"a\.txt:1: the file is compressed by gzip; give it a name that ends in \.gz"):
        next(line_blocks(path)).text(0)
