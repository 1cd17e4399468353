"""Measures of detection by a score, with ties and weights: ROC curve and area, average precision, precision at k."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wordorder.core.runtime.columns import Floats
from wordorder.core.runtime.errors import UsageError


def auc(
    scores: ArrayLike, labels: ArrayLike, *, weights: ArrayLike | None = None, strata: ArrayLike | None = None
) -> Floats:
    """Return the probability that a labelled item scores higher than an unlabelled one; equal scores count half.

    This is Mann & Whitney's U/(n₁·n₂). With ``weights[..., items]``, how often each item was drawn, the result has
    one area for each leading index. With ``strata`` (any integers), only items of the same stratum are compared.
    Undefined scores are ignored; the result is NaN if nothing can be compared.

    >>> auc([0.1, 0.5, 0.5, 0.9], [False, False, True, True]).item()
    0.875
    """
    values, marked, weight = _checked(scores, labels, weights)
    stratum = np.zeros(len(values), dtype=np.int64) if strata is None else np.asarray(strata)
    known = ~np.isnan(values)
    values, marked, weight, stratum = values[known], marked[known], weight[..., known], stratum[known]
    if not len(values):
        return np.full(weight.shape[:-1], np.nan)
    order = np.lexsort((values, stratum))
    values, marked, weight, stratum = values[order], marked[order], weight[..., order], stratum[order]
    opens = np.append(True, stratum[1:] != stratum[:-1])
    starts = np.flatnonzero(opens | np.append(True, values[1:] != values[:-1]))
    hits = np.add.reduceat(np.where(marked, weight, 0.0), starts, axis=-1)
    others = np.add.reduceat(np.where(marked, 0.0, weight), starts, axis=-1)
    first = np.flatnonzero(opens[starts])  # the first group of equal scores in each stratum
    sizes = np.append(first[1:], len(starts)) - first
    below = np.cumsum(others, axis=-1) - others
    below = below - np.repeat(below[..., first], sizes, axis=-1) + others / 2.0
    pairs = np.add.reduceat(hits, first, axis=-1) * np.add.reduceat(others, first, axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray((hits * below).sum(axis=-1) / pairs.sum(axis=-1))


def average_precision(scores: ArrayLike, labels: ArrayLike, *, weights: ArrayLike | None = None) -> Floats:
    """Return Σ (R_i − R_(i−1))·P_i over the distinct scores from the highest down: precision averaged over recall.

    Items with equal scores are one step, as in scikit-learn; ``weights`` are those of :func:`auc`. The result is NaN
    if no item is labelled.

    >>> round(average_precision([0.9, 0.8, 0.1], [True, False, True]).item(), 4)
    0.8333
    """
    hits, everything = _from_the_top(*_checked(scores, labels, weights))
    with np.errstate(invalid="ignore", divide="ignore"):
        precision = np.cumsum(hits, axis=-1) / np.cumsum(everything, axis=-1)
        return np.asarray(np.nansum(hits * precision, axis=-1) / hits.sum(axis=-1))


def precision_at(scores: ArrayLike, labels: ArrayLike, count: int, *, weights: ArrayLike | None = None) -> Floats:
    """Return the share of labelled items among the ``count`` highest scores.

    If items tie for the last ranks, this is the mean over all ways to break the tie. ``weights``: see :func:`auc`.

    >>> precision_at([0.9, 0.5, 0.5, 0.1], [False, True, False, True], 2).item()
    0.25
    """
    hits, everything = _from_the_top(*_checked(scores, labels, weights))
    before = np.cumsum(everything, axis=-1) - everything
    with np.errstate(invalid="ignore", divide="ignore"):
        taken = np.clip((count - before) / everything, 0.0, 1.0)
    return np.asarray(np.where(everything > 0, hits * taken, 0.0).sum(axis=-1) / count)


def roc(scores: ArrayLike, labels: ArrayLike) -> Floats:
    """Return the points of the ROC curve, ``[points, 2]``: the shares of unlabelled and of labelled items found.

    There is a point for each distinct score, from (0, 0) to (1, 1). The area under the lines between the points is
    that of :func:`auc`.

    >>> roc([0.1, 0.5, 0.5, 0.9], [False, False, True, True]).tolist()
    [[0.0, 0.0], [0.0, 0.5], [0.5, 1.0], [1.0, 1.0]]
    """
    hits, everything = _from_the_top(*_checked(scores, labels, None))
    counts = np.cumsum(np.stack([everything - hits, hits], axis=1), axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = counts / counts[-1:]
    return np.concatenate([np.zeros((1, 2)), shares])


def _checked(
    scores: ArrayLike, labels: ArrayLike, weights: ArrayLike | None
) -> tuple[Floats, NDArray[np.bool_], Floats]:
    values, marked = np.asarray(scores, dtype=np.float64), np.asarray(labels, dtype=bool)
    if values.shape != marked.shape or values.ndim != 1:
        raise UsageError(f"there must be one label per score, not shapes {values.shape} and {marked.shape}")
    return values, marked, np.ones(len(values)) if weights is None else np.asarray(weights, dtype=np.float64)


def _from_the_top(values: Floats, marked: NDArray[np.bool_], weight: Floats) -> tuple[Floats, Floats]:
    """Return the weight of the labelled items and of all items at each distinct score, highest score first."""
    known = ~np.isnan(values)
    values, marked, weight = values[known], marked[known], weight[..., known]
    if not len(values):
        nothing = np.zeros((*weight.shape[:-1], 0))
        return nothing, nothing
    order = np.argsort(-values, kind="stable")
    values, marked, weight = values[order], marked[order], weight[..., order]
    starts = np.flatnonzero(np.append(True, values[1:] != values[:-1]))
    hits = np.add.reduceat(np.where(marked, weight, 0.0), starts, axis=-1)
    return hits, np.add.reduceat(weight, starts, axis=-1)
