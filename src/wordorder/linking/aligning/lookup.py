"""Kernels that look up word pairs in translation tables, compare spellings and compute translation probabilities."""

import numpy as np

from wordorder.core.runtime.columns import Float32s, Floats, Int64s, Ints
from wordorder.core.runtime.kernels import inner_kernel, kernel

Arrays = tuple[Ints, Int64s, Ints, Int64s]
"""Sentence pairs: source words, source offsets, target words and target offsets."""
Pattern = tuple[Int64s, Ints]
"""The offsets and columns of a sparse table of word pairs; see ``WordPairs``."""
Counted = tuple[Int64s, Ints, Ints, Float32s, Float32s]
"""The offsets and columns of word pairs, and the stem pair, the prior and the expected count of each word pair."""
Table = tuple[Int64s, Ints, Float32s, Float32s]
"""The offsets and columns of word pairs, and the forward and backward probability of each word pair."""
Words = tuple[Ints, Ints, Floats, Ints, Int64s]
"""The words of a text, as kernels expect them; :func:`find_emissions` explains the fields."""

Shape = tuple[Int64s, Int64s, bool]
"""The offsets of both sides, and whether the states are the target words (backward) instead of the source words."""
Emissions = tuple[Float32s, Floats, float]
"""Translation probabilities of cells, those of observed words given the null word, and the null probability."""
Found = tuple[Floats, Floats, Floats]
"""Output arrays for the posteriors of cells, the posteriors of the null word, and the statistics."""

LONGEST_COMPARED = 64
"""The largest number of letters for which words count as similar without being identical."""

SHORTEST_COMPARED = 4
"""The smallest number of letters for which words count as similar without being identical."""

_KINDS = 31  # letters whose code points have the same last five bits are not distinguished at first

SMALLEST = 1e-12
"""The lower bound on translation probabilities."""


@inner_kernel
def cell_layout(shape: Shape, sentence: int) -> tuple[int, int, int, int]:
    """Return the number of states and of observed words of a sentence pair, and the memory layout of its cells.

    The layout is given by two strides: the distance between the cells of adjacent states, and the distance between
    the cells of adjacent observed words.
    """
    source_offsets, target_offsets, backward = shape
    source = source_offsets[sentence + 1] - source_offsets[sentence]
    target = target_offsets[sentence + 1] - target_offsets[sentence]
    return (target, source, 1, target) if backward else (source, target, target, 1)


@kernel
def find(offsets: Int64s, columns: Ints, row: int, column: int) -> int:
    """Find a word pair by binary search; return its index, or −1 if the pair is not stored."""
    if row < 0:  # the model does not know the word
        return -1
    low, high, end = offsets[row], offsets[row + 1], offsets[row + 1]
    while low < high:
        middle = (low + high) // 2
        if columns[middle] < column:
            low = middle + 1
        else:
            high = middle
    return int(low) if low < end and columns[low] == column else -1


@kernel
def spread_rows(pairs: Pattern, rows: Ints, width: int) -> Ints:
    """Return a table with the index of the word pair of each of the given rows and each column, or −1."""
    offsets, columns = pairs
    spread = np.full((len(rows), width), -1, dtype=np.int32)
    for number in range(len(rows)):
        for pair in range(offsets[rows[number]], offsets[rows[number] + 1]):
            spread[number, columns[pair]] = pair
    return spread


@kernel
def find_cells(pairs: Pattern, spread: Ints, numbers: Ints, text: Arrays, cells: int) -> Ints:
    """Return the index of the word pair of every cell of some sentence pairs, or −1 for pairs that are not stored.

    Within a sentence pair of I × J words, cell (i, j) has the index i · J + j. ``spread`` comes from
    :func:`spread_rows`; ``numbers`` has the number of each row in it, or −1 for rows that are searched.
    """
    offsets, columns = pairs
    source, source_offsets, target, target_offsets = text
    found = np.empty(cells, dtype=np.int32)
    cell = 0
    for sentence in range(len(source_offsets) - 1):
        for i in range(source_offsets[sentence], source_offsets[sentence + 1]):
            number = numbers[source[i]]
            for j in range(target_offsets[sentence], target_offsets[sentence + 1]):
                word = target[j]
                found[cell] = spread[number, word] if number >= 0 else find(offsets, columns, source[i], word)
                cell += 1
    return found


@kernel
def find_probabilities(pairs: Ints, forward: Float32s, backward: Float32s) -> tuple[Float32s, Float32s]:
    """Return the probability in both directions of each word pair; the last one of a table is that of pair −1."""
    ahead, back = np.empty(len(pairs), dtype=np.float32), np.empty(len(pairs), dtype=np.float32)
    for cell in range(len(pairs)):
        pair = pairs[cell] if pairs[cell] >= 0 else len(forward) - 1
        ahead[cell] = forward[pair]
        back[cell] = backward[pair]
    return ahead, back


@kernel
def find_classes(pairs: Pattern, class_pairs: Pattern, source_classes: Ints, target_classes: Ints) -> Ints:
    """Return, for every word pair, the index of the corresponding pair of stems, or −1 if that is not stored."""
    offsets, columns = pairs
    class_offsets, class_columns = class_pairs
    found = np.empty(len(columns), dtype=np.int32)
    for row in range(len(offsets) - 1):
        for pair in range(offsets[row], offsets[row + 1]):
            found[pair] = find(class_offsets, class_columns, source_classes[row], target_classes[columns[pair]])
    return found


@kernel
def spelling_likeness(one: Ints, two: Ints, threshold: float, line: Ints) -> float:
    """Return the squared ratio of the longest common subsequence of two words to the longer word (Melamed 1999).

    Ratios (before squaring) below ``threshold`` count as 0. ``line`` is working memory of ``LONGEST_COMPARED + 1``
    numbers.
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
    # Most pairs are ruled out by the letters of one word that also occur in the other word.
    kinds = 0
    for letter in two:
        kinds |= 1 << (letter & _KINDS)
    common = 0
    for letter in one:
        common += kinds >> (letter & _KINDS) & 1
    if common / longer < threshold:
        return 0.0
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
    offsets: Int64s,
    columns: Ints,
    first: int,
    last: int,
    source: tuple[Ints, Int64s],
    target: tuple[Ints, Int64s],
    threshold: float,
) -> Float32s:
    """Return the spelling similarity of the word pairs in rows ``first`` up to, but not including, ``last``.

    ``source`` and ``target`` each hold the letters of all words and the offsets of the words.
    """
    source_letters, source_ends = source
    target_letters, target_ends = target
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
    """Return the digamma function of x > 0.

    The asymptotic series is used after the recurrence has raised x to at least 6.
    """
    result = 0.0
    while x < 6.0:
        result -= 1.0 / x
        x += 1.0
    inverse = 1.0 / (x * x)
    series = inverse * (1 / 12 - inverse * (1 / 120 - inverse * (1 / 252 - inverse * (1 / 240 - inverse / 132))))
    return float(result + np.log(x) - 0.5 / x - series)


@inner_kernel
def probability(weight: float, total: float, variational: bool) -> float:
    """Turn a smoothed count and its total into a probability of at least ``SMALLEST``.

    With ``variational``, it is exp(ψ(weight) − ψ(total)), the mean-field update under a Dirichlet prior, where ψ is
    the digamma function; otherwise, it is weight / total.
    """
    value = np.exp(digamma(weight) - digamma(total)) if variational else weight / total
    return max(value, SMALLEST)


@kernel
def sum_counts(counted: Counted, row_sums: Floats, column_sums: Floats, class_sums: Floats) -> None:
    """Add up the expected counts of word pairs by row, by column and by pair of stems.

    ``row_sums`` and ``column_sums`` have two rows: the first receives the sums of the counts, the second the sums of
    the priors.
    """
    offsets, columns, classes, prior, counts = counted
    for row in range(len(offsets) - 1):
        for pair in range(offsets[row], offsets[row + 1]):
            column = columns[pair]
            row_sums[0, row] += counts[pair]
            row_sums[1, row] += prior[pair]
            column_sums[0, column] += counts[pair]
            column_sums[1, column] += prior[pair]
            class_sums[classes[pair]] += counts[pair]


@kernel
def fill_table(
    counted: Counted,
    by_column: bool,
    class_table: Float32s,
    shares: Floats,
    totals: Floats,
    stems: float,
    variational: bool,
    table: Float32s,
) -> None:
    """Write the translation probability of every stored pair, followed by the probability of any other pair.

    Each value is the probability of the column's word given the row's word; with ``by_column``, it is the reverse.
    """
    offsets, columns, classes, prior, counts = counted
    table[len(columns)] = SMALLEST
    for row in range(len(offsets) - 1):
        for pair in range(offsets[row], offsets[row + 1]):
            column = columns[pair]
            given, made = (column, row) if by_column else (row, column)
            weight = counts[pair] + prior[pair] + stems * (class_table[classes[pair]] * shares[made])
            table[pair] = probability(weight, totals[given], variational)


@kernel
def find_emissions(
    text: Arrays,
    cells: int,
    pairs: Table,
    class_pairs: Table,
    source: Words,
    target: Words,
    smoothing: tuple[float, float, float, float],
    variational: bool,
) -> tuple[Float32s, Float32s]:
    """Return the translation probabilities, in both directions, for every cell of a text; unknown pairs are smoothed.

    ``pairs`` and ``class_pairs`` each hold offsets, columns and the probabilities of both directions. ``source`` and
    ``target`` hold the fields of a ``Reading``: the model's ID of each word and of its stem (−1 if unknown), three
    rows of weights (total, share of the stem, frequency), the letters of all words, and the offsets of the words in
    them. ``smoothing`` holds floor, spelling, likeness and stems, as in ``Smoothing``.
    """
    source_ids, source_offsets, target_ids, target_offsets = text
    offsets, columns, forward, backward = pairs
    class_offsets, class_columns, class_forward, class_backward = class_pairs
    source_words, source_classes, source_weights, source_letters, source_ends = source
    target_words, target_classes, target_weights, target_letters, target_ends = target
    floor, spelling, threshold, stems = smoothing
    forward_cells = np.empty(cells, dtype=np.float32)
    backward_cells = np.empty(cells, dtype=np.float32)
    line = np.zeros(LONGEST_COMPARED + 1, dtype=np.int32)
    cell = 0
    for sentence in range(len(source_offsets) - 1):
        for i in range(source_offsets[sentence], source_offsets[sentence + 1]):
            e = source_ids[i]
            one = source_letters[source_ends[e] : source_ends[e + 1]]
            for j in range(target_offsets[sentence], target_offsets[sentence + 1]):
                f = target_ids[j]
                pair = find(offsets, columns, source_words[e], target_words[f])
                if pair >= 0:
                    forward_cells[cell] = forward[pair]
                    backward_cells[cell] = backward[pair]
                    cell += 1
                    continue
                weight = floor
                length = target_ends[f + 1] - target_ends[f]
                # The lengths are compared here as well, because taking a part of an array is slow.
                if spelling > 0.0 and min(len(one), length) >= threshold * max(len(one), length):
                    two = target_letters[target_ends[f] : target_ends[f + 1]]
                    weight += spelling * spelling_likeness(one, two, threshold, line)
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
    return forward_cells, backward_cells
