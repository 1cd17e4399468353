"""chrF and 1 − TER are sacreBLEU's scores, segment by segment and over a corpus."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER
from text_batches import corpus_score, segment_scores, text_batch

from wordorder.metrics import metric
from wordorder.runtime.errors import InputError

LINES = st.lists(st.sampled_from(["the", "The", "cat", "cats", "sat", "down.", "ö"]), max_size=7).map(" ".join)


def theirs(name: str) -> tuple[Any, float, float]:
    """Give sacreBLEU's metric and how its score becomes ours: offset and factor."""
    return (CHRF(), 0.0, 0.01) if name == "chrf" else (TER(), 1.0, -0.01)


@pytest.mark.parametrize("name", ["chrf", "1-ter"])
@settings(max_examples=40)
@given(data=st.data())
def test_scores_are_those_of_sacrebleu(name: str, data: st.DataObject) -> None:
    count = data.draw(st.integers(1, 4))
    column = st.lists(LINES, min_size=count, max_size=count)
    hypotheses = data.draw(column)
    references = data.draw(st.lists(column, min_size=1, max_size=3))
    scorer, offset, factor = theirs(name)
    batch = text_batch(hypotheses, *references)
    sentences = [
        scorer.sentence_score(hypothesis, [column[row] for column in references]).score
        for row, hypothesis in enumerate(hypotheses)
    ]
    assert segment_scores(name, batch) == [[pytest.approx(offset + factor * score)] for score in sentences]
    assert corpus_score(name, batch) == pytest.approx(
        offset + factor * scorer.corpus_score(hypotheses, references).score
    )


@pytest.mark.slow
def test_a_line_ter_would_not_come_back_from_is_refused() -> None:
    for lines in ((["a"], ["b " * 2001]), (["a", "b " * 2001], ["a", "b"])):
        with pytest.raises(InputError, match=r"1-ter: a line of 2001 words is too long \(at most 2000\)"):
            segment_scores("1-ter", text_batch(*lines))
    assert segment_scores("1-ter", text_batch(["b " * 2000], ["b " * 2000])) == [[1.0]]


def test_more_edits_than_words_go_below_zero_and_the_list_of_metrics_says_so() -> None:
    assert segment_scores("1-ter", text_batch(["a b c"], ["x"])) == [[-2.0]]
    assert metric("1-ter").direction == "at most 1, higher is better"
