"""Scores of parts: whatever the cut, the engine and the history, they are those of ``score``."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_corpora import contents, pairs, rows, write_corpus

import wordorder
from wordorder.apps import scale
from wordorder.apps.scale import folders, runner
from wordorder.apps.scale.parts import REPORT_KEY, Report, find_parts, read_report
from wordorder.apps.scale.scores import score_job, total_scores
from wordorder.core.runtime.errors import InputError, InputWarning, UsageError

PAIRS = pairs(60)
COLUMNS = {"reference": "ref", "A": "a", "B": "b"}
METRICS = "kendall,pef,bleu,lr-kb4,f1"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus of four parts and its scores."""
    folder = tmp_path_factory.mktemp("whole")
    write_corpus(folder / "pairs", PAIRS, [20, 21, 45])
    scale.score(folder / "pairs", columns=COLUMNS, metrics=METRICS, out=folder / "scores")
    return folder


@given(cuts=st.lists(st.integers(0, 60), max_size=4).map(sorted))
@settings(max_examples=10)
def test_any_cut_into_parts_gives_the_scores_of_the_whole(
    cuts: list[int], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("cut")
    write_corpus(folder / "pairs", PAIRS, cuts)
    found = scale.score(folder / "pairs", columns=COLUMNS, metrics=METRICS, out=folder / "scores")
    known = wordorder.score({"A": PAIRS["a"], "B": PAIRS["b"]}, PAIRS["ref"], metrics=METRICS, samples=0)
    for one, two in zip(found.sums, known.sums, strict=True):
        for some, other in zip(one, two, strict=True):
            whole = other == np.round(other)
            assert (some[whole] == other[whole]).all()
            np.testing.assert_allclose(some, other, rtol=1e-12)
    assert (found.defined == known.defined).all()
    assert (found.words, len(found)) == (known.words, len(known))
    np.testing.assert_allclose(np.array(found.matched), np.array(known.matched), rtol=1e-12)
    here = rows(folder / "scores")
    for name in ("kendall", "bleu"):
        expected = known.segment_scores("B", name)
        found_here = [np.nan if row[f"B.{name}"] is None else row[f"B.{name}"] for row in here]
        np.testing.assert_array_equal(found_here, expected)


def test_table_and_signature_are_those_of_score(whole: Path) -> None:
    found = scale.totals(whole / "scores")
    known = wordorder.score({"A": PAIRS["a"], "B": PAIRS["b"]}, PAIRS["ref"], metrics=METRICS, samples=0)
    assert str(found.table()) == str(known.table())
    assert found.to_dict()["signature"] == known.to_dict()["signature"]
    with pytest.raises(UsageError, match="from the Parquet files in the output folder"):
        found.segment_scores("A", "kendall")


def test_threads_of_an_executor_and_shards_write_the_same_bytes(whole: Path, tmp_path: Path) -> None:
    how: dict[str, Any] = {"columns": COLUMNS, "metrics": METRICS}
    with ThreadPoolExecutor(3) as executor:
        scale.score(whole / "pairs", out=tmp_path / "threads", executor=executor, **how)
    assert contents(tmp_path / "threads") == contents(whole / "scores")
    for shard in ("3/3", "1/3"):
        with pytest.raises(runner.UnfinishedError, match="not done yet: "):
            scale.score(whole / "pairs", out=tmp_path / "shards", shard=shard, **how)
    scale.score(whole / "pairs", out=tmp_path / "shards", shard="2/3", **how)
    assert contents(tmp_path / "shards") == contents(whole / "scores")


def test_what_is_done_is_not_done_again(whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = write_corpus(tmp_path / "pairs", PAIRS, [20, 21, 45])
    how: dict[str, Any] = {"columns": COLUMNS, "metrics": METRICS, "out": tmp_path / "scores"}
    scale.score(corpus, **how)
    worked: list[str] = []
    real = runner.run_part

    def seen(job: Any, part: Any, **rest: Any) -> str:
        worked.append(part.name)
        return real(job, part, **rest)

    monkeypatch.setattr(runner, "run_part", seen)
    scale.score(corpus, **how)
    assert worked == []
    (tmp_path / "scores" / "part-00001.parquet").unlink()
    (tmp_path / "scores" / "part-00002.parquet").write_bytes(b"PAR1")
    with pytest.warns(InputWarning, match=r"1 result is recomputed: part-00002\.parquet \(the file is damaged"):
        scale.score(corpus, **how)
    assert worked == ["part-00001.parquet", "part-00002.parquet"]
    assert contents(tmp_path / "scores") == contents(whole / "scores")
    changed = pq.read_table(corpus / "part-00003.parquet").set_column(1, "a", pa.array(["x y"] * 15))
    pq.write_table(changed, corpus / "part-00003.parquet")
    with pytest.warns(InputWarning, match=r"part-00003\.parquet \(its input has changed\)"):
        scale.score(corpus, **how)
    assert worked[2:] == ["part-00003.parquet"]


def test_results_of_another_job_are_told_apart(whole: Path, tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "pairs", PAIRS, [30])
    scale.score(corpus, columns=COLUMNS, metrics="kendall", out=tmp_path / "scores")
    with pytest.raises(UsageError, match=r'another job \(metrics was \["kendall"\] and is now \["bleu"\]'):
        scale.score(corpus, columns=COLUMNS, metrics="bleu", out=tmp_path / "scores")
    (corpus / "part-00001.parquet").unlink()
    with pytest.raises(UsageError, match=r"results that match no part of the input \(part-00001\.parquet\)"):
        scale.score(corpus, columns=COLUMNS, metrics="kendall", out=tmp_path / "scores")
    scale.score(corpus, columns=COLUMNS, metrics="bleu", out=tmp_path / "scores", overwrite=True)
    assert len(list((tmp_path / "scores").glob("*.parquet"))) == 1
    with pytest.raises(UsageError, match="is an input of this command; choose another file"):
        scale.score(corpus, columns=COLUMNS, out=corpus)


def test_bad_rows_have_a_reason_and_are_left_out(tmp_path: Path) -> None:
    long = "w " * 65_537
    texts = [b"the cat", None, b"\xff", long.encode(), b"the\ncat"]
    columns = {"reference": "ref", "A": "hyp"}
    corpus = write_corpus(tmp_path / "pairs", {"ref": ["the cat"] * 5, "hyp": texts})
    found = scale.score(corpus, columns=columns, metrics="kendall,bleu1", out=tmp_path / "scores")
    assert [row["reason"] for row in rows(tmp_path / "scores")] == [
        None, "hyp missing", "hyp not UTF-8", "hyp over 65536 words", None,
    ]  # fmt: skip
    assert [row["kendall"] for row in rows(tmp_path / "scores")] == [1.0, None, None, None, 1.0]
    assert len(found) == 2
    assert "3 unusable rows left out" in str(found.table())
    with pytest.raises(InputError, match=r"part-00000\.parquet: row 2: hyp missing"):
        scale.score(corpus, columns=columns, metrics="kendall", out=tmp_path / "strict", strict=True)
    assert list(contents(tmp_path / "strict")) == ["_job.json"]


def test_a_part_without_rows_or_with_bad_ones_only(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "pairs", {"ref": ["a b", None], "a": ["b a", "c"]}, [1, 1])
    found = scale.score(corpus, columns={"reference": "ref", "A": "a"}, metrics="kendall", out=tmp_path / "scores")
    assert (len(found), found["A", "kendall"]) == (1, 0.0)


def test_a_damaged_part_is_set_aside_and_the_others_are_done(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "pairs", PAIRS, [20, 40])
    good = (corpus / "part-00001.parquet").read_bytes()
    (corpus / "part-00001.parquet").write_bytes(good[:40] + bytes(200) + good[240:])
    how: dict[str, Any] = {"columns": COLUMNS, "metrics": METRICS, "out": tmp_path / "scores"}
    with pytest.raises(runner.PartError, match=r"1 part of 3 failed: part-00001\.parquet"):
        scale.score(corpus, **how)
    there = contents(tmp_path / "scores")
    assert list(there) == ["_failed.jsonl", "_job.json", "part-00000.parquet", "part-00002.parquet"]
    found = scale.status(tmp_path / "scores")
    assert (found.complete, list(found.failed)) == (False, ["part-00001.parquet"])
    (corpus / "part-00001.parquet").write_bytes(good)
    scale.score(corpus, **how)
    assert "_failed.jsonl" not in contents(tmp_path / "scores")
    assert scale.status(tmp_path / "scores").complete


def test_a_full_disk_stops_the_work_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = write_corpus(tmp_path / "pairs", PAIRS, [20, 40])
    written = iter([None, None, OSError(errno.ENOSPC, "No space left on device")])  # the plan, a part, a part

    def sync(handle: int) -> None:
        error = next(written)
        if error is not None:
            raise error

    monkeypatch.setattr(os, "fsync", sync)
    with pytest.raises(folders.NoSpaceError, match="the disk is full"):
        scale.score(corpus, columns=COLUMNS, metrics="kendall", out=tmp_path / "scores")
    assert list(contents(tmp_path / "scores")) == ["_job.json", "part-00000.parquet"]


def test_columns_that_are_missing_or_hold_no_text(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "pairs", PAIRS | {"n": list(range(60))}, [30])
    pq.write_table(pa.table({"ref": ["a"]}), corpus / "part-00009.parquet")
    for columns, said in (
        ({"reference": "ref", "A": "hyp"}, r"part-00000\.parquet: no column 'hyp' .*found: ref, a, b, n\)"),
        ({"reference": "ref", "A": "a"}, r"part-00009\.parquet: no column 'a' .*found: ref\)"),
        ({"reference": "ref", "A": "n"}, "expected text in the column 'n' for 'A', found int64"),
        ({"reference": "ref"}, "at least one system .*; found: reference"),
        ({"A": "a"}, "needs columns for a reference"),
    ):
        with pytest.raises(UsageError, match=said):
            scale.score(corpus, columns=columns, out=tmp_path / "scores")
    assert not (tmp_path / "scores").exists()
    for shard in ("0/3", "4/3", "3", "a/b"):
        with pytest.raises(UsageError, match="a shard must have the form I/N"):
            scale.score(corpus, columns=COLUMNS, out=tmp_path / "scores", shard=shard)


def test_columns_inside_of_others(tmp_path: Path) -> None:
    """As Hugging Face's datasets of translations have them."""
    both = [{"en": ref, "de": a} for ref, a in zip(PAIRS["ref"], PAIRS["a"], strict=True)]
    write_corpus(tmp_path / "inner", {"translation": both, "n": list(range(60))})
    write_corpus(tmp_path / "plain", PAIRS)
    inner = {"reference": "translation.en", "A": "translation.de"}
    found = scale.score(tmp_path / "inner", columns=inner, metrics="kendall", out=tmp_path / "a")
    known = scale.score(
        tmp_path / "plain", columns={"reference": "ref", "A": "a"}, metrics="kendall", out=tmp_path / "b"
    )
    assert found["A", "kendall"] == known["A", "kendall"]


def test_doubts_are_told_once(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "pairs", {"ref": ["你好世界世界"] * 4, "a": ["你好世界"] * 4}, [1, 2])
    with pytest.warns(InputWarning, match="Chinese") as warned:
        scale.score(corpus, columns={"reference": "ref", "A": "a"}, metrics="kendall", out=tmp_path / "scores")
    assert len(warned) == 1


def test_parts_are_found_in_folders_files_and_patterns(tmp_path: Path) -> None:
    for place in ("x/one", "x/two", "hub/data"):
        write_corpus(tmp_path / place, {"ref": ["a"]}, [1])
    (tmp_path / "x/one" / "_hidden.parquet").write_bytes(b"")
    named = [part.name for part in find_parts([tmp_path / "x/one", f"{tmp_path}/x/tw*/*0.parquet"])]
    assert named == ["one-part-00000.parquet", "one-part-00001.parquet", "two-part-00000.parquet"]
    assert len(find_parts(tmp_path / "hub")) == 2
    with pytest.raises(UsageError, match="no Parquet file matches"):
        find_parts(f"{tmp_path}/*.none")
    (tmp_path / "text").mkdir()
    (tmp_path / "text" / "a.tsv").write_text("a\tb\n")
    with pytest.raises(UsageError, match=r"convert a\.tsv with 'wordorder scale import' first"):
        find_parts(tmp_path / "text")


def test_storage_that_is_no_disk(whole: Path, tmp_path: Path) -> None:
    """Addresses go through pyarrow, as those of s3:// and gs:// do."""
    address = f"file://{whole}/pairs"
    scale.score(address, columns=COLUMNS, metrics=METRICS, out=f"file://{tmp_path}/scores")
    assert contents(tmp_path / "scores") == contents(whole / "scores")
    assert scale.status(f"file://{tmp_path}/scores").complete
    assert len(find_parts(f"{address}/part-*1.parquet")) == 1


def test_a_part_by_itself(whole: Path, tmp_path: Path) -> None:
    """What recipes for other engines call."""
    job = score_job(COLUMNS, METRICS)
    for part in find_parts(whole / "pairs"):
        assert scale.run_part(job, part, str(tmp_path)) == part.name
    parts: Iterator[Any] = (scale.parts.read_report(str(path)) for path in sorted(tmp_path.glob("*.parquet")))
    assert str(total_scores(list(parts)).table()) == str(scale.totals(whole / "scores").table())


@pytest.mark.parametrize("size", [0, 100, 20_000])
@pytest.mark.parametrize("columns", [1, 200])
def test_reports_are_found_in_footers_of_any_size(size: int, columns: int, tmp_path: Path) -> None:
    report = Report("score", "1", {"metrics": ["ü" * size]}, {}, "job", "input", 3, {"missing": 1}, {"x": [0.1]})
    table = pa.table({f"wordorder {number}": ["wordorder"] for number in range(columns)})
    path = str(tmp_path / "part.parquet")
    pq.write_table(table.replace_schema_metadata({REPORT_KEY: report.write(), b"other": b"x" * size}), path)
    assert read_report(path) == report
    pq.write_table(table, path)
    assert read_report(path) is None


def test_intervals_do_not_depend_on_the_cut_or_the_engine(tmp_path: Path) -> None:
    columns = PAIRS | {"ref": [None if row in (3, 31) else text for row, text in enumerate(PAIRS["ref"])]}
    how: dict[str, Any] = {"columns": COLUMNS, "metrics": METRICS, "samples": 200}
    found = []
    for number, cuts in enumerate(([], [1, 30], [10, 31, 32])):
        corpus = write_corpus(tmp_path / f"pairs-{number}", columns, cuts)
        with ThreadPoolExecutor(2) as executor:
            running: dict[str, Any] = {"executor": executor} if number else {}
            found.append(scale.score(corpus, out=tmp_path / f"scores-{number}", **how, **running))
        again = scale.totals(tmp_path / f"scores-{number}")
        assert str(again.table()) == str(found[-1].table())
        np.testing.assert_allclose(found[-1].replicates, found[0].replicates, rtol=1e-12)
    plain = [text for text in columns["ref"] if text is not None]
    kept = [row for row, text in enumerate(columns["ref"]) if text is not None]
    systems = {name: [PAIRS[column][row] for row in kept] for name, column in COLUMNS.items() if name != "reference"}
    known = wordorder.score(systems, plain, metrics=METRICS)
    np.testing.assert_allclose(found[0].values, known.values, rtol=1e-12)
    for ours, theirs in zip(found[0].intervals, known.intervals, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=0.04)
    assert "95% confidence intervals from 200 bootstrap samples" in str(found[0].table())
    assert found[0].signature["bootstrap"] == "poisson"
    (tmp_path / "pairs-1" / "part-00000.parquet").unlink()
    (tmp_path / "scores-1" / "part-00000.parquet").unlink()
    with pytest.warns(InputWarning, match="2 results are recomputed"):  # all places are others now
        worked = scale.score(tmp_path / "pairs-1", out=tmp_path / "scores-1", **how)
    assert len(worked) == len(found[0]) - 1
    fresh = scale.score(tmp_path / "pairs-1", out=tmp_path / "fresh", **how)
    assert contents(tmp_path / "fresh") == contents(tmp_path / "scores-1")
    assert str(fresh.table()) == str(worked.table())
