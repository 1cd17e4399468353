"""Planted errors: what is planted, and that it is recovered."""

from __future__ import annotations

import random
from typing import Any

import pytest

from wordorder.apps.patterns.measuring import Sentence, adverbs_swapped, measure, negation_early
from wordorder.core.runtime.errors import UsageError
from wordorder.report import table_records

KINDS = {
    "PRON": ("we", "they", "you", "i"),
    "ADV": ("often", "never", "soon", "again"),
    "VERB": ("see", "like", "buy", "want"),
    "DET": ("the", "this", "every", "a"),
    "NOUN": ("bread", "milk", "tea", "soup", "rice"),
    "PART": ("not",),
    "PUNCT": (".",),
}
PLANS = (
    ("PRON", "ADV", "VERB", "DET", "NOUN", "PUNCT"),
    ("PRON", "VERB", "DET", "NOUN", "ADV", "PUNCT"),
    ("DET", "NOUN", "ADV", "PART", "VERB", "DET", "NOUN", "PUNCT"),
)


def corpus(count: int) -> tuple[list[str], list[list[str]]]:
    chance = random.Random(3)
    plans = [chance.choice(PLANS) for _ in range(count)]
    return [" ".join(chance.choice(KINDS[kind]) for kind in plan) for plan in plans], [[*plan] for plan in plans]


def shown(sentence: Sentence) -> str:
    return " ".join(word for word, _ in sentence)


def test_what_is_planted() -> None:
    sentence: Sentence = [("we", "PRON"), ("now", "ADV"), ("really", "ADV"), ("do", "VERB"), ("not", "PART")]
    assert shown(adverbs_swapped(sentence)) == "we do now really not"
    assert shown(negation_early(sentence)) == "we not now really do"
    assert negation_early(sentence[:4]) == sentence[:4]


def test_errors_planted_in_references_are_recovered_and_nothing_else_is() -> None:
    lines, tags = corpus(600)
    found = measure(lines, tags=tags, runs=3, segments=500)
    rows: list[Any] = table_records(found)
    large = [row for row in rows[:-1] if row["share"] >= 0.1]
    assert [row["first"] for row in large] == [1.0] * 6
    assert [row["sentences"] for row in large][:2] == [50.0, 150.0]
    assert rows[-1]["found"] == 0.0
    assert measure(lines, tags=tags, runs=3, segments=500) == found


def test_errors_planted_in_a_translation_are_the_first_difference() -> None:
    lines, tags = corpus(500)
    turned = [" ".join([*line.split()[1:-1], line.split()[0], "."]) for line in lines]
    made = [turned[row] if row % 9 == 0 else line for row, line in enumerate(lines)]
    rows: list[Any] = table_records(measure(lines, made, tags=tags, runs=2, segments=400))
    assert [row["first"] for row in rows[:-1] if row["share"] >= 0.1] == [1.0] * 6


def test_classes_are_required() -> None:
    with pytest.raises(UsageError, match="expected words of class VERB, to plant errors in; give tags"):
        measure(["a b c"], tags=[["X", "Y", "Z"]])
    with pytest.raises(UsageError, match="leave out source"):
        measure(["a b c"], source=["a b c"])
