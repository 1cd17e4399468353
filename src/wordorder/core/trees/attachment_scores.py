"""The quality of dependency parses: attachment scores and tag accuracy against gold trees of the same words.

UAS is the share of words with the correct head, and LAS is the share of words with the correct head and label. All
words count, including punctuation. Coarse tags are compared, or fine tags if the parse has no coarse ones.
The universal LAS ignores label subtypes, which follow ``:`` (``nsubj:pass`` counts as ``nsubj``), as in the CoNLL
2018 shared task (Zeman et al. 2018).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wordorder.core.runtime.columns import Ints, Offsets, encode_strings, sum_rows, to_column
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
    labels = _without_subtypes(gold)
    return Attachment(
        gold.lengths,
        sum_rows(heads, gold.offsets),
        sum_rows(heads & (parses.labels == gold.labels), gold.offsets),
        sum_rows(heads & (labels[parses.labels] == labels[gold.labels]), gold.offsets),
        sum_rows(tags, gold.offsets),
    )


def _without_subtypes(trees: DependencyTrees) -> Ints:
    """Map each string to a new number, so that labels that differ only after ``:`` have the same number."""
    import pyarrow.compute as pc

    return encode_strings(pc.replace_substring_regex(trees.strings, pattern="(?s):.*", replacement=""))[0]
