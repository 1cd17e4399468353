"""Tables of ratings: one translation a line with its system, its segment and a number (direct assessment, MQM means,
fluency, comprehension), in CSV, TSV or separated by blanks; and plain files with one number a line (HTER).

Which column is which is given, or found by the names common files use.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

import numpy as np

from wordorder.formats.judgements import Comparisons, Ratings, number
from wordorder.formats.records import Records
from wordorder.runtime.errors import InputError, UsageError, excerpt
from wordorder.runtime.files import display_name

Path = str | os.PathLike[str]

COLUMNS = {
    "system": ("system", "SYS", "systemId"),
    "segment": ("segment", "SID", "seg_id", "srcIndex", "segmentId", "index"),
    "score": ("score", "Z.SCR", "z", "z_mean", "mqm_avg_score", "rating", "value"),
    "judge": ("judge", "rater", "annotator", "judgeId", "user"),
    "first": ("system1", "system1Id", "a"),
    "second": ("system2", "system2Id", "b"),
    "choice": ("preference", "choice", "winner", "better"),
}
_MISSING = ("", "none", "nan", "na", "null", "-")


def read(
    path: Path,
    *,
    columns: Mapping[str, str] | None = None,
    base: int = 1,
    lower_is_better: bool = False,
    separator: str | None = None,
    system: str | None = None,
) -> Ratings:
    """Read ratings; ``columns`` names those of ``system``, ``segment``, ``score``, ``judge`` where they differ.

    ``base`` is the number of the first segment; ``lower_is_better`` turns the scale round. ``None`` is a missing
    rating, counted and left out. ``system`` is the only system of a table that has no column for it.
    """
    records = Records(path, separator=separator)
    place = _places(records, columns or {}, ("segment", "score"), optional=("system", "judge"))
    if "system" not in place and system is None:
        records.place(*COLUMNS["system"])
    rows: list[tuple[str, int, float, str]] = []
    missing = 0
    for line, fields in records:
        if fields[place["score"]].strip().lower() in _MISSING:
            missing += 1
            continue
        value = records.real(fields[place["score"]], line, what="score")
        segment = records.whole(fields[place["segment"]], line, what="segment", low=base) - base
        judge = fields[place["judge"]] if "judge" in place else ""
        name = fields[place["system"]].strip() if "system" in place else system or ""
        rows.append((name, segment, -value if lower_is_better else value, judge))
    if not rows:
        raise InputError("has no rating", path=records.path)
    return _ratings(rows, {"missing ratings": missing} if missing else {})


def read_numbers(path: Path, *, system: str, lower_is_better: bool = True) -> Ratings:
    """Read one number a line, one line a segment of one system: HTER by default, less of which is better."""
    from wordorder.formats import text

    name = display_name(path)
    rows: list[tuple[str, int, float, str]] = []
    missing = 0
    for line, field in enumerate(text.read(path).to_pylist(), start=1):
        if field.strip().lower() in _MISSING:
            missing += 1
            continue
        try:
            value = float(field)
        except ValueError:
            raise InputError(f"{excerpt(field)} is no number", path=name, line=line) from None
        if not -1e300 < value < 1e300:
            raise InputError(f"{excerpt(field)} is not finite", path=name, line=line)
        rows.append((system, line - 1, -value if lower_is_better else value, ""))
    if not rows:
        raise InputError("has no rating", path=name)
    return _ratings(rows, {"missing ratings": missing} if missing else {})


def read_preferences(
    path: Path, *, columns: Mapping[str, str] | None = None, base: int = 1, separator: str | None = None
) -> Comparisons:
    """Read A/B preferences: two systems and which is better, by name, or 1/a/first, 2/b/second, 0/=/tie/equal."""
    records = Records(path, separator=separator)
    place = _places(records, columns or {}, ("segment", "first", "second", "choice"), optional=("judge",))
    rows: list[tuple[int, str, str, int, str]] = []
    for line, fields in records:
        first, second = fields[place["first"]].strip(), fields[place["second"]].strip()
        choice = fields[place["choice"]].strip()
        if choice in (first, second):
            preference = 1 if choice == first else -1
        elif choice.lower() in ("1", "a", "first"):
            preference = 1
        elif choice.lower() in ("2", "b", "second"):
            preference = -1
        elif choice.lower() in ("0", "=", "tie", "equal"):
            preference = 0
        else:
            raise InputError(
                f"{excerpt(choice)} is no choice between {first} and {second}; expected a name, 1, 2 or 0",
                path=records.path,
                line=line,
            )
        segment = records.whole(fields[place["segment"]], line, what="segment", low=base) - base
        rows.append((segment, first, second, preference, fields[place["judge"]] if "judge" in place else ""))
    if not rows:
        raise InputError("has no preference", path=records.path)
    segments, firsts, seconds, preferences, judges = zip(*rows, strict=True)
    systems, numbers = number([*firsts, *seconds])
    judge_names, judge_numbers = number(judges)
    count = len(rows)
    return Comparisons(
        systems,
        judge_names,
        np.array(segments, dtype=np.int64),
        numbers[:count],
        numbers[count:],
        np.array(preferences, dtype=np.int8),
        judge_numbers,
        np.arange(count),
        np.ones(count),
    )


def _places(
    records: Records, given: Mapping[str, str], needed: tuple[str, ...], *, optional: tuple[str, ...]
) -> dict[str, int]:
    for role in given:
        if role not in (*needed, *optional):
            raise UsageError(f"unknown column role {role!r} (valid: {', '.join((*needed, *optional))})")
    places = {role: records.place(*((given[role],) if role in given else COLUMNS[role])) for role in needed}
    for role in optional:
        if role in given:
            places[role] = records.place(given[role])
        elif any(records.has(name) for name in COLUMNS[role]):
            places[role] = records.place(*COLUMNS[role])
    return places


def _ratings(rows: list[tuple[str, int, float, str]], left_out: dict[str, int]) -> Ratings:
    names, segments, values, judges = zip(*rows, strict=True)
    systems, system = number(names)
    judge_names, judge = number(judges)
    return Ratings(
        systems, judge_names, np.array(segments, dtype=np.int64), system, judge, np.array(values), left_out
    )
