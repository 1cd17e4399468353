"""Folders of mt-metrics-eval (version 2): texts, documents and human scores of one test set and language pair.

``sources/PAIR.txt``, ``references/PAIR.NAME.txt``, ``system-outputs/PAIR/NAME.txt``, ``documents/PAIR.docs`` ("DOMAIN
DOCUMENT" a line) and ``human-scores/PAIR.NAME.seg.score`` ("SYSTEM SCORE" a line: a block of all segments for every
system; ``None`` is missing). References that are scored as systems stand in ``system-outputs`` too.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np

from wordorder.formats import text
from wordorder.formats.judgements import Ratings, number
from wordorder.runtime.errors import InputError, UsageError, choices, excerpt
from wordorder.runtime.files import display_name

Path = str | os.PathLike[str]


@dataclass(frozen=True, eq=False)
class EvalSet:
    """Files of systems and references by name, the document of every segment, and the ratings."""

    pair: str
    systems: dict[str, str]
    references: dict[str, str]
    documents: tuple[str, ...] | None
    ratings: Ratings


def read(folder: Path, *, pair: str, human: str | None = None) -> EvalSet:
    """Read one language pair; ``human`` names the kind of score (``mqm``, ``wmt-z``) where there are several."""
    root = os.fspath(folder)
    outputs = os.path.join(root, "system-outputs", pair)
    if not os.path.isdir(outputs):
        raise UsageError(f"{root}: has no system-outputs/{pair}; expected a folder of mt-metrics-eval")
    references = _named(os.path.join(root, "references"), prefix=f"{pair}.", suffix=".txt")
    if not references:
        raise UsageError(f"{root}: has no references/{pair}.NAME.txt")
    systems = {name: path for name, path in _named(outputs, suffix=".txt").items() if name not in references}
    kinds = _named(os.path.join(root, "human-scores"), prefix=f"{pair}.", suffix=".seg.score")
    if not kinds:
        raise UsageError(f"{root}: has no human-scores/{pair}.NAME.seg.score")
    if human is None and len(kinds) > 1:
        raise UsageError(f"{root}: several human scores for {pair}: {', '.join(sorted(kinds))}; choose one")
    if human is not None and human not in kinds:
        raise choices(human, sorted(kinds), what="human score")
    segments = len(text.read(next(iter(references.values()))))
    ratings = read_scores(kinds[human or next(iter(kinds))], segments=segments)
    documents = os.path.join(root, "documents", f"{pair}.docs")
    names = None
    if os.path.exists(documents):
        names = tuple(" ".join(line.split()[1:]) for line in text.read(documents).to_pylist())
        if len(names) != segments:
            raise InputError(f"{len(names)} lines, expected {segments}", path=display_name(documents))
    return EvalSet(pair, systems, references, names, ratings)


def read_scores(path: Path, *, segments: int) -> Ratings:
    """Read a file of segment scores: for every system a block of as many lines as there are segments."""
    name = display_name(path)
    seen: dict[str, int] = {}
    rows: list[tuple[str, int, float]] = []
    missing = 0
    for line, content in enumerate(text.read(path).to_pylist(), start=1):
        fields = content.split()
        if not fields:
            continue
        if len(fields) != 2:
            raise InputError(f"{excerpt(content)} is no 'SYSTEM SCORE'", path=name, line=line)
        place = seen.get(fields[0], 0)
        seen[fields[0]] = place + 1
        if fields[1] == "None":
            missing += 1
            continue
        try:
            value = float(fields[1])
        except ValueError:
            raise InputError(f"score {excerpt(fields[1])} is no number", path=name, line=line) from None
        if not -1e300 < value < 1e300:
            raise InputError(f"score {excerpt(fields[1])} is not finite", path=name, line=line)
        rows.append((fields[0], place, value))
    for system, count in seen.items():
        if count != segments:
            raise InputError(f"{system} has {count} lines, expected {segments}: one a segment", path=name)
    if not rows:
        raise InputError("has no score", path=name)
    names, places, values = zip(*rows, strict=True)
    systems, numbers = number(names)
    left_out = {"missing ratings": missing} if missing else {}
    return Ratings(
        systems,
        ("",),
        np.array(places, dtype=np.int64),
        numbers,
        np.zeros(len(rows), dtype=np.int64),
        np.array(values),
        left_out,
    )


def _named(folder: str, *, prefix: str = "", suffix: str) -> dict[str, str]:
    """Give the files of a folder by the part of their name between prefix and suffix."""
    if not os.path.isdir(folder):
        return {}
    return {
        name[len(prefix) : -len(suffix)]: os.path.join(folder, name)
        for name in sorted(os.listdir(folder))
        if name.startswith(prefix) and name.endswith(suffix) and len(name) > len(prefix) + len(suffix)
    }
