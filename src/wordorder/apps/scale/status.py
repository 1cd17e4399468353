"""Read the progress of a run from its output folder, whether the run is active or not."""

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from wordorder.apps.scale.folders import Folder, is_remote
from wordorder.apps.scale.parts import ENDING, JOB_FILE, Report, read_each, read_result, total_bad, write_bad
from wordorder.apps.scale.runner import FAILED_FILES
from wordorder.core.runtime.errors import InputError, UsageError, count_of
from wordorder.core.runtime.own_inputs import note_input
from wordorder.core.runtime.plain import load_json
from wordorder.report.table import Column, Table

_RECENT = 20
"""The number of recent results from which the speed of a run is estimated."""


@dataclass(frozen=True)
class Status:
    """The progress of a run: the expected parts, the reports on finished parts, and the failures."""

    folder: str
    command: str
    settings: Mapping[str, Any]
    parts: tuple[str, ...]
    reports: Mapping[str, Report]
    failed: Mapping[str, str]
    seconds_left: float | None = None
    damaged: Mapping[str, str] = field(default_factory=dict)
    """The results that cannot be used, with the reason."""

    @property
    def complete(self) -> bool:
        """Whether all parts have a result."""
        return len(self.reports) == len(self.parts)

    @property
    def rows(self) -> int:
        """The number of rows in finished parts."""
        return sum(report.rows for report in self.reports.values())

    @property
    def bad(self) -> Counter[str]:
        """The number of unusable rows by reason."""
        return total_bad(self.reports.values())

    def to_dict(self) -> dict[str, Any]:
        """Return the status as plain data."""
        return {
            "folder": self.folder,
            "command": self.command,
            "settings": dict(self.settings),
            "complete": self.complete,
            "parts": len(self.parts),
            "done": len(self.reports),
            "rows": self.rows,
            "unusable": dict(self.bad),
            "failed": dict(self.failed),
            "damaged": dict(self.damaged),
            "seconds_left": self.seconds_left,
        }

    def table(self) -> Table:
        """Return the numbers of parts and rows as a table, with failures in the notes."""
        left = len(self.parts) - len(self.reports) - len(self.failed)
        columns = [Column("command", "left"), Column("parts"), Column("done"), Column("failed"), Column("left")]
        row: list[str | int] = [self.command, len(self.parts), len(self.reports), len(self.failed), left, self.rows]
        notes = [f"{name} failed: {reason}" for name, reason in self.failed.items()]
        notes += [f"{name} will be recomputed: {reason}" for name, reason in self.damaged.items()]
        notes += [write_bad(self.bad)] * bool(self.bad)
        if self.seconds_left is not None:
            notes.append(f"at the speed of the last parts, the rest will take about {_duration(self.seconds_left)}")
        return Table.of("", [*columns, Column("rows")], [row], notes=notes)


def status(folder: str | os.PathLike[str], *, whole: bool = False) -> Status:
    """Return the progress of the run that writes its results to ``folder``.

    Only the footers of results are read and compared with their checksums, unless they are checked as a ``whole``.
    """
    place = Folder(os.fspath(folder))
    text = place.read(JOB_FILE)
    if text is None:
        raise UsageError(f"{place.path}: expected the output folder of a run, found no file {JOB_FILE} in it")
    try:
        plan = load_json(text)
        command, settings, job = plan["command"], dict(plan["settings"]), plan["job"]
        parts, sources = list(plan["parts"]), list(plan.get("sources", ()))
        if not all(isinstance(name, str) for name in (*parts, *sources)):
            raise TypeError
    except (ValueError, KeyError, TypeError):
        raise InputError("the file is damaged; run the command again", path=place.path_of(JOB_FILE)) from None
    wanted = set(parts)
    present = [name for name in place.names() if name.endswith(ENDING) and name[0] not in "._"]
    for name in (JOB_FILE, *present):
        note_input(place.path_of(name))
    present = [name for name in present if not parts or name in wanted]
    found = dict(
        zip(present, read_each(lambda name: read_result(place.path_of(name), whole=whole), present), strict=True)
    )
    reports = {name: each for name, each in found.items() if not isinstance(each, InputError) and each.job == job}
    damaged = {name: each.message for name, each in found.items() if isinstance(each, InputError)}
    names = tuple(parts) or (*reports, *_unfinished(sources, reports))
    failed = {name: why for name, why in _failures(place).items() if name not in reports}
    left = None if len(names) == len(reports) else _time_left(place, list(reports), len(names) - len(reports))
    reports = {name: reports[name] for name in names if name in reports}
    return Status(place.path, command, settings, names, reports, failed, left, damaged)


def _unfinished(sources: Sequence[str], reports: Mapping[str, Report]) -> list[str]:
    """Return placeholder names for the missing parts of an import, one for each unfinished input file."""
    ended = {name.removesuffix(ENDING)[:-5] for name, report in reports.items() if report.sums.get("last")}
    return [f"{source}…" for source in sources if source not in ended]


def _failures(place: Folder) -> dict[str, str]:
    failed: dict[str, str] = {}
    for name in place.names():
        if name.startswith(FAILED_FILES):
            note_input(place.path_of(name))
            try:
                found = map(load_json, (place.read(name) or b"").splitlines())
                failed |= {str(each["part"]): str(each["error"]) for each in found}
            except (ValueError, KeyError, TypeError):
                raise InputError("the file is damaged; run the command again", path=place.path_of(name)) from None
    return failed


def _time_left(place: Folder, done: list[str], missing: int) -> float | None:
    """Estimate the remaining time in seconds from the rate at which the latest results were written."""
    if is_remote(place.path):
        return None
    times = sorted(os.path.getmtime(place.path_of(name)) for name in done)[-_RECENT:]
    return missing * (times[-1] - times[0]) / (len(times) - 1) if len(times) > 1 and times[-1] > times[0] else None


def _duration(seconds: float) -> str:
    """Format a duration in the largest suitable unit: days, hours or minutes.

    >>> _duration(59), _duration(3700), _duration(90000)
    ('1 minute', '1 hour', '1 day')
    """
    for unit, size in (("day", 86400), ("hour", 3600)):
        if seconds >= size:
            return count_of(round(seconds / size), unit)
    return count_of(max(1, round(seconds / 60)), "minute")
