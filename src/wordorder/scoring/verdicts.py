"""Sentences on the differences between systems: which one is best, how certain that is, and p-values."""

import math
from collections.abc import Mapping, Sequence
from itertools import groupby

from wordorder.core.runtime.errors import count_of
from wordorder.metrics.base import Metric
from wordorder.report.table import AS_IS, Column, Style, write_p
from wordorder.scoring.comparison import DUST, Comparison
from wordorder.scoring.scores import Scores, metric_column
from wordorder.scoring.worst import OF_ORDER


def answer(
    scores: Scores, metric: str | Metric | None = None, *, names: Mapping[str, str] | None = None, style: Style = AS_IS
) -> str:
    """Return a sentence that says which system is best under a metric (by default the first), and how certainly.

    It is empty if there is nothing to compare. ``names`` are names to print instead of those of the systems.
    """
    m = 0 if metric is None else scores.metric_place(metric)
    names = {system: (names or {}).get(system, system) for system in scores.systems}
    tests = [found for found in scores.comparisons if found.metric == scores.names[m]]
    if len(tests) == 1:
        return compare_two(scores, tests[0], names=names, style=style)
    if tests and scores.baseline is not None:
        more, less = (sum(sign * test.difference > 0 for test in tests if test.significant) for sign in (1, -1))
        words = ("better", "worse") if scores.ranked else ("higher", "lower")
        return (
            f"{words[0]} than {names[scores.baseline]} by {scores.labels[m]}: {more} of {len(tests)} systems; "
            f"{words[1]}: {less}; no significant difference: {len(tests) - more - less}"
        )
    ranking = scores.rankings[m]
    if ranking is None:
        return ""
    verb, by = _verb(scores.metrics[m])
    best, others, tied = f"{names[ranking.systems[0]]} {verb}", len(ranking.systems) - 1, len(ranking.tied)
    if not tied:
        return f"{best} better than {'both' if others == 2 else f'all {others}'} others{by}"
    if tied == others:
        return f"{best} best{by}, but no other system is significantly worse"
    return f"{best} best{by}; {tied} of the {others} others {'is' if tied == 1 else 'are'} not significantly worse"


def further(scores: Scores, m: int, *, names: Mapping[str, str], style: Style = AS_IS) -> str:
    """Return clauses that say which system is best under the metrics other than metric m, or an empty string."""
    leader = _leader(scores, m, style)[0]
    found: dict[str, dict[str, list[str]]] = {}
    for other, label in enumerate(scores.labels):
        best, remark = _leader(scores, other, style)
        if best and other != m:
            found.setdefault(best, {}).setdefault(remark, []).append(label)
    clauses = []
    for best, metrics in found.items():
        word = "ahead" if len(names) == 2 else "also best" if best == leader else "best"
        by = _enumerate([_enumerate(labels) + remark for remark, labels in metrics.items()])
        clauses.append(f"{names[best]} is {word} by {by}")
    return "; ".join(clauses)


def _enumerate(parts: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(parts[:-1]), parts[-1])))


def _leader(scores: Scores, m: int, style: Style) -> tuple[str, str]:
    """Return the best system under metric m and a remark on how certain that is, or empty strings."""
    tests = [test for test in scores.comparisons if test.metric == scores.names[m]]
    ranking = None if scores.baseline is not None else scores.rankings[m]
    if len(tests) == 1:
        difference = tests[0].difference
        if not (abs(difference) >= DUST and tests[0].decidable):  # true for NaN
            return "", ""
        size = style.write(abs(difference), metric_column(scores.metrics[m]))
        best = tests[0].a if difference > 0 else tests[0].b
        return best, f" (difference {size}, p {write_p(tests[0].p_corrected)})"
    if ranking is None:
        return "", ""
    tied, others = len(ranking.tied), len(ranking.systems) - 1
    remark = " (not significantly)" if tied == others else f" ({count_of(tied, 'other')} not significantly worse)"
    return ranking.systems[0], remark * bool(tied)


def _verb(metric: Metric) -> tuple[str, str]:
    """Return what a system does, and a phrase with the metric unless this depends on word order alone."""
    return ("orders words", "") if metric.requires <= OF_ORDER else ("scores", f" by {metric.label}")


def compare_two(
    scores: Scores, found: Comparison, *, names: Mapping[str, str] | None = None, style: Style = AS_IS
) -> str:
    """Return a sentence that says which of two systems scores higher, by how much, and how significant this is."""
    names = {system: (names or {}).get(system, system) for system in scores.systems}
    a, b, m = names[found.a], names[found.b], scores.metric_place(found.metric)
    if math.isnan(found.difference):
        return f"{scores.labels[m]}: {a} and {b} cannot be compared; no segment is defined for both"
    metric, column = scores.metrics[m], metric_column(scores.metrics[m])
    values = [style.write(scores.values[scores.system_place(system), m], column) for system in (found.a, found.b)]
    if abs(found.difference) < DUST:
        return f"{a} and {b} score the same: {metric.label} {values[0]}"
    sign = 1 if found.difference > 0 else -1
    if sign < 0:
        a, b, values = b, a, values[::-1]
    if not scores.ranked or metric.higher_is_better is None:
        head = f"{a} is higher than {b}"
    elif found.significant:
        head = f"{a} {_verb(metric)[0]} {'better' if metric.higher_is_better else 'worse'} than {b}"
    else:
        head = f"{a} and {b} cannot be told apart"
    difference = _size(found, sign, column, style)
    sentence = f"{head}: {metric.label} {values[0]} against {values[1]}, difference {difference}"
    common = found.common
    if common is None or math.isnan(common.difference) or not found.decidable:
        return sentence
    sentence += f"; on the words that both match, it is {_size(common, sign, column, style)}"
    return sentence + ", so it may come from which words match" * found.may_come_from_matching


def _size(found: Comparison, sign: int, column: Column, style: Style) -> str:
    """Return a difference with its interval and its p-value; ``sign`` is −1 to subtract the first system."""
    numbers = (found.difference, *(found.low, found.high)[::sign])
    size, *ends = (style.write(sign * number, column) for number in numbers)
    inside = "" if math.isnan(found.low) or found.segments == 1 else f" ({ends[0]} to {ends[1]})"
    tested = f"p {write_p(found.p_corrected)}" if found.decidable else "too little data to test"
    return f"{size}{inside}, {tested}".replace("-", "−")


def verdicts(scores: Scores, *, names: Mapping[str, str] | None = None, style: Style = AS_IS) -> list[str]:
    """Return sentences: for two ranked systems, which one is better under each metric; for more, the p-values."""
    if len({system for found in scores.comparisons for system in (found.a, found.b)}) == 2:
        return [compare_two(scores, found, names=names, style=style) for found in scores.comparisons]
    lines = []
    for metric, tested in groupby(scores.comparisons, key=lambda found: found.metric):
        several, base = list(tested), scores.baseline
        against = f"the best system ({several[0].a})" if base is None else f"the baseline ({base})"
        pairs = [(one.b if base is None else one.a, write_p(one.p_corrected, sign=False)) for one in several]
        found = ", ".join(map(" ".join, pairs))
        lines.append(f"p-values for {scores.labels[scores.metric_place(metric)]} against {against}: {found}")
    return lines
