"""Does a score find something? The area under the ROC curve, with ties, weights and strata."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wordorder.runtime.errors import UsageError

Floats = NDArray[np.float64]


def auc(
    scores: ArrayLike, labels: ArrayLike, *, weights: ArrayLike | None = None, strata: ArrayLike | None = None
) -> Floats:
    """Return the chance that a labelled item scores higher than an unlabelled one; equal scores count half.

    This is Mann & Whitney's U/(n₁·n₂). ``weights[..., items]`` (how often an item was drawn) gives one area for each
    leading place. With ``strata`` (any integers) only items of the same stratum are compared. Undefined scores are
    left out; NaN where nothing can be compared.

    >>> auc([0.1, 0.5, 0.5, 0.9], [False, False, True, True]).item()
    0.875
    """
    values, marked = np.asarray(scores, dtype=np.float64), np.asarray(labels, dtype=bool)
    if values.shape != marked.shape or values.ndim != 1:
        raise UsageError(f"a curve needs one label per score, not shapes {values.shape} and {marked.shape}")
    weight = np.ones(len(values)) if weights is None else np.asarray(weights, dtype=np.float64)
    stratum = np.zeros(len(values), dtype=np.int64) if strata is None else np.asarray(strata)
    won, compared = np.zeros(weight.shape[:-1]), np.zeros(weight.shape[:-1])
    for one in np.unique(stratum):
        rows = ~np.isnan(values) & (stratum == one)
        if rows.any():
            wins, pairs = _mann_whitney(values[rows], marked[rows], weight[..., rows])
            won, compared = won + wins, compared + pairs
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(won / compared)


def roc(scores: ArrayLike, labels: ArrayLike) -> Floats:
    """Return the ROC curve, ``[points, 2]``: shares of unlabelled and labelled items with a score or a higher one.

    The points ascend from (0, 0) to (1, 1); equal scores are one step. The area under the straight lines between
    them is that of :func:`auc`.

    >>> roc([0.1, 0.5, 0.5, 0.9], [False, False, True, True]).tolist()
    [[0.0, 0.0], [0.0, 0.5], [0.5, 1.0], [1.0, 1.0]]
    """
    values, marked = np.asarray(scores, dtype=np.float64), np.asarray(labels, dtype=bool)
    known = ~np.isnan(values)
    values, marked = values[known], marked[known]
    order = np.argsort(-values, kind="stable")
    last = np.flatnonzero(np.append(values[order][1:] != values[order][:-1], True))
    counts = np.stack([np.cumsum(~marked[order])[last], np.cumsum(marked[order])[last]], axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = counts / np.array([np.count_nonzero(~marked), np.count_nonzero(marked)])
    return np.concatenate([np.zeros((1, 2)), shares])


def _mann_whitney(values: Floats, marked: NDArray[np.bool_], weight: Floats) -> tuple[Floats, Floats]:
    """Return the weight of the pairs the marked item wins, and of all pairs."""
    order = np.argsort(values, kind="stable")
    values, marked, weight = values[order], marked[order], weight[..., order]
    starts = np.flatnonzero(np.append(True, values[1:] != values[:-1]))
    hits = np.add.reduceat(np.where(marked, weight, 0.0), starts, axis=-1)
    others = np.add.reduceat(np.where(marked, 0.0, weight), starts, axis=-1)
    below = np.cumsum(others, axis=-1) - others / 2.0
    return (hits * below).sum(axis=-1), hits.sum(axis=-1) * others.sum(axis=-1)
