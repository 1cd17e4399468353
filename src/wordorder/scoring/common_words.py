"""Scores of two systems on their common words: the reference words that both of them matched.

Two systems usually match different words, so a difference between their order scores depends on which words match as
well as on their order. On the common words, both orders have the same length, and only the order can differ. A
segment with fewer than two common words is undefined. If there are several references, each segment is compared with
the one that has the most common words; if scores are averages over references, so are these.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from wordorder.core.orders.common import MatchedWords, common_orders
from wordorder.core.runtime.errors import UsageError
from wordorder.core.runtime.files import LINES_PER_BLOCK
from wordorder.core.runtime.threads import spans
from wordorder.core.statistics.rows import RowsBuilder
from wordorder.metrics.base import Array, Metric, Need, choose_reference
from wordorder.metrics.batch import Batch

if TYPE_CHECKING:
    from wordorder.scoring.scores import Scores


@dataclass(frozen=True, eq=False)
class MatchedOrders:
    """The words that every system matched with every reference, ``words[system][reference]``.

    ``weights`` are those of the segments in the comparison with each reference, ``[segments, references]``.
    """

    words: tuple[tuple[MatchedWords, ...], ...]
    weights: Array

    @classmethod
    def of(cls, batches: Sequence[Batch]) -> MatchedOrders:
        """Return the matched words of one block of segments, given as one batch per system."""
        words = tuple(tuple(matches.matched_words() for matches in batch.matches) for batch in batches)
        return cls(words, batches[0].weights)

    @classmethod
    def concatenate(cls, parts: Sequence[MatchedOrders]) -> MatchedOrders:
        """Concatenate one or more blocks of segments."""
        systems = zip(*(part.words for part in parts), strict=True)
        words = tuple(tuple(map(MatchedWords.concatenate, zip(*system, strict=True))) for system in systems)
        return cls(words, np.concatenate([part.weights for part in parts]))

    def take(self, segments: NDArray[np.integer]) -> MatchedOrders:
        """Return the matched words of the given segments."""
        words = tuple(tuple(column.take(segments) for column in system) for system in self.words)
        return MatchedOrders(words, self.weights[segments])


def uses_order_alone(metric: Metric) -> bool:
    """Return whether a metric scores nothing but the order of the matched words."""
    return metric.requires == {Need.ORDER}


def common_scores(scores: Scores, a: str, b: str) -> Scores:
    """Return the scores of two systems on their common words, under the metrics that depend on order alone.

    They are scores like any others: with intervals, tests and subsets.
    """
    metrics = tuple(filter(uses_order_alone, scores.metrics))
    known = scores.matched_orders
    if known is None or not metrics:
        raise UsageError(
            "common words require two or more systems whose words were matched with references, and a metric of order"
        )
    places = [scores.system_place(system) for system in (a, b)]
    pair = [known.words[place] for place in places]
    choice = scores.inputs.get("reference_choice", "closest")
    done, counts = (RowsBuilder(), RowsBuilder()), [np.zeros(0, np.int64)]
    for start, stop in spans(len(scores), LINES_PER_BLOCK):
        blocks = [[column[start:stop] for column in system] for system in pair]
        one, two = zip(*map(common_orders, *blocks), strict=True)
        lengths = np.stack([orders.lengths for orders in one], axis=1)
        counts.append(lengths.max(axis=1))
        for builder, orders in zip(done, (one, two), strict=True):
            batch = Batch(orders, weights=known.weights[start:stop])
            rows = [_choose(metric, metric.statistics(batch), lengths, choice) for metric in metrics]
            builder.add(np.hstack(rows))
    words = np.concatenate(counts).astype(np.int32)
    return replace(
        scores,
        systems=tuple(scores.systems[place] for place in places),
        metrics=metrics,
        statistics=tuple(builder.finish() for builder in done),
        inputs={**scores.inputs, "words": "common"},
        baseline=None,
        counts=None,
        order_words=(words, words),
        matched_orders=None,
        draws=None,
        notes=(),
    )


def _choose(metric: Metric, rows: Array, lengths: NDArray[np.int64], choice: str) -> Array:
    """Reduce the statistics of several references to one row per segment, in the same way for both systems."""
    if choice == "average":
        return choose_reference(metric, rows, choice)
    chosen: Array = rows[np.arange(len(rows)), lengths.argmax(axis=1)]
    return chosen
