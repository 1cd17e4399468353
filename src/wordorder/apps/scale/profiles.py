"""Compute the reordering profile of a corpus of any size from integer counts that are added up over its parts."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np

from wordorder.apps.profile import Profiles
from wordorder.apps.profile.corpus_profile import Profile, add_up
from wordorder.apps.profile.measures import measure
from wordorder.apps.scale import jobs
from wordorder.apps.scale.parts import Part, Report, find_parts, of_reports, read_report, readable_part
from wordorder.apps.scale.runner import RunOptions, run_job
from wordorder.core.orders import DEFAULT_POLICY
from wordorder.core.reorderings.links import check_side
from wordorder.core.runtime.libraries import pa
from wordorder.scoring.inputs.orders import check_policy

_COLUMNS = (
    "source_words", "target_words", "links", "rquantity", "rquantity_source", "blocked", "crossings", "cycles",
    "longest_cycle", "largest_operator", "reorderings",
)  # fmt: skip


@dataclass(frozen=True)
class ProfileJob(jobs.Job):
    """The job that counts reorderings in a corpus; with ``segments``, it also writes the measures of every pair."""

    command = "profile"

    texts: tuple[tuple[str, str], ...]
    name: str
    links: tuple[tuple[str, Any], ...] = ()
    """The part of the signature that describes how the links were made."""
    tokenizer: str = jobs.AT_SPACES
    policy: str = DEFAULT_POLICY
    segments: bool = False

    @property
    def settings(self) -> dict[str, Any]:
        """The columns, the corpus name, the tokeniser, the policy, and whether measures of pairs are written."""
        return {
            "columns": self.columns,
            "name": self.name,
            "tokenizer": self.tokenizer,
            "policy": self.policy,
            "segments": self.segments,
        }

    @property
    def signature(self) -> dict[str, Any]:
        """The tokeniser, and how the links were made, if known."""
        return {**dict(self.links), "tokenizer": self.tokenizer}

    def schema(self, given: pa.Schema) -> pa.Schema:
        """Return the schema of the result: a column of reasons and, with ``segments``, a column for each measure."""
        names = _COLUMNS if self.segments else ()
        return pa.schema([*((name, pa.float64()) for name in names), (jobs.REASON, pa.string())])

    def begin(self, part: Part) -> jobs.Work:
        """Return an object that profiles the blocks of a part."""
        return _Profiling(self)


class _Profiling(jobs.Work):
    def __init__(self, job: ProfileJob) -> None:
        self._job = job
        self._profile = add_up([], policy=job.policy)

    def add(self, block: jobs.RowBlock) -> dict[str, Any]:
        links, _, target = jobs.read_links(block, self._job.tokenizer)
        measures = measure(links, references=target, policy=self._job.policy)
        self._profile += add_up([measures], policy=self._job.policy)
        if not self._job.segments:
            return {jobs.REASON: block.reason_column().slice(0, 0)}
        found = {name: block.spread_numbers(column.astype(np.float64)) for name, column in measures.columns().items()}
        found["reorderings"] = block.spread_numbers(measures.reorderings.lengths.astype(np.float64))
        return found | {jobs.REASON: block.reason_column()}

    def sums(self) -> dict[str, Any]:
        return {name: total.tolist() for name, total in self._profile.totals.items()}


def profile(
    corpus: Any,
    *,
    out: str | os.PathLike[str],
    columns: Mapping[str, str] | None = None,
    tokenizer: str | None = None,
    policy: str = DEFAULT_POLICY,
    side: str = "target",
    segments: bool = False,
    **options: Unpack[RunOptions],
) -> Profiles:
    """Profile a word-aligned corpus, such as the output of :func:`wordorder.apps.scale.align`.

    With ``segments``, the measures of every pair are also written to ``out``. By default, text is split into words
    with the tokeniser that the corpus records for its links or, if it records none, at whitespace.
    """
    check_side(side)
    check_policy(policy)
    texts = {role: role for role in (jobs.SOURCE, jobs.TARGET, jobs.LINKS)} | dict(columns or {})
    parts = find_parts(corpus)
    known = read_report(readable_part(parts).path)
    made = dict(known.signature) if known is not None and known.command == "align" else {}
    name = os.path.basename(os.path.dirname(os.path.abspath(parts[0].path)))
    how = jobs.tokenizer_of(corpus, tokenizer), policy, segments
    job = ProfileJob(tuple(texts.items()), name, tuple(made.items()), *how)
    return total_profile(run_job(job, corpus, out, **options).require(), side=side)


@of_reports
def total_profile(reports: Sequence[Report], *, side: str = "target") -> Profiles:
    """Return the profile of the whole corpus from the reports on its parts."""
    settings = reports[0].settings
    found = add_up([], policy=settings["policy"], name=settings["name"])
    for report in reports:
        totals = {name: np.array(total, np.float64) for name, total in report.sums.items()}
        found += Profile(settings["name"], settings["policy"], totals)
    return Profiles((found,), (dict(reports[0].signature),), side)
