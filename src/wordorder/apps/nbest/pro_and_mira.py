"""Two methods of tuning that find weights under which better translations score higher: PRO and batch MIRA.

Pairwise ranked optimisation (PRO, Hopkins & May 2011) fits the weights to sampled pairs of translations.

Batch MIRA (Cherry & Foster 2012) changes the weights in small steps. Each step compares two translations of a
sentence: the hope translation, for which model score plus gain is highest, and the fear translation, for which model
score minus gain is highest. The gain of a translation is the score of a pseudo-corpus to which it has been added. The
pseudo-corpus is a decayed sum of the statistics of earlier hope translations, so corpus metrics such as BLEU need no
smoothing.
"""

from itertools import pairwise

import numpy as np

from wordorder.apps.nbest.mert import Objective
from wordorder.apps.nbest.nbest import NBest
from wordorder.core.runtime.columns import Floats
from wordorder.core.runtime.errors import InputError
from wordorder.core.runtime.kernels import kernel
from wordorder.core.runtime.libraries import pc

DRAWN = 5000
"""The number of pairs of translations sampled per sentence."""

KEPT = 50
"""The number of sampled pairs kept per sentence, namely those with the largest differences in score."""

LEAST_DIFFERENCE = 0.05
"""Pairs with a smaller difference between their segment scores are discarded."""

PENALTY = 1.0
"""The coefficient of the L2 penalty in the loss, for features scaled to a standard deviation of 1."""


def rank_pairs(objective: Objective, low: Floats, high: Floats, rng: np.random.Generator) -> Floats:
    """Fit a logistic regression to the feature differences of sampled pairs, and return its weights."""
    from scipy.optimize import minimize

    differences = draw_pairs(objective, rng)
    if not len(differences):
        raise InputError(
            f"no sampled pair of translations differs by {LEAST_DIFFERENCE} or more in {objective.metric}, so there "
            "are no pairs to rank; use another method or objective"
        )
    spread = np.sqrt((differences**2).mean(axis=0))
    spread[spread == 0] = 1.0
    scaled = np.ascontiguousarray(differences / spread)
    bounds = list(zip((low * spread).tolist(), (high * spread).tolist(), strict=True))
    start = np.clip(np.zeros(len(low)), low, high) * spread
    found = minimize(lambda weights: logistic_loss(scaled, weights, PENALTY), start, jac=True, bounds=bounds)
    weights: Floats = np.clip(found.x / spread, low, high)
    return weights


def draw_pairs(objective: Objective, rng: np.random.Generator) -> Floats:
    """Sample pairs of translations; return the better one's features minus the worse one's, ``[pairs, features]``."""
    scores = np.asarray(objective.metric.segment(objective.rows[:]))[objective.row_of]
    features = objective.lists.features
    found = [np.zeros((0, len(features)))]
    for start, stop in pairwise(objective.lists.offsets.tolist()):
        one, two = rng.integers(start, stop, (2, DRAWN))
        gain = scores[one] - scores[two]
        enough = np.flatnonzero(np.abs(np.nan_to_num(gain)) >= LEAST_DIFFERENCE)
        kept = enough[np.argsort(-np.abs(gain[enough]), kind="stable")[:KEPT]]
        found.append(((features[:, one[kept]] - features[:, two[kept]]) * np.sign(gain[kept])).T)
    return np.concatenate(found)


@kernel
def logistic_loss(differences: Floats, weights: Floats, penalty: float) -> tuple[float, Floats]:
    """Return the loss Σ log(1 + exp(−w·x)) + penalty·|w|²/2, with Σ over the rows x, and its gradient for w."""
    gradient = penalty * weights
    loss = 0.0
    for column in range(len(weights)):
        loss += 0.5 * penalty * weights[column] ** 2
    for row in range(len(differences)):
        margin = 0.0
        for column in range(len(weights)):
            margin += weights[column] * differences[row, column]
        small = np.exp(-abs(margin))
        loss += np.log1p(small) + max(-margin, 0.0)
        share = small / (1.0 + small) if margin > 0 else 1.0 / (1.0 + small)
        for column in range(len(weights)):
            gradient[column] -= share * differences[row, column]
    return loss, gradient


LARGEST_STEP = 0.01
DECAY = 0.999
EPOCHS = 60
FIRST_SEGMENTS = 10
"""The number of average translations whose statistics form the initial pseudo-corpus."""


def take_steps(
    objective: Objective, start: Floats, low: Floats, high: Floats, free: list[int], rng: np.random.Generator
) -> Floats:
    """Run MIRA for ``EPOCHS`` epochs, and return the mean weights over all steps up to the best epoch.

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
    for _ in range(EPOCHS):
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
    return 1.0 + float(pc.mean(pc.count_substring(lists.texts, " ")).as_py() or 0.0)
