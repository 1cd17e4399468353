"""Batches of text for the tests of this room, and sentences made up by hypothesis."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from text_twins import Words
from wordorder.core.text import lines_of, tokenise
from wordorder.linking.matching import Matching
from wordorder.metrics import Batch, Text, metric

Segment = tuple[Words, list[Words]]


def text_batch(
    hypotheses: Sequence[str],
    *references: Sequence[str],
    stages: tuple[str, ...] = ("exact",),
    weights: NDArray[np.float64] | None = None,
) -> Batch:
    """Words are what blanks separate."""
    lines = [lines_of(column) for column in (hypotheses, *references)]
    tokens = tokenise(lines, tokenizer="none")
    match = Matching(stages).over(tokens[0].vocabulary)
    text = Text(tokens[0], tuple(tokens[1:]), lines[0], tuple(lines[1:]), match, stages != ("exact",))
    return Batch(text=text, weights=weights)


def batch_of(segments: Sequence[Segment], *, by_length: bool = False) -> Batch:
    """Make a batch of segments with the same number of references each."""
    hypotheses = [" ".join(hypothesis) for hypothesis, _ in segments]
    references = [[" ".join(text) for text in column] for column in zip(*(r for _, r in segments), strict=True)]
    lengths = [[float(len(reference)) for reference in gold] for _, gold in segments]
    return text_batch(hypotheses, *references, weights=np.array(lengths) if by_length else None)


def rows_of(spec: str, batch: Batch) -> NDArray[np.float64]:
    return metric(spec).statistics(batch)


def segment_scores(spec: str, batch: Batch) -> list[list[float]]:
    """Score each segment under each reference."""
    found: list[list[float]] = metric(spec).segment(rows_of(spec, batch)).tolist()
    return found


def corpus_score(spec: str, batch: Batch) -> float:
    """Score a batch with one reference as a corpus."""
    rows = rows_of(spec, batch)
    assert rows.shape[1] == 1
    return float(metric(spec).corpus(rows[:, 0].sum(axis=0)))


def segments(
    words: st.SearchStrategy[Words], *, references: tuple[int, int] = (1, 3), most: int = 6
) -> st.SearchStrategy[list[Segment]]:
    """Make up some segments, all with the same number of references."""
    return st.integers(*references).flatmap(
        lambda count: st.lists(
            st.tuples(words, st.lists(words, min_size=count, max_size=count)), min_size=1, max_size=most
        )
    )


REPEATING = st.lists(st.sampled_from("abc"), max_size=9).map(tuple)
"""Sentences over three words: n-grams come again and again."""

DISTINCT = st.lists(st.sampled_from("abcdefg"), unique=True, max_size=7).map(tuple)
"""Sentences in which no word comes twice: matching is unambiguous."""
