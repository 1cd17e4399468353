"""Attachment scores against a literal count, and what cannot be compared."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_dependency import tree_heads

from wordorder.core.runtime.errors import InputError
from wordorder.core.trees import Attachment, DependencyTree, DependencyTrees, attachment

LABELS = ("nsubj", "nsubj:pass", "nsubj:outer", "obl", ":x", "", "obl:a:b")
TAGS = ("NOUN", "VERB", "nsubj")


@st.composite
def tree_pairs(draw: st.DrawFn) -> tuple[DependencyTree, DependencyTree]:
    """Two trees of one sentence: the same heads, or those of the mirrored sentence; other labels and tags."""
    heads = draw(st.just([]) | tree_heads())
    mirrored = [len(heads) - 1 - head if head >= 0 else head for head in reversed(heads)]

    def some(names: Sequence[str]) -> tuple[str, ...]:
        return tuple(draw(st.lists(st.sampled_from(names), min_size=len(heads), max_size=len(heads))))

    words = some("abc")
    other = draw(st.sampled_from([heads, mirrored]))
    return (
        DependencyTree(words, tuple(heads), some(LABELS), some(TAGS)),
        DependencyTree(words, tuple(other), some(LABELS), some(TAGS)),
    )


def count(parse: DependencyTree, gold: DependencyTree) -> list[int]:
    heads = labelled = universal = tags = 0
    for word in range(len(gold)):
        tags += parse.tags[word] == gold.tags[word]
        if parse.heads[word] == gold.heads[word]:
            heads += 1
            labelled += parse.labels[word] == gold.labels[word]
            universal += parse.labels[word].split(":")[0] == gold.labels[word].split(":")[0]
    return [len(gold), heads, labelled, universal, tags]


def columns(found: Attachment) -> list[list[int]]:
    parts = (found.words, found.heads, found.labelled, found.universal, found.tags)
    return [list(row) for row in zip(*(part.tolist() for part in parts), strict=True)]


@given(st.lists(tree_pairs(), max_size=5))
def test_counts_are_the_literal_ones(pairs: list[tuple[DependencyTree, DependencyTree]]) -> None:
    parses, gold = (DependencyTrees.of(pair[side] for pair in pairs) for side in (0, 1))
    found = attachment(parses, gold)
    assert columns(found) == [count(*pair) for pair in pairs]
    words = sum(len(tree) for _, tree in pairs)
    if words:
        assert found.uas == sum(row[1] for row in columns(found)) / words
    else:
        assert math.isnan(found.uas)


def test_a_worked_example() -> None:
    words = ("the", "cat", "was", "seen", ".")
    tags = ("DET", "NOUN", "AUX", "VERB", "PUNCT")
    gold = DependencyTree(words, (1, 3, 3, -1, 3), ("det", "nsubj:pass", "aux:pass", "root", "punct"), tags)
    parse = DependencyTree(
        words, (1, 3, 3, -1, 1), ("det", "nsubj", "cop", "root", "punct"), ("DET", "NOUN", "VERB", "VERB", "PUNCT")
    )
    found = attachment(parse.column(), gold.column())
    assert (found.uas, found.las, found.universal_las, found.pos) == (0.8, 0.4, 0.6, 0.8)
    whole = attachment(gold.column(), gold.column())
    assert (whole.uas, whole.las, whole.universal_las, whole.pos) == (1, 1, 1, 1)


def chain(*words: str) -> DependencyTree:
    return DependencyTree(words, tuple(range(-1, len(words) - 1)), ("x",) * len(words))


@pytest.mark.parametrize(
    ("parses", "message"),
    [
        ([chain("a", "b")], "the parse has 1 sentence; expected 2 as in the gold tree"),
        ([chain("a", "b"), chain("c")], "sentence 2: the parse has 1 words; expected 3 as in the gold tree"),
        (
            [chain("a", "b"), chain("c", "x", "e")],
            "sentence 2: word 2 of the parse is 'x'; expected 'd' as in the gold tree",
        ),
    ],
)
def test_other_sentences_are_refused(parses: list[DependencyTree], message: str) -> None:
    gold = DependencyTrees.of([chain("a", "b"), chain("c", "d", "e")])
    with pytest.raises(InputError) as caught:
        attachment(DependencyTrees.of(parses), gold)
    assert str(caught.value) == message
