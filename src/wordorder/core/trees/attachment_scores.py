"""The quality of parses compared with gold trees of the same words: attachment scores, tag accuracy and brackets.

For dependency trees, UAS is the share of words with the correct head, and LAS is the share of words with the correct
head and label. All words count, including punctuation. Coarse tags are compared, or fine tags if the parse has no
coarse ones. The universal LAS ignores label subtypes, which follow ``:`` (``nsubj:pass`` counts as ``nsubj``), as in
the CoNLL 2018 shared task (Zeman et al. 2018).

For constituency trees, labelled brackets are counted as in *evalb* (Black et al. 1991; Collins 1997). A bracket is a
label and the span of words below it. Tags and the root do not count as brackets. Punctuation (words with the gold
tags ``, : `` '' .``) is removed from the sentence first, and brackets that become empty do not count. Unlike with the
default settings of *evalb*, ADVP and PRT count as different labels.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordorder.core.runtime.columns import Offsets, encode_strings, sum_rows, to_column
from wordorder.core.runtime.errors import InputError
from wordorder.core.runtime.libraries import pc
from wordorder.core.trees.constituency import ConstituencyTrees
from wordorder.core.trees.conversion import ROOT_LABEL
from wordorder.core.trees.dependency import BLANK, DependencyTrees, check_same_words, share_strings


@dataclass(frozen=True, eq=False)
class Attachment:
    """Counts for each sentence: all words, and those with the correct head, label, universal label or tag.

    A label counts as correct only if the head is also correct. The properties are computed over the whole corpus;
    they are NaN if it has no words.
    """

    words: Offsets
    heads: Offsets
    labelled: Offsets
    universal: Offsets
    tags: Offsets

    def __post_init__(self) -> None:
        for column in vars(self).values():
            column.setflags(write=False)

    def __len__(self) -> int:
        return len(self.words)

    @property
    def uas(self) -> float:
        """The unlabelled attachment score: the share of words with the correct head."""
        return self._share(self.heads)

    @property
    def las(self) -> float:
        """The labelled attachment score: the share of words with the correct head and label."""
        return self._share(self.labelled)

    @property
    def universal_las(self) -> float:
        """The labelled attachment score, ignoring the subtypes of labels."""
        return self._share(self.universal)

    @property
    def pos(self) -> float:
        """The accuracy of the part-of-speech tags."""
        return self._share(self.tags)

    def _share(self, right: Offsets) -> float:
        words = int(self.words.sum())
        return int(right.sum()) / words if words else float("nan")


def attachment(parses: DependencyTrees, gold: DependencyTrees) -> Attachment:
    """Compare parses with gold trees of the same sentences and count the correct words.

    >>> from wordorder.core.trees import DependencyTree
    >>> gold = DependencyTree(("it", "was", "seen"), (2, 2, -1), ("nsubj:pass", "aux", "root")).column()
    >>> parse = DependencyTree(("it", "was", "seen"), (2, -1, 1), ("nsubj", "root", "xcomp")).column()
    >>> found = attachment(parse, gold)
    >>> found.heads.tolist(), found.labelled.tolist(), found.universal.tolist()
    ([1], [0], [1])
    """
    parses, gold = share_strings(parses, gold)
    check_same_words(parses, gold)
    heads = parses.heads == gold.heads
    fine = parses.strings.take(to_column(np.unique(parses.tags))).to_pylist() in ([], [BLANK])
    tags = parses.fine_tags == gold.fine_tags if fine else parses.tags == gold.tags
    # Labels that differ only after the colon have the same number.
    labels, _ = encode_strings(pc.replace_substring_regex(gold.strings, pattern="(?s):.*", replacement=""))
    return Attachment(
        gold.lengths,
        sum_rows(heads, gold.offsets),
        sum_rows(heads & (parses.labels == gold.labels), gold.offsets),
        sum_rows(heads & (labels[parses.labels] == labels[gold.labels]), gold.offsets),
        sum_rows(tags, gold.offsets),
    )


PUNCTUATION = frozenset({",", ":", "``", "''", "."})


@dataclass(frozen=True)
class BracketScore:
    """Counts of brackets (matched, gold, found), sentences (all, fully correct), words, and correct tags."""

    matched: int
    gold: int
    found: int
    sentences: int
    exact: int
    words: int
    right_tags: int

    @property
    def precision(self) -> float:
        """The share of the found brackets that are correct."""
        return self.matched / self.found if self.found else float("nan")

    @property
    def recall(self) -> float:
        """The share of the gold brackets that are found."""
        return self.matched / self.gold if self.gold else float("nan")

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall: 2·matched / (gold + found)."""
        return 2 * self.matched / (self.gold + self.found) if self.gold + self.found else float("nan")

    @property
    def tag_accuracy(self) -> float:
        """The share of words with the correct tag."""
        return self.right_tags / self.words if self.words else float("nan")


def score_brackets(gold: ConstituencyTrees, found: ConstituencyTrees) -> BracketScore:
    """Compare parses with gold trees of the same sentences and count the matching brackets.

    >>> gold = ConstituencyTrees.of(["(ROOT (S (NP (DT a) (NN b)) (VP (VB c)) (. .)))"])
    >>> found = ConstituencyTrees.of(["(ROOT (S (NP (DT a)) (VP (NN b) (VB c)) (. .)))"])
    >>> score = score_brackets(gold, found)
    >>> score.matched, score.gold, score.found, score.right_tags
    (1, 3, 3, 4)
    """
    if not np.array_equal(gold.offsets, found.offsets):
        raise InputError("a parse does not have the same number of words as the gold tree of the sentence")
    totals = np.zeros(7, dtype=np.int64)
    for wanted, given in zip(_unpack(gold), _unpack(found), strict=True):
        kept = np.cumsum([0] + [tag not in PUNCTUATION for tag in wanted.tags])
        one, other = _brackets(wanted, kept), _brackets(given, kept)
        right = sum(tag == guess for tag, guess in zip(wanted.tags, given.tags, strict=True))
        totals += [(one & other).total(), one.total(), other.total(), 1, one == other, len(wanted.tags), right]
    return BracketScore(*totals.tolist())


class _Phrases(NamedTuple):
    phrases: list[tuple[str, int, int]]
    tags: list[str]


def _unpack(trees: ConstituencyTrees) -> Iterator[_Phrases]:
    """Yield the phrases of each tree (except the root) with their spans, together with the tags of its words."""
    names = trees.strings.to_pylist()
    spans = trees.spans()
    for row in range(len(trees)):
        nodes = slice(trees.node_offsets[row], trees.node_offsets[row + 1])
        inner = set(trees.parents[nodes].tolist())
        labels = [names[label] for label in trees.labels[nodes].tolist()]
        phrases = [
            (label, start, end)
            for node, (label, (start, end)) in enumerate(zip(labels, spans[nodes].tolist(), strict=True))
            if node in inner and label != ROOT_LABEL
        ]
        yield _Phrases(phrases, [label for node, label in enumerate(labels) if node not in inner])


def _brackets(tree: _Phrases, kept: NDArray[np.int64]) -> Counter[tuple[str, int, int]]:
    """Count the brackets of a tree; their spans are computed without punctuation."""
    moved = ((label, int(kept[start]), int(kept[end])) for label, start, end in tree.phrases)
    return Counter(bracket for bracket in moved if bracket[2] > bracket[1])
