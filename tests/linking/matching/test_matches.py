"""The column of matches: word orders, counts, threads, empty sides, real data."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordorder.core.runtime.columns import offsets_from_lengths
from wordorder.core.runtime.errors import InputError, UsageError
from wordorder.core.text import encode, tokenise
from wordorder.linking.matching import STAGES, Matches, Resources, match
from wordorder.linking.matching import matcher as matcher_module

Rows = list[list[tuple[int, int, int, int, int]]]
"""Matches of some rows: start, size, start, size, stage."""


@st.composite
def columns(draw: st.DrawFn) -> Rows:
    """Matches in hypothesis order, with gaps."""
    rows = []
    for _ in range(draw(st.integers(0, 4))):
        count = draw(st.integers(0, 5))
        order = draw(st.permutations(range(count)))
        sizes = [draw(st.tuples(st.integers(1, 3), st.integers(1, 3))) for _ in range(count)]
        gaps = [draw(st.tuples(st.integers(0, 1), st.integers(0, 1))) for _ in range(count)]
        starts, at = {}, 0
        for k in order:
            starts[k] = at + gaps[k][1]
            at = starts[k] + sizes[k][1]
        row, i = [], 0
        for k in range(count):
            row.append((i + gaps[k][0], sizes[k][0], starts[k], sizes[k][1], draw(st.integers(0, 3))))
            i += gaps[k][0] + sizes[k][0]
        rows.append(row)
    return rows


def gather(rows: Rows) -> Matches:
    flat = np.array([m for row in rows for m in row], dtype=np.int32).reshape(-1, 5)
    hyp, hyp_size, ref, ref_size, stage = flat.T.copy()
    offsets = offsets_from_lengths([len(row) for row in rows])
    return Matches(hyp, hyp_size, ref, ref_size, stage.astype(np.int8), offsets, np.ones(len(rows), np.bool_))


@given(columns())
def test_orders_chunks_and_counts(rows: Rows) -> None:
    matches = gather(rows)
    orders, chunks = matches.orders(), matches.chunks
    for k, row in enumerate(rows):
        places = [j for _, _, start, size, _ in row for j in range(start, start + size)]
        assert orders[k].ranks == tuple(sorted(places).index(j) for j in places)
        ends = {(i + more, j + longer) for i, more, j, longer, _ in row}
        assert chunks[k] == sum((i, j) not in ends for i, _, j, _, _ in row)
        for stage in range(len(STAGES)):
            assert matches.hypothesis_words[k, stage] == sum(m[1] for m in row if m[4] == stage)
            assert matches.reference_words[k, stage] == sum(m[3] for m in row if m[4] == stage)
    assert matches.reference_words.sum(axis=1).tolist() == orders.lengths.tolist()


@given(columns(), columns())
def test_concatenating(one: Rows, two: Rows) -> None:
    together = Matches.concatenate([gather(one), gather(two)])
    expected = gather(one + two)
    for name in ("hypothesis", "hypothesis_size", "reference", "reference_size", "stage", "offsets", "proven"):
        np.testing.assert_array_equal(getattr(together, name), getattr(expected, name))


def test_empty_sides_match_nothing() -> None:
    matches = match(*encode(["", "a", "", "a"], ["a", "", "", "b"]))
    assert len(matches) == 4
    assert matches.chunks.tolist() == matches.orders().lengths.tolist() == [0, 0, 0, 0]
    assert matches.hypothesis_words.shape == (4, 4)
    assert len(match(*encode([], []))) == 0


def test_columns_must_fit() -> None:
    with pytest.raises(InputError, match="1 hypothesis but 2 references"):
        match(*encode(["a"], ["a", "b"]))
    with pytest.raises(InputError, match="must share one vocabulary"):
        match(*encode(["a"]), *encode(["b"]))
    columns = encode(["a b"], ["b"])
    with pytest.raises(InputError, match="the relations cover 1 words, but the vocabulary has 2"):
        match(*columns, relations=Resources(stem="english").relate(encode(["c"])[0].vocabulary))
    with pytest.raises(UsageError, match="states must be at least 1, not 0"):
        match(*columns, states=0)


def test_any_number_of_threads_gives_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    texts = [[" ".join(str(w) for w in rng.zipf(1.5, size=12) % 20) for _ in range(300)] for _ in range(2)]
    columns = encode(*texts)
    relations = Resources(stem="english").relate(columns[0].vocabulary)
    expected = match(*columns, relations=relations)
    for threads, rows, cells in ((1, 7, 1 << 22), (3, 7, 1 << 22), (1, 100, 500), (2, 100, 1)):
        monkeypatch.setattr(matcher_module, "ROWS_AT_A_TIME", rows)
        monkeypatch.setattr(matcher_module, "CELLS_AT_A_TIME", cells)
        found = match(*columns, relations=relations, threads=threads)
        for name in ("hypothesis", "reference", "stage", "offsets", "proven"):
            np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


def test_rows_are_matched_a_few_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    columns = encode(["a b", "b a", "", "c a b", "a"], ["b a", "a", "c", "a b c", "a a"])
    expected = match(*columns)
    monkeypatch.setattr(matcher_module, "ROWS_AT_A_TIME", 2)
    monkeypatch.setattr(matcher_module, "CELLS_AT_A_TIME", 8)
    found = match(*columns)
    assert len(found.offsets) == len(expected.offsets) == 6
    for name in ("hypothesis", "reference", "stage", "offsets", "proven"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


def test_the_parliament_sentence() -> None:
    # Thesis, chapter 5: seven exact matches and "plans" by its stem, in four chunks whichever "to" is matched.
    columns = tokenise(
        [
            ["to reduce the parliament it plans to start its carbon footprint ."],
            ["parliament launches action plan to reduce its carbon footprint ."],
        ]
    )
    matches = match(*columns, relations=Resources(stem="english").relate(columns[0].vocabulary))
    assert matches.hypothesis_words.tolist() == [[7, 1, 0, 0]]
    assert matches.chunks.tolist() == [4]
    assert str(matches.orders()[0]) == "4 1 2 3 5 6 7 8"


@pytest.mark.realdata
def test_all_equal_words_of_real_translations_are_matched(shared: Path) -> None:
    folder = shared / "data" / "wmt12"
    references = (folder / "newstest2012-ref.en").read_text().split("\n")[:-1]
    system = folder / "system-outputs" / "de-en" / "newstest2012.de-en.uedin-wmt12"
    hypotheses = system.read_text().split("\n")[:-1]
    columns = tokenise([hypotheses, references])
    matches = match(*columns)
    assert matches.proven.mean() > 0.99
    bags = [
        sum(min(h.count(w), r.count(w)) for w in set(h))
        for h, r in zip(list(columns[0]), list(columns[1]), strict=True)
    ]
    assert np.diff(matches.offsets).tolist() == bags
