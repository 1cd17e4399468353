"""TER, the translation edit rate (Snover et al. 2006), as computed by sacreBLEU, and the edits that it counts.

A hypothesis is turned into the reference by edits of single words and by shifts of blocks of words. A shift counts as
one edit, however far the block moves and however many words it contains. Shifts are the order errors that TER
detects.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from wordorder.core.text import Tokens, encode, lines_of, lower_lines
from wordorder.core.text.tokenizers import apply_once_per_line
from wordorder.metrics.base import Array, Batch, parameter
from wordorder.metrics.error_rates import ErrorRate
from wordorder.metrics.ter_search import find_edits

if TYPE_CHECKING:
    import pyarrow as pa
    from sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer


@dataclass(frozen=True)
class OneMinusTer(ErrorRate):
    """1 − translation edit rate, as computed by sacreBLEU; it is negative if edits outnumber reference words.

    With several references, the smallest number of edits is divided by the average reference length. Words are
    always those of sacreBLEU's TER: by default, text is lower-cased and split at whitespace.
    """

    name: ClassVar[str] = "1-ter"
    formula: ClassVar[str] = "1 − edits / reference words; words are split at whitespace"
    paper: ClassVar[str] = "Snover et al. 2006"

    normalized: bool = parameter(False, "split off punctuation, decode entities")
    no_punct: bool = parameter(False, "leave out punctuation")
    asian_support: bool = parameter(False, "apply normalized and no_punct to Chinese and Japanese characters, too")
    case_sensitive: bool = parameter(False, "compare words as they are, not in lower case")

    def statistics(self, batch: Batch) -> Array:
        """Return the smallest number of edits over all references, and their average length, for each segment."""
        hypothesis, *references = self._tokenise(batch.text.hypothesis_lines, *batch.text.reference_lines)
        edits = []
        for reference in references:
            distances, shifts, _, _ = find_edits(
                hypothesis.ids.copy(), hypothesis.offsets, reference.ids, reference.offsets
            )
            edits.append(distances + shifts)
        lengths = [reference.lengths for reference in references]
        return np.stack([np.min(edits, axis=0), np.mean(lengths, axis=0)], axis=1)[:, None, :]

    def edits(self, hypothesis: str, reference: str) -> Edits:
        """Return the edits that turn a hypothesis into a reference."""
        one, two = self._tokenise(lines_of([hypothesis]), lines_of([reference]))
        _, _, shifts, alignment = find_edits(one.ids.copy(), one.offsets, two.ids, two.offsets)
        return Edits.of(one.words(0), two.words(0), shifts.tolist(), alignment.tolist())

    def _tokenise(self, hypotheses: pa.LargeStringArray, *references: pa.LargeStringArray) -> tuple[Tokens, ...]:
        columns = [hypotheses, *references]
        if self.normalized or self.no_punct:
            tercom = _tercom(self.normalized, self.no_punct, self.asian_support, self.case_sensitive)
            columns = apply_once_per_line(lambda line: tercom(line.rstrip()), columns)
            # sacreBLEU tokenises references twice; the second time, "it's." is split into one more word.
            columns[1:] = apply_once_per_line(tercom, columns[1:])
        elif not self.case_sensitive:
            columns = [lower_lines(column) for column in columns]
        return encode(*columns)


@cache
def _tercom(normalized: bool, no_punct: bool, asian_support: bool, case_sensitive: bool) -> TercomTokenizer:
    """Return sacreBLEU's TER tokeniser; it is shared by all systems, so cached lines of references can be reused."""
    from sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer

    return TercomTokenizer(normalized, no_punct, asian_support, case_sensitive)


@dataclass(frozen=True)
class Shift:
    """A block of words that moves from position ``start`` to position ``to`` of the hypothesis.

    Positions count from 0; ``start`` refers to the hypothesis before this shift, and ``to`` to the hypothesis after
    it.
    """

    words: tuple[str, ...]
    start: int
    to: int


@dataclass(frozen=True)
class Edits:
    """The edits by which TER turns a hypothesis into a reference: first shifts, then edits of single words.

    ``shifted`` is the hypothesis after all shifts. Each entry of ``pairs`` consists of a position in ``shifted`` and
    a position in the reference, both counted from 0. A deleted word has None as its reference position, and an
    inserted word has None as its position in ``shifted``.

    >>> edits = ter_edits("sat the cat today", "the black cat sat")
    >>> edits.shifts, edits.shifted
    ((Shift(words=('sat',), start=0, to=2),), ('the', 'cat', 'sat', 'today'))
    >>> edits.pairs
    ((0, 0), (None, 1), (1, 2), (2, 3), (3, None))
    >>> edits.insertions, edits.deletions, edits.substitutions, edits.total
    (1, 1, 0, 3)
    """

    hypothesis: tuple[str, ...]
    reference: tuple[str, ...]
    shifts: tuple[Shift, ...]
    shifted: tuple[str, ...]
    pairs: tuple[tuple[int | None, int | None], ...]

    @classmethod
    def of(cls, hypothesis: list[str], reference: list[str], shifts: list[list[int]], alignment: list[int]) -> Edits:
        """Return the edits of a sentence pair, given the output of ``ter_search.find_edits``."""
        words, moved = list(hypothesis), []
        for start, length, to in shifts:
            block = words[start : start + length]
            moved.append(Shift(tuple(block), start, to))
            del words[start : start + length]
            words[to:to] = block
        pairs: list[tuple[int | None, int | None]] = []
        # An insertion never follows a deletion, because one substitution is cheaper than both.
        last = -1
        for gold, place in enumerate(alignment):
            pairs += [(deleted, None) for deleted in range(last + 1, place)]
            pairs.append((place if place > last else None, gold))
            last = place
        pairs += [(deleted, None) for deleted in range(last + 1, len(words))]
        return cls(tuple(hypothesis), tuple(reference), tuple(moved), tuple(words), tuple(pairs))

    @property
    def word_edits(self) -> list[tuple[str, str]]:
        """The edits of single words in sentence order, as pairs of kind (insert, delete, substitute) and text."""
        edits = []
        for place, gold in self.pairs:
            if place is None and gold is not None:
                edits.append(("insert", self.reference[gold]))
            elif place is not None and gold is None:
                edits.append(("delete", self.shifted[place]))
            elif place is not None and gold is not None and self.shifted[place] != self.reference[gold]:
                edits.append(("substitute", f"{self.shifted[place]} → {self.reference[gold]}"))
        return edits

    def _count(self, kind: str) -> int:
        return sum(kind == each for each, _ in self.word_edits)

    @property
    def insertions(self) -> int:
        """The number of reference words that are inserted."""
        return self._count("insert")

    @property
    def deletions(self) -> int:
        """The number of hypothesis words that are deleted."""
        return self._count("delete")

    @property
    def substitutions(self) -> int:
        """The number of hypothesis words that are replaced by other words."""
        return self._count("substitute")

    @property
    def total(self) -> int:
        """The total number of edits, including shifts."""
        return len(self.shifts) + len(self.word_edits)

    def to_dict(self) -> dict[str, Any]:
        """Return the edits as plain data."""
        return {
            "hypothesis": list(self.hypothesis),
            "reference": list(self.reference),
            "shifts": [{"words": list(each.words), "start": each.start, "to": each.to} for each in self.shifts],
            "shifted": list(self.shifted),
            "pairs": [list(pair) for pair in self.pairs],
            "insertions": self.insertions,
            "deletions": self.deletions,
            "substitutions": self.substitutions,
        }

    def rows(self) -> list[tuple[str, str]]:
        """Return rows for display, each a label and a description of edits; positions count from 1."""
        counts = len(self.shifts), self.insertions, self.deletions, self.substitutions
        kinds = zip(counts, ("shift", "insertion", "deletion", "substitution"), strict=True)
        counted = ", ".join(f"{count} {kind}{'s' * (count != 1)}" for count, kind in kinds if count)
        words = f"{len(self.reference)} reference word{'s' * (len(self.reference) != 1)}"
        rows = [("edits", f"{self.total} for {words}{': ' * bool(counted)}{counted}")]
        for shift in self.shifts:
            rows.append(("shift", f"{' '.join(shift.words)}: from position {shift.start + 1} to {shift.to + 1}"))
        return [*rows, *self.word_edits]

    def __str__(self) -> str:
        return "\n".join(f"{name:10}  {text}" for name, text in self.rows())


def ter_edits(
    hypothesis: str,
    reference: str,
    *,
    normalized: bool = False,
    no_punct: bool = False,
    asian_support: bool = False,
    case_sensitive: bool = False,
) -> Edits:
    """Return the edits by which TER turns a hypothesis into a reference.

    The options are those of the metric ``1-ter``.

    >>> print(ter_edits("sat the cat today", "the black cat sat"))
    edits       3 for 4 reference words: 1 shift, 1 insertion, 1 deletion
    shift       sat: from position 1 to 3
    insert      black
    delete      today
    """
    return OneMinusTer(normalized, no_punct, asian_support, case_sensitive).edits(hypothesis, reference)
