"""Posteriors of the hidden Markov model by the forward-backward algorithm, in O(I · J · width of a jump).

Positions are numbered from 0, the start of the sentence, which observes nothing; state i has position i + 1. The
probability of moving from position m to position k ≥ 1 is c(k − m)/Z_m. An observed word that comes from the null
word leaves the position unchanged. All jumps of at least ``FARTHEST`` to one side share one weight, so sums over them
are running sums, and the rest is a short convolution: a sentence of 1,000 words takes 1,000 × 1,000 × 21 steps.
"""

from __future__ import annotations

import numpy as np

from wordorder.core.runtime.columns import Floats
from wordorder.core.runtime.kernels import inner_kernel, kernel
from wordorder.linking.aligning.lookup import Emissions, Found, Shape, cell_layout

FARTHEST = 10
"""Jumps of at least this width share one weight on each side."""


@inner_kernel
def _move(mass: Floats, jumps: Floats, direction: int, result: Floats) -> None:
    """Sum over the positions that one jump connects with k: result[k] = Σ_m mass[m] · c(direction · (k − m)).

    With direction 1 the jumps arrive at k; with −1 they leave it. No jump arrives at position 0, so result[0] has no
    meaning with direction 1, and mass[0] must be 0 with direction −1.
    """
    size = len(mass)
    result[:] = 0.0
    for width in range(1 - FARTHEST, FARTHEST):
        weight, shift = jumps[width + FARTHEST], direction * width
        for k in range(max(0, shift), min(size, size + shift)):
            result[k] += weight * mass[k - shift]
    for weight, side in ((jumps[2 * FARTHEST], direction), (jumps[0], -direction)):
        running = 0.0
        if side > 0:  # jumps between k and places far on its left
            for k in range(FARTHEST, size):
                running += mass[k - FARTHEST]
                result[k] += weight * running
        else:
            for k in range(size - 1 - FARTHEST, -1, -1):
                running += mass[k + FARTHEST]
                result[k] += weight * running


@inner_kernel
def _count_jumps(left: Floats, right: Floats, jumps: Floats, counts: Floats) -> None:
    """Add the expected number of jumps of each width: Σ_m left[m] · c(k − m) · right[k]; right[0] must be 0."""
    size = len(left)
    for width in range(1 - FARTHEST, FARTHEST):
        found = 0.0
        for m in range(max(0, -width), min(size, size - width)):
            found += left[m] * right[m + width]
        counts[width + FARTHEST] += jumps[width + FARTHEST] * found
    running = found = 0.0
    for k in range(FARTHEST, size):
        running += left[k - FARTHEST]
        found += running * right[k]
    counts[2 * FARTHEST] += jumps[2 * FARTHEST] * found
    running = found = 0.0
    for k in range(size - 1 - FARTHEST, 0, -1):
        running += left[k + FARTHEST]
        found += running * right[k]
    counts[0] += jumps[0] * found


@inner_kernel
def _count_chances(departures: Floats, chances: Floats) -> None:
    """Add Σ_m departures[m] · (number of positions k ≥ 1 with k − m of this width) for each width."""
    size = len(departures)
    for m in range(size):
        for width in range(max(1 - FARTHEST, 1 - m), min(FARTHEST, size - m)):
            chances[width + FARTHEST] += departures[m]
        chances[2 * FARTHEST] += departures[m] * max(0, size - m - FARTHEST)
        chances[0] += departures[m] * max(0, m - FARTHEST)


@kernel
def hmm_posteriors(shape: Shape, emitted: Emissions, jumps: Floats, found: Found) -> None:
    """Write the posteriors of all cells; sum the expected jumps of each width, then the chances for them."""
    emissions, null_emissions, null = emitted
    links, null_links, statistics = found
    counts = statistics[: len(jumps)]
    chances = statistics[len(jumps) :]
    cell = 0
    place = 0
    for sentence in range(len(shape[0]) - 1):
        states, observed, stride, step = cell_layout(shape, sentence)
        if states == 0:
            null_links[place : place + observed] = 1.0
            place += observed
            continue
        size = states + 1
        ones = np.ones(size)
        ones[0] = 0.0
        room = np.empty(size)  # Z: the total weight of the jumps from each position that stay in the sentence
        _move(ones, jumps, -1, room)
        # at[j] is the probability of each position before word j, given the words before it; here[j + 1] is that of
        # the states that produced word j, given the words up to it.
        at = np.zeros((observed + 1, size))
        here = np.zeros((observed + 1, size))
        scales = np.empty(observed)
        at[0, 0] = 1.0
        mass = np.empty(size)
        sums = np.empty(size)
        for j in range(observed):
            for m in range(size):
                mass[m] = at[j, m] / room[m]
            _move(mass, jumps, 1, sums)
            silence = null * null_emissions[place + j]
            total = 0.0
            for k in range(1, size):
                here[j + 1, k] = (1.0 - null) * sums[k] * emissions[cell + (k - 1) * stride + j * step]
                total += here[j + 1, k]
            for m in range(size):
                total += silence * at[j, m]
            scales[j] = total
            for m in range(size):
                here[j + 1, m] /= total
                at[j + 1, m] = here[j + 1, m] + silence * at[j, m] / total
        future = np.ones(size)
        departures = np.zeros(size)
        for j in range(observed - 1, -1, -1):
            silence = null * null_emissions[place + j] / scales[j]
            unaligned = 0.0
            mass[0] = 0.0
            for k in range(1, size):
                position = cell + (k - 1) * stride + j * step
                links[position] = here[j + 1, k] * future[k]
                mass[k] = (1.0 - null) / scales[j] * emissions[position] * future[k]
            for m in range(size):
                unaligned += silence * at[j, m] * future[m]
            null_links[place + j] = unaligned
            _move(mass, jumps, -1, sums)
            for m in range(size):
                departures[m] += at[j, m] * sums[m] / (room[m] * room[m])
                future[m] = sums[m] / room[m] + silence * future[m]
                sums[m] = at[j, m] / room[m]
            _count_jumps(sums, mass, jumps, counts)
        _count_chances(departures, chances)
        cell += states * observed
        place += observed
