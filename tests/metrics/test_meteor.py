"""METEOR: the formula against a literal twin, stage weights by hand."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from text_batches import DISTINCT, Segment, batch_of, corpus_score, segment_scores, segments, text_batch

from text_twins import Words, chunks, common_words, meteor
from wordorder import score
from wordorder.core.runtime.cache import Cache
from wordorder.core.runtime.errors import InputError, UsageError
from wordorder.metrics import metric
from wordorder.scoring.cache import cached_scores
from wordorder.scoring.inputs import MatchedTexts

PARAMETERS = {"thesis": (0.8, 0.4, 2.5), "2007": (0.81, 0.28, 0.83), "1.5-rank": (0.85, 0.6, 0.2)}


@given(found=segments(DISTINCT))
def test_segments_follow_the_formula(found: list[Segment]) -> None:
    batch = batch_of(found)
    for name, (alpha, gamma, theta) in PARAMETERS.items():
        expected = []
        for hypothesis, references in found:
            scores = [meteor(hypothesis, text, alpha=alpha, gamma=gamma, theta=theta) for text in references]
            expected.append([math.nan if score is None else score for score in scores])
        ours = segment_scores(f"meteor:parameters={name}", batch)
        assert ours == [pytest.approx(row, nan_ok=True) for row in expected], name


@given(found=segments(DISTINCT, references=(1, 1)))
def test_a_corpus_applies_the_formula_to_sums(found: list[Segment]) -> None:
    matched = sum(common_words(h, r) for h, (r,) in found)
    pieces = sum(chunks(h, r) for h, (r,) in found)
    h, r = sum(len(h) for h, _ in found), sum(len(r) for _, (r,) in found)
    if not matched:
        expected = 0.0 if h + r else math.nan
    else:
        p, q = matched / h, matched / r
        whole = pieces == 1 and matched == h == r
        expected = p * q / (0.8 * p + 0.2 * q) * (1 - 0.4 * (0 if whole else pieces / matched) ** 2.5)
    ours = corpus_score("meteor:parameters=thesis", batch_of(found))
    assert ours == pytest.approx(expected, nan_ok=True)


def test_a_stem_counts_less_in_the_ranking_parameters() -> None:
    """``cat`` is exact (1), ``sleeps`` matches by its stem (0.6), ``now`` not at all; one chunk of two."""
    batch = text_batch(["cat sleeps"], ["cat sleeping now"], stages=("exact", "stem"))
    p, r = 1.6 / 2, 1.6 / 3
    f_mean = p * r / (0.85 * p + 0.15 * r)
    assert segment_scores("meteor", batch) == [[pytest.approx(f_mean * (1 - 0.6 * (1 / 2) ** 0.2))]]
    p, r = 2 / 2, 2 / 3
    f_mean = p * r / (0.8 * p + 0.2 * r)
    assert segment_scores("meteor:parameters=thesis", batch) == [[pytest.approx(f_mean * (1 - 0.4 * (1 / 2) ** 2.5))]]


def test_the_weights_of_stages_hold_while_matching() -> None:
    """``walks`` may match ``walk`` in place or itself one word further on, which weighs more in METEOR 1.5 only."""
    batch = text_batch(["walks"], ["walk walks"], stages=("exact", "stem"))
    places = [[int(m.reference[0]) for m in batch.matches_weighted(w)] for w in (None, (1.0, 0.6, 0.8, 0.6))]
    assert places == [[0], [1]]
    p, r = 1.0, 1 / 2
    assert segment_scores("meteor", batch) == [[pytest.approx(p * r / (0.85 * p + 0.15 * r) * (1 - 0.6))]]
    alone = text_batch(["walks"], ["walk walks"], stages=("stem",))  # equal words match without being asked for
    assert segment_scores("meteor", alone) == segment_scores("meteor", batch)
    assert [column[0].stage.tolist() for column in (batch.matches, batch.matches_weighted((1.0, 0.6, 0.8, 0.6)))] == [
        [1],
        [0],
    ]


FIGURE_6_2 = [
    ("Fengzhu Xu has won many championships before in international competitions .", 0.8969),
    ("Fengzhu Xu many has won championships before in international competitions .", 0.8167),
    ("Fengzhu Xu in international competitions before has won many championships .", 0.8969),
    ("Fengzhu Xu before in international competitions many has won championships .", 0.8167),
]


@pytest.mark.parametrize(("hypothesis", "expected"), FIGURE_6_2)
def test_thesis_6_3_figure_6_2_leaves_out_the_full_stop(hypothesis: str, expected: float) -> None:
    """The thesis cuts digits off instead of rounding: 81.676 is printed as 81.67."""
    reference = "Fengzhu Xu has won many championships in international competitions before ."
    found = metric("meteor:parameters=2007:no_punct=true")(hypothesis, reference)
    assert math.floor(found * 10_000) / 10_000 == expected
    assert metric("meteor:parameters=2007")(hypothesis, reference) != pytest.approx(expected, abs=1e-3)


TABLE_5_2 = [
    ("1 2 3 4 6 5 7 8 9 10", 0.8691),
    ("6 7 8 9 10 1 2 3 4 5", 0.9263),
    ("2 3 4 5 6 7 8 9 10 1", 0.9263),
    ("2 1 4 3 6 5 8 7 10 9", 0.7200),
]


@pytest.mark.parametrize(("order", "expected"), TABLE_5_2)
def test_thesis_5_4_table_5_2(order: str, expected: float) -> None:
    """A full stop at the end, which the sentences had, makes no difference once it is left out."""
    found = metric("meteor:parameters=2007:no_punct=true")(f"{order} .", "1 2 3 4 5 6 7 8 9 10 .")
    assert math.floor(found * 10_000 + 1e-6) / 10_000 == expected


MIXED = st.lists(st.sampled_from(["a", "b", "c", "of", "the", ",", "``", "."]), unique=True, max_size=8).map(tuple)


@settings(max_examples=60)
@given(found=segments(MIXED), no_punct=st.booleans())
def test_function_words_and_punctuation_follow_the_definition(
    tmp_path_factory: pytest.TempPathFactory, found: list[Segment], no_punct: bool
) -> None:
    words = tmp_path_factory.getbasetemp() / "function.words"
    words.write_text("of\nThe\n\n,\n", encoding="utf-8")

    def left(sentence: Words) -> Words:
        return tuple(word for word in sentence if not no_punct or word not in (",", "``", "."))

    alpha, gamma, theta = PARAMETERS["1.5-rank"]
    listed = frozenset({"of", "the", ","})
    expected = []
    for hypothesis, references in found:
        scores = [
            meteor(left(hypothesis), left(r), alpha=alpha, gamma=gamma, theta=theta, delta=0.75, function_words=listed)
            for r in references
        ]
        expected.append([math.nan if each is None else each for each in scores])
    spec = f"meteor:no_punct={str(no_punct).lower()}:function_words={words}"
    assert segment_scores(spec, batch_of(found)) == [pytest.approx(row, nan_ok=True) for row in expected]


def test_denkowski_and_lavie_2014_function_words_count_a_third(tmp_path: Path) -> None:
    """Content words weigh .75, function words .25; a stem weighs .6 of that: ``the`` .25, ``sleeps`` .6 · .75."""
    words = tmp_path / "function.words"
    words.write_text("the\n", encoding="utf-8")
    batch = text_batch(["The the sleeps"], ["the sleeping cat"], stages=("exact", "stem"))
    matched = 0.25 + 0.6 * 0.75
    p, r = matched / (0.25 + 0.25 + 0.75), matched / (0.25 + 0.75 + 0.75)
    expected = p * r / (0.85 * p + 0.15 * r) * (1 - 0.6 * (1 / 2) ** 0.2)
    assert segment_scores(f"meteor:function_words={words}", batch) == [[pytest.approx(expected)]]
    scores = score(["the cat"], ["the cat"], metrics=f"meteor:function_words={words}", samples=0)
    assert scores.signature["function_words"] == [1]


def test_a_list_of_function_words_that_cannot_be_used_is_refused(tmp_path: Path) -> None:
    words = tmp_path / "function.words"
    with pytest.raises(UsageError, match="no such file"):
        metric(f"meteor:function_words={words}")
    words.write_text("the\nof the\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"function\.words:2: expected one word per line, found 'of the'"):
        metric(f"meteor:function_words={words}")
    words.write_text("\n", encoding="utf-8")
    with pytest.raises(InputError, match="the word list is empty"):
        metric(f"meteor:function_words={words}")
    words.write_text("the\n", encoding="utf-8")
    with pytest.raises(UsageError, match=r"function_words requires parameters=1\.5-rank, not thesis"):
        metric(f"meteor:parameters=thesis:function_words={words}")


@pytest.mark.parametrize("spec", ["meteor:", "full:lexical=meteor:lexical."])
def test_scores_kept_on_disk_notice_another_list(tmp_path: Path, spec: str) -> None:
    words = tmp_path / "function.words"
    texts = MatchedTexts(["the cat"], ["a cat"])
    found = []
    for listed in ("the\n", "cat\n", "the\n"):
        words.write_text(listed, encoding="utf-8")
        asked = f"{spec}function_words={words}"
        found.append(cached_scores(texts, metrics=asked, cache=Cache(tmp_path / "cache")).values[0, 0])
    assert found[0] == found[2] > found[1]


def test_words_against_nothing_score_zero_and_nothing_against_nothing_is_undefined() -> None:
    scores = segment_scores("meteor", text_batch(["a b", "", ""], ["", "a", ""]))
    assert scores[:2] == [[0.0], [0.0]]
    assert math.isnan(scores[2][0])
