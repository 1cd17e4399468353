"""How good dependency parses are: attachment scores and tags against gold trees of the same words.

UAS is the share of words with the right head, LAS with the right head and label. Every word counts, punctuation too.
Tags are coarse ones, or fine ones where the parse has no others.
The universal LAS ignores what follows ``:`` in a label (``nsubj:pass`` is ``nsubj``), as in the CoNLL 2018 shared
task (Zeman et al. 2018).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wordorder.core.runtime.columns import encode_strings, to_column
from wordorder.core.trees.dependency import BLANK, DependencyTrees, check_same_words, share_strings
from wordorder.core.trees.vocabulary import Ints, Offsets


@dataclass(frozen=True, eq=False)
class Attachment:
    """Offsets per sentence: words, and words with the right head, head and label, head and universal label, tag.

    The properties are corpus values, sums over all sentences; without any word they are undefined (NaN).
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
        """The unlabelled attachment score: right heads / words."""
        return self._share(self.heads)

    @property
    def las(self) -> float:
        """The labelled attachment score: right heads and labels / words."""
        return self._share(self.labelled)

    @property
    def universal_las(self) -> float:
        """The labelled attachment score with subtypes of labels ignored."""
        return self._share(self.universal)

    @property
    def pos(self) -> float:
        """The accuracy of the part-of-speech tags."""
        return self._share(self.tags)

    def _share(self, right: Offsets) -> float:
        words = int(self.words.sum())
        return int(right.sum()) / words if words else float("nan")


def attachment(parses: DependencyTrees, gold: DependencyTrees) -> Attachment:
    """Compare parses with gold trees of the same sentences.

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
    labels = _without_subtypes(gold)
    return Attachment(
        gold.lengths,
        _count(heads, gold.offsets),
        _count(heads & (parses.labels == gold.labels), gold.offsets),
        _count(heads & (labels[parses.labels] == labels[gold.labels]), gold.offsets),
        _count(tags, gold.offsets),
    )


def _without_subtypes(trees: DependencyTrees) -> Ints:
    """Number the strings anew, so that labels that differ in what follows ``:`` have the same number."""
    import pyarrow.compute as pc

    return encode_strings(pc.replace_substring_regex(trees.strings, pattern="(?s):.*", replacement=""))[0]


def _count(right: NDArray[np.bool_], offsets: Offsets) -> Offsets:
    sums = np.concatenate(([0], np.cumsum(right, dtype=np.int64)))
    return sums[offsets[1:]] - sums[offsets[:-1]]
