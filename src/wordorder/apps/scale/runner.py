"""Run a job on the parts of a corpus: the driver chooses the parts, and engines process them.

A result gets its final name only when it is complete. Existing results of the same job and input are not computed
again, so a run that was stopped can be continued, even by another engine or on another machine.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from wordorder.apps.scale.folders import Folder, NoSpaceError, absolute
from wordorder.apps.scale.jobs import Job, RowBlock
from wordorder.apps.scale.parts import REPORT_KEY, ROWS_PER_PART, Part, Report, find_parts, place_parts, read_report
from wordorder.core.runtime.drafts import drafts_of
from wordorder.core.runtime.errors import InputError, UsageError, WordorderError, count_of, mention
from wordorder.core.runtime.files import LINES_PER_BLOCK
from wordorder.core.runtime.progress import progress
from wordorder.version import __version__

if TYPE_CHECKING:
    import pyarrow as pa

JOB_FILE = "_job.json"
FAILED_FILES = "_failed"

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


def run_part(job: Job, part: Part, out: str, *, strict: bool = False, version: str = __version__) -> str:
    """Process one part and write its result to the folder ``out``; return the file name of the result.

    This is the function that engines run on every part. It may be called more than once for a part, even at the same
    time, because the results are identical. ``version`` is the version of wordorder on the driver.
    """
    import pyarrow.parquet as pq

    if version != __version__:
        raise UsageError(
            f"this worker has wordorder {__version__}, but the driver has {version}; install the same version on both"
        )
    fingerprint = part.fingerprint()
    warm_up(job, part)
    work, bad, rows = job.begin(part), Counter[str](), 0
    schema = job.schema(part.schema())
    with contextlib.ExitStack() as opened:
        try:
            target = opened.enter_context(Folder(out).write(part.name))
            writer = opened.enter_context(pq.ParquetWriter(target, schema, compression="zstd"))
            groups = _RowGroups(writer, schema)
            for block in read_blocks(job, part):
                groups.add(work.add(block))
                if strict and block.reasons:
                    row = min(block.reasons)
                    raise StrictError(f"row {block.first_row + row + 1}: {block.reasons[row]}", path=part.path)
                bad, rows = bad + block.bad, rows + len(block)
            groups.flush()
            about = job.command, __version__, job.settings, job.signature, job.digest
            writer.add_key_value_metadata({REPORT_KEY: Report(*about, fingerprint, rows, bad, work.sums()).write()})
        except InputError as error:
            if error.path is not None:
                raise
            raise InputError(error.message, path=part.path, line=error.line) from None
    return part.name


class _RowGroups:
    """A writer that collects blocks of a result and writes them in full row groups."""

    def __init__(self, writer: Any, schema: pa.Schema) -> None:
        self._writer, self._schema = writer, schema
        self._held: list[Any] = []

    def add(self, columns: Mapping[str, Any]) -> None:
        import pyarrow as pa

        self._held.append(pa.table(list(columns.values()), schema=self._schema))
        if sum(table.num_rows for table in self._held) >= ROWS_PER_PART:
            self.flush()

    def flush(self) -> None:
        import pyarrow as pa

        if self._held:
            self._writer.write_table(pa.concat_tables(self._held), row_group_size=ROWS_PER_PART)
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

    On each machine, only one process compiles at a time; the others wait, and then load the compiled kernels.
    """
    if job.digest in _warm:
        return
    with contextlib.suppress(ImportError, OSError):  # without file locks, every process compiles for itself
        import fcntl

        path = os.path.join(tempfile.gettempdir(), f"wordorder-{os.getuid()}.lock")
        with open(path, "a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            try_out(job, part)
    _warm.add(job.digest)


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
            raise UnfinishedError(f"{self.out}: {missing} of {len(self.parts)} parts are not done yet")
        return list(self.reports.values())


def run_job(job: Job, inputs: Any, out: str | os.PathLike[str], **options: Unpack[RunOptions]) -> JobRun:
    """Run a job on all parts of a corpus that have no result yet, and return the outcome for all parts."""
    parts, folder = find_parts(inputs), Folder(os.fspath(out))
    for part in parts:
        if os.path.abspath(folder.path_of(part.name)) == os.path.abspath(part.path):
            raise UsageError(f"{part.path}: the result would overwrite this input file; choose another output folder")
    shard = Shard.parse(options.get("shard") or "1/1")
    parts = place_parts(parts) if job.placed else parts
    reports = _existing(job, parts, folder, overwrite=options.get("overwrite", False))
    pending = [part for part in shard.of(parts) if part.name not in reports]
    for part in pending:
        job.check(part)
    if pending:
        try_out(job, pending[0], check=True)
    folder.make()
    write_plan(job, folder, [part.name for part in parts])
    task = partial(run_part, job, out=absolute(folder.path), strict=options.get("strict", False), version=__version__)
    prepare = partial(warm_up, job, pending[0].absolute()) if pending else None
    failed = run_tasks(task, pending, folder, shard=shard, label=job.command, options=options, prepare=prepare)
    for part in pending:
        if part.name not in failed and (report := read_report(folder.path_of(part.name))) is not None:
            reports[part.name] = report
    names = tuple(part.name for part in parts)
    return JobRun(job, folder.path, names, {name: reports[name] for name in names if name in reports}, failed)


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


def _existing(job: Job, parts: Iterable[Part], folder: Folder, *, overwrite: bool) -> dict[str, Report]:
    """Return the reports on parts that already have a result of this job, by name.

    Raise an error if there are results of other jobs; with ``overwrite``, these are replaced instead.
    """
    present = {name for name in folder.names() if name.endswith(".parquet") and name[0] not in "._"}
    found: dict[str, Report] = {}
    for part in parts:
        if part.name not in present:
            continue
        present.discard(part.name)
        report = read_report(folder.path_of(part.name))
        if report is None or report.job != job.digest:
            if not overwrite:
                raise UsageError(_difference(job, report, folder.path_of(part.name)))
        elif report.input == part.fingerprint():
            found[part.name] = report
    if present and not overwrite:
        names = ", ".join(sorted(present)[:_MOST_LISTED])
        raise UsageError(f"{folder.path}: the folder has results that match no part of the input ({names}); {ADVICE}")
    for name in present:
        folder.delete(name)
    return found


def _difference(job: Job, report: Report | None, path: str) -> str:
    """Describe how the job that made a result differs from this one."""
    if report is None:
        return f"{path}: not a result of wordorder; {ADVICE}"
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
    return f"{path}: this is a result of another job ({'; '.join(changes[:_MOST_LISTED])}); {ADVICE}"
