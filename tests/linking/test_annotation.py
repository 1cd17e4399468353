"""Findings about alignments against a literal check, and how they are reported."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordorder.core.orders import Alignment, Alignments
from wordorder.core.runtime.errors import InputError, LengthError, UsageError
from wordorder.core.text import Tokens
from wordorder.core.trees import DependencyTree, DependencyTrees
from wordorder.formats import pud
from wordorder.linking.annotation import (
    KINDS,
    NON_CONTIGUOUS,
    PARTICLE_APART,
    UNALIGNED_SOURCE,
    UNALIGNED_TARGET,
    UNTRANSLATED,
    Breach,
    check_annotation,
)

FORMS = ("The", "a", "cat", ".", "``", "of", "$")
Pair = tuple[list[str], list[str], Alignment]


@st.composite
def pairs(draw: st.DrawFn) -> Pair:
    source, target = (draw(st.lists(st.sampled_from(FORMS), max_size=5)) for _ in range(2))
    links: list[tuple[int, int]] = []
    if source and target:
        link = st.tuples(st.integers(0, len(source) - 1), st.integers(0, len(target) - 1))
        links = draw(st.lists(link, max_size=8))
    return source, target, Alignment(tuple(links))


def check_slowly(rows: list[Pair]) -> list[Breach]:
    found = []
    for number, (source, target, alignment) in enumerate(rows, start=1):
        for place, word in enumerate(source):
            if word not in ("The", "a", ".", "``") and all(one != place for one, _ in alignment.links):
                found.append(Breach(number, UNALIGNED_SOURCE, place + 1, word))
        for place, word in enumerate(source):
            ends = sorted({two for one, two in alignment.links if one == place})
            if ends and ends != list(range(ends[0], ends[-1] + 1)):
                places = tuple(end + 1 for end in ends)
                found.append(
                    Breach(number, NON_CONTIGUOUS, place + 1, word, places, tuple(target[end] for end in ends))
                )
        for place, word in enumerate(target):
            if all(two != place for _, two in alignment.links):
                found.append(Breach(number, UNALIGNED_TARGET, place + 1, word))
    return found


@given(st.lists(pairs(), max_size=4))
def test_findings_are_the_literal_ones(rows: list[Pair]) -> None:
    alignments = Alignments.of(row[2] for row in rows)
    source, target = [row[0] for row in rows], [row[1] for row in rows]
    expected = check_slowly(rows)
    check = check_annotation(alignments, source, target)
    assert list(check.findings) == expected
    by_length = check_annotation(alignments, source, Tokens.of(target).lengths)
    assert [(each.sentence, each.kind, each.position, each.targets) for each in by_length.findings] == [
        (each.sentence, each.kind, each.position, each.targets) for each in expected
    ]
    without = check_annotation(alignments, source)
    assert without.unchecked == len(rows)
    assert [each.position for each in without.findings] == [
        each.position for each in expected if each.kind != UNALIGNED_TARGET
    ]
    table = check.table()
    assert [row[1].value for row in table.rows] == [
        *(sum(each.kind == kind for each in expected) for kind in KINDS if kind in check.kinds),
        len(expected),
    ]
    assert table.rows[-1][2].value == len({each.sentence for each in expected})


def test_what_may_be_unaligned() -> None:
    words = ["A", "dog", "'s", "--", "of", "$"]
    nothing = Alignment((), 6).column()

    def unaligned(**options: object) -> list[str | None]:
        return [each.word for each in check_annotation(nothing, [words], **options).findings]  # type: ignore[arg-type]

    assert unaligned() == ["dog", "'s", "of", "$"]
    assert unaligned(allowed_words=["OF", "Dog"]) == ["A", "'s", "$"]
    assert unaligned(allow_punctuation=False) == ["dog", "'s", "--", "of", "$"]
    tags = Tokens.of([["DET", "NOUN", "PART", "PUNCT", "ADP", "SYM"]])
    assert unaligned(allowed_tags=["PART", "SYM"], source_tags=tags) == ["dog", "of"]
    with pytest.raises(UsageError, match="only if the source has tags"):
        unaligned(allowed_tags=["PART"])
    with pytest.raises(InputError, match="the source and its part-of-speech tags differ in sentence length"):
        unaligned(allowed_tags=["PART"], source_tags=Tokens.of([["DET"]]))


def test_trees_know_their_tags() -> None:
    tree = DependencyTree(("of", "cats"), (1, -1), ("case", "root"), ("ADP", "NOUN")).column()
    check = check_annotation(Alignment((), 2).column(), tree, allowed_tags={"ADP"})
    assert [each.word for each in check.findings] == ["cats"]


@st.composite
def tagged_pairs(draw: st.DrawFn) -> tuple[DependencyTree, DependencyTree, Alignment]:
    trees = []
    for _ in range(2):
        size = draw(st.integers(1, 5))
        heads = tuple(draw(st.integers(-1, place - 1)) if place else -1 for place in range(size))
        heads = tuple(head if place == 0 else max(head, 0) for place, head in enumerate(heads))
        tags = tuple(draw(st.sampled_from(["NOUN", "PRON", "ADP"])) for _ in range(size))
        trees.append(DependencyTree(tuple(f"w{place}" for place in range(size)), heads, ("x",) * size, tags))
    links = st.tuples(st.integers(0, len(trees[0]) - 1), st.integers(0, len(trees[1]) - 1))
    return trees[0], trees[1], Alignment(tuple(draw(st.lists(links, max_size=6))))


@given(st.lists(tagged_pairs(), min_size=1, max_size=4))
def test_2011_section_3_1_pronouns_are_translated_and_particles_aligned_with_their_word(
    rows: list[tuple[DependencyTree, DependencyTree, Alignment]],
) -> None:
    alignments = Alignments.of(row[2] for row in rows)
    parsed = DependencyTrees.of([row[0] for row in rows]), DependencyTrees.of([row[1] for row in rows])
    check = check_annotation(alignments, *parsed, particle_tags=["ADP"])
    assert check.kinds == KINDS
    expected = []
    for number, (source, target, alignment) in enumerate(rows, start=1):
        for place, tag in enumerate(source.tags):
            if tag == "PRON" and all(one != place for one, _ in alignment.links):
                expected.append((number, UNTRANSLATED, place + 1))
        for place, tag in enumerate(target.tags):
            word = place
            while target.tags[word] == "ADP" and target.heads[word] != -1:
                word = target.heads[word]
            ends = [{one for one, two in alignment.links if two == each} for each in (place, word)]
            if tag == "ADP" and target.tags[word] != "ADP" and all(ends) and not ends[0] & ends[1]:
                expected.append((number, PARTICLE_APART, place + 1))
    found = [(each.sentence, each.kind, each.position) for each in check.findings]
    assert [each for each in found if each[1] in (UNTRANSLATED, PARTICLE_APART)] == expected
    # a pronoun is not found twice
    unaligned = [each for each in check.findings if each.kind == UNALIGNED_SOURCE]
    assert all(rows[each.sentence - 1][0].tags[each.position - 1] != "PRON" for each in unaligned)


def test_2011_section_3_1_is_about_personal_pronouns() -> None:
    words, tags = ("she", "knows", "who", "that", "is"), ("PRON", "VERB", "PRON", "PRON", "AUX")
    heads, labels = (1, -1, 4, 4, 1), ("x",) * 5
    fine = DependencyTree(words, heads, labels, tags, ("PRP", "VBZ", "WP", "DT", "VBZ")).column()
    links = Alignment(((1, 0), (4, 1)), 5).column()

    def found(source: DependencyTrees, **how: Any) -> list[str | None]:
        check = check_annotation(links, source, **how)
        return [each.word for each in check.findings if each.kind == UNTRANSLATED]

    assert found(fine) == ["she"]
    assert found(fine, pronoun_tags=["PRON"]) == ["she", "who", "that"]
    assert found(DependencyTree(words, heads, labels, tags).column()) == ["she", "who", "that"]  # nothing says more
    assert found(fine, pronoun_tags=()) == []


def test_2011_section_3_1_in_words() -> None:
    source = DependencyTree(("I", "saw", "cats"), (1, -1, 1), ("x",) * 3, ("PRON", "VERB", "NOUN")).column()
    target = DependencyTree(
        ("neko", "wo", "mita"), (2, 0, -1), ("obj", "case", "root"), ("NOUN", "ADP", "VERB")
    ).column()
    links = Alignment(((1, 1), (1, 2), (2, 0))).column()
    check = check_annotation(links, source, target, particle_tags=["ADP"])
    assert list(check.lines()) == [
        "sentence 1: I saw cats",
        "  source word 1 'I' is a pronoun and not translated",
        "  target word 2 'wo' is a particle and not aligned with its word 1 'neko'",
    ]
    assert not check_annotation(links, source, target, allowed_tags=["PRON"]).findings
    (dropped,) = check_annotation(links, source, target, pronoun_tags=()).findings
    assert dropped.kind == UNALIGNED_SOURCE
    with pytest.raises(UsageError, match="checking particles requires the target as dependency trees"):
        check_annotation(links, source, [["neko", "wo", "mita"]], particle_tags=["ADP"])


def test_reports_for_people() -> None:
    alignments = Alignments.of([Alignment(((0, 0), (0, 2), (1, 1))), Alignment(((0, 0),)), Alignment(((0, 0),))])
    source = [["gave", "it"], ["of"], ["x", "of"]]
    check = check_annotation(alignments, source, [["donna", "lo", "via"], ["di", "e", "e"], ["x"]])
    assert list(check.lines()) == [
        "sentence 1: gave it",
        "  source word 1 'gave' is aligned to the target words 1 'donna' and 3 'via'",
        "sentence 2: of",
        "  target word 2 'e' is unaligned",
        "  target word 3 'e' is unaligned",
        "sentence 3: x of",
        "  source word 2 'of' is unaligned",
    ]
    rows = [[cell.value for cell in row] for row in check.table().rows]
    assert rows == [
        ["unaligned source word", 1, 1, 1 / 3, "of 1"],
        ["non-contiguous alignment", 1, 1, 1 / 3, "gave 1"],
        ["unaligned target word", 2, 1, 1 / 3, "e 2"],
        ["any", 4, 3, 1.0, ""],
    ]
    assert str(check_annotation(alignments, source, np.array([3, 3, 1])).findings[0]) == (
        "source word 1 'gave' is aligned to the target words 1 and 3"
    )


def test_a_table_says_what_was_allowed() -> None:
    pair, tags = Alignment((), 1).column(), Tokens.of([["X"]])
    notes = check_annotation(pair, [["cat"]], allowed_tags={"X"}, source_tags=tags).table().notes
    assert notes[1] == "source words that may be unaligned: a, an, the, punctuation, pos=X"
    notes = check_annotation(pair, [["cat"]], allowed_words=(), allow_punctuation=False).table().notes
    assert notes[1] == "source words that may be unaligned: none"


def test_targets_of_unknown_length_are_said_to_be_unchecked() -> None:
    unknown = check_annotation(Alignment(((0, 0),)).column(), [["cat"]]).table()
    assert [cell.value for cell in unknown.rows[2]] == ["unaligned target word", None, None, None, ""]
    assert unknown.notes[-1] == "target words of 1 sentence are not checked: their lengths are not known"
    mixed = Alignments.of([Alignment(((0, 5),)), Alignment(((0, 0),), 1, 2)])
    check = check_annotation(mixed, [["cat"], ["dog"]])
    assert check.unchecked == 1
    assert check.findings == (Breach(2, UNALIGNED_TARGET, 2, None),)


def test_sentences_must_fit() -> None:
    pair = Alignment(((0, 0), (2, 1))).column()
    with pytest.raises(LengthError, match="link 2-1 is out of range: the source sentence has 2 words"):
        check_annotation(pair, [["a", "b"]])
    with pytest.raises(InputError, match="2 source lengths for 1 alignment"):
        check_annotation(pair, [["a", "b"], []])
    with pytest.raises(LengthError, match="the target sentence has 1 words"):
        check_annotation(pair, [["a", "b", "c"]], [["x"]])


@pytest.mark.realdata
def test_content_words_of_a_treebank_are_mostly_aligned(shared: Path) -> None:
    treebank = pud.read(shared / "data" / "pud-aligned" / "en-jp")
    check = check_annotation(treebank.alignments, treebank.source, treebank.target)
    table = check.table()
    assert check.sentences == 999
    assert check.unchecked == 0
    content = check_annotation(
        treebank.alignments,
        treebank.source,
        treebank.target,
        source_tags=treebank.source_tags,
        allowed_tags={"ADP", "AUX", "DET", "PRON", "SCONJ", "CCONJ", "PART", "PUNCT"},
    )
    assert content.table().rows[0][1].value < 0.5 * table.rows[0][1].value  # type: ignore[operator]
