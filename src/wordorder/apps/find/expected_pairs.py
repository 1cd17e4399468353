"""Estimate how many pairs of source words are usually reversed in the translation of a sentence of a given length."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from wordorder.core.orders.partial import compare_pairs
from wordorder.core.runtime.columns import Floats, Int64s
from wordorder.core.runtime.errors import InputError, count_of

if TYPE_CHECKING:
    from wordorder.scoring.inputs import MonotoneTexts

NEIGHBOURS = 100
"""Number of sentences of similar length over which the number of reversed pairs is averaged."""


def expect_pairs(inputs: MonotoneTexts, pairs: Sequence[Floats], labels: Sequence[str] | None) -> tuple[Floats, str]:
    """Estimate the usual number of reversed word pairs in each segment from sentences of similar length.

    The number is the mean over such sentences in the training text of the aligner or, if there is none, in the
    translations. With ``labels``, it is the mean over such translations with the same label. The actual numbers of
    reversed pairs in the translations are given by ``pairs``. Return the numbers, which are the same for all systems,
    and a note that describes the text from which they were learnt.
    """
    lengths = inputs.tokens[0].lengths
    if labels is not None and len(labels) != len(lengths):
        raise InputError(
            f"expected one label per segment, found {count_of(len(labels), 'label')} for "
            f"{count_of(len(lengths), 'segment')}"
        )
    training = None if labels is not None else inputs.training_links
    if training is not None:
        known, counted = training.source_lengths.astype(np.int64), compare_pairs(training)[:, 1]
        expected = nearest_mean(lengths, known, counted)
        trained = count_of(len(known), "sentence pair")
        return expected, f"usual: mean of {trained} of training text, for sentences of the same length"
    groups = np.zeros(len(lengths), np.int64) if labels is None else np.unique(labels, return_inverse=True)[1]
    expected = np.zeros(len(lengths))
    for group in np.unique(groups):
        rows = np.flatnonzero(groups == group)
        known, counted = np.tile(lengths[rows], len(pairs)), np.concatenate([each[rows] for each in pairs])
        expected[rows] = nearest_mean(lengths[rows], known, counted)
    alike = "of the same length" if labels is None else "of the same length and label"
    return expected, f"usual: mean of these translations themselves, for sentences {alike}"


def nearest_mean(lengths: Int64s, known: Int64s, values: Floats, *, count: int = NEIGHBOURS) -> Floats:
    """Return, for each length, the mean of the ``count`` values whose lengths (``known``) are nearest in rank.

    >>> nearest_mean(np.array([1, 9]), np.array([1, 2, 8, 9]), np.array([0.0, 1.0, 4.0, 6.0]), count=2).tolist()
    [0.5, 5.0]
    """
    order = np.argsort(known, kind="stable")
    sums = np.concatenate([[0.0], np.cumsum(values[order])])
    count = min(count, len(known))
    middle = (np.searchsorted(known[order], lengths, "left") + np.searchsorted(known[order], lengths, "right")) // 2
    start = np.clip(middle - count // 2, 0, len(known) - count)
    mean: Floats = (sums[start + count] - sums[start]) / count
    return mean
