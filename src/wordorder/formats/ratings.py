"""Tables of ratings: one translation a line with its system, its segment and a number (direct assessment, MQM means,
fluency, comprehension), in CSV, TSV or separated by whitespace; and plain files with one number a line (HTER).

Which column is which is given, or found by the names common files use.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from wordorder.formats import text
from wordorder.formats.delimited import DelimitedTable, finite_number
from wordorder.formats.judgements import Comparisons, Ratings
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
_FIRST = ("1", "a", "first")
_SECOND = ("2", "b", "second")
_NEITHER = (
    *("0", "=", "tie", "equal", "same", "neither", "undecided", "no preference", "no difference"),
    *("?", "don't know", "dont know", "do not know"),
)
_CHOICES = {**dict.fromkeys(_FIRST, 1), **dict.fromkeys(_SECOND, -1), **dict.fromkeys(_NEITHER, 0)}


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
    table = DelimitedTable(path, separator=separator)
    place = _places(table, columns or {}, ("segment", "score"), optional=("system", "judge"))
    if "system" not in place and system is None:
        table.place(*COLUMNS["system"])
    rows: list[tuple[str, int, str, float]] = []
    missing = 0
    for line, fields in table:
        if _is_missing(fields[place["score"]]):
            missing += 1
            continue
        value = table.real(fields[place["score"]], line, what="score")
        segment = table.whole(fields[place["segment"]], line, what="segment", low=base) - base
        judge = fields[place["judge"]] if "judge" in place else ""
        name = fields[place["system"]].strip() if "system" in place else system or ""
        rows.append((name, segment, judge, -value if lower_is_better else value))
    return Ratings.of(rows, path=table.path, missing=missing)


def read_numbers(path: Path, *, system: str, lower_is_better: bool = True) -> Ratings:
    """Read one number a line, one line a segment of one system: HTER by default, less of which is better."""
    name = display_name(path)
    sign = -1.0 if lower_is_better else 1.0
    lines = text.read(path).to_pylist()
    rows = [
        (system, segment, "", sign * finite_number(field, path=name, line=segment + 1))
        for segment, field in enumerate(lines)
        if not _is_missing(field)
    ]
    return Ratings.of(rows, path=name, missing=len(lines) - len(rows))


def read_preferences(
    path: Path, *, columns: Mapping[str, str] | None = None, base: int = 1, separator: str | None = None
) -> Comparisons:
    """Read A/B preferences: two systems and which is better, by name, or as 1/a/first or 2/b/second.

    0, =, tie, ? and "don't know" choose neither: the judge saw no difference (thesis 8.2.1.6).
    """
    table = DelimitedTable(path, separator=separator)
    place = _places(table, columns or {}, ("segment", "first", "second", "choice"), optional=("judge",))
    rows: list[tuple[int, str, str, int, str, str, float]] = []
    for line, fields in table:
        first, second, choice = (fields[place[role]].strip() for role in ("first", "second", "choice"))
        preference = {second: -1, first: 1}.get(choice, _CHOICES.get(_spelled(choice)))
        if preference is None:
            message = (
                f"{excerpt(choice)} does not choose between {first} and {second}; "
                "expected a name, 1, 2, 0 or don't know"
            )
            raise InputError(message, path=table.path, line=line)
        segment = table.whole(fields[place["segment"]], line, what="segment", low=base) - base
        judge = fields[place["judge"]] if "judge" in place else ""
        rows.append((segment, first, second, preference, judge, str(line), 1.0))
    if not rows:
        raise InputError("has no preference", path=table.path)
    return Comparisons.of(rows)


def _spelled(choice: str) -> str:
    """Write an answer in the one way it is looked up: small letters, a straight apostrophe, single spaces."""
    return " ".join(choice.lower().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'").replace("_", " ").split())


def _is_missing(field: str) -> bool:
    return field.strip().lower() in ("", "none", "nan", "na", "null", "-")


def _places(
    table: DelimitedTable, given: Mapping[str, str], needed: tuple[str, ...], *, optional: tuple[str, ...]
) -> dict[str, int]:
    for role in given:
        if role not in (*needed, *optional):
            raise UsageError(f"unknown column role {role!r} (valid: {', '.join((*needed, *optional))})")
    names = {role: (given[role],) if role in given else COLUMNS[role] for role in (*needed, *optional)}
    return {
        role: table.place(*names[role])
        for role in names
        if role in needed or role in given or any(map(table.has, names[role]))
    }
