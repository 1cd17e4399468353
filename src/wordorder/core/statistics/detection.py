"""Measures of how well scores detect labelled items: ROC curve and area, average precision, and precision at k."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wordorder.core.runtime.columns import Floats
from wordorder.core.runtime.errors import UsageError


def auc(
    scores: ArrayLike, labels: ArrayLike, *, weights: ArrayLike | None = None, strata: ArrayLike | None = None
) -> Floats:
    """Return the probability that a labelled item scores higher than an unlabelled one; equal scores count half.

    This is the area under the ROC curve, and also Mann & Whitney's U divided by the number of pairs. ``weights[...,
    items]`` says how often each item was sampled; the result then has one area for each leading index. With
    ``strata`` (any integers), only items in the same stratum are compared. Undefined scores are ignored; the result
    is NaN if there is nothing to compare.

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
    """Return the average precision Σ (R_i − R_(i−1))·P_i, summed over the distinct scores in descending order.

    P_i and R_i are the precision and the recall among the items whose score is at least the i-th distinct score.
    Items with equal scores therefore form a single step, as in scikit-learn. For ``weights``, see :func:`auc`. The
    result is NaN if no item is labelled.

    >>> round(average_precision([0.9, 0.8, 0.1], [True, False, True]).item(), 4)
    0.8333
    """
    hits, everything = _from_the_top(*_checked(scores, labels, weights))
    with np.errstate(invalid="ignore", divide="ignore"):
        precision = np.cumsum(hits, axis=-1) / np.cumsum(everything, axis=-1)
        return np.asarray(np.nansum(hits * precision, axis=-1) / hits.sum(axis=-1))


def precision_at(scores: ArrayLike, labels: ArrayLike, count: int, *, weights: ArrayLike | None = None) -> Floats:
    """Return the share of labelled items among the ``count`` items with the highest scores.

    If several items tie for the last ranks, the result is the mean over all ways to break the tie. For ``weights``,
    see :func:`auc`.

    >>> precision_at([0.9, 0.5, 0.5, 0.1], [False, True, False, True], 2).item()
    0.25
    """
    hits, everything = _from_the_top(*_checked(scores, labels, weights))
    before = np.cumsum(everything, axis=-1) - everything
    with np.errstate(invalid="ignore", divide="ignore"):
        taken = np.clip((count - before) / everything, 0.0, 1.0)
    return np.asarray(np.where(everything > 0, hits * taken, 0.0).sum(axis=-1) / count)


def roc(scores: ArrayLike, labels: ArrayLike) -> Floats:
    """Return the points of the ROC curve, ``[points, 2]``: the false positive rate and the true positive rate.

    The curve starts at (0, 0), has one point for each distinct score, and ends at (1, 1). The area under the straight
    lines between the points equals :func:`auc`.

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
        shapes = f"{values.shape} and {marked.shape}"
        raise UsageError(f"scores and labels must be lists of the same length, not arrays of shapes {shapes}")
    return values, marked, np.ones(len(values)) if weights is None else np.asarray(weights, dtype=np.float64)


def _from_the_top(values: Floats, marked: NDArray[np.bool_], weight: Floats) -> tuple[Floats, Floats]:
    """Return the total weights of the labelled items and of all items at each distinct score.

    The scores are in descending order.
    """
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
