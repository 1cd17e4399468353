"""Extraction of reorderings from word alignments, and RQuantity, the amount of reordering (Birch 2011, §3.2).

T(s) is the set of target words linked to source word s. block(i..j) is the rectangle of the source span i..j and the
target span from the first to the last word linked to i..j. A rectangle is consistent if no link has exactly one end
inside it.

1. Blocks start at aligned words and grow from one aligned word to the next.
2. A word on either side whose links have a gap defines an area: the smallest consistent rectangle around it. Nothing
   is extracted between two source words in the same area.
3. Neighbouring aligned words p < s form a reordering if max T(s) < min T(p); A = block(p), B = block(s).
4. A grows to the left, to the largest consistent block(x..p) that follows B in the target.
5. If A and B together are inconsistent, B grows to the right as block(s..x), as long as it precedes A in the target,
   until the two together are consistent. If this never happens, B stays block(s).
6. Unaligned words inside a span belong to it. Unaligned source words between the blocks belong to A, and unaligned
   target words directly after B belong to B.
"""

import numpy as np

from wordorder.core.orders import Alignments
from wordorder.core.reorderings.links import known_lengths, sort_links
from wordorder.core.reorderings.reorderings import Reorderings
from wordorder.core.runtime.columns import Bools, Floats, Int64s, Ints, offsets_from_lengths
from wordorder.core.runtime.kernels import inner_kernel, kernel, longest_row


def extract(alignments: Alignments) -> Reorderings:
    """Extract the reorderings of every sentence pair, in source order.

    >>> from wordorder.core.orders import Alignment
    >>> extract(Alignment(((0, 3), (1, 2), (2, 1), (3, 0)), 4, 4).column()).written(0)
    '1,4,2,3; 1-2,3-4,3,2; 1-3,2-4,4,1'
    """
    return extract_sorted(sort_links(alignments))


def extract_sorted(alignments: Alignments) -> Reorderings:
    """Extract reorderings from links that are already sorted by :func:`sort_links`."""
    spans, counts, blocked = _extract(alignments.source, alignments.target, alignments.offsets)
    return Reorderings(spans.reshape(-1, 4, 2), offsets_from_lengths(counts), blocked)


@kernel
def _extract(source: Ints, target: Ints, offsets: Int64s) -> tuple[Ints, Int64s, Ints]:
    rows = len(offsets) - 1
    most_links = longest_row(offsets)
    most_targets = target.max() + 1 if len(target) else 0
    # These arrays describe the aligned source words of one sentence: the position of each (`place`), its first and
    # last target word (`low`, `high`), and the number of links of the words before it (`before`).
    place = np.empty(most_links, dtype=np.int32)
    low = np.empty(most_links, dtype=np.int32)
    high = np.empty(most_links, dtype=np.int32)
    before = np.empty(most_links + 1, dtype=np.int32)
    joined = np.empty(most_links, dtype=np.bool_)
    # These describe the target words: the number of links of all words before each word, and its first and last
    # source word.
    below = np.empty(most_targets + 1, dtype=np.int32)
    left = np.empty(most_targets, dtype=np.int32)
    right = np.empty(most_targets, dtype=np.int32)

    spans = np.empty((len(source), 8), dtype=np.int32)
    counts = np.zeros(rows, dtype=np.int64)
    blocked = np.zeros(rows, dtype=np.int32)
    found = 0
    for row in range(rows):
        start, stop = offsets[row], offsets[row + 1]
        words = 0
        targets = 0
        for link in range(start, stop):
            targets = max(targets, target[link] + 1)
        below[: targets + 1] = 0
        left[:targets] = stop - start
        right[:targets] = -1
        for link in range(start, stop):
            if link == start or source[link] != source[link - 1]:
                place[words] = source[link]
                low[words] = target[link]
                before[words] = link - start
                words += 1
            word = words - 1
            high[word] = target[link]  # links are sorted, so the last one is the largest
            below[target[link] + 1] += 1
            left[target[link]] = min(left[target[link]], word)
            right[target[link]] = word
        before[words] = stop - start
        for place_ in range(targets):
            below[place_ + 1] += below[place_]

        _block_areas(place[:words], low, high, before, below, left[:targets], right, joined)
        for word in range(words - 1):
            blocked[row] += joined[word]
        first = found
        for current in range(1, words):
            if not joined[current - 1] and high[current] < low[current - 1]:
                _grow(current, words, place, low, high, before, below, spans[found])
                found += 1
        counts[row] = found - first
    return spans[:found].copy(), counts, blocked


@inner_kernel
def _block_areas(
    place: Ints, low: Ints, high: Ints, before: Ints, below: Ints, left: Ints, right: Ints, joined: Bools
) -> None:
    # joined[w] means that the words w and w + 1 lie in one area.
    words = len(place)
    joined[:words] = False
    # A word inside an area defines a smaller area inside it, which adds nothing: such words are skipped.
    reach = -1
    for word in range(words):
        if before[word + 1] - before[word] != high[word] - low[word] + 1 and word > reach:
            reach = max(reach, _close(word, word, low[word], high[word], low, high, left, right, joined))
    for goal in range(len(left)):
        links = below[goal + 1] - below[goal]
        if links > 1 and links != place[right[goal]] - place[left[goal]] + 1 and not joined[left[goal]]:
            _close(left[goal], right[goal], goal, goal, low, high, left, right, joined)


@inner_kernel
def _close(
    first: int, last: int, bottom: int, top: int, low: Ints, high: Ints, left: Ints, right: Ints, joined: Bools
) -> int:
    # Widen the rectangle first..last × bottom..top until no link leaves it; every row and column is visited once.
    seen_first, seen_last = first, first - 1
    seen_bottom, seen_top = bottom, bottom - 1
    while seen_first > first or seen_last < last or seen_bottom > bottom or seen_top < top:
        while seen_last < last:
            seen_last += 1
            bottom, top = min(bottom, low[seen_last]), max(top, high[seen_last])
        while seen_first > first:
            seen_first -= 1
            bottom, top = min(bottom, low[seen_first]), max(top, high[seen_first])
        while seen_top < top:
            seen_top += 1
            first, last = min(first, left[seen_top]), max(last, right[seen_top])
        while seen_bottom > bottom:
            seen_bottom -= 1
            first, last = min(first, left[seen_bottom]), max(last, right[seen_bottom])
    joined[first:last] = True
    return last


@kernel
def _grow(current: int, words: int, place: Ints, low: Ints, high: Ints, before: Ints, below: Ints, spans: Ints) -> None:
    # Here, all links of the source words of a rectangle lie inside it. So the rectangle is consistent if and only if
    # its target words have as many links as its source words.
    previous = current - 1
    b_low, b_high = low[current], high[current]
    a_first, a_low, a_high = previous, low[previous], high[previous]
    g_low, g_high = a_low, a_high
    for word in range(previous - 1, -1, -1):
        g_low, g_high = min(g_low, low[word]), max(g_high, high[word])
        if g_low <= b_high:
            break
        if before[current] - before[word] == below[g_high + 1] - below[g_low]:
            a_first, a_low, a_high = word, g_low, g_high

    b_last = current
    if before[current + 1] - before[a_first] != below[a_high + 1] - below[b_low]:
        g_low, g_high = b_low, b_high
        for word in range(current + 1, words):
            g_low, g_high = min(g_low, low[word]), max(g_high, high[word])
            if g_high >= a_low:
                break
            if before[word + 1] - before[a_first] == below[a_high + 1] - below[g_low]:
                b_last, b_low, b_high = word, g_low, g_high
                break
    while b_high + 1 < a_low and below[b_high + 2] == below[b_high + 1]:
        b_high += 1

    spans[0], spans[1] = place[a_first], place[current] - 1
    spans[2], spans[3] = a_low, a_high
    spans[4], spans[5] = place[current], place[b_last]
    spans[6], spans[7] = b_low, b_high


def rquantity(reorderings: Reorderings, alignments: Alignments, *, side: str = "target") -> Floats:
    """Return RQuantity = Σ(|A_t| + |B_t|)/I for each sentence of I target words, or NaN for an empty sentence.

    The sum is over the reorderings of a sentence, and |A_t| and |B_t| are the lengths of the target spans of their
    two blocks. It is 0 for a monotone sentence and (2 + 3 + … + I)/I for an inverted one. ``side="source"`` uses the
    source spans and the length of the source sentence (Birch 2011, ch. 6). The value for a corpus is the mean over
    its sentences.

    >>> from wordorder.core.orders import Alignment
    >>> from wordorder.core.reorderings import extract
    >>> swapped = Alignment(((0, 1), (1, 0)), 2, 2).column()
    >>> rquantity(extract(swapped), swapped).tolist()
    [1.0]
    """
    lengths = known_lengths(alignments, side, why="for RQuantity")
    result = np.full(len(lengths), np.nan)
    np.divide(reorderings.summed_widths(side), lengths, out=result, where=lengths > 0)
    return result
