"""Matching of hypothesis words with reference words, and the options for it.

Candidates are pairs of single words that are equal or related by stem, synonym or paraphrase, and phrases.

In Talbot's matching rule, each hypothesis word takes the first unmatched occurrence of the same reference word.
"""

import hashlib
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordorder.core.runtime.columns import Bools, Int64s, Ints, Strings, offsets_from_lengths, rows_of
from wordorder.core.runtime.errors import InputError, UsageError, check_choice, mention, refuse
from wordorder.core.runtime.files import line_blocks
from wordorder.core.runtime.kernels import inner_kernel, kernel
from wordorder.core.runtime.settings import accepts_old_names
from wordorder.core.runtime.threads import budget_spans, map_chunks
from wordorder.core.text import Tokens
from wordorder.linking.matching.matches import ROWS_AT_A_TIME, STAGES, WEIGHTS, Matches, Weights, check_columns
from wordorder.linking.matching.relations import (
    Paraphrases,
    Relations,
    Resources,
    WordNet,
    database_files,
    phrase_candidates,
)
from wordorder.linking.matching.search import HYP, HYP_END, NARROW, REF, REF_END, STATES, choose_best, choose_quickly
from wordorder.linking.settings import MatchingSettings


def match_first(hypothesis: Tokens, reference: Tokens) -> Matches:
    """Match equal words from left to right, as the fuzzy reordering score does for text (Talbot et al. 2011).

    >>> from wordorder.core.text import encode
    >>> matches = match_first(*encode(["a b a a"], ["b a c a"]))
    >>> matches.hypothesis.tolist(), matches.reference.tolist()
    ([0, 1, 2], [1, 0, 3])
    """
    check_columns(hypothesis, reference)
    size = len(hypothesis.vocabulary)
    offsets, hyp, ref = _match(hypothesis.ids, hypothesis.offsets, reference.ids, reference.offsets, size)
    ones = np.ones(len(hyp), dtype=np.int32)
    stage = np.zeros(len(hyp), dtype=np.int8)
    return Matches(hyp, ones, ref, ones, stage, offsets, np.ones(len(hypothesis), dtype=np.bool_))


@kernel
def _match(
    hyp_ids: Ints, hyp_offsets: Int64s, ref_ids: Ints, ref_offsets: Int64s, vocabulary_size: int
) -> tuple[Int64s, Ints, Ints]:
    rows = len(hyp_offsets) - 1
    offsets = np.zeros(rows + 1, dtype=np.int64)
    hyp = np.empty(len(hyp_ids), dtype=np.int32)
    ref = np.empty(len(hyp_ids), dtype=np.int32)
    # The first unmatched occurrence of each word in the reference.
    first = np.full(vocabulary_size, -1, dtype=np.int64)
    later = np.empty(len(ref_ids), dtype=np.int64)  # the next occurrence of the same word
    used = 0
    for row in range(rows):
        for j in range(ref_offsets[row + 1] - 1, ref_offsets[row] - 1, -1):
            later[j] = first[ref_ids[j]]
            first[ref_ids[j]] = j
        for i in range(hyp_offsets[row], hyp_offsets[row + 1]):
            j = first[hyp_ids[i]]
            if j >= 0:
                first[hyp_ids[i]] = later[j]
                hyp[used] = i - hyp_offsets[row]
                ref[used] = j - ref_offsets[row]
                used += 1
        for j in range(ref_offsets[row], ref_offsets[row + 1]):
            first[ref_ids[j]] = -1
        offsets[row + 1] = used
    return offsets, hyp[:used], ref[:used]


_MOST = 1 << 20  # limit on the candidates of a row; above it, each word keeps those nearest to the diagonal
_NEAREST = 16
_SMALL = 4096


@kernel
def word_candidates(
    hyp_ids: Ints,
    hyp_offsets: Int64s,
    ref_ids: Ints,
    ref_offsets: Int64s,
    vocabulary_size: int,
    related_offsets: Int64s,
    related: Ints,
    related_stage: NDArray[np.int8],
) -> tuple[Int64s, Ints, NDArray[np.int8], Bools]:
    """Return the candidate matches of each row, and whether each row has all its candidates or only the nearest.

    The result consists of the row offsets, the candidates, the matching stage of each candidate, and a Boolean for
    each row (true if it has all its candidates). The candidates of a row are ordered by hypothesis word, then by
    reference word. A candidate is (hypothesis start, end, reference start, end), with positions counted from the
    start of the row. ``related`` lists, for each word of the vocabulary, the other words that it may match; it may be
    empty.
    """
    rows = len(hyp_offsets) - 1
    offsets = np.zeros(rows + 1, dtype=np.int64)
    whole = np.zeros(rows, dtype=np.bool_)
    pairs = np.empty((2 * len(hyp_ids) + 1024, 4), dtype=np.int32)
    stages = np.empty(len(pairs), dtype=np.int8)
    times = np.zeros(vocabulary_size, dtype=np.int32)  # how often each word occurs in the reference
    first = np.zeros(vocabulary_size, dtype=np.int32)  # where the positions of each word begin in `at`
    for row in range(rows):
        h = hyp_ids[hyp_offsets[row] : hyp_offsets[row + 1]]
        r = ref_ids[ref_offsets[row] : ref_offsets[row + 1]]
        at = _find_places(r, times, first)
        reach = len(r)
        whole[row] = True
        room = len(h) * len(r)
        if room > _SMALL:
            room = _count(h, times, reach, related_offsets, related)
            if room > _MOST:
                whole[row] = False
                reach = _NEAREST
                room = _count(h, times, reach, related_offsets, related)
        used = offsets[row]
        if used + room > len(pairs):
            pairs = np.concatenate((pairs[:used], np.empty((used + 2 * room, 4), dtype=np.int32)))
            stages = np.concatenate((stages[:used], np.empty(used + 2 * room, dtype=np.int8)))
        for i in range(len(h)):
            begin = used
            diagonal = i * len(r) // len(h)
            used = _add(at, first[h[i]], times[h[i]], diagonal, reach, 0, pairs, stages, used)
            if len(related):
                for k in range(related_offsets[h[i]], related_offsets[h[i] + 1]):
                    if times[related[k]]:
                        word, stage = related[k], int(related_stage[k])
                        used = _add(at, first[word], times[word], diagonal, reach, stage, pairs, stages, used)
                _sort(pairs, stages, begin, used)
            for c in range(begin, used):
                pairs[c, 0], pairs[c, 1], pairs[c, 3] = i, i + 1, pairs[c, 2] + 1
        offsets[row + 1] = used
        for j in range(len(r)):
            times[r[j]] = 0
    return offsets, pairs, stages, whole


@inner_kernel
def _find_places(r: Ints, times: Ints, first: Ints) -> Ints:
    """Return the reference positions grouped by word; those of word w begin at ``first[w]``."""
    for j in range(len(r)):
        times[r[j]] += 1
    begin = 0
    for j in range(len(r)):
        if times[r[j]] > 0:
            first[r[j]] = begin
            begin += times[r[j]]
            times[r[j]] = -times[r[j]]  # a negative count marks a word as seen
    at = np.empty(len(r), dtype=np.int32)
    for j in range(len(r)):
        at[first[r[j]]] = j
        first[r[j]] += 1
    for j in range(len(r)):
        if times[r[j]] < 0:
            times[r[j]] = -times[r[j]]
            first[r[j]] -= times[r[j]]
    return at


@inner_kernel
def _count(h: Ints, times: Ints, reach: int, related_offsets: Int64s, related: Ints) -> int:
    total = 0
    for i in range(len(h)):
        total += min(times[h[i]], 2 * reach)
        if len(related):
            for k in range(related_offsets[h[i]], related_offsets[h[i] + 1]):
                total += min(times[related[k]], 2 * reach)
    return total


@inner_kernel
def _add(
    at: Ints,
    first: int,
    times: int,
    diagonal: int,
    reach: int,
    stage: int,
    pairs: Ints,
    stages: NDArray[np.int8],
    used: int,
) -> int:
    """Add a candidate for each occurrence of a word in the reference; return the new number of candidates.

    At most ``reach`` occurrences on either side of the diagonal are used.
    """
    low, high = first, first + times
    if times > 2 * reach:
        while low < high:  # find the first position that is not before the diagonal
            middle = (low + high) // 2
            if at[middle] < diagonal:
                low = middle + 1
            else:
                high = middle
        low = min(max(low - reach, first), first + times - 2 * reach)
        high = low + 2 * reach
    for k in range(low, high):
        pairs[used, 2] = at[k]
        stages[used] = stage
        used += 1
    return used


@inner_kernel
def _sort(pairs: Ints, stages: NDArray[np.int8], begin: int, end: int) -> None:
    """Sort a few candidates by reference word; the list consists of runs that are already sorted."""
    for k in range(begin + 1, end):
        place, stage = pairs[k, 2], stages[k]
        t = k - 1
        while t >= begin and pairs[t, 2] > place:
            pairs[t + 1, 2], stages[t + 1] = pairs[t, 2], stages[t]
            t -= 1
        pairs[t + 1, 2], stages[t + 1] = place, stage


CELLS_AT_A_TIME = 1 << 22
DIGEST_SIZE = 6
_GRAIN = 10_000  # weights are rounded to four decimals

VERSION = 2
"""The version of the matcher.

It is part of score signatures, because versions may choose differently among equally good matchings.
"""

_LANGUAGES_OF_WORDNET = ("english", "porter")

FIRST = "first"
"""The name of the matching rule of Talbot et al. (2011), which replaces all stages."""


@accepts_old_names
@dataclass(frozen=True)
class Matching(MatchingSettings):
    """The stages and resources used to match hypothesis words with reference words.

    The stages are ``exact``, ``stem``, ``synonym`` and ``paraphrase``. Alternatively, ``first`` does not search for
    the best matching: going from left to right, each hypothesis word takes the first unmatched occurrence of the same
    word in the reference (Talbot et al. 2011). It cannot be combined with other stages.

    >>> str(Matching()), str(Matching("exact+stem", language="german"))
    ('exact', 'exact+stem:german')
    """

    def __post_init__(self) -> None:
        object.__setattr__(self, "match", "+".join(self.stages))
        if FIRST in self.stages and len(self.stages) > 1:
            raise UsageError(f"the matching rule {FIRST!r} cannot be combined with other stages; use it alone")
        for stage in self.stages:
            check_choice(stage, (*STAGES, FIRST), "matching stage")
        if "paraphrase" in self.stages and self.paraphrases is None:
            raise UsageError(f"matching by paraphrase needs a table in METEOR format; give {mention('paraphrases')}")
        if "synonym" in self.stages and self.wordnet is None and self.language not in _LANGUAGES_OF_WORDNET:
            raise UsageError(
                f"WordNet has no synonyms for {mention('language', self.language)}, only English ones; leave out the "
                f"stage 'synonym', or give a database of that language: {mention('wordnet')}"
            )
        for name, stage in (("paraphrases", "paraphrase"), ("wordnet", "synonym")):
            if getattr(self, name) is not None and stage not in self.stages:
                raise UsageError(f"{mention(name)} has no effect without the matching stage {stage!r}")

    @property
    def stages(self) -> tuple[str, ...]:
        """The matching stages, in the given order."""
        return tuple(self.match.split("+") if isinstance(self.match, str) else self.match)

    @property
    def signature(self) -> dict[str, Any]:
        """The score signature fields: the stages, the version of the matcher and digests of its files."""
        return {"match": str(self)} | ({} if FIRST in self.stages else {"matcher": VERSION}) | self._digests

    def __str__(self) -> str:
        return "+".join(self.stages) + (f":{self.language}" if "stem" in self.stages else "")

    @property
    def weighted(self) -> bool:
        """Whether words can match in a stage other than ``exact``, so that the weights of the stages matter."""
        return self.stages not in (("exact",), (FIRST,))

    @cached_property
    def _digests(self) -> dict[str, str]:
        """Digests of the files that the stages use, because their content determines what matches."""
        files = {"wordnet": database_files(self.wordnet)} if "synonym" in self.stages else {}
        files |= {"paraphrases": [Path(self.paraphrases)]} if self.paraphrases else {}
        found = {}
        for name, paths in files.items():
            digest = hashlib.blake2b(digest_size=DIGEST_SIZE)
            for path in paths:
                for block in line_blocks(path):
                    digest.update(block.data.data)
            found[name] = digest.hexdigest()
        return found

    @cached_property
    def resources(self) -> Resources:
        """The resources that the stages need (stemmer, WordNet, paraphrases), loaded on first use."""
        return Resources(
            self.language if "stem" in self.stages else None,
            WordNet.read(self.wordnet) if "synonym" in self.stages else None,
            Paraphrases.read(self.paraphrases) if self.paraphrases and "paraphrase" in self.stages else None,
        )

    def over(self, vocabulary: Strings) -> Callable[[Tokens, Tokens, Weights | None], Matches]:
        """Return a function that matches columns that use the given vocabulary.

        For each set of stage weights, the function determines only once which words may match.
        """
        if self.stages == (FIRST,):
            return lambda hypothesis, reference, _: match_first(hypothesis, reference)
        if self.stages == ("exact",):
            return lambda hypothesis, reference, _: match(hypothesis, reference)
        relate = cache(lambda weights: replace(self.resources, weights=weights or WEIGHTS).relate(vocabulary))
        return lambda hypothesis, reference, weights: match(hypothesis, reference, relations=relate(weights))


def match(
    hypothesis: Tokens, reference: Tokens, *, relations: Relations | None = None, states: int = STATES, threads: int = 1
) -> Matches:
    """Find the best one-to-one matching of hypothesis words with reference words in each row.

    The best matching has the most matched words (weighted by stage and counted on both sides), then the fewest
    chunks, then the smallest total displacement |i − j| of hypothesis word i and reference word j. These are the
    criteria of METEOR 1.5 (Denkowski & Lavie 2014). Ties are broken in favour of the fewest crossings, then in favour
    of the leftmost matching: at the first hypothesis word where two matchings differ, a match is preferred to no
    match, and an earlier reference word is preferred to a later one.

    Hypotheses and references must share a vocabulary. ``relations``, which must refer to the same vocabulary, defines
    which different words may match. ``states`` is the largest number of states that the search keeps per hypothesis
    word; ``Matches.proven`` marks the rows whose matching is proven to be the best.

    >>> from wordorder.core.text import tokenise
    >>> hypothesis, reference = tokenise([["the cat saw the dog"], ["the dog saw the cat"]])
    >>> matches = match(hypothesis, reference)
    >>> matches.reference.tolist(), matches.chunks.tolist(), str(matches.orders()[0])
    ([3, 4, 2, 0, 1], [3], '4 5 3 1 2')
    """
    check_columns(hypothesis, reference)
    refuse(states < 1, f"states must be at least 1, not {states}")
    size = len(hypothesis.vocabulary)
    known = relations or Relations(np.zeros(size + 1, np.int64), np.zeros(0, np.int32), np.zeros(0, np.int8))
    if len(known.offsets) != size + 1:
        raise InputError(
            f"the relations cover {len(known.offsets) - 1} words, but the vocabulary has {size}; "
            "compute the relations of this vocabulary"
        )

    # Long sentences have many candidates, so both the word pairs and the rows of a chunk are limited.
    cells = np.minimum(hypothesis.lengths * reference.lengths, CELLS_AT_A_TIME)
    chunks = budget_spans(cells + CELLS_AT_A_TIME // ROWS_AT_A_TIME, CELLS_AT_A_TIME)

    parts = [(hypothesis[start:stop], reference[start:stop]) for start, stop in chunks or [(0, 0)]]
    return Matches.concatenate(list(map_chunks(partial(_match_rows, known, states), parts, threads=threads)))


def _match_rows(relations: Relations, states: int, sentences: tuple[Tokens, Tokens]) -> Matches:
    hypothesis, reference = sentences
    size = len(hypothesis.vocabulary)
    texts = hypothesis.ids, hypothesis.offsets, reference.ids, reference.offsets
    offsets, pairs, stage, whole = word_candidates(*texts, size, relations.offsets, relations.words, relations.stages)
    pairs, stage = pairs[: offsets[-1]], stage[: offsets[-1]]
    if relations.phrases is not None:
        more_offsets, more, all_found = phrase_candidates(*texts, relations.phrases)
        offsets, pairs, stage = _merge(offsets, pairs, stage, more_offsets, more)
        whole &= all_found
    # Weights are scaled to the smallest integers with the same proportions, so that sums are exact.
    numbers = [round(weight * _GRAIN) for weight in relations.weights]
    weight = (np.array(numbers, dtype=np.int64) // max(1, math.gcd(*numbers)))[stage]
    chosen, proven = choose(offsets, pairs, weight, np.stack([hypothesis.lengths, reference.lengths], 1), states)
    rows = rows_of(offsets)[chosen]
    pairs = np.asfortranarray(pairs[chosen])
    return Matches(
        hypothesis=pairs[:, HYP],
        hypothesis_size=pairs[:, HYP_END] - pairs[:, HYP],
        reference=pairs[:, REF],
        reference_size=pairs[:, REF_END] - pairs[:, REF],
        stage=stage[chosen],
        offsets=offsets_from_lengths(np.bincount(rows, minlength=len(hypothesis))),
        proven=whole & proven,
    )


def choose(offsets: Int64s, pairs: Ints, weight: Int64s, lengths: Int64s, states: int) -> tuple[Bools, Bools]:
    """Choose the best matching of each row; mark the chosen candidates, and the rows whose matching is proven best.

    The candidates of a row must be sorted by hypothesis start, then by reference start. ``lengths`` holds the
    hypothesis length and the reference length of each row.
    """
    chosen, proven, hard = np.zeros(len(pairs), bool), np.zeros(len(lengths), bool), np.zeros(len(lengths), bool)
    choose_quickly(offsets, pairs, weight, lengths, chosen, proven, hard, min(NARROW, states), states)
    if len(rows := np.flatnonzero(hard)):  # a separate kernel, compiled only if some row is hard
        choose_best(offsets, pairs, weight, lengths, chosen, proven, rows, states)
    return chosen, proven


def _merge(
    offsets: Int64s, pairs: Ints, stage: NDArray[np.int8], more_offsets: Int64s, more: Ints
) -> tuple[Int64s, Ints, NDArray[np.int8]]:
    """Merge the single-word candidates with the phrase candidates, in the order that the search requires."""
    rows = np.concatenate([rows_of(offsets), rows_of(more_offsets)])
    pairs = np.concatenate([pairs, more])
    stage = np.concatenate([stage, np.full(len(more), STAGES.index("paraphrase"), dtype=np.int8)])
    order = np.lexsort((pairs[:, REF_END], pairs[:, HYP_END], pairs[:, REF], pairs[:, HYP], rows))
    return offsets + more_offsets, pairs[order], stage[order]
