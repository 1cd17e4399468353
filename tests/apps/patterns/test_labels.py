"""Labels of words: from CoNLL-U, brackets and tags, matched to words that are split differently; and frequencies."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from wordorder.apps.find.marking import NOWHERE
from wordorder.apps.patterns.labels import LabelNumbers, TaggedText, rank_words, word_labels
from wordorder.core.runtime.errors import InputError
from wordorder.core.text import Tokens, tokenise

CONLLU = """1\tWe\t_\tPRON\tPRP\t_\t2\tnsubj\t_\t_
2\tsaw\t_\tVERB\tVBD\t_\t0\troot\t_\t_
3\tit\t_\tPRON\tPRP\t_\t2\tobj\t_\t_

1\tde\t_\tADP\t_\t_\t3\tcase\t_\t_
2\tle\t_\tDET\t_\t_\t3\tdet\t_\t_
3\tchat\t_\tNOUN\t_\t_\t0\troot\t_\t_

"""


def labels(tagged: TaggedText, kind: str) -> list[str | None]:
    ids, names = tagged.kinds[kind]
    return [None if number < 0 else names[number] for number in ids.tolist()]


def test_trees_label_words_that_are_split_differently(tmp_path: Path) -> None:
    path = tmp_path / "ref.conllu"
    path.write_text(CONLLU)
    tagged = TaggedText.of(Tokens.of([["we", "saw", "it"], ["du", "chat"]]), path)
    assert labels(tagged, "class") == ["PRON", "VERB", "PRON", None, "NOUN"]
    assert labels(tagged, "relation") == ["nsubj", "root", "obj", None, "root"]
    assert labels(tagged, "type") == ["function word", "content word", "function word", None, "content word"]


def test_brackets_give_tags_and_constituents(tmp_path: Path) -> None:
    path = tmp_path / "ref.mrg"
    path.write_text("(ROOT (S (NP (DT the) (NN cat)) (VP (VBZ sleeps))))\n")
    tagged = TaggedText.of(Tokens.of([["the", "cat", "sleeps"]]), path)
    assert labels(tagged, "class") == ["DT", "NN", "VBZ"]
    assert labels(tagged, "relation") == ["NP/DT", "S/NP", "ROOT/S"]
    assert labels(tagged, "type") == [None] * 3


def test_tags_are_one_per_word(tmp_path: Path) -> None:
    path = tmp_path / "ref.tags"
    path.write_text("PRON VERB _\nNOUN\n")
    words = Tokens.of([["we", "saw", "it"], ["cats"]])
    assert labels(TaggedText.of(words, path), "class") == ["PRON", "VERB", None, "NOUN"]
    path.write_text("PRON VERB PRON\nDET NOUN\n")
    with pytest.raises(InputError, match=r"ref\.tags:2: expected one tag per word, found 2 tags for 1 word"):
        TaggedText.of(words, path)
    path.write_text("PRON VERB PRON\n")
    with pytest.raises(InputError, match="found 1 sentence with tags for 2 segments"):
        TaggedText.of(words, path)


def test_labels_are_numbered_for_all_systems() -> None:
    numbers = LabelNumbers()
    tagged = TaggedText.of(Tokens.of([["a", "b"], ["c"]]), [["X1", "X2"], ["X3"]])
    rows, places = np.array([0, 0, 1]), np.array([1, NOWHERE, 0], dtype=np.int32)
    found = tagged.encode(numbers, rows, places, prefix="source ")["source class"]
    assert [list(numbers.known["source class"])[code] if code >= 0 else None for code in found.tolist()] == [
        "X2",
        None,
        "X3",
    ]
    again = numbers.encode("source class", ["X3", None], np.array([0, 1], dtype=np.int32))
    assert again.tolist() == [found[2], -1]


def test_frequencies_are_ranks_in_the_references() -> None:
    (words,) = tokenise([["The cat", "the dog"]], tokenizer="none")
    ranks = rank_words(words)
    assert ranks["the"] == 0
    assert set(ranks) == {"the", "cat", "dog"}
    numbers = LabelNumbers()
    codes = word_labels(numbers, Tokens.of([["THE", "cow"]]), ranks | {"cat": 150, "dog": 5000})
    assert list(numbers.known["frequency"]) == ["rank 1–100"]
    assert codes["frequency"].tolist() == [0, -1]
    assert list(numbers.known["word"]) == ["the", "cow"]
