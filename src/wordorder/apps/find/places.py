"""Find the positions of the words of a translation in the reference or the source, by matching or by word links."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wordorder.core.orders.alignment import Alignments
from wordorder.core.runtime.columns import Floats, Ints, Offsets, rows_of
from wordorder.core.text import Tokens
from wordorder.linking.matching import Matches

NOWHERE = -1

SURE = 0.5
"""Links with a probability lower than this are ignored."""


@dataclass(frozen=True, eq=False)
class WordPlaces:
    """One view of some segments: the position of each word (or ``NOWHERE``) and its certainty, from 0 to 1."""

    at: Ints
    sure: Floats

    def row(self, start: int, stop: int) -> WordPlaces:
        """Return the positions of the words of one segment, which are entries ``start`` to ``stop`` − 1."""
        return WordPlaces(self.at[start:stop], self.sure[start:stop])


def matched_places(tokens: Tokens, gold: Tokens, matches: Matches) -> WordPlaces:
    """Return the positions of the matched words in the reference.

    If a word occurs k times in its sentence or in the reference, the certainty is 1/k, because the wrong instance may
    have been matched.
    """
    at, sure = np.full(len(tokens.ids), NOWHERE, dtype=np.int32), np.zeros(len(tokens.ids))
    rows = rows_of(matches.offsets)
    sizes = matches.hypothesis_size.astype(np.int64)
    within = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    words = np.repeat(tokens.offsets[rows] + matches.hypothesis, sizes) + within
    place = np.repeat(matches.reference, sizes) + np.minimum(within, np.repeat(matches.reference_size - 1, sizes))
    at[words] = place
    times = np.maximum(_times(tokens)[words], _times(gold)[np.repeat(gold.offsets[rows], sizes) + place])
    sure[words] = 1.0 / times
    return WordPlaces(at, sure)


def _times(tokens: Tokens) -> Ints:
    """Return how often each word occurs in its sentence."""
    keys = rows_of(tokens.offsets) * (len(tokens.vocabulary) + 1) + tokens.ids
    _, place, counts = np.unique(keys, return_inverse=True, return_counts=True)
    times: Ints = counts[place].astype(np.int32)
    return times


def linked_places(offsets: Offsets, links: Alignments, gold: Alignments | None) -> WordPlaces:
    """Return the positions of words, found through the source: the likeliest position of their source word.

    The position is that of the word in the reference to which ``gold`` links the source word; without ``gold``, it is
    the position of the source word in the source. ``offsets`` are the offsets of the sentences.
    """
    at, sure = np.full(int(offsets[-1]), NOWHERE, dtype=np.int32), np.zeros(int(offsets[-1]))
    rows, source, target, likely = _likely(links)
    if gold is None:
        found, place, share = np.ones(len(rows), dtype=np.bool_), source, likely
    else:
        gold_rows, gold_source, gold_target, gold_likely = _likely(gold)
        width = 1 + max(source.max(initial=0), gold_source.max(initial=0))
        keys = gold_rows * width + gold_source
        order = np.lexsort((-gold_likely, keys))
        known, first = np.unique(keys[order], return_index=True)
        best = order[first]
        wanted = rows * width + source
        spot = np.minimum(np.searchsorted(known, wanted), max(len(known) - 1, 0))
        found = known[spot] == wanted if len(known) else np.zeros(len(wanted), dtype=np.bool_)
        spot = spot[found]
        place, share = gold_target[best[spot]], likely[found] * gold_likely[best[spot]]
    words = offsets[rows[found]] + target[found]
    at[words], sure[words] = place, share
    return WordPlaces(at, sure)


def _likely(links: Alignments) -> tuple[Offsets, Ints, Ints, Floats]:
    """Return the rows, source words, target words and probabilities of the likely links, the likeliest link last."""
    likely = np.ones(len(links.source)) if links.probability is None else links.probability
    chosen = np.flatnonzero(likely >= SURE)
    chosen = chosen[np.argsort(likely[chosen], kind="stable")]
    return rows_of(links.offsets)[chosen], links.source[chosen], links.target[chosen], likely[chosen]
