"""n-gram counts for BLEU and chrF; they equal those of sacreBLEU but are computed from integer word IDs."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from wordorder.core.runtime.columns import (
    Floats,
    Ints,
    Offsets,
    Ragged,
    Strings,
    bytes_of,
    encode_strings,
    offsets_from_lengths,
    to_column,
)
from wordorder.core.runtime.kernels import find_slot, hash_table, kernel, plain_form
from wordorder.core.text.tokens import Tokens

ORDERS = 4
CHARACTER_ORDERS = 6
COLUMNS = (
    "hypothesis_length",
    "reference_length",
    *(f"correct{order}" for order in range(1, ORDERS + 1)),
    *(f"total{order}" for order in range(1, ORDERS + 1)),
)


def ngram_statistics(hypothesis: Tokens, references: Sequence[Tokens], *, orders: int = ORDERS) -> Floats:
    """Return the BLEU statistics of each segment for n = 1…``orders``, ``[segments, 2 + 2 · orders]``.

    They are the lengths of hypothesis and reference, the number of matched n-grams for each n, and the number of
    hypothesis n-grams for each n. An n-gram matches at most as often as it occurs in the reference that contains it
    most often. The reference length is the one closest to the hypothesis length or, if two are equally close, the
    shorter one (Papineni et al. 2002).
    """
    starts = np.cumsum([0, *(len(reference.ids) for reference in references)])[:-1]
    offsets = np.stack([reference.offsets + start for reference, start in zip(references, starts, strict=True)])
    ids = np.concatenate([reference.ids for reference in references])
    return _count(hypothesis.ids, hypothesis.offsets, ids, offsets, orders)


_SPACES = np.array([chr(code).isspace() for code in range(0x3002)])
"""Marks the code points of whitespace; the last one, which is not whitespace, stands for all that follow."""


@dataclass(frozen=True, eq=False)
class Characters(Ragged):
    """The characters of lines without whitespace: ``codes[offsets[i]:offsets[i + 1]]`` are the code points of line i.

    >>> from wordorder.core.text import lines_of
    >>> Characters.of(lines_of(["ab c", "ö\u3000!"])).codes.tolist()
    [97, 98, 99, 246, 33]
    """

    codes: Ints
    offsets: Offsets

    @classmethod
    def of(cls, lines: Strings) -> "Characters":
        """Return the characters of lines of text."""
        data, offsets = bytes_of(lines)
        data, offsets = data[offsets[0] : offsets[-1]], offsets - offsets[0]
        codes = data
        if len(data) and data.max() >= 0x80:
            codes = np.frombuffer(data.tobytes().decode().encode("utf-32-le"), np.uint32)
            offsets = offsets_from_lengths(data & 0xC0 != 0x80)[offsets]  # count the first byte of each character
        kept = ~_SPACES.take(codes, mode="clip")
        return cls(codes[kept].astype(np.int32), offsets_from_lengths(kept)[offsets])


def character_statistics(hypothesis: Characters, reference: Characters) -> Floats:
    """Return the chrF statistics of each segment for n = 1…6, ``[segments, 18]`` (Popović 2015).

    They are, for each n, the numbers of hypothesis, reference and matched n-grams. As in sacreBLEU, hypothesis
    n-grams longer than the reference are not counted.

    >>> from wordorder.core.text import lines_of
    >>> character_statistics(*(Characters.of(lines_of([line])) for line in ("ab c", "abd")))[0, :6].tolist()
    [3.0, 3.0, 2.0, 2.0, 2.0, 1.0]
    """
    texts = hypothesis.codes, hypothesis.offsets, reference.codes, reference.offsets[None]
    matched = _count(*texts, CHARACTER_ORDERS)
    shorter = np.arange(CHARACTER_ORDERS)
    lengths = hypothesis.lengths, reference.lengths
    in_hypothesis, in_reference = np.maximum(np.array(lengths)[:, :, None] - shorter, 0)
    correct = matched[:, 2 : 2 + CHARACTER_ORDERS]
    counts = np.stack([np.where(in_reference > 0, in_hypothesis, 0), in_reference, correct], axis=2)
    return counts.reshape(len(hypothesis), -1)


@kernel
def _count(
    hypothesis: Ints, hypothesis_offsets: Offsets, references: Ints, reference_offsets: Offsets, orders: int
) -> Floats:
    segments = len(hypothesis_offsets) - 1
    count = len(reference_offsets)
    result = np.zeros((segments, 2 + 2 * orders), dtype=np.float64)
    largest = 1
    for segment in range(segments):
        size = hypothesis_offsets[segment + 1] - hypothesis_offsets[segment]
        for r in range(count):
            size += reference_offsets[r, segment + 1] - reference_offsets[r, segment]
        largest = max(largest, size)
    # The table maps an n-gram, as (number of its first n − 1 words, last word), to its number. It is exact: no two
    # n-grams share a number. The numbers of each segment and order start at ``first``, which empties the table.
    keys, numbers = hash_table(largest)
    first = np.int64(0)
    words = np.empty(largest, dtype=np.int32)
    prefix = np.empty(largest, dtype=np.int64)
    begins = np.empty(count + 2, dtype=np.int64)
    in_hypothesis = np.empty(largest, dtype=np.int32)
    in_reference = np.empty(largest, dtype=np.int32)
    most = np.empty(largest, dtype=np.int32)
    for segment in range(segments):
        filled = 0
        begins[0] = 0
        for place in range(hypothesis_offsets[segment], hypothesis_offsets[segment + 1]):
            words[filled] = hypothesis[place]
            filled += 1
        begins[1] = filled
        closest = np.int64(-1)
        for r in range(count):
            for place in range(reference_offsets[r, segment], reference_offsets[r, segment + 1]):
                words[filled] = references[place]
                filled += 1
            begins[r + 2] = filled
            length = filled - begins[r + 1]
            gap, best = abs(length - begins[1]), abs(closest - begins[1])
            if closest < 0 or gap < best or (gap == best and length < closest):
                closest = length
        result[segment, 0] = begins[1]
        result[segment, 1] = closest
        for place in range(filled):
            prefix[place] = 0
        for order in range(1, orders + 1):
            known = 0
            for text in range(count + 1):
                for place in range(begins[text], begins[text + 1] - order + 1):
                    key = (prefix[place] << 32) | words[place + order - 1]
                    slot = find_slot(keys, numbers, first, key)
                    if numbers[slot] < first:
                        keys[slot], numbers[slot] = key, first + known
                        in_hypothesis[known] = in_reference[known] = most[known] = 0
                        known += 1
                    number = numbers[slot] - first
                    prefix[place] = number
                    if text == 0:
                        in_hypothesis[number] += 1
                    else:
                        in_reference[number] += 1
                        most[number] = max(most[number], in_reference[number])
                if text:
                    for place in range(begins[text], begins[text + 1] - order + 1):
                        in_reference[prefix[place]] = 0
            matched = 0
            for number in range(known):
                matched += min(in_hypothesis[number], most[number])
            result[segment, 1 + order] = matched
            result[segment, 1 + orders + order] = max(begins[1] - order + 1, 0)
            first += known
    return result


@plain_form(_count, items=200_000)
def _count_by_columns(
    hypothesis: Ints, hypothesis_offsets: Offsets, references: Ints, reference_offsets: Offsets, orders: int
) -> Floats:
    """Do the same as ``_count`` with operations on whole columns; an n-gram is (number of its prefix, last word)."""
    sizes, reference_sizes = np.diff(hypothesis_offsets), np.diff(reference_offsets)
    distance = np.abs(reference_sizes - sizes) * np.int64(reference_sizes.max(initial=0) + 1)
    closest = np.argmin(distance + reference_sizes, axis=0)  # of two that are equally close, the shorter one
    lengths = [sizes, np.take_along_axis(reference_sizes, closest[None], axis=0)[0]]
    texts = [hypothesis, *[references] * len(reference_offsets)]
    offsets = [hypothesis_offsets, *reference_offsets]
    words = np.concatenate([text[ends[0] : ends[-1]] for text, ends in zip(texts, offsets, strict=True)])
    every = np.concatenate([sizes, *reference_sizes])  # the sizes of all rows of all texts
    row = np.repeat(np.tile(np.arange(len(sizes)), len(texts)), every)
    left = np.repeat(np.cumsum(every), every) - np.arange(len(words))  # words from here to the end of the row
    begins = np.cumsum([0, *(ends[-1] - ends[0] for ends in offsets)])
    places, prefix, matched = np.arange(len(words)), row, []
    for order in range(orders):
        fits = left[places] > order
        places, prefix = places[fits], prefix[fits]
        number, distinct = encode_strings(to_column(prefix.astype(np.int64) << 32 | words[places + order]))
        spans = np.searchsorted(places, begins)
        counts = [np.bincount(number[a:b], minlength=len(distinct)) for a, b in pairwise(spans)]
        both = np.minimum(counts[0], np.max(counts[1:], axis=0))
        of_row = np.zeros(len(distinct), dtype=np.int64)
        of_row[number] = row[places]
        matched.append(np.bincount(of_row, weights=both, minlength=len(sizes)))
        found = both[number] > 0  # a longer n-gram can only match if this one does
        places, prefix = places[found], number[found]
    totals = [np.maximum(sizes - order, 0) for order in range(orders)]
    return np.stack([*lengths, *matched, *totals], axis=1).astype(np.float64)
