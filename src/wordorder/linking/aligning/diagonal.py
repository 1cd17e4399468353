"""Posteriors of the two models that align each word independently of the others: uniform and diagonal."""

from __future__ import annotations

import numpy as np

from wordorder.core.runtime.columns import Floats
from wordorder.core.runtime.kernels import kernel
from wordorder.linking.aligning.lookup import Emissions, Found, Shape, cell_layout


@kernel
def diagonal_posteriors(shape: Shape, emitted: Emissions, parameters: Floats, found: Found) -> None:
    """Write the posteriors of all cells to ``found``, and add up statistics of the closeness −|i/I − j/J|.

    The statistics are three sums over all observed words: the mean closeness according to the posteriors, the mean
    closeness according to the prior (positions only), and the variance according to the prior.
    """
    emissions, null_emissions, null = emitted
    links, null_links, statistics = found
    tension = parameters[0]
    cell = 0
    place = 0
    for sentence in range(len(shape[0]) - 1):
        states, observed, stride, step = cell_layout(shape, sentence)
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
