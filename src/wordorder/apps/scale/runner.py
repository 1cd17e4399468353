"""Run a job on the parts of a corpus: the driver chooses the parts, and engines process them.

A result gets its final name only when it is complete. Existing results of the same job and input are not computed
again, so a run that was stopped can be continued, even by another engine or on another machine.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypedDict, Unpack

from wordorder.apps.scale.folders import Folder, NoSpaceError, absolute
from wordorder.apps.scale.jobs import Job, RowBlock
from wordorder.apps.scale.parts import (
    ENDING,
    JOB_FILE,
    ROWS_PER_PART,
    Part,
    Report,
    ResultFile,
    find_parts,
    place_parts,
    read_each,
    read_report,
    read_result,
)
from wordorder.core.runtime.drafts import drafts_of
from wordorder.core.runtime.errors import InputError, UsageError, WordorderError, count_of, mention
from wordorder.core.runtime.files import LINES_PER_BLOCK
from wordorder.core.runtime.libraries import pa
from wordorder.core.runtime.own_inputs import inputs_kept, note_input, refuse_input
from wordorder.core.runtime.plain import load_json
from wordorder.core.runtime.threads import progress
from wordorder.core.text.checks import warn_about
from wordorder.version import __version__

FAILED_FILES = "_failed"

LOCK_PATIENCE = 30
"""Seconds to wait for another process that compiles kernels, which may have been stopped."""

_TRIAL_ROWS = 512
_MOST_LISTED = 3
ADVICE = f"choose another folder, or replace its contents with {mention('overwrite', True)}"


class StrictError(InputError):
    """A row is unusable, which stops a run with the option ``strict``."""


class PartError(WordorderError):
    """Some parts failed or have no result yet; all others are finished."""


class UnfinishedError(PartError):
    """Some parts have no result yet, for example those of other shards."""


class RunOptions(TypedDict, total=False):
    """Options for running a job in ``workers`` local processes, through an ``executor``, or on a Dask cluster.

    ``dask`` is the address of a scheduler, ``local``, or ``slurm`` (for a cluster of ``jobs`` Slurm jobs). The
    ``shard`` ``3/40`` processes only the third of every forty parts. ``strict`` stops the run at the first unusable
    row. ``overwrite`` replaces existing results of another job in the output folder.
    """

    workers: int
    executor: Executor | None
    dask: str | None
    jobs: int | None
    shard: str | None
    strict: bool
    overwrite: bool


@inputs_kept()
def run_part(job: Job, part: Part, out: str, *, strict: bool = False, version: str = __version__) -> str:
    """Process one part and write its result to the folder ``out``; return the file name of the result.

    This is the function that engines run on every part. It may be called more than once for a part, even at the same
    time, because the results are identical. ``version`` is the version of wordorder on the driver.
    """
    if version != __version__:
        raise UsageError(
            f"this worker has wordorder {__version__}, but the driver has {version}; install the same version on both"
        )
    fingerprint = job.fingerprint_of(part)
    warm_up(job, part)
    work, bad, rows = job.begin(part), Counter[str](), 0
    schema = job.schema(part.schema())
    with contextlib.ExitStack() as opened:
        try:
            target = opened.enter_context(Folder(out).write(part.name))
            result = opened.enter_context(ResultFile(target, schema))
            groups = _RowGroups(result, schema)
            for block in read_blocks(job, part):
                groups.add(work.add(block))
                if strict and block.reasons:
                    row = min(block.reasons)
                    raise StrictError(f"row {block.first_row + row + 1}: {block.reasons[row]}", path=part.path)
                bad, rows = bad + block.bad, rows + len(block)
            groups.flush()
            about = job.command, __version__, job.settings, job.signature, job.digest
            result.finish(Report(*about, fingerprint, rows, bad, work.sums()))
        except InputError as error:
            if error.path is not None:
                raise
            raise InputError(error.message, path=part.path, line=error.line) from None
    return part.name


class _RowGroups:
    """A writer that collects blocks of a result and writes them in full row groups."""

    def __init__(self, result: ResultFile, schema: pa.Schema) -> None:
        self._result, self._schema = result, schema
        self._held: list[Any] = []

    def add(self, columns: Mapping[str, Any]) -> None:
        self._held.append(pa.table(list(columns.values()), schema=self._schema))
        if sum(table.num_rows for table in self._held) >= ROWS_PER_PART:
            self.flush()

    def flush(self) -> None:
        if self._held:
            self._result.write(pa.concat_tables(self._held))
            self._held.clear()


def read_blocks(job: Job, part: Part, *, rows: int = LINES_PER_BLOCK) -> Iterator[RowBlock]:
    """Yield the blocks of a part, with the columns that the job needs."""
    first_row = 0
    for batch in part.batches(None if job.whole else list(job.columns.values()), rows=rows):
        yield RowBlock(batch, job.columns, first_row=first_row)
        first_row += batch.num_rows


def try_out(job: Job, part: Part, *, check: bool = False) -> None:
    """Process the first rows of a part without writing a result, to detect mistakes early and to compile kernels.

    With ``check``, also warn if the text suggests a mistake.
    """
    for block in read_blocks(job, part, rows=_TRIAL_ROWS):
        if check:
            job.warn(block)
        job.begin(part).add(block)
        return


_warm: set[str] = set()


def warm_up(job: Job, part: Part) -> None:
    """Compile or load the kernels for a job, once per process.

    On each machine, only one process compiles at a time; the others wait for a while, and then load the compiled
    kernels.
    """
    if job.digest not in _warm:
        with _alone():
            try_out(job, part)
        _warm.add(job.digest)


@contextlib.contextmanager
def _alone() -> Iterator[None]:
    """Hold a lock that all processes on the machine share; go on without it if it cannot be obtained in time."""
    with contextlib.ExitStack() as opened:
        with contextlib.suppress(ImportError, OSError):
            import fcntl

            path = os.path.join(tempfile.gettempdir(), f"wordorder-{os.getuid()}.lock")
            lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600)  # it may be a pipe
            opened.callback(os.close, lock)
            end = time.monotonic() + LOCK_PATIENCE
            while time.monotonic() < end:
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    time.sleep(0.1)
        yield


@dataclass(frozen=True)
class Shard:
    """Every n-th part of a corpus, to be processed by one task of a Slurm array.

    >>> Shard.parse("2/3").of("abcdefgh")
    ['b', 'e', 'h']
    """

    number: int = 1
    count: int = 1

    @classmethod
    def parse(cls, text: str) -> Shard:
        """Parse a shard such as ``3/40``, the third of forty."""
        number, slash, count = text.partition("/")
        if not (slash and number.isdecimal() and count.isdecimal() and 1 <= int(number) <= int(count)):
            raise UsageError(f"a shard must have the form I/N, such as 3/40, with I from 1 to N; found {text!r}")
        return cls(int(number), int(count))

    def of(self, items: Sequence[Any]) -> list[Any]:
        """Return the items that belong to this shard."""
        return list(items)[self.number - 1 :: self.count]

    @property
    def failures(self) -> str:
        """The name of the file that lists the failures of this shard."""
        return f"{FAILED_FILES}{f'-{self.number}-of-{self.count}' if self.count > 1 else ''}.jsonl"


@dataclass(frozen=True)
class JobRun:
    """The outcome of a run: the reports on finished parts, in order, and the reasons why parts failed."""

    job: Job
    out: str
    parts: tuple[str, ...]
    reports: Mapping[str, Report]
    failed: Mapping[str, str] = field(default_factory=dict)

    def require(self) -> list[Report]:
        """Return the reports on all parts, in order; raise an error if a part failed or has no result yet."""
        if self.failed:
            name, reason = next(iter(self.failed.items()))
            more = f", and {count_of(len(self.failed) - 1, 'other')}" if len(self.failed) > 1 else ""
            raise PartError(
                f"{count_of(len(self.failed), 'part')} of {len(self.parts)} failed: {name} ({reason}){more}; "
                f"the others are done; run the same command again to retry (see {self.out}/{FAILED_FILES}*.jsonl)"
            )
        if missing := len(self.parts) - len(self.reports):
            raise UnfinishedError(f"{self.out}: not done yet: {missing} of {len(self.parts)} parts")
        return list(self.reports.values())


@inputs_kept()
def run_job(job: Job, inputs: Any, out: str | os.PathLike[str], **options: Unpack[RunOptions]) -> JobRun:
    """Run a job on all parts of a corpus that have no result yet, and return the outcome for all parts."""
    parts, folder = find_parts(inputs), Folder(os.fspath(out))
    for part in parts:
        refuse_input(folder.path_of(part.name))
    shard = Shard.parse(options.get("shard") or "1/1")
    parts = place_parts(parts) if job.placed else parts
    reports = _existing(job, parts, folder, shard, overwrite=options.get("overwrite", False))
    pending = [part for part in shard.of(parts) if part.name not in reports]
    sound = [part for part in pending if _can_be_read(job, part)]
    tried = next((part for part in sound if _is_tried_out(job, part)), None)
    folder.make()
    write_plan(job, folder, [part.name for part in parts])
    task = partial(run_part, job, out=absolute(folder.path), strict=options.get("strict", False), version=__version__)
    prepare = partial(warm_up, job, tried.absolute()) if tried else None
    failed = run_tasks(task, pending, folder, shard=shard, label=job.command, options=options, prepare=prepare)
    for part in pending:
        with contextlib.suppress(InputError, UsageError):
            reports[part.name] = read_result(folder.path_of(part.name), whole=False)
    names = tuple(part.name for part in parts)
    for name in reports:
        note_input(folder.path_of(name))
    return JobRun(job, folder.path, names, {name: reports[name] for name in names if name in reports}, failed)


def _can_be_read(job: Job, part: Part) -> bool:
    """Return whether the footer of a part can be read; raise UsageError if it lacks a column that the job needs.

    An error is ignored here: the worker that processes a damaged part gets it too, and the part is listed as failed.
    """
    try:
        job.check(part)
    except InputError:
        return False
    return True


def _is_tried_out(job: Job, part: Part) -> bool:
    """Try out the job on a part, and return whether its first rows can be read."""
    try:
        try_out(job, part, check=True)
    except InputError:
        return False
    _warm.add(job.digest)
    return True


def write_plan(job: Any, folder: Folder, parts: Sequence[str], **more: Any) -> None:
    """Write a description of the run to the output folder; the command ``status`` reads it."""
    plan = {"command": job.command, "version": __version__, "settings": job.settings, "job": job.digest}
    text = json.dumps(plan | {"parts": list(parts)} | more, ensure_ascii=False, indent=1)
    if folder.read(JOB_FILE) != text.encode():
        with folder.write(JOB_FILE) as target:
            target.write(text.encode())


def run_tasks(
    task: Callable[[Any], Any],
    items: Sequence[Any],
    folder: Folder,
    *,
    shard: Shard,
    label: str,
    options: RunOptions,
    prepare: Callable[[], None] | None = None,
) -> dict[str, str]:
    """Run a task on items with the engine that the options specify; return the error messages by name of the item.

    Afterwards, delete the unfinished files of killed workers, and write the list of failures to the folder.
    """
    from wordorder.apps.scale.engines import engine_of

    failed: dict[str, str] = {}
    if options.get("dask") or options.get("executor"):  # workers may have another working directory
        items = [item.absolute() for item in items]
    try:
        with engine_of(options, folder, items, prepare) as engine:
            done = engine.run(task, items)
            for item, error in progress(done, label=label, total=len(items), unit=" parts"):
                if isinstance(error, (StrictError, NoSpaceError, UsageError)):
                    raise error
                if error is not None:
                    failed[item.name] = str(error) if isinstance(error, WordorderError) else repr(error)
    finally:
        for draft in drafts_of({item.name for item in items}, folder.names()):
            folder.delete(draft)
    _list_failures(folder, shard, failed)
    return failed


def _list_failures(folder: Folder, shard: Shard, failed: Mapping[str, str]) -> None:
    if not failed:
        folder.delete(shard.failures)
        return
    lines = [json.dumps({"part": name, "error": error}, ensure_ascii=False) for name, error in sorted(failed.items())]
    with folder.write(shard.failures) as target:
        target.write("".join(f"{line}\n" for line in lines).encode())


def _existing(job: Job, parts: Sequence[Part], folder: Folder, shard: Shard, *, overwrite: bool) -> dict[str, Report]:
    """Return the reports on parts that already have a result of this job, by name.

    Results of this run that are damaged, or whose input has changed, are deleted, to be made again. Raise an error if
    there are results of other jobs; with ``overwrite``, these are replaced instead.
    """
    present = {name for name in folder.names() if name.endswith(ENDING) and name[0] not in "._"}
    known = [part for part in parts if part.name in present and not (job.placed and part.first_row is None)]
    planned = planned_parts(job, folder)
    found: dict[str, Report] = {}
    again: dict[str, str] = {}
    for part, report in zip(known, read_each(partial(_own_result, job, folder), known), strict=True):
        if not isinstance(report, InputError):
            found[part.name] = report
            continue
        other = None if isinstance(report, ChangedError) else read_report(folder.path_of(part.name))
        ours = isinstance(report, ChangedError) or (other is not None and other.job == job.digest)
        if ours or (part.name in planned and not isinstance(report, OtherJobError)):
            again[part.name] = report.message
        elif not overwrite:
            raise UsageError(_difference(job, other, folder.path_of(part.name)))
    if (others := present - {part.name for part in parts}) and not overwrite:
        names = ", ".join(sorted(others)[:_MOST_LISTED])
        raise UsageError(f"{folder.path}: the folder has results that match no part of the input ({names}); {ADVICE}")
    own = {part.name for part in shard.of(parts)}
    discard(folder, {name: reason for name, reason in again.items() if name in own})
    for name in others:
        folder.delete(name)
    return found


class ChangedError(InputError):
    """The input of a result has changed since the result was made."""


class OtherJobError(InputError):
    """A sound result was made by another job."""


def _own_result(job: Job, folder: Folder, part: Part) -> Report:
    """Return the report in the result of a part; raise InputError if the result is not that of this job and input."""
    path = folder.path_of(part.name)
    report = read_result(path)
    if report.job != job.digest:
        raise OtherJobError("a result of another job", path=path)
    try:
        changed = report.input != job.fingerprint_of(part)
    except InputError:  # the part is damaged
        changed = True
    if changed:
        raise ChangedError("its input has changed", path=path)
    return report


def planned_parts(job: Any, folder: Folder) -> set[str]:
    """Return the names of the parts or sources of the last run in a folder, if it was a run of the same job."""
    try:
        plan = load_json(folder.read(JOB_FILE) or b"")
        same = (plan["command"], plan["settings"]) == (job.command, json.loads(json.dumps(job.settings)))
        return {*plan["parts"], *plan.get("sources", ())} if same else set()
    except (ValueError, KeyError, TypeError):
        return set()


def discard(folder: Folder, reasons: Mapping[str, str]) -> None:
    """Delete results that must be made again, with a warning that gives the reasons (by name)."""
    if reasons:
        first = [f"{name} ({reason})" for name, reason in sorted(reasons.items())][:_MOST_LISTED]
        more = f" and {len(reasons) - len(first)} more" if len(reasons) > len(first) else ""
        verb = "is" if len(reasons) == 1 else "are"
        warn_about(f"{folder.path}: {count_of(len(reasons), 'result')} {verb} recomputed: {', '.join(first)}{more}")
    for name in reasons:
        folder.delete(name)


def _difference(job: Job, report: Report | None, path: str) -> str:
    """Describe how the job that made a result differs from the given job."""
    if report is None:
        return f"{path}: not a result made by wordorder; {ADVICE}"
    both = [
        {"command": command, "version": version, **settings}
        for command, version, settings in (
            (report.command, report.version, report.settings),
            (job.command, __version__, job.settings),
        )
    ]
    keys = dict.fromkeys([*both[0], *both[1]])
    old, new = ({key: json.dumps(each.get(key), ensure_ascii=False) for key in keys} for each in both)
    changes = [f"{key} was {old[key]} and is now {new[key]}" for key in keys if old[key] != new[key]]
    if not changes:
        return f"{path}: a damaged result of wordorder; {ADVICE}"
    return f"{path}: this is a result of another job ({'; '.join(changes[:_MOST_LISTED])}); {ADVICE}"
