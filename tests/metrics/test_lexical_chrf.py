"""chrF is sacreBLEU's, segment by segment and over a corpus."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics.chrf import CHRF
from text_batches import rows_of, segment_scores, text_batch

import wordorder
from wordorder.metrics import metric

LINES = st.lists(
    st.sampled_from(["the", "The", "cat", "cats", "sat", "down.", "ö", "𝔘\u00a0𐍈", "\u3000"]), max_size=7
).map(" ".join)


@pytest.mark.filterwarnings("ignore::wordorder.core.runtime.errors.InputWarning")
@settings(max_examples=40)
@given(data=st.data())
def test_counts_and_scores_are_those_of_sacrebleu(data: st.DataObject) -> None:
    count = data.draw(st.integers(1, 4))
    column = st.lists(LINES, min_size=count, max_size=count)
    hypotheses = data.draw(column)
    references = data.draw(st.lists(column, min_size=1, max_size=3))
    batch = text_batch(hypotheses, *references)
    for place, lines in enumerate(references):
        counted = CHRF()._extract_corpus_statistics(hypotheses, [lines])
        assert rows_of("chrf", batch)[:, place].tolist() == counted
    for row, scores in enumerate(segment_scores("chrf", batch)):
        expected = CHRF().sentence_score(hypotheses[row], [lines[row] for lines in references]).score
        assert max(scores) == pytest.approx(expected / 100)
    corpus = wordorder.score(hypotheses, references, metrics="chrf", samples=0).values[0, 0]
    assert corpus == pytest.approx(CHRF().corpus_score(hypotheses, references).score / 100)


@given(data=st.data())
def test_many_sums_are_scored_at_once(data: st.DataObject) -> None:
    names = metric("chrf").columns
    counts = st.lists(st.integers(0, 5), min_size=6, max_size=6)
    samples = []
    for _ in range(4):
        hypothesis, reference = data.draw(counts), data.draw(counts)
        samples.append([x for h, r in zip(hypothesis, reference, strict=True) for x in (h, r, min(h, r) // 2)])
    sums = np.array(samples, dtype=float).reshape(2, 2, len(names))
    expected = [CHRF()._compute_score_from_stats(row).score / 100 for row in samples]
    found = metric("chrf").corpus(sums)
    assert found.shape == (2, 2)
    np.testing.assert_allclose(found.ravel(), expected, rtol=0, atol=1e-12)


def test_statistics_are_counts_of_each_order() -> None:
    names = metric("chrf").columns
    found = dict(zip(names, rows_of("chrf", text_batch(["ab c"], ["abd"]))[0, 0].tolist(), strict=True))
    assert [found[f"{side}2"] for side in ("hypothesis", "reference", "matched")] == [2.0, 2.0, 1.0]
    assert (found["hypothesis6"], found["reference3"]) == (0.0, 1.0)
