"""n-gram counts for BLEU and chrF; they equal those of sacreBLEU but are computed from integer word IDs."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wordorder.core.runtime.columns import Floats, Ints, Offsets, Ragged, Strings, bytes_of, offsets_from_lengths
from wordorder.core.runtime.kernels import find_slot, hash_table, kernel, plain_form
from wordorder.core.runtime.threads import budget_spans
from wordorder.core.text.tokens import Tokens

ORDERS = 4
CHARACTER_ORDERS = 6
COLUMNS = (
    "hypothesis_length",
    "reference_length",
    *(f"correct{order}" for order in range(1, ORDERS + 1)),
    *(f"total{order}" for order in range(1, ORDERS + 1)),
)

_WORDS_AT_ONCE = 1 << 15


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


@plain_form(_count, items=500_000)
def _count_by_sorting(
    hypothesis: Ints, hypothesis_offsets: Offsets, references: Ints, reference_offsets: Offsets, orders: int
) -> Floats:
    """Do the same as ``_count`` with operations on columns of a few segments, so that they stay in the cache."""
    sizes, reference_sizes = np.diff(hypothesis_offsets), np.diff(reference_offsets)
    distance = np.abs(reference_sizes - sizes) * np.int64(reference_sizes.max(initial=0) + 1)
    closest = np.argmin(distance + reference_sizes, axis=0)  # of two that are equally close, the shorter one
    result = np.zeros((len(sizes), 2 + 2 * orders))
    result[:, 0], result[:, 1] = sizes, np.take_along_axis(reference_sizes, closest[None], axis=0)[0]
    result[:, 2 + orders :] = np.maximum(sizes[:, None] - np.arange(orders), 0)
    for start, stop in budget_spans(sizes + reference_sizes.sum(axis=0) + 1, _WORDS_AT_ONCE):
        part = slice(start, stop + 1)
        texts = [hypothesis[slice(*hypothesis_offsets[[start, stop]])]]
        texts += [references[slice(*ends[[start, stop]])] for ends in reference_offsets]
        lengths = np.array([np.diff(hypothesis_offsets[part]), *np.diff(reference_offsets[:, part])])
        result[start:stop, 2 : 2 + orders] = _matched_by_sorting(texts, lengths, orders)
    return result


def _matched_by_sorting(texts: list[Ints], lengths: Offsets, orders: int) -> Floats:
    """Count the matched n-grams of some segments, given the words and lengths of the hypotheses and each reference.

    Each place in the texts becomes a number: first the n-gram that begins there, then the place. If these are sorted,
    equal n-grams are neighbours. An n-gram is (number of its first n − 1 words, number of its last word); all of these
    are below the number of places, which is at most 2^21.
    """
    ends = np.cumsum([len(text) for text in texts])
    row = np.repeat(np.tile(np.arange(lengths.shape[1]), len(texts)), lengths.ravel())
    left = np.repeat(np.cumsum(lengths), lengths.ravel()) - np.arange(ends[-1])  # words from here to the end of the row
    bits = int(ends[-1]).bit_length()
    places, keys, words = np.arange(ends[-1]), row << 31 | np.concatenate(texts), np.empty(ends[-1], np.int64)
    result = np.zeros((lengths.shape[1], orders))
    for order in range(orders):
        keys <<= bits
        keys |= places
        keys.sort()
        places = keys & (1 << bits) - 1
        keys >>= bits
        is_new = np.ones(len(keys) + 1, dtype=np.bool_)
        np.not_equal(keys[1:], keys[:-1], out=is_new[1:-1])
        begins = np.flatnonzero(is_new)
        before = [np.append(0, np.cumsum(places < end))[begins] for end in ends[:-1]]
        counts = np.diff(np.diff([*before, begins], axis=0, prepend=0))
        both = np.minimum(counts[0], counts[1:].max(axis=0))
        result[:, order] = np.bincount(row[places[begins[:-1]]], weights=both, minlength=len(result))
        numbers = np.cumsum(is_new[:-1]) - 1
        if order == 0:
            words[places] = numbers
        longer = np.flatnonzero((both > 0)[numbers] & (left[places] > order + 1))  # no others can match
        places, numbers = places[longer], numbers[longer]
        keys = numbers << bits | words[places + order + 1]
    return result
