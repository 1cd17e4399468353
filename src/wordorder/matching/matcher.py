"""Matching hypothesis words with reference words, column against column, and the value that says how."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from wordorder.matching.bounds import look_ahead, tighten
from wordorder.matching.candidates import word_candidates
from wordorder.matching.first import match_first
from wordorder.matching.matches import ROWS_AT_A_TIME, STAGES, Matches, check_columns
from wordorder.matching.paraphrases import Paraphrases
from wordorder.matching.phrases import phrase_candidates
from wordorder.matching.reduction import FIXED, HYP, HYP_END, REF, REF_END, reduce
from wordorder.matching.relations import Relations, Resources
from wordorder.matching.search import EXACT, LIMIT, STATES, search
from wordorder.matching.wordnet import WordNet
from wordorder.runtime.columns import offsets_from_lengths, rows_of
from wordorder.runtime.errors import InputError, UsageError, choices
from wordorder.runtime.threads import budget_spans, map_chunks
from wordorder.text import Tokens

if TYPE_CHECKING:
    import pyarrow as pa

CELLS_AT_A_TIME = 1 << 22
NARROW = 16
"""States of the first beam."""
WIDER = 4
"""How many times wider the next one is."""
LOWEST = -(1 << 62)
_GRAIN = 10_000  # weights are kept to four decimals


FIRST = "first"
"""The rule of Talbot et al. (2011), which takes the place of all stages."""


@dataclass(frozen=True)
class Matching:
    """The stages in which words are matched (``exact``, ``stem``, ``synonym``, ``paraphrase``), and what they need.

    ``first``, which stands alone, is no search for the best matching: each hypothesis word, from left to right, takes
    the first instance of itself in the reference that is still unmatched (Talbot et al. 2011).

    ``language`` is a PyStemmer name, ``wordnet`` the folder of the database, ``paraphrases`` METEOR's table.

    >>> str(Matching()), str(Matching(("exact", "stem"), language="german"))
    ('exact', 'exact+stem:german')
    """

    stages: tuple[str, ...] = ("exact",)
    language: str = "english"
    wordnet: str | None = None
    paraphrases: str | None = None

    def __post_init__(self) -> None:
        if FIRST in self.stages and len(self.stages) > 1:
            raise UsageError(f"the matching rule {FIRST!r} cannot be combined with other stages")
        for stage in self.stages:
            if stage not in (*STAGES, FIRST):
                raise choices(stage, [*STAGES, FIRST], what="matching stage")
        if "paraphrase" in self.stages and self.paraphrases is None:
            raise UsageError("matching by paraphrase needs a table in METEOR's format")
        for given, stage in ((self.paraphrases, "paraphrase"), (self.wordnet, "synonym")):
            if given is not None and stage not in self.stages:
                raise UsageError(f"{given} is for the matching stage '{stage}', which was not asked for")

    def __str__(self) -> str:
        return "+".join(self.stages) + (f":{self.language}" if "stem" in self.stages else "")

    @cached_property
    def resources(self) -> Resources:
        """Stemmer, WordNet and paraphrases, loaded once."""
        return Resources(
            self.language if "stem" in self.stages else None,
            WordNet.read(self.wordnet) if "synonym" in self.stages else None,
            Paraphrases.read(self.paraphrases) if self.paraphrases and "paraphrase" in self.stages else None,
        )

    def over(self, vocabulary: pa.StringArray) -> Callable[[Tokens, Tokens], Matches]:
        """Return the function that matches columns over one vocabulary; its words are related once, on first use."""
        if self.stages == (FIRST,):
            return match_first
        if self.stages == ("exact",):
            return match
        relations = None

        def over_vocabulary(hypothesis: Tokens, reference: Tokens) -> Matches:
            nonlocal relations
            relations = relations or self.resources.relate(vocabulary)
            return match(hypothesis, reference, relations=relations)

        return over_vocabulary


def match(
    hypothesis: Tokens,
    reference: Tokens,
    *,
    relations: Relations | None = None,
    states: int = STATES,
    threads: int = 1,
) -> Matches:
    """Match words one to one, row by row, in the best possible way.

    The best matching has the most (weighted) matched words of both sides, then the fewest chunks, then the smallest
    total displacement |i − j|: the order of METEOR 1.5 (Denkowski & Lavie 2014). Both columns share their vocabulary;
    ``relations`` over it say which words match without being equal. ``states`` limits the search;
    ``Matches.exact`` says which rows stayed within the limit.

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

    # Long sentences have many candidates, so chunks have few enough pairs of words, and few enough rows.
    cells = np.minimum(hypothesis.lengths * reference.lengths, CELLS_AT_A_TIME)
    chunks = budget_spans(cells + CELLS_AT_A_TIME // ROWS_AT_A_TIME, CELLS_AT_A_TIME)
    parts = map_chunks(
        lambda span: _match_rows(hypothesis.slice(*span), reference.slice(*span), size, known, states),
        chunks,
        threads=threads,
    )
    found = list(parts)
    return found[0] if len(found) == 1 else Matches.concatenate(found)


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
    # The smallest whole numbers in the proportion of the weights, so that sums are exact.
    numbers = [round(weight * _GRAIN) for weight in relations.weights]
    weight = (np.array(numbers, dtype=np.int64) // max(1, math.gcd(*numbers)))[stage]
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
    """Choose the best matching of each row among its candidates; also return which rows were searched exactly.

    A narrow beam comes first. Where it had to drop states, tighter bounds may prove its result the best; otherwise a
    wider one follows, which drops what cannot beat that result, and so on.
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
    """Merge candidates of several words into those of one word, in the order the search expects."""
    pairs = np.concatenate([pairs, more])
    stage = np.concatenate([stage, np.full(len(more), STAGES.index("paraphrase"), dtype=np.int8)])
    order = np.lexsort((pairs[:, REF_END], pairs[:, HYP_END], pairs[:, REF], pairs[:, HYP]))
    return offsets + more_offsets, pairs[order], stage[order]
