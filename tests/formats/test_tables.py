"""Text where people have it: columns of tables, packed files, UTF-16, datasets in folders, sacreBLEU's test sets."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import lzma
import os
import threading
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from format_files import check_survival, saved, soup
from wordorder import score
from wordorder.core.runtime.errors import InputError, InputWarning, UsageError, WordorderError
from wordorder.core.runtime.files import atomic_write
from wordorder.formats import text
from wordorder.formats.sources import length_blocks, system_name

LINES = ["the cat sat", 'he said "no"', "", "ä 漢 🙂", "a, b; c"]


def frame() -> pd.DataFrame:
    return pd.DataFrame({"id": range(len(LINES)), "hyp": LINES, "other:name": list(reversed(LINES))})


def write_arrow(path: Path, *, stream: bool = True) -> None:
    table = pa.table({"hyp": LINES, "translation": [{"de": line.upper(), "en": line} for line in LINES]})
    with pa.OSFile(str(path), "wb") as sink:
        make = pa.ipc.new_stream if stream else pa.ipc.new_file
        with make(sink, table.schema) as writer:
            writer.write_table(table, max_chunksize=2)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    frame().to_csv(tmp_path / "t.csv", index=False)
    frame().to_csv(tmp_path / "t.tsv", index=False, sep="\t")
    frame().to_csv(tmp_path / "bare.tsv", index=False, header=False, sep="\t", quoting=csv.QUOTE_NONE)
    frame().to_json(tmp_path / "t.jsonl", orient="records", lines=True)
    frame().to_parquet(tmp_path / "t.parquet")
    for name in ("t.csv", "t.jsonl"):
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress((tmp_path / name).read_bytes()))
    write_arrow(tmp_path / "t.arrow")
    write_arrow(tmp_path / "file.arrow", stream=False)
    return tmp_path


NAMES = ("t.csv:hyp", "t.tsv:hyp", "t.jsonl:hyp", "t.parquet:hyp", "t.csv.gz:hyp", "t.jsonl.gz:hyp", "t.arrow:hyp")


@pytest.mark.parametrize("name", [*NAMES, "file.arrow:hyp", "bare.tsv:2", "t.arrow:translation.en"])
def test_a_column_is_a_text(folder: Path, name: str) -> None:
    assert text.read(folder / name).to_pylist() == LINES
    assert [len(block) for block in text.read_blocks(folder / name, lines=2)] == [2, 2, 1]
    assert system_name(folder / name) == (name if name.endswith(":2") else name.rpartition(":")[2])
    counted = length_blocks(folder / name, None)
    assert counted is not None
    assert np.concatenate(list(counted)).tolist() == [len(line.split()) for line in LINES]


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.jsonl", "t.parquet"])
def test_a_column_may_hold_a_colon_and_a_file_of_that_name_wins(folder: Path, name: str) -> None:
    assert text.read(folder / f"{name}:other:name").to_pylist() == list(reversed(LINES))
    (folder / f"{name}:hyp").write_text("mine\n")
    assert text.read(folder / f"{name}:hyp").to_pylist() == ["mine"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("t.csv:hpy", r"unknown column of .*t.csv 'hpy'; did you mean 'hyp'\? \(valid: id, hyp, other:name\)"),
        ("t.tsv:9", "unknown column of .*t.tsv '9'"),
        ("t.parquet:no", "unknown column of .*t.parquet 'no'"),
        ("t.arrow:no", "unknown column of .*t.arrow 'no'"),
        (
            "t.arrow:translation.fr",
            "no key 'translation.fr' in column 'translation'; found 'translation.de', 'translation.en'",
        ),
        ("t.jsonl:no", "t.jsonl:1: no key 'no'; found 'id', 'hyp', 'other:name'"),
        ("t.jsonl:id", "row 1 contains '0' \\(int\\); expected text"),
        ("none.csv:a", "none.csv:a: no such file"),
        ("t.jsonl", r"contains JSON records, not lines; choose a column with .*t.jsonl:COLUMN \(hyp, other:name\)"),
        ("t.parquet", r"is a table; choose a column with .*t.parquet:COLUMN \(id, hyp, other:name\)"),
        (
            "bare.tsv:hyp",
            "'hyp' is not a column of .*bare.tsv, which has 3 columns and no header; give a number from 1 to 3",
        ),
        (
            "bare.tsv:4",
            "'4' is not a column of .*bare.tsv, which has 3 columns and no header; give a number from 1 to 3",
        ),
        (".:a", "damaged|unknown column"),
        ("empty:a", r"empty: no .arrow, .parquet or .jsonl files found; expected a dataset; its folders: test"),
    ],
)
def test_what_is_wrong_with_a_column_is_told(folder: Path, name: str, message: str) -> None:
    (folder / "empty" / "test").mkdir(parents=True)
    with pytest.raises(WordorderError, match=message):
        text.read(f"{folder}/{name}")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv:y", b"x,y\n1,2\n3\n", "a.csv:3: expected 2 fields as in the first row, found 1"),
        ("a.csv:y", b'x,y\n1,"2\n', "a.csv:2: not valid CSV: unexpected end of data"),
        ("a.csv:y", b"x,y\n", "a.csv:1: no rows"),
        ("a.csv:y", b"", "a.csv:1: no rows"),
        ("a.tsv:y", b"x\ty\n1\t\xff\n", "a.tsv:2: byte 0xff at position 3 is not UTF-8"),
        ("a.jsonl:y", b'{"y": "b"}\n[1]\n', "a.jsonl:2: expected a JSON object"),
        ("a.jsonl:y", b'{"y": null}\n', "row 1 has no text"),
        ("a.parquet:y", b"PAR1 no", "a.parquet: the file is damaged, or its extension is wrong"),
        ("a.arrow:y", b"no", "a.arrow: the file is damaged, or its extension is wrong"),
        ("a.bz2", b"no", "a.bz2: the file is damaged, or its extension is wrong"),
        ("a.xz", b"no", "a.xz: the file is damaged, or its extension is wrong"),
        ("a.zst", b"no", "a.zst: the file is damaged, or its extension is wrong"),
        ("a.gz", b"no", "a.gz: the file is damaged, or its extension is wrong"),
        ("a.txt", b"\xff\xfea\0\n", "a.txt: the file begins with a UTF-16 byte-order mark but is not valid UTF-16"),
    ],
)
def test_damaged_tables_and_files_are_told(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    (tmp_path / name.partition(":")[0]).write_bytes(content)
    with pytest.raises(InputError, match=message):
        text.read(tmp_path / name)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv:y", "x;y\n1;2\n", "a.csv: the first line has ';' but no comma; .csv files must be comma-separated"),
        ("a.jsonl:t.fr", '{"t": {"de": "a", "en": "b"}}\n', "a.jsonl:1: no key 't.fr'; found 't.de', 't.en'"),
        ("a.jsonl", '{"t": {"de": "a", "en": "b"}}\n', r"choose a column with .*a.jsonl:COLUMN \(t.de, t.en\)"),
    ],
)
def test_what_columns_there_are_is_told(tmp_path: Path, name: str, content: str, message: str) -> None:
    (tmp_path / name.partition(":")[0]).write_text(content)
    with pytest.raises(WordorderError, match=message):
        text.read(tmp_path / name)


def test_a_header_that_is_taken_as_text_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("source,good\nja klar,yes sure\n")
    with pytest.warns(InputWarning, match=r"\(source, good\) looks like a header.*name the column: .*a.csv:good"):
        assert text.read(tmp_path / "a.csv:2").to_pylist() == ["good", "yes sure"]
    (tmp_path / "b.csv").write_text("Hallo,Hello\nja klar,yes sure\n")
    assert text.read(tmp_path / "b.csv:2").to_pylist() == ["Hello", "yes sure"]


def test_quotation_marks_of_tsv_are_text_unless_all_inside_of_fields_are_doubled(tmp_path: Path) -> None:
    field = '"That is ""for"" all purposes""."'
    for other in ("no", '"no"', '"""no"" or ""yes"""'):
        (tmp_path / "a.tsv").write_text(f"1\t{field}\n{other}\tb\n")
        assert text.read(tmp_path / "a.tsv:2").to_pylist() == ['That is "for" all purposes".', "b"]
    for other in ('he said "no"', '"no" or "yes"', '"No," he said'):
        (tmp_path / "a.tsv").write_text(f"1\t{field}\n{other}\tb\n")
        assert text.read(tmp_path / "a.tsv:2").to_pylist() == [field, "b"]


def test_cells_with_line_ends_stay_one_segment(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('x,y\n1,"a\nb\tc"\n\n2,d\n')
    assert text.read(tmp_path / "a.csv:y").to_pylist() == ["a b c", "d"]


@given(st.lists(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0\r\n")), min_size=2, max_size=2)))
def test_csv_is_what_pythons_csv_writes(rows: list[list[str]]) -> None:
    written = io.StringIO(newline="")
    csv.writer(written).writerows([["x", "y"], ["1", "first"], *rows])
    with saved(written.getvalue(), "a.csv") as path:
        found = text.read(f"{path}:y").to_pylist()
    assert [line.split() for line in found] == [row[1].split() for row in [["1", "first"], *rows]]
    assert not any(set("\n\r\t") & set(line) for line in found)


TABLES = ["a.csv:y", "a.tsv:1", "a.jsonl:y", "a.parquet:y", "a.arrow:y", "a.txt", "a.xz", "a.zst", "a.bz2"]


@given(soup('{}":,\t yx'), st.sampled_from(TABLES))
def test_any_bytes_give_lines_or_an_error(content: bytes, name: str) -> None:
    file, _, column = name.partition(":")
    with saved(content, file) as path:
        check_survival(lambda _: text.read(f"{path}:{column}" if column else path), b"")


# --- packed files, other encodings, pipes --------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["gz", "zst", "bz2", "xz"])
def test_packed_files_are_read_and_written(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"sys.txt.{ending}"
    with atomic_write(path) as target:
        target.writelines(line + "\n" for line in LINES)
    packed = path.read_bytes()
    unpack = {"gz": gzip.decompress, "bz2": bz2.decompress, "xz": lzma.decompress}
    if ending in unpack:
        assert unpack[ending](packed).decode() == "".join(line + "\n" for line in LINES)
    assert text.read(path).to_pylist() == LINES
    assert system_name(path) == "sys"
    with atomic_write(path) as target:
        target.writelines(line + "\n" for line in LINES)
    assert path.read_bytes() == packed


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig", "utf-8"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_utf_16_with_its_mark_is_read(tmp_path: Path, encoding: str, end: str) -> None:
    mark = "\ufeff" if encoding in ("utf-16-le", "utf-16-be") else ""
    many = LINES * 40_000  # several pieces, cut inside of characters
    (tmp_path / "a.txt").write_bytes((mark + "".join(line + end for line in many)).encode(encoding))
    assert text.read(tmp_path / "a.txt").to_pylist() == many


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
def test_pipes_with_a_name_are_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=lambda: (tmp_path / "pipe").write_text("a b\nc\n"))
    writer.start()
    assert text.read(tmp_path / "pipe").to_pylist() == ["a b", "c"]
    writer.join()


# --- datasets and test sets ----------------------------------------------------------------------------------------


def test_a_dataset_in_a_folder_is_read_in_the_order_of_its_files(tmp_path: Path) -> None:
    saved, downloaded = tmp_path / "saved", tmp_path / "hub"
    saved.mkdir()
    (saved / "dataset_info.json").write_text("{}")
    (downloaded / "data").mkdir(parents=True)
    for number in range(2):
        write_arrow(saved / f"data-0000{number}-of-00002.arrow")
        pq.write_table(pa.table({"hyp": LINES}), downloaded / "data" / f"test-0000{number}-of-00002.parquet")
    for place in (saved, downloaded):
        assert text.read(f"{place}:hyp").to_pylist() == LINES * 2
    with pytest.raises(UsageError, match="expected a file, found a folder"):
        text.read(saved)


def test_test_sets_of_sacrebleu_are_found_where_it_keeps_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from sacrebleu.dataset.fake_sgml import FakeSGMLDataset

    monkeypatch.setenv("SACREBLEU", str(tmp_path))
    known = FakeSGMLDataset("wmt99/dev", langpairs={})
    known._outdir = str(tmp_path / "wmt99/dev")
    for field in ("src", "ref", "ref:B"):
        path = Path(known._get_txt_file_path("en-de", field))  # type: ignore[no-untyped-call]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{field}\n")
        assert text.read(f"sacrebleu:wmt99/dev:en-de:{field}").to_pylist() == [field]
    with pytest.raises(UsageError, match="download it with: sacrebleu -t wmt14 -l en-de --echo ref"):
        text.read("sacrebleu:wmt14:en-de:ref")
    with pytest.raises(UsageError, match="expected a test set, language pair and src or ref"):
        text.read("sacrebleu:wmt14:en-de")


# --- in Python -----------------------------------------------------------------------------------------------------


def test_a_frame_of_systems_is_several_systems() -> None:
    systems = pd.DataFrame({"A": ["a b c", "d e"], "B": ["b a c", "d e"]}, index=[7, 9])
    for given_ in (systems, pa.table(systems.reset_index(drop=True)), {"A": systems["A"], "B": systems["B"]}):
        found = score(given_, systems["A"], metrics="kendall", samples=0)
        assert found.systems == ("A", "B")
        assert found["B", "kendall"] < found["A", "kendall"] == 1
    found = score(systems["B"], systems, metrics="kendall", samples=0)
    assert found.signature["references"] == 2


@pytest.mark.parametrize(
    ("hypotheses", "references", "message"),
    [
        (pd.DataFrame(), ["a"], "no system to score"),
        (pd.DataFrame({"A": [1]}), ["a"], "line 1 must be a string, not int"),
        (pd.DataFrame({"A": ["a", None]}), ["a", "b"], "^A:2: this entry is missing"),
        (5, ["a"], r"expected a file or lines of text, found '5' \(int\)"),
        ({"A": 5}, ["a"], r"expected a file or lines of text, found '5' \(int\)"),
        ({"A": ["a"]}, 5, r"expected a file or lines of text, found '5' \(int\)"),
        ({"A": ["a"]}, [{"a": 1}], "expected a file or lines of text"),
        ({"A": []}, [[]], "the input has no segments"),
        ([], [], "hypotheses require references or a source to compare with: give ref or source"),
        (b"a", ["a"], "expected a file or lines of text"),
    ],
)
def test_what_is_no_text_is_told(hypotheses: object, references: object, message: str) -> None:
    with pytest.raises(WordorderError, match=message):
        score(hypotheses, references, metrics="kendall", samples=0)


def test_the_cache_of_scores_sees_a_change_of_the_table(folder: Path) -> None:
    from wordorder.scoring.inputs import make_inputs

    def fingerprint(name: str) -> str:
        return make_inputs({"A": f"{folder}/{name}"}, [folder / "t.jsonl:hyp"]).fingerprint()

    before = fingerprint("t.csv:hyp")
    assert fingerprint("t.csv:other:name") != before
    records = [{"hyp": line} for line in ["new", *LINES[1:]]]
    stream = io.StringIO()
    writer = csv.DictWriter(stream, ["hyp"])
    writer.writeheader()
    writer.writerows(records)
    (folder / "t.csv").write_text(stream.getvalue())
    assert fingerprint("t.csv:hyp") != before
    assert json.loads((folder / "t.jsonl").read_text().splitlines()[0])["hyp"] == LINES[0]
