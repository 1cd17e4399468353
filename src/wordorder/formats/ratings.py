"""Tables of ratings, and files with one error rate per line (HTER).

A table (CSV, TSV, or separated by whitespace) has one translation per line, with its system, its segment and a
number, such as a direct assessment, a mean MQM score, or a rating of fluency or comprehension. The caller may give
the names of the columns; otherwise, common names are recognised.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from wordorder.core.runtime.errors import InputError, UsageError, count_of, excerpt, located, reject
from wordorder.core.runtime.files import Path, display_name
from wordorder.formats import text
from wordorder.formats.delimited import DelimitedTable, finite_number
from wordorder.formats.judgements import Comparisons, Ratings
from wordorder.formats.sources import length_blocks

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
    """Read a table of ratings; ``columns`` maps roles to column names, if these are not the usual ones.

    The roles are ``system``, ``segment``, ``score`` and ``judge``. ``base`` is the number of the first segment;
    ``lower_is_better`` reverses the scale. The score ``None`` marks a missing rating, which is left out and counted.
    ``system`` is the name of the system if the table has no column for it.
    """
    table = DelimitedTable(path, separator=separator)
    place = _places(table, columns or {}, ("segment", "score"), optional=("system", "judge"))
    if "system" not in place and system is None:
        table.place(*COLUMNS["system"])

    def row(line: int, fields: list[str]) -> tuple[str, int, str, float] | None:
        if is_missing(fields[place["score"]]):
            return None
        value = table.real(fields[place["score"]], line, what="score")
        segment = table.segment(fields[place["segment"]], line, base=base)
        judge = fields[place["judge"]] if "judge" in place else ""
        name = fields[place["system"]].strip() if "system" in place else system or ""
        return name, segment, judge, -value if lower_is_better else value

    return Ratings.of((row(*record) for record in table), path=table.path)


def read_hter(files: Mapping[str, Path], *, post_edits: Mapping[str, Path] | None = None) -> Ratings:
    """Read human-targeted error rates from one file per system, with one line per segment.

    A line contains the HTER score, or the number of edits and the number of words. Scores are negated, so that higher
    is better. The HTER of a document is the number of all edits divided by the number of all words (Snover et al.
    2006). If the number of words is not in the line, it is counted in the post-edited text (split at whitespace);
    without such a text, it is unknown. Blank lines and segments without words count as missing ratings.
    """
    rows: list[tuple[str, int, str, float] | None] = []
    weights: list[float] = []
    counted: tuple[str, int] | None = None
    for system, path in files.items():
        name = display_name(path)
        lines = text.read(path, expected="one error rate per line").to_pylist()
        if counted is not None and len(lines) != counted[1]:
            raise InputError(f"found {count_of(len(lines), 'line')}, but {counted[0]} has {counted[1]}", path=name)
        counted = name, len(lines)
        lengths = None if post_edits is None else _lengths(post_edits[system], len(lines), name)
        for segment, line in enumerate(lines):
            known = float("nan") if lengths is None else float(lengths[segment])
            with located(name, segment + 1):
                rate, words = _error_rate(line, known)
            if words == 0 or rate is None:
                rows.append(None)
                continue
            rows.append((system, segment, "", -rate))
            weights.append(words)
    where = ", ".join(map(display_name, files.values()))
    return replace(Ratings.of(rows, path=where), weight=np.array(weights), lines=counted)


def _error_rate(field: str, words: float) -> tuple[float | None, float]:
    """Return the HTER score in a line (None if missing) and its number of words (``words`` if not in the line)."""
    if is_missing(field):
        return None, words
    numbers = [finite_number(part) for part in field.split()]
    if len(numbers) > 2:
        raise InputError(f"{excerpt(field)} has {len(numbers)} numbers; expected an HTER score, or edits and words")
    reject(min(numbers) < 0, f"{excerpt(field)} is negative; expected an HTER score, or edits and words")
    if len(numbers) == 1:
        return numbers[0], words
    edits, words = numbers
    reject(not words.is_integer(), f"expected edits and a whole number of words, found {excerpt(field)}")
    return (edits / words if words else None), words


def _lengths(path: Path, lines: int, beside: str) -> np.ndarray:
    """Count the words on each line of a post-edited text, which must have one line for each HTER score."""
    counted = np.concatenate([np.zeros(0, np.int32), *(length_blocks(path, None) or ())])
    if len(counted) != lines:
        raise InputError(f"found {count_of(len(counted), 'line')}, but {beside} has {lines}", path=display_name(path))
    return counted


def read_preferences(
    path: Path, *, columns: Mapping[str, str] | None = None, base: int = 1, separator: str | None = None
) -> Comparisons:
    """Read A/B preferences: two systems, and the better one, given by name or as 1/a/first or 2/b/second.

    The answers 0, =, tie, ? and "don't know" mean that the judge saw no difference (Birch 2011, §8.2.1.6).
    """
    table = DelimitedTable(path, separator=separator)
    place = _places(table, columns or {}, ("segment", "first", "second", "choice"), optional=("judge",))
    rows: list[tuple[int, str, str, int, str, str, float]] = []
    for line, fields in table:
        first, second, choice = (fields[place[role]].strip() for role in ("first", "second", "choice"))
        preference = {second: -1, first: 1}.get(choice, _CHOICES.get(_spelled(choice)))
        if preference is None:
            message = f"{excerpt(choice)} does not choose between {first} and {second}"
            expected = "expected a name, 1, 2, 0 or don't know"
            raise InputError(f"{message}; {expected}", path=table.path, line=line)
        segment = table.segment(fields[place["segment"]], line, base=base)
        judge = fields[place["judge"]] if "judge" in place else ""
        rows.append((segment, first, second, preference, judge, str(line), 1.0))
    reject(not rows, "no preferences", path=table.path)
    return Comparisons.of(rows)


def _spelled(choice: str) -> str:
    """Normalise an answer for the lookup: lower case, straight apostrophes, single spaces."""
    return " ".join(choice.lower().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'").replace("_", " ").split())


def is_missing(field: str) -> bool:
    """Return whether the text of a field stands for a missing number."""
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
