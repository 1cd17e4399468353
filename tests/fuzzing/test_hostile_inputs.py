"""Inputs made to do harm: small archives that unpack to any size, tables without end, names of files."""

from __future__ import annotations

import base64
import gzip
import io
import json
import os
import tracemalloc
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from mutations import PACKINGS

from wordorder.apps.scale.parts import Part
from wordorder.cli.main import main
from wordorder.core.runtime import files
from wordorder.core.runtime.errors import InputError
from wordorder.core.runtime.files import line_blocks, read_whole
from wordorder.formats import delimited, ratings
from wordorder.formats.text import read_blocks
from wordorder.linking.aligning import load
from wordorder.linking.parsing import transition


@pytest.mark.parametrize("ending", ["", *PACKINGS])
@pytest.mark.parametrize(
    ("content", "what"), [(b"a " * 40_000, "a line"), (b"a b c d e f g h\n" * 5_000, "fewer than")]
)
def test_a_block_that_grows_without_end(
    ending: str, content: bytes, what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "LARGEST_BLOCK", 40_000)
    monkeypatch.setattr(files, "_PIECE", 10_000)
    path = tmp_path / f"bomb.txt{ending}"
    path.write_bytes(PACKINGS[ending][1](content) if ending else content)
    with pytest.raises(InputError, match=rf"bomb\.txt{ending}:1: {what}.* more than 0 MB; .* not supported"):
        list(line_blocks(path, lines=10_000))
    if what != "a line":
        assert sum(map(len, line_blocks(path, lines=100))) == 5_000


def test_a_line_may_be_as_long_as_a_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "LARGEST_BLOCK", 40_000)
    (tmp_path / "a").write_bytes(b"a" * 39_000 + b"\nb\n")
    assert sum(map(len, line_blocks(tmp_path / "a"))) == 2


def test_documents_and_tables_have_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.gz"
    path.write_bytes(PACKINGS[".gz"][1](b"system\tsegment\tscore\n" + b"A\t1\t0\n" * 1_000_000))
    with pytest.raises(InputError, match=r"a\.gz: the uncompressed file exceeds the limit of 1 MB"):
        read_whole(path, most=1 << 20)
    monkeypatch.setattr(delimited, "LARGEST_TABLE", 1 << 20)
    with pytest.raises(InputError, match=r"a\.gz: the uncompressed file exceeds the limit of 1 MB"):
        ratings.read(path)


@pytest.mark.parametrize("column", ["text", "text.de"])
def test_a_dictionary_that_unpacks_to_far_more(column: str, tmp_path: Path) -> None:
    """A text of 100 kB in a Parquet file of a few hundred bytes stands for 20,000 cells."""
    text = pa.array(["a " * 50_000])
    cells = pa.DictionaryArray.from_arrays(pa.array(np.zeros(20_000, dtype=np.int32)), text)
    nested = pa.StructArray.from_arrays([cells], names=["de"]) if column != "text" else cells
    path, arrow = tmp_path / "bomb.parquet", tmp_path / "bomb.arrow"
    table = pa.table({"text": nested})
    pq.write_table(table, path, compression="zstd")
    assert path.stat().st_size < 2000
    with pa.ipc.new_file(arrow, table.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as target:
        target.write_table(table)
    pool = pa.default_memory_pool()
    most = max(pool.max_memory(), pool.bytes_allocated() + 100_000_000)
    said = r"bomb\.parquet: 16384 rows take more than 512 MB"
    with pytest.raises(InputError, match=said):
        list(read_blocks(f"{path}:{column}"))
    with pytest.raises(InputError, match=said):
        list(Part(str(path), path.name).batches())
    with pytest.raises(InputError, match=r"bomb\.arrow: 20000 rows take more than 512 MB"):
        list(read_blocks(f"{arrow}:{column}"))
    assert pool.max_memory() <= most


def test_a_model_that_unpacks_to_far_more(tmp_path: Path) -> None:
    archive = io.BytesIO()
    np.savez_compressed(archive, description=np.zeros(20_000_000, np.uint8))
    (tmp_path / "model.npz").write_bytes(archive.getvalue())
    with pytest.raises(InputError, match=r"not an alignment model .*\d+ bytes would decompress to 20000\d+"):
        load(tmp_path / "model.npz")


@pytest.mark.parametrize("read", [load, transition.load], ids=["aligner", "parser"])
def test_a_packed_model_that_unpacks_to_far_more(read: Callable[[Path], object], tmp_path: Path) -> None:
    """It is refused as soon as it is too large, and it is never held twice."""
    path = tmp_path / "zeros.gz"
    path.write_bytes(gzip.compress(bytes(200_000_000), 9))
    tracemalloc.start()
    with pytest.raises(InputError, match=r"zeros\.gz: the uncompressed file exceeds the limit of 19 MB"):
        read(path)
    assert tracemalloc.get_traced_memory()[1] < 60_000_000
    tracemalloc.stop()


def test_a_parser_of_many_arrays(tmp_path: Path) -> None:
    """Each of them would be permitted to unpack to a megabyte."""
    array = base64.b64encode(zlib.compress(bytes(1_000_000), 9)).decode() + "\n"
    (tmp_path / "parser").write_text("wordorder-parser 1 0\n{}\n" + array * 200, encoding="utf-8")
    tracemalloc.start()
    with pytest.raises(InputError, match="does not match its fingerprint"):
        transition.load(tmp_path / "parser")
    assert tracemalloc.get_traced_memory()[1] < 20_000_000
    tracemalloc.stop()


NAMES = [
    "two words.txt",
    "line\nend.txt",
    "quo\"te'.txt",
    "-rf.txt",
    "$(touch x);`y`.txt",
    "50% {0} %s.txt",
    "[a]*?.txt",
    "<b>&amp;.txt",
    "..\\..\\a.txt",
    "ὀδός 語 🙂.txt",
    "\x1b[31mred.txt",
    os.fsdecode(b"\xff\xfe.txt"),
]


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_files_of_any_name(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """They are read as any other, nothing in the name is obeyed, and an error about one is still one line."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text("a b c\nb a\n", encoding="utf-8")
    (tmp_path / "ref").write_text("a b c\na b\n", encoding="utf-8")
    path = os.path.join(".", name)
    assert main(["score", "--hyp", path, "--ref", "ref", "--metrics", "kendall", "--json", "--html", "r.html"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["systems"][0]["scores"]["kendall"]["value"] == 0.5
    assert main(["score", "--hyp", path, "--ref", f"{path}.missing"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert sorted(os.listdir(tmp_path)) == sorted([name, "r.html", "ref"])
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "<b>&amp;" not in page


def test_control_characters_of_a_text_do_not_reach_the_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("ref").write_text("a \x1b[31mb c\n", encoding="utf-8")
    Path("hyp").write_text("c \x1b[31mb a\n", encoding="utf-8")
    assert main(["score", "--hyp", "hyp", "--ref", "ref", "-tok", "none", "-m", "kendall", "--worst", "1"]) == 0
    assert main(["inspect", "c \x1b[31mb a", "--reference", "a \x1b[31mb c"]) == 0
    out = capsys.readouterr().out
    assert out.count("[31mb") >= 2
    assert "\x1b" not in out
