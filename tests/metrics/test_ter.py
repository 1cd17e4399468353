"""TER is sacreBLEU's, edit by edit and with every option; its shifts are those of a literal twin."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sacrebleu.metrics.ter import TER
from ter_twin import Words, steps, ter
from text_batches import rows_of, segment_scores, text_batch

import wordorder
import wordorder.metrics.ter as ter_module
from inner_kernels import from_python
from wordorder.metrics import metric
from wordorder.metrics.ter import Edits, OneMinusTer, ter_edits

OPTIONS = ("normalized", "no_punct", "asian_support", "case_sensitive")

WORDS = ["the", "The", "cat", "cat's", "it's.", "3.5", "5-year", "(no)", "&amp;quot;", "Straße", "„ja“", "ΣΑΣ"]
WORDS += ["我们", "。", "，2", "ひらカナ", "カナ", "、x", "a\u3000b", "\u00a0", "..", "1,", "'s"]
LINES = st.lists(st.sampled_from(WORDS), max_size=9).flatmap(
    lambda words: st.sampled_from(["".join(words), " ".join(words), " ".join(words) + " \t"])
)
FEW = st.lists(st.sampled_from("abcd"), max_size=14).map(tuple)
"""Sentences over four words: full of blocks that can be shifted."""


def spec_of(options: Sequence[bool]) -> str:
    return ":".join(["1-ter", *(f"{name}=true" for name, given in zip(OPTIONS, options, strict=True) if given)])


def their_statistics(
    options: Sequence[bool], hypotheses: Sequence[str], references: Sequence[Sequence[str]]
) -> list[list[float]]:
    named: dict[str, Any] = dict(zip(OPTIONS, options, strict=True))
    scorer = TER(**named)
    found: list[list[float]] = scorer._extract_corpus_statistics(hypotheses, references)
    return found


@pytest.mark.parametrize("options", list(product((False, True), repeat=4)), ids=spec_of)
@settings(max_examples=30)
@given(data=st.data())
def test_statistics_are_those_of_sacrebleu(options: tuple[bool, ...], data: st.DataObject) -> None:
    count = data.draw(st.integers(1, 4))
    column = st.lists(LINES, min_size=count, max_size=count)
    hypotheses = data.draw(column)
    references = data.draw(st.lists(column, min_size=1, max_size=3))
    rows = rows_of(spec_of(options), text_batch(hypotheses, *references))
    assert rows[:, 0].tolist() == their_statistics(options, hypotheses, references)
    assert rows.shape == (count, 1, 2)


def test_references_are_tokenised_twice() -> None:
    rows = rows_of("1-ter:normalized=true", text_batch(["it's."], ["it's."]))
    assert rows.tolist() == [[[2.0, 3.0]]]
    assert rows[:, 0].tolist() == their_statistics((True, False, False, False), ["it's."], [["it's."]])


@settings(max_examples=300)
@given(hypothesis=FEW, reference=FEW)
@example(hypothesis=("a", "b", "c"), reference=("b", "c", "a"))
@example(hypothesis=(), reference=("a",))
@example(hypothesis=("a",), reference=())
def test_edits_are_those_of_the_twin(hypothesis: Words, reference: Words) -> None:
    check_edits(hypothesis, reference)


def check_edits(hypothesis: Words, reference: Words) -> Edits:
    found = ter_edits(" ".join(hypothesis), " ".join(reference))
    total, shifts, cells = ter(hypothesis, reference)
    assert (found.hypothesis, found.reference, found.total) == (hypothesis, reference, total)
    assert found.pairs == tuple(steps(cells))
    assert [shift.words for shift in found.shifts] == [words for words, _ in shifts]
    before = hypothesis
    for shift, (_, after) in zip(found.shifts, shifts, strict=True):
        size = len(shift.words)
        assert before[shift.start : shift.start + size] == after[shift.to : shift.to + size] == shift.words
        rest = after[: shift.to] + after[shift.to + size :]
        assert rest == before[: shift.start] + before[shift.start + size :]
        before = after
    assert found.shifted == before
    assert metric("1-ter").statistics(text_batch([" ".join(hypothesis)], [" ".join(reference)]))[0, 0, 0] == total
    return found


def moved_sentences(length: int, kinds: int, blocks: int, seed: int) -> tuple[Words, Words]:
    """A reference of some kinds of words, and a hypothesis with blocks of it moved and words exchanged."""
    rng = np.random.default_rng(seed)
    reference = rng.integers(0, kinds, length)
    hypothesis = reference.copy()
    for _ in range(blocks):
        start, size, to = (int(rng.integers(0, high)) for high in (length, 14, length))
        block = hypothesis[start : start + size]
        hypothesis = np.insert(np.delete(hypothesis, slice(start, start + size)), min(to, length - len(block)), block)
    changed = rng.random(length) < 0.2
    hypothesis[changed] = rng.integers(0, kinds, int(changed.sum()))
    return tuple(map(str, hypothesis)), tuple(map(str, reference))


NAMED = tuple(f"w{place}" for place in range(90))


def put(words: Words, start: int, size: int, to: int) -> Words:
    """Move a block of words."""
    rest = words[:start] + words[start + size :]
    return rest[:to] + words[start : start + size] + rest[to:]


AT_THE_LIMITS = [
    *((NAMED[away:] + NAMED[:away], NAMED) for away in (23, 24, 25, 26)),  # the beam
    *((put(NAMED[:40], 3, size, 20), NAMED[:40]) for size in (9, 10, 11)),  # words of a shift
    *((put(NAMED, away, 1, 0), NAMED) for away in (49, 50, 51)),  # distance of a shift
    *((put(NAMED, 0, 1, away), NAMED) for away in (49, 50, 51)),
    *(moved_sentences(length, 6, 6, seed) for length, seed in ((42, 210), (42, 39), (48, 309))),  # shifts tried
    (("a",), (*NAMED, "a")),  # a wider band: the reference is over 50 times as long
    (("a", "b", "c"), ("x",) * 200 + ("c", "a", "b")),
    (NAMED, ("w89", "w0")),
]


@pytest.mark.slow
@pytest.mark.parametrize(("hypothesis", "reference"), AT_THE_LIMITS)
def test_limits_are_those_of_sacrebleu(hypothesis: Words, reference: Words) -> None:
    check_edits(hypothesis, reference)
    line, gold = " ".join(hypothesis), " ".join(reference)
    found = rows_of("1-ter", text_batch([line], [gold]))
    assert found[:, 0].tolist() == their_statistics((False,) * 4, [line], [[gold]])


@pytest.mark.slow
@pytest.mark.parametrize("kinds", [3, 40, 400])
def test_long_lines_have_as_many_edits_as_in_sacrebleu(kinds: int) -> None:
    pairs = [moved_sentences(length, kinds, 6, seed=length) for length in (60, 100)]
    lines, gold = ([" ".join(words) for words in side] for side in zip(*pairs, strict=True))
    assert rows_of("1-ter", text_batch(lines, gold))[:, 0].tolist() == their_statistics((False,) * 4, lines, [gold])


@pytest.mark.slow
@pytest.mark.realdata
@pytest.mark.parametrize("system", ["cs-en.cu-bojar", "de-en.onlineA", "en-de.uk-dan-moses"])
@pytest.mark.parametrize(
    "options", [(False, False, False, False), (True, False, False, True), (False, True, False, False)]
)
def test_real_lines_have_as_many_edits_as_in_sacrebleu(system: str, options: tuple[bool, ...], shared: Path) -> None:
    pair = system.partition(".")[0]
    wmt12 = shared / "data" / "wmt12"
    files = wmt12 / "system-outputs" / pair / f"newstest2012.{system}", wmt12 / f"newstest2012-ref.{pair[-2:]}"
    lines, gold = (path.read_text(encoding="utf-8").split("\n")[::60] for path in files)
    assert len(lines) == 51
    found = rows_of(spec_of(options), text_batch(lines, gold))
    assert found[:, 0].tolist() == their_statistics(options, lines, [gold])


def test_the_longest_lines_have_edits() -> None:
    words = [f"w{place}" for place in range(65_536)]
    found = rows_of("1-ter", text_batch([" ".join(words[1:] + words[:1])], [" ".join(words)]))
    assert found.tolist() == [[[2.0, 65_536.0]]]  # one is deleted and inserted: no shift is that far


def test_costs_from_the_start_and_to_the_end_add_up_in_every_row() -> None:
    """The best path follows the left edge of the band: the words match where the two lines differ by its width."""
    hypothesis = np.concatenate([np.full(ter_module.BEAM, 1), np.arange(10, 70)]).astype(np.int32)
    reference = np.concatenate([np.arange(10, 70), np.full(ter_module.BEAM, 2)]).astype(np.int32)
    n, m = len(hypothesis), len(reference)
    matrix = from_python(ter_module._make_matrix)(hypothesis, reference)
    costs, back = np.full((2, matrix.begin[n + 1]), 10_000, dtype=np.int32)
    costs[: m + 1], back[-m - 1 :] = np.arange(m + 1), np.arange(m, -1, -1)
    from_python(ter_module._fill)(matrix, costs, 1, n, 0, 0, 0)
    from_python(ter_module._fill_back)(matrix, back, n - 1)
    rows = [slice(matrix.begin[row], matrix.begin[row + 1]) for row in range(1, n + 1)]
    assert {int((costs[row] + back[row]).min()) for row in rows} == {2 * ter_module.BEAM}


def test_edits_for_people() -> None:
    found = ter_edits("sat the Cat on today", "the black cat sat in")
    assert str(found).splitlines() == [
        "edits       4 for 5 reference words: 1 shift, 1 insertion, 1 deletion, 1 substitution",
        "shift       sat: from position 1 to 3",
        "insert      black",
        "delete      on",
        "substitute  today → in",
    ]
    assert str(ter_edits("a", "a")) == "edits       0 for 1 reference word"
    plain = found.to_dict()
    assert plain["shifts"] == [{"words": ["sat"], "start": 0, "to": 2}]
    assert plain["pairs"] == [[0, 0], [None, 1], [1, 2], [2, 3], [3, None], [4, 4]]
    assert (plain["insertions"], plain["deletions"], plain["substitutions"]) == (1, 1, 1)


def test_edits_take_the_options_of_the_metric() -> None:
    assert ter_edits("The cat.", "the cat .").total == 2
    assert ter_edits("The cat.", "the cat .", normalized=True).total == 0
    assert ter_edits("The cat.", "the cat .", normalized=True, case_sensitive=True).total == 1
    assert ter_edits("the cat", "the, cat!", no_punct=True).reference == ("the", "cat")
    assert ter_edits("我。", "我 。", normalized=True, asian_support=True).total == 0
    assert OneMinusTer(normalized=True).edits("a.", "a").hypothesis == ("a", ".")
    assert ter_edits is ter_edits


def test_options_are_part_of_the_spec() -> None:
    assert str(metric("1-ter:no_punct=false:normalized=true")) == "1-ter:normalized=true"
    assert str(metric("1-ter", case_sensitive=True)) == "1-ter:case_sensitive=true"
    with pytest.raises(wordorder.UsageError, match="normalized must be true or false, not 'yes'"):
        metric("1-ter:normalized=yes")


@given(rows=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 8)), min_size=1, max_size=6))
def test_a_score_is_what_sacrebleu_makes_of_sums(rows: list[tuple[int, int]]) -> None:
    sums = np.array(rows, dtype=float)
    expected = [1 - TER()._compute_score_from_stats(list(row)).score / 100 for row in rows]
    for shape in ((-1, 2), (1, -1, 2)):
        found = metric("1-ter").corpus(sums.reshape(shape))
        assert found.shape == sums.reshape(shape).shape[:-1]
        np.testing.assert_allclose(found.ravel(), expected, rtol=0, atol=1e-12)


def test_more_edits_than_words_go_below_zero_and_the_list_of_metrics_says_so() -> None:
    assert segment_scores("1-ter", text_batch(["a b c"], ["x"])) == [[-2.0]]
    assert metric("1-ter").direction == "at most 1, higher is better"


def test_without_reference_words_a_hypothesis_is_right_or_wrong() -> None:
    assert segment_scores("1-ter", text_batch(["a b", ""], ["", ""])) == [[0.0], [1.0]]
