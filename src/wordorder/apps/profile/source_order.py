"""Put references into source order, and compare them with themselves by BLEU (Al-Onaizan & Papineni 2006).

The reference words are put into the order of the source words they are aligned to, and BLEU compares the result
with the reference itself: 1 means a monotone language pair. A projection policy, with the sides swapped, decides
what happens to unaligned reference words. A sentence without links has no source order and is left out.
"""

from __future__ import annotations

import math

import numpy as np

from wordorder.core.orders import DEFAULT_POLICY, Alignments, place
from wordorder.core.runtime.columns import Floats
from wordorder.core.runtime.errors import InputError, count_of
from wordorder.core.text import Tokens
from wordorder.metrics.lexical import Bleu
from wordorder.metrics.ngrams import ngram_statistics


def in_source_order(references: Tokens, alignments: Alignments, *, policy: str = DEFAULT_POLICY) -> Tokens:
    """Put the words of each reference into the order of the source; a sentence without links becomes empty.

    >>> from wordorder.core.orders import Alignment
    >>> from wordorder.core.text import encode
    >>> pair = Alignment(((0, 1), (1, 0)), 2, 2).column()
    >>> in_source_order(encode(["green witch"])[0], pair).words(0)
    ['witch', 'green']
    """
    if len(references) != len(alignments):
        raise InputError(f"{count_of(len(references), 'reference')} but {count_of(len(alignments), 'alignment')}")
    lengths = references.lengths.astype(np.int32)
    places = place(alignments.with_lengths(target=lengths).transpose(), policy=policy)
    orders = places.against_source()
    kept = references.ids[places.places >= 0]
    starts = np.repeat(orders.offsets[:-1], orders.lengths)
    return Tokens(kept[starts + orders.ranks], orders.offsets, references.vocabulary)


def bleu_counts(hypotheses: Tokens, references: Tokens) -> Floats:
    """Return the counts that BLEU needs for each sentence (``metrics.ngrams.COLUMNS``), as sacreBLEU counts them.

    Hypotheses and references share a vocabulary. An empty hypothesis has only zeros, so it adds nothing to a sum.
    """
    counts = ngram_statistics(hypotheses, [references])
    counts[hypotheses.lengths == 0] = 0
    return counts


def bleu(counts: Floats) -> float:
    """Return the unsmoothed BLEU, from 0 to 1, of summed counts; NaN if there are none."""
    return float(Bleu().corpus(counts)) if counts[0] else math.nan
