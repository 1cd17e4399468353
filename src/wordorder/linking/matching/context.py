"""The word matching of RIBES: a word is aligned if it has a context that is unique in both sentences.

The rules are those of version 1.03 of the reference implementation (Isozaki et al. 2010). A word that occurs once in
each sentence is aligned. Any other hypothesis word that occurs in the reference is tried in context: for n = 2, 3 and
so on, first the n-gram that ends with the word, then the n-gram that begins with it. The word is aligned by the first
of these n-grams that occurs exactly once in each sentence (counting overlapping occurrences). Two hypothesis words
can be aligned to the same reference word.
"""

import math
from dataclasses import dataclass

import numpy as np

from wordorder.core.runtime.columns import Floats, Int64s, Ints, Joinable
from wordorder.core.runtime.kernels import count_below, enter, inner_kernel, kernel
from wordorder.core.runtime.threads import spans
from wordorder.core.text import Tokens
from wordorder.linking.matching.matches import ROWS_AT_A_TIME, check_columns

_NONE = 1 << 30


@dataclass(frozen=True, eq=False)
class ContextMatches(Joinable):
    """The aligned words of each row and the three factors of RIBES: ``nkt``, ``precision`` and ``brevity``.

    Hypothesis word ``hypothesis[k]`` is aligned to reference word ``reference[k]``; the entries of row i are at
    ``offsets[i]:offsets[i + 1]``. ``nkt`` (normalised Kendall's τ) is the proportion of pairs of aligned words whose
    reference positions ascend; equal positions do not count as ascending. With fewer than two aligned words, nkt and
    precision are 0, except that nkt is 1 if one word is aligned and the reference has only that word. All three
    factors are NaN for an empty reference.
    """

    hypothesis: Ints
    reference: Ints
    offsets: Int64s
    nkt: Floats
    precision: Floats
    brevity: Floats


def match_by_context(hypothesis: Tokens, reference: Tokens) -> ContextMatches:
    """Align words by the rules of RIBES, and compute the three factors of RIBES for each row.

    >>> from wordorder.core.text import encode
    >>> columns = encode(["the book was read by the boy"], ["the boy read the book"])
    >>> matches = match_by_context(*columns)
    >>> matches.reference.tolist(), matches.nkt.tolist(), matches.precision.round(3).tolist()
    ([3, 4, 2, 0, 1], [0.2], [0.714])
    """
    check_columns(hypothesis, reference)
    size = len(hypothesis.vocabulary)

    def work(span: tuple[int, int]) -> ContextMatches:
        rows, others = hypothesis[slice(*span)], reference[slice(*span)]
        offsets, pairs, numbers = _align(rows.ids, rows.offsets, others.ids, others.offsets, size)
        (hyp, ref), (nkt, precision, brevity) = pairs.T.copy(), numbers.T.copy()
        return ContextMatches(hyp, ref, offsets, nkt, precision, brevity)

    chunks = spans(len(hypothesis), ROWS_AT_A_TIME) or [(0, 0)]
    return ContextMatches.concatenate(list(map(work, chunks)))


@kernel
def _align(
    hyp_ids: Ints, hyp_offsets: Int64s, ref_ids: Ints, ref_offsets: Int64s, vocabulary_size: int
) -> tuple[Int64s, Ints, Floats]:
    rows = len(hyp_offsets) - 1
    offsets = np.zeros(rows + 1, dtype=np.int64)
    pairs = np.empty((len(hyp_ids), 2), dtype=np.int32)
    numbers = np.zeros((rows, 3), dtype=np.float64)
    latest = np.full((vocabulary_size, 2), -1, dtype=np.int32)  # last position of each word: reference, hypothesis
    for row in range(rows):
        h = hyp_ids[hyp_offsets[row] : hyp_offsets[row + 1]]
        r = ref_ids[ref_offsets[row] : ref_offsets[row + 1]]
        # window[i] is the number of other words in the shortest unique context of word i; place[i] is the reference
        # word that it is aligned to.
        window = np.full(len(h), _NONE, dtype=np.int32)
        place = np.empty(len(h), dtype=np.int32)
        _try_contexts(h, r, latest, False, window, place)
        _try_contexts(h, r, latest, True, window, place)
        used = offsets[row]
        for i in range(len(h)):
            if window[i] < _NONE:
                pairs[used, 0], pairs[used, 1] = i, place[i]
                used += 1
        offsets[row + 1] = used
        _score(pairs[offsets[row] : used, 1], len(h), len(r), numbers[row])
    return offsets, pairs[: offsets[rows]], numbers


@inner_kernel
def _try_contexts(h: Ints, r: Ints, latest: Ints, backwards: bool, window: Ints, place: Ints) -> None:
    """Align each hypothesis word by its shortest unique context to the left or, with ``backwards``, to the right.

    For hypothesis word i, let c(p) be the length of the longest n-gram that ends both at word i and at position p,
    where p is a position in the reference or in the hypothesis itself. The context of k words that ends at word i
    occurs exactly once in each sentence iff each sentence has exactly one p with c(p) ≥ k. The shortest unique
    context is therefore one word longer than the second largest c, provided that the largest c is at least that long.
    Since c at (i, p) is 1 + c at (i − 1, p − 1), it suffices to keep one row of the table, ``shared``.
    """
    n, m = len(h), len(r)
    before = np.empty(m + n, dtype=np.int32)  # the previous position of the same word in its sentence
    for side in range(2):
        words, begin = (r, 0) if side == 0 else (h, m)
        for k in range(len(words)):
            p = len(words) - 1 - k if backwards else k
            before[begin + p] = latest[words[p], side]
            latest[words[p], side] = p
    shared = np.zeros((2, max(n, m) + 1), dtype=np.int32)
    row_of = np.full((2, max(n, m) + 1), -1, dtype=np.int32)
    for k in range(n):
        i = n - 1 - k if backwards else k
        longest = second = 0
        found = -1
        for side in range(2):
            length, begin = (m, 0) if side == 0 else (n, m)
            p = latest[h[i], side]
            while p >= 0:
                # Positions are visited in reverse order, so the entry of the previous one is not yet overwritten.
                at = length - 1 - p if backwards else p
                common = 1 + (shared[side, at] if k > 0 and row_of[side, at] == k - 1 else 0)
                shared[side, at + 1], row_of[side, at + 1] = common, k
                if side == 1:
                    if p != i:
                        second = max(second, common)
                elif common > longest:
                    longest, second, found = common, max(second, longest), p
                else:
                    second = max(second, common)
                p = before[begin + p]
        # `second` words are not unique, so the context reaches out by `second` words; in the first pass 0 is the
        # word alone. Contexts before the word are tried first, so those after it must be shorter to count.
        if found >= 0 and second < longest and second < window[i]:
            window[i], place[i] = second, found
    for p in range(m):
        latest[r[p], 0] = -1
    for p in range(n):
        latest[h[p], 1] = -1


@kernel
def _score(places: Ints, n: int, m: int, numbers: Floats) -> None:
    """Write the normalised Kendall's τ, the precision and the brevity penalty to ``numbers``."""
    if m == 0:
        numbers[0] = numbers[1] = numbers[2] = np.nan
        return
    if n == 0:
        return
    numbers[2] = min(1.0, math.exp(1.0 - m / n))
    aligned = len(places)
    if aligned == 1 and m == 1:
        numbers[0] = 1.0
        numbers[1] = 1.0 / n
    elif aligned > 1:
        ascending = 0
        seen = np.zeros(m + 1, dtype=np.int32)  # a Fenwick tree over reference positions
        for k in range(aligned):
            place = np.int64(places[k])
            ascending += count_below(seen, place)
            enter(seen, place, m)
        numbers[0] = ascending / (aligned * (aligned - 1) / 2)
        numbers[1] = aligned / n
