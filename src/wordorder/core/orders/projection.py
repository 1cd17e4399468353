"""Projection policies, which turn word alignments into word orders.

Every policy first gives each source word a number, its *place*; the words sorted by place are in target order. An
aligned word takes its place from its first target word. The policies differ in the place of unaligned words and in
whether words that share a target word are ordered:

=============  ===========================================================================================
birch          unaligned words follow the previous source word; at the start of the sentence, they come first
               (Birch 2011, §5.2, as in the author's code)
talbot         unaligned words come right before the next aligned word, or at the end if there is none;
               words with the same first target word form a group whose inner order is free (Talbot et al. 2011)
attach-left    unaligned words stay with the aligned word on their left, or with the first aligned word
attach-right   unaligned words stay with the aligned word on their right, or with the last aligned word
drop           unaligned words are left out; two orders are compared on the words that both contain
=============  ===========================================================================================

Words with the same place keep their source order, except in a group of the ``talbot`` policy. If a sentence pair has
no links, its order is undefined and its permutation is empty. There is one exception: under ``birch`` and ``talbot``,
a hypothesis without links is monotone when compared with a reference, because the rules for unaligned words leave all
of them in source order. Otherwise, a system could raise its score by leaving difficult sentences unaligned.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

import numpy as np

from wordorder.core.orders.alignment import UNKNOWN, Alignments
from wordorder.core.orders.permutation import Permutations
from wordorder.core.runtime.columns import Ints, Offsets, ValueColumn, offsets_from_lengths, positions, rows_of
from wordorder.core.runtime.errors import InputError, check_choice, count_of, mention
from wordorder.core.runtime.files import LONGEST_SENTENCE
from wordorder.core.runtime.kernels import inner_kernel, kernel, longest_row

POLICIES = ("birch", "talbot", "attach-left", "attach-right", "drop")
DEFAULT_POLICY = "birch"

MONOTONE_UNLINKED = ("birch", "talbot")
"""The policies under which a hypothesis without links is monotone when it is compared with a reference."""

_DROPPED = -1
_BIRCH, _TALBOT, _LEFT, _RIGHT, _DROP = range(5)
_NEAR = 8  # places up to this times the number of words are counted instead of sorted


@dataclass(frozen=True, eq=False)
class Places(ValueColumn[list[list[int]]]):
    """The place of each source word; the words sorted by place are in target order.

    ``places`` has a number for each source word of all sentences; −1 means that the word is left out. Words that
    share an even place are in source order, and words that share an odd place form a group whose inner order is free.
    """

    of_values = ("places",)

    places: Ints
    offsets: Offsets
    policy: str

    def __repr__(self) -> str:
        return f"Places({len(self)} sentences, {len(self.places)} words, {self.policy})"

    def against_source(self) -> Permutations:
        """Return the target order relative to the source order, as the ranks of the source words in target order.

        >>> from wordorder.core.orders import Alignment
        >>> str(place(Alignment(((0, 2), (1, 0), (2, 1)), 3).column()).against_source()[0])
        '2 3 1'
        """
        return self.against(Places(2 * positions(self.offsets), self.offsets, self.policy))

    def against(self, reference: "Places") -> Permutations:
        """Return this order relative to a reference: the words in this order, each as its rank in the reference.

        If the reference leaves the order of some words open (policy ``talbot``), their ranks follow this order.
        """
        if self.policy != reference.policy:
            raise InputError(f"cannot compare orders from different policies: {self.policy} and {reference.policy}")
        if not np.array_equal(self.offsets, reference.offsets):
            size = min(len(self), len(reference))
            row = int(np.append(self.lengths[:size] != reference.lengths[:size], True).argmax())
            raise InputError(f"source sentence {row + 1} has different lengths in the two alignments", line=row + 1)
        ranks, lengths = _relative(self.places, reference.places, self.offsets)
        return Permutations(ranks, offsets_from_lengths(lengths))

    def groups(self, row: int) -> list[list[int]]:
        """Return the source words of one sentence in target order, as a list of groups.

        A group has several words only if their order is free.
        """
        places = self.places[self.offsets[row] : self.offsets[row + 1]].tolist()
        words = sorted((place, word) for word, place in enumerate(places) if place != _DROPPED)
        result: list[list[int]] = []
        for place, members in groupby(words, key=itemgetter(0)):
            group = [word for _, word in members]
            result += [group] if place % 2 else [[word] for word in group]
        return result

    _value = groups

    def written(self, row: int, words: Sequence[str] | Mapping[int, str]) -> str:
        """Return one sentence in target order as text, with double braces around words that have no fixed order.

        >>> from wordorder.core.orders import Alignment
        >>> pair = Alignment(((0, 1), (1, 0), (2, 0)), 3)
        >>> place(pair.column(), policy="talbot").written(0, ["x", "a", "b"])
        '{{ a b }} x'
        """
        parts = []
        for group in self.groups(row):
            text = " ".join(words[word] for word in group)
            parts.append(f"{{{{ {text} }}}}" if len(group) > 1 else text)
        return " ".join(parts)


def place(alignments: Alignments, *, policy: str = DEFAULT_POLICY) -> Places:
    """Return the place that a policy gives to every source word."""
    check_choice(policy, POLICIES, "policy")
    lengths = alignments.source_lengths
    unknown = lengths == UNKNOWN
    if unknown.any():
        if policy != "drop":
            row = int(np.argmax(unknown))
            hint = f"give {mention('source')} or {mention('source_lengths')}, or use {mention('policy', 'drop')}"
            problem = f"the length of every source sentence, but it is unknown for row {row + 1}"
            message = f"the policy {policy} needs {problem}; {hint}"
            raise InputError(message, line=row + 1)
        lengths = np.where(unknown, _used_lengths(alignments.source, alignments.offsets), lengths)
    if alignments.target.max(initial=0) >= LONGEST_SENTENCE:
        link = int(np.argmax(alignments.target))
        limit = f"the longest sentence allowed ({LONGEST_SENTENCE} words)"
        far = f"target position {alignments.target[link]} is beyond {limit}"
        raise InputError(far, line=int(rows_of(alignments.offsets)[link]) + 1)
    offsets = offsets_from_lengths(lengths)
    places = _place(alignments.source, alignments.target, alignments.offsets, offsets, POLICIES.index(policy))
    return Places(places, offsets, policy)


def order_against_reference(
    hypothesis: Alignments, reference: Alignments, *, policy: str = DEFAULT_POLICY
) -> Permutations:
    """Return the order of the source words in the hypothesis relative to that in the reference (Birch 2011, ch. 5).

    A hypothesis without links is monotone (policies ``birch`` and ``talbot``) or undefined. A reference without links
    leaves the segment undefined.

    >>> from wordorder.core.orders import Alignment
    >>> hypothesis = Alignment(((0, 0), (1, 1), (2, 2)), 3).column()
    >>> reference = Alignment(((0, 0), (1, 2), (2, 1)), 3).column()
    >>> str(order_against_reference(hypothesis, reference)[0])
    '1 3 2'
    """
    if len(hypothesis) != len(reference):
        found = count_of(len(hypothesis), "hypothesis alignment")
        raise InputError(f"found {found} but {count_of(len(reference), 'reference alignment')}")
    if policy == "drop":  # lengths that were derived from the links may differ: compare over the longer one
        length = np.maximum(_drop_lengths(hypothesis), _drop_lengths(reference))
        hypothesis, reference = hypothesis.with_lengths(source=length), reference.with_lengths(source=length)
    own = place(hypothesis, policy=policy)
    if policy in MONOTONE_UNLINKED:  # they leave out a word only if no word of its sentence has a link
        own = Places(np.maximum(own.places, 0), own.offsets, policy)
    return own.against(place(reference, policy=policy))


def order_against_source(alignments: Alignments, *, policy: str = DEFAULT_POLICY) -> Permutations:
    """Return the target order relative to the source order; a monotone translation gives the identity permutation."""
    return place(alignments, policy=policy).against_source()


def _drop_lengths(alignments: Alignments) -> Ints:
    return np.maximum(alignments.source_lengths, _used_lengths(alignments.source, alignments.offsets))


@kernel
def _used_lengths(source: Ints, offsets: Offsets) -> Ints:
    lengths = np.zeros(len(offsets) - 1, dtype=np.int32)
    for row in range(len(lengths)):
        for link in range(offsets[row], offsets[row + 1]):
            lengths[row] = max(lengths[row], source[link] + 1)
    return lengths


@kernel
def _place(source: Ints, target: Ints, link_offsets: Offsets, offsets: Offsets, policy: int) -> Ints:
    never = np.int32(2**30 - 1)
    places = np.full(offsets[-1], never, dtype=np.int32)
    for row in range(len(offsets) - 1):
        start, stop = offsets[row], offsets[row + 1]
        first = never  # the smallest linked target position of the sentence
        for link in range(link_offsets[row], link_offsets[row + 1]):
            word = start + source[link]
            places[word] = min(places[word], target[link])
            first = min(first, target[link])
        if first == never:
            places[start:stop] = _DROPPED
            continue
        if policy == _DROP:
            for word in range(start, stop):
                places[word] = _DROPPED if places[word] == never else 2 * places[word]
        elif policy != _TALBOT:
            line = places[start:stop][:: -1 if policy == _RIGHT else 1]
            before = np.int32(-1)  # birch: leading unaligned words come first
            if policy != _BIRCH:
                word = 0
                while line[word] == never:
                    word += 1
                before = line[word]
            for word in range(len(line)):
                if line[word] != never:
                    before = line[word]
                line[word] = 2 * (before + 1)
        else:
            _place_talbot(places[start:stop], never)
    return places


@inner_kernel
def _place_talbot(places: Ints, never: np.int32) -> None:
    # The place of a group is odd. An unaligned word right before a whole group gets the even number below, so that it
    # precedes the group; an unaligned word between two members belongs to the group. Trailing unaligned words get
    # twice `never`, which is even and higher than all other places.
    length = len(places)
    top = np.int32(0)
    for word in range(length):
        if places[word] != never:
            top = max(top, places[word])
    opener = np.full(top + 1, length, dtype=np.int32)  # first source word of each group
    for word in range(length - 1, -1, -1):
        if places[word] != never:
            opener[places[word]] = word
    after = never
    for word in range(length - 1, -1, -1):
        aligned = places[word] != never
        if aligned:
            after = places[word]
        places[word] = 2 * after + (aligned or (after != never and opener[after] < word))


@kernel
def _relative(own: Ints, reference: Ints, offsets: Offsets) -> tuple[Ints, Offsets]:
    rows = len(offsets) - 1
    longest = longest_row(offsets)
    keys = np.empty(longest, dtype=np.int64)
    word_at = np.empty(longest, dtype=np.int32)
    rank_of = np.empty(longest, dtype=np.int32)
    rank_at, reference_rank_at = np.empty((2, _NEAR * longest + 2), dtype=np.int32)
    result = np.empty(len(own), dtype=np.int32)
    lengths = np.zeros(rows, dtype=np.int64)
    filled = 0
    for row in range(rows):
        start, stop = offsets[row], offsets[row + 1]
        bits = np.int32(0)  # of all places; so no place is higher than this number
        for word in range(start, stop):
            bits |= own[word] | reference[word]
        last = bits >> 1
        if bits >= 0 and not bits & 1 and last <= _NEAR * (stop - start):
            # Counting words by place is faster than sorting them. Of each place, the arrays have the number of words
            # at lower places, and then the rank of its next word.
            rank_at[: last + 2] = reference_rank_at[: last + 2] = 0
            for word in range(start, stop):
                rank_at[(own[word] >> 1) + 1] += 1
                reference_rank_at[(reference[word] >> 1) + 1] += 1
            for place in range(last):
                rank_at[place + 1] += rank_at[place]
                reference_rank_at[place + 1] += reference_rank_at[place]
            for word in range(start, stop):
                place, reference_place = own[word] >> 1, reference[word] >> 1
                result[filled + rank_at[place]] = reference_rank_at[reference_place]
                rank_at[place] += 1
                reference_rank_at[reference_place] += 1
            lengths[row] = stop - start
            filled += stop - start
            continue
        count = 0
        for word in range(stop - start):
            if own[start + word] >= 0 and reference[start + word] >= 0:
                keys[count] = (np.int64(own[start + word]) << 32) | word
                count += 1
        _sort(keys[:count])
        for rank in range(count):
            word = keys[rank] & 0xFFFFFFFF
            word_at[rank] = word
            rank_of[word] = rank
        for rank in range(count):
            word = word_at[rank]
            place = reference[start + word]
            tie = rank if place % 2 else word
            keys[rank] = (np.int64(place) << 32) | tie
        _sort(keys[:count])
        for rank in range(count):
            place = keys[rank] >> 32
            tie = keys[rank] & 0xFFFFFFFF
            word = word_at[tie] if place % 2 else tie
            result[filled + rank_of[word]] = rank
        lengths[row] = count
        filled += count
    return (result if filled == len(result) else result[:filled].copy()), lengths


@inner_kernel
def _sort(keys: Offsets) -> None:
    # Word orders are usually nearly sorted, so insertion sort is fastest for sentences of normal length.
    if len(keys) > 64:
        keys.sort()
        return
    for i in range(1, len(keys)):
        key = keys[i]
        j = i - 1
        while j >= 0 and keys[j] > key:
            keys[j + 1] = keys[j]
            j -= 1
        keys[j + 1] = key
