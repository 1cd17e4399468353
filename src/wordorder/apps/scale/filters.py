"""The job that filters a corpus by a condition or, before pairs are ranked, only measures all pairs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from wordorder.apps.scale.alignments import mix
from wordorder.apps.scale.expressions import Condition
from wordorder.apps.scale.features import PairMeasures, compute
from wordorder.apps.scale.jobs import REASON, Job, RowBlock, Work, check_columns
from wordorder.apps.scale.parts import Part, cells_of
from wordorder.apps.scale.words import (
    AT_SPACES,
    LINKS,
    SOURCE,
    TARGET,
    cut_words,
    other_columns,
    read_links,
    without,
)
from wordorder.core.orders import Alignments
from wordorder.core.runtime.columns import Bools, Floats, to_column
from wordorder.core.runtime.errors import UsageError, choices

if TYPE_CHECKING:
    import pyarrow as pa

PASSED = "passed"

_UNLINKED = "unaligned-source <= 0.3 and unaligned-target <= 0.3"
PRESETS = {
    "simt": ("anticipation:k={k} <= 0.1 and " + _UNLINKED, {"k": "3"}),
    "monotone": ("kendall >= 0.95 and rquantity <= 0.2 and " + _UNLINKED, {}),
    "clean": (
        "1 <= source-words <= 100 and 1 <= target-words <= 100 and length-ratio <= 3 and " + _UNLINKED,
        {},
    ),
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
    if name not in PRESETS:
        raise choices(name, list(PRESETS), what="preset")
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
class FilterJob(Job):
    """The job that keeps the pairs that satisfy a condition; with ``by``, it only measures pairs for a ranking."""

    command = "filter"
    whole = True

    texts: tuple[tuple[str, str], ...]
    keep: str
    fields: tuple[str, ...] = ()
    """The columns of the corpus that the condition or the ranking uses."""
    tokenizer: str = AT_SPACES
    by: str | None = None
    sample: int = 0

    @property
    def columns(self) -> dict[str, str]:
        """The columns of text and links that are needed to compute the measures, by role."""
        names = set(self.names) - set(self.fields)
        needed = {SOURCE, TARGET} if names <= set(_FROM_LENGTHS) else {SOURCE, TARGET, LINKS}
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
        import pyarrow as pa

        if self.by is not None:
            return pa.schema([*((name, pa.float64()) for name in self.measured), (PASSED, pa.bool_())])
        return self.kept_schema(given)

    @property
    def added(self) -> list[str]:
        """The measures that the result has in addition to the columns of the part."""
        return [name for name in self.names if name not in self.fields]

    def kept_schema(self, given: pa.Schema) -> pa.Schema:
        """Return the schema of kept pairs: the columns of the part, then the added measures."""
        import pyarrow as pa

        names = self.added
        kept = without(given, (REASON, *names))
        return pa.schema([*kept, *((name, pa.float64()) for name in names)])

    @property
    def measured(self) -> list[str]:
        """The measures to compute: those in ``names`` and, if there are links, RQuantity for the report."""
        return list(dict.fromkeys([*self.names, *([_QUANTITY] if LINKS in self.columns else [])]))

    def check(self, part: Part) -> None:
        """Raise UsageError if a column that the job or its condition needs is missing or unsuitable."""
        check_columns(part, self.columns, self.fields, whole=True)

    def begin(self, part: Part) -> Work:
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


class _Filtering(Work):
    def __init__(self, job: FilterJob, part: Part) -> None:
        self._job, self._part = job, part
        self._conditions = job.condition.parts() if job.condition is not None else []
        self._counts = FilterCounts(self._conditions)

    def add(self, block: RowBlock) -> dict[str, Any]:
        import pyarrow as pa

        values = self._measure(block)
        columns = {name: to_column(column) for name, column in values.items()}
        marks = [_true(condition.mark(columns)) for condition in self._conditions]
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
        places = block.rows[kept]
        names = self._job.added
        given = {name: column.take(places) for name, column in other_columns(block, (REASON, *names)).items()}
        return given | {name: to_column(values[name][kept]) for name in names}

    def _measure(self, block: RowBlock) -> dict[str, Floats]:
        """Return the measures that the job needs, by name, for the usable rows of a block."""
        roles = self._job.columns
        pairs = None
        if LINKS in roles:
            pairs = PairMeasures(read_links(block, self._job.tokenizer)[0])
        elif roles:
            words = cut_words([block.texts[SOURCE], block.texts[TARGET]], self._job.tokenizer)
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

    def _draw(self, block: RowBlock, marks: Sequence[Bools], kept: Bools) -> None:
        """Update the random sample with rows of this block, so that it has equally many kept and dropped rows."""
        if not self._job.sample:
            return
        seed = np.uint64(int.from_bytes(self._part.name.encode()[-8:], "little"))
        keys = mix((block.rows + block.first_row).astype(np.uint64) ^ seed)
        for chosen in (True, False):
            places = np.flatnonzero(kept == chosen)
            for place in places[np.argsort(keys[places], kind="stable")[: self._job.sample]].tolist():
                failed = [str(c) for c, mark in zip(self._conditions, marks, strict=True) if not mark[place]]
                texts = [block.texts[role][place].as_py() for role in (SOURCE, TARGET)]
                self._counts.samples.append([int(keys[place]), chosen, *texts, "; ".join(failed)])
        self._counts.samples = first_samples(self._counts.samples, self._job.sample)

    def sums(self) -> dict[str, Any]:
        return self._counts.sums()


def first_samples(samples: Iterable[list[Any]], count: int) -> list[list[Any]]:
    """Sort pairs by their random keys, and return the first ``count`` kept and the first ``count`` dropped pairs."""
    ordered = sorted(samples)
    return [row for chosen in (True, False) for row in [each for each in ordered if each[1] == chosen][:count]]


def _true(marks: pa.Array) -> Bools:
    """Convert an Arrow column of truth values to a boolean array; null becomes False."""
    return np.asarray(marks.fill_null(False), np.bool_)


def as_numbers(cells: Any) -> Floats:
    """Convert a column of numbers, or of text that contains numbers, to floats; all other cells become NaN."""
    import pyarrow as pa

    try:
        return np.asarray(cells.cast(pa.float64()).fill_null(np.nan))
    except pa.ArrowInvalid:
        return np.array([_number(cell) for cell in cells.to_pylist()])


def _number(cell: Any) -> float:
    try:
        return float(cell)
    except (TypeError, ValueError):
        return float("nan")
