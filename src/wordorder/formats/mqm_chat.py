"""MQM tables that contain all texts (WMT's chat translation task): one segment per row, one file per system.

The columns are ``doc_id``, ``segment_id``, ``lp`` (``de_en``), ``source``, ``mt``, ``reference``, ``severity`` and
``typology_error``. In the last two columns, several errors of a segment are separated by slashes; both columns are
empty for a segment without errors. Both directions of a conversation are in one file. ``mqm`` is the score of the
segment: 100 minus the penalties per 100 words (Farinha et al. 2022).
"""

from __future__ import annotations

from collections.abc import Mapping

from wordorder.core.runtime.files import Path
from wordorder.formats.annotations import AnnotationRows, Annotations, Error
from wordorder.formats.delimited import DelimitedTable


def read_annotations(files: Mapping[str, Path]) -> list[Annotations]:
    """Read one file per system (``files`` maps system names to files); return annotations by language pair."""
    pairs: dict[str, AnnotationRows] = {}
    for system, path in files.items():
        table = DelimitedTable(path)
        needed = ("source", "mt", "reference", "severity", "typology_error")
        source, target, reference, severity, category = map(table.place, needed)
        document, segment = table.columns.get("doc_id"), table.columns.get("segment_id")
        pair, mark = table.columns.get("lp"), table.columns.get("mqm")
        for row, (line, fields) in enumerate(table):
            of = "" if document is None else fields[document].strip()
            languages = "" if pair is None else fields[pair].strip().replace("_", "-")
            score = None if mark is None else table.real(fields[mark], line, what="mqm")
            key = row if segment is None else (of, fields[segment])
            rows = pairs.setdefault(languages, AnnotationRows())
            rows.add(
                system,
                key,
                "",
                _errors(fields[category], fields[severity]),
                hypothesis=fields[target],
                source=fields[source],
                reference=fields[reference],
                document=of,
                score=score,
            )
    names = ", ".join(map(str, files.values()))
    if not pairs:
        pairs[""] = AnnotationRows()
    return [rows.gather(pair, path=names) for pair, rows in pairs.items()]


def _errors(categories: str, severities: str) -> list[Error]:
    """Split categories and severities at slashes; if their numbers differ, leave all severities empty."""
    names = [name.strip() for name in categories.split("/")]
    levels = [level.strip() for level in severities.split("/")]
    if len(levels) != len(names):
        levels = ["" for _ in names]
    return [Error(name, level) for name, level in zip(names, levels, strict=True) if name]
