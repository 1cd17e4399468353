"""Batch MIRA: change weights in small steps so that good translations outscore bad ones (Cherry & Foster 2012).

Each step compares two translations of a sentence: the hope translation, for which model score plus gain is highest,
and the fear translation, for which model score minus gain is highest. The gain of a translation is the score of a
pseudo-corpus to which it has been added. The pseudo-corpus is a decayed sum of the statistics of earlier hope
translations, so corpus metrics such as BLEU need no smoothing.
"""

from __future__ import annotations

import numpy as np

from wordorder.apps.nbest.mert import Objective
from wordorder.apps.nbest.nbest import NBest
from wordorder.core.runtime.columns import Floats

LARGEST_STEP = 0.01
DECAY = 0.999
EPOCHS = 60
FIRST_SEGMENTS = 10
"""The number of average translations whose statistics form the initial pseudo-corpus."""


def take_steps(
    objective: Objective,
    start: Floats,
    low: Floats,
    high: Floats,
    free: list[int],
    rng: np.random.Generator,
    *,
    epochs: int = EPOCHS,
) -> Floats:
    """Run MIRA for ``epochs`` epochs, and return the mean weights over all steps up to the best epoch.

    The best epoch is the one at whose end these mean weights give the best score."""
    lists = objective.lists
    rows = objective.rows[objective.row_of]
    features = np.ascontiguousarray(lists.features.T)
    movable = np.zeros(len(start))
    movable[free] = 1.0
    weights, total, steps = start.copy(), np.zeros(len(start)), 0
    corpus, segments = rows.mean(axis=0) * FIRST_SEGMENTS, float(FIRST_SEGMENTS)
    words = mean_words(lists)
    best, best_score = weights, -np.inf
    for _ in range(epochs):
        for sentence in rng.permutation(len(lists)).tolist():
            own = slice(int(lists.offsets[sentence]), int(lists.offsets[sentence + 1]))
            model = (features[own] * weights).sum(axis=1)
            gains = np.nan_to_num(objective.metric.corpus(corpus + rows[own])) * (segments + 1) * words
            hope, fear = int(np.argmax(model + gains)), int(np.argmax(model - gains))
            change = (features[own][hope] - features[own][fear]) * movable
            loss = (gains[hope] - gains[fear]) - (model[hope] - model[fear])
            size = float((change**2).sum())
            if loss > 0 and size > 0:
                weights = np.clip(weights + min(LARGEST_STEP, loss / size) * change, low, high)
            corpus, segments = DECAY * (corpus + rows[own][hope]), DECAY * (segments + 1)
            total += weights
            steps += 1
        score = objective.score(total / steps)
        if score > best_score:
            best, best_score = total / steps, score
    return np.clip(best, low, high)


def mean_words(lists: NBest) -> float:
    """Return the mean number of words per translation, which scales gains as in Chiang's sentence-level BLEU."""
    import pyarrow.compute as pc

    return 1.0 + float(pc.mean(pc.count_substring(lists.texts, " ")).as_py() or 0.0)
