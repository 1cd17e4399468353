"""Does a metric feel disorder? Take references, disturb their order more and more, and look at every metric's answer.

Words never change, so a lexical metric without order must stay at 1. The kinds of disturbance:

* ``move``: one word moves d places; how many n-grams break does not depend on d, how far readers must look does;
* ``adjacent``: k random swaps of neighbours;
* ``block``: two neighbouring blocks of w words change places;
* ``shuffle``: w words in a row are shuffled;
* ``real``: k swaps of neighbouring blocks whose sizes occur in real word orders.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordorder.orders.permutation import Permutations
from wordorder.orders.trees import INVERTED, LEAF, PermutationTrees
from wordorder.report.table import Cell, Column, Table
from wordorder.runtime.errors import UsageError, choices
from wordorder.scoring import Matching, Scores, score
from wordorder.scoring.inputs import TextInputs, TextSource, text_batches

AMOUNTS = {
    "move": (1, 2, 4, 8, 16),
    "adjacent": (1, 2, 4, 8, 16),
    "block": (1, 2, 4, 8),
    "shuffle": (2, 4, 8, 16),
    "real": (1, 2, 4),
}
KINDS = tuple(AMOUNTS)

Words = list[str]
Random = np.random.Generator
Sizes = NDArray[np.int64]


def probe(
    references: Sequence[str],
    *,
    metrics: str,
    kinds: Sequence[str] = ("move", "adjacent", "block", "shuffle"),
    amounts: Sequence[int] | None = None,
    tokenizer: str = "13a",
    lowercase: bool = False,
    orders: Permutations | None = None,
    samples: int = 1000,
    seed: int = 12345,
    threads: int = 1,
) -> Scores:
    """Score references that were disturbed, one "system" for each kind and amount, against the references themselves.

    Only sentences long enough for the largest amount are used, so that all amounts disturb the same sentences.
    ``orders`` are real word orders, for the kind ``real``.
    """
    from wordorder.text import tokenise

    for kind in kinds:
        if kind not in KINDS:
            raise choices(kind, list(KINDS), what="disturbance")
    steps = {kind: tuple(amounts or AMOUNTS[kind]) for kind in kinds}
    if any(amount < 1 for chosen in steps.values() for amount in chosen):
        raise UsageError("amounts of disturbance must be 1 or more")
    sizes = swap_sizes(orders) if "real" in kinds and orders is not None else np.zeros((0, 2), dtype=np.int64)
    if "real" in kinds and not len(sizes):
        raise UsageError("the disturbance 'real' needs word orders with swapped blocks in them: give translations")
    needed = max(_needed(kind, max(chosen)) for kind, chosen in steps.items())
    (tokens,) = tokenise([references], tokenizer=tokenizer, lowercase=lowercase)
    sentences = [words for words in tokens if len(words) >= needed]
    if not sentences:
        raise UsageError(f"no reference has the {needed} words the largest amount needs")
    disturbed: dict[str, list[str]] = {}
    for kind, chosen in steps.items():
        for amount in chosen:
            random = np.random.Generator(np.random.PCG64([seed, KINDS.index(kind), amount]))
            change = _change(kind, amount, sizes)
            disturbed[f"{kind} {amount}"] = [" ".join(change(list(words), random)) for words in sentences]
    texts = [" ".join(words) for words in sentences]
    return score(disturbed, texts, metrics=metrics, tokenizer="none", samples=samples, seed=seed, threads=threads)


def probe_table(scores: Scores) -> Table:
    """Make a row for each kind and amount, a column per metric."""
    low, high = scores.intervals
    columns = [Column("disturbance", "left"), Column("amount"), *(Column(str(metric)) for metric in scores.metrics)]
    rows: list[list[Any]] = []
    for s, name in enumerate(scores.systems):
        kind, _, amount = name.partition(" ")
        cells = [Cell(scores.values[s, m], (low[s, m], high[s, m])) for m in range(len(scores.metrics))]
        rows.append([kind, int(amount), *cells])
    note = f"{len(scores)} references with all their words, in another order; undisturbed, every metric is 1"
    return Table.of("", columns, rows, notes=[note, scores.signature_text()])


def swap_sizes(orders: Permutations) -> Sizes:
    """Give the sizes of neighbouring blocks that stand in reverse in some word orders, ``[swaps, 2]``.

    >>> swap_sizes(Permutations.of(["3 4 5 1 2", "1 2 3"])).tolist()
    [[3, 2]]
    """
    trees = PermutationTrees.of(orders)
    found: list[tuple[int, int]] = []
    for row in range(len(trees)):
        stack: list[int] = []
        for node in range(trees.offsets[row], trees.offsets[row + 1]):
            if trees.kinds[node] == LEAF:
                stack.append(1)
                continue
            children = stack[-trees.arities[node] :]
            del stack[-trees.arities[node] :]
            if trees.kinds[node] == INVERTED:
                found += pairwise(children)
            stack.append(sum(children))
    return np.array(found, dtype=np.int64).reshape(-1, 2)


def matched_orders(
    hypotheses: Sequence[TextSource], reference: TextSource, *, tokenizer: str = "13a", lowercase: bool = False
) -> Permutations:
    """Give the orders in which translations have the words they share with a reference."""
    inputs = TextInputs(
        {str(place): text for place, text in enumerate(hypotheses)}, [reference], tokenizer, lowercase, Matching()
    )
    blocks = text_batches(inputs, weight="segments")
    return Permutations.concatenate([batch.orders[0].permutations for block in blocks for batch in block])


def _needed(kind: str, amount: int) -> int:
    return {"move": amount + 1, "adjacent": 2, "block": 2 * amount, "shuffle": amount, "real": 2}[kind]


def _change(kind: str, amount: int, sizes: Sizes) -> Callable[[Words, Random], Words]:
    def move(words: Words, random: Random) -> Words:
        start = int(random.integers(len(words) - amount))
        if random.integers(2):
            words.insert(start + amount, words.pop(start))
        else:
            words.insert(start, words.pop(start + amount))
        return words

    def adjacent(words: Words, random: Random) -> Words:
        for place in random.integers(len(words) - 1, size=amount).tolist():
            words[place], words[place + 1] = words[place + 1], words[place]
        return words

    def block(words: Words, random: Random) -> Words:
        return _swap(words, int(random.integers(len(words) - 2 * amount + 1)), amount, amount)

    def shuffle(words: Words, random: Random) -> Words:
        start = int(random.integers(len(words) - amount + 1))
        window = words[start : start + amount]
        return words[:start] + [window[place] for place in random.permutation(amount)] + words[start + amount :]

    def real(words: Words, random: Random) -> Words:
        fitting = sizes[sizes.sum(axis=1) <= len(words)]
        for place in random.integers(len(fitting), size=amount if len(fitting) else 0).tolist():
            first, second = fitting[place].tolist()
            words = _swap(words, int(random.integers(len(words) - first - second + 1)), first, second)
        return words

    return {"move": move, "adjacent": adjacent, "block": block, "shuffle": shuffle, "real": real}[kind]


def _swap(words: Words, start: int, first: int, second: int) -> Words:
    """Exchange the blocks ``start … start + first`` and the ``second`` words after it.

    >>> _swap(list("abcde"), 1, 1, 2)
    ['a', 'c', 'd', 'b', 'e']
    """
    middle, end = start + first, start + first + second
    return words[:start] + words[middle:end] + words[start:middle] + words[end:]
