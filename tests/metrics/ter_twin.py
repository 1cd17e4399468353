"""A slow, literal twin of TER: every distance and every shift from scratch (Snover et al. 2006; limits of sacreBLEU).

Nothing here is clever and nothing here imports the package.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

Words = tuple[str, ...]
Cell = tuple[int, int]

BEAM, LONGEST, FARTHEST, MOST = 25, 10, 50, 1000


def path(hypothesis: Words, reference: Words) -> tuple[int, list[Cell]]:
    """The edit distance within the beam, and the cells of the best path, (words read on both sides).

    Of equally good steps, one on both sides comes first, then a word of the hypothesis, then one of the reference.
    """
    n, m = len(hypothesis), len(reference)
    ratio = m / n if n else 1
    beam = math.ceil(ratio / 2 + BEAM) if ratio / 2 > BEAM else BEAM
    best: dict[Cell, tuple[int, Cell | None]] = {(0, j): (j, (0, j - 1) if j else None) for j in range(m + 1)}
    for i in range(1, n + 1):
        middle = math.floor(i * ratio)
        end = m + 1 if i == n else min(m + 1, middle + beam)
        for j in range(max(0, middle - beam), end):
            steps = [
                ((i - 1, j - 1), int(j > 0 and hypothesis[i - 1] != reference[j - 1])),
                ((i - 1, j), 1),
                ((i, j - 1), 1),
            ]
            found = [(best[cell][0] + cost, cell) for cell, cost in steps if cell in best]
            best[i, j] = min(found, key=lambda step: step[0])
    cells: list[Cell] = []
    cell: Cell | None = (n, m)
    while cell is not None:
        cells.append(cell)
        cell = best[cell][1]
    return best[n, m][0], cells[::-1]


def steps(cells: list[Cell]) -> Iterator[tuple[int | None, int | None]]:
    """Places of the words each step of a path reads: of both, of the hypothesis alone, of the reference alone."""
    for (i, j), (after_i, after_j) in pairwise(cells):
        yield (i if after_i > i else None), (j if after_j > j else None)


def move(words: Words, start: int, length: int, before: int) -> Words:
    """Put a block before a word; within itself or right after itself it goes on by as many words."""
    block, rest = words[start : start + length], words[:start] + words[start + length :]
    to = before - length if before > start + length else before
    return rest[:to] + block + rest[to:]


def candidates(hypothesis: Words, reference: Words) -> Iterator[list[tuple[int, int, int]]]:
    """Shifts (start, length, word before which the block goes), together those of the same words in the reference."""
    aligned: dict[int, int] = {-1: -1}
    wrong, missed = set(), set()
    last = -1
    for i, j in steps(path(hypothesis, reference)[1]):
        last = last if i is None else i
        same = i is not None and j is not None and hypothesis[i] == reference[j]
        if i is not None and not same:
            wrong.add(i)
        if j is not None:
            aligned[j] = last
            missed |= set() if same else {j}
    for start in range(len(hypothesis)):
        for gold in range(len(reference)):
            for length in range(1, LONGEST + 1):
                block = range(start, start + length)
                if (
                    abs(start - gold) > FARTHEST
                    or max(start - len(hypothesis), gold - len(reference)) + length > 0
                    or hypothesis[start : start + length] != reference[gold : gold + length]
                ):
                    break
                if wrong & set(block) and missed & set(range(gold, gold + length)) and aligned[gold] not in block:
                    targets = dict.fromkeys(aligned[place] + 1 for place in range(gold - 1, gold + length))
                    yield [(start, length, target) for target in targets]


def ter(hypothesis: Words, reference: Words) -> tuple[int, list[tuple[Words, Words]], list[Cell]]:
    """The number of edits, each shift as the moved words and the hypothesis afterwards, and the path in the end."""
    tried = 0
    words, shifts = hypothesis, []
    while True:
        distance, cells = path(words, reference)
        found = []
        for together in candidates(words, reference):
            found += together
            if tried + len(found) >= MOST:
                break
        tried += len(found)
        if not found or tried >= MOST:
            break
        ranked = [
            (distance - path(move(words, start, length, target), reference)[0], length, -start, -target)
            for start, length, target in found
        ]
        saved, length, start, target = max(ranked)
        if saved <= 0:
            break
        block = words[-start : -start + length]
        words = move(words, -start, length, -target)
        shifts.append((block, words))
    return distance + len(shifts), shifts, cells
