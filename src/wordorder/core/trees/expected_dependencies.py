"""Expected counts of dependencies over all trees that a parser considers for a sentence."""

from __future__ import annotations

from dataclasses import dataclass, replace

from wordorder.core.runtime.columns import Floats, Ints, Offsets, Ragged, Strings
from wordorder.core.trees.vocabulary import number_strings, renumber


@dataclass(frozen=True, eq=False)
class ExpectedCounts(Ragged):
    """A column of counted items: ``rows[k]`` identifies item k, and ``weights[k]`` is its expected count."""

    rows: Ints
    weights: Floats
    offsets: Offsets


@dataclass(frozen=True, eq=False)
class ExpectedDependencies(Ragged):
    """The words of sentences, with the expected counts of their arcs and of their chains of two arcs.

    ``arcs`` counts triples (dependent, label, head), and ``chains`` counts triples (dependent, head, head of the
    head). Dependents and heads are word positions in the sentence; the root has head −1. Words and labels are indices
    into ``strings``.
    """

    words: Ints
    offsets: Offsets
    arcs: ExpectedCounts
    chains: ExpectedCounts
    strings: Strings

    def renumbered(self, mapping: Ints, strings: Strings) -> ExpectedDependencies:
        """Return the same counts with another vocabulary; ``mapping[i]`` is the new index of string i."""
        rows = self.arcs.rows.copy()
        rows[:, 1] = renumber(rows[:, 1], mapping)
        return replace(self, words=renumber(self.words, mapping), arcs=replace(self.arcs, rows=rows), strings=strings)

    def lower_words(self) -> ExpectedDependencies:
        """Return the same counts with words in lower case; labels do not change."""
        low = [string.lower() for string in self.strings.to_pylist()]
        strings, (old, new) = number_strings(self.strings, low)
        return replace(self.renumbered(old, strings), words=renumber(self.words, new))
