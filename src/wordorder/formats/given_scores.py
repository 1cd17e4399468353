"""Segment scores computed by other tools, in several formats.

* Lines ``SYSTEM SCORE``, with all segments of one system before the next (``.seg.score`` files of mt-metrics-eval).
* A table (TSV, CSV) or JSON Lines, with a system, a score and optionally a segment number in every row. The score
  column can be given as ``FILE:column``. A table without a system column contains the scores of a single system.
* One number per line: the scores of a single system.
"""

import math
import os
from collections.abc import Iterator

from wordorder.core.runtime.errors import InputError, UsageError, count_of, excerpt, located, reject
from wordorder.core.runtime.files import Path, display_name, without_packing
from wordorder.formats import text
from wordorder.formats.delimited import DelimitedTable, finite_number
from wordorder.formats.ratings import COLUMNS, is_missing
from wordorder.formats.tables import JSON_LINES, json_records, member, split_column

Row = tuple[int, str, str | None, str]
"""A line number, a system name (or ""), a segment number (or None), and a score as text."""

_SCORES = (*COLUMNS["score"], "comet", "metricx", "bleurt")
NO_SYSTEM = ""
_MOST_GAPS = 10_000_000


def read(path: Path) -> dict[str, list[float]]:
    """Read the scores of each system in segment order, with NaN for missing scores."""
    file, column = split_column(path) or (os.fspath(path), None)
    name = display_name(file)
    ending = os.path.splitext(without_packing(file))[1].lower()
    if ending in JSON_LINES:
        rows = _records(file, column)
    elif column is not None or ending in (".tsv", ".csv"):
        rows = _fields(file, column)
    else:
        rows = _lines(file)
    found: dict[str, list[float]] = {}
    numbers: dict[str, dict[int, float]] = {}
    for line, system, segment, score in rows:
        with located(name, line):
            value = math.nan if is_missing(score) else finite_number(score, what="score ")
            if segment is None:
                found.setdefault(system, []).append(value)
                continue
            number = finite_number(segment, what="segment ")
            if number != int(number) or number < 0 or number > 1 << 31:
                raise InputError(f"segment {excerpt(segment)} is not a valid segment number")
            if int(number) in numbers.setdefault(system, {}):
                raise InputError(f"segment {int(number)} of {system or 'the system'} has two scores")
            numbers[system][int(number)] = value
    reject(not found and not numbers, "no scores", path=name)
    reject(found and numbers, "some rows have a segment number and others do not; all or none must have one", path=name)
    return found or _in_order(numbers, name)


def _in_order(numbers: dict[str, dict[int, float]], path: str) -> dict[str, list[float]]:
    """Return the scores of each system in segment order, with NaN for segments without a score.

    Segment numbers start at 0 if the number 0 occurs, otherwise at 1.
    """
    base = 0 if any(0 in scores for scores in numbers.values()) else 1
    if sum(map(max, numbers.values())) > _MOST_GAPS + 100 * sum(map(len, numbers.values())):
        highest = max(map(max, numbers.values()))
        raise InputError(f"the highest segment number is {highest}, but only a few segments have scores", path=path)
    return {
        system: [scores.get(number, math.nan) for number in range(base, max(scores) + 1)]
        for system, scores in numbers.items()
    }


def _lines(path: str) -> Iterator[Row]:
    """Yield rows from a file in which every line has a score, or every line has a system and a score."""
    width = 0
    for line, content in enumerate(text.read(path, expected="one score per line").to_pylist(), start=1):
        fields = content.split()
        width = width or len(fields)
        with located(display_name(path), line):
            reject(not fields, "the line is empty; expected a score")
            if len(fields) != width or width > 2:
                found = f"{excerpt(content)} has {count_of(len(fields), 'field')}"
                raise InputError(f"{found}; expected either a score on every line, or 'SYSTEM SCORE' on every line")
        yield line, fields[0] if width == 2 else NO_SYSTEM, None, fields[-1]


def _fields(path: str, column: str | None) -> Iterator[Row]:
    table = DelimitedTable(path)
    score = table.place(*((column,) if column else _SCORES))
    system, segment = (_place(table, role) for role in ("system", "segment"))
    for line, fields in table:
        name = NO_SYSTEM if system is None else fields[system].strip()
        yield line, name, None if segment is None else fields[segment], fields[score]


def _place(table: DelimitedTable, role: str) -> int | None:
    return next((table.place(name) for name in COLUMNS[role] if table.has(name)), None)


def _records(path: str, column: str | None) -> Iterator[Row]:
    for line, record in json_records(path):
        known = {key.lower(): key for key in record}
        with located(display_name(path), line):
            try:
                score = member(record, column or next(known[one.lower()] for one in _SCORES if one.lower() in known))
            except (KeyError, StopIteration):
                found = f"no key {column!r}" if column else "no key 'score'; give another key as FILE:key"
                raise InputError(f"{found}; the keys are {', '.join(record)}") from None
            if isinstance(score, (dict, list, bool)):
                raise InputError(f"the score {excerpt(str(score))} is not a number")
        system, segment = (
            next((record[known[name.lower()]] for name in COLUMNS[role] if name.lower() in known), None)
            for role in ("system", "segment")
        )
        name = NO_SYSTEM if system is None else str(system)
        yield line, name, None if segment is None else str(segment), str(score)


def scores_name(path: Path) -> str:
    """Return a name for scores: the name of the given column or, if there is none, of the file.

    >>> scores_name("metric-scores/en-de/COMET-refA.seg.score")
    'COMET-refA'
    """
    found = split_column(path)
    if found:
        return found[1].rpartition(".")[2]
    name = without_packing(os.path.basename(os.fspath(path))).removesuffix(".score").removesuffix(".seg")
    return os.path.splitext(name)[0] if name.endswith((".tsv", ".csv", ".txt", *JSON_LINES)) else name


def check_name(name: str) -> str:
    """Return the name, or raise an error if it cannot be used in a metric specification."""
    if not name or any(mark in name for mark in ":,= ") or not name.isprintable():
        raise UsageError(f"{name!r} cannot be a name of scores: it contains a colon, comma, equals sign or space")
    return name
