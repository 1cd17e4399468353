"""Dependencies of sentences as expected counts: what a parser says of all its trees at once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from wordorder.core.runtime.columns import Floats, Ragged
from wordorder.core.trees.vocabulary import Ints, Offsets, number_strings, renumber

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, eq=False)
class ExpectedCounts(Ragged):
    """Three numbers and a weight for each thing that is counted; those of sentence i are at ``offsets[i]`` on."""

    rows: Ints
    weights: Floats
    offsets: Offsets


@dataclass(frozen=True, eq=False)
class ExpectedDependencies(Ragged):
    """Words of sentences, and their arcs and chains of two arcs with expected counts.

    ``arcs`` are (dependent, label, head) and ``chains`` (dependent, head, head of the head), with words by their
    place in the sentence, the head of the root being −1; words and labels are numbers into ``strings``.
    """

    words: Ints
    offsets: Offsets
    arcs: ExpectedCounts
    chains: ExpectedCounts
    strings: pa.LargeStringArray

    def renumbered(self, mapping: Ints, strings: pa.LargeStringArray) -> ExpectedDependencies:
        """Return the same over another vocabulary; ``mapping`` has the new number of each string."""
        rows = self.arcs.rows.copy()
        rows[:, 1] = renumber(rows[:, 1], mapping)
        return replace(self, words=renumber(self.words, mapping), arcs=replace(self.arcs, rows=rows), strings=strings)

    def lower_words(self) -> ExpectedDependencies:
        """Lower-case the words; labels stay as they are."""
        low = [string.lower() for string in self.strings.to_pylist()]
        strings, (old, new) = number_strings(self.strings, low)
        return replace(self.renumbered(old, strings), words=renumber(self.words, new))
