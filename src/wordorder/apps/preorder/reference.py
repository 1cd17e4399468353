"""Reference orders of sentences, with which new orders are compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from wordorder.apps.preorder.reorder import to_places
from wordorder.core.orders.permutation import Permutations
from wordorder.core.orders.projection import Places
from wordorder.core.runtime.columns import Bools, Floats, Int64s, Ints, offsets_from_lengths, rows_of
from wordorder.core.runtime.errors import InputError, UsageError, choices, count_of
from wordorder.core.runtime.kernels import kernel
from wordorder.core.trees.dependency import DependencyTrees, check_same_words, share_strings
from wordorder.metrics import Batch, Metric, Need, choose_metrics

INSTANCES = ("words", "positions")


@dataclass(frozen=True, eq=False)
class Reference:
    """The places of the words of each sentence in the reference order, and the numbers of these words.

    ``instances`` says how repeated words are distinguished: with ``words``, each takes its first free instance in the
    reference (Talbot et al. 2011); with ``positions``, each keeps the instance at its own position in the source.
    """

    places: Places
    words: Ints
    instances: str = "words"

    def __post_init__(self) -> None:
        self.words.setflags(write=False)
        if self.instances not in INSTANCES:
            raise choices(self.instances, list(INSTANCES), what="way to distinguish instances of a word")

    @classmethod
    def of(cls, places: Places, trees: DependencyTrees, *, instances: str = "words") -> Reference:
        """Combine reference orders with the words of parsed sentences, which must have the same lengths."""
        if len(places) != len(trees):
            raise InputError(
                f"{count_of(len(places), 'reference order')} for {count_of(len(trees), 'parsed sentence')}"
            )
        lengths = np.diff(places.offsets)
        if (lengths != trees.lengths).any():
            row = int((lengths != trees.lengths).argmax())
            found = f"{trees.lengths[row]} words in the parse, {lengths[row]} in the reference order"
            raise InputError(f"sentence {row + 1} has {found}")
        return cls(places, trees.words, instances)

    def __len__(self) -> int:
        return len(self.places)

    def compare(self, orders: Permutations) -> Permutations:
        """Compare new orders with the reference; sentences without a reference order are undefined (empty).

        Instances of a word are matched first, and free groups take over the new order, so all orders that read like
        the reference are right.

        >>> from wordorder.core.trees import DependencyTree
        >>> trees = DependencyTree(("the", "cat", "the"), (1, -1, 1), ("x", "root", "y")).column()
        >>> places = Places(np.array([4, 2, 0], dtype=np.int32), trees.offsets, "talbot")
        >>> str(Reference.of(places, trees).compare(Permutations.of(["1 2 3"]))[0])
        '1 2 3'
        """
        if self.instances == "words" and np.array_equal(orders.offsets, self.places.offsets):
            orders = Permutations(_match_instances(orders.ranks, orders.offsets, *self._queues), orders.offsets)
        return to_places(orders, policy=self.places.policy).against(self.places)

    @cached_property
    def _queues(self) -> tuple[Int64s, Int64s]:
        """The instances of each word in reference order, one queue after another, and where each queue starts."""
        count = len(self.words)
        rows = rows_of(self.places.offsets)
        # a word without a place has no other instances
        numbers = np.where(self.places.places >= 0, self.words, -1 - np.arange(count))
        queue = np.lexsort((self.places.places, numbers, rows))
        begins = np.ones(count, dtype=np.bool_)
        begins[1:] = (numbers[queue][1:] != numbers[queue][:-1]) | (rows[queue][1:] != rows[queue][:-1])
        first = np.empty(count, dtype=np.int64)
        first[queue] = np.maximum.accumulate(np.where(begins, np.arange(count), 0))
        return queue, first

    def score(self, orders: Permutations, metric: Metric) -> float:
        """Return the score of new orders over the whole corpus."""
        rows = metric.statistics(Batch([self.compare(orders)]))
        return float(metric.corpus(rows[:, 0].sum(axis=0)))

    def segment_scores(self, orders: Permutations, metric: Metric) -> Floats:
        """Return the score of the new order of each sentence; NaN means undefined."""
        return metric.segment(metric.statistics(Batch([self.compare(orders)]))[:, 0])

    @cached_property
    def defined(self) -> Bools:
        """Whether each sentence has a reference order: a place for at least one of its words."""
        placed = np.zeros(len(self), dtype=np.bool_)
        placed[rows_of(self.places.offsets)[self.places.places >= 0]] = True
        return placed

    def take(self, rows: Int64s, trees: DependencyTrees) -> Reference:
        """Return the orders of the sentences in ``rows``, which may repeat, for trees of these sentences."""
        places = self.places
        lengths = np.diff(places.offsets)[rows]
        offsets = offsets_from_lengths(lengths)
        found = np.repeat(places.offsets[rows] - offsets[:-1], lengths) + np.arange(offsets[-1])
        return Reference.of(Places(places.places[found], offsets, places.policy), trees, instances=self.instances)

    def keep(self, rows: Bools) -> Reference:
        """Return the reference with the orders of all other sentences undefined."""
        kept = np.repeat(rows, np.diff(self.places.offsets))
        return replace(self, places=replace(self.places, places=np.where(kept, self.places.places, np.int32(-1))))


def order_metric(spec: str) -> Metric:
    """Return the metric by which orders are chosen; several metrics raise an error."""
    found = choose_metrics(spec, available=frozenset({Need.ORDER}))
    if len(found) != 1:
        raise UsageError(f"expected one metric, found {spec!r}")
    return found[0]


def share_words(parses: Mapping[str, DependencyTrees]) -> dict[str, DependencyTrees]:
    """Convert parses of the same sentences to one vocabulary; different words raise an error."""
    shared = dict(zip(parses, share_strings(*parses.values()), strict=True))
    first, *others = shared
    for name in others:
        check_same_words(shared[name], shared[first], names=(name, first))
    return shared


@kernel
def _match_instances(ranks: Ints, offsets: Int64s, queue: Int64s, first: Int64s) -> Ints:
    """Assign to every word its first free instance in the reference (Talbot et al. 2011, §3.2)."""
    result = np.empty_like(ranks)
    taken = np.zeros(len(queue), dtype=np.int64)
    for row in range(len(offsets) - 1):
        start = offsets[row]
        for place in range(start, offsets[row + 1]):
            begin = first[start + ranks[place]]
            result[place] = queue[begin + taken[begin]] - start
            taken[begin] += 1
    return result
