"""Matching hypothesis words with reference words, column against column."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from wordorder.matching.bounds import look_ahead, tighten
from wordorder.matching.candidates import word_candidates
from wordorder.matching.lexicon import Relations
from wordorder.matching.matches import STAGES, Matches, Weights
from wordorder.matching.phrases import phrase_candidates
from wordorder.matching.reduction import FIXED, HYP, HYP_END, REF, REF_END, reduce
from wordorder.matching.search import EXACT, LIMIT, STATES, search
from wordorder.runtime.errors import InputError, UsageError
from wordorder.runtime.ragged import offsets_from_lengths, rows_of
from wordorder.runtime.threads import map_chunks
from wordorder.text import Tokens

ROWS_AT_A_TIME = 4096
CELLS_AT_A_TIME = 1 << 22
NARROW = 16
"""States of the first beam."""
WIDER = 4
"""How many times wider the next one is."""
LOWEST = -(1 << 62)
_GRAIN = 10_000  # weights are kept to four decimals


def match(
    hypothesis: Tokens,
    reference: Tokens,
    *,
    relations: Relations | None = None,
    states: int = STATES,
    threads: int = 1,
) -> Matches:
    """Match words one to one, row by row, in the best way there is.

    The best matching has the most (weighted) matched words of both sides, then the fewest chunks, then the smallest
    total displacement |i − j|: the order of METEOR 1.5 (Denkowski & Lavie 2014). Both columns share their vocabulary;
    ``relations`` over it tell which words match besides equal ones. ``states`` limits the search, and
    ``Matches.exact`` tells which rows kept within the limit.

    >>> from wordorder.text import tokenise
    >>> hypothesis, reference = tokenise([["the cat saw the dog"], ["the dog saw the cat"]])
    >>> matches = match(hypothesis, reference)
    >>> matches.reference.tolist(), matches.chunks.tolist(), str(matches.orders()[0])
    ([3, 4, 2, 0, 1], [3], '4 5 3 1 2')
    """
    check_columns(hypothesis, reference)
    if states < 1:
        raise UsageError(f"the search needs at least 1 state, not {states}")
    size = len(hypothesis.vocabulary)
    known = relations or Relations(np.zeros(size + 1, np.int64), np.zeros(0, np.int32), np.zeros(0, np.int8))
    if len(known.offsets) != size + 1:
        raise InputError(f"relations of {len(known.offsets) - 1} words do not fit a vocabulary of {size}")

    def work(span: tuple[int, int]) -> Matches:
        return _match_rows(hypothesis.slice(*span), reference.slice(*span), size, known, states)

    parts = map_chunks(work, _chunks(hypothesis.lengths * reference.lengths), threads=threads)
    return Matches.concatenate(list(parts), weights=known.weights)


def _chunks(cells: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Cut rows into chunks that have few enough rows and pairs of words: long sentences have many candidates."""
    total = np.cumsum(np.minimum(cells, CELLS_AT_A_TIME))
    start, done = 0, 0
    while start < len(cells):
        stop = int(np.searchsorted(total, done + CELLS_AT_A_TIME, side="right"))
        stop = min(max(stop, start + 1), start + ROWS_AT_A_TIME)
        yield start, stop
        start, done = stop, int(total[stop - 1])


def check_columns(hypothesis: Tokens, reference: Tokens) -> None:
    """Refuse columns that cannot be compared row by row."""
    if len(hypothesis) != len(reference):
        raise InputError(f"{len(hypothesis)} hypotheses but {len(reference)} references")
    if hypothesis.vocabulary is not reference.vocabulary and not hypothesis.vocabulary.equals(reference.vocabulary):
        raise InputError("hypotheses and references must be tokenised together: their vocabularies differ")


def _match_rows(hypothesis: Tokens, reference: Tokens, size: int, relations: Relations, states: int) -> Matches:
    texts = hypothesis.ids, hypothesis.offsets, reference.ids, reference.offsets
    offsets, pairs, stage, exact = word_candidates(*texts, size, relations.offsets, relations.words, relations.stages)
    table = relations.phrases
    if table is not None:
        more_offsets, more, whole = phrase_candidates(
            *texts, table.folded, table.keys, table.states, table.accepts, table.offsets, table.others
        )
        offsets, pairs, stage = _merge(offsets, pairs, stage, more_offsets, more)
        exact &= whole
    weight = _whole_numbers(relations.weights)[stage]
    chosen, solved = choose(offsets, pairs, weight, hypothesis.offsets, reference.offsets, states=states)
    rows = rows_of(offsets)[chosen]
    pairs = pairs[chosen]
    return Matches(
        hypothesis=pairs[:, HYP] - hypothesis.offsets[rows].astype(np.int32),
        hypothesis_size=pairs[:, HYP_END] - pairs[:, HYP],
        reference=pairs[:, REF] - reference.offsets[rows].astype(np.int32),
        reference_size=pairs[:, REF_END] - pairs[:, REF],
        stage=stage[chosen],
        offsets=offsets_from_lengths(np.bincount(rows, minlength=len(hypothesis))),
        exact=exact & solved,
        weights=relations.weights,
    )


def choose(
    offsets: NDArray[np.int64],
    pairs: NDArray[np.int32],
    weight: NDArray[np.int64],
    hypothesis_offsets: NDArray[np.int64],
    reference_offsets: NDArray[np.int64],
    *,
    states: int = STATES,
    narrow: int = NARROW,
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Choose the best matching of each row among its candidates, and tell which rows were searched exactly.

    A narrow beam comes first. Where it had to drop states, tighter bounds may prove its result the best; else a wider
    one follows, which drops what cannot get over that result, and so on.
    """
    status, gain, following, region_offsets, region_rows, links, places, exact = reduce(
        offsets, pairs, weight, hypothesis_offsets, reference_offsets
    )
    regions = region_offsets, places, links, pairs, gain, following, status
    words = int(reference_offsets[-1])
    behind, leave, choice, solved = look_ahead(*regions, words)
    toll = np.zeros(words, dtype=np.int64)
    handed_back = np.zeros(len(links), dtype=np.int64)
    scores = np.full(len(links), LOWEST, dtype=np.int64)
    left = np.flatnonzero(~solved)
    sharing = np.bincount(region_rows[left], minlength=len(exact))[region_rows]
    width = min(narrow, states)
    first = True
    while len(left):
        outcome = search(left, width, *regions, toll, handed_back, behind, leave, sharing, scores, choice)
        left, outcome = left[outcome != EXACT], outcome[outcome != EXACT]
        proven = tighten(left, first, *regions, scores, toll, handed_back, behind, leave)
        done = (outcome == LIMIT) | (width >= states)
        exact[region_rows[left[done & ~proven]]] = False
        left = left[~done & ~proven]
        width, first = min(WIDER * width, states), False
    status[choice[choice >= 0]] = FIXED
    return status == FIXED, exact


def _merge(
    offsets: NDArray[np.int64],
    pairs: NDArray[np.int32],
    stage: NDArray[np.int8],
    more_offsets: NDArray[np.int64],
    more: NDArray[np.int32],
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int8]]:
    """Put candidates of several words among those of one word, in the order the search wants."""
    pairs = np.concatenate([pairs, more])
    stage = np.concatenate([stage, np.full(len(more), STAGES.index("paraphrase"), dtype=np.int8)])
    order = np.lexsort((pairs[:, REF_END], pairs[:, HYP_END], pairs[:, REF], pairs[:, HYP]))
    return offsets + more_offsets, pairs[order], stage[order]


def _whole_numbers(weights: Weights) -> NDArray[np.int64]:
    """Give weights as the smallest whole numbers in the same proportion, so that sums are exact.

    >>> _whole_numbers((1.0, 0.6, 0.8, 0.6)).tolist()
    [5, 3, 4, 3]
    """
    numbers = [round(weight * _GRAIN) for weight in weights]
    return np.array(numbers, dtype=np.int64) // max(1, math.gcd(*numbers))
