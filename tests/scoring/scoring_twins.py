"""Slow, literal ways from segment scores to findings, for the tests of this room.

The draws of the bootstrap are taken from the package (its own tests check them); what is made of them is not.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from wordorder.core.statistics.resampling import bootstrap_sums


def mean(scores: Sequence[float]) -> float:
    """The mean of what is defined; nothing defined is undefined."""
    defined = [score for score in scores if not math.isnan(score)]
    return math.fsum(defined) / len(defined) if defined else math.nan


def drawn_units(units: int, *, samples: int, seed: int) -> list[list[int]]:
    """Give the units each sample drew, with repetition: those of a corpus whose statistics are who was drawn."""
    counts = bootstrap_sums(np.eye(units), samples=samples, seed=seed).astype(int)
    return [list(itertools.chain.from_iterable([unit] * row[unit] for unit in range(units))) for row in counts]


def bootstrap(
    groups: Sequence[Sequence[int]], corpus: Callable[[list[int]], float], *, samples: int = 200, seed: int = 12345
) -> NDArray[np.float64]:
    """Score a corpus of redrawn groups of segments again and again; ``corpus`` scores a list of segments."""
    replicates = []
    for drawn in drawn_units(len(groups), samples=samples, seed=seed):
        replicates.append(corpus([segment for unit in drawn for segment in groups[unit]]))
    return np.array(replicates)


def percentiles(replicates: NDArray[np.float64]) -> tuple[float, float]:
    low, high = np.nanpercentile(replicates, [2.5, 97.5])
    return float(low), float(high)


def bootstrap_p(observed: float, differences: NDArray[np.float64]) -> float:
    """How often is a redrawn difference as far from the mean of them all as the observed one is from nothing?"""
    centre = sum(differences) / len(differences)
    extreme = sum(abs(difference - centre) >= abs(observed) - 1e-9 for difference in differences)
    return float((1 + extreme) / (1 + len(differences)))


def holm(p_values: Sequence[float]) -> list[float]:
    """The smallest p times their number, the next times one less …; never smaller than the one before."""
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=lambda place: p_values[place])):
        highest = max(highest, min(1.0, p_values[place] * (len(p_values) - rank)))
        adjusted[place] = highest
    return adjusted
