"""Reordering in automatic alignments beside gold ones (Birch 2011, §4.3.1)."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wordorder.apps.profile import Corpus, GoldComparison, compare_with_gold, extract, rquantity
from wordorder.core.orders import Alignment, Alignments
from wordorder.core.runtime.errors import InputError
from wordorder.core.statistics import Resampling


def compare(gold: Corpus, *others: Corpus, side: str = "target", samples: int = 200) -> GoldComparison:
    return compare_with_gold(gold, *others, side=side, resampling=Resampling(samples))


@st.composite
def aligned_twice(draw: st.DrawFn) -> tuple[list[Alignment], list[Alignment]]:
    gold: list[Alignment] = []
    made: list[Alignment] = []
    for _ in range(draw(st.integers(1, 8))):
        source, target = draw(st.integers(1, 7)), draw(st.integers(0, 7))
        cells = st.tuples(st.integers(0, source - 1), st.integers(0, max(target - 1, 0)))
        for side in (gold, made):
            links = tuple(sorted(draw(st.sets(cells, max_size=8)))) if target else ()
            side.append(Alignment(links, source, target))
    return gold, made


@settings(max_examples=80)
@given(aligned_twice(), st.sampled_from(["source", "target"]))
def test_section_4_3_1_follows_its_definition(twice: tuple[list[Alignment], list[Alignment]], side: str) -> None:
    found = compare(Corpus("gold", twice[0]), Corpus("made", twice[1]), side=side, samples=0)
    (made,) = found.agreements
    columns = [Alignments.of(rows) for rows in twice]
    amounts = [rquantity(extract(column), column, side=side) for column in columns]
    reorderings = [
        {(row, reordering) for row, several in enumerate(extract(column)) for reordering in several}
        for column in columns
    ]
    defined = ~np.isnan(amounts[0])
    assert made.sentences == defined.sum()
    if defined.any():
        assert found.rquantity == pytest.approx(amounts[0][defined].mean())
        assert made.difference == pytest.approx((amounts[1] - amounts[0])[defined].mean())
    assert (found.reorderings, made.reorderings) == tuple(map(len, reorderings))
    assert made.found == len(reorderings[0] & reorderings[1])
    assert math.isnan(made.recall) if not reorderings[0] else made.recall == made.found / len(reorderings[0])
    assert math.isnan(made.p)


def test_alignments_that_are_the_gold_ones_agree() -> None:
    rows = [Alignment(((0, 1), (1, 0)), 2, 2), Alignment(((0, 0), (1, 1)), 2, 2)] * 5
    (same,) = compare(Corpus("gold", rows), Corpus("same", rows)).agreements
    assert (same.difference, same.low, same.high, same.p) == (0, 0, 0, 1)
    assert (same.r, same.precision, same.recall) == pytest.approx((1, 1, 1))


def test_only_alignments_of_the_same_sentences_are_compared() -> None:
    gold = Corpus("gold", [Alignment(((0, 0),), 1, 1), Alignment(((0, 1),), 2, 3)])
    with pytest.raises(InputError, match="found 1 and 2 sentence pairs in made and gold"):
        compare(gold, Corpus("made", [Alignment(((0, 0),), 1, 1)]))
    other = Corpus("made", [Alignment(((0, 0),), 1, 1), Alignment(((0, 1),), 2, 2)])
    with pytest.raises(InputError, match="sentence pair 2 has 2 and 2 words in made, but 2 and 3 words in gold"):
        compare(gold, other)


@pytest.mark.realdata
@pytest.mark.parametrize(("pair", "amounts"), [("enfr", (0.137, 0.315)), ("zhen", (0.854, 0.778))])
def test_table_4_2_on_real_gold_alignments(shared: Path, pair: str, amounts: tuple[float, float]) -> None:
    folder = shared / "data" / "gold-align"
    sides = [line.split(" ||| ") for line in (folder / f"{pair}.src-tgt").read_text("utf-8").splitlines()]
    texts: dict[str, Any] = {"source": [source for source, _ in sides], "target": [target for _, target in sides]}
    gold = Corpus("gold", folder / f"{pair}.gold", align_format="talp", sure=True, **texts)
    found = compare(gold, Corpus("neural", folder / f"{pair}.awesome-align.out", **texts))
    (neural,) = found.agreements
    assert (found.rquantity, neural.rquantity) == pytest.approx(amounts, abs=5e-4)
    assert neural.p < 0.01
