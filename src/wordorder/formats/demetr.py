"""Translations paired with copies that contain an artificial error (DEMETR, Karpinska et al. 2022).

A file is a JSON list of objects with ``id``, ``src_sent``, ``eng_sent`` (the reference), ``mt_sent``, ``pert_sent``,
``pert_name`` and ``severity``. The two translations are treated as the output of two systems: ``original``, and one
that is named after the perturbation, without its number (``word_swap``). The perturbed translation has one error,
whose category is the name of the perturbation. If several files are read, their originals form a single system.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from wordorder.core.runtime.errors import InputError, excerpt
from wordorder.core.runtime.files import Path, display_name
from wordorder.formats.annotations import AnnotationRows, Annotations, Error
from wordorder.formats.tables import json_list

ORIGINAL = "original"
NEEDED = ("id", "src_sent", "eng_sent", "mt_sent", "pert_sent", "pert_name")

_NUMBER = re.compile(r"^\w+?_id\d+_")


def read_annotations(files: Sequence[Path]) -> Annotations:
    """Read the pairs of original and perturbed translations in all files as annotations."""
    rows = AnnotationRows()
    for path in files:
        for number, record in enumerate(json_list(path, expected="pairs of translations"), start=1):
            _add(rows, record, f"{display_name(path)}, pair {number}")
    return rows.gather("", path=", ".join(map(display_name, files)))


def _add(rows: AnnotationRows, record: object, where: str) -> None:
    if not isinstance(record, dict) or not all(isinstance(record.get(key), (str, int)) for key in NEEDED):
        raise InputError(f"expected an object with {', '.join(NEEDED)}, found {excerpt(str(record))}", path=where)
    kind = _NUMBER.sub("", str(record["pert_name"]))
    source, reference = str(record["src_sent"]), str(record["eng_sent"])
    pair: tuple[tuple[str, object, list[Error]], ...] = (
        (ORIGINAL, record["mt_sent"], []),
        (kind, record["pert_sent"], [Error(kind, str(record.get("severity", "")))]),
    )
    for system, hypothesis, errors in pair:
        rows.add(system, record["id"], "", errors, hypothesis=str(hypothesis), source=source, reference=reference)
