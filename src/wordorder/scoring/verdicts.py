"""Notes under a table of scores that say in words whether one system is better than another."""

from __future__ import annotations

import math
from itertools import groupby

from wordorder.metrics.base import Metric
from wordorder.report.table import AS_IS, Column, Style, write_p
from wordorder.scoring.comparison import Comparison
from wordorder.scoring.scores import Scores

_SHARES = ("0 to 1", "at most 1")


def metric_column(metric: Metric, part: str = "") -> Column:
    """Return the column of a metric or of a part of it; scores between 0 and 1 can be shown in percent."""
    return Column(f"{metric} {part}".strip(), share=metric.direction.startswith(_SHARES))


def verdicts(scores: Scores, *, style: Style = AS_IS) -> list[str]:
    """Return, for two systems, which one is better and how surely; for more systems, the p-values by metric."""
    if len(scores.systems) == 2:
        return [_sentence(scores, found, style) for found in scores.comparisons]
    lines = []
    for metric, tested in groupby(scores.comparisons, key=lambda found: found.metric):
        several = list(tested)
        if scores.baseline is not None:
            against, others = f"the baseline ({scores.baseline})", [found.a for found in several]
        else:
            against, others = f"the best system ({several[0].a})", [found.b for found in several]
        found = ", ".join(
            f"{name} {write_p(one.p_corrected, sign=False)}" for name, one in zip(others, several, strict=True)
        )
        lines.append(f"p-values for {metric} against {against}: {found}")
    return lines


def _sentence(scores: Scores, found: Comparison, style: Style) -> str:
    """Return a sentence about which of two systems is better (or scores higher) and whether this is significant."""
    if math.isnan(found.difference):
        return f"{found.metric}: {found.a} and {found.b} cannot be compared; no segment is defined for both"
    metric = scores.metrics[scores.names.index(found.metric)]
    column = metric_column(metric)
    ahead, behind, sign = (found.a, found.b, 1) if found.difference >= 0 else (found.b, found.a, -1)
    ends = sorted((sign * found.low, sign * found.high))
    bounds = " to ".join(style.write(end, column).replace("-", "−") for end in ends)
    inside = "" if math.isnan(found.low) or found.segments == 1 else f"95% interval {bounds}; "
    size = f"{style.write(abs(found.difference), column)} ({inside}p {write_p(found.p_corrected)})"
    word = "better" if scores.ranked and metric.higher_is_better else "higher"
    if found.difference == 0:
        return f"{found.metric}: {found.a} and {found.b} score the same"
    if not found.decidable:
        return f"{found.metric}: {ahead} is {word} than {behind} by {size}, but there is too little data to test this"
    if found.significant:
        return f"{found.metric}: {ahead} is {word} than {behind} by {size}"
    return f"{found.metric}: {ahead} is not significantly {word} than {behind}; the difference is {size}"
