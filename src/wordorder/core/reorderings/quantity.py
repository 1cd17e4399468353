"""RQuantity, which measures how much of a sentence is reordered (Birch 2011, §3.2.3)."""

from __future__ import annotations

import numpy as np

from wordorder.core.orders import Alignments
from wordorder.core.reorderings.links import known_lengths
from wordorder.core.reorderings.reorderings import Reorderings
from wordorder.core.runtime.columns import Floats


def rquantity(reorderings: Reorderings, alignments: Alignments, *, side: str = "target") -> Floats:
    """Return RQuantity = Σ(|A_t| + |B_t|)/I for each sentence of I target words, or NaN for an empty sentence.

    The sum is over the reorderings of a sentence, and |A_t| and |B_t| are the lengths of the target spans of their
    two blocks. It is 0 for a monotone sentence and (2 + 3 + … + I)/I for an inverted one. ``side="source"`` uses the
    source spans and the length of the source sentence (Birch 2011, ch. 6). The value for a corpus is the mean over
    its sentences.

    >>> from wordorder.core.orders import Alignment
    >>> from wordorder.core.reorderings import extract
    >>> swapped = Alignment(((0, 1), (1, 0)), 2, 2).column()
    >>> rquantity(extract(swapped), swapped).tolist()
    [1.0]
    """
    lengths = known_lengths(alignments, side, why="for RQuantity")
    result = np.full(len(lengths), np.nan)
    np.divide(reorderings.summed_widths(side), lengths, out=result, where=lengths > 0)
    return result
