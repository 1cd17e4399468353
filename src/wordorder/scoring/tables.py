"""Tables and JSON data of scores: for all segments, by group, and correlations between metrics."""

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordorder.core.runtime.errors import UsageError, count_of, refuse, reject
from wordorder.core.runtime.files import atomic_write
from wordorder.core.runtime.plain import plain
from wordorder.core.statistics.correlation import correlate
from wordorder.core.statistics.settings import DEFAULT_TRIALS
from wordorder.metrics.base import DRAWN, Array, MeanMetric, MeanOfParts, Metric
from wordorder.metrics.lexical import MatchCounts, Matched
from wordorder.report.table import AS_IS, Cell, Column, Mark, Style, Table, Value, shorten_all, split_shared
from wordorder.scoring.comparison import RESAMPLED, Comparison, add_common, correction_of, unranked_notes
from wordorder.scoring.ranking import order_systems, sorting_metric
from wordorder.scoring.scores import Scores, metric_column
from wordorder.scoring.verdicts import answer, further, verdicts
from wordorder.version import __version__

Groups = dict[str, NDArray[np.int64]]
"""A mapping from the name of each group to the indices of its segments."""

BUCKETS = ("none", "low", "medium", "high")
"""The names of the buckets that ``wordorder profile --write-buckets`` assigns by amount of reordering."""

NO_BUCKET = "-"
"""The line in a bucket file that marks a segment without a bucket."""

ALL_BUCKETS = "all"
"""The name of the group that combines the segments of all buckets."""

_COUNTS = ("matched", "chunks", "hypothesis_length", "reference_length")
_FLAGS = {Mark.BASELINE, Mark.SIGNIFICANT, Mark.UNDECIDED, Mark.UNRANKED}
_MOST_NOTES = 4
_NAME_WIDTH = 22
_SHOWN_PARTS = ("order", "lexical", "brevity")
_MONOTONE_NOTE = "against the source: how monotone, not how good (ranges: wordorder metrics)"


def summary_table(scores: Scores, *, sort: str | None = None, style: Style = AS_IS) -> Table:
    """Return the table that people see first: the systems, best first, and a few lines on what their scores mean.

    Three or more systems have a rank under the metric ``sort`` (by default the first one) and the range of this rank.
    The part that all names of systems share is in the title. For ``sort``, see :func:`order_systems`.
    """
    systems, order, shared, notes = list(scores.systems), [0], "", _warnings(scores)
    if len(systems) > 1 or sort:
        order, (shared, systems) = order_systems(scores, sort), split_shared(systems)
        notes = [*_brief_tests(scores, sort, systems, style), *notes]
    marks = _marks(scores)
    rows: list[list[Cell | Value]] = [
        [systems[s], *map(Cell, scores.values[s], _bounds(scores, s), (frozenset(cell & _FLAGS) for cell in marks[s]))]
        for s in order
    ]
    columns = [Column("system", "left", shorten=True), *map(metric_column, scores.metrics)]
    ranking = scores.rankings[sorting_metric(scores, sort)] if len(systems) > 2 else None
    if ranking is not None:
        columns.insert(0, Column("rank", "left"))
        rows = [[ranking.write(scores.systems[s]), *row] for s, row in zip(order, rows, strict=True)]
    if scores.matched is not None and Matched.name not in scores.names:
        columns.append(Column("words matched", number=".0%"))
        rows = [[*row, float(scores.matched[s])] for s, row in zip(order, rows, strict=True)]
    scale = _scale(scores, style).removesuffix(", higher is better")
    title = f"{shared}: " * bool(shared) + f"{count_of(len(scores), 'segment')}, {scale}"
    title += ", ± 95% interval" * bool(scores.resampling.samples and (scores.defined > 1).any())
    if len(notes) > _MOST_NOTES:
        notes[_MOST_NOTES - 1 :] = ["; ".join(notes[_MOST_NOTES - 1 :])]
    table = Table.of(title, columns, rows, notes=notes, signature=scores.signature)
    return style.apply(replace(table, brief=True))


def _brief_tests(scores: Scores, sort: str | None, systems: Sequence[str], style: Style) -> list[str]:
    """Return lines that say which system is best, which ones are not ranked, and how this was tested."""
    m = sorting_metric(scores, sort)
    names = dict(zip(scores.systems, systems, strict=True))
    unranked = [f"{names[system]} ({reason})" for system, reason in scores.unranked.items()]
    tests = _test_notes(scores) if not scores.comparisons or scores.test != "bootstrap" else []
    if len(systems) > 2 and scores.rankings[m]:
        samples = count_of(scores.resampling.samples, "sample")
        tests.insert(0, f"ranks by {scores.labels[m]}: bootstrap tests of all pairs, {samples}, corrected")
    used = frozenset[Mark]().union(*(cell for row in _marks(scores) for cell in row)) & _FLAGS - {Mark.UNRANKED}
    tests += [f"{mark.symbol}: {mark.meaning}" for mark in Mark if mark in used]
    lines = [
        answer(scores, scores.metrics[m], names=names, style=style),
        f"not ranked or tested: {', '.join(unranked)}" if unranked else "",
        further(scores, m, names=names, style=style),
        "; ".join(tests),
    ]
    return [line for line in lines if line]


def scores_table(scores: Scores, *, sort: str | None = None, style: Style = AS_IS, short: bool = False) -> Table:
    """Return the complete table of scores, best first, with intervals, significance marks and parts of metrics.

    The last columns show how much data the scores of a system are based on: the proportion of matched reference
    words, the number of segments with a score (the smallest over all metrics), and the number of words in the orders.
    If ``short`` is true, the part that all names of systems share is in the title, and instead of p-values, a sentence
    says which of three or more systems is best, because :func:`p_tables` has the p-values.
    """
    marks, facts = _marks(scores), _facts(scores)
    shared, names = split_shared(scores.systems) if short else ("", list(scores.systems))
    columns = [Column("system", "left", shorten=short)]
    rows: list[list[Cell | Value]] = [[name] for name in names]

    def add(column: Column, values: Iterable[Any]) -> None:
        columns.append(column)
        for row, value in zip(rows, values, strict=True):
            row.append(value if isinstance(value, Cell) else Cell(value))

    for m, metric in enumerate(scores.metrics):
        add(
            metric_column(metric),
            [
                Cell(scores.values[s, m], _bounds(scores, s)[m], frozenset(marks[s][m]), facts[s][m])
                for s in range(len(scores.systems))
            ],
        )
        if scores.spread is not None and metric.requires & DRAWN:
            add(replace(metric_column(metric, "spread"), number=".4f"), scores.spread[:, m])
        parts = [metric.parts(sums[m]) for sums in scores.sums]
        for part in _SHOWN_PARTS if "order" in parts[0] else ():
            add(metric_column(metric, part), [float(values[part]) for values in parts])
    if scores.matched is not None and Matched.name not in scores.names:
        add(Column(Matched.name, share=True), scores.matched)
    add(Column("segments"), scores.defined.min(axis=1))
    if scores.words is not None:
        add(Column("words"), scores.words)
    notes = score_notes(scores, style=style)
    named = dict(zip(scores.systems, names, strict=True))
    if not short or len(names) == 2 or scores.baseline is not None:
        notes += verdicts(scores, names=named, style=style)
    elif sentence := answer(scores, scores.metrics[sorting_metric(scores, sort)], names=named, style=style):
        notes.insert(0, sentence)
    ordered = [rows[s] for s in order_systems(scores, sort)]
    return style.apply(Table.of(shared, columns, ordered, notes=notes, signature=scores.signature))


def p_tables(scores: Scores) -> dict[str, Table]:
    """Return, for each metric that ranks three or more systems, the corrected p-values of all pairs of systems."""
    tables = {}
    short = dict(zip(scores.systems, shorten_all(split_shared(scores.systems)[1], _NAME_WIDTH), strict=True))
    for label, ranking in zip(scores.labels, scores.rankings, strict=True):
        if ranking is not None and len(ranking.systems) > 2:
            found = {(test.a, test.b): f"{test.p_corrected:.3f}".removeprefix("0") for test in ranking.tests}
            columns = [Column("", "left"), *(Column(str(place)) for place in range(2, len(ranking.systems) + 1))]
            rows = [
                [f"{place:2} {short[a]}", *(found.get((a, b), "") for b in ranking.systems[1:])]
                for place, a in enumerate(ranking.systems[:-1], start=1)
            ]
            title = f"p-values of {label}, corrected"
            tables[title] = Table.of(f"{title} (columns: systems as numbered in the rows)", columns, rows)
    return tables


def score_cells(scores: Scores, s: int, marks: Sequence[Collection[Mark]] | None = None) -> list[Cell]:
    """Return the cells of system s in a table: its scores with intervals and the number of undefined segments."""
    undefined = (len(scores) - scores.defined[s]).tolist()
    return [
        Cell(value, ends, frozenset(marked), {"undefined": count})
        for value, ends, marked, count in zip(
            scores.values[s], _bounds(scores, s), marks or [()] * len(undefined), undefined, strict=True
        )
    ]


def _bounds(scores: Scores, s: int) -> list[tuple[float, float]]:
    """Return the two ends of the interval of a system's score under each metric."""
    return list(zip(*(ends[s].tolist() for ends in scores.intervals), strict=True))


def _facts(scores: Scores) -> list[list[dict[str, Value]]]:
    """Return values that only data formats show: of each system and metric, undefined segments, rank and p-value."""
    undefined = len(scores) - scores.defined
    facts: list[list[dict[str, Value]]] = [[{"undefined": int(count)} for count in row] for row in undefined]
    for m, ranking in enumerate(scores.rankings if len(scores.systems) > 2 else ()):
        for s, system in enumerate(scores.systems if ranking else ()):
            facts[s][m]["rank"] = ranking.write(system) if ranking else None
    for found in scores.comparisons:
        tested = found.a if scores.baseline is not None else found.b
        facts[scores.systems.index(tested)][scores.names.index(found.metric)]["p"] = found.p_corrected
    return facts


def _marks(scores: Scores) -> list[list[set[Mark]]]:
    """Return the marks of all cells, by system and metric.

    Without a baseline, marks show the best system and systems that are not significantly worse. With a baseline, they
    show the baseline and systems that differ from it significantly. Another mark shows that there is too little data
    for a test.
    """
    marks = _mark_best(scores, scores.unranked)
    for found in scores.comparisons:
        m = scores.names.index(found.metric)
        cell = marks[scores.systems.index(found.b if scores.baseline is None else found.a)][m]
        if scores.baseline is None and Mark.BEST in cell:
            continue
        if not (found.significant or found.decidable):
            cell.add(Mark.UNDECIDED)
        elif found.significant and scores.baseline is not None:
            cell.add(Mark.SIGNIFICANT)
        elif not found.significant and scores.baseline is None:
            cell.add(Mark.TIED)
    if scores.baseline is not None and len(scores.systems) > 1:
        for cell in marks[scores.systems.index(scores.baseline)]:
            cell.add(Mark.BASELINE)
    for s, m in np.argwhere(np.isnan(scores.values)):  # undefined scores have no marks
        marks[s][m].clear()
    return marks


def _mark_best(scores: Scores, unranked: Collection[str]) -> list[list[set[Mark]]]:
    """Return the marks of all cells: of the best of several systems under each metric, and of unranked systems."""
    left_out = np.isin(scores.systems, list(unranked))
    marks: list[list[set[Mark]]] = [[set() for _ in scores.metrics] for _ in scores.systems]
    for m, metric in enumerate(scores.metrics if len(scores.systems) > 1 else ()):
        column = np.where(left_out, np.nan, scores.values[:, m])
        for s in np.flatnonzero(left_out):
            marks[s][m].add(Mark.UNRANKED)
        if scores.ranked and metric.higher_is_better and not np.isnan(column).all():
            for s in np.flatnonzero(column == np.nanmax(column)):
                marks[s][m].add(Mark.BEST)
    return marks


def score_notes(scores: Scores, *, style: Style = AS_IS, tests: Sequence[str] | None = None) -> list[str]:
    """Return the notes below a table, about segments, intervals, undefined scores, tests and assumptions.

    ``tests`` holds notes on tests of another kind, such as those of pairs of systems. They replace the notes on the
    tests of these scores; notes on intervals are then omitted, too.
    """
    notes = [f"{count_of(len(scores), 'segment')}; {_scale(scores, style)}"]
    if tests is None and scores.resampling.samples and (scores.defined > 1).any():
        notes[0] += f"; 95% confidence intervals from {count_of(scores.resampling.samples, 'bootstrap sample')}"
    undefined = len(scores) - scores.defined
    gaps = [m for m in range(len(scores.metrics)) if undefined[:, m].any()]
    if gaps:
        low, high = int(undefined[:, gaps].min()), int(undefined[:, gaps].max())
        count = f"{low} to " * (low < high) + count_of(high, "segment")
        names = ", ".join(scores.labels[m] for m in gaps)
        notes.append(f"undefined, and left out of the means: {count} per system ({names})")
    notes += _test_notes(scores) if tests is None else tests
    notes += unranked_notes(scores)
    return [*notes, *_warnings(scores, intervals=tests is None)]


def _scale(scores: Scores, style: Style) -> str:
    """Return a phrase on the range of the scores and on what a high score means."""
    if not scores.ranked:
        return _MONOTONE_NOTE
    if any(metric.direction != Metric.direction for metric in scores.metrics):
        return "higher is better (for the ranges of scores, see wordorder metrics)"
    return f"scores from 0 to {100 if style.percent else 1}, higher is better"


def _warnings(scores: Scores, *, intervals: bool = True) -> list[str]:
    """Return what readers must know about the intervals, metrics and inputs of these scores."""
    alone = intervals and scores.resampling.samples and (scores.defined == 1).any()
    notes = ["the score of one segment has no interval: there is nothing to resample"] * bool(alone)
    for note in dict.fromkeys(metric.note for metric in scores.metrics if metric.note):
        notes.append(f"{', '.join(metric.label for metric in scores.metrics if metric.note == note)}: {note}")
    return [*notes, *scores.notes]


def _test_notes(scores: Scores) -> list[str]:
    """Return notes that say how systems were compared with the best system or the baseline, or why they were not."""
    if scores.ranked and len(scores.systems) > 1 and not scores.resampling.samples and scores.test in RESAMPLED:
        return ["differences between systems were not tested: there are no samples"]
    if not scores.comparisons:
        return []
    trials = f"{DEFAULT_TRIALS} trials each" if scores.test == "randomisation" else ""
    others = len({system for found in scores.comparisons for system in (found.a, found.b)}) - 1
    means = all(isinstance(metric, (MeanMetric, MeanOfParts)) for metric in scores.metrics)
    how = [f"{scores.test} tests compare segment scores; differences and their intervals are of corpus scores"]
    how *= scores.test not in RESAMPLED and not means
    if others == 1:
        return [f"paired randomisation tests, {trials}"] if trials else how
    against = "the best" if scores.baseline is None else "the baseline"
    note = f"paired {scores.test} tests of {others} systems against {against}, corrected {correction_of(scores.test)}"
    return [f"{note}; {trials}" if trials else note, *how]


# --- groups of segments -------------------------------------------------------------------------------------------


def document_groups(ids: Sequence[str]) -> Groups:
    """Return the indices of the segments of each document; documents are in order of first appearance.

    >>> {name: rows.tolist() for name, rows in document_groups(["b", "a", "b"]).items()}
    {'b': [0, 2], 'a': [1]}
    """
    groups: dict[str, list[int]] = {}
    for row, name in enumerate(ids):
        groups.setdefault(name, []).append(row)
    return {name: np.array(rows, dtype=np.int64) for name, rows in groups.items()}


def bucket_groups(names: Sequence[str]) -> Groups:
    """Return the indices of the segments of each bucket; segments without a bucket are left out.

    The buckets none, low, medium and high come first, in this order. If there are several buckets, a last group
    combines all of them (Birch 2011, Figures 3.21–3.22).

    >>> {name: rows.tolist() for name, rows in bucket_groups(["high", "-", "none", "odd", "high"]).items()}
    {'none': [2], 'high': [0, 4], 'odd': [3], 'all': [0, 2, 3, 4]}
    """
    groups = document_groups([name.strip() for name in names])
    for nowhere in (NO_BUCKET, ""):
        groups.pop(nowhere, None)
    reject(not groups, f"no segment is assigned to a bucket, because every line is empty or {NO_BUCKET!r}")
    order = [*(name for name in BUCKETS if name in groups), *(name for name in groups if name not in BUCKETS)]
    found = {name: groups[name] for name in order}
    if len(found) > 1 and ALL_BUCKETS not in found:
        found[ALL_BUCKETS] = np.sort(np.concatenate(list(found.values())))
    return found


def groups_table(scores: Scores, what: str, *, style: Style = AS_IS) -> Table:
    """Return a table of scores per group (``bucket`` or ``document``) and system; the best system is marked."""
    given = scores.buckets if what == "bucket" else scores.documents
    if given is None:
        raise UsageError(f"no {what}s were given when these scores were computed; give one for each segment")
    groups = bucket_groups(given) if what == "bucket" else document_groups(given)
    matched = [Matched.name] * (scores.matched is not None and Matched.name not in scores.names)
    columns = [Column(what, "left"), Column("system", "left"), Column("segments")]
    columns += [*map(metric_column, scores.metrics), *(Column(name, share=True) for name in matched)]
    columns += [Column("words")] if scores.words is not None else []
    rows: list[list[Cell | str | int]] = []
    for name, members in groups.items():
        part = scores.subset(members)
        marks = _mark_best(part, scores.unranked)
        for s, system in enumerate(part.systems):
            cells = score_cells(part, s, marks[s])
            facts = [Cell(part.matched[s])] if matched and part.matched is not None else []
            facts += [Cell(part.words[s])] if part.words is not None else []
            rows.append([name, system, len(part), *cells, *facts])
    notes = score_notes(scores, style=style)
    if len(scores.systems) > 1:
        notes.insert(1, f"*: best in its {what}; differences within a {what} were not tested")
    outside = len(scores) - len(np.unique(np.concatenate(list(groups.values()))))
    if outside:
        notes.insert(1, f"left out, being in no {what}: {count_of(outside, 'segment')}")
    return style.apply(Table.of("", columns, rows, notes=notes, signature=scores.signature))


def correlation_table(scores: Scores) -> Table:
    """Return a table of Pearson's r between the scores of all pairs of metrics.

    Scores are those of documents if these are known, otherwise those of segments. ``r`` is computed over the scores
    of all systems, and ``delta-r`` over the score differences between all pairs of systems on the same document or
    segment, which do not depend on its difficulty (Kahn, Ostendorf & Roark 2009).
    """
    refuse(len(scores.metrics) < 2, "correlations require at least two metrics")
    unit, values = _unit_scores(scores)
    left, right = np.triu_indices(len(scores.systems), k=1)
    changes = values[:, left] - values[:, right]
    rows: list[list[Cell | str]] = []
    for a, b in combinations(range(len(scores.metrics)), 2):
        pooled, change = (correlate(part[a].ravel(), part[b].ravel()) for part in (values, changes))
        rows.append([scores.names[a], scores.names[b], Cell(pooled.value), Cell(change.value)])
    columns = [Column("metric", "left"), Column("with", "left"), Column("r"), Column("delta-r")]
    count = f"{count_of(values.shape[2], unit)}, {count_of(len(scores.systems), 'system')}"
    meaning = f"delta-r: of differences between two systems on one {unit}"
    notes = [f"Pearson's r over {count}; {meaning}"]
    return Table.of("", columns, rows, notes=notes, signature=scores.signature)


def _unit_scores(scores: Scores) -> tuple[str, Array]:
    """Return the unit ("document" if known, else "segment") and the scores, ``[metrics, systems, units]``."""
    if scores.documents is None:
        values = [[scores.segment_scores(system, metric) for system in scores.systems] for metric in scores.metrics]
        return "segment", np.array(values)
    parts = [scores.subset(members).values for members in document_groups(scores.documents).values()]
    return "document", np.stack(parts).transpose(2, 1, 0)


# --- plain data ---------------------------------------------------------------------------------------------------


def scores_document(
    scores: Scores,
    *,
    tests: Sequence[Comparison] | None = None,
    notes: Sequence[str] | None = None,
    signature: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the scores as plain data; numbers are not rounded, and undefined numbers are None.

    ``tests``, ``notes`` and ``signature`` replace those of the scores, for instance, if given pairs of systems were
    tested.
    """
    document: dict[str, Any] = {
        "version": __version__,
        "signature": scores.signature if signature is None else signature,
        "segments": len(scores),
        "systems": _system_records(scores),
    }
    if scores.documents is not None:
        document["documents"] = _group_records(scores, document_groups(scores.documents))
    if scores.buckets is not None:
        document["buckets"] = _group_records(scores, bucket_groups(scores.buckets))
    if tests is None:
        tests = add_common(scores, scores.comparisons, scores.test, best=scores.baseline is None)
    records = [comparison.to_dict() for comparison in tests]
    notes = [*score_notes(scores), *verdicts(scores)] if notes is None else list(notes)
    return document | {"tests": records, "notes": notes}


def _system_records(scores: Scores) -> list[dict[str, Any]]:
    """Return the scores of every system as plain data."""
    low, high = scores.intervals
    systems = []
    for s, system in enumerate(scores.systems):
        found = {}
        for m, metric in enumerate(scores.metrics):
            parts = metric.parts(scores.sums[s][m])
            found[str(metric)] = {
                "value": plain(scores.values[s, m]),
                "low": plain(low[s, m]),
                "high": plain(high[s, m]),
                "defined": int(scores.defined[s, m]),
                "undefined": int(len(scores) - scores.defined[s, m]),
                **({} if scores.spread is None else {"spread": plain(scores.spread[s, m])}),
                "parts": {name: plain(float(part)) for name, part in parts.items()},
            }
        matched = {} if scores.matched is None else {"matched": plain(scores.matched[s])}
        words = {} if scores.words is None else {"words": scores.words[s]}
        unranked = {"unranked": scores.unranked[system]} if system in scores.unranked else {}
        systems.append({"name": system, **matched, **words, **unranked, "scores": found})
    return systems


def _group_records(scores: Scores, groups: Groups) -> list[dict[str, Any]]:
    parts = {name: scores.subset(members) for name, members in groups.items()}
    return [{"name": name, "segments": len(part), "systems": _system_records(part)} for name, part in parts.items()]


def write_segments(scores: Scores, path: str, *, text: bool = False) -> None:
    """Write one JSON object per segment and system to a file, including the lines of text if ``text`` is true."""
    with atomic_write(path) as target:
        for line in _segment_lines(scores, text=text):
            target.write(line)


def _segment_lines(scores: Scores, *, text: bool = False) -> Iterator[str]:
    for s, system in enumerate(scores.systems):
        found = np.stack([scores.segment_scores(system, metric) for metric in scores.metrics], axis=1)
        counts = {}
        if scores.counts is not None:
            columns = dict(zip(MatchCounts.columns, np.asarray(scores.counts[s]).T, strict=False))
            counts = {name: _whole(columns[name]) for name in _COUNTS if name in columns}
        lines = scores.lines(system) if text else {}
        for number, row in enumerate(found.tolist(), start=1):
            record = {
                "system": system,
                "segment": number,
                **{name: column[number - 1] for name, column in counts.items()},
                "scores": dict(zip(scores.names, map(plain, row), strict=True)),
                **{name: column[number - 1].as_py() for name, column in lines.items()},
            }
            yield json.dumps(record, ensure_ascii=False) + "\n"


def _whole(counts: Array) -> list[float]:
    """Return counts as integers, or as floats if any is a fraction because it was averaged over references.

    >>> _whole(np.array([2.0, 3.0])), _whole(np.array([2.0, 2.5]))
    ([2, 3], [2.0, 2.5])
    """
    whole = counts.astype(np.int64)
    found: list[float] = (whole if (whole == counts).all() else counts).tolist()
    return found
