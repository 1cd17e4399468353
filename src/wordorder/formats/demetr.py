"""Pairs of a translation and the same translation disturbed on purpose (DEMETR, Karpinska et al. 2022).

A JSON list of objects with ``id``, ``src_sent``, ``eng_sent`` (the reference), ``mt_sent``, ``pert_sent``,
``pert_name`` and ``severity``. Both are systems here, ``original`` and the name of the disturbance; the disturbed
translation has one error, whose category is that name without its number (``word_swap``). Several files may be read
together; they share the originals.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from wordorder.core.runtime.errors import InputError, excerpt
from wordorder.core.runtime.files import display_name, read_whole
from wordorder.core.runtime.plain import load_json
from wordorder.formats.annotations import AnnotationRows, Annotations, Error

ORIGINAL = "original"
NEEDED = ("id", "src_sent", "eng_sent", "mt_sent", "pert_sent", "pert_name")

_NUMBER = re.compile(r"^\w+?_id\d+_")


def read_annotations(files: Sequence[str | os.PathLike[str]]) -> Annotations:
    """Read the pairs of all files."""
    rows = AnnotationRows()
    for path in files:
        name = display_name(path)
        try:
            records = load_json(read_whole(path))
        except ValueError as error:
            raise InputError(f"is not JSON ({error}); expected a list of pairs", path=name) from None
        if not isinstance(records, list):
            raise InputError("is not a JSON list of pairs", path=name)
        for number, record in enumerate(records, start=1):
            _add(rows, record, f"{name}, pair {number}")
    return rows.gather("", path=", ".join(map(display_name, files)))


def _add(rows: AnnotationRows, record: object, where: str) -> None:
    if not isinstance(record, dict) or not all(isinstance(record.get(key), (str, int)) for key in NEEDED):
        raise InputError(f"{excerpt(str(record))} is not a pair with {', '.join(NEEDED)}", path=where)
    kind = _NUMBER.sub("", str(record["pert_name"]))
    source, reference = str(record["src_sent"]), str(record["eng_sent"])
    pair: tuple[tuple[str, object, list[Error]], ...] = (
        (ORIGINAL, record["mt_sent"], []),
        (kind, record["pert_sent"], [Error(kind, str(record.get("severity", "")))]),
    )
    for system, hypothesis, errors in pair:
        rows.add(system, record["id"], "", errors, hypothesis=str(hypothesis), source=source, reference=reference)
