"""Exchange with Label Studio: findings become tasks with pre-annotations, and the answers of annotators are read.

The labeling interface of the project needs a ``Text`` named ``text`` and ``Labels`` named ``order``.
"""

from collections.abc import Iterable
from itertools import accumulate
from pathlib import Path
from typing import Any

from wordorder.apps.find.findings import Finding
from wordorder.core.runtime.errors import InputError
from wordorder.formats.tables import json_list
from wordorder.report.table import Column, Table
from wordorder.version import __version__

LABEL = "order"


def label_studio_tasks(findings: Iterable[Finding]) -> list[dict[str, Any]]:
    """Return a task for each finding, with the words that must move as pre-annotated spans of characters."""
    tasks = []
    for one in findings:
        text, starts = " ".join(one.words), list(accumulate((len(word) + 1 for word in one.words), initial=0))
        spans = [(starts[move.first], starts[move.end] - 1) for move in one.moves]
        marks = [{"start": a, "end": b, "text": text[a:b], "labels": [LABEL]} for a, b in spans]
        regions = [
            {"id": f"move{number}", "from_name": LABEL, "to_name": "text", "type": "labels", "value": mark}
            for number, mark in enumerate(marks, start=1)
        ]
        data: dict[str, Any] = {"text": text, "reference": one.reference_text or "", "source": one.source_text or ""}
        data |= {"system": one.system, "segment": one.segment, "marks": marks}
        made = {"model_version": f"wordorder {__version__}", "score": one.confidence, "result": regions}
        tasks.append({"data": data, "predictions": [made]})
    return tasks


def compare_answers(path: str) -> Table:
    """Compare the characters that annotators marked, in an export as JSON, with those that were marked for them.

    Every annotation that was not cancelled counts. The table has a row for each system: the number of annotations,
    the share of them with a mark, the precision and the recall of the marks of ``find``.
    """
    counts: dict[str, list[int]] = {}
    expected = "an export of tasks that --label-studio wrote"
    for number, task in enumerate(json_list(Path(path), expected=expected), start=1):
        try:
            size, marks = len(task["data"]["text"]), task["data"]["marks"]
            results = [one["result"] for one in task["annotations"] if not one.get("was_cancelled")]
            found = _characters(marks, size)
            people = [_characters((one["value"] for one in each if one["type"] == "labels"), size) for each in results]
            sums = counts.setdefault(str(task["data"]["system"]), [0] * 5)
        except (KeyError, TypeError, AttributeError):
            raise InputError(
                f"task {number} lacks a text, marks, a system or annotations; expected {expected}", path=path
            ) from None
        for mine in people:
            new = (1, bool(mine), len(found & mine), len(found), len(mine))
            sums[:] = [old + more for old, more in zip(sums, new, strict=True)]
    shares = ((1, 0), (2, 3), (2, 4))
    rows = [
        [system, sums[0], *(sums[a] / sums[b] if sums[b] else None for a, b in shares)]
        for system, sums in counts.items()
    ]
    columns: list[Column | str] = [Column("system", "left"), "annotations", "with an error", "precision", "recall"]
    note = (
        "precision, recall: of the characters that find marked, those that annotators marked, and the other way round"
    )
    return Table.of("", columns, rows, notes=[note])


def _characters(spans: Iterable[dict[str, Any]], size: int) -> set[int]:
    """Return the characters of a text of ``size`` characters that are inside any of the spans."""
    return {place for span in spans for place in range(max(span["start"], 0), min(span["end"], size))}
