"""Posteriors of models whose words are aligned independently of each other: uniform or near the diagonal."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wordorder.runtime.kernels import kernel


@kernel
def diagonal_posteriors(
    source_offsets: NDArray[np.int64],
    target_offsets: NDArray[np.int64],
    backward: bool,
    emissions: NDArray[np.float32],
    null_emissions: NDArray[np.float64],
    null: float,
    tension: float,
    links: NDArray[np.float64],
    null_links: NDArray[np.float64],
    statistics: NDArray[np.float64],
) -> None:
    """Write the posteriors of all cells; add up observed, expected and variance of −|i/I − j/J|."""
    cell = 0
    place = 0
    for sentence in range(len(source_offsets) - 1):
        states = source_offsets[sentence + 1] - source_offsets[sentence]
        observed = target_offsets[sentence + 1] - target_offsets[sentence]
        stride, step = observed, 1  # from state to state, from observed word to observed word
        if backward:
            states, observed, stride, step = observed, states, 1, observed
        weights = np.empty(states)
        for j in range(observed):
            first = second = total = 0.0
            for i in range(states):
                closeness = -abs((i + 0.5) / states - (j + 0.5) / observed)
                weights[i] = np.exp(tension * closeness)
                total += weights[i]
                first += weights[i] * closeness
                second += weights[i] * closeness * closeness
            unaligned = null * null_emissions[place] if states > 0 else 1.0
            evidence = unaligned
            for i in range(states):
                here = cell + i * stride + j * step
                links[here] = (1.0 - null) * weights[i] / total * emissions[here]
                evidence += links[here]
            aligned = closeness_found = 0.0
            for i in range(states):
                here = cell + i * stride + j * step
                links[here] /= evidence
                aligned += links[here]
                closeness_found -= links[here] * abs((i + 0.5) / states - (j + 0.5) / observed)
            null_links[place] = unaligned / evidence
            place += 1
            if states > 0:
                mean = first / total
                statistics[0] += closeness_found
                statistics[1] += aligned * mean
                statistics[2] += aligned * (second / total - mean * mean)
        cell += states * observed
