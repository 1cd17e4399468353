"""Pairwise ranked optimisation: find weights that rank better translations higher (Hopkins & May 2011)."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from wordorder.apps.nbest.mert import Objective
from wordorder.core.runtime.columns import Floats
from wordorder.core.runtime.errors import InputError
from wordorder.core.runtime.kernels import kernel

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
