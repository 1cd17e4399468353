"""Expected counts of dependencies, summed over all trees that a parser allows for a sentence."""

from __future__ import annotations

from dataclasses import dataclass, replace

from wordorder.core.runtime.columns import Floats, Ints, Offsets, Ragged, Strings
from wordorder.core.trees.vocabulary import number_strings, renumber


@dataclass(frozen=True, eq=False)
class ExpectedCounts(Ragged):
    """A column of counted items: item k has three numbers, ``rows[k]``, and the expected count ``weights[k]``."""

    rows: Ints
    weights: Floats
    offsets: Offsets


@dataclass(frozen=True, eq=False)
class ExpectedDependencies(Ragged):
    """The words of sentences, with the expected counts of their arcs and of their chains of two arcs.

    ``arcs`` are (dependent, label, head), and ``chains`` are (dependent, head, head of the head). These are positions
    of words in the sentence, and −1 is the head of the root. Words and labels are numbers into ``strings``.
    """

    words: Ints
    offsets: Offsets
    arcs: ExpectedCounts
    chains: ExpectedCounts
    strings: Strings

    def renumbered(self, mapping: Ints, strings: Strings) -> ExpectedDependencies:
        """Return the same counts with another vocabulary; ``mapping`` has the new number of each string."""
        rows = self.arcs.rows.copy()
        rows[:, 1] = renumber(rows[:, 1], mapping)
        return replace(self, words=renumber(self.words, mapping), arcs=replace(self.arcs, rows=rows), strings=strings)

    def lower_words(self) -> ExpectedDependencies:
        """Return the same counts with lower-case words; labels are unchanged."""
        low = [string.lower() for string in self.strings.to_pylist()]
        strings, (old, new) = number_strings(self.strings, low)
        return replace(self.renumbered(old, strings), words=renumber(self.words, new))
