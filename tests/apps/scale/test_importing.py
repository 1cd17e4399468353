"""Parallel text of all kinds becomes the same corpus of parts."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from small_corpora import contents, rows

from wordorder.apps.scale import import_corpus, importing, merge_columns, merge_rows, status
from wordorder.core.runtime.errors import InputError, UsageError

SOURCE = ["eins zwei", "drei", "", 'er sagt "ja"', "fünf\u2028sechs"]
TARGET = ["one two", "three", "none", 'he says "yes"', "five six"]
LINES = [{"source": s.replace("\u2028", " "), "target": t} for s, t in zip(SOURCE, TARGET, strict=True)]
COLUMNS = {"source": "1", "target": "2"}


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importing, "ROWS_PER_PART", 2)


def test_tsv_by_number_and_by_name(tmp_path: Path) -> None:
    body = "".join(f"{s}\t{t}\n" for s, t in zip(SOURCE, TARGET, strict=True))
    (tmp_path / "x.tsv").write_text(body)
    found = import_corpus(tmp_path / "x.tsv", columns=COLUMNS, out=tmp_path / "a")
    assert (found.parts, found.rows, dict(found.bad)) == (3, 5, {})
    assert rows(tmp_path / "a") == LINES
    (tmp_path / "y.tsv.gz").write_bytes(gzip.compress(("de\tx\ten\n" + body.replace("\t", "\t?\t")).encode()))
    import_corpus(tmp_path / "y.tsv.gz", columns={"source": "de", "target": "en"}, out=tmp_path / "b")
    assert rows(tmp_path / "b") == LINES


def test_quotation_marks_are_text_where_later_ones_are(tmp_path: Path) -> None:
    pairs = [("a", '"for all ""purposes""."'), ("b", "c"), ('er sagt "ja"', "d")]
    (tmp_path / "x.tsv").write_text("".join(f"{s}\t{t}\n" for s, t in pairs))
    import_corpus(tmp_path / "x.tsv", columns=COLUMNS, out=tmp_path / "a")
    assert [tuple(row.values()) for row in rows(tmp_path / "a")] == pairs


def test_bad_lines_become_nulls_and_are_counted(tmp_path: Path) -> None:
    (tmp_path / "x.tsv").write_bytes(b'a\tb\r\nshort\nx\xff\ty\n"q ""w"" e"\tz\n')
    found = import_corpus(tmp_path / "x.tsv", columns=COLUMNS, out=tmp_path / "a")
    assert dict(found.bad) == {"line too short": 1, "source not UTF-8": 1}
    assert [tuple(row.values()) for row in rows(tmp_path / "a")] == [
        ("a", "b"), (None, None), (None, "y"), ('q "w" e', "z"),
    ]  # fmt: skip
    with pytest.raises(InputError, match=r"x\.tsv: row 2: line too short"):
        import_corpus(tmp_path / "x.tsv", columns=COLUMNS, out=tmp_path / "b", strict=True)
    assert not list((tmp_path / "b").glob("*.parquet"))


def test_json_lines_csv_parquet_datasets_and_texts_give_the_same_corpus(tmp_path: Path) -> None:
    records = [{"n": {"de": s, "en": t}} for s, t in zip(SOURCE, TARGET, strict=True)]
    inner = {"source": "n.de", "target": "n.en"}
    (tmp_path / "x.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    table = pa.Table.from_pylist(records)
    pq.write_table(table, tmp_path / "x.parquet")
    (tmp_path / "set").mkdir()
    with pa.OSFile(str(tmp_path / "set" / "data-0.arrow"), "wb") as file, pa.ipc.new_stream(file, table.schema) as w:
        w.write_table(table, max_chunksize=1)
    for name in ("x.jsonl", "x.parquet", "set"):
        import_corpus(tmp_path / name, columns=inner, out=tmp_path / f"out-{name}")
        assert rows(tmp_path / f"out-{name}") == LINES
    quoted = [[cell.replace('"', '""') for cell in pair] for pair in zip(SOURCE, TARGET, strict=True)]
    (tmp_path / "x.csv").write_text("".join(f'"{s}","{t}"\n' for s, t in quoted))
    import_corpus(tmp_path / "x.csv", columns=COLUMNS, out=tmp_path / "csv")
    assert rows(tmp_path / "csv") == LINES
    (tmp_path / "x.de").write_text("".join(line["source"] + "\n" for line in LINES))
    texts = {"source": str(tmp_path / "x.de"), "target": f"{tmp_path / 'x.parquet'}:n.en"}
    import_corpus(columns=texts, out=tmp_path / "texts")
    assert rows(tmp_path / "texts") == LINES


def test_json_records_without_a_key_or_object(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text('{"s": "a", "t": 1}\n[]\nx\n{"s": "b"}\n{"s": "c", "t": "\\ud800"}\n')
    found = import_corpus(tmp_path / "x.jsonl", columns={"source": "s", "target": "t"}, out=tmp_path / "a")
    assert dict(found.bad) == {"not a JSON object": 2, "no 't'": 1, "target not UTF-8": 1}
    assert rows(tmp_path / "a")[0] == {"source": "a", "target": "1"}


def test_numbers_stay_numbers(tmp_path: Path) -> None:
    pq.write_table(pa.table({"s": ["a"], "score": [0.5]}), tmp_path / "x.parquet")
    import_corpus(tmp_path / "x.parquet", columns={"source": "s", "score": "score"}, out=tmp_path / "a")
    assert rows(tmp_path / "a") == [{"source": "a", "score": 0.5}]


def test_several_files_resume_and_another_import(tmp_path: Path) -> None:
    for name, lines in (("1.tsv", LINES[:3]), ("2.tsv", LINES[3:])):
        (tmp_path / name).write_text("".join(f"{line['source']}\t{line['target']}\n" for line in lines))
    pattern = str(tmp_path / "[12].tsv")
    import_corpus(pattern, columns=COLUMNS, out=tmp_path / "a", workers=1)
    whole = contents(tmp_path / "a")
    assert [name for name in whole if name[0] != "_"] == [
        "part-00000-00000.parquet", "part-00000-00001.parquet", "part-00001-00000.parquet",
    ]  # fmt: skip
    assert rows(tmp_path / "a") == LINES
    kept = (tmp_path / "a" / "part-00000-00000.parquet").stat().st_mtime_ns
    (tmp_path / "a" / "part-00000-00001.parquet").unlink()
    assert not status(tmp_path / "a").complete
    import_corpus(pattern, columns=COLUMNS, out=tmp_path / "a")
    assert contents(tmp_path / "a") == whole
    assert (tmp_path / "a" / "part-00000-00000.parquet").stat().st_mtime_ns == kept
    assert status(tmp_path / "a").complete
    with pytest.raises(UsageError, match="was made by another import"):
        import_corpus(tmp_path / "1.tsv", columns=COLUMNS, out=tmp_path / "a")
    import_corpus(tmp_path / "1.tsv", columns=COLUMNS, out=tmp_path / "a", overwrite=True)
    assert rows(tmp_path / "a") == LINES[:3]


def test_what_cannot_be_read_is_told(tmp_path: Path) -> None:
    (tmp_path / "x.tsv").write_text("de\ten\n")
    for wrong, said in (
        ({"columns": {"source": "7"}}, r"unknown column of .*x\.tsv '7' \(valid: de, en\)"),
        ({"columns": {}}, "no columns were given"),
    ):
        with pytest.raises(UsageError, match=said):
            import_corpus(tmp_path / "x.tsv", out=tmp_path / "a", **wrong)
    with pytest.raises(UsageError, match="no such file"):
        import_corpus(tmp_path / "none.tsv", columns=COLUMNS, out=tmp_path / "a")
    (tmp_path / "x.de").write_text("a\n")
    (tmp_path / "x.en").write_text("a\nb\n")
    from wordorder.apps.scale.runner import PartError

    texts = {"source": str(tmp_path / "x.de"), "target": str(tmp_path / "x.en")}
    with pytest.raises(PartError, match="differ in length"):
        import_corpus(columns=texts, out=tmp_path / "a")


def test_the_same_comes_out(tmp_path: Path) -> None:
    (tmp_path / "x.tsv").write_text("".join(f"{line['source']}\t{line['target']}\n" for line in LINES))
    import_corpus(tmp_path / "x.tsv", columns=COLUMNS, out=tmp_path / "a")
    assert merge_rows(tmp_path / "a", tmp_path / "y.tsv.zst") == 5
    import_corpus(tmp_path / "y.tsv.zst", columns={"source": "source", "target": "target"}, out=tmp_path / "b")
    assert rows(tmp_path / "b") == LINES
    assert merge_columns(tmp_path / "a", {"source": tmp_path / "y.de", "target": tmp_path / "y.en.gz"}) == 5
    assert (tmp_path / "y.de").read_text().splitlines() == [line["source"] for line in LINES]
    merge_rows(tmp_path / "a", tmp_path / "y.parquet")
    assert pq.read_table(tmp_path / "y.parquet").to_pylist() == LINES
    merge_rows(tmp_path / "a", tmp_path / "y.jsonl")
    assert list(map(json.loads, (tmp_path / "y.jsonl").read_text().splitlines())) == LINES
    with pytest.raises(UsageError, match=r"\.parquet, \.tsv or \.jsonl"):
        merge_rows(tmp_path / "a", tmp_path / "y.xlsx")
