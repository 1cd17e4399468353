"""Parts and results: fingerprints see every cell that is read, and checksums every byte that is written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from small_corpora import contents, pairs, write_corpus

from wordorder.apps import scale
from wordorder.apps.scale.folders import Folder
from wordorder.apps.scale.parts import Report, ResultFile, cells_of, find_parts, read_report, read_result
from wordorder.apps.scale.runner import PartError
from wordorder.core.runtime.errors import InputError, InputWarning, UsageError

HOW: dict[str, Any] = {"columns": {"reference": "ref", "A": "a"}, "metrics": "kendall,pef"}
ROWS = [["a b c", "c d e f", "z"], ["a b c", "f e d c", "z"]]
"""Rows of the same length, smallest and largest value: files of them have the same size and the same footer."""


def write_rows(path: Path, rows: list[str], **more: Any) -> None:
    pq.write_table(pa.table({"ref": ["a b c", "c d e f", "z"], "a": rows, **more}), path)


def test_a_cell_that_changes_is_seen(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "pairs", {"ref": ["x"]})
    path = corpus / "part-00000.parquet"
    write_rows(path, ROWS[0])
    size = path.stat().st_size
    assert scale.score(corpus, out=tmp_path / "scores", **HOW)["A", "kendall"] == 1
    write_rows(path, ROWS[1])
    assert path.stat().st_size == size
    with pytest.warns(InputWarning, match=r"part-00000\.parquet \(its input has changed\)"):
        found = scale.score(corpus, out=tmp_path / "scores", **HOW)
    assert found["A", "kendall"] == pytest.approx(2 / 3)
    assert found["A", "kendall"] == scale.score(corpus, out=tmp_path / "fresh", **HOW)["A", "kendall"]


@pytest.mark.parametrize("columns", [None, ["a"], ["t.x", "ref"], []])
def test_a_fingerprint_covers_the_columns_that_are_read(tmp_path: Path, columns: list[str] | None) -> None:
    found = []
    for number, (a, x) in enumerate(((0, "k"), (1, "k"), (0, "m"), (0, "k"))):
        inner = [{"x": "j"}, {"x": x}, {"x": "n"}]
        write_rows(tmp_path / f"{number}.parquet", ROWS[a], t=inner)
        found.append(find_parts(tmp_path / f"{number}.parquet")[0].fingerprint(columns))
    seen: dict[tuple[str, ...] | None, tuple[bool, bool]] = {
        None: (True, True),
        ("a",): (True, False),
        ("t.x", "ref"): (False, True),
        (): (False, False),
    }
    wanted = seen[None if columns is None else tuple(columns)]
    assert (found[1] != found[0], found[2] != found[0], found[3] != found[0]) == (*wanted, False)


def test_ties_that_move_to_another_part_are_counted_again(tmp_path: Path) -> None:
    rows: dict[str, list[Any]] = {"n": [1.0] * 6, "source": ["a"] * 6}
    corpus = write_corpus(tmp_path / "corpus", rows, [3])
    how: dict[str, Any] = {"top": 4, "by": "n", "out": tmp_path / "kept"}
    assert scale.filter_pairs(corpus, **how).kept == 4
    write_corpus(corpus, {"n": [1.0, 0.0, 0.0, 1.0, 1.0, 1.0], "source": ["a"] * 6}, [3])
    with pytest.warns(InputWarning, match="recomputed"):
        assert scale.filter_pairs(corpus, **how).kept == 4


def damage(path: Path, how: str) -> None:
    data = path.read_bytes()
    if how == "sums":
        place = data.index(b'"statistics":[[') + 15
        data = data[:place] + (b"8" if data[place:].startswith(b"9") else b"9") + data[place + 1 :]
    elif how == "rows":
        data = data[:4] + bytes(60) + data[64:]
    elif how == "footer":
        data = data.replace(b"kendall", b"kendalk", 1) if data.count(b"kendall") else data
    elif how == "truncated":
        data = data[:-20]
    elif how == "empty":
        data = b""
    elif how == "no length":
        data = b"PAR1" + b"\x18\x09wordorder\x18\xff\xff" + (13).to_bytes(4, "little") + b"PAR1"
    path.write_bytes(data)


@pytest.mark.parametrize("how", ["sums", "rows", "footer", "truncated", "empty", "no length"])
def test_a_damaged_result_is_done_again_and_said(tmp_path: Path, how: str) -> None:
    corpus = write_corpus(tmp_path / "pairs", pairs(60), [20, 40])
    scale.score(corpus, out=tmp_path / "scores", **HOW)
    whole, table = contents(tmp_path / "scores"), str(scale.totals(tmp_path / "scores").table())
    damage(tmp_path / "scores" / "part-00001.parquet", how)
    assert contents(tmp_path / "scores") != whole
    with pytest.raises(PartError, match=r"no result yet for 1 of 3 parts \(part-00001\.parquet: .*damaged"):
        scale.totals(tmp_path / "scores")
    assert list(scale.status(tmp_path / "scores", whole=True).damaged) == ["part-00001.parquet"]
    with pytest.warns(InputWarning, match=r"1 result is recomputed: part-00001\.parquet \(.*damaged"):
        scale.score(corpus, out=tmp_path / "scores", **HOW)
    assert contents(tmp_path / "scores") == whole
    assert str(scale.totals(tmp_path / "scores").table()) == table


@pytest.mark.filterwarnings("ignore:.*is recomputed")
@pytest.mark.parametrize("how", ["sums", "rows"])
@pytest.mark.parametrize("plan", [None, '{"a'])
def test_a_damaged_result_needs_no_plan(tmp_path: Path, how: str, plan: str | None) -> None:
    """Its report says which job made it, also where the description of the run is damaged or gone."""
    corpus = write_corpus(tmp_path / "pairs", pairs(60), [20, 40])
    scale.score(corpus, out=tmp_path / "scores", **HOW)
    whole = contents(tmp_path / "scores")
    damage(tmp_path / "scores" / "part-00001.parquet", how)
    (tmp_path / "scores" / "_job.json").unlink()
    if plan is not None:
        (tmp_path / "scores" / "_job.json").write_text(plan)
    scale.score(corpus, out=tmp_path / "scores", **HOW)
    assert contents(tmp_path / "scores") == whole


def test_without_a_plan_what_may_be_of_another_job_is_kept(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "pairs", pairs(20))
    scale.score(corpus, out=tmp_path / "scores", **HOW)
    path = tmp_path / "scores" / "part-00000.parquet"
    data = path.read_bytes()
    place = data.index(b'"job":"') + 7
    path.write_bytes(data[:place] + b"xyz" + data[place + 3 :])
    (tmp_path / "scores" / "_job.json").unlink()
    with pytest.raises(UsageError, match="a damaged result of wordorder; choose another folder"):
        scale.score(corpus, out=tmp_path / "scores", **HOW)


def test_every_byte_of_a_result_is_checked(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "pairs", {"ref": ["a b c"], "a": ["b a c"]})
    scale.score(corpus, out=tmp_path / "scores", **HOW)
    path = tmp_path / "scores" / "part-00000.parquet"
    data = path.read_bytes()
    report = read_result(str(path))
    assert report == read_report(str(path))
    for place in range(len(data)):
        path.write_bytes(data[:place] + bytes([data[place] ^ 4]) + data[place + 1 :])
        with pytest.raises(InputError):
            read_result(str(path))


def test_a_changed_sample_is_one_line(tmp_path: Path) -> None:
    """Also where somebody has made the checksums fit."""
    corpus = write_corpus(tmp_path / "pairs", pairs(20))
    scale.score(corpus, out=tmp_path / "scores", samples=10, **HOW)
    path = tmp_path / "scores" / "part-00000.parquet"
    report, table = read_result(str(path)), pq.read_table(path)
    for sums in (
        {**report.sums, "samples": "!"},
        {**report.sums, "words": ["x"]},
        {**report.sums, "counts": [["x"]]},
        {},
    ):
        forged = Report(**{**vars(report), "sums": sums})
        with Folder(str(path.parent)).write(path.name) as target, ResultFile(target, table.schema) as result:
            result.write(table)
            result.finish(forged)
        with pytest.raises(InputError, match="cannot be added up"):
            scale.totals(tmp_path / "scores")


def test_files_that_are_no_results_are_never_replaced(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "pairs", pairs(20))
    write_corpus(tmp_path / "mine", {"x": [1]})
    mine = contents(tmp_path / "mine")
    with pytest.raises(UsageError, match="not a result made by wordorder"):
        scale.score(corpus, out=tmp_path / "mine", **HOW)
    assert contents(tmp_path / "mine") == mine


def test_cells_are_those_of_one_column() -> None:
    batch = pa.record_batch({"a": [{"b": 1}], "a.c": [2]})
    assert cells_of(batch, "a.b").to_pylist() == [1]
    assert cells_of(batch, "a.c").to_pylist() == [2]
    twice = pa.RecordBatch.from_arrays([pa.array([1])] * 2, ["x", "x"])
    for columns, name in ((batch, "b"), (batch, ""), (twice, "x")):
        with pytest.raises(InputError, match="expected one column"):
            cells_of(columns, name)
