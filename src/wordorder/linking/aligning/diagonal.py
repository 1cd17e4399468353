"""Posteriors of the two models that align each word independently of the others: uniform and diagonal."""

import math

import numpy as np

from wordorder.core.runtime.columns import Floats
from wordorder.core.runtime.kernels import inner_kernel, kernel
from wordorder.linking.aligning.lookup import Emissions, Found, Shape, cell_layout


@inner_kernel
def _uniform_posteriors(shape: Shape, emitted: Emissions, found: Found) -> None:
    """Write the posteriors of model 1, in which all positions are equally probable."""
    emissions, null_emissions, null = emitted
    links, null_links, _ = found
    cell = place = 0
    for sentence in range(len(shape[0]) - 1):
        states, observed, stride, step = cell_layout(shape, sentence)
        evidence = np.empty(observed)
        for j in range(observed):
            evidence[j] = null * null_emissions[place + j] * states / (1.0 - null) if states else 1.0
            null_links[place + j] = evidence[j]
        for i in range(states):
            for j in range(observed):
                evidence[j] += emissions[cell + i * stride + j * step]
        for j in range(observed):
            evidence[j] = 1.0 / evidence[j]
            null_links[place + j] *= evidence[j]
        for i in range(states):
            for j in range(observed):
                here = cell + i * stride + j * step
                links[here] = emissions[here] * evidence[j]
        cell += states * observed
        place += observed


@kernel
def diagonal_posteriors(shape: Shape, emitted: Emissions, parameters: Floats, found: Found) -> None:
    """Write the posteriors of all cells to ``found``, and add up statistics of the closeness to the diagonal.

    The closeness of state i of I and observed word j of J is −|i/I − j/J|. The statistics are three sums over all
    observed words: the mean closeness according to the posteriors, the mean closeness according to the prior
    (positions only), and the variance according to the prior.
    """
    emissions, null_emissions, null = emitted
    links, null_links, statistics = found
    tension = parameters[0]
    if tension == 0.0:
        _uniform_posteriors(shape, emitted, found)
        return
    cell = 0
    place = 0
    for sentence in range(len(shape[0]) - 1):
        states, observed, stride, step = cell_layout(shape, sentence)
        weights = np.empty(states)
        for j in range(observed):
            first = second = total = 0.0
            for i in range(states):
                closeness = -abs((i + 0.5) / states - (j + 0.5) / observed)
                weights[i] = math.exp(tension * closeness)
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
            if states > 0 and len(statistics) > 0:
                mean = first / total
                statistics[0] += closeness_found
                statistics[1] += aligned * mean
                statistics[2] += aligned * (second / total - mean * mean)
        cell += states * observed
