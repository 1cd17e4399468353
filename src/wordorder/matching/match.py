"""Matching hypothesis words with reference words, column against column."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordorder.matching.candidates import word_candidates
from wordorder.matching.lexicon import Relations, Weights
from wordorder.matching.matches import STAGES, Matches
from wordorder.matching.phrases import phrase_candidates
from wordorder.matching.reduction import FIXED, reduce
from wordorder.matching.search import STATES, search
from wordorder.runtime.errors import InputError
from wordorder.runtime.ragged import offsets_from_lengths, rows_of
from wordorder.runtime.threads import map_chunks, spans
from wordorder.text import Tokens

ROWS_AT_A_TIME = 4096
_GRAIN = 10_000  # weights are kept to four decimals


def match(
    hypothesis: Tokens,
    reference: Tokens,
    *,
    relations: Relations | None = None,
    states: int = STATES,
    threads: int = 1,
) -> Matches:
    """Match words one to one, row by row: most (weighted) matched words of both sides, then fewest chunks, then
    smallest total displacement.

    Both columns share their vocabulary; ``relations`` over it tell which words match besides equal ones. ``states``
    limits the search; ``Matches.exact`` tells where the limit was met.

    >>> from wordorder.text import tokenise
    >>> hypothesis, reference = tokenise([["the cat saw the dog"], ["the dog saw the cat"]])
    >>> matches = match(hypothesis, reference)
    >>> matches.reference.tolist(), matches.chunks.tolist(), str(matches.orders()[0])
    ([3, 4, 2, 0, 1], [3], '4 5 3 1 2')
    """
    check_columns(hypothesis, reference)
    if relations is None:
        relations = Relations(np.zeros(0, np.int64), np.zeros(0, np.int32), np.zeros(0, np.int8))
    size = len(hypothesis.vocabulary)
    known = relations

    def work(span: tuple[int, int]) -> Matches:
        return _match_rows(hypothesis.slice(*span), reference.slice(*span), size, known, states)

    parts = map_chunks(work, spans(len(hypothesis), ROWS_AT_A_TIME), threads=threads)
    return Matches.concatenate(list(parts), weights=known.weights)


def check_columns(hypothesis: Tokens, reference: Tokens) -> None:
    """Refuse columns that cannot be compared row by row."""
    if len(hypothesis) != len(reference):
        raise InputError(f"{len(hypothesis)} hypotheses but {len(reference)} references")
    if hypothesis.vocabulary is not reference.vocabulary and not hypothesis.vocabulary.equals(reference.vocabulary):
        raise InputError("hypotheses and references must be tokenised together: their vocabularies differ")


def _match_rows(hypothesis: Tokens, reference: Tokens, size: int, relations: Relations, states: int) -> Matches:
    texts = hypothesis.ids, hypothesis.offsets, reference.ids, reference.offsets
    offsets, hyp, ref, stage, exact = word_candidates(
        *texts, size, relations.offsets, relations.words, relations.stages
    )
    ones = np.ones(len(hyp), dtype=np.int32)
    found = _Candidates(offsets, hyp, ones, ref, ones, stage)
    table = relations.phrases
    if table is not None:
        more_offsets, more, whole = phrase_candidates(
            *texts, table.folded, table.keys, table.states, table.accepts, table.offsets, table.others
        )
        found = _merge(found, more_offsets, more)
        exact &= whole
    pairs = found.hyp, found.hyp_size, found.ref, found.ref_size
    weight = _whole_numbers(relations.weights)[found.stage]
    status, gain, following, link, countable, region_offsets, region_rows, places = reduce(
        found.offsets, *pairs, weight, hypothesis.lengths, reference.lengths
    )
    lengths = reference.lengths[region_rows]
    solved = search(region_offsets, places, link[region_rows], lengths, *pairs, gain, following, status, states)
    exact &= countable
    exact[region_rows[~solved]] = False
    chosen = status == FIXED
    counts = np.bincount(rows_of(found.offsets)[chosen], minlength=len(hypothesis))
    return Matches(
        *(column[chosen] for column in pairs),
        stage=found.stage[chosen],
        offsets=offsets_from_lengths(counts),
        exact=exact,
        weights=relations.weights,
    )


class _Candidates(NamedTuple):
    """Candidate matches of some rows, sorted by row, hypothesis start and reference start."""

    offsets: NDArray[np.int64]
    hyp: NDArray[np.int32]
    hyp_size: NDArray[np.int32]
    ref: NDArray[np.int32]
    ref_size: NDArray[np.int32]
    stage: NDArray[np.int8]


def _merge(words: _Candidates, offsets: NDArray[np.int64], spans: NDArray[np.int32]) -> _Candidates:
    """Put candidates of several words (start, size, start, size) among those of one."""
    rows = np.concatenate([rows_of(words.offsets), rows_of(offsets)])
    pairs = [
        np.concatenate([column, spans[:, place]])
        for place, column in enumerate((words.hyp, words.hyp_size, words.ref, words.ref_size))
    ]
    stage = np.concatenate([words.stage, np.full(len(spans), STAGES.index("paraphrase"), dtype=np.int8)])
    hyp, hyp_size, ref, ref_size = pairs
    order = np.lexsort((ref_size, hyp_size, ref, hyp, rows))
    return _Candidates(words.offsets + offsets, *(column[order] for column in pairs), stage[order])


def _whole_numbers(weights: Weights) -> NDArray[np.int64]:
    """Give weights as the smallest whole numbers in the same proportion, so that sums are exact.

    >>> _whole_numbers((1.0, 0.6, 0.8, 0.6)).tolist()
    [5, 3, 4, 3]
    """
    numbers = [round(weight * _GRAIN) for weight in weights]
    return np.array(numbers, dtype=np.int64) // max(1, math.gcd(*numbers))
