"""Filter a corpus: write the pairs that satisfy a condition, and report how many pairs were dropped and why."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

from wordorder.apps.scale.expressions import Condition, Expression, Name, Operation
from wordorder.apps.scale.features import resolve
from wordorder.apps.scale.filters import RANKS, FilterJob, Ranks, SelectJob, find_threshold, first_samples
from wordorder.apps.scale.folders import Folder, absolute
from wordorder.apps.scale.parts import Report, columns_of, find_parts, of_reports, readable_part, total_bad, write_bad
from wordorder.apps.scale.runner import RunOptions, run_job
from wordorder.apps.scale.words import LINKS, SOURCE, TARGET, tokenizer_of
from wordorder.core.runtime.errors import UsageError, refuse
from wordorder.report.table import Column, Table

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
            f"{'kept   ' if kept else 'dropped'}  {source}\n         {target}"
            + (f"\n         ✗ {why}" if why else "")
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

    Conditions are described in :mod:`wordorder.apps.scale.expressions`, and the names that they can contain in
    :mod:`wordorder.apps.scale.features`. ``by`` is the measure for ranking pairs. The output has all columns of the
    corpus, and the measures in the condition as new columns. The outcome shows a random sample of ``sample`` kept and
    ``sample`` dropped pairs.
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
    texts = {role: role for role in (SOURCE, TARGET, LINKS)} | dict(columns or {})
    return FilterJob(
        tuple(texts.items()),
        str(_renamed(condition.expression, spelt)) if condition else "",
        fields,
        tokenizer_of(corpus, tokenizer),
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
