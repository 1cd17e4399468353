"""Word error rates: TER, as computed by sacreBLEU, with the edits that it counts; WER and PER.

TER is the translation edit rate (Snover et al. 2006). A hypothesis is turned into the reference by edits of single
words and by shifts of blocks of words. A shift counts as one edit, however far the block moves and however many words
it contains. Shifts are the order errors that TER detects.

The edits are found by a greedy search, with the limits and the ranking of shifts of sacreBLEU. Each round tries
every shift that moves a block of wrong words to a position where the reference contains it, and performs the shift
that saves the most edits. The search ends when no shift saves any edit.

The cost of a shift is not computed from scratch. Edit distances are shortest paths through a band of the matrix
hypothesis × reference, and a shift changes a range of consecutive rows. The costs of paths from the first
cell to the rows above this range are already known, and so are the costs of paths from the rows below it to the last
cell.

WER counts every misplaced word as an error, and PER ignores word order. TER lies between these two: moving a block of
words counts as one error.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordorder.core.runtime.columns import Int64s, Ints
from wordorder.core.runtime.kernels import inner_kernel, kernel, longest_row
from wordorder.core.runtime.libraries import pa
from wordorder.core.text import Tokens, encode, lines_of, lower_lines
from wordorder.core.text.tokenizers import apply_once_per_line
from wordorder.metrics import ngrams
from wordorder.metrics.base import Array, Batch, parameter
from wordorder.metrics.lexical import TextMetric

if TYPE_CHECKING:
    from sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer


class ErrorRate(TextMetric):
    """The base class of metrics that compute 1 − edits / reference words, which can be negative."""

    columns = ("edits", "reference_length")
    direction: ClassVar[str] = "at most 1, higher is better"

    def segment(self, rows: Array) -> Array:
        """Return 1 − edits / reference words.

        If the reference is empty, the score is 1 if the hypothesis is empty, too, and 0 otherwise.
        """
        edits, length = rows[..., 0], rows[..., 1]
        with np.errstate(invalid="ignore", divide="ignore"):
            result: Array = 1.0 - np.where(length > 0, edits / length, np.where(edits > 0, 1.0, 0.0))
        return result


class _WordErrorRate(ErrorRate):
    """An error rate over the words that the tokeniser returns; it is computed for each reference separately."""

    def statistics(self, batch: Batch) -> Array:
        """Count the errors and the reference words for each segment and reference."""
        counts = [(self._errors(batch.hypothesis, gold), gold.lengths) for gold in batch.references]
        return np.stack([np.stack(each, axis=1) for each in counts], axis=1).astype(np.float64)

    @abstractmethod
    def _errors(self, hypothesis: Tokens, reference: Tokens) -> NDArray[np.integer] | Array:
        """Return the number of errors in each segment."""


class OneMinusWer(_WordErrorRate):
    """1 − word error rate.

    The rate is the edit distance in words divided by the number of reference words.
    """

    name: ClassVar[str] = "1-wer"
    formula: ClassVar[str] = "1 − edit distance / reference words"
    paper: ClassVar[str] = "Och et al. 1999"

    def _errors(self, hypothesis: Tokens, reference: Tokens) -> NDArray[np.integer]:
        return edit_distances(hypothesis.ids, hypothesis.offsets, reference.ids, reference.offsets)


class OneMinusPer(_WordErrorRate):
    """1 − position-independent error rate.

    The rate is the word error rate after the words that both texts share have been put into the same order.
    """

    name: ClassVar[str] = "1-per"
    formula: ClassVar[str] = "1 − (max(|hyp|, |ref|) − |hyp ∩ ref|) / |ref|, bags of words"
    paper: ClassVar[str] = "Tillmann et al. 1997"

    def _errors(self, hypothesis: Tokens, reference: Tokens) -> Array:
        counts = ngrams.ngram_statistics(hypothesis, [reference])
        return np.maximum(counts[:, 0], counts[:, 1]) - counts[:, 2]


@kernel
def edit_distances(hypothesis: Ints, hypothesis_offsets: Int64s, reference: Ints, reference_offsets: Int64s) -> Int64s:
    """Return the smallest number of insertions, deletions and substitutions for each segment.

    Only one row of the cost matrix is kept in memory.
    """
    segments = len(hypothesis_offsets) - 1
    longest = longest_row(reference_offsets)
    costs = np.empty(longest + 1, dtype=np.int64)
    result = np.empty(segments, dtype=np.int64)
    for segment in range(segments):
        start, stop = hypothesis_offsets[segment], hypothesis_offsets[segment + 1]
        first, last = reference_offsets[segment], reference_offsets[segment + 1]
        while start < stop and first < last and hypothesis[start] == reference[first]:
            start += 1
            first += 1
        while start < stop and first < last and hypothesis[stop - 1] == reference[last - 1]:
            stop -= 1
            last -= 1
        size = last - first
        for place in range(size + 1):
            costs[place] = place
        for word in range(start, stop):
            diagonal = costs[0]
            costs[0] += 1
            for place in range(size):
                kept = diagonal + (hypothesis[word] != reference[first + place])
                diagonal = costs[place + 1]
                costs[place + 1] = min(kept, costs[place] + 1, diagonal + 1)
        result[segment] = costs[size]
    return result


BEAM = 25
"""The number of columns on either side of the diagonal that paths may use."""
LONGEST_SHIFT = 10
"""The largest number of words in one shift."""
FARTHEST_SHIFT = 50
"""The largest distance between the position of a shifted block in the hypothesis and that in the reference."""
SHIFTS_TRIED = 1000
"""The number of shifts tried per sentence; the round that reaches this number does not shift anything."""

_NO_PATH = 1 << 29


class _Matrix(NamedTuple):
    """The matrix hypothesis × reference, in which row i corresponds to the first i words of the hypothesis.

    Row i has cells for the columns from low[i] to high[i] − 1 only; they are stored from index begin[i] on.
    """

    words: Ints
    reference: Ints
    low: Ints
    high: Ints
    begin: Ints


@kernel
def find_edits(
    hypothesis: Ints, hypothesis_offsets: Int64s, reference: Ints, reference_offsets: Int64s
) -> tuple[Ints, Ints, Ints, Ints]:
    """Find the edits of each sentence pair, and apply the shifts to the words of the hypotheses in place.

    Return four arrays: the edit distance of each segment after its shifts, the number of its shifts, the shifts of
    all segments, and the alignment. A shift ``[start, length, to]`` moves the block of words at ``start`` to the
    position ``to``. For each reference word, the alignment contains the position of the hypothesis word with which it
    is paired after all shifts or, if the reference word is inserted, the position of the last hypothesis word before
    it.
    """
    segments = len(hypothesis_offsets) - 1
    distances, counts = np.empty(segments, dtype=np.int32), np.empty(segments, dtype=np.int32)
    # Every shift saves an edit, and the number of edits is between |n − m| and n + m.
    shifts = np.empty((2 * len(hypothesis), 3), dtype=np.int32)
    made = 0
    alignment = np.empty(len(reference), dtype=np.int32)
    candidates = np.empty((SHIFTS_TRIED + LONGEST_SHIFT, 3), dtype=np.int32)
    for segment in range(segments):
        words = hypothesis[hypothesis_offsets[segment] : hypothesis_offsets[segment + 1]]
        gold = reference[reference_offsets[segment] : reference_offsets[segment + 1]]
        aligned = alignment[reference_offsets[segment] : reference_offsets[segment + 1]]
        n, m = len(words), len(gold)
        matrix = _make_matrix(words, gold)
        cells = matrix.begin[n + 1]
        costs = np.empty(cells, dtype=np.int32)
        back = np.empty(cells, dtype=np.int32)
        trial = np.empty(cells, dtype=np.int32)
        for column in range(m + 1):
            costs[column] = column
        for column in range(matrix.low[n], m + 1):
            back[cells - 1 - m + column] = m - column
        next_wrong, next_missed = np.empty(n + 1, dtype=np.int32), np.empty(m + 1, dtype=np.int32)
        first, end, tried = 0, n, 0
        counts[segment] = 0
        while True:
            _fill(matrix, costs, first + 1, n, 0, 0, 0)
            _align(matrix, costs, aligned, next_wrong, next_missed)
            count = _list_shifts(words, gold, aligned, next_wrong, next_missed, candidates, SHIFTS_TRIED - tried)
            tried += count
            if count == 0 or tried >= SHIFTS_TRIED:
                break
            _fill_back(matrix, back, end - 1)
            start, length, to = _best_shift(matrix, costs, back, trial, candidates, count)
            if length == 0:
                break
            shifts[made, 0], shifts[made, 1], shifts[made, 2] = start, length, to
            made += 1
            counts[segment] += 1
            first, end = min(start, to), max(start, to) + length
            for place in range(first, end):
                trial[place] = words[_origin(place, start, length, to)]
            for place in range(first, end):
                words[place] = trial[place]
        distances[segment] = costs[cells - 1]
    return distances, counts, shifts[:made], alignment


@inner_kernel
def _make_matrix(words: Ints, reference: Ints) -> _Matrix:
    """Return a matrix limited to a band around the diagonal that is wide enough for adjacent rows to overlap."""
    n, m = len(words), len(reference)
    ratio = m / n if n else 1.0
    beam = math.ceil(ratio / 2 + BEAM) if ratio / 2 > BEAM else BEAM
    low, high = np.empty(n + 1, dtype=np.int32), np.empty(n + 1, dtype=np.int32)
    begin = np.empty(n + 2, dtype=np.int32)
    begin[0] = 0
    for row in range(n + 1):
        middle = math.floor(row * ratio)
        low[row] = max(0, middle - beam)
        high[row] = min(m + 1, middle + beam) if 0 < row < n else m + 1
        begin[row + 1] = begin[row] + high[row] - low[row]
    return _Matrix(words, reference, low, high, begin)


@inner_kernel
def _origin(place: int, start: int, length: int, to: int) -> int:
    """Return the position that a word had before a shift, given its position after the shift.

    The shift 0, 0, 0 stands for no shift at all.
    """
    if to <= place < to + length:
        return place - to + start
    return place + length if start < to else place - length


@inner_kernel
def _fill(matrix: _Matrix, costs: Ints, first: int, last: int, start: int, length: int, to: int) -> None:
    """Compute the costs of paths from the first cell to the cells of the rows ``first`` to ``last``, in place.

    ``start``, ``length`` and ``to`` describe a shift that is applied first. The row above ``first`` must already be
    filled.
    """
    words, reference, low, high, begin = matrix
    for row in range(first, last + 1):
        word = words[_origin(row - 1, start, length, to)]
        above, here = begin[row - 1] - low[row - 1], begin[row] - low[row]
        above_low, above_high = low[row - 1], high[row - 1]
        cost = _NO_PATH
        for column in range(low[row], high[row]):
            other = _NO_PATH
            if column < above_high:
                other = costs[above + column] + 1
            if above_low < column <= above_high:
                other = min(other, costs[above + column - 1] + (word != reference[column - 1]))
            cost = min(cost + 1, other)
            costs[here + column] = cost


@inner_kernel
def _fill_back(matrix: _Matrix, costs: Ints, last: int) -> None:
    """Compute the costs of paths to the last cell from the cells of the rows ``last`` to 1, in place.

    The row below ``last`` must already be filled.
    """
    words, reference, low, high, begin = matrix
    for row in range(last, 0, -1):
        below, here = begin[row + 1] - low[row + 1], begin[row] - low[row]
        below_low, below_high = low[row + 1], high[row + 1]
        cost = _NO_PATH
        for column in range(high[row] - 1, low[row] - 1, -1):
            other = _NO_PATH
            if column >= below_low:
                other = costs[below + column] + 1
            if below_low <= column + 1 < below_high:
                other = min(other, costs[below + column + 1] + (words[row] != reference[column]))
            cost = min(cost + 1, other)
            costs[here + column] = cost


@inner_kernel
def _align(matrix: _Matrix, costs: Ints, aligned: Ints, next_wrong: Ints, next_missed: Ints) -> None:
    """Trace the best path backwards and write the hypothesis position of each reference word to ``aligned``.

    Among equally good steps, pairing two words is preferred to deletion, and deletion to insertion. For each
    position, ``next_wrong`` (hypothesis) and ``next_missed`` (reference) receive the first position from there on
    that is part of an edit.
    """
    words, reference, low, high, begin = matrix
    i, j = len(words), len(reference)
    next_wrong[i], next_missed[j] = i, j
    while i > 0 or j > 0:
        cost = costs[begin[i] + j - low[i]]
        above = begin[i - 1] - low[i - 1]
        if i > 0 and j > low[i - 1] and j <= high[i - 1]:
            differ = words[i - 1] != reference[j - 1]
            if costs[above + j - 1] + differ == cost:
                i -= 1
                j -= 1
                aligned[j] = i
                next_wrong[i] = i if differ else next_wrong[i + 1]
                next_missed[j] = j if differ else next_missed[j + 1]
                continue
        if i > 0 and j < high[i - 1] and costs[above + j] + 1 == cost:
            i -= 1
            next_wrong[i] = i
        else:
            j -= 1
            aligned[j] = i - 1
            next_missed[j] = j


@inner_kernel
def _list_shifts(
    words: Ints, reference: Ints, aligned: Ints, next_wrong: Ints, next_missed: Ints, candidates: Ints, most: int
) -> int:
    """Write the shifts that are worth trying to ``candidates``, at most ``most`` shifts, and return their number.

    A shift consists of the start of a block, its length, and its target: the word before which the block is inserted.
    A hypothesis block that equals a reference block is a candidate if each of the two contains a word that is part of
    an edit, and if they are not already aligned with each other. The targets are the positions next to the hypothesis
    words aligned with the reference block or with the reference word before it.
    """
    n, m = len(words), len(reference)
    count = 0
    for start in range(n):
        if next_wrong[start] >= start + LONGEST_SHIFT:
            continue
        for gold in range(max(0, start - FARTHEST_SHIFT), min(m, start + FARTHEST_SHIFT + 1)):
            for size in range(min(LONGEST_SHIFT, min(n - start, m - gold))):
                if words[start + size] != reference[gold + size]:
                    break
                if next_wrong[start] > start + size or next_missed[gold] > gold + size:
                    continue
                if start <= aligned[gold] <= start + size:
                    continue
                before = -1
                for place in range(gold - 1, gold + size + 1):
                    target = aligned[place] + 1 if place >= 0 else 0
                    if target != before:
                        candidates[count, 0], candidates[count, 1], candidates[count, 2] = start, size + 1, target
                        count += 1
                        before = target
                if count >= most:
                    return count
    return count


@inner_kernel
def _best_shift(
    matrix: _Matrix, costs: Ints, back: Ints, trial: Ints, candidates: Ints, count: int
) -> tuple[int, int, int]:
    """Return the start, the length and the new start of the best shift; the length is 0 if no shift saves an edit.

    The best shift is the one that saves the most edits; among equals, the one with the longest block, then the
    leftmost start, then the leftmost target.
    """
    begin = matrix.begin
    best_start = best_length = best_target = best_to = 0
    lowest = costs[len(costs) - 1] - 1
    for candidate in range(count):
        start, length, target = candidates[candidate, 0], candidates[candidate, 1], candidates[candidate, 2]
        # A target within the block or right after it moves the block forward by the distance from start to target.
        to = target - length if target > start + length else min(target, len(matrix.words) - length)
        first, end = min(start, to), max(start, to) + length
        for cell in range(begin[first], begin[first + 1]):
            trial[cell] = costs[cell]
        _fill(matrix, trial, first + 1, end, start, length, to)
        cost = _NO_PATH
        for cell in range(begin[end], begin[end + 1]):
            cost = min(cost, trial[cell] + back[cell])
        # Candidates are ordered from left to right, so the first of two equally long blocks is kept.
        if cost < lowest or (
            cost == lowest
            and (length > best_length or (length == best_length and start == best_start and target < best_target))
        ):
            lowest = cost
            best_start, best_length, best_target, best_to = start, length, target, to
    return best_start, best_length, best_to


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
        """Return the edits of a sentence pair, given the output of ``find_edits``."""
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
