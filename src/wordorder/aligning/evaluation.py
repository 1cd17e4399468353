"""How good an alignment is against one made by people: precision, recall, alignment error rate.

With A the links to judge, S the sure links and P the sure and possible links of the gold alignment (Och & Ney 2003)

    precision = |A ∩ P| / |A|    recall = |A ∩ S| / |S|    AER = 1 − (|A ∩ S| + |A ∩ P|) / (|A| + |S|)

What is divided by zero is undefined: NaN.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wordorder.orders import Alignments
from wordorder.runtime.errors import InputError
from wordorder.runtime.ragged import rows_of


@dataclass(frozen=True, eq=False)
class ErrorRate:
    """Counts of links, one per sentence pair, and the rates they give for the whole text or each pair.

    ``found`` is |A|, ``sure`` |S|, ``found_sure`` |A ∩ S|, ``found_possible`` |A ∩ P|.
    """

    found: NDArray[np.int64]
    sure: NDArray[np.int64]
    found_sure: NDArray[np.int64]
    found_possible: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.found)

    @property
    def precision(self) -> float:
        """Give the share of the links that are at least possible."""
        return float(self._total().precisions[0])

    @property
    def recall(self) -> float:
        """Give the share of the sure links that were found."""
        return float(self._total().recalls[0])

    @property
    def aer(self) -> float:
        """Give the alignment error rate."""
        return float(self._total().aers[0])

    @property
    def precisions(self) -> NDArray[np.float64]:
        """Give the precision of each sentence pair."""
        return _ratio(self.found_possible, self.found)

    @property
    def recalls(self) -> NDArray[np.float64]:
        """Give the recall of each sentence pair."""
        return _ratio(self.found_sure, self.sure)

    @property
    def aers(self) -> NDArray[np.float64]:
        """Give the alignment error rate of each sentence pair."""
        return 1.0 - _ratio(self.found_sure + self.found_possible, self.found + self.sure)

    def _total(self) -> ErrorRate:
        return ErrorRate(
            *(counts.sum(keepdims=True) for counts in (self.found, self.sure, self.found_sure, self.found_possible))
        )


def error_rate(alignments: Alignments, gold: Alignments) -> ErrorRate:
    """Judge alignments against gold ones; whether the judged links are sure or possible does not matter.

    A gold link given both as sure and as possible is sure; a link given twice counts once.

    >>> from wordorder.orders import Alignment
    >>> gold = Alignment(((0, 0), (1, 1), (1, 2)), possible=frozenset({(1, 2)})).column()
    >>> rate = error_rate(Alignment(((0, 0), (1, 2), (2, 2))).column(), gold)
    >>> round(rate.precision, 3), rate.recall, rate.aer
    (0.667, 0.5, 0.4)
    """
    if len(alignments) != len(gold):
        raise InputError(f"{len(alignments)} alignments but {len(gold)} gold alignments")
    size = 1 + max((int(column.max()) for column in (*_sides(alignments), *_sides(gold)) if len(column)), default=0)
    found, sure, possible = (_keys(column, size) for column in (alignments, gold.sure(), gold))
    counts = (found, sure, np.intersect1d(found, sure), np.intersect1d(found, possible))
    return ErrorRate(*(np.bincount(keys // (size * size), minlength=len(gold)) for keys in counts))


def _sides(alignments: Alignments) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    return alignments.source, alignments.target


def _keys(alignments: Alignments, size: int) -> NDArray[np.int64]:
    """Give each link as one number; no link twice."""
    rows = rows_of(alignments.offsets)
    return np.unique((rows * size + alignments.source) * size + alignments.target)


def _ratio(part: NDArray[np.int64], whole: NDArray[np.int64]) -> NDArray[np.float64]:
    ratio = np.full(len(part), np.nan)
    np.divide(part, whole, out=ratio, where=whole > 0)
    return ratio
