"""Error span annotation (ESA, Kocmi et al. 2024), as WMT24 released it: JSON Lines, one annotation per line.

``system``, ``annotator``, ``langs`` (``en-cs``), ``line_id`` (counted from 0), ``doc_id``, ``src``, ``tgt``,
``esa_score`` and ``esa_spans``, a list of objects with ``severity`` and perhaps ``error_type``. Spans have a severity
and no category: the severity stands for it, and what was left out is ``omission``.
"""

from __future__ import annotations

import os

from wordorder.core.runtime.errors import InputError, excerpt
from wordorder.core.runtime.files import display_name
from wordorder.core.runtime.plain import load_json
from wordorder.formats.annotations import AnnotationRows, Annotations, Error
from wordorder.formats.delimited import finite_number
from wordorder.formats.tables import json_records

NEEDED = ("system", "line_id", "tgt", "esa_spans")


def read_annotations(path: str | os.PathLike[str], *, base: int = 0) -> list[Annotations]:
    """Read all annotations; each language pair is a set of its own. ``base`` is the number of the first line."""
    name = display_name(path)
    pairs: dict[str, AnnotationRows] = {}
    for number, record in json_records(path):
        for key in NEEDED:
            if key not in record:
                raise InputError(f"has no {key!r}; expected {', '.join(NEEDED)}", path=name, line=number)
        pair = str(record.get("langs", "")).replace("_", "-")
        place = finite_number(str(record["line_id"]), path=name, line=number, what="line_id ")
        if not base <= place < 2**53 or place != int(place):
            wrong = f"line_id {excerpt(str(record['line_id']))} is not a line number"
            raise InputError(wrong, path=name, line=number)
        score = record.get("esa_score")
        told = None if score is None else finite_number(str(score), path=name, line=number, what="esa_score ")
        source = record.get("src")
        rows = pairs.setdefault(pair, AnnotationRows())
        rows.add(
            str(record["system"]),
            int(place),
            str(record.get("annotator", "")),
            _errors(record["esa_spans"], name, number),
            hypothesis=str(record["tgt"]),
            source=None if source is None else str(source),
            document=str(record.get("doc_id", "")),
            line=int(place) - base,
            score=told,
        )
    if not pairs:
        raise InputError("has no annotated translation", path=name)
    return [rows.gather(pair, path=name) for pair, rows in pairs.items()]


def _errors(spans: object, path: str, number: int) -> list[Error]:
    if isinstance(spans, str):
        try:
            spans = load_json(spans or "[]")
        except ValueError:
            raise InputError(f"esa_spans {excerpt(str(spans))} is not a list", path=path, line=number) from None
    if not isinstance(spans, list) or not all(isinstance(span, dict) for span in spans):
        raise InputError(f"esa_spans {excerpt(str(spans))} is not a list of objects", path=path, line=number)
    found = []
    for span in spans:
        severity = str(span.get("severity", ""))
        left_out = span.get("start_i") == "missing"
        found.append(Error(str(span.get("error_type") or ("omission" if left_out else severity)), severity))
    return found
