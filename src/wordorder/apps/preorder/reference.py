"""The reference orders of sentences, and the comparison of new orders with them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from wordorder.apps.preorder.precedence import to_places
from wordorder.core.orders.permutation import Permutations
from wordorder.core.orders.projection import Places
from wordorder.core.runtime.columns import Bools, Floats, Int64s, Ints, rows_of
from wordorder.core.runtime.errors import InputError, check_choice, count_of, refuse
from wordorder.core.runtime.kernels import kernel
from wordorder.core.trees.dependency import DependencyTrees, check_same_words, share_strings
from wordorder.metrics import Batch, Metric, Need, choose_metrics

INSTANCES = ("words", "positions")


@dataclass(frozen=True, eq=False)
class Reference:
    """The position of each word in the reference order of its sentence, and the vocabulary IDs of the words.

    ``instances`` says how a word that occurs several times is matched with the reference: with ``words``, it takes
    the first unused instance (Talbot et al. 2011); with ``positions``, the instance at its own source position.
    """

    places: Places
    words: Ints
    instances: str = "words"

    def __post_init__(self) -> None:
        self.words.setflags(write=False)
        check_choice(self.instances, INSTANCES, "way to distinguish instances of a word")

    @classmethod
    def of(cls, places: Places, trees: DependencyTrees, *, instances: str = "words") -> "Reference":
        """Combine reference orders with the words of the parsed sentences; the sentence lengths must agree."""
        if len(places) != len(trees):
            raise InputError(
                f"expected a reference order for each parsed sentence, found "
                f"{count_of(len(places), 'reference order')} for {count_of(len(trees), 'parsed sentence')}"
            )
        lengths = np.diff(places.offsets)
        if (lengths != trees.lengths).any():
            row = int((lengths != trees.lengths).argmax())
            raise InputError(
                f"the length of sentence {row + 1} is {trees.lengths[row]} in the parse, "
                f"but {lengths[row]} in the reference order"
            )
        return cls(places, trees.words, instances)

    def __len__(self) -> int:
        return len(self.places)

    def compare(self, orders: Permutations) -> Permutations:
        """Return the new orders relative to the reference; sentences without a reference order become empty.

        Instances of repeated words are matched first, and words that may be in any order keep the new order, so any
        new order that reads like the reference is correct.

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
        """An array with a queue for each distinct word, its instances in reference order; and the queues' starts."""
        count = len(self.words)
        rows = rows_of(self.places.offsets)
        # a word without a place is treated as unique
        numbers = np.where(self.places.places >= 0, self.words, -1 - np.arange(count))
        queue = np.lexsort((self.places.places, numbers, rows))
        begins = np.ones(count, dtype=np.bool_)
        begins[1:] = (numbers[queue][1:] != numbers[queue][:-1]) | (rows[queue][1:] != rows[queue][:-1])
        first = np.empty(count, dtype=np.int64)
        first[queue] = np.maximum.accumulate(np.where(begins, np.arange(count), 0))
        return queue, first

    def score(self, orders: Permutations, metric: Metric) -> float:
        """Return the corpus-level score of new orders."""
        rows = metric.statistics(Batch([self.compare(orders)]))
        return float(metric.corpus(rows[:, 0].sum(axis=0)))

    def segment_scores(self, orders: Permutations, metric: Metric) -> Floats:
        """Return the score of the new order of each sentence, with NaN where undefined."""
        return metric.segment(metric.statistics(Batch([self.compare(orders)]))[:, 0])

    @cached_property
    def defined(self) -> Bools:
        """A flag for each sentence: true if at least one word has a position in the reference order."""
        placed = np.zeros(len(self), dtype=np.bool_)
        placed[rows_of(self.places.offsets)[self.places.places >= 0]] = True
        return placed

    def take(self, rows: Int64s, trees: DependencyTrees) -> "Reference":
        """Return the reference orders of the sentences in ``rows``; ``trees`` are the parses of these sentences.

        A row may occur several times.
        """
        return Reference.of(self.places.take(rows), trees, instances=self.instances)

    def keep(self, rows: Bools) -> "Reference":
        """Remove the reference orders of the sentences for which ``rows`` is false; keep the sentences themselves."""
        kept = np.repeat(rows, np.diff(self.places.offsets))
        return replace(self, places=replace(self.places, places=np.where(kept, self.places.places, np.int32(-1))))


def order_metric(spec: str) -> Metric:
    """Return the order metric that ``spec`` names; a list of several metrics raises an error."""
    found = choose_metrics(spec, available=frozenset({Need.ORDER}))
    refuse(len(found) != 1, f"expected a single metric, found {spec!r}")
    return found[0]


def share_words(parses: Mapping[str, DependencyTrees]) -> dict[str, DependencyTrees]:
    """Convert the parses of several parsers to a shared vocabulary; raise an error if their words differ."""
    shared = dict(zip(parses, share_strings(*parses.values()), strict=True))
    first, *others = shared
    for name in others:
        check_same_words(shared[name], shared[first], names=(name, first))
    return shared


@kernel
def _match_instances(ranks: Ints, offsets: Int64s, queue: Int64s, first: Int64s) -> Ints:
    """Match every word with its first unused instance in the reference (Talbot et al. 2011, §3.2)."""
    result = np.empty_like(ranks)
    taken = np.zeros(len(queue), dtype=np.int64)
    for row in range(len(offsets) - 1):
        start = offsets[row]
        for place in range(start, offsets[row + 1]):
            begin = first[start + ranks[place]]
            result[place] = queue[begin + taken[begin]] - start
            taken[begin] += 1
    return result
