"""Put references into source order, and compare the result with the originals by BLEU (Al-Onaizan & Papineni 2006).

The words of a reference are put into the order of the source words that they are aligned to, and BLEU compares the
result with the original reference; it is 1 if all alignments are monotone. A projection policy, applied from target
to source, determines the positions of unaligned reference words. Sentences without links are left out.
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
    """Put the words of each reference into source order; a sentence without links becomes empty.

    >>> from wordorder.core.orders import Alignment
    >>> from wordorder.core.text import encode
    >>> pair = Alignment(((0, 1), (1, 0)), 2, 2).column()
    >>> in_source_order(encode(["green witch"])[0], pair).words(0)
    ['witch', 'green']
    """
    if len(references) != len(alignments):
        raise InputError(
            f"expected an alignment for each reference, found {count_of(len(references), 'reference')} but "
            f"{count_of(len(alignments), 'alignment')}"
        )
    lengths = references.lengths.astype(np.int32)
    places = place(alignments.with_lengths(target=lengths).transpose(), policy=policy)
    orders = places.against_source()
    kept = references.ids[places.places >= 0]
    starts = np.repeat(orders.offsets[:-1], orders.lengths)
    return Tokens(kept[starts + orders.ranks], orders.offsets, references.vocabulary)


def bleu_counts(hypotheses: Tokens, references: Tokens) -> Floats:
    """Return the n-gram counts and lengths that BLEU needs for each sentence, computed as in sacreBLEU.

    The columns are those of ``metrics.ngrams.COLUMNS``. The hypotheses and references must share a vocabulary. For an
    empty hypothesis, all counts are zero, so it does not contribute to sums.
    """
    counts = ngram_statistics(hypotheses, [references])
    counts[hypotheses.lengths == 0] = 0
    return counts


def bleu(counts: Floats) -> float:
    """Return the unsmoothed BLEU score (0 to 1) for counts summed over sentences, or NaN if the counts are zero."""
    return float(Bleu().corpus(counts)) if counts[0] else math.nan
