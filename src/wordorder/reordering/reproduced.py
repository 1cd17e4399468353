"""Which reorderings of the reference a system reproduced (Birch 2011, §3.4.3).

A reference reordering counts as reproduced if one phrase pair of the system covers its source words, or if any
reordering of the system lies inside them: an upper bound on what the system really did.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wordorder.reordering.reorderings import A_SOURCE, B_SOURCE, WIDTH_CLASSES, Reorderings
from wordorder.runtime.errors import InputError
from wordorder.runtime.kernels import kernel
from wordorder.runtime.ragged import frozen


@dataclass(frozen=True, eq=False)
class Phrases:
    """The source side of the phrases a system used: ``spans[p]`` is the first and the last word (0-based)."""

    spans: NDArray[np.int32]
    offsets: NDArray[np.int64]

    def __post_init__(self) -> None:
        frozen(self.spans)
        frozen(self.offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1


@dataclass(frozen=True, eq=False)
class Reproduction:
    """For each reference reordering whether it was reproduced, and its total width."""

    flags: NDArray[np.bool_]
    widths: NDArray[np.int32]
    counts: NDArray[np.int64]
    """[sentence, width class, (reproduced, all)]: summed or resampled over sentences, then divided."""

    @classmethod
    def concatenate(cls, parts: Sequence[Reproduction]) -> Reproduction:
        """Put sentences one after another; there must be some."""
        return cls(
            np.concatenate([part.flags for part in parts]),
            np.concatenate([part.widths for part in parts]),
            np.concatenate([part.counts for part in parts]),
        )

    def shares(self) -> dict[str, float]:
        """Give the share reproduced in each width class and in all; NaN where the reference has none.

        Any weighted sum of ``counts`` over sentences, as a bootstrap makes it, is divided in the same way.
        """
        classes = dict(zip(WIDTH_CLASSES, self.counts.sum(axis=0), strict=True))
        classes["all"] = self.counts.sum(axis=(0, 1))
        return {name: int(done) / int(total) if total else float("nan") for name, (done, total) in classes.items()}

    def by_width(self) -> dict[int, tuple[int, int]]:
        """Give (reproduced, all) for every total width there is (the thesis's Figure 3.25)."""
        total = np.bincount(self.widths)
        done = np.bincount(self.widths[self.flags], minlength=len(total))
        return {int(width): (int(done[width]), int(total[width])) for width in np.flatnonzero(total)}


def find_reproduced(
    reference: Reorderings,
    hypothesis: Reorderings,
    *,
    phrases: Phrases | None = None,
    side: str = "target",
) -> Reproduction:
    """Say which reference reorderings a system reproduced; both columns are over the same source sentences.

    ``side`` is where the width of a reordering is measured.

    >>> from wordorder.orders import Alignment
    >>> from wordorder.reordering import extract
    >>> reference = extract(Alignment(((0, 1), (1, 0), (2, 3), (3, 2))).column())
    >>> hypothesis = extract(Alignment(((0, 0), (1, 1), (2, 3), (3, 2))).column())
    >>> find_reproduced(reference, hypothesis).flags.tolist()
    [False, True]
    """
    for other in (hypothesis, phrases):
        if other is not None and len(other) != len(reference):
            raise InputError(f"{len(other)} sentences of the system but {len(reference)} of the reference")
    if phrases is None:
        phrases = Phrases(np.zeros((0, 2), np.int32), np.zeros(len(reference) + 1, np.int64))
    flags = _reproduced(
        _scopes(reference), reference.offsets, _scopes(hypothesis), hypothesis.offsets, phrases.spans, phrases.offsets
    )
    classes = len(WIDTH_CLASSES)
    cells = (reference.rows() * classes + reference.width_classes(side)).astype(np.int64)
    size = len(reference) * classes
    counts = np.stack([np.bincount(cells[flags], minlength=size), np.bincount(cells, minlength=size)], axis=-1)
    return Reproduction(flags, reference.widths(side), counts.reshape(len(reference), classes, 2))


def _scopes(reorderings: Reorderings) -> NDArray[np.int32]:
    return np.stack([reorderings.spans[:, A_SOURCE, 0], reorderings.spans[:, B_SOURCE, 1]], axis=1)


@kernel
def _reproduced(
    reference: NDArray[np.int32],
    reference_offsets: NDArray[np.int64],
    hypothesis: NDArray[np.int32],
    hypothesis_offsets: NDArray[np.int64],
    phrases: NDArray[np.int32],
    phrase_offsets: NDArray[np.int64],
) -> NDArray[np.bool_]:
    flags = np.zeros(len(reference), dtype=np.bool_)
    for row in range(len(reference_offsets) - 1):
        for r in range(reference_offsets[row], reference_offsets[row + 1]):
            first, last = reference[r, 0], reference[r, 1]
            for phrase in range(phrase_offsets[row], phrase_offsets[row + 1]):
                if phrases[phrase, 0] <= first and last <= phrases[phrase, 1]:
                    flags[r] = True
            for h in range(hypothesis_offsets[row], hypothesis_offsets[row + 1]):
                if first <= hypothesis[h, 0] and hypothesis[h, 1] <= last:
                    flags[r] = True
    return flags
