"""Translations in which words carry error tags (QRev, Popović 2020), written ``word|ISSUE+ISSUE|severity``.

The released data consist of a folder ``src+hyp+ref/`` with the complete texts, and one folder for each round of
annotation. In the latter, an annotated file is called ``R2_en-hr_SYSTEM_CRITERION-issue-types_e1.txt``; next to it,
the file ``second.hr.SYSTEM.id`` identifies the segment on each line by the ID of its review in ``en.src.id`` and by
its number in the review. A few IDs in the released files are misspelt; lines with such IDs are left out and counted.
"""

import glob
import os
import re
from collections import Counter
from collections.abc import Sequence

from wordorder.core.runtime.errors import InputError, count_of, excerpt, refuse
from wordorder.core.runtime.files import Path, display_name
from wordorder.formats import text
from wordorder.formats.annotations import AnnotationRows, Annotations, Error

_ANNOTATION = re.compile(r"R\d+_(?P<pair>\w+-\w+)_(?P<system>.+)_(?P<criterion>\w+)-issue-types_(?P<judge>e\d+)\.txt")


def read_tags(path: Path) -> list[list[Error]]:
    """Read the errors on every line of an annotated file; each tag of a word is one error."""
    name = display_name(path)
    found = []
    for number, line in enumerate(text.read(path).to_pylist(), start=1):
        errors = []
        for item in line.split():
            parts = item.rsplit("|", 2)
            if len(parts) != 3:
                raise InputError(f"expected word|issue|severity, found {excerpt(item)}", path=name, line=number)
            errors += [Error(tag, parts[2]) for tag in dict.fromkeys(parts[1].split("+")) if tag not in ("None", "")]
        found.append(errors)
    return found


def read_annotations(folder: Path, *, pair: str | None = None) -> list[Annotations]:
    """Read all annotated systems in a folder with their texts; return the annotations of each language pair."""
    whole = os.path.join(folder, "src+hyp+ref")
    ids = [line.strip() for line in text.read(os.path.join(whole, "en.src.id")).to_pylist()]
    places = _segment_places(ids)
    pairs: dict[str, AnnotationRows] = {}
    unknown: set[tuple[str, str, str]] = set()
    for path in sorted(glob.glob(os.path.join(glob.escape(os.fspath(folder)), "*", "R*_*-issue-types_e*.txt"))):
        named = _ANNOTATION.fullmatch(os.path.basename(path))
        if named is None or (pair is not None and named["pair"] != pair):
            continue
        keys = _ids(path, named["pair"], named["system"])
        lines = read_tags(path)
        if len(keys) != len(lines):
            found = f"found {count_of(len(lines), 'line')}, but {count_of(len(keys), 'ID')}"
            raise InputError(found, path=display_name(path))
        texts = _texts(whole, named["pair"], named["system"], len(ids))
        rows = pairs.setdefault(named["pair"], AnnotationRows())
        judge = f"{named['criterion']} {named['judge']}"
        for key, errors in zip(keys, lines, strict=True):
            if key not in places:
                unknown.add((named["pair"], named["system"], key))
                continue
            place = places[key]
            rows.add(
                named["system"],
                place,
                judge,
                errors,
                hypothesis=texts["hypothesis"][place],
                source=texts["source"][place] if "source" in texts else None,
                reference=texts["reference"][place],
                document=ids[place],
                line=place,
            )
    refuse(not pairs, f"{os.fspath(folder)}: no annotated files (R2_en-hr_SYSTEM_…-issue-types_e1.txt) found")
    for languages, rows in pairs.items():
        if lost := sum(each[0] == languages for each in unknown):
            rows.left_out["annotated lines with an unknown id"] = lost
    return [rows.gather(languages, path=os.fspath(folder)) for languages, rows in sorted(pairs.items())]


def _texts(folder: str, pair: str, system: str, count: int) -> dict[str, list[str]]:
    """Read the complete texts of a system: source, translation and reference."""
    source, _, target = pair.rpartition("-")
    files = {"source": f"{source}.src", "hypothesis": f"{pair}.{system}.hyp", "reference": f"{target}.ref"}
    found = {}
    for name, file in files.items():
        path = os.path.join(folder, f"{file}.txt")
        if name == "source" and not os.path.exists(path):
            continue
        found[name] = text.read(path).to_pylist()
        if len(found[name]) != count:
            lines = count_of(len(found[name]), "line")
            raise InputError(f"found {lines}, but en.src.id has {count}", path=display_name(path))
    return found


def _segment_places(ids: Sequence[str]) -> dict[str, int]:
    """Map the ID of each segment (its review and its number in the review, from 1) to its line."""
    seen: Counter[str] = Counter()
    places = {}
    for place, name in enumerate(ids):
        seen[name] += 1
        places[f"{name}_{seen[name]}"] = place
    return places


def _ids(annotation: str, pair: str, system: str) -> list[str]:
    pattern = os.path.join(glob.escape(os.path.dirname(annotation)), f"*.{pair.rpartition('-')[2]}.{system}.id")
    found = glob.glob(pattern)
    refuse(len(found) != 1, f"{annotation}: expected one {os.path.basename(pattern)} next to it, found {len(found)}")
    return [line.split("\t")[0].strip() for line in text.read(found[0]).to_pylist()]
