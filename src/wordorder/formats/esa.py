"""Error span annotation (ESA, Kocmi et al. 2024) in the format of WMT24: JSON Lines, one annotation per line.

The keys are ``system``, ``annotator``, ``langs`` (``en-cs``), ``line_id`` (from 0), ``doc_id``, ``src``, ``tgt``,
``esa_score`` and ``esa_spans``, a list of objects with ``severity`` and sometimes ``error_type``. The category of a
span without an error type is its severity, or ``omission`` if it marks missing text.
"""

from __future__ import annotations

from typing import Any

from wordorder.core.runtime.errors import InputError, excerpt, located
from wordorder.core.runtime.files import Path, display_name
from wordorder.core.runtime.plain import load_json
from wordorder.formats.annotations import AnnotationRows, Annotations, Error
from wordorder.formats.delimited import finite_number
from wordorder.formats.tables import json_records

NEEDED = ("system", "line_id", "tgt", "esa_spans")


def read_annotations(path: Path, *, base: int = 0) -> list[Annotations]:
    """Read all annotations and group them by language pair; ``base`` is the ``line_id`` of the first segment."""
    name = display_name(path)
    pairs: dict[str, AnnotationRows] = {}
    for number, record in json_records(path):
        with located(name, number):
            _add(pairs, record, base)
    if not pairs:
        raise InputError("no annotated translations", path=name)
    return [rows.gather(pair, path=name) for pair, rows in pairs.items()]


def _add(pairs: dict[str, AnnotationRows], record: dict[str, Any], base: int) -> None:
    """Add one annotation to the group of its language pair."""
    for key in NEEDED:
        if key not in record:
            raise InputError(f"no key {key!r}; expected {', '.join(NEEDED)}")
    place = finite_number(str(record["line_id"]), what="line_id ")
    if not base <= place < 2**53 or place != int(place):
        raise InputError(f"line_id {excerpt(str(record['line_id']))} is not a valid line number")
    score, source = record.get("esa_score"), record.get("src")
    pairs.setdefault(str(record.get("langs", "")).replace("_", "-"), AnnotationRows()).add(
        str(record["system"]),
        int(place),
        str(record.get("annotator", "")),
        _errors(record["esa_spans"]),
        hypothesis=str(record["tgt"]),
        source=None if source is None else str(source),
        document=str(record.get("doc_id", "")),
        line=int(place) - base,
        score=None if score is None else finite_number(str(score), what="esa_score "),
    )


def _errors(spans: object) -> list[Error]:
    if isinstance(spans, str):
        try:
            spans = load_json(spans or "[]")
        except ValueError:
            raise InputError(f"esa_spans {excerpt(str(spans))} is not a list") from None
    if not isinstance(spans, list) or not all(isinstance(span, dict) for span in spans):
        raise InputError(f"esa_spans {excerpt(str(spans))} is not a list of objects")
    found = []
    for span in spans:
        severity = str(span.get("severity", ""))
        left_out = span.get("start_i") == "missing"
        found.append(Error(str(span.get("error_type") or ("omission" if left_out else severity)), severity))
    return found
