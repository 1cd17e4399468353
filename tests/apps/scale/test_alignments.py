"""Links and profiles of parts are those of the whole corpus."""

from __future__ import annotations

import contextlib
import json
import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from small_corpora import contents, rows, sentences, shuffled, write_corpus

from wordorder.apps import scale
from wordorder.apps.profile import Corpus, profile
from wordorder.apps.scale.alignments import _drawn
from wordorder.core.runtime.errors import InputWarning, UsageError
from wordorder.core.text import encode
from wordorder.core.text.tokens import lower
from wordorder.linking.aligning import load

SOURCE = sentences(80)
TARGET = [line.upper() for line in shuffled(SOURCE)]
PAIRS: dict[str, list[Any]] = {"source": SOURCE, "target": TARGET, "id": list(range(80))}


@pytest.fixture(scope="module")
def aligned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("aligned")
    write_corpus(folder / "corpus", PAIRS, [30, 31])
    found = scale.align(folder / "corpus", out=folder / "links")
    assert found is not None
    assert found.counts["pairs"] == 80
    return folder


def test_links_are_those_of_the_model_on_the_whole_corpus(aligned: Path) -> None:
    model = load(aligned / "links" / "_model")
    source, target = lower(encode(SOURCE, TARGET, whitespace="ascii"))
    expected = [str(row) for row in model.align(source, target)]
    found = rows(aligned / "links")
    assert [row["links"] for row in found] == expected
    assert [row["id"] for row in found] == list(range(80))
    assert list(found[0]) == ["source", "target", "id", "links", "reason"]


def test_the_model_is_made_once_and_can_be_made_alone(aligned: Path, tmp_path: Path) -> None:
    made = (aligned / "links" / "_model").stat().st_mtime_ns
    scale.align(aligned / "corpus", out=aligned / "links")
    assert (aligned / "links" / "_model").stat().st_mtime_ns == made
    assert scale.align(aligned / "corpus", save=tmp_path / "m") is None
    scale.align(aligned / "corpus", model=tmp_path / "m", out=tmp_path / "links", shard="1/1")
    same = contents(aligned / "links")
    del same["_model"], same["_model.json"]
    assert contents(tmp_path / "links") == same
    for wrong, said in (
        ({"out": tmp_path / "x", "shard": "1/2"}, "shards need the same model"),
        ({"out": aligned / "links", "train_sample": 9}, "was trained with sample 2000000, not 9"),
        ({}, "nothing to do"),
        ({"out": tmp_path / "x", "model": tmp_path / "none"}, "no such file"),
        ({"out": tmp_path / "x", "train_sample": 0}, "must be 1 or more"),
    ):
        with pytest.raises(UsageError, match=said):
            scale.align(aligned / "corpus", **wrong)


@pytest.mark.parametrize("how", ["model", "description", "older", "nothing"])
def test_a_damaged_model_is_trained_again_and_said(aligned: Path, tmp_path: Path, how: str) -> None:
    links = shutil.copytree(aligned / "links", tmp_path / "links")
    whole = contents(links)
    model, description = links / "_model", links / "_model.json"
    if how == "model":
        model.write_bytes(whole["_model"][:300] + b"?!" + whole["_model"][302:])
    elif how == "description":
        description.write_bytes(whole["_model.json"][:-9])
    elif how == "older":  # version 0.2.0 wrote no checksum
        known = json.loads(whole["_model.json"])
        del known["checksum"], known["corpus"]
        description.write_text(json.dumps(known))
    else:
        model.unlink()
    with contextlib.nullcontext() if how == "nothing" else pytest.warns(InputWarning, match=r"recomputed: _model \("):
        scale.align(aligned / "corpus", out=links)
    assert contents(links) == whole


def test_a_sample_depends_on_places_alone(tmp_path: Path) -> None:
    for number, cuts in enumerate(([], [10, 70])):
        corpus = write_corpus(tmp_path / f"c{number}", PAIRS, cuts)
        scale.align(corpus, save=tmp_path / f"m{number}", train_sample=60)
    assert (tmp_path / "m0").read_bytes() == (tmp_path / "m1").read_bytes()
    share = sum(_drawn(range(100_000), 0.25).to_pylist()) / 100_000
    assert share == pytest.approx(0.25, abs=0.01)


def test_pairs_that_cannot_be_aligned(aligned: Path, tmp_path: Path) -> None:
    long = "a " * 2100
    corpus = write_corpus(tmp_path / "c", {"source": ["a", long, None, ""], "target": ["A", long, "B", "C"]})
    found = scale.align(corpus, model=aligned / "links" / "_model", out=tmp_path / "links")
    assert found is not None
    assert [(row["links"], row["reason"]) for row in rows(tmp_path / "links")] == [
        ("0-0", None), (None, "pair too long to align"), (None, "source missing"), ("", None),
    ]  # fmt: skip
    assert sum(found.bad.values()) == 2


def test_the_profile_of_parts_is_that_of_the_whole(aligned: Path, tmp_path: Path) -> None:
    found = scale.profile(aligned / "links", out=tmp_path / "profile", segments=True)
    links = [row["links"] for row in rows(aligned / "links")]
    (tmp_path / "links.align").write_text("".join(f"{line}\n" for line in links))
    known = profile(Corpus("links", str(tmp_path / "links.align"), SOURCE, TARGET))
    assert found["links"].summary() == known["links"].summary()
    assert found.to_dict()["corpora"][0]["intervals"] == known.to_dict()["corpora"][0]["intervals"]
    assert scale.totals(tmp_path / "profile").to_dict() == found.to_dict()
    here = rows(tmp_path / "profile")
    quantities = [row["rquantity"] for row in here]
    assert sum(quantities) / 80 == pytest.approx(known["links"].rquantity())
    assert "aligner:model+grow-diag-final-and" in str(found)
    scale.profile(aligned / "links", out=tmp_path / "bare")
    assert rows(tmp_path / "bare") == []


def test_links_that_do_not_fit_are_refused_row_by_row(tmp_path: Path) -> None:
    columns: dict[str, list[Any]] = {
        "source": ["a b"] * 5,
        "target": ["c d"] * 5,
        "links": ["0-1 1-0", "0-2", "x", None, "0-0"],
    }
    corpus = write_corpus(tmp_path / "c", columns)
    found = scale.profile(corpus, out=tmp_path / "p", segments=True)
    assert found["c"].sentences == 2
    assert [row["reason"] for row in rows(tmp_path / "p")] == [
        None, "links beyond the last word", "links cannot be read", "links missing", None,
    ]  # fmt: skip
    assert [row["rquantity"] for row in rows(tmp_path / "p")] == [1.0, None, None, None, 0.0]


def test_words_are_cut_as_for_the_links(aligned: Path, tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "c", {"source": ["a, b."] * 3, "target": ["c, d."] * 3})
    scale.align(corpus, model=aligned / "links" / "_model", out=tmp_path / "links", tokenize="13a")
    found = scale.profile(tmp_path / "links", out=tmp_path / "p")
    assert found["links"].count("source_words") == 12
    with pytest.raises(UsageError, match="links use the tokeniser 13a, not char; leave out tokenize"):
        scale.profile(tmp_path / "links", out=tmp_path / "q", tokenizer="char")


def test_results_open_elsewhere(aligned: Path) -> None:
    """As a dataset, the folder is its parts: what else is in it is not seen."""
    from pyarrow import dataset

    assert dataset.dataset(aligned / "links").count_rows() == 80
    assert pq.read_schema(aligned / "links" / "part-00000.parquet").field("links").type == pa.string()
