"""Translations whose words carry error tags (QRev, Popović 2020): ``word|ISSUE+ISSUE|severity`` in every line.

A folder as it is released has ``src+hyp+ref/`` with whole outputs and references, and one folder for each round of
annotation: files ``R2_en-hr_SYSTEM_CRITERION-issue-types_e1.txt``, and ``second.hr.SYSTEM.id`` that says which
segment each line is: the review's id in ``en.src.id`` and the number of the segment within it. A few ids of the
released files are misspelt; such lines are left out and counted.
"""

from __future__ import annotations

import glob
import os
import re
from collections import Counter, defaultdict
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wordorder.formats import text
from wordorder.runtime.errors import InputError, UsageError, excerpt
from wordorder.runtime.files import display_name
from wordorder.runtime.plain import count_of

Path = str | os.PathLike[str]

_ANNOTATION = re.compile(
    r"^R\d+_(?P<pair>\w+-\w+)_(?P<system>.+)_(?P<criterion>\w+)-issue-types_(?P<judge>e\d+)\.txt$"
)


@dataclass(frozen=True, eq=False)
class TaggedOutput:
    """The annotated segments of one system: which line of the whole text each is, and whether it has the tag."""

    pair: str
    system: str
    hypotheses: tuple[str, ...]
    references: tuple[str, ...]
    marked: NDArray[np.bool_]
    left_out: int = 0


def read_tags(path: Path) -> list[list[frozenset[str]]]:
    """Read one annotated file: the tags of every word of every line."""
    name = display_name(path)
    found = []
    for number, line in enumerate(text.read(path).to_pylist(), start=1):
        tags = []
        for item in line.split():
            parts = item.rsplit("|", 2)
            if len(parts) != 3:
                raise InputError(f"{excerpt(item)} is not word|issue|severity", path=name, line=number)
            tags.append(frozenset(parts[1].split("+")) - {"None"})
        found.append(tags)
    return found


def read(folder: Path, *, tag: str = "ORDER", pair: str | None = None) -> list[TaggedOutput]:
    """Read all annotated systems of a folder; a segment is marked if any annotator's file has the tag in it."""
    whole = os.path.join(folder, "src+hyp+ref")
    places = _segment_places(os.path.join(whole, "en.src.id"))
    marks: dict[tuple[str, str], dict[int, bool]] = {}
    unknown: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for path in sorted(glob.glob(os.path.join(glob.escape(os.fspath(folder)), "*", "R*_*-issue-types_e*.txt"))):
        named = _ANNOTATION.match(os.path.basename(path))
        if named is None or (pair is not None and named["pair"] != pair):
            continue
        ids = _ids(path, named["pair"], named["system"])
        tags = read_tags(path)
        if len(ids) != len(tags):
            raise InputError(
                f"{count_of(len(tags), 'line')}, but {count_of(len(ids), 'id')}", path=display_name(path)
            )
        found = marks.setdefault((named["pair"], named["system"]), {})
        for key, words in zip(ids, tags, strict=True):
            if key not in places:
                unknown[named["pair"], named["system"]].add(key)
                continue
            has = any(tag in word for word in words)
            found[places[key]] = found.get(places[key], False) or has
    if not marks:
        raise UsageError(f"{os.fspath(folder)}: no annotated files (R2_en-hr_SYSTEM_…-issue-types_e1.txt) found")
    outputs = []
    for (languages, system), found in sorted(marks.items()):
        hypotheses = text.read(os.path.join(whole, f"{languages}.{system}.hyp.txt")).to_pylist()
        references = text.read(os.path.join(whole, f"{languages.rpartition('-')[2]}.ref.txt")).to_pylist()
        rows = sorted(found)
        if not rows:
            continue
        if rows[-1] >= min(len(hypotheses), len(references)):
            raise InputError(f"{languages} {system}: the texts have fewer lines than en.src.id")
        outputs_of, references_of = (tuple(text[row] for row in rows) for text in (hypotheses, references))
        marked = np.array([found[row] for row in rows])
        lost = len(unknown[languages, system])
        outputs.append(TaggedOutput(languages, system, outputs_of, references_of, marked, lost))
    return outputs


def _segment_places(path: str) -> dict[str, int]:
    """Return the line of every segment by its id: review and number within it, from 1."""
    seen: Counter[str] = Counter()
    places = {}
    for place, review in enumerate(text.read(path).to_pylist()):
        name = review.strip()
        seen[name] += 1
        places[f"{name}_{seen[name]}"] = place
    return places


def _ids(annotation: str, pair: str, system: str) -> list[str]:
    pattern = os.path.join(glob.escape(os.path.dirname(annotation)), f"*.{pair.rpartition('-')[2]}.{system}.id")
    found = glob.glob(pattern)
    if len(found) != 1:
        raise UsageError(f"{annotation}: expected one file {os.path.basename(pattern)} beside it, found {len(found)}")
    return [line.split("\t")[0].strip() for line in text.read(found[0]).to_pylist()]
