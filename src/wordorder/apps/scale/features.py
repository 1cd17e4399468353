"""The values that conditions can use: measures and metrics of each sentence pair, and columns of the corpus."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from wordorder.apps.profile.complexity import count_cycles, find_largest_operators
from wordorder.core.orders import DEFAULT_POLICY, Alignments, order_against_source
from wordorder.core.reorderings.extraction import extract_sorted, rquantity
from wordorder.core.reorderings.links import sort_links
from wordorder.core.reorderings.reorderings import Reorderings
from wordorder.core.runtime.columns import Floats
from wordorder.core.runtime.errors import choices
from wordorder.metrics import METRICS, Batch, Metric, Need, metric

if TYPE_CHECKING:
    import pyarrow as pa

OFFERED = frozenset({Need.ORDER, Need.SOURCE_ORDER, Need.SOURCE_LENGTHS, Need.TARGET_LENGTHS})


@dataclass(frozen=True, eq=False)
class PairMeasures:
    """The measures of some sentence pairs; each measure is computed when it is first needed."""

    links: Alignments

    @cached_property
    def sorted(self) -> Alignments:
        """The alignments, with the links of each pair sorted by word positions."""
        return sort_links(self.links)

    @cached_property
    def batch(self) -> Batch:
        """The input for metrics, which compare the order of the source words in the target with the source order."""
        return Batch([order_against_source(self.links, policy=DEFAULT_POLICY)], alignments=self.links)

    @cached_property
    def reorderings(self) -> Reorderings:
        """The reorderings of each pair (Birch 2011)."""
        return extract_sorted(self.sorted)

    def widest(self, side: str) -> Floats:
        """Return the width of the widest reordering of each pair, or 0 if the pair has none."""
        widths = np.zeros(len(self.links))
        rows = np.repeat(np.arange(len(self.links)), np.diff(self.reorderings.offsets))
        np.maximum.at(widths, rows, self.reorderings.widths(side))
        return widths

    def score(self, chosen: Metric) -> Floats:
        """Score each pair with a metric; the score is NaN where undefined."""
        return chosen.segment(chosen.statistics(self.batch)[:, 0])


def _ratio(pairs: PairMeasures) -> Floats:
    one, two = (pairs.links.source_lengths.astype(float), pairs.links.target_lengths.astype(float))
    ratio: Floats = np.maximum(one, two) / np.maximum(np.minimum(one, two), 1)
    return ratio


MEASURES: dict[str, tuple[Callable[[PairMeasures], Any], str]] = {
    "source-words": (lambda pairs: pairs.links.source_lengths, "words of the source"),
    "target-words": (lambda pairs: pairs.links.target_lengths, "words of the target"),
    "length-ratio": (_ratio, "number of words on the longer side per word on the shorter side"),
    "links": (lambda pairs: np.diff(pairs.links.offsets), "links"),
    "rquantity": (lambda pairs: rquantity(pairs.reorderings, pairs.sorted), "RQuantity (Birch 2011)"),
    "rquantity-source": (
        lambda pairs: rquantity(pairs.reorderings, pairs.sorted, side="source"),
        "RQuantity with spans of source words",
    ),
    "reorderings": (lambda pairs: pairs.reorderings.lengths, "reorderings"),
    "widest": (lambda pairs: pairs.widest("target"), "target words in the widest reordering"),
    "widest-source": (lambda pairs: pairs.widest("source"), "source words in the widest reordering"),
    "crossings": (lambda pairs: pairs.links.crossings(), "pairs of links that cross"),
    "cycles": (lambda pairs: count_cycles(pairs.batch.orders[0].permutations)[0], "cycles in the order"),
    "longest-cycle": (
        lambda pairs: count_cycles(pairs.batch.orders[0].permutations)[1],
        "words in the longest cycle",
    ),
    "largest-operator": (
        lambda pairs: find_largest_operators(pairs.batch.orders[0].permutations),
        "the largest simple operator; 0: binarisable",
    ),
}
"""Measures of a pair by name; conditions can also use the metrics that compare the word order with the source."""


def known_metrics() -> list[str]:
    """Return the names of the metrics that can be computed from links alone."""
    return [name for name, kind in METRICS.items() if kind.needs <= OFFERED and not kind.slow]


def resolve(name: str, columns: dict[str, pa.DataType]) -> str:
    """Find what a name in a condition refers to: a measure, a metric or a column of the corpus.

    Return the canonical name of the measure, the metric with its parameters, or the column with ``@`` in front.
    Underscores in names of measures and metrics are read as hyphens.
    """
    import pyarrow as pa

    spelt = name.replace("_", "-") if ":" not in name else name
    if spelt in MEASURES:
        return spelt
    kind = spelt.partition(":")[0]
    if kind in METRICS and METRICS[kind].needs <= OFFERED:
        return str(metric(spelt))
    if name in columns and not pa.types.is_nested(columns[name]):
        return f"@{name}"
    raise choices(name, [*MEASURES, *known_metrics(), *columns], what="name in a condition")


def compute(name: str, pairs: PairMeasures) -> Floats:
    """Return the value of a measure or a metric for each pair; NaN where undefined."""
    if name in MEASURES:
        return np.asarray(MEASURES[name][0](pairs), np.float64)
    return pairs.score(metric(name))
