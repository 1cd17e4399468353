"""Example segments: those with the worst order in each system, or those in which two systems differ most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from wordorder.core.runtime.errors import refuse
from wordorder.core.runtime.plain import plain
from wordorder.metrics.base import Array, Metric, Need
from wordorder.report.table import Column, Table, Tabular, Value, split_shared
from wordorder.scoring.common_words import uses_order_alone
from wordorder.scoring.inputs.drawing import Line
from wordorder.scoring.ranking import order_systems

if TYPE_CHECKING:
    from wordorder.scoring.scores import Scores

OF_ORDER = frozenset({Need.ORDER, Need.SOURCE_ORDER})
"""What a metric requires if it depends on word order alone."""


@dataclass(frozen=True)
class Example:
    """A segment (counted from 1) of one or two systems, with its scores and its lines of text by system.

    ``label`` is the metric as it was requested, and ``words`` holds the number of words in the order of each system.
    ``basis`` says which words the scores are on, if these are not all matched words.
    """

    segment: int
    metric: str
    label: str
    scores: dict[str, float]
    words: dict[str, int]
    lines: dict[str, list[Line]]
    basis: str = ""

    def __str__(self) -> str:
        shown = "  ".join(f"{system} {self.label} {score:.3f}" for system, score in self.scores.items())
        text = [f"segment {self.segment}  {shown}{self.basis and f', {self.basis}'}"]
        width = max(len(label) for lines in self.lines.values() for label, _ in lines)
        for lines in self.lines.values():
            text += [f"  {label:{width}}  {line}".rstrip() for label, line in lines]
        return "\n".join([*text, ""])

    def to_dict(self) -> dict[str, Any]:
        """Return the example as plain data; undefined numbers are None."""
        return {
            "segment": self.segment,
            "metric": self.metric,
            "systems": [
                {
                    "name": system,
                    "score": plain(score),
                    "words": self.words.get(system),
                    "lines": [{"what": label, "text": text} for label, text in self.lines[system]],
                }
                for system, score in self.scores.items()
            ],
        }


def find_worst(
    scores: Scores,
    *,
    count: int = 10,
    by: str | Metric | None = None,
    of: str | Sequence[str] | None = None,
    between: Sequence[str] | None = None,
) -> list[Example]:
    """Return the ``count`` worst segments of each system, or those in which two systems (``between``) differ most.

    ``of`` is a system, or a list of systems, to which the worst segments are restricted; by default, these are all
    systems, the best first.

    Two systems are compared on the reference words that both matched, if the metric depends on order alone.

    ``by`` is the metric that decides; the default is the first of the order metrics. The loss (or difference) of a
    segment is multiplied by the number of words in its order, so that a long scrambled sentence is considered worse
    than a sentence of two swapped words. Segments without any loss or difference are omitted.
    """
    refuse(count < 1, f"the number of segments to show must be 1 or more, not {count}")
    refuse(
        scores.scored_inputs is None,
        "subsets of scores do not include the inputs, so no segments can be shown; use the full scores",
    )
    refuse(of is not None and between is not None, "give of or between, but not both")
    metric = order_metric(scores) if by is None else scores.metrics[scores.metric_place(by)]
    chosen = between or ([of] if isinstance(of, str) else of) or [scores.systems[s] for s in order_systems(scores)]
    systems = [scores.systems[scores.system_place(system)] for system in chosen]
    if between:
        if scores.matched_orders is not None and uses_order_alone(metric):
            scores = scores.on_common_words(*systems)
        one, two = (scores.segment_scores(system, metric) for system in systems)
        weight = np.minimum(*(_weights(scores, metric, system) for system in systems))
        return _examples(scores, metric, systems, worst_segments(_negated(np.abs(one - two) * weight), count))
    found = []
    for system in systems:
        values = scores.segment_scores(system, metric)
        loss = (1 - values if metric.higher_is_better else values) * _weights(scores, metric, system)
        found += _examples(scores, metric, [system], worst_segments(_negated(loss), count))
    return found


class Examples(Tabular, list[Example]):
    """Example segments, which are printed one after the other; as a table, they have a row for each line of text."""

    def __str__(self) -> str:
        return "\n".join(map(str, self)) or "no segment to show: nothing is out of order, or nothing differs"

    __repr__ = __str__

    def table(self) -> Table:
        """Return a table of the lines of text, with the scores of the systems."""
        columns = [Column(name, "left") for name in ("segment", "system", "metric", "score", "line", "text")]
        rows: list[list[Value]] = [
            [each.segment, system, each.metric, score, what, text]
            for each in self
            for system, score in each.scores.items()
            for what, text in each.lines[system]
        ]
        return Table.of(self[0].basis if self else "", columns, rows)


def worst_segments(scores: Array, count: int) -> list[int]:
    """Return the indices of the segments with the lowest scores, worst first; undefined scores are omitted.

    >>> worst_segments(np.array([0.5, np.nan, 0.1, 0.5]), 3)
    [2, 0, 3]
    """
    order = np.argsort(scores, kind="stable")  # NaN sorts last
    return [int(segment) for segment in order[:count] if not np.isnan(scores[segment])]


def order_metric(scores: Scores) -> Metric:
    """Return the first metric that depends on word order alone or, if there is none, the first metric."""
    return next((metric for metric in scores.metrics if metric.requires <= OF_ORDER), scores.metrics[0])


def weights_words(metric: Metric) -> bool:
    """Return whether losses under a metric are multiplied by the number of words in the order of a segment."""
    return bool(metric.requires & OF_ORDER)


def _weights(scores: Scores, metric: Metric, system: str) -> Array:
    if scores.order_words is None or not weights_words(metric):
        return np.ones(len(scores))
    return scores.order_words[scores.systems.index(system)].astype(np.float64)


def _negated(loss: Array) -> Array:
    """Return negated losses, so that the largest loss becomes the lowest score; a loss of 0 becomes NaN."""
    loss = np.round(loss, 9)  # losses that differ only in the last bit are equal, so that the first segment wins
    return np.where(loss > 0, -loss, np.nan)


def _examples(scores: Scores, metric: Metric, systems: list[str], rows: list[int]) -> list[Example]:
    assert scores.scored_inputs is not None
    drawn = {system: scores.scored_inputs.draw(system, rows, metric) for system in systems} if rows else {}
    values = {system: scores.segment_scores(system, metric) for system in systems}
    words = scores.order_words
    # the hypotheses of two systems are labelled with their names
    names = split_shared(systems)[1] if len(systems) > 1 else ["hyp"]
    found = []
    for place, row in enumerate(rows):
        lines = {
            system: [(name if label == "hyp" else label, text) for label, text in drawn[system][place]]
            for system, name in zip(systems, names, strict=True)
        }
        found.append(
            Example(
                row + 1,
                str(metric),
                metric.label,
                {system: float(values[system][row]) for system in systems},
                {} if words is None else {each: int(words[scores.systems.index(each)][row]) for each in systems},
                lines,
                "on the words that both match" if scores.inputs.get("words") == "common" else "",
            )
        )
    return found
