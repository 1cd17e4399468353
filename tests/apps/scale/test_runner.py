"""The driver: parts that cannot be read are listed, and nothing makes a run wait for ever."""

from __future__ import annotations

import fcntl
import json
import os
import tempfile
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from small_corpora import contents, pairs, write_corpus

from wordorder.apps import scale
from wordorder.apps.scale import runner
from wordorder.core.runtime.errors import InputError, InputWarning, UsageError

HOW: dict[str, Any] = {"columns": {"reference": "ref", "A": "a"}, "metrics": "kendall"}


def cut_off(path: Path) -> bytes:
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    return whole


@pytest.mark.parametrize("number", [0, 1])
def test_a_truncated_part_is_listed_and_the_others_are_done(tmp_path: Path, number: int) -> None:
    corpus = write_corpus(tmp_path / "pairs", pairs(60), [20, 40])
    name = f"part-0000{number}.parquet"
    whole = cut_off(corpus / name)
    with pytest.raises(runner.PartError, match=rf"1 part of 3 failed: {name}"):
        scale.score(corpus, out=tmp_path / "scores", **HOW)
    failures = [json.loads(line) for line in (tmp_path / "scores" / "_failed.jsonl").read_text().splitlines()]
    assert [each["part"] for each in failures] == [name]
    assert len(list((tmp_path / "scores").glob("part-*"))) == 2
    (corpus / name).write_bytes(whole)
    scale.score(corpus, out=tmp_path / "scores", **HOW)
    scale.score(corpus, out=tmp_path / "fresh", **HOW)
    assert contents(tmp_path / "scores") == contents(tmp_path / "fresh")


def test_an_old_result_of_a_part_that_is_now_damaged_does_not_count(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "pairs", pairs(60), [20, 40])
    scale.score(corpus, out=tmp_path / "scores", **HOW)
    cut_off(corpus / "part-00001.parquet")
    with pytest.raises(runner.PartError, match="1 part of 3 failed"), pytest.warns(InputWarning, match="has changed"):
        scale.score(corpus, out=tmp_path / "scores", **HOW)
    assert list(scale.status(tmp_path / "scores").failed) == ["part-00001.parquet"]
    with pytest.raises(runner.PartError, match="no result yet for 1 of 3 parts"):
        scale.totals(tmp_path / "scores")


@pytest.mark.filterwarnings("ignore:.*is recomputed")
def test_with_samples_the_parts_after_a_truncated_one_wait(tmp_path: Path) -> None:
    """Their places in the corpus are unknown; what is done of them is kept."""
    corpus = write_corpus(tmp_path / "pairs", pairs(60), [20, 40])
    scale.score(corpus, out=tmp_path / "scores", samples=10, **HOW)
    before = contents(tmp_path / "scores")
    whole = cut_off(corpus / "part-00001.parquet")
    for out, left in (("fresh", ["part-00000.parquet"]), ("scores", ["part-00000.parquet", "part-00002.parquet"])):
        with pytest.raises(runner.PartError, match=r"2 parts of 3 failed"):
            scale.score(corpus, out=tmp_path / out, samples=10, **HOW)
        assert [path.name for path in sorted((tmp_path / out).glob("part-*"))] == left
        errors = [json.loads(line)["error"] for line in (tmp_path / out / "_failed.jsonl").read_text().splitlines()]
        assert "an earlier part cannot be read" in errors[1]
    (corpus / "part-00001.parquet").write_bytes(whole)
    scale.score(corpus, out=tmp_path / "scores", samples=10, **HOW)
    assert contents(tmp_path / "scores") == before


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["source", "ziel"], r"part-00000\.parquet: no column 'target' .*found: source, ziel"),
        (["source", "target", "target"], "2 columns are named 'target'; rename or remove all but one of them"),
        (["source", "target", "x", "x"], "2 columns are named 'x'"),
    ],
)
def test_align_needs_its_columns_once(tmp_path: Path, names: list[str], said: str) -> None:
    (tmp_path / "pairs").mkdir()
    table = pa.Table.from_arrays([pa.array(["a b"] * 3)] * len(names), names)
    pq.write_table(table, tmp_path / "pairs" / "part-00000.parquet")
    with pytest.raises(UsageError, match=said):
        scale.align(tmp_path / "pairs", out=tmp_path / "links")


def test_align_needs_text(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "pairs", {"source": ["a b"] * 3, "id": [1, 2, 3]})
    with pytest.raises(UsageError, match="expected text in the column 'id' for 'target', found int64"):
        scale.align(corpus, columns={"target": "id"}, out=tmp_path / "links")


def test_a_condition_needs_its_column_in_every_part(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "pairs", {"n": [1.0, 2.0], "source": ["a", "b"]}, [1])
    pq.write_table(pa.table({"source": ["b"]}), corpus / "part-00001.parquet")
    with pytest.raises(UsageError, match=r"part-00001\.parquet: no column 'n'"):
        scale.filter_pairs(corpus, keep="n > 0", out=tmp_path / "kept")


def test_a_model_belongs_to_its_corpus(tmp_path: Path) -> None:
    rows = {"source": ["a b", "c d", "z"], "target": ["b a", "d c", "z"]}
    corpus = write_corpus(tmp_path / "pairs", rows)
    scale.align(corpus, out=tmp_path / "links")
    write_corpus(corpus, rows | {"target": ["b a", "c d", "z"]})
    with pytest.raises(UsageError, match="trained on pairs that differ from those in the corpus; use it anyway"):
        scale.align(corpus, out=tmp_path / "links")
    scale.align(corpus, out=tmp_path / "links", overwrite=True)
    scale.align(corpus, out=tmp_path / "fresh")
    assert contents(tmp_path / "links") == contents(tmp_path / "fresh")


@pytest.mark.parametrize("kind", ["pipe", "held", "link"])
def test_no_lock_makes_a_run_wait_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(runner, "LOCK_PATIENCE", 0.3)
    path = tmp_path / f"wordorder-{os.getuid()}.lock"
    begun = time.monotonic()
    if kind == "pipe":
        os.mkfifo(path)
        with runner._alone():
            pass
    elif kind == "held":
        with open(path, "a") as other:
            fcntl.flock(other, fcntl.LOCK_EX)
            with runner._alone():
                assert time.monotonic() - begun >= 0.3
        with runner._alone(), open(path) as other, pytest.raises(BlockingIOError):
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
    else:
        (tmp_path / "precious").write_text("x")
        path.symlink_to(tmp_path / "none")
        with runner._alone():
            assert not (tmp_path / "none").exists()


def test_unreadable_parts_alone_are_one_line(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "pairs", pairs(4))
    cut_off(corpus / "part-00000.parquet")
    with pytest.raises(runner.PartError, match="1 part of 1 failed"):
        scale.score(corpus, out=tmp_path / "scores", **HOW)
    with pytest.raises(InputError, match="damaged"):
        scale.filter_pairs(corpus, keep="n > 0", out=tmp_path / "kept")
