"""Kernels that read translation tables: finding a pair, likeness of spelling, probabilities for any text.

They stand in one file because a kernel may call only kernels of its own file.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wordorder.runtime.kernels import kernel

LONGEST_COMPARED = 64
"""Letters; longer words are alike only if they are the same."""

SHORTEST_COMPARED = 4
"""Letters; shorter words are alike only if they are the same."""

SMALLEST = 1e-12
"""No translation probability is smaller."""


@kernel
def find(offsets: NDArray[np.int64], columns: NDArray[np.int32], row: int, column: int) -> int:
    """Find a pair by binary search; −1 where it is not in the pattern."""
    low = offsets[row]
    high = offsets[row + 1]
    end = high
    while low < high:
        middle = (low + high) // 2
        if columns[middle] < column:
            low = middle + 1
        else:
            high = middle
    return int(low) if low < end and columns[low] == column else -1


@kernel
def find_cells(
    offsets: NDArray[np.int64],
    columns: NDArray[np.int32],
    source: NDArray[np.int32],
    source_offsets: NDArray[np.int64],
    target: NDArray[np.int32],
    target_offsets: NDArray[np.int64],
    cells: int,
) -> NDArray[np.int32]:
    """Give the pair of every cell of some sentence pairs; cell (i, j) of a pair stands at i · J + j."""
    found = np.empty(cells, dtype=np.int32)
    cell = 0
    for sentence in range(len(source_offsets) - 1):
        for i in range(source_offsets[sentence], source_offsets[sentence + 1]):
            for j in range(target_offsets[sentence], target_offsets[sentence + 1]):
                found[cell] = find(offsets, columns, source[i], target[j])
                cell += 1
    return found


@kernel
def find_classes(
    offsets: NDArray[np.int64],
    columns: NDArray[np.int32],
    class_offsets: NDArray[np.int64],
    class_columns: NDArray[np.int32],
    source_classes: NDArray[np.int32],
    target_classes: NDArray[np.int32],
) -> NDArray[np.int32]:
    """Give for every word pair the pair of its classes."""
    found = np.empty(len(columns), dtype=np.int32)
    for row in range(len(offsets) - 1):
        for pair in range(offsets[row], offsets[row + 1]):
            found[pair] = find(class_offsets, class_columns, source_classes[row], target_classes[columns[pair]])
    return found


@kernel
def spelling_likeness(
    one: NDArray[np.int32], two: NDArray[np.int32], threshold: float, line: NDArray[np.int32]
) -> float:
    """Give the squared ratio of the longest common subsequence to the longer word (Melamed 1999), 0 if below.

    ``line`` is room for ``LONGEST_COMPARED + 1`` numbers.
    """
    shorter = min(len(one), len(two))
    longer = max(len(one), len(two))
    if shorter < threshold * longer:
        return 0.0
    if shorter < SHORTEST_COMPARED or longer > LONGEST_COMPARED:
        if shorter != longer:
            return 0.0
        for place in range(shorter):
            if one[place] != two[place]:
                return 0.0
        return 1.0
    line[: len(two) + 1] = 0
    for letter in one:
        diagonal = 0
        for place in range(len(two)):
            above = line[place + 1]
            if letter == two[place]:
                line[place + 1] = diagonal + 1
            elif line[place] > above:
                line[place + 1] = line[place]
            diagonal = above
    ratio = line[len(two)] / longer
    return ratio * ratio if ratio >= threshold else 0.0


@kernel
def pair_likeness(
    offsets: NDArray[np.int64],
    columns: NDArray[np.int32],
    first: int,
    last: int,
    source_letters: NDArray[np.int32],
    source_ends: NDArray[np.int64],
    target_letters: NDArray[np.int32],
    target_ends: NDArray[np.int64],
    threshold: float,
) -> NDArray[np.float32]:
    """Give the likeness of spelling of the pairs in rows ``first`` to ``last``."""
    likeness = np.zeros(offsets[last] - offsets[first], dtype=np.float32)
    line = np.zeros(LONGEST_COMPARED + 1, dtype=np.int32)
    for row in range(first, last):
        one = source_letters[source_ends[row] : source_ends[row + 1]]
        for pair in range(offsets[row], offsets[row + 1]):
            word = columns[pair]
            two = target_letters[target_ends[word] : target_ends[word + 1]]
            likeness[pair - offsets[first]] = spelling_likeness(one, two, threshold, line)
    return likeness


@kernel
def digamma(x: float) -> float:
    """Give ψ(x) for x > 0: recurrence up to 6, then the asymptotic series."""
    result = 0.0
    while x < 6.0:
        result -= 1.0 / x
        x += 1.0
    inverse = 1.0 / (x * x)
    series = inverse * (1 / 12 - inverse * (1 / 120 - inverse * (1 / 252 - inverse * (1 / 240 - inverse / 132))))
    return float(result + np.log(x) - 0.5 / x - series)


@kernel
def probability(weight: float, total: float, variational: bool) -> float:
    """Turn a smoothed count and its total into a probability, bounded away from zero.

    The variational one is exp(ψ(weight) − ψ(total)), the mean-field update under a Dirichlet prior.
    """
    value = np.exp(digamma(weight) - digamma(total)) if variational else weight / total
    return max(value, SMALLEST)


@kernel
def sum_counts(
    offsets: NDArray[np.int64],
    columns: NDArray[np.int32],
    classes: NDArray[np.int32],
    prior: NDArray[np.float32],
    counts: NDArray[np.float64],
    sums: NDArray[np.float64],
    prior_sums: NDArray[np.float64],
    column_sums: NDArray[np.float64],
    column_prior_sums: NDArray[np.float64],
    class_sums: NDArray[np.float64],
) -> None:
    """Sum counts by row, by column and by pair of classes, and the prior by row and by column."""
    for row in range(len(offsets) - 1):
        for pair in range(offsets[row], offsets[row + 1]):
            column = columns[pair]
            sums[row] += counts[pair]
            prior_sums[row] += prior[pair]
            column_sums[column] += counts[pair]
            column_prior_sums[column] += prior[pair]
            class_sums[classes[pair]] += counts[pair]


@kernel
def fill_table(
    offsets: NDArray[np.int64],
    columns: NDArray[np.int32],
    classes: NDArray[np.int32],
    prior: NDArray[np.float32],
    counts: NDArray[np.float64],
    by_column: bool,
    class_table: NDArray[np.float32],
    shares: NDArray[np.float64],
    totals: NDArray[np.float64],
    stems: float,
    variational: bool,
    table: NDArray[np.float32],
) -> None:
    """Write the translation probability of every pair; ``by_column``: of the row's word given the column's."""
    for row in range(len(offsets) - 1):
        for pair in range(offsets[row], offsets[row + 1]):
            column = columns[pair]
            given, made = (column, row) if by_column else (row, column)
            weight = counts[pair] + prior[pair] + stems * (class_table[classes[pair]] * shares[made])
            table[pair] = probability(weight, totals[given], variational)


@kernel
def find_emissions(
    source: NDArray[np.int32],
    source_offsets: NDArray[np.int64],
    target: NDArray[np.int32],
    target_offsets: NDArray[np.int64],
    offsets: NDArray[np.int64],
    columns: NDArray[np.int32],
    forward: NDArray[np.float32],
    backward: NDArray[np.float32],
    class_offsets: NDArray[np.int64],
    class_columns: NDArray[np.int32],
    class_forward: NDArray[np.float32],
    class_backward: NDArray[np.float32],
    source_words: NDArray[np.int32],
    source_classes: NDArray[np.int32],
    source_weights: NDArray[np.float64],
    source_letters: NDArray[np.int32],
    source_ends: NDArray[np.int64],
    target_words: NDArray[np.int32],
    target_classes: NDArray[np.int32],
    target_weights: NDArray[np.float64],
    target_letters: NDArray[np.int32],
    target_ends: NDArray[np.int64],
    smoothing: NDArray[np.float64],
    variational: bool,
    forward_cells: NDArray[np.float32],
    backward_cells: NDArray[np.float32],
) -> None:
    """Write t(f|e) and t(e|f) for every cell of any text; pairs the model has not seen are smoothed alike.

    ``…_words`` and ``…_classes`` give the model's number of each word of the text, −1 where it has none.
    ``…_weights`` has the rows total, share of the stem, frequency; ``smoothing``: floor, spelling, likeness, stems.
    """
    floor, spelling, threshold, stems = smoothing
    line = np.zeros(LONGEST_COMPARED + 1, dtype=np.int32)
    cell = 0
    for sentence in range(len(source_offsets) - 1):
        for i in range(source_offsets[sentence], source_offsets[sentence + 1]):
            e = source[i]
            for j in range(target_offsets[sentence], target_offsets[sentence + 1]):
                f = target[j]
                pair = -1
                if source_words[e] >= 0 and target_words[f] >= 0:
                    pair = find(offsets, columns, source_words[e], target_words[f])
                if pair >= 0:
                    forward_cells[cell] = forward[pair]
                    backward_cells[cell] = backward[pair]
                    cell += 1
                    continue
                one = source_letters[source_ends[e] : source_ends[e + 1]]
                two = target_letters[target_ends[f] : target_ends[f + 1]]
                weight = floor
                if spelling > 0.0:
                    weight += spelling * spelling_likeness(one, two, threshold, line)
                pair = -1
                if source_classes[e] >= 0 and target_classes[f] >= 0:
                    pair = find(class_offsets, class_columns, source_classes[e], target_classes[f])
                ahead = class_forward[pair] * target_weights[1, f] if pair >= 0 else 0.0
                back = class_backward[pair] * source_weights[1, e] if pair >= 0 else 0.0
                if source_classes[e] < 0:
                    ahead = target_weights[2, f]
                if target_classes[f] < 0:
                    back = source_weights[2, e]
                forward_cells[cell] = probability(weight + stems * ahead, source_weights[0, e], variational)
                backward_cells[cell] = probability(weight + stems * back, target_weights[0, f], variational)
                cell += 1
