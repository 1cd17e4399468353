"""Filter a corpus: write the pairs that satisfy a condition, and report how many pairs were dropped and why.

To select the best N pairs of a corpus, a first pass writes the measures of all pairs. The threshold is the N-th best
value: a histogram over all parts shows in which narrow range it lies, and sorting the values in this range finds it.
"""

import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Unpack

import numpy as np

from wordorder.apps.scale import jobs
from wordorder.apps.scale.alignments import mix
from wordorder.apps.scale.expressions import Condition, Expression, Name, Operation, PairMeasures, compute, resolve
from wordorder.apps.scale.folders import Folder, absolute
from wordorder.apps.scale.parts import (
    Part,
    Report,
    cells_of,
    columns_of,
    digest,
    find_parts,
    of_reports,
    readable_part,
    total_bad,
    write_bad,
)
from wordorder.apps.scale.runner import RunOptions, run_job
from wordorder.core.orders import Alignments
from wordorder.core.runtime.columns import Bools, Floats, Int64s, to_column
from wordorder.core.runtime.errors import UsageError, check_choice, refuse
from wordorder.core.runtime.libraries import pa
from wordorder.report.table import Column, Table

PASSED = "passed"

_UNLINKED = "unaligned-source <= 0.3 and unaligned-target <= 0.3"
PRESETS = {
    "simt": ("anticipation:k={k} <= 0.1 and " + _UNLINKED, {"k": "3"}),
    "monotone": ("kendall >= 0.95 and rquantity <= 0.2 and " + _UNLINKED, {}),
    "clean": ("1 <= source-words <= 100 and 1 <= target-words <= 100 and length-ratio <= 3 and " + _UNLINKED, {}),
}
"""Conditions by name: for wait-k simultaneous translation, for monotone data, and for clean data."""

_FROM_LENGTHS = ("source-words", "target-words", "length-ratio")
_QUANTITY = "rquantity"


def preset(spec: str) -> str:
    """Return the condition of a preset such as ``simt:k=3``.

    >>> preset("simt:k=5").partition(" and ")[0]
    'anticipation:k=5 <= 0.1'
    """
    name, *settings = spec.split(":")
    check_choice(name, PRESETS, "preset")
    text, values = PRESETS[name][0], dict(PRESETS[name][1])
    for setting in settings:
        key, _, value = setting.partition("=")
        if key not in values or not value.isdecimal():
            raise UsageError(
                f"invalid setting {setting!r} of the preset {name}; valid settings: "
                f"{', '.join(f'{key}=N' for key in values) or 'none'}"
            )
        values[key] = value
    return text.format(**values)


@dataclass(frozen=True)
class FilterJob(jobs.Job):
    """The job that keeps the pairs that satisfy a condition; with ``by``, it only measures pairs for a ranking."""

    command = "filter"
    whole = True

    texts: tuple[tuple[str, str], ...]
    keep: str
    fields: tuple[str, ...] = ()
    """The columns of the corpus that the condition or the ranking uses."""
    tokenizer: str = jobs.AT_SPACES
    by: str | None = None
    sample: int = 0

    @property
    def columns(self) -> dict[str, str]:
        """The columns of text and links that are needed to compute the measures, by role."""
        names = set(self.names) - set(self.fields)
        needed = {jobs.SOURCE, jobs.TARGET} if names <= set(_FROM_LENGTHS) else {jobs.SOURCE, jobs.TARGET, jobs.LINKS}
        return {role: column for role, column in self.texts if role in needed and (names or self.sample)}

    @cached_property
    def condition(self) -> Condition | None:
        """The parsed condition; None if all pairs are kept."""
        return Condition.parse(self.keep) if self.keep else None

    @property
    def names(self) -> list[str]:
        """All names in the condition, and the name of the ranking measure, if any."""
        named = self.condition.names if self.condition is not None else ()
        return list(dict.fromkeys([*named, *([self.by] if self.by else [])]))

    @property
    def settings(self) -> dict[str, Any]:
        """The columns, the condition, the ranking, the tokeniser and the size of the sample."""
        return {
            "columns": dict(self.texts),
            "keep": self.keep,
            "by": self.by,
            "tokenizer": self.tokenizer,
            "sample": self.sample,
        }

    @property
    def signature(self) -> dict[str, Any]:
        """The condition and the tokeniser."""
        return {"keep": self.keep or "all", "tokenizer": self.tokenizer}

    def schema(self, given: pa.Schema) -> pa.Schema:
        """Return the schema of the result: the columns of the part and the measures; for a ranking, only measures."""
        if self.by is not None:
            return pa.schema([*((name, pa.float64()) for name in self.measured), (PASSED, pa.bool_())])
        return self.kept_schema(given)

    @property
    def added(self) -> list[str]:
        """The measures that the result has in addition to the columns of the part."""
        return [name for name in self.names if name not in self.fields]

    def kept_schema(self, given: pa.Schema) -> pa.Schema:
        """Return the schema of kept pairs: the columns of the part, then the added measures."""
        names = self.added
        kept = jobs.without(given, (jobs.REASON, *names))
        return pa.schema([*kept, *((name, pa.float64()) for name in names)])

    def kept_columns(
        self, block: jobs.RowBlock, rows: Int64s, values: Mapping[str, Floats], kept: Bools
    ) -> dict[str, Any]:
        """Return the columns of the given rows of a block, and the measures of those pairs that are ``kept``."""
        others = jobs.other_columns(block, (jobs.REASON, *self.added))
        given = {name: column.take(rows) for name, column in others.items()}
        return given | {name: to_column(values[name][kept]) for name in self.added}

    @property
    def measured(self) -> list[str]:
        """The measures to compute: those in ``names`` and, if there are links, RQuantity for the report."""
        return list(dict.fromkeys([*self.names, *([_QUANTITY] if jobs.LINKS in self.columns else [])]))

    def check(self, part: Part) -> None:
        """Raise UsageError if a column that the job or its condition needs is missing or unsuitable."""
        jobs.check_columns(part, self.columns, self.fields, whole=True)

    def begin(self, part: Part) -> jobs.Work:
        """Return an object that filters the blocks of a part."""
        return _Filtering(self, part)


class FilterCounts:
    """Statistics of a filter: counts of pairs, reasons for dropping pairs, sums of measures, and a sample."""

    def __init__(self, conditions: Sequence[Condition]) -> None:
        self._conditions = conditions
        self.rows = self.kept = 0
        self.reasons = np.zeros((len(conditions), 2), np.int64)
        self.before: dict[str, Floats] = {}
        self.after: dict[str, Floats] = {}
        self.samples: list[list[Any]] = []

    def add(self, values: Mapping[str, Floats], marks: Sequence[Bools], kept: Bools) -> None:
        """Count pairs, given their measures, the conditions that each one satisfies, and which of them are kept."""
        self.rows += len(kept)
        self.kept += int(kept.sum())
        if marks:
            failed = ~np.stack(marks)
            self.reasons += np.stack([failed.sum(axis=1), (failed & (failed.sum(axis=0) == 1)).sum(axis=1)], axis=1)
        for name, column in values.items():
            for sums, chosen in ((self.before, column), (self.after, column[kept])):
                known = chosen[~np.isnan(chosen)]
                sums[name] = sums.get(name, np.zeros(2)) + np.array([len(known), known.sum()])

    def sums(self) -> dict[str, Any]:
        """Return the statistics as plain data, to be added up over parts."""
        return {
            "rows": self.rows,
            "kept": self.kept,
            "reasons": [[str(c), *row] for c, row in zip(self._conditions, self.reasons.tolist(), strict=True)],
            "before": {name: sums.tolist() for name, sums in self.before.items()},
            "after": {name: sums.tolist() for name, sums in self.after.items()},
            "samples": self.samples,
        }


class _Filtering(jobs.Work):
    def __init__(self, job: FilterJob, part: Part) -> None:
        self._job, self._part = job, part
        self._conditions = job.condition.parts() if job.condition is not None else []
        self._counts = FilterCounts(self._conditions)

    def add(self, block: jobs.RowBlock) -> dict[str, Any]:
        values = self._measure(block)
        columns = {name: to_column(column) for name, column in values.items()}
        marks = [np.asarray(condition.mark(columns).fill_null(False), np.bool_) for condition in self._conditions]
        kept = np.logical_and.reduce(marks) if marks else np.ones(len(block.rows), np.bool_)
        if self._job.by is not None:
            kept = kept & ~np.isnan(values[self._job.by])
        self._counts.add(values, marks, kept)
        self._draw(block, marks, kept)
        if self._job.by is not None:
            passed = np.zeros(len(block), np.bool_)
            passed[block.rows] = kept
            found = {name: block.spread_numbers(values[name]) for name in self._job.measured}
            return found | {PASSED: pa.array(passed)}
        return self._job.kept_columns(block, block.rows[kept], values, kept)

    def _measure(self, block: jobs.RowBlock) -> dict[str, Floats]:
        """Return the measures that the job needs, by name, for the usable rows of a block."""
        roles = self._job.columns
        pairs = None
        if jobs.LINKS in roles:
            pairs = PairMeasures(jobs.read_links(block, self._job.tokenizer)[0])
        elif roles:
            words = jobs.cut_words([block.texts[jobs.SOURCE], block.texts[jobs.TARGET]], self._job.tokenizer)
            source, target = (side.lengths.astype(np.int32) for side in words)
            empty = np.zeros(0, np.int32)
            pairs = PairMeasures(Alignments(empty, empty, np.zeros(len(block.rows) + 1, np.int64), source, target))
        found = {}
        for name in self._job.measured:
            if name in self._job.fields:
                found[name] = as_numbers(cells_of(block.batch, name))[block.rows]
            elif pairs is not None:
                found[name] = compute(name, pairs)
        return found

    def _draw(self, block: jobs.RowBlock, marks: Sequence[Bools], kept: Bools) -> None:
        """Update the random sample with rows of this block, so that it has equally many kept and dropped rows."""
        if not self._job.sample:
            return
        seed = np.uint64(int.from_bytes(self._part.name.encode()[-8:], "little"))
        keys = mix((block.rows + block.first_row).astype(np.uint64) ^ seed)
        for chosen in (True, False):
            places = np.flatnonzero(kept == chosen)
            for place in places[np.argsort(keys[places], kind="stable")[: self._job.sample]].tolist():
                failed = [str(c) for c, mark in zip(self._conditions, marks, strict=True) if not mark[place]]
                texts = [block.texts[role][place].as_py() for role in (jobs.SOURCE, jobs.TARGET)]
                self._counts.samples.append([int(keys[place]), chosen, *texts, "; ".join(failed)])
        self._counts.samples = first_samples(self._counts.samples, self._job.sample)

    def sums(self) -> dict[str, Any]:
        return self._counts.sums()


def first_samples(samples: Iterable[list[Any]], count: int) -> list[list[Any]]:
    """Sort pairs by their random keys, and return the first ``count`` kept and the first ``count`` dropped pairs."""
    ordered = sorted(samples)
    return [row for chosen in (True, False) for row in [each for each in ordered if each[1] == chosen][:count]]


def as_numbers(cells: Any) -> Floats:
    """Convert a column of numbers, or of text that contains numbers, to floats; all other cells become NaN."""
    try:
        return np.asarray(cells.cast(pa.float64()).fill_null(np.nan))
    except pa.ArrowInvalid:
        return np.array([_number(cell) for cell in cells.to_pylist()])


def _number(cell: Any) -> float:
    try:
        return float(cell)
    except (TypeError, ValueError):
        return float("nan")


RANKS = "_ranks"
"""The subfolder of the results in which the first pass writes measures."""


@dataclass(frozen=True)
class SelectJob(jobs.Job):
    """The job that keeps all pairs above a threshold and, in each part, a given number of pairs equal to it."""

    command = "filter"
    whole = True

    ranks: str
    first: FilterJob
    count: int
    largest: bool
    threshold: float
    ties: tuple[tuple[str, int], ...]
    """The number of pairs equal to the threshold to keep, for each part by name."""
    texts: tuple[tuple[str, str], ...] = ()

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of the first pass, and the number of pairs to keep."""
        return {**self.first.settings, "top" if self.largest else "bottom": self.count}

    @property
    def signature(self) -> dict[str, Any]:
        """The signature of the first pass, the number of pairs to keep, and the measure that ranks them."""
        return {**self.first.signature, "top" if self.largest else "bottom": self.count, "by": self.first.by}

    def schema(self, given: pa.Schema) -> pa.Schema:
        """Return the schema of the result: the columns of the part, then the measures."""
        return self.first.kept_schema(given)

    def fingerprint_of(self, part: Part) -> str:
        """Return a hash of the part, the threshold and the number of ties, which depend on the other parts."""
        chosen = self.threshold, dict(self.ties).get(part.name, 0)
        return digest(super().fingerprint_of(part).encode(), json.dumps(chosen).encode())

    def begin(self, part: Part) -> jobs.Work:
        """Read the measures of a part, and return an object that selects pairs from its blocks."""
        return _Selecting(self, part)


class _Selecting(jobs.Work):
    def __init__(self, job: SelectJob, part: Part) -> None:
        self._job = job
        ranks = Part(Folder(job.ranks).path_of(part.name), part.name)
        self._ranks = pa.Table.from_batches(list(ranks.batches()), schema=ranks.schema())
        self._ties = dict(job.ties).get(part.name, 0)
        self._counts = FilterCounts([])

    def add(self, block: jobs.RowBlock) -> dict[str, Any]:
        job = self._job
        measured = self._ranks.slice(block.first_row, len(block))
        passed = np.asarray(measured.column(PASSED).combine_chunks(), np.bool_)
        names = [name for name in measured.column_names if name != PASSED]
        values = {name: as_numbers(measured.column(name).combine_chunks()) for name in names}
        ranks = values[str(job.first.by)]
        above = ranks > job.threshold if job.largest else ranks < job.threshold
        on = passed & (ranks == job.threshold)
        on &= np.cumsum(on) <= self._ties
        self._ties -= int(on.sum())
        kept = (passed & above) | on
        self._counts.add({name: column[passed] for name, column in values.items()}, [], kept[passed])
        return job.first.kept_columns(block, np.flatnonzero(kept), values, kept)

    def sums(self) -> dict[str, Any]:
        return self._counts.sums()


def find_threshold(parts: Sequence[Floats] | Any, count: int, *, largest: bool = True) -> tuple[float, list[int]]:
    """Return the value of the N-th best pair (N is ``count``) and how many pairs with this value to keep per part.

    ``parts`` yields the values of one part after another. It is iterated over three times.

    >>> find_threshold([np.array([3.0, 1.0]), np.array([2.0, 2.0, 2.0])], 3)
    (2.0, [0, 2])
    """
    sign = 1.0 if largest else -1.0
    histogram: Counter[int] = Counter()
    for values in parts:
        ranges, sizes = np.unique(_sortable(sign * values) >> 48, return_counts=True)
        histogram.update(dict(zip(ranges.tolist(), sizes.tolist(), strict=True)))
    missing = count
    for narrow in sorted(histogram, reverse=True):
        if histogram[narrow] >= missing:
            break
        missing -= histogram[narrow]
    else:
        return sign * -np.inf, [0 for _ in parts]  # there are fewer pairs, so all are kept
    exact: Counter[float] = Counter()
    for values in parts:
        found = sign * values[_sortable(sign * values) >> 48 == narrow]
        each, sizes = np.unique(found, return_counts=True)
        exact.update(dict(zip(each.tolist(), sizes.tolist(), strict=True)))
    threshold = float("nan")
    for threshold in sorted(exact, reverse=True):
        if exact[threshold] >= missing:
            break
        missing -= exact[threshold]
    ties = []
    for values in parts:
        ties.append(min(missing, int((sign * values == threshold).sum())))
        missing -= ties[-1]
    return sign * threshold, ties


def _sortable(values: Floats) -> Int64s:
    """Map floats to integers that have the same order."""
    bits = (values + 0.0).view(np.int64)  # −0 becomes 0
    return bits ^ ((bits >> 63) & np.int64(0x7FFFFFFFFFFFFFFF))


@dataclass(frozen=True)
class Ranks:
    """A sequence with an array for each part: the ranking values of the pairs that satisfy the condition.

    An array is read from the results of the first pass whenever it is accessed.
    """

    folder: str
    names: tuple[str, ...]
    by: str

    def __len__(self) -> int:
        return len(self.names)

    def __getitem__(self, number: int) -> Floats:
        if number >= len(self.names):
            raise IndexError
        part = Part(Folder(self.folder).path_of(self.names[number]), self.names[number])
        batches = list(part.batches([self.by, PASSED]))
        table = pa.Table.from_batches(batches, schema=None if batches else part.schema())
        passed = np.asarray(table.column(PASSED).combine_chunks(), np.bool_)
        return as_numbers(table.column(self.by).combine_chunks())[passed]


_SAMPLED = ("kept", "source", "target", "reason")


@dataclass(frozen=True)
class Filtered:
    """The outcome of filtering: counts, means before and after, reasons for dropping pairs, and a sample of pairs."""

    rows: int
    kept: int
    reasons: Sequence[Sequence[Any]]
    before: Mapping[str, Sequence[float]]
    after: Mapping[str, Sequence[float]]
    samples: Sequence[Sequence[Any]]
    bad: Mapping[str, int]
    signature: Mapping[str, Any]

    def table(self) -> Table:
        """Return a table of the reasons why pairs were dropped."""
        columns = [Column("condition", "left"), Column("dropped"), Column("share", share=True), Column("alone")]
        rows = [[text, failed, failed / max(self.rows, 1), alone] for text, failed, alone in self.reasons]
        share = f" ({100 * self.kept / self.rows:.1f}%)" if self.rows else ""
        notes = [f"{self.kept} of {self.rows} pairs kept{share}"]
        notes += [
            f"{name}: {_mean(self.before[name])} before, {_mean(self.after[name])} after (mean of pairs)"
            for name in self.before
        ]
        notes += [write_bad(self.bad)] * bool(self.bad)
        return Table.of("", columns, rows, notes=notes, signature=self.signature)

    def sample_lines(self) -> list[str]:
        """Return the sample as lines of text."""
        return [
            f"{'kept   ' if kept else 'dropped'}  {source}\n         {target}" + (f"\n         ✗ {why}" if why else "")
            for _, kept, source, target, why in self.samples
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as plain data, for JSON."""
        return {
            "rows": self.rows,
            "kept": self.kept,
            "dropped": [dict(zip(("condition", "dropped", "alone"), row, strict=True)) for row in self.reasons],
            "before": {name: sums[1] / sums[0] if sums[0] else None for name, sums in self.before.items()},
            "after": {name: sums[1] / sums[0] if sums[0] else None for name, sums in self.after.items()},
            "sample": [dict(zip(_SAMPLED, row[1:], strict=True)) for row in self.samples],
            "unusable": dict(self.bad),
            "signature": dict(self.signature),
        }


def _mean(sums: Sequence[float]) -> str:
    return f"{sums[1] / sums[0]:.3f}" if sums[0] else "undefined"


def filter_pairs(
    corpus: Any,
    *,
    keep: str | None = None,
    out: str | os.PathLike[str],
    columns: Mapping[str, str] | None = None,
    top: int | None = None,
    bottom: int | None = None,
    by: str | None = None,
    tokenizer: str | None = None,
    sample: int = 0,
    **options: Unpack[RunOptions],
) -> Filtered:
    """Keep the pairs of a corpus that satisfy the condition ``keep``, or only the ``top`` or ``bottom`` N of these.

    Conditions and the names that they can contain are described in :mod:`wordorder.apps.scale.expressions`. ``by``
    is the measure for ranking pairs. The output has all columns of the corpus, and the measures in the condition as
    new columns. The outcome shows a random sample of ``sample`` kept and ``sample`` dropped pairs.
    """
    count = top if top is not None else bottom
    if (count is None) != (by is None) or (top is not None and bottom is not None):
        raise UsageError(
            "to keep the best pairs, give their number (top or bottom) together with the measure that ranks them (by)"
        )
    if not keep and count is None:
        raise UsageError(
            "there is no condition; give one (keep), or the number of best pairs to keep (top or bottom) and a "
            "measure (by)"
        )
    refuse(count is not None and count < 1, f"the number of pairs to keep must be 1 or more, not {count}")
    job = filter_job(corpus, keep, by=by, columns=columns, tokenizer=tokenizer, sample=sample)
    if count is None or job.by is None:
        return total_filter(run_job(job, corpus, out, **options).require())
    if options.get("shard"):
        raise UsageError(
            "a single shard cannot find the best pairs of the whole corpus; use several workers or Dask instead "
            "of shards"
        )
    ranks = Folder(os.fspath(out)).path_of(RANKS)
    measured = run_job(job, corpus, ranks, **options)
    reports = measured.require()
    threshold, ties = find_threshold(Ranks(ranks, measured.parts, job.by), count, largest=top is not None)
    quota = tuple(zip(measured.parts, ties, strict=True))
    chosen = SelectJob(absolute(ranks), job, count, top is not None, threshold, quota)
    return total_filter(run_job(chosen, corpus, out, **options).require(), reports)


def filter_job(
    corpus: Any,
    keep: str | None,
    *,
    by: str | None = None,
    columns: Mapping[str, str] | None = None,
    tokenizer: str | None = None,
    sample: int = 0,
) -> FilterJob:
    """Return the job that filters the corpus; for an unknown name, raise an error that lists the valid names."""
    known = columns_of(readable_part(find_parts(corpus)).schema())
    condition = Condition.parse(keep) if keep else None
    meant = {name: resolve(name, known) for name in (*(condition.names if condition else ()), *([by] if by else []))}
    fields = tuple(name[1:] for name in meant.values() if name.startswith("@"))
    spelt = {name: full.removeprefix("@") for name, full in meant.items()}
    texts = {role: role for role in (jobs.SOURCE, jobs.TARGET, jobs.LINKS)} | dict(columns or {})
    return FilterJob(
        tuple(texts.items()),
        str(_renamed(condition.expression, spelt)) if condition else "",
        fields,
        jobs.tokenizer_of(corpus, tokenizer),
        spelt[by] if by else None,
        sample,
    )


def _renamed(node: Expression, names: Mapping[str, str]) -> Expression:
    if isinstance(node, Name):
        return Name(names[node.name])
    if isinstance(node, Operation):
        return Operation(node.operator, tuple(_renamed(operand, names) for operand in node.operands))
    return node


@of_reports
def total_filter(reports: Sequence[Report], measured: Sequence[Report] = ()) -> Filtered:
    """Return the outcome for the whole corpus from the reports on its parts.

    ``measured`` are the reports of the first pass if the filter also ranked pairs, which takes two passes.
    """
    first = list(measured or reports)
    sums = [report.sums for report in first]
    reasons = [
        [row[0], *(sum(each["reasons"][r][k] for each in sums) for k in (1, 2))]
        for r, row in enumerate(sums[0]["reasons"])
    ]
    kept = sum(report.sums["kept"] for report in reports)
    rows = sum(each["rows"] for each in sums)
    if measured:
        passed = sum(each["kept"] for each in sums)
        settings = reports[0].settings
        kind = "top" if "top" in settings else "bottom"
        reasons.append([f"{kind} {settings[kind]} by {settings['by']}", passed - kept, passed - kept])
    samples = first_samples((row for each in sums for row in each["samples"]), first[0].settings["sample"])
    means = [_added(first, "before"), _added(reports, "after")]
    return Filtered(rows, kept, reasons, means[0], means[1], samples, total_bad(first), reports[0].signature)


def _added(reports: Sequence[Report], when: str) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for report in reports:
        for name, (count, total) in report.sums[when].items():
            before = found.get(name, [0.0, 0.0])
            found[name] = [before[0] + count, before[1] + total]
    return found
