"""Probe whether metrics notice disorder, by scoring references with increasingly disturbed word order.

The words never change, so a lexical metric that ignores order stays at 1. The kinds of disturbance:

* ``move``: one word moves by d positions; the number of broken n-grams does not depend on d, but the effort to
  understand the sentence does;
* ``adjacent``: k random swaps of adjacent words;
* ``block``: two adjacent blocks of w words are swapped;
* ``shuffle``: w adjacent words are shuffled;
* ``real``: k swaps of adjacent blocks with sizes that occur in real word orders.
"""

from collections.abc import Sequence
from dataclasses import fields
from itertools import pairwise
from typing import Any

import numpy as np

from wordorder.core.orders.permutation import Permutations
from wordorder.core.orders.trees import INVERTED, LEAF, PermutationTrees, decompose
from wordorder.core.runtime.columns import Int64s
from wordorder.core.runtime.errors import UsageError, check_choice, count_of, mention, refuse
from wordorder.core.statistics import Resampling
from wordorder.core.text import tokenise
from wordorder.report import Style
from wordorder.report.table import Cell, Column, Table
from wordorder.scoring.inputs import MatchedTexts
from wordorder.scoring.score import score
from wordorder.scoring.scores import Scores

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


class DisturbanceScores(Scores):
    """Scores of disturbed references; each "system" stands for one kind and amount of disturbance."""

    def table(self, *, sort: str | None = None, digits: int | None = None, percent: bool = False) -> Table:
        """Return a table with one row per kind and amount of disturbance, and one column per metric."""
        return Style(digits, percent).apply(probe_table(self))

    summary = table

    def plot(self, *chosen: Any, **settings: Any) -> Any:
        """Plot the scores against the amount of disorder; with arguments, draw the charts of :class:`Scores`."""
        if chosen or settings:
            return super().plot(*chosen, **settings)
        from wordorder.report.charts import plot_curves

        low, high = self.intervals
        records: list[dict[str, Any]] = []
        for s, system in enumerate(self.systems):
            kind, _, amount = system.partition(" ")
            for m, metric in enumerate(self.names):
                figures = {"score": float(self.values[s, m]), "low": float(low[s, m]), "high": float(high[s, m])}
                records.append({"disturbance": kind, "amount": int(amount), "metric": metric, **figures})
        titles = "amount of disorder", "score"
        return plot_curves(
            records, x="amount", y="score", series="metric", panel="disturbance", labels=titles, logarithmic=True
        )


def probe(
    references: Sequence[str],
    *,
    metrics: str,
    kinds: Sequence[str] = ("move", "adjacent", "block", "shuffle"),
    amounts: Sequence[int] | None = None,
    tokenize: str = "13a",
    lowercase: bool = False,
    orders: Permutations | None = None,
    resampling: Resampling | None = None,
) -> DisturbanceScores:
    """Score disturbed references against the originals; each kind and amount of disturbance is a "system".

    Only sentences that are long enough for the largest amount are used, so that all amounts disturb the same
    sentences. The kind ``real`` needs real word orders, which are given as ``orders``.
    """
    resampling = resampling or Resampling()
    for kind in kinds:
        check_choice(kind, KINDS, "disturbance")
    steps = {kind: tuple(amounts or AMOUNTS[kind]) for kind in kinds}
    if any(amount < 1 for chosen in steps.values() for amount in chosen):
        raise UsageError(f"{mention('amounts')} must be whole numbers of 1 or more")
    sizes = swap_sizes(orders) if "real" in kinds and orders is not None else np.zeros((0, 2), dtype=np.int64)
    if "real" in kinds and not len(sizes):
        raise UsageError(
            "the disturbance 'real' found no swapped blocks to copy; give translations that reorder their references"
        )
    needed = max(_needed(kind, max(chosen)) for kind, chosen in steps.items())
    (tokens,) = tokenise([references], tokenizer=tokenize, lowercase=lowercase)
    sentences = [words for words in tokens if len(words) >= needed]
    refuse(not sentences, f"the largest amount needs {needed} words, but every reference is shorter; lower the amount")
    disturbed: dict[str, list[str]] = {}
    for kind, chosen in steps.items():
        for amount in chosen:
            random = np.random.Generator(np.random.PCG64([resampling.seed, KINDS.index(kind), amount]))
            changed = (_CHANGES[kind](list(words), amount, random, sizes) for words in sentences)
            disturbed[f"{kind} {amount}"] = [" ".join(words) for words in changed]
    texts = [" ".join(words) for words in sentences]
    found = score(MatchedTexts(disturbed, [texts], tokenize="none"), metrics=metrics, resampling=resampling)
    return DisturbanceScores(**{field.name: getattr(found, field.name) for field in fields(found)})


def probe_table(scores: Scores) -> Table:
    """Return a table with one row per kind and amount of disturbance, and one column per metric."""
    low, high = scores.intervals
    columns: list[Column | str] = [Column("disturbance", "left"), Column("amount", "left"), *map(str, scores.metrics)]
    rows: list[list[Any]] = []
    for s, name in enumerate(scores.systems):
        kind, _, amount = name.partition(" ")
        found = zip(scores.values[s], low[s], high[s], strict=True)
        rows.append([kind, int(amount), *(Cell(value, (below, above)) for value, below, above in found)])
    note = f"{count_of(len(scores), 'reference')} with all words, in another order; undisturbed, every metric is 1"
    return Table.of("", columns, rows, notes=[note], signature=scores.signature)


def swap_sizes(orders: Permutations) -> Int64s:
    """Return the sizes ``[swaps, 2]`` of the adjacent blocks that are swapped in the given orders.

    >>> swap_sizes(Permutations.of(["3 4 5 1 2", "1 2 3"])).tolist()
    [[3, 2]]
    """
    trees = PermutationTrees(*decompose(orders.ranks, orders.offsets))
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


def matched_orders(texts: MatchedTexts) -> Permutations:
    """Return, for each translation, the order of the words that it shares with its reference."""
    return Permutations.concatenate([batch.orders[0].permutations for block in texts.batches([]) for batch in block])


def _needed(kind: str, amount: int) -> int:
    return {"move": amount + 1, "block": 2 * amount, "shuffle": amount}.get(kind, 2)


def _move(words: Words, amount: int, random: Random, sizes: Int64s) -> Words:
    start = int(random.integers(len(words) - amount))
    if random.integers(2):
        words.insert(start + amount, words.pop(start))
    else:
        words.insert(start, words.pop(start + amount))
    return words


def _adjacent(words: Words, amount: int, random: Random, sizes: Int64s) -> Words:
    for place in random.integers(len(words) - 1, size=amount).tolist():
        words = _swap(words, place, 1, 1)
    return words


def _block(words: Words, amount: int, random: Random, sizes: Int64s) -> Words:
    return _swap(words, int(random.integers(len(words) - 2 * amount + 1)), amount, amount)


def _shuffle(words: Words, amount: int, random: Random, sizes: Int64s) -> Words:
    start = int(random.integers(len(words) - amount + 1))
    window = words[start : start + amount]
    return words[:start] + [window[place] for place in random.permutation(amount)] + words[start + amount :]


def _real(words: Words, amount: int, random: Random, sizes: Int64s) -> Words:
    fitting = sizes[sizes.sum(axis=1) <= len(words)]
    for place in random.integers(len(fitting), size=amount if len(fitting) else 0).tolist():
        first, second = fitting[place].tolist()
        words = _swap(words, int(random.integers(len(words) - first - second + 1)), first, second)
    return words


def _swap(words: Words, start: int, first: int, second: int) -> Words:
    """Swap two adjacent blocks: ``first`` words from position ``start``, and the next ``second`` words.

    >>> _swap(list("abcde"), 1, 1, 2)
    ['a', 'c', 'd', 'b', 'e']
    """
    middle, end = start + first, start + first + second
    return words[:start] + words[middle:end] + words[start:middle] + words[end:]


_CHANGES = {"move": _move, "adjacent": _adjacent, "block": _block, "shuffle": _shuffle, "real": _real}
