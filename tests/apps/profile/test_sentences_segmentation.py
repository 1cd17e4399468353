"""Alignments of characters brought to words (Birch 2011, §3.3.1)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wordorder.apps.profile import Corpus, Unaligned, profile
from wordorder.apps.profile.sentences import Segmentation, link_words
from wordorder.core.orders import Alignment, Alignments, Phrases
from wordorder.core.runtime.errors import InputError, UsageError
from wordorder.core.text import Tokens


def cut(text: str, places: set[int]) -> list[str]:
    ends = sorted({place for place in places if 0 < place < len(text)} | {len(text)})
    return [text[start:end] for start, end in zip([0, *ends], ends, strict=False) if start < end]


@st.composite
def sentences(draw: st.DrawFn) -> tuple[list[str], list[str], set[tuple[int, int]]]:
    text = draw(st.text("ab天地𠀀", max_size=8))
    words, units = (cut(text, draw(st.sets(st.integers(1, 8)))) for _ in range(2))
    cells = st.tuples(st.integers(0, max(len(units) - 1, 0)), st.integers(0, 3))
    return words, units, draw(st.sets(cells, max_size=6)) if units else set()


def slow(words: list[str], units: list[str], links: set[tuple[int, int]]) -> set[tuple[int, int]]:
    """A word has the links of every unit with which it shares a character."""
    owners = [[number for number, piece in enumerate(pieces) for _ in piece] for pieces in (words, units)]
    return {(w, target) for unit, target in links for w, u in zip(*owners, strict=True) if u == unit}


@settings(max_examples=150)
@given(st.lists(sentences(), max_size=5), st.booleans(), st.sampled_from(["source", "target"]))
def test_section_3_3_1_words_have_the_links_of_their_parts(
    corpus: list[tuple[list[str], list[str], set[tuple[int, int]]]], characters: bool, side: str
) -> None:
    if characters:
        corpus = [(words, list("".join(words)), links) for words, _, links in corpus]
    words = Tokens.of([words for words, _, _ in corpus])
    units = Tokens.of([units for _, units, _ in corpus])
    rows = [Alignment(tuple(sorted(links)), len(units), 4) for _, units, links in corpus]
    column = Alignments.of(rows) if side == "source" else Alignments.of(rows).transpose()
    segmentation = Segmentation.of(words, None if characters else units)
    assert segmentation.lengths.tolist() == units.lengths.tolist()
    found = link_words(column, segmentation, words.lengths.astype(np.int32), side)
    found = found if side == "source" else found.transpose()
    assert [set(row.links) for row in found] == [slow(*each) for each in corpus]
    assert [row.source_length for row in found] == [len(words) for words, _, _ in corpus]


def test_marks_and_phrases_follow_the_links() -> None:
    words = Tokens.of([["ab", "c"], ["d"]])
    marked = Alignment(((0, 0), (1, 1), (2, 0)), 3, 2, frozenset({(1, 1)}))
    column = Alignments.of([marked, Alignment(((0, 0),), 1, 1)])
    column = Alignments(**{**vars(column), "phrases": Phrases.of([[(0, 0), (1, 2)], [(0, 0)]])})
    found = link_words(column, Segmentation.of(words), words.lengths.astype(np.int32), "source")
    assert [str(row) for row in found.sure()] == ["0-0 1-0", "0-0"]
    assert found.phrases is not None
    assert list(found.phrases) == [((0, 0), (0, 1)), ((0, 0),)]


LINKS = [Alignment(((0, 2), (1, 3), (2, 0), (3, 1)))] * 3
ENGLISH = ["big world great news"] * 3


def test_a_corpus_of_characters() -> None:
    characters = Corpus("zh", LINKS, source_words=["天下 新闻"] * 3, target=ENGLISH)
    pieces = Corpus("zh", LINKS, source=["天 下 新 闻"] * 3, source_words=["天下 新闻"] * 3, target=ENGLISH)
    for corpus in (characters, pieces):
        (found,) = profile(corpus, vocabulary=True)
        assert (found.count("source_words"), found.reorderings, found.rquantity()) == (6, 3, 1)
        assert found.words is not None
        assert found.words[0] == {"天下": 3, "新闻": 3}
    assert characters.signature["source_links"] == "characters"
    assert pieces.signature["source_links"] == "pieces"
    turned = [Alignments.of([row]).transpose()[0] for row in LINKS]
    (found,) = profile(Corpus("en-zh", turned, source=ENGLISH, target_words=["天下 新闻"] * 3))
    assert (found.count("target_words"), found.rquantity()) == (6, 1)


def test_words_are_those_of_trees(tmp_path: Path) -> None:
    (tmp_path / "zh.mrg").write_text("( (NP (NN 天下) (NN 新闻)) )\n" * 3, encoding="utf-8")
    rows = ["1\t天下\t_\tNOUN" + "\t_" * 6, "2\t新闻\t_\tDET" + "\t_" * 6, ""]
    (tmp_path / "zh.conllu").write_text("\n".join(rows * 3), encoding="utf-8")
    (found,) = profile(Corpus("zh", LINKS, source_words=tmp_path / "zh.mrg", target=ENGLISH))
    assert found.reorderings == 3
    unaligned = Unaligned(tags=frozenset({"DET"}))
    tagged = Corpus("zh", LINKS, source_words=tmp_path / "zh.conllu", target=ENGLISH, unalign_source=unaligned)
    assert profile(tagged)["zh"].reorderings == 0


def test_words_that_do_not_fit() -> None:
    common: dict[str, Any] = {"alignments": LINKS, "target": ENGLISH}
    with pytest.raises(InputError) as error:
        profile(Corpus("zh", source=["天 下 新 闻"] * 3, source_words=["天下 新闻", "天下 旧闻", ""], **common))
    assert str(error.value) == (
        "source words:2: the words do not spell the same text as the units that links refer to: "
        "after 2 characters, expected '新闻', found '旧闻'"
    )
    with pytest.raises(InputError, match=r"source words has 1 line, source text \(as aligned\) has 3"):
        profile(Corpus("zh", source=["天 下 新 闻"] * 3, source_words=["天下 新闻"], **common))
    with pytest.raises(InputError, match=r"link 3-1 is out of range: the source sentence has 3 words"):
        profile(Corpus("zh", source_words=["天下 新"] * 3, **common))
    with pytest.raises(UsageError, match="the source words already determine the source lengths"):
        profile(Corpus("zh", source_lengths=[4] * 3, source_words=["天下 新闻"] * 3, **common))
