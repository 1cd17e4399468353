"""Tables of errors that people marked; the format (MQM, chat, ESA, QRev or DEMETR) is detected.

DEMETR (Karpinska et al. 2022) pairs translations with copies that contain an artificial error. A file is a JSON list
of objects with ``id``, ``src_sent``, ``eng_sent`` (the reference), ``mt_sent``, ``pert_sent``, ``pert_name`` and
``severity``. The two translations are treated as the output of two systems: ``original``, and one that is named after
the perturbation, without its number (``word_swap``). The perturbed translation has one error, whose category is the
name of the perturbation. If several files are read, their originals form a single system.

Error span annotation (ESA, Kocmi et al. 2024) has the format of WMT24: JSON Lines, one annotation per line. The keys
are ``system``, ``annotator``, ``langs`` (``en-cs``), ``line_id`` (from 0), ``doc_id``, ``src``, ``tgt``,
``esa_score`` and ``esa_spans``, a list of objects with ``severity`` and sometimes ``error_type``. The category of a
span without an error type is its severity, or ``omission`` if it marks missing text.

MQM tables of WMT's chat translation task contain all texts: one segment per row, one file per system. The columns are
``doc_id``, ``segment_id``, ``lp`` (``de_en``), ``source``, ``mt``, ``reference``, ``severity`` and
``typology_error``. In the last two columns, several errors of a segment are separated by slashes; both columns are
empty for a segment without errors. Both directions of a conversation are in one file. ``mqm`` is the score of the
segment: 100 minus the penalties per 100 words (Farinha et al. 2022).
"""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from wordorder.core.runtime.errors import InputError, UsageError, count_of, excerpt, located, refuse, reject
from wordorder.core.runtime.files import Path, display_name, open_binary, without_packing
from wordorder.core.runtime.plain import load_json
from wordorder.formats.annotations import AnnotationRows, Annotations, Error
from wordorder.formats.delimited import DelimitedTable, finite_number
from wordorder.formats.tables import json_list, json_records

_SEVERAL = ("chat", "demetr")


def read(files: Mapping[str, Path], *, pair: str | None = None, base: int | None = None) -> list[Annotations]:
    """Read tables of errors and return annotations for each language pair; ``files`` maps systems to files.

    ``base`` is the number of the first segment in tables with segment numbers (default: 1, or 0 for ESA). ``pair``
    selects one language pair (``de-en``), or supplies the language pair of tables that do not state it.
    """
    paths = list(files.values())
    forms = list(dict.fromkeys(map(recognise, paths)))
    refuse(len(forms) > 1, f"the error tables have different formats ({', '.join(forms)}); read one format at a time")
    if len(paths) > 1 and forms[0] not in _SEVERAL:
        raise UsageError(f"found {count_of(len(paths), 'table')} in {forms[0]} format; expected one with all systems")
    found = _read(forms[0], files, pair, base)
    if pair is None:
        return found
    chosen = [replace(one, pair=pair) for one in found if one.pair in ("", pair)]
    if not chosen:
        names = ", ".join(one.pair for one in found)
        raise InputError(f"no translations for language pair {pair}; found {names}", path=display_name(paths[0]))
    return chosen


def _read(form: str, files: Mapping[str, Path], pair: str | None, base: int | None) -> list[Annotations]:
    from wordorder.formats import mqm, qrev

    paths = list(files.values())
    if form == "qrev":
        return qrev.read_annotations(paths[0], pair=pair)
    if form == "demetr":
        return [read_demetr(paths)]
    if form == "esa":
        return read_esa(paths[0], base=0 if base is None else base)
    if form == "chat":
        return read_chat(files)
    return [mqm.read_annotations(paths[0], base=1 if base is None else base)]


def recognise(path: Path) -> str:
    """Detect the format of an error table: ``qrev``, ``demetr``, ``esa``, ``chat`` or ``mqm``."""
    if os.path.isdir(path):
        return "qrev"
    name = without_packing(os.fspath(path))
    if name.endswith((".jsonl", ".ndjson")):
        return "esa"
    if name.endswith(".json"):
        with open_binary(path) as stream:
            return "demetr" if stream.read(64).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"[") else "esa"
    table = DelimitedTable(path)
    if table.has("typology_error"):
        return "chat"
    table.place("category", "typology_error")
    return "mqm"


ORIGINAL = "original"
_DEMETR_KEYS = ("id", "src_sent", "eng_sent", "mt_sent", "pert_sent", "pert_name")

_NUMBER = re.compile(r"^\w+?_id\d+_")


def read_demetr(files: Sequence[Path]) -> Annotations:
    """Read the pairs of original and perturbed translations in all files as annotations."""
    rows = AnnotationRows()
    for path in files:
        for number, record in enumerate(json_list(path, expected="pairs of translations"), start=1):
            _add_pair(rows, record, f"{display_name(path)}, pair {number}")
    return rows.gather("", path=", ".join(map(display_name, files)))


def _add_pair(rows: AnnotationRows, record: object, where: str) -> None:
    if not isinstance(record, dict) or not all(isinstance(record.get(key), (str, int)) for key in _DEMETR_KEYS):
        raise InputError(f"expected an object with {', '.join(_DEMETR_KEYS)}, found {excerpt(str(record))}", path=where)
    kind = _NUMBER.sub("", str(record["pert_name"]))
    source, reference = str(record["src_sent"]), str(record["eng_sent"])
    pair: tuple[tuple[str, object, list[Error]], ...] = (
        (ORIGINAL, record["mt_sent"], []),
        (kind, record["pert_sent"], [Error(kind, str(record.get("severity", "")))]),
    )
    for system, hypothesis, errors in pair:
        rows.add(system, record["id"], "", errors, hypothesis=str(hypothesis), source=source, reference=reference)


_ESA_KEYS = ("system", "line_id", "tgt", "esa_spans")


def read_esa(path: Path, *, base: int = 0) -> list[Annotations]:
    """Read all annotations and group them by language pair; ``base`` is the ``line_id`` of the first segment."""
    name = display_name(path)
    pairs: dict[str, AnnotationRows] = {}
    for number, record in json_records(path):
        with located(name, number):
            _add_spans(pairs, record, base)
    reject(not pairs, "no annotated translations", path=name)
    return [rows.gather(pair, path=name) for pair, rows in pairs.items()]


def _add_spans(pairs: dict[str, AnnotationRows], record: dict[str, Any], base: int) -> None:
    """Add one annotation to the group of its language pair."""
    for key in _ESA_KEYS:
        if key not in record:
            raise InputError(f"no key {key!r}; expected {', '.join(_ESA_KEYS)}")
    place = finite_number(str(record["line_id"]), what="line_id ")
    if not base <= place < 2**53 or place != int(place):
        raise InputError(f"line_id {excerpt(str(record['line_id']))} is not a valid line number")
    score, source = record.get("esa_score"), record.get("src")
    pairs.setdefault(str(record.get("langs", "")).replace("_", "-"), AnnotationRows()).add(
        str(record["system"]),
        int(place),
        str(record.get("annotator", "")),
        _spans(record["esa_spans"]),
        hypothesis=str(record["tgt"]),
        source=None if source is None else str(source),
        document=str(record.get("doc_id", "")),
        line=int(place) - base,
        score=None if score is None else finite_number(str(score), what="esa_score "),
    )


def _spans(spans: object) -> list[Error]:
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


def read_chat(files: Mapping[str, Path]) -> list[Annotations]:
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
                _chat_errors(fields[category], fields[severity]),
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


def _chat_errors(categories: str, severities: str) -> list[Error]:
    """Split categories and severities at slashes; if their numbers differ, leave all severities empty."""
    names = [name.strip() for name in categories.split("/")]
    levels = [level.strip() for level in severities.split("/")]
    if len(levels) != len(names):
        levels = ["" for _ in names]
    return [Error(name, level) for name, level in zip(names, levels, strict=True) if name]
