"""Precision, recall and alignment error rate of an alignment, measured against a human gold alignment.

Let A be the evaluated links, S the sure links of the gold alignment, and P its sure and possible links together. Then
(Och & Ney 2003):

    precision = |A ∩ P| / |A|    recall = |A ∩ S| / |S|    AER = 1 − (|A ∩ S| + |A ∩ P|) / (|A| + |S|)

A rate is NaN if its denominator is zero. If a gold alignment is partial, A excludes the links of words that were not
annotated.
"""

import math
from dataclasses import dataclass

import numpy as np

from wordorder.core.orders import Alignments
from wordorder.core.runtime.columns import Bools, Int64s
from wordorder.core.runtime.errors import InputError
from wordorder.linking.aligning.symmetrisation import link_keys, link_size


@dataclass(frozen=True, eq=False)
class AlignmentScores:
    """The link counts of each sentence pair, and the precision, recall and AER of the whole text.

    ``found`` is |A|, ``sure`` is |S|, ``found_sure`` is |A ∩ S|, and ``found_possible`` is |A ∩ P|.
    """

    found: Int64s
    sure: Int64s
    found_sure: Int64s
    found_possible: Int64s

    def __len__(self) -> int:
        return len(self.found)

    @property
    def precision(self) -> float:
        """The proportion of evaluated links that are sure or possible in the gold alignment."""
        return _ratio(self.found_possible.sum(), self.found.sum())

    @property
    def recall(self) -> float:
        """The proportion of sure links that are among the evaluated links."""
        return _ratio(self.found_sure.sum(), self.sure.sum())

    @property
    def aer(self) -> float:
        """The alignment error rate."""
        return 1.0 - _ratio(self.found_sure.sum() + self.found_possible.sum(), self.found.sum() + self.sure.sum())


def error_rate(alignments: Alignments, gold: Alignments, *, counted: Bools | None = None) -> AlignmentScores:
    """Compare alignments with gold alignments; return link counts, precision, recall and alignment error rate.

    The evaluated links may be marked as sure or possible, but this makes no difference. A gold link that is listed as
    both sure and possible counts as sure; repeated links count once. For partial gold alignments, ``counted`` marks
    the evaluated links that are taken into account.

    >>> from wordorder.core.orders import Alignment
    >>> gold = Alignment(((0, 0), (1, 1), (1, 2)), possible=frozenset({(1, 2)})).column()
    >>> rate = error_rate(Alignment(((0, 0), (1, 2), (2, 2))).column(), gold)
    >>> round(rate.precision, 3), rate.recall, rate.aer
    (0.667, 0.5, 0.4)
    """
    if len(alignments) != len(gold):
        raise InputError(f"expected one gold alignment per alignment, found {len(gold)} for {len(alignments)}")
    size = link_size(alignments, gold)
    keys = link_keys(alignments, size)
    found = np.unique(keys if counted is None else keys[counted])
    sure, possible = (np.unique(link_keys(column, size)) for column in (gold.sure(), gold))
    counts = (found, sure, np.intersect1d(found, sure), np.intersect1d(found, possible))
    return AlignmentScores(*(np.bincount(each // (size * size), minlength=len(gold)) for each in counts))


def _ratio(part: np.int64, whole: np.int64) -> float:
    return float(part / whole) if whole else math.nan
