"""Filters keep what they say, in any cut into parts, and count what they drop."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_corpora import contents, rows, sentences, write_corpus

import wordorder
from wordorder.apps import scale
from wordorder.apps.scale.filters import find_threshold, preset
from wordorder.core.orders import Alignment, Alignments
from wordorder.core.runtime.errors import UsageError
from wordorder.scoring.inputs import MonotoneAlignments

COUNT = 90


def make_links(seed: int = 5) -> list[str]:
    draw = np.random.default_rng(seed)
    found = []
    for line in sentences(COUNT):
        words = len(line.split())
        order = draw.permutation(words) if draw.random() < 0.5 else np.arange(words)
        found.append(" ".join(f"{i}-{j}" for i, j in enumerate(order) if draw.random() < 0.9))
    return found


PAIRS: dict[str, list[Any]] = {
    "source": sentences(COUNT),
    "target": sentences(COUNT),
    "links": make_links(),
    "score": [f"{k / COUNT:.2f}" if k % 7 else "?" for k in range(COUNT)],
}
LINKS = Alignments.of(
    Alignment.parse(links, source_length=len(line.split()), target_length=len(line.split()))
    for links, line in zip(PAIRS["links"], PAIRS["source"], strict=True)
)


def scores_of(name: str) -> list[float]:
    known = wordorder.score(MonotoneAlignments({"x": LINKS}), metrics=name, samples=0)
    found: list[float] = known.segment_scores("x", name).tolist()
    return found


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_corpus(tmp_path_factory.mktemp("corpus"), PAIRS, [20, 20, 61])


def test_pairs_are_kept_by_metrics_measures_and_columns(corpus: Path, tmp_path: Path) -> None:
    found = scale.filter_pairs(
        corpus,
        keep="kendall >= .8 and unaligned_source <= 0.25 and (anticipation:k=2 < 0.5 or score > 0.5) and widest < 9",
        out=tmp_path / "kept",
        sample=3,
    )
    kendall, unaligned, anticipation = map(scores_of, ("kendall", "unaligned-source", "anticipation:k=2"))
    score = [float(cell) if cell != "?" else float("nan") for cell in PAIRS["score"]]
    from wordorder.apps.profile import extract

    widest = [max((r.width() for r in row), default=0) for row in extract(LINKS)]
    marks = np.array(
        [
            [kendall[k] >= 0.8, unaligned[k] <= 0.25, anticipation[k] < 0.5 or score[k] > 0.5, widest[k] < 9]
            for k in range(COUNT)
        ]
    )
    kept = np.asarray(marks.all(axis=1))
    assert 0 < kept.sum() < COUNT
    here = rows(tmp_path / "kept")
    assert [row["source"] for row in here] == [line for line, keep in zip(PAIRS["source"], kept, strict=True) if keep]
    assert [row["kendall"] for row in here] == [value for value, keep in zip(kendall, kept, strict=True) if keep]
    assert list(here[0])[4:] == ["kendall", "unaligned-source", "anticipation:k=2", "widest"]
    failed = ~marks
    assert [row[1:] for row in found.reasons] == [
        [int(failed[:, c].sum()), int((failed[:, c] & (failed.sum(axis=1) == 1)).sum())] for c in range(4)
    ]
    assert (found.rows, found.kept) == (COUNT, int(kept.sum()))
    known = np.array(kendall)
    assert found.to_dict()["before"]["kendall"] == pytest.approx(np.nanmean(known))
    assert found.to_dict()["after"]["kendall"] == pytest.approx(known[kept].mean())
    assert found.to_dict()["after"]["rquantity"] < found.to_dict()["before"]["rquantity"]
    assert [row["kept"] for row in found.to_dict()["sample"]] == [True] * 3 + [False] * 3
    assert all(row["reason"] for row in found.to_dict()["sample"] if not row["kept"])
    assert scale.totals(tmp_path / "kept").to_dict() == found.to_dict()
    assert "pairs kept" in str(found.table())
    assert len(found.sample_lines()) == 6


@pytest.mark.parametrize(("end", "count"), [("top", 25), ("bottom", 25), ("top", 80), ("top", 10_000)])
def test_the_best_of_all_parts(corpus: Path, tmp_path: Path, end: str, count: int) -> None:
    found = scale.filter_pairs(
        corpus,
        keep="links > 0",
        by="kendall",
        out=tmp_path / "kept",
        **{end: count},  # type: ignore[arg-type]
    )
    values = np.array(scores_of("kendall"))
    fine = (np.array([len(row) for row in LINKS]) > 0) & ~np.isnan(values)
    order = np.argsort(-values if end == "top" else values, kind="stable")
    best = sorted([row for row in order if fine[row]][:count])
    assert [row["source"] for row in rows(tmp_path / "kept")] == [PAIRS["source"][row] for row in best]
    assert found.kept == len(best)
    assert found.reasons[-1][0] == f"{end} {count} by kendall"
    assert scale.totals(tmp_path / "kept").to_dict() == found.to_dict()
    before = contents(tmp_path / "kept")
    scale.filter_pairs(corpus, keep="links > 0", by="kendall", out=tmp_path / "kept", **{end: count})  # type: ignore[arg-type]
    assert contents(tmp_path / "kept") == before


@given(
    st.lists(st.lists(st.sampled_from([0.0, -0.0, 1.0, 0.5, -2.5, 1e-300, 0.50000001]), max_size=6), max_size=4),
    st.integers(1, 12),
    st.booleans(),
)
@settings(max_examples=100)
def test_the_threshold_is_exact(parts: list[list[float]], count: int, largest: bool) -> None:
    arrays = [np.array(part, np.float64) for part in parts]
    threshold, ties = find_threshold(arrays, count, largest=largest)
    flat = sorted((value for part in parts for value in part), reverse=largest)
    kept = []
    for part, room in zip(parts, ties, strict=True):
        for value in part:
            if (value > threshold if largest else value < threshold) or (value == threshold and room > 0):
                room -= value == threshold
                kept.append(value)
    assert sorted(kept, reverse=largest) == flat[:count]


def test_conditions_on_lengths_and_columns_need_no_links(tmp_path: Path) -> None:
    columns: dict[str, list[Any]] = {"s": ["a b c", "a", ""], "t": ["x y", "x y z w", "v"], "score": [0.1, 0.9, 0.5]}
    corpus = write_corpus(tmp_path / "c", columns)
    how: dict[str, Any] = {"columns": {"source": "s", "target": "t"}}
    found = scale.filter_pairs(corpus, keep="length_ratio <= 2 and source-words > 0", out=tmp_path / "a", **how)
    assert [row["s"] for row in rows(tmp_path / "a")] == ["a b c"]
    assert found.kept == 1
    scale.filter_pairs(corpus, keep="0.2 < score < 0.8", out=tmp_path / "b", **how)
    assert [row["score"] for row in rows(tmp_path / "b")] == [0.5]
    scale.filter_pairs(corpus, top=1, by="score", out=tmp_path / "d", **how)
    assert [row["score"] for row in rows(tmp_path / "d")] == [0.9]


def test_unusable_rows_are_dropped_and_counted(tmp_path: Path) -> None:
    links = ["0-0 1-1", "0-0", "5-5"]
    columns: dict[str, list[Any]] = {"source": ["a b", None, "a"], "target": ["a b", "b", "a"], "links": links}
    corpus = write_corpus(tmp_path / "c", columns)
    found = scale.filter_pairs(corpus, keep="kendall > 0", out=tmp_path / "a")
    assert (found.rows, found.kept) == (1, 1)
    assert dict(found.bad) == {"source missing": 1, "links beyond the last word": 1}


def test_presets() -> None:
    assert preset("simt") == preset("simt:k=3")
    assert "anticipation:k=7 <= 0.1" in preset("simt:k=7")
    for wrong, said in (
        ("sim", "did you mean 'simt'"),
        ("simt:j=1", "valid settings: k=N"),
        ("clean:k=1", "valid settings: none"),
    ):
        with pytest.raises(UsageError, match=said):
            preset(wrong)


def test_what_makes_no_sense_is_told(corpus: Path, tmp_path: Path) -> None:
    for wrong, said in (
        ({"keep": "kendal > 1"}, "unknown name in a condition 'kendal'; did you mean 'kendall'"),
        ({"keep": "bleu > 1"}, "unknown name in a condition 'bleu'"),
        ({"keep": "anticipation:k=0 > 1"}, "k must be 1 to 65536"),
        ({}, "there is no condition"),
        ({"top": 5}, "give their number"),
        ({"by": "kendall"}, "give their number"),
        ({"top": 0, "by": "kendall"}, "must be 1 or more"),
        ({"top": 5, "by": "kendall", "shard": "1/2"}, "shard cannot find the best pairs"),
        ({"keep": "kendall > 1", "columns": {"links": "align"}}, "no column 'align'"),
    ):
        with pytest.raises(UsageError, match=said):
            scale.filter_pairs(corpus, out=tmp_path / "x", **wrong)
